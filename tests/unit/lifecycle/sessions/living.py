"""A memory that lives through sessions: they end when told, on a clock that is set by hand."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.store import Store
from engrain.lifecycle.sessions.folding import fold_pending
from engrain.lifecycle.sessions.sessions import (
    END,
    mark_session,
    note_recalled,
    note_used,
    start_session,
)
from engrain.model.note.entry import Entry

DAY = 86_400.0


def isolate(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No setting, home or repository of whoever runs the tests can be seen from here on."""
    for name in list(os.environ):
        if name.startswith("ENGRAIN_") and name != "ENGRAIN_EMBEDDER":
            monkeypatch.delenv(name)
    monkeypatch.setenv("ENGRAIN_CONFIG", str(folder / "no-config.toml"))
    monkeypatch.setenv("HOME", str(folder))
    elsewhere = folder / "elsewhere"
    elsewhere.mkdir(exist_ok=True)
    monkeypatch.chdir(elsewhere)


def store_of(memory: Memory) -> Store:
    """The store under a memory, its index at hand."""
    return memory._ready()


def with_settings(store: Store, settings: Mapping[str, str]) -> Store:
    """The same store, as if these were set."""
    return replace(store, settings={**store.settings, **settings})


def leave_recalls(
    memory: Memory,
    session: str,
    ids: Sequence[str],
    *,
    again: Sequence[str] = (),
    used: Sequence[str] = (),
    project: str = "",
) -> None:
    """A session that has begun, recalled and used something, and has not ended."""
    store = store_of(memory)
    start_session(
        store.device.journal, session, store.clock.now(), source="startup", project=project
    )
    note_recalled(store.device.journal, session, store.clock.now(), ids, again, project=project)
    note_used(store.device.journal, session, store.clock.now(), used)


def live_through(
    memory: Memory, session: str, ids: Sequence[str] = (), *, project: str = ""
) -> None:
    """A whole session, folded."""
    leave_recalls(memory, session, ids, project=project)
    store = store_of(memory)
    mark_session(store.device.journal, session, store.clock.now(), END)
    fold_pending(store)


def entry_of(memory: Memory, id_: str) -> Entry:
    return memory.show(id_).entry


def folds(memory: Memory) -> list[tuple[str, str]]:
    """Of every `fold` record the entries and the reason, the oldest first."""
    changes = [change for change in memory.history() if change.op == "fold"]
    return [(change.entry, change.reason) for change in changes[::-1]]
