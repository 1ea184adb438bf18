"""What processes of a vault take: those whose environment names its state folder."""

from __future__ import annotations

import os
import re
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

_LOOK_S = 0.02


@dataclass(frozen=True)
class Taken:
    """What one process takes: resident memory in MB, and open files."""

    role: str
    """bridge, model, console, hook or another command's name."""
    memory: float
    """Resident memory in MB."""
    share: float
    """Its part of the memory of all, in MB: what several processes share is divided by them."""
    files: int


def look_at(state: Path) -> dict[int, Taken]:
    """What each process takes that was started with this state folder."""
    mark = b"ENGRAIN_STATE_DIR=" + os.fsencode(state) + b"\0"
    found = {}
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if mark not in (folder / "environ").read_bytes() + b"\0":
                continue
            words = (folder / "cmdline").read_bytes().decode(errors="replace").split("\0")
            pages = int((folder / "statm").read_text().split()[1])
            share = int(re.findall(r"^Pss: +(\d+)", (folder / "smaps_rollup").read_text(), re.M)[0])
            files = len(list((folder / "fd").iterdir()))
        except (OSError, ValueError, IndexError):
            continue  # it has just ended
        memory = pages * os.sysconf("SC_PAGE_SIZE") / 1e6
        found[int(folder.name)] = Taken(_name(words), memory, share / 1e3, files)
    return found


def _name(words: list[str]) -> str:
    if "--stdio" in words:
        return "bridge"
    if any("model_server" in word for word in words):
        return "model"
    at = next((at for at, word in enumerate(words) if word.endswith("engrain")), 0)
    return words[at + 1] if len(words) > at + 1 else "other"


@dataclass
class Watch:
    """The most that the processes of a vault took, alone and together, in a `with` block."""

    state: Path
    most: dict[str, float] = field(default_factory=dict)
    """The most memory of one process, by its role, in MB."""
    together: float = 0.0
    """The most memory of all together, in MB; shared pages count once."""
    at_most: dict[str, int] = field(default_factory=dict)
    """The most processes at once, by their role."""

    def __enter__(self) -> Watch:
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._run)
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def _run(self) -> None:
        while not self._ending.wait(_LOOK_S):
            found = look_at(self.state).values()
            self.together = max(self.together, sum(one.share for one in found))
            for one in found:
                self.most[one.role] = max(self.most.get(one.role, 0.0), one.memory)
            for role in {one.role for one in found}:
                count = sum(one.role == role for one in found)
                self.at_most[role] = max(self.at_most.get(role, 0), count)


def wait_until(holds: Callable[[], bool], seconds: float) -> bool:
    """Whether something holds within some seconds."""
    until = time.monotonic() + seconds
    while not (held := holds()) and time.monotonic() < until:
        time.sleep(0.05)
    return held
