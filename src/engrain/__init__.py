"""Engrain: durable memory for AI agents over plain markdown.

    from engrain import open_memory

    with open_memory("~/memory", create=True) as memory:
        memory.save("Rebase before you push: CI refuses merge commits.", kind="workflow")
        print([found.text for found in memory.recall("merge commits").results])

Names are loaded on first use, so that a cold process pays only for what it needs. docs/glossary.md
explains the words that are Engrain's own.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from engrain.api.async_memory import AsyncMemory
    from engrain.api.memory import Memory
    from engrain.engine.core.scope import Scope
    from engrain.model.errors import (
        ConflictError,
        EngrainError,
        MalformedError,
        NotFoundError,
        UsageError,
        VaultUnavailableError,
    )
    from engrain.model.note.entry import Entry
    from engrain.wiring import open_async_memory, open_memory

__version__ = "0.1.0"

__all__ = [
    "AsyncMemory",
    "ConflictError",
    "EngrainError",
    "Entry",
    "MalformedError",
    "Memory",
    "NotFoundError",
    "Scope",
    "UsageError",
    "VaultUnavailableError",
    "open_async_memory",
    "open_memory",
]

_HOMES = {
    "AsyncMemory": "engrain.api.async_memory",
    "Memory": "engrain.api.memory",
    "Scope": "engrain.engine.core.scope",
    "Entry": "engrain.model.note.entry",
    "open_async_memory": "engrain.wiring",
    "open_memory": "engrain.wiring",
}


if not TYPE_CHECKING:  # A type checker would take any name for one that is there.

    def __getattr__(name: str) -> object:
        if name not in __all__:
            raise AttributeError(f"module 'engrain' has no attribute {name!r}")
        value: object = getattr(import_module(_HOMES.get(name, "engrain.model.errors")), name)
        globals()[name] = value
        return value
