"""The values of a question set: passages, and the questions that are asked of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

from bench.sets.question_set import GoldQuestion

UNITS = ("turn", "session")
"""The units of a conversation that a passage can be: one utterance, or a whole session."""


@dataclass(slots=True, eq=False)
class Passage:
    """One entry of a temporary vault. `id` is its id in the question set, and is never stored: some
    sets mark the answer in it. `thread` names the session, `created` is in epoch seconds."""

    id: str
    title: str
    text: str
    _: KW_ONLY
    thread: str
    created: float | None


@dataclass(slots=True, eq=False)
class Haystack:
    """The passages of one temporary vault, the questions they answer, and `foreign` ones of another
    conversation or without any answer.

    With a `folder` the vault is a copy of it, and an entry's id is its file's name without the
    ending.
    """

    name: str
    passages: Sequence[Passage]
    questions: Sequence[GoldQuestion]
    foreign: Sequence[GoldQuestion] = ()
    _: KW_ONLY
    folder: str = ""


@dataclass(slots=True, eq=False)
class QuestionSet:
    """A named set: its haystacks by unit, and the number of questions that were skipped because no
    passage answers them."""

    name: str
    haystacks: dict[str, list[Haystack]]
    skipped: int = 0
