"""Moves a store, with every file and its whole history, to another kind of store.

What is copied is compared byte for byte in both passes: the first copies what differs, so that a
copy that was cut off goes on where it stopped, and the second only compares.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import zip_longest

from engrain.model.errors import ConflictError, NotFoundError
from engrain.model.history.record import decode_record
from engrain.model.note.note import hash_bytes
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator
from engrain.seam.storage import ChainLink, StorageBackend

_BATCH_BYTES = 4 * 1024 * 1024
_BATCH = 1000


@dataclass(slots=True)
class Copied:
    """How many files and changes there are, how many of both were copied now, and what could not
    be: by place, why."""

    files: int = 0
    changes: int = 0
    copied: int = 0
    left_out: dict[str, str] = field(default_factory=dict)


def copy_store(
    source: StorageBackend, target: StorageBackend, progress: Progress | None = None
) -> Copied:
    """Bring a store that was made to take another's place up to the other's state, and compare
    both. Raises ConflictError where the target has a history of its own, or where the source
    changed meanwhile; StorageError."""
    if source.vault != target.vault:
        raise ConflictError(
            f"{target.describe()} is another vault, {target.vault}; this one is {source.vault}",
            remedy="name a place where nothing is yet",
        )
    done = Copied()
    places: set[Locator] = set()
    for device in sorted(source.heads()):
        _copy_chain(source, target, device, done, places, progress)
    if unknown := target.heads().keys() - source.heads().keys():
        raise ConflictError(f"{target.describe()} has changes of its own, by {min(unknown)}")
    _copy_files(source, target, done, places, progress)
    return done


def _copy_chain(
    source: StorageBackend,
    target: StorageBackend,
    device: str,
    done: Copied,
    places: set[Locator],
    progress: Progress | None,
) -> None:
    batch: list[tuple[int, bytes, bytes]] = []
    size = 0
    for link, copy in zip_longest(source.chain(device), target.chain(device)):
        if link is None or (copy is not None and copy.line != link.line):
            raise ConflictError(f"{target.describe()} has changes of its own, by {device}")
        record = decode_record(link.line, link.payload, with_bytes=False)
        places.update(Locator(file.path) for file in record.files or ())
        done.changes += 1
        if progress:
            progress(done.changes, None)
        if copy is None or copy.payload != link.payload:
            batch.append((record.n, link.line, link.payload))
            size += len(link.line) + len(link.payload)
            done.copied += 1
        if size > _BATCH_BYTES or len(batch) >= _BATCH:
            target.adopt_links(device, batch)
            batch, size = [], 0
    if batch:
        target.adopt_links(device, batch)


def _copy_files(
    source: StorageBackend,
    target: StorageBackend,
    done: Copied,
    places: set[Locator],
    progress: Progress | None,
) -> None:
    for seen in source.scan():
        if seen.problem is None:
            places.add(seen.locator)
        else:
            done.left_out[seen.locator] = seen.problem
    for other in source.others():
        done.left_out.setdefault(other, "it is no note")
    places |= {seen.locator for seen in target.scan()}
    batch: dict[Locator, bytes | None] = {}
    for place in sorted(places):
        raw = _read(source, place)
        done.files += raw is not None
        if raw != _read(target, place):
            batch[place] = raw
            done.copied += 1
        if len(batch) >= _BATCH or sum(len(one or b"") for one in batch.values()) > _BATCH_BYTES:
            target.adopt_files(batch)
            batch = {}
        if progress:
            progress(done.changes + done.files, None)
    if batch:
        target.adopt_files(batch)


def compare_stores(source: StorageBackend, target: StorageBackend) -> Iterator[str]:
    """Every difference between two stores, a sentence each: in files, and in chains hash by
    hash."""
    for device in sorted(source.heads().keys() | target.heads().keys()):
        for n, pair in enumerate(zip_longest(source.chain(device), target.chain(device)), 1):
            if _digest(pair[0]) != _digest(pair[1]):
                yield f"change {n} of {device} differs"
                break
    places = {seen.locator for store in (source, target) for seen in store.scan()}
    for place in sorted(places):
        if _read(source, place) != _read(target, place):
            yield f"{place} differs"


def _digest(link: ChainLink | None) -> tuple[str, str] | None:
    return None if link is None else (hash_bytes(link.line), hash_bytes(link.payload))


def _read(store: StorageBackend, place: Locator) -> bytes | None:
    try:
        return store.read(place).raw
    except NotFoundError:
        return None
