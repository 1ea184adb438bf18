"""The ports to time and chance, so that years can be simulated and tests can be repeated."""

from __future__ import annotations

from typing import Protocol


class Clock(Protocol):
    """A source of the time."""

    def now(self) -> float:
        """Return the seconds since the epoch."""


class Entropy(Protocol):
    """A source of random bytes."""

    def draw(self, size: int) -> bytes:
        """Return `size` random bytes."""
