"""The vault as another program sees it: plain files, and the lines of a device's log."""

from __future__ import annotations

import shutil
from pathlib import Path

from engrain import Memory
from engrain.engine.core.recalled import Recall
from engrain.engine.verbs.listing import Listing


def notes(vault: Path) -> dict[str, bytes]:
    """Every note with its bytes."""
    found = {str(path.relative_to(vault)): path for path in vault.rglob("*.md")}
    return {name: found[name].read_bytes() for name in sorted(found)}


def put(vault: Path, name: str, text: str | bytes) -> Path:
    """Write a note by hand."""
    path = vault / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(text.encode() if isinstance(text, str) else text)
    return path


def titles(found: Recall | Listing) -> list[str]:
    """The titles of what was found, in its order."""
    if isinstance(found, Recall):
        return [recalled.row.title for recalled in found.results]
    return [row.title for row in found.rows]


def find(memory: Memory, query: str) -> list[str]:
    """The titles of what a plain recall finds."""
    return titles(memory.recall(query))


def last_change(memory: Memory) -> str:
    """The name of the newest change."""
    return memory.history(limit=1)[0].change


def index_folder(state: Path) -> Path:
    """The folder of a device's only index."""
    (found,) = state.glob("vaults/*/index")
    return found


def delete_index(state: Path) -> None:
    """Remove a device's index, if it has made one yet."""
    for found in state.glob("vaults/*/index"):
        shutil.rmtree(found)


def log_of(vault: Path, change: str) -> Path:
    """The only segment of the chain that a change is on."""
    (found,) = (vault / ".engrain" / "history" / change.rpartition("-")[0]).glob("*.log")
    return found
