"""The words a seeded corpus is made of: the sections of frames, the names, the hand-written notes,
and a page of text out of them.

The words lie in `dream_words/`, written by hand and before any finder was there to look at.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path
from random import Random

FOLDER = Path(__file__).with_name("dream_words")
MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
OTHERS = (
    "support", "the warehouse", "the auditors", "the night shift", "finance", "the shop team",
    "the carrier", "a partner", "the help desk", "sales", "the office in Lund", "the test team",
)  # fmt: skip

_HELD = ("part", "part2", "things", "evidence", "event", "option", "option2", "k")
"""Slots that one note fills once, so that its sentences speak of the same."""
_STANDING = ("context", "refaside")
"""Sections that tell what holds for good: two notes with other numbers would contradict."""
_SLOT = re.compile(r"\{([^{}]+)\}")


@cache
def read_sections(name: str) -> Mapping[str, tuple[str, ...]]:
    """The sections of a file of words: its `[name]` lines and the lines under each."""
    found: dict[str, list[str]] = {}
    for line in (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines():
        if line.startswith("["):
            lines = found.setdefault(line.strip("[]"), [])
        elif line and not line.startswith("#"):
            lines.append(line)
    return {key: tuple(lines) for key, lines in found.items()}


@cache
def names(section: str) -> tuple[str, ...]:
    """The single words of a section of names."""
    return tuple(" ".join(read_sections("names")[section]).split())


def base_notes() -> Iterator[tuple[str, str, tuple[str, ...], str]]:
    """The hand-written notes in the order of their files: kind, title, tags and text."""
    for path in sorted(FOLDER.glob("notes_*.txt")):
        for block in path.read_text(encoding="utf-8").split("\n= "):
            head, _, text = block.removeprefix("= ").partition("\n")
            kind, title, tags = (part.strip() for part in head.split("|"))
            yield kind, title, tuple(tags.split()), text.strip()


class Page:
    """What one note's frames are filled with: its component and people once, the rest by chance."""

    __slots__ = ("chance", "slots")

    def __init__(self, chance: Random, slots: Mapping[str, str]) -> None:
        self.chance = chance
        self.slots = dict(slots)

    def draw(self, section: str) -> str:
        """A sentence of a section, filled, beginning with a capital."""
        return self.fill(self.chance.choice(read_sections("frames")[section]))

    def draw_many(self, section: str, count: int, told: set[str]) -> list[str]:
        """Distinct sentences of a section. What it tells for good of the component is told once:
        such frames are entered among the `told` ones."""
        frames = [one for one in read_sections("frames")[section] if _standing(one) not in told]
        if section not in _STANDING:
            return [self.fill(frame) for frame in self.chance.sample(frames, count)]
        found: list[str] = []
        while len(found) < count and frames:
            frame = self.chance.choice(frames)
            found.append(self.fill(frame))
            told.add(_standing(frame))
            frames = [one for one in frames if _standing(one) not in told]
        return found

    def fill(self, frame: str) -> str:
        """A frame with its slots filled, beginning with a capital."""
        text = frame
        while found := _SLOT.search(text):
            text = text[: found.start()] + self._word(found[1]) + text[found.end() :]
        return text[:1].upper() + text[1:]

    def _word(self, slot: str) -> str:
        if slot in self.slots:
            return self.slots[slot]
        word = self._drawn(slot)
        if slot in _HELD:
            self.slots[slot] = word
        return word

    def _drawn(self, slot: str) -> str:
        chance = self.chance
        if "|" in slot:
            return chance.choice(slot.split("|"))
        if slot == "num":
            return str(chance.choice((chance.randint(10, 99), chance.randint(100, 900))))
        if slot == "small":
            return str(chance.randint(2, 9))
        if slot == "month":
            return f"{chance.choice(MONTHS)} {chance.randint(2023, 2025)}"
        if slot == "date":
            return f"{chance.randint(1, 28)} {chance.choice(MONTHS)}"
        if slot == "k":
            return chance.choice(OTHERS)
        return chance.choice(read_sections("frames")[slot])


def _standing(frame: str) -> str:
    """What a frame tells: itself, or how the component began."""
    return "origin" if frame.startswith("{c}") and "{event}" in frame else frame
