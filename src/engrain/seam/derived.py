"""The ports to derived data, which can be rebuilt from the store (S1.3): its maintenance, and the
vector index, which is keyed by model and by what was embedded.

A *key* is the 16-byte hash of the text that was embedded, so that a rebuilt text index, a moved
entry or two equal texts need no new vector. Vectors are as `model.note.vectors` packs them. Those
of several models stand side by side and are never compared with each other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Protocol, TypeAlias

if TYPE_CHECKING:
    from engrain.model.history.record import Record
    from engrain.seam.batches import Batch


Progress: TypeAlias = "Callable[[int, int | None], None]"
"""Called with the number done so far and, if known, the total."""


MAINTAINED = ("seen", "changed", "dropped", "unreadable")
"""What a scan and a rebuild count: entries, and files that can't be read."""
KEY_BYTES = 16


class VectorIndex(Protocol):
    """The vectors of one store on one device. They may be deleted at any moment, which costs only
    time. Methods raise IndexUnavailableError; the caller then does without and says so."""

    def check(self) -> str | None:
        """Return why it can't answer (no extension, corrupt, …), None if it can. Never raises. A
        missing file is no reason, since an empty one is created."""

    def verify(self) -> bool:
        """Check every vector. Return False if any was damaged; all are removed then."""

    def models(self) -> dict[str, int]:
        """Return the dimensions of each model that has had vectors here."""

    def count(self, model: str) -> int:
        """Return the number of vectors of `model`."""

    def missing(self, model: str, keys: Iterable[bytes]) -> list[bytes]:
        """Return those of `keys` without a vector of `model`, each once, in the given order."""

    def add(self, model: str, size: int, vectors: Sequence[tuple[bytes, bytes]]) -> None:
        """Store (key, vector) pairs in one transaction; a key with a vector keeps it. Raises
        EmbeddingError, and stores nothing, for a vector that is not of `size` dimensions and length
        1, or if `model` has had vectors of another size."""

    def nearest(self, model: str, vector: bytes, limit: int) -> list[tuple[bytes, float]]:
        """Return the vectors of `model` nearest to `vector`, as (key, cosine), best first, ties by
        key. Among many vectors a near one may be missed, see the implementation; the cosines are
        exact. Raises EmbeddingError for a vector of another size."""

    def similarities(self, model: str, vector: bytes, keys: Iterable[bytes]) -> dict[bytes, float]:
        """Return the exact cosine of each of `keys` that has a vector of `model`. Raises
        EmbeddingError for a vector of another size."""

    def background(self, model: str, vector: bytes) -> tuple[float, float]:
        """Return the mean and standard deviation of the cosines of `vector` with vectors of `model`
        that are chosen independently of it, against which nearness is measured."""

    def keep_only(self, model: str, keys: Iterable[bytes]) -> int:
        """Drop the vectors of `model` whose keys are not among `keys`, and return their number."""

    def drop(self, model: str) -> None:
        """Drop the model and all its vectors."""

    def purge(self, keys: Iterable[bytes]) -> None:
        """Drop the vectors of every model whose keys are not among `keys`, so that no file contains
        a trace of them. If that fails, all vectors are dropped. Raises IndexUnavailableError if
        that fails too."""

    def close(self) -> None:
        """Release all resources."""


MakeGuard: TypeAlias = "Callable[[], Guard]"


class Guard(Protocol):
    """The port by which erased entries stay out of the index: it keeps them out during
    one pass over a store."""

    def learn(self, records: Iterable[Record]) -> None:
        """Take in what recorded changes forbid, where no index exists yet."""

    def hold(self, batch: Batch) -> None:
        """Remove forbidden entries from a batch, as if their files did not exist."""

    def settle(self, progress: Progress | None = None) -> None:
        """Deal with the entries held back, and finish earlier passes. Raises what the store raises
        where it can't be written now."""
