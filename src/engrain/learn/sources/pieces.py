"""A stream of conversations and their turns, cut into pieces that fit into memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from typing import TypeAlias

from engrain.learn.transcripts.lines import ends_of
from engrain.model.errors import MalformedError
from engrain.model.facts.turns import Conversation, Turn
from engrain.model.note.strength import DAY

Items: TypeAlias = "Iterator[Conversation | Turn]"
"""Each conversation, without its turns, and behind it those."""


MOST_TURNS = 500
_MOST_CHARACTERS = 400_000


def cut(items: Iterable[Conversation | Turn], most: int = MOST_TURNS) -> Iterator[Conversation]:
    """Conversations with at most so many turns, as a list; a longer one comes in several pieces
    under one name. One without turns does not come. Where the stream breaks, so does this, behind
    what came by then. Raises MalformedError."""
    begun: Conversation | None = None
    turns: list[Turn] = []
    size = 0
    broken: MalformedError | None = None
    try:
        for item in items:
            if isinstance(item, Conversation) or len(turns) >= most or size > _MOST_CHARACTERS:
                if begun is not None and turns:
                    yield _piece(begun, turns)
                turns, size = [], 0
            if isinstance(item, Conversation):
                begun = item
                continue
            item.text = ends_of(item.text)
            size += len(item.text)
            turns.append(item)
    except MalformedError as error:  # what stands before the break was said
        broken = error
    if begun is not None and turns:
        yield _piece(begun, turns)
    if broken is not None:
        raise broken


def _piece(begun: Conversation, turns: list[Turn]) -> Conversation:
    return Conversation(begun.ref, begun.kind, turns, begun.at, begun.cwd)


def bound_times(items: Items, latest: float | None, passed: Counter[str]) -> Items:
    """Yield the items with no time after `latest`, when the file was written or is read: a later
    turn gets the time of the one before. So does a turn that is up to a day before the turn in
    front of it, since their order is known by more than a clock; one that is further back is left
    alone."""
    before: float | None = None
    for item in items:
        begins = isinstance(item, Conversation)
        if begins:
            before = None
        if item.at is not None and latest is not None and item.at > latest:
            if not begins:
                passed["future"] += 1
            item.at = latest if before is None else before
        elif item.at is not None and not begins:
            if before is not None and before - DAY < item.at < before:
                passed["disordered"] += 1
                item.at = before
            before = item.at
        yield item
