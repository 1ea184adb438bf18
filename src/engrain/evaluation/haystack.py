"""What is put into a memory and asked of it: passages, questions and what answers them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import KW_ONLY, dataclass

UNITS = ("turn", "session")
"""What one passage of a conversation is: one utterance, or all of one meeting."""


@dataclass(slots=True, eq=False)
class Passage:
    """One entry of a temporary vault. `id` is what the question set calls it, and is never stored:
    some sets mark the answer in it. `thread` names the conversation's meeting, `created` is in
    seconds since the epoch."""

    id: str
    title: str
    text: str
    _: KW_ONLY
    thread: str
    created: float | None


@dataclass(slots=True, eq=False)
class Question:
    """One question. `gold` are the ids of the passages or entries that answer it; empty where
    nothing should. `group` is the conversation it belongs to; `nameless` the same question without
    the speakers' names, empty where there are none to take out."""

    id: str
    text: str
    gold: frozenset[str]
    _: KW_ONLY
    category: str = ""
    group: str = ""
    nameless: str = ""


@dataclass(slots=True, eq=False)
class Haystack:
    """The passages of one temporary vault, the questions they answer, and `foreign` ones that
    they do not: these belong to another conversation, or have no answer at all.

    Where `folder` is given, the vault is a copy of that folder, and an entry's id is the name of
    its file without the ending.
    """

    name: str
    passages: Sequence[Passage]
    questions: Sequence[Question]
    foreign: Sequence[Question] = ()
    _: KW_ONLY
    folder: str = ""


@dataclass(slots=True, eq=False)
class QuestionSet:
    """A named set: its haystacks per unit, and how many questions were left out because nothing
    that is there answers them."""

    name: str
    haystacks: dict[str, list[Haystack]]
    skipped: int = 0
