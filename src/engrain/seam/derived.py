"""The ports to derived data, which can be rebuilt from the store (S1.3): its maintenance, and the
vector index, which is keyed by model and by what was embedded.

A *key* is the 16-byte hash of the text that was embedded, so that a rebuilt text index, a moved
entry or two equal texts need no new vector. Vectors are as `model.note.vectors` packs them. Those
of several models stand side by side and are never compared with each other.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from engrain.model.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Sequence
    from typing import TypeAlias

    from engrain.seam.locator import Locator
    from engrain.seam.search import Batch

Progress: TypeAlias = "Callable[[int, int | None], None]"
"""Called with how many are done and, where known, how many there are."""


class MaintenanceReport(Struct):
    """What a pass of maintenance did: entries read anew, dropped, unreadable."""

    seen: int = 0
    changed: int = 0
    dropped: int = 0
    problems: int = 0


class DerivedMaintenance(ABC):
    """Keeps one kind of derived data in step with the store."""

    @abstractmethod
    def rebuild(self, progress: Progress | None = None) -> MaintenanceReport:
        """Make it anew from the store alone."""

    @abstractmethod
    def drain(self) -> MaintenanceReport:
        """Take in the recorded changes that it has not seen yet; cheap when there are none."""

    @abstractmethod
    def scan(self, progress: Progress | None = None) -> MaintenanceReport:
        """Look at everything in the store, so that edits by other programs are taken in."""

    @abstractmethod
    def verify(self) -> list[str]:
        """Compare it with the store, byte for byte; what differs, in words."""


class Readers(ABC):
    """Other processes that read and parse notes of one store for the index while this one writes.
    They answer in the order in which they were asked, and end with the process that started
    them."""

    count: int
    """How many there are."""

    @abstractmethod
    def ask(self, places: Sequence[Locator]) -> None:
        """Have some places read."""

    @abstractmethod
    def take(self) -> Batch | None:
        """What was found at the places that were asked for first and not taken yet, once it is
        there; None where it can't be had, so that the caller reads them."""

    @abstractmethod
    def close(self) -> None:
        """End the processes."""


KEY_BYTES = 16


class VectorIndex(ABC):
    """Vectors of one store on one device. It may be deleted at any moment, and costs only time.
    Methods raise IndexUnavailableError when it can't answer; the caller does without and says
    so."""

    @abstractmethod
    def check(self) -> str | None:
        """Why it can't answer (no extension, corrupt, …), None when it can. Never raises. A missing
        file is no reason: it is made, empty."""

    @abstractmethod
    def models(self) -> dict[str, int]:
        """Dimensions of each model that has had vectors here."""

    @abstractmethod
    def count(self, model: str) -> int:
        """How many vectors of `model` there are."""

    @abstractmethod
    def missing(self, model: str, keys: Iterable[bytes]) -> list[bytes]:
        """Those of `keys` that have no vector of `model`, each once, in the order given."""

    @abstractmethod
    def add(self, model: str, size: int, vectors: Sequence[tuple[bytes, bytes]]) -> None:
        """Keep (key, vector) pairs in one transaction; a key that has one already keeps it. Raises
        EmbeddingError, with nothing of the batch kept, for a vector that is not of `size`
        dimensions and length 1, or when `model` has had vectors of another size."""

    @abstractmethod
    def nearest(self, model: str, vector: bytes, limit: int) -> list[tuple[bytes, float]]:
        """The vectors of `model` nearest to `vector`, as (key, cosine), best first, ties by key.
        Among many vectors a near one may be left out, see the implementation; the cosines are
        exact. Empty for a model that has none. Raises EmbeddingError for another size."""

    @abstractmethod
    def similarities(self, model: str, vector: bytes, keys: Iterable[bytes]) -> dict[bytes, float]:
        """The exact cosine of each of `keys` that has a vector of `model`. Raises EmbeddingError
        for a vector of another size."""

    @abstractmethod
    def background(self, model: str, vector: bytes) -> tuple[float, float]:
        """Mean and standard deviation of the cosines of `vector` with vectors of `model` picked
        without regard to it: what nearness is measured against."""

    @abstractmethod
    def keep_only(self, model: str, keys: Iterable[bytes]) -> int:
        """Drop the vectors of `model` whose keys are not among `keys`; how many were dropped."""

    @abstractmethod
    def drop(self, model: str) -> None:
        """Drop the model and all its vectors."""

    @abstractmethod
    def purge(self, keys: Iterable[bytes]) -> None:
        """Drop the vectors of every model whose keys are not among `keys`, with nothing of them
        left in any file. Where that can't be done all vectors go. Raises IndexUnavailableError
        where not even they can."""

    @abstractmethod
    def close(self) -> None:
        """Give back what is held open."""
