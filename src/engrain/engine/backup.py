"""`backup`: the whole vault with its history as one file."""

from __future__ import annotations

import os
from collections.abc import Iterator
from tarfile import BLOCKSIZE, TarInfo

from engrain.engine.core.store import Store


def pack_store(store: Store) -> Iterator[bytes]:
    """The vault's folder as it is now, as the bytes of a tar file. Raises NotFoundError where the
    vault is no folder, LockedError, StorageError."""
    files = store.backend.copy_files()  # before this returns: a reader is told what goes wrong
    return _pack(os.path.basename(store.backend.describe()), files)


def _pack(name: str, files: Iterator[tuple[str, int, float, bytes]]) -> Iterator[bytes]:
    for path, mode, mtime, raw in files:
        head = TarInfo(f"{name}/{path}")
        head.size, head.mtime, head.mode = len(raw), mtime, mode
        yield head.tobuf() + raw + bytes(-len(raw) % BLOCKSIZE)
    yield bytes(2 * BLOCKSIZE)
