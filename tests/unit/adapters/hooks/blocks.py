"""A block of recalled entries, as whoever knows its mark reads it."""

from __future__ import annotations

import re

BLOCK = re.compile(r"<engrain-memory ([a-z]{7})> (.*)\n</engrain-memory \1>", re.DOTALL)
UNCONFIRMED = "unconfirmed: ask before relying on it"


class Entry:
    """One entry of a block: what is said about it, its title ("" if its text repeats it), its
    text."""

    def __init__(self, facts: str, title: str, text: str) -> None:
        self.title = title
        first, *self.facts = facts.split(", ")
        self.kind, self.date, self.source = first.split(" ")
        self.text = text

    @property
    def id(self) -> str:
        (found,) = (fact for fact in self.facts if fact.startswith("id "))
        return found.removeprefix("id ")


def inside(context: str) -> str:
    """What stands between the fences, which are the first and the last line."""
    found = BLOCK.fullmatch(context)
    assert found, context
    return found[2]


def mark_of(context: str) -> str:
    """The mark of a block."""
    found = BLOCK.fullmatch(context)
    assert found, context
    return found[1]


def read_entries(context: str) -> list[Entry]:
    """The entries of a block, in their order: each begins with the block's mark."""
    if not context:
        return []
    start = rf"\n\[{mark_of(context)[:4]} ([^\n\]]*)\] "
    _, *parts = re.split(start, f"\n{inside(context)}\n")
    return [
        Entry(facts, *_split(said.strip()))
        for facts, said in zip(parts[::2], parts[1::2], strict=True)
    ]


def _split(said: str) -> tuple[str, str]:
    """The title and the text of an entry: a text alone begins with its title."""
    title, _, text = said.partition("\n")
    return title, text.strip() or title


def titles(context: str) -> list[str]:
    """Their titles."""
    return [entry.title for entry in read_entries(context)]
