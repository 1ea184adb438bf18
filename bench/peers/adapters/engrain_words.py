"""Engrain as it is installed without extras: words and the shipped token vectors, no model."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path

NAME = "Engrain"
INSTALL = ["{engrain}"]
SETTING = "as installed"
NEEDS = "nothing"
MORE = ""
HAS_GATE = True


class Peer:
    """A vault that is opened through the public Python interface."""

    def __init__(self, folder: Path, home: Path) -> None:
        self._memory = import_module("engrain").open_memory(
            str(folder / "vault"), state_dir=str(folder / "state"), create=True
        )

    def save(self, title: str, text: str) -> None:
        self._memory.save(text, title=title, kind="memory")

    def save_all(self, notes: list[tuple[str, str]], kinds: list[str]) -> None:
        for (title, text), kind in zip(notes, kinds, strict=True):
            self._memory.save(text, title=title, kind=kind)
        self._memory.scan()
        self._memory.embed()
        self._memory.jobs.run(["calibrate"])

    def search(self, query: str) -> list[str]:
        found = self._memory.recall(query, limit=3, scan=False)
        return [f"{one.row.title}\n{one.text}" for one in found.results or found.nearest]

    def inject(self, query: str) -> list[str]:
        """Return what the prompt hook would add to the agent's context."""
        found = self._memory.recall(query, limit=5, budget=1500, scan=False)
        return [f"{one.row.title}\n{one.text}" for one in found.results]

    def stored(self) -> str:
        self._memory.scan()
        return "\n".join(row.title for row in self._memory.list(limit=100_000).rows)

    def close(self) -> None:
        self._memory.close()


def serve(folder: Path, home: Path) -> list[str]:
    return [str(Path(sys.prefix) / "bin/engrain"), "mcp", "--stdio", "--vault",
            str(folder / "vault")]  # fmt: skip


def ask(folder: Path, query: str) -> list[str]:
    return ["-m", "engrain", "recall", query, "--vault", str(folder / "vault"), "--state-dir",
            str(folder / "state")]  # fmt: skip
