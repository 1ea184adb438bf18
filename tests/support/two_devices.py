"""Two devices with a folder each, and a synchroniser between them that keeps both files where both
wrote one."""

from __future__ import annotations

import shutil
from collections.abc import Callable
from pathlib import Path

from support.vaults import START, FakeClock, make_memory


class Pair:
    """Two devices with a folder each, and what was there when they were last in step."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.clock = FakeClock(START)
        self.left = make_memory(folder, name="left", device="laptop", clock=self.clock, seed=1)
        self.left.save("Begin.", title="Begin", kind="fix")
        shutil.copytree(folder / "left", folder / "right")
        self.right = make_memory(folder, name="right", device="desktop", clock=self.clock, seed=2)
        self.last = self._files("left")
        self._suffix = 0

    def _files(self, side: str) -> dict[str, bytes]:
        root = self.folder / side
        return {
            str(path.relative_to(root)): path.read_bytes()
            for path in root.rglob("*")
            if path.is_file()
        }

    def sync(
        self,
        name: Callable[[str, int], str] | None = None,
        *,
        keep: str = "right",
        history: bool = True,
    ) -> list[str]:
        """Bring both in step, as Syncthing does: of what both changed, one side's version gets
        another name. The names of the copies, but for those of generated files."""
        sides = {side: self._files(side) for side in ("left", "right")}
        wanted: dict[str, bytes] = {}
        copies = []
        paths = sides["left"].keys() | sides["right"].keys() | self.last.keys()
        if not history:
            paths = {path for path in paths if not path.startswith(".engrain/")}
        for path in sorted(paths):
            base, one, other = (found.get(path) for found in (self.last, *sides.values()))
            changed = [version for version in (one, other) if version != base]
            there = [version for version in changed if version is not None]
            if len(there) == 2 and one != other:
                self._suffix += 1
                stem, _, ending = path.rpartition(".")
                copy = f"{stem}.sync-conflict-2026-{self._suffix:06}.{ending}"
                generated = path.endswith("summary.md")
                copy = name(path, self._suffix) if name and not generated else copy
                wanted[path], wanted[copy] = there[::-1] if keep == "right" else there
                copies += [] if generated else [copy]
            elif there:
                wanted[path] = there[0]
            elif not changed and base is not None:
                wanted[path] = base
        for side, found in sides.items():
            for path in paths & found.keys() - wanted.keys():
                (self.folder / side / path).unlink()
            for path, raw in wanted.items():
                if found.get(path) != raw:
                    _put(self.folder / side / path, raw)
        kept = {path: raw for path, raw in self.last.items() if path not in paths}
        self.last = {**kept, **wanted}
        return copies

    def scan(self) -> None:
        """Each device looks at its folder, by itself."""
        for memory in (self.left, self.right):
            memory.scan()

    def settle(self, *, most: int = 6) -> None:
        """Scan and synchronise until both folders are alike and stay so."""
        for _ in range(most):
            self.scan()
            if not self.sync() and self.notes("left") == self.notes("right"):
                return
        raise AssertionError("the two devices don't come to rest")

    def notes(self, side: str) -> dict[str, bytes]:
        """What a folder holds beside its history."""
        found = self._files(side)
        return {path: raw for path, raw in found.items() if not path.startswith(".engrain/")}

    def copies(self) -> list[str]:
        """What is left of copies, on either side."""
        return [
            path for side in ("left", "right") for path in self.notes(side) if "conflict" in path
        ]

    def read(self, path: str, side: str = "left") -> str:
        return (self.folder / side / path).read_text()


def _put(path: Path, raw: bytes) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_bytes(raw)
