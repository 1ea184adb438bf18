"""The ports to an embedder, which turns texts into vectors that lie close if the texts mean alike,
and to a reranker, which judges the few passages that ranking put first (S1.18).

A *link* is a place in the chain of embedders: api, local, static, stub. A *model* is a name that
changes whenever vectors would no longer be comparable; it is kept with every vector, and only
vectors of one model are ever compared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import TypeAlias

Progress: TypeAlias = "Callable[[int, int | None], None]"
"""Called with how many are done and, where known, how many there are."""


class Embedder(ABC):
    """One opened link. Methods may be called from several threads."""

    link: str
    """Its name in the chain: api, local, static or stub."""
    model: str
    """What its vectors are comparable under, such as `all-MiniLM-L6-v2-onnx-int8@8199be6f`."""
    size: int
    """Dimensions of its vectors."""
    cheap: bool
    """Whether a cold process gets a vector within milliseconds."""
    answers = True
    """Whether its cosines suffice to answer a prompt that shares no word with an entry."""

    @abstractmethod
    def embed(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        """One vector a text, in order: `size` little-endian float32 numbers of length 1.

        Any text will do, the empty one included; of a long one the beginning counts. `deadline`
        is the moment of `time.monotonic` after which the answer is of no use. Raises
        EmbeddingError, also when the deadline has passed, and then gives no vector at all.
        """


class Link(ABC):
    """A link of the chain before it is opened: nothing heavy is loaded to ask about it."""

    name: str
    """api, local, static or stub."""

    @abstractmethod
    def missing(self) -> str | None:
        """Why it can't be used on this device, in one line; None when it can be tried. Cheap: it
        looks whether packages and files are there, not what is in them."""

    @abstractmethod
    def open(self) -> Embedder:
        """The embedder, the same at each call. Raises EmbeddingError where it can't be had."""


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
