"""Regular expressions that are compiled when they are first used. A cold process takes those of the
hot path from the file of what is compiled, since loading `re` and compiling takes longer than its
answer.
"""

from __future__ import annotations

import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    import re
    from typing import Any, TypeAlias

Key: TypeAlias = "tuple[str, int]"
"""A pattern and its flags."""

IGNORECASE, MULTILINE, DOTALL, VERBOSE = 2, 8, 16, 64
"""The flags of `re` of these names."""

_known: set[Key] = set()
"""The patterns of all modules that are loaded."""


class _Late:
    """A pattern that is compiled when it is first asked for something."""

    def __init__(self, pattern: str, flags: int) -> None:
        self._given = pattern, flags

    def __getattr__(self, name: str) -> object:
        found: object = getattr(_compile(*self._given), name)
        setattr(self, name, found)  # the next time it is here
        return found


def late(pattern: str, flags: int = 0) -> re.Pattern[str]:
    """`re.compile(pattern, flags)`, but that it is compiled, or fails, when it is first used."""
    _known.add((pattern, flags))
    return _Late(pattern, flags)  # type: ignore[return-value]  # it stands in for one


def _compile(pattern: str, flags: int) -> re.Pattern[str]:
    """Compile a pattern; take what was made of it if a finder of modules has it, as that of the
    file of what is compiled does. Raises re.error."""
    found = (getattr(finder, "find_pattern", None) for finder in sys.meta_path)
    if made := next((find(pattern, flags) for find in found if find), None):
        from _sre import compile as make  # type: ignore[import-not-found]

        final, code, *groups = made
        compiled: re.Pattern[str] = make(
            pattern, final, memoryview(code).cast("I").tolist(), *groups
        )
        return compiled
    import re

    return re.compile(pattern, flags)


def compile_known() -> dict[Key, tuple[Any, ...]]:
    """Return what `re` makes of each pattern of the modules that are loaded, as `_sre` compiles it,
    without those that are broken."""
    import re
    from array import array
    from re import _compiler, _parser  # type: ignore[attr-defined]

    made: dict[Key, tuple[Any, ...]] = {}
    for pattern, flags in _known:
        try:
            found = re.compile(pattern, flags)
        except re.error:
            continue
        code = array("I", _compiler._code(_parser.parse(pattern, flags), flags)).tobytes()
        names: list[str | None] = [None] * (found.groups + 1)
        for name, number in found.groupindex.items():
            names[number] = name
        groups = found.groups, dict(found.groupindex), tuple(names)
        made[pattern, flags] = found.flags, code, *groups
    return made
