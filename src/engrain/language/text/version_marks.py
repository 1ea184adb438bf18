"""The version that a note's title names (S1.15, S1.17)."""

from __future__ import annotations

import re
from dataclasses import dataclass

from engrain.language.lexicons import read_regexes
from engrain.language.text.folding import fold
from engrain.language.text.numbers import NUMBERS

_PATTERNS = read_regexes("words", "version patterns")
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "2nd": 2, "3rd": 3,
             "4th": 4, "5th": 5}  # fmt: skip


@dataclass(slots=True, eq=False)
class Version:
    """A title without the mark of its version, folded, and that: 0 where there is none, below it
    what is called old, above it what is called new. `plain` is whether what has versions is a text,
    and not what the text is about."""

    base: str
    number: tuple[int, ...]
    plain: bool


def read_version(title: str) -> Version:
    """The version that a title names."""
    for pattern in (_PATTERNS["version"], _PATTERNS["ordinal"]):
        if found := pattern.search(title):
            written = found["number"].lower()
            number = _ORDINALS.get(written) or NUMBERS.get(written)
            parts = (number,) if number else tuple(int(part) for part in written.split("."))
            base = title[: found.start()].strip()
            bracketed = found[0].lstrip()[:1] in ("(", "[")
            return Version(_key(base), parts, bracketed or bool(_PATTERNS["texts"].search(base)))
    if found := _PATTERNS["word"].search(title):
        base = (title[: found.start()] + title[found.end() :]).strip()
        new = found["new"] or found["new2"]
        return Version(_key(base), (_NEW,) if new else (-1,), True)
    return Version(_key(title), (0,), True)


_NEW = 1_000_000


def _key(title: str) -> str:
    return " ".join(re.findall(r"\w+", fold(title)))
