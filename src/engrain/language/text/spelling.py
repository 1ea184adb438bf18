"""Names that are spelled alike: one letter more, less, another or in another place."""

from __future__ import annotations

import re

_LEAST = 8
"""Letters below which one that differs makes another word."""
_DIGITS = re.compile(r"[0-9]+")


def variants(name: str) -> set[str]:
    """A name and what is left of it without any one letter: two names that share one are spelled
    alike. Empty for a name too short to be misspelled."""
    if len(name) < _LEAST:
        return set()
    return {name, *(name[:at] + name[at + 1 :] for at in range(len(name)))}


def is_misspelled(written: str, name: str) -> bool:
    """Whether one name is the other misspelled; another number is another name."""
    if _DIGITS.findall(written) != _DIGITS.findall(name) or abs(len(written) - len(name)) > 1:
        return False
    return not variants(written).isdisjoint(variants(name))
