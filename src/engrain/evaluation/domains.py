"""Domains: one question set of each kind of text that recall is to serve, and foreign prompts.

Talk between two people, chats with an assistant, collections of notes, sessions of coding. Each
collection is asked its own questions, and prompts that are about something else.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

from engrain.evaluation.benchmarks import read_beam, read_locomo
from engrain.evaluation.haystack import Haystack, Question, QuestionSet
from engrain.evaluation.questions import leave_out, read_own, thin

_KINDS = {"dendron": "notes", "tldr": "command pages"}
"""What the vaults of the development sets hold; any other goes by its own name."""
NOTE = "note"
"""The unit of a collection of notes."""


@dataclass(slots=True, eq=False)
class Domain:
    """A question set under the name of the kind of text it is of. Silence is measured on the first
    of `units`."""

    name: str
    known: QuestionSet

    @property
    def units(self) -> list[str]:
        return list(self.known.haystacks)


def make_talk(raw: bytes) -> Domain:
    """Talk, by turns and by sessions; foreign is what another conversation is asked. Raises
    MalformedError."""
    return Domain("talk", read_locomo(raw))


def make_chats(raw: bytes, prompts: Sequence[Question]) -> Domain:
    """Chats of a user with an assistant, by messages. Raises MalformedError."""
    return Domain("chats", with_foreign(read_beam(raw), leave_out(prompts, "beam")))


def make_notes(vault: str, folder: str, raw: bytes, prompts: Sequence[Question]) -> Domain:
    """A vault of notes in `folder`, with its own questions. Raises MalformedError."""
    haystack = Haystack(vault, [], read_own(raw), folder=folder)
    known = QuestionSet(vault, {NOTE: [haystack]})
    return Domain(_KINDS.get(vault, vault), with_foreign(known, prompts))


def with_foreign(known: QuestionSet, prompts: Sequence[Question]) -> QuestionSet:
    """Return the set with foreign prompts, each put to one haystack, in turn."""

    def add(each: Haystack, place: int, size: int) -> Haystack:
        return replace(each, foreign=[*each.foreign, *prompts[place::size]])

    return _with_haystacks(known, add)


def with_limit(known: QuestionSet, most: int | None) -> QuestionSet:
    """Return the set with at most so many own and foreign questions of each haystack, see
    `thin`."""

    def limit(each: Haystack, _place: int, _size: int) -> Haystack:
        return replace(each, questions=thin(each.questions, most), foreign=thin(each.foreign, most))

    return _with_haystacks(known, limit)


def _with_haystacks(
    known: QuestionSet, change: Callable[[Haystack, int, int], Haystack]
) -> QuestionSet:
    """Change each haystack; `change` gets its place among those of its unit, and their number."""
    return replace(
        known,
        haystacks={
            unit: [change(each, place, len(members)) for place, each in enumerate(members)]
            for unit, members in known.haystacks.items()
        },
    )
