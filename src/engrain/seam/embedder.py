"""The ports to an embedder, which turns texts into vectors that lie close if the texts mean alike
(S1.18).

A *link* is a place in the chain of embedders: api, local, local-multilingual, static, stub. A
*model* is a name that changes whenever vectors would no longer be comparable; it is kept with every
vector, and only vectors of one model are ever compared.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence


class Embedder(ABC):
    """An opened link. Methods may be called from several threads."""

    link: str
    """Its name in the chain: api, local, local-multilingual, static or stub."""
    model: str
    """The name of the model, such as `all-MiniLM-L6-v2-onnx-int8@8199be6f`."""
    size: int
    """The dimensions of its vectors."""
    cheap: bool
    """Whether a cold process gets a vector within milliseconds."""
    answers = True
    """Whether its cosines are good enough to answer a prompt that shares no word with an entry."""

    @abstractmethod
    def embed(self, texts: Sequence[str], *, deadline: float | None = None) -> list[bytes]:
        """Return one vector per text, in order: `size` little-endian float32 numbers of length 1.

        Any text is allowed, even an empty one; of a long one the beginning counts. `deadline` is
        the moment of `time.monotonic` after which the answer is useless. Raises EmbeddingError,
        also when the deadline has passed; there are no partial results.
        """

    def is_ready(self) -> bool:
        """Return whether it answers without starting or loading something first."""
        return True


class EmbedderLink(ABC):
    """A link of the chain before it is opened, which loads nothing heavy."""

    name: str
    """api, local, local-multilingual, static or stub."""

    @abstractmethod
    def missing(self) -> str | None:
        """Return in one line why it can't be used on this device, None if it can be tried. It is
        cheap: it checks that packages and files exist, not what is in them."""

    @abstractmethod
    def open(self) -> Embedder:
        """Return the embedder, the same at each call. Raises EmbeddingError."""

    def begin(self) -> Embedder | None:
        """Return the embedder if it answers within milliseconds; else return None at once, and have
        it made ready meanwhile. Raises EmbeddingError if that failed lately."""
        return self.open()
