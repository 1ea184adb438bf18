"""Clocks that go wrong: when turns were said, bounded by what can be."""

from __future__ import annotations

from collections import Counter

from engrain.learn.sources.pieces import Items
from engrain.model.facts.turns import Conversation
from engrain.model.note.strength import DAY


def bound_times(items: Items, latest: float | None, passed: Counter[str]) -> Items:
    """The same with no time behind `latest`, when the file was written or is read: such a turn was
    said when the one before was. One that is up to a day before the turn in front of it was said
    then, since their order is told by more than a clock; what lies further back is left alone.
    """
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
