"""The process of low priority in which the due jobs of a memory run, one at a time on a device
(S1.23)."""

from __future__ import annotations

import os
import sys
from collections.abc import Sequence
from subprocess import DEVNULL, Popen
from time import monotonic

from engrain.resolution.endpoint import run_folder
from engrain.resolution.files import acquire_lock_file
from engrain.resolution.selector import Resolution

REST = 20
"""The pause after learning or a scan, as a multiple of its duration."""
_NICER = "10"
"""By how much the priority of jobs is lower than that of the server."""


class JobsProcess:
    """The process that runs the due jobs of one memory, from time to time. It outlives the server
    that started it, and ends by its budget at the latest."""

    def __init__(self, resolution: Resolution, project: str | None) -> None:
        where = {
            "vault": resolution.location,
            "state-dir": resolution.state_dir,
            "backend": resolution.backend,
            "project": project,
            "agent": resolution.agent,
        }
        self._flags = [f"--{name}={value}" for name, value in where.items() if value]
        self._state_dir = resolution.state_dir
        self._process: Popen[bytes] | None = None
        self._began = self._rested = 0.0

    def start(self, *names: str) -> None:
        """Run the jobs of these names that are due, or all that are, unless another server of this
        device has such a process. Raises EngrainError, OSError."""
        # -P: a module of the host's folder is not taken for one of ours.
        command = [sys.executable, "-P", "-m", "engrain", "jobs", "run", *names, "--due"]
        lock = acquire_lock_file(os.path.join(run_folder(self._state_dir), "jobs.lock"))
        if lock is None:
            return
        try:  # the process inherits the lock, and has it until it ends
            self._process = _start(["nice", "-n", _NICER, *command, *self._flags], lock)
        finally:
            os.close(lock)
        self._began = monotonic()

    def is_resting(self) -> bool:
        """Return whether it runs, or ran for so long just now that it is not to start yet."""
        if self._process is not None and self._process.poll() is not None:
            self._process = None
            self._rested = monotonic() + REST * (monotonic() - self._began)
        return self._process is not None or monotonic() < self._rested


def _start(command: Sequence[str], *kept: int) -> Popen[bytes]:
    return Popen(
        command,
        stdin=DEVNULL,
        stdout=DEVNULL,
        stderr=DEVNULL,
        pass_fds=kept,
        start_new_session=True,
    )
