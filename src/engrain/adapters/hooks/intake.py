"""Carry out the events of the spool: by the next bridge, session start or command.

A file is removed after its event is carried out, so what a kill interrupts is done again; a mark
that a session has already is not made twice.
"""

from __future__ import annotations

import json
import os
import stat
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TypeAlias

from engrain.adapters.hooks.answers import PROMPT
from engrain.adapters.hooks.events import HANDLERS, HookCall, cut_prompt
from engrain.adapters.hooks.losses import Loss, note_loss
from engrain.adapters.hooks.payloads import Occasion
from engrain.adapters.hooks.spool import ENDING, GIVEN_UP, LONGEST, list_events
from engrain.adapters.hooks.vaults import RemoteMemoryError, Vaults
from engrain.adapters.hooks.waiting import FOLDER, has_events
from engrain.api.memory import Memory
from engrain.lifecycle.sessions.sessions import ASKED, note_recalled
from engrain.model.errors import EngrainError, MemoryOffError
from engrain.resolution.files import acquire_lock_file, release_lock_file
from engrain.wiring import redact
from engrain_hook import check_own

Find: TypeAlias = Callable[[str, Mapping[str, str]], tuple[Memory, str]]
"""(a session's folder, variables of its environment) -> its memory and its project, "" for none.
Raises MemoryOffError where memory is off, EngrainError."""

_KEPT = 7 * 86_400.0
"""Seconds after which an event is given up whose vault can't be opened."""
_UNFINISHED = 60.0
"""Seconds after which an unfinished file is one of a hook that was killed."""
_PATIENCE = 10.0
"""Seconds that one event may take to be carried out."""


@dataclass(slots=True)
class _SpooledHook:
    """An event of the spool."""

    at: float
    event: str
    host: str
    cwd: str
    environ: dict[str, str]
    payload: dict[str, object]


def process_spool(state_dir: str, find: Find) -> None:
    """Carry out the events of the spool in their order, unless another process does it now. What is
    lost is noted in the hooks' log."""
    if not has_events(state_dir):
        return
    folder = os.path.join(state_dir, FOLDER)
    try:
        check_own(folder, stat.S_ISDIR)
        with _taking(f"{folder}.lock") as is_ours:
            for loss in _process_all(folder, find) if is_ours else ():
                note_loss(state_dir, loss, redact)
    except (OSError, EngrainError) as error:
        loss = Loss(time.time(), "spool", "", 0, f"the spool is not read: {error}")
        note_loss(state_dir, loss, redact)


def process_spool_here(state_dir: str) -> None:
    """Carry out the events of the spool in this process, which opens their memories for it."""
    with Vaults(state_dir) as vaults:
        process_spool(state_dir, vaults.find)


@contextmanager
def _taking(path: str) -> Iterator[bool]:
    """Hold the lock of the spool; the block gets whether this process has it."""
    lock = acquire_lock_file(path)
    try:
        yield lock is not None
    finally:
        if lock is not None:
            release_lock_file(path, lock)


def _process_all(folder: str, find: Find) -> Iterator[Loss]:
    given_up = os.path.join(folder, GIVEN_UP)
    with suppress(FileNotFoundError):
        count = os.path.getsize(given_up)
        os.unlink(given_up)
        yield Loss(time.time(), "spool", "", 0, f"the spool was full; events given up: {count}")
    for name in list_events(folder):
        path = os.path.join(folder, name)
        try:
            kept = _read(path)
        except (OSError, ValueError, TypeError) as error:
            yield Loss(time.time(), "spool", "", 0, f"an event can't be read: {error}")
        else:
            try:
                _carry_out(kept, find)
            except MemoryOffError:
                pass  # nothing may be learned there
            except EngrainError as error:
                if kept.at > time.time() - _KEPT:
                    continue  # its vault may come back
                yield Loss(kept.at, kept.event, kept.host, 0, error.message)
        with suppress(FileNotFoundError):
            os.unlink(path)
    for entry in os.scandir(folder):
        if not entry.name.endswith(ENDING):
            with suppress(FileNotFoundError):
                if entry.stat(follow_symlinks=False).st_mtime < time.time() - _UNFINISHED:
                    os.unlink(entry.path)


def _read(path: str) -> _SpooledHook:
    """Read an event. Raises OSError, and ValueError or TypeError for a file that is none."""
    check_own(path, stat.S_ISREG)
    with open(path, encoding="utf-8") as file:  # noqa: PTH123
        kept = _SpooledHook(**json.loads(file.read(LONGEST + 1)))
    if kept.event not in HANDLERS or not isinstance(kept.payload, dict):
        raise ValueError(f"no event {str(kept.event)[:60]!r}")
    return kept


def _carry_out(kept: _SpooledHook, find: Find) -> None:
    """Do for an event what its hook would have done, unless it is done already. Raises
    EngrainError."""
    occasion = Occasion(kept.payload)
    try:
        memory, project = find(occasion.cwd or kept.cwd, kept.environ)
    except RemoteMemoryError as afar:
        memory, project = afar.learner()
    call = HookCall(
        kept.event,
        kept.host,
        occasion,
        memory,
        deadline=time.monotonic() + _PATIENCE,
        at=kept.at,
        project=project,
        phase=kept.environ.get("ENGRAIN_PHASE", ""),
    )
    journal, session = memory.journal, occasion.session
    mark = ASKED if kept.event == PROMPT else kept.event
    if any((event.name, event.at) == (mark, kept.at) for event in journal.read(session)):
        return
    if kept.event == PROMPT:
        asked = cut_prompt(call)
        note_recalled(journal, session, kept.at, [], asked=asked, unanswered=True)
    else:
        HANDLERS[kept.event](call)
