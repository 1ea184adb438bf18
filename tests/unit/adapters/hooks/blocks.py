"""A block of recalled entries, as whoever knows its mark reads it."""

from __future__ import annotations

import re

BLOCK = re.compile(r"<engrain-memory ([0-9a-f]{16})>\n(.*)\n</engrain-memory \1>", re.DOTALL)
UNCONFIRMED = "unconfirmed: ask before relying on it"


class Entry:
    """One entry of a block: its title ("" if its text repeats it), what is said about it, its
    text."""

    def __init__(self, title: str, facts: str, text: str) -> None:
        self.title = title
        self.facts = facts.split(", ")
        self.text = text

    @property
    def kind(self) -> str:
        return self.facts[0]

    @property
    def date(self) -> str:
        return self.facts[1]

    @property
    def source(self) -> str:
        return self._fact("source: ")

    @property
    def id(self) -> str:
        return self._fact("id ")

    def _fact(self, start: str) -> str:
        (found,) = (fact for fact in self.facts if fact.startswith(start))
        return found.removeprefix(start)


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
    """The entries of a block, in their order: each begins with the block's mark and its number."""
    if not context:
        return []
    start = rf"\n\[{mark_of(context)[:6]} (\d+)\] (?:([^\n(][^\n]*)\n)?\(([^\n]*)\)\n"
    _, *parts = re.split(start, f"{inside(context)}\n")
    assert parts[::4] == [str(number) for number in range(1, len(parts) // 4 + 1)]
    columns = (parts[1::4], parts[2::4], parts[3::4])
    return [
        Entry(title or "", facts, text.strip()) for title, facts, text in zip(*columns, strict=True)
    ]


def titles(context: str) -> list[str]:
    """Their titles."""
    return [entry.title for entry in read_entries(context)]
