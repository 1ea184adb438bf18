"""The keys of passages in the vector index: by what a passage says, and with its neighbours."""

from __future__ import annotations

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.seam.view import Found

SHORT = 600
"""Characters from which a passage is understood by itself."""
_OWN = bytes(8)
_PAGE = 1000


def own_key(key: int) -> bytes:
    """The vector key of a passage by itself."""
    return key.to_bytes(8, "little", signed=True) + _OWN


def context_key(passage: Found) -> bytes:
    """The vector key of a passage with its neighbours, another when one of them changes; of one
    that is long enough, or has none, its own."""
    if passage.end - passage.start >= SHORT or passage.before is passage.behind is None:
        return own_key(passage.key)
    from hashlib import blake2b  # a recall without vectors need not load it

    around = f"{passage.before} {passage.behind}".encode()
    digest = blake2b(around, digest_size=8).digest()
    return passage.key.to_bytes(8, "little", signed=True) + digest


def embedded_keys(store: Store) -> set[bytes]:
    """The keys of every vector that the passages indexed now have, or lack."""
    keys: set[bytes] = set()
    before: int | None = None
    with store.index.view() as view:
        while numbers := view.newest_passages(before, _PAGE):
            for passage in view.details(numbers).values():
                keys.update((own_key(passage.key), context_key(passage)))
            before = numbers[-1]
    return keys
