"""claude-mem: observations that a model writes of each tool call, in SQLite and Chroma."""

from __future__ import annotations

from pathlib import Path

NAME = "claude-mem"
NPM = "claude-mem"
SETTING = "as installed"
NEEDS = "a model, a service"
MORE = "a viewer of live observations"


class Peer:
    """Nothing: what it stores is written by a model, and none was used in this comparison."""

    def __init__(self, folder: Path, home: Path) -> None:
        raise ValueError("it stores nothing without a model")
