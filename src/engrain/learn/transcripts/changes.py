"""A change of a file, in short."""

from __future__ import annotations

import re

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_LINE = 100
_FILE = re.compile(r"^\*\*\* (?:(?:Add|Update|Delete) File|Move to): (.+?)\s*$", re.MULTILINE)


def patched_files(patch: str) -> list[str]:
    """The files that a patch of Codex's form changes, each once."""
    return list(dict.fromkeys(_FILE.findall(patch)))


def lines_changed(old: Sequence[str], new: Sequence[str]) -> str:
    """The first line that went and the first that came, as old → new; "" for no change."""
    before = [line.strip() for line in old]
    after = [line.strip() for line in new]
    gone = next((line for line in before if line and line not in after), "")
    came = next((line for line in after if line and line not in before), "")
    if gone and came:
        return f"{_cut(gone)} → {_cut(came)}"
    if came:
        return f"added {_cut(came)}"
    return f"removed {_cut(gone)}" if gone else ""


def _cut(line: str) -> str:
    return line if len(line) <= _LINE else f"{line[: _LINE - 1]}…"
