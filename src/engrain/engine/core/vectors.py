"""The vector index of one store and its embedders, each opened when it is first needed."""

from __future__ import annotations

from engrain.model.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from dataclasses import KW_ONLY

    from engrain.seam.derived import VectorIndex
    from engrain.seam.embedder import Link
    from engrain.seam.search import SearchIndex
    from engrain.seam.view import Found

SHORT = 600
"""The number of characters from which a passage is embedded without its neighbours."""
_OWN = bytes(8)
_PAGE = 1000


class Vectors(Struct):
    """The vector index of a store and the chain of embedders whose vectors are in it. A process
    that needs no vectors loads neither. `named` says that the operator named the embedders of the
    chain, so that it is an error if none can run; `wanted` that there is a chain, so that new
    passages get vectors."""

    exist: Callable[[], bool]
    _open_index: Callable[[], VectorIndex]
    _make_links: Callable[[], Sequence[Link]]
    _: KW_ONLY
    named: bool = False
    wanted: bool = False
    _index: VectorIndex | None = None
    _links: Sequence[Link] | None = None

    @property
    def index(self) -> VectorIndex:
        if self._index is None:
            self._index = self._open_index()
        return self._index

    @property
    def links(self) -> Sequence[Link]:
        """The links of the chain. Raises ConfigError if the setting is invalid, or if none of the
        named embedders can run."""
        if self._links is None:
            self._links = self._make_links()
        return self._links

    def close(self) -> None:
        if self._index is not None:
            self._index.close()
            self._index = None


def own_key(key: int) -> bytes:
    """Return the key of the vector of a passage alone."""
    return key.to_bytes(8, "little", signed=True) + _OWN


def context_key(passage: Found) -> bytes:
    """Return the key of the vector of a passage with its neighbours; its own key if it is long
    enough or has no neighbours."""
    if passage.end - passage.start >= SHORT or passage.before is passage.behind is None:
        return own_key(passage.key)
    from hashlib import blake2b  # a recall without vectors does without it

    around = f"{passage.before} {passage.behind}".encode()
    digest = blake2b(around, digest_size=8).digest()
    return passage.key.to_bytes(8, "little", signed=True) + digest


def embedded_keys(index: SearchIndex) -> set[bytes]:
    """Return the keys of all vectors that the indexed passages have or may get."""
    keys: set[bytes] = set()
    before = None
    with index.view() as view:
        while numbers := view.newest_passages(before, _PAGE):
            for passage in view.details(numbers).values():
                keys.update((own_key(passage.key), context_key(passage)))
            before = numbers[-1]
    return keys
