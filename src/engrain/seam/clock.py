"""Time and chance, injected, so that years can be simulated and every test repeats."""

from __future__ import annotations

from abc import ABC, abstractmethod


class Clock(ABC):
    """Where the time comes from."""

    @abstractmethod
    def now(self) -> float:
        """Seconds since the epoch."""


class Entropy(ABC):
    """Where random bytes come from."""

    @abstractmethod
    def draw(self, size: int) -> bytes:
        """`size` random bytes."""
