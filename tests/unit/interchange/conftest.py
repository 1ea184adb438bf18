"""One memory over an empty vault, in an environment that decides nothing."""

from __future__ import annotations

from unit.lifecycle.conftest import clock, memory, vault

__all__ = ["clock", "memory", "vault"]
