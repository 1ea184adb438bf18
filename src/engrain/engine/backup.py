"""`backup`: the whole vault with its history as one file."""

from __future__ import annotations

from collections.abc import Iterator
from tarfile import BLOCKSIZE, TarInfo

from engrain.engine.core.store import Store
from engrain.seam.storage import CopiedFile


def pack_store(store: Store) -> Iterator[bytes]:
    """The vault's folder as it is now, as the bytes of a tar file. Raises NotFoundError where the
    vault is no folder, LockedError, StorageError."""
    return _pack(store.backend.copy_files())


def _pack(files: Iterator[CopiedFile]) -> Iterator[bytes]:
    for path, mode, mtime, raw in files:
        head = TarInfo(path)
        head.size, head.mtime, head.mode = len(raw), mtime, mode
        yield head.tobuf() + raw + bytes(-len(raw) % BLOCKSIZE)
    yield bytes(2 * BLOCKSIZE)
