"""A stand-in for the bridge: it answers hooks of hosts that run them before they start the bridge.

A cold session start takes the place, so that the first prompt waits there, and starts this process
with it. It has the due jobs run after hooks, in a process of their own. It ends when a bridge asks
it to leave, after a few idle minutes, or with its socket.
"""

from __future__ import annotations

import os
import threading
from contextlib import suppress
from time import monotonic, sleep

from engrain.adapters.hooks.intake import process_spool
from engrain.adapters.hooks.listener import Listener
from engrain.adapters.hooks.place import HookPlace
from engrain.adapters.hooks.vaults import Vaults
from engrain.model.errors import EngrainError
from engrain.resolution.jobs_process import JobsProcess
from engrain.resolution.selector import Resolution, resolve

_IDLE = 180.0
"""Seconds without a hook after which the process ends."""
_SETTLED = 5.0
"""Seconds without a hook after which due jobs run."""
_LOOK = 1.0
"""Seconds between two looks whether it is to end."""
_PATIENCE = 2.0
"""Seconds that a leaving process waits for the hooks that it answers."""


def serve(path: str, socket_number: int, lock: int, idle: float = _IDLE) -> None:
    """Answer the hooks at a place whose socket and lock another process has taken."""
    place = HookPlace(path)
    place.adopt(socket_number, lock)
    told = threading.Event()
    try:
        _answer(place, resolve({}, os.environ, os.getcwd()), told, idle)
    finally:
        place.release()


def _answer(place: HookPlace, resolution: Resolution, told: threading.Event, idle: float) -> None:
    state_dir, listening = resolution.state_dir, place.socket
    assert listening is not None
    with (
        Vaults(state_dir, resolution) as vaults,
        Listener(listening, state_dir, vaults.find, place.token, told.set) as listener,
    ):
        memory = vaults.open_own()
        assert memory is not None
        with suppress(EngrainError):  # the next recall reports it
            memory.recall("warm")
        process_spool(state_dir, vaults.find)
        jobs, followed = JobsProcess(resolution, None), 0.0
        while not told.wait(_LOOK) and os.path.exists(place.path):
            quiet = 0.0 if listener.is_answering else monotonic() - listener.last
            if quiet > idle:
                break
            # No hook is to wait for what a job holds; later hooks leave more to learn from.
            if quiet > _SETTLED and listener.last != followed and not jobs.is_resting():
                followed = listener.last
                with suppress(EngrainError, OSError):  # the status has what failed
                    jobs.start()
        until = monotonic() + _PATIENCE
        while listener.is_answering and monotonic() < until:
            sleep(_LOOK / 100)
