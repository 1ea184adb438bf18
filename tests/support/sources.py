"""Files of sources, read from bytes as from a disk."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from bench.read_sources import open_source

from engrain.model.facts.fact import Conversation, Turn

AT = 1_772_400_000.0
"""When the files were last written: 2026-03-01T21:20:00Z."""


def pieces(raw: bytes, size: int = 7) -> Iterator[bytes]:
    """The bytes of a file as they come, in pieces of a size that cuts everything somewhere."""
    return (raw[at : at + size] for at in range(0, len(raw), size))


class Read:
    """What a file came to."""

    def __init__(self, raw: bytes | str, name: str = "file.txt", *, format_: str = "") -> None:
        self.passed: Counter[str] = Counter()
        raw = raw.encode() if isinstance(raw, str) else raw
        self.format, found = open_source(
            pieces(raw), name, format=format_, at=AT, passed=self.passed
        )
        self.conversations: list[Conversation] = list(found)

    @property
    def turns(self) -> list[Turn]:
        return [turn for one in self.conversations for turn in one.turns]

    @property
    def said(self) -> list[tuple[str, str, str]]:
        """Speaker, role and text of every turn."""
        return [(turn.speaker, turn.role, turn.text) for turn in self.turns]

    @property
    def texts(self) -> list[str]:
        return [turn.text for turn in self.turns]

    @property
    def refs(self) -> list[str]:
        return [one.ref for one in self.conversations]
