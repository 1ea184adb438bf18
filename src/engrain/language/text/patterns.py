"""Regular expressions that are compiled when they are first used: to compile those of the modules
that a cold process loads, and mostly doesn't use, takes longer than its answer."""

from __future__ import annotations

import re


class _Late:
    """A pattern that is compiled when it is first asked for something."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._given = pattern, flags

    def __getattr__(self, name: str) -> object:
        found: object = getattr(re.compile(*self._given), name)
        setattr(self, name, found)  # the next time it is here
        return found


def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile(pattern, flags)`, but that it is compiled, or fails, when it is first used."""
    return _Late(pattern, flags)  # type: ignore[return-value]  # it stands in for one
