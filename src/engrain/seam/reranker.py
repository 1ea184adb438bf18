"""The reranker port: a slower second look at the few passages that ranking put first (S1.18).

A cross-encoder reads query and passage together. None comes with the package; whoever has one
gives it to `open_memory`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence


class Reranker(ABC):
    """A judge of passages. Methods may be called from several threads."""

    name: str
    """What it is called in explanations."""

    @abstractmethod
    def judge(
        self, query: str, passages: Sequence[str], *, deadline: float | None = None
    ) -> list[float]:
        """For each passage, in order, how well it answers `query`, from 0 to 1. `deadline` is the
        moment of `time.monotonic` after which the answer is of no use. Raises EmbeddingError where
        it can't judge; the ranking then stands as it was."""
