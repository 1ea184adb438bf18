"""Packs a vault into one file."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain
from tarfile import BLOCKSIZE, TarInfo

from engrain.engine.core.store import Store
from engrain.seam.storage import CopiedFile


def pack_store(store: Store, beside: Mapping[str, bytes] | None = None) -> Iterator[bytes]:
    """Pack the vault's folder as it is now, and private files `beside` it, by name."""
    now = store.clock.now()
    more = [(name, 0o600, now, raw) for name, raw in (beside or {}).items()]

    def pack(files: Iterator[CopiedFile]) -> Iterator[bytes]:
        for path, mode, mtime, raw in chain(files, more):
            head = TarInfo(path)
            head.size, head.mtime, head.mode = len(raw), mtime, mode
            yield head.tobuf() + raw + bytes(-len(raw) % BLOCKSIZE)
        yield bytes(2 * BLOCKSIZE)

    return pack(store.backend.copy_files())
