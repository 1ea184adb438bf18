"""Whatever other programs do to a vault, and in whatever order calls come between: looks find all
of it within the number of calls that `docs/recall.md` states."""

from __future__ import annotations

import os
import shutil
import tempfile
from math import ceil
from pathlib import Path
from unittest.mock import patch

from hypothesis import given, settings
from hypothesis import strategies as st

from engrain import Memory
from engrain.engine.core import scanning
from engrain.seam.looks import Most
from support.vaults import make_memory

WHOLE, PART, READ = 5, 3, 4
FOLDERS = ("", "Memory", "Memory/fix", "Memory/fix/deep", "Memory/decision", "ideas")

places = st.tuples(st.sampled_from(FOLDERS), st.integers(0, 7))
folders = st.sampled_from(FOLDERS[1:])
edits = st.one_of(
    st.tuples(st.sampled_from(["write", "replace", "rest", "remove", "break"]), places),
    st.tuples(st.just("move"), places, places),
    st.tuples(st.just("copy"), places, places),
    st.tuples(st.just("rename"), folders, folders),
    st.tuples(st.just("drop"), folders),
    st.tuples(st.sampled_from(["look", "save", "reopen", "recall"])),
)


class Editor:
    """Another program, which does what it is bid to the files of a vault."""

    def __init__(self, vault: Path) -> None:
        self._vault = vault
        self._number = 0

    def do(self, act: str, *on: object) -> None:
        paths = [self._path(one) for one in on]
        if act in ("write", "replace", "rest", "break"):
            self._write(act, paths[0])
        elif paths[0].exists():
            getattr(self, f"_{act}")(*paths)

    def _path(self, place: object) -> Path:
        if isinstance(place, tuple):
            return self._vault / str(place[0]) / f"note-{place[1]}.md"
        return self._vault / str(place)

    def _write(self, how: str, path: Path) -> None:
        self._number += 1
        path.parent.mkdir(parents=True, exist_ok=True)
        raw = f"# {path.stem}\n\nNumber {self._number:03}.\n"
        before = path.stat() if path.exists() else None
        if how == "replace":
            path.with_suffix(".tmp").write_text(raw)
            path.with_suffix(".tmp").replace(path)
        else:
            path.write_text("---\nid: [\n---\n" if how == "break" else raw)
        if how == "rest" and before:
            os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))

    def _remove(self, path: Path) -> None:
        path.unlink()

    def _move(self, path: Path, to: Path) -> None:
        to.parent.mkdir(parents=True, exist_ok=True)
        path.replace(to)

    def _copy(self, path: Path, to: Path) -> None:
        to.parent.mkdir(parents=True, exist_ok=True)
        if path != to:
            shutil.copy2(path, to)  # with its old times, as a synchroniser would

    def _rename(self, path: Path, to: Path) -> None:
        if not to.exists() and path not in to.parents:
            to.parent.mkdir(parents=True, exist_ok=True)
            path.rename(to)

    def _drop(self, path: Path) -> None:
        shutil.rmtree(path)


def count(vault: Path) -> tuple[int, int]:
    """The notes and the folders of a vault."""
    found = [path for path in vault.rglob("*") if ".engrain" not in path.parts]
    return sum(path.is_file() for path in found), 1 + sum(path.is_dir() for path in found)


def bound(memory: Memory, vault: Path) -> int:
    """The calls within which everything is found."""
    files, groups = count(vault)
    known = sum(1 for _ in memory._open_store().index.stamps())
    differing = len(memory._open_store().upkeep.verify())
    most = max(files, known)
    return 2 + ceil(most / PART) + ceil(groups / PART) + 2 * ceil(differing / READ)


@settings(max_examples=80, deadline=None)
@given(st.lists(edits, max_size=25))
def test_every_change_is_found_within_the_bound(steps: list[tuple[object, ...]]) -> None:
    with (
        tempfile.TemporaryDirectory() as folder,
        patch.object(scanning, "MOST", Most(WHOLE, PART, watched=2, young=2)),
        patch.object(scanning, "READ", READ),
        patch.object(scanning, "_LISTED", 2 * WHOLE),
    ):
        base = Path(folder)
        memory, editor = make_memory(base), Editor(base / "vault")
        memory.list()
        for number, (act, *on) in enumerate(steps):
            if act == "look":
                memory.look()
            elif act == "recall":
                memory.recall("number")
            elif act == "save":
                memory.save(f"Saved {number}.", title=f"Saved {number}", kind="fix")
            elif act == "reopen":
                memory.close()
                memory = make_memory(base, seed=100 + number)
            else:
                editor.do(str(act), *on)
        memory._open_store().upkeep.drain()
        for _ in range(bound(memory, base / "vault")):
            memory.look()
        assert memory._open_store().upkeep.verify() == []
        memory.close()
