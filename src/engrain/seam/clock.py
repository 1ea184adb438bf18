"""The ports to time and chance, so that years can be simulated and tests can be repeated."""

from __future__ import annotations

from abc import ABC, abstractmethod


class Clock(ABC):
    """A source of the time."""

    @abstractmethod
    def now(self) -> float:
        """Return the seconds since the epoch."""


class Entropy(ABC):
    """A source of random bytes."""

    @abstractmethod
    def draw(self, size: int) -> bytes:
        """Return `size` random bytes."""
