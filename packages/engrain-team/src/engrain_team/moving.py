"""Moves a store, with every file and its whole history, to another kind of store.

A move compares byte for byte in two passes: the first copies what differs, so that a repeated copy
goes on where it stopped, and the second only compares. At every moment at most one store lets
writers in: the old one closes for good before the new one opens. A move that was cut off between
the two is completed by repeating it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import zip_longest

from engrain.model.errors import (
    ConflictError,
    EngrainError,
    ForbiddenPathError,
    MalformedError,
    NotFoundError,
    StorageError,
)
from engrain.model.history.record import decode_record
from engrain.model.note.note import hash_bytes
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator, is_part, make_locator
from engrain.seam.storage import ChainLink, StorageBackend, Stored, split_pages

_BATCH_BYTES = 4 * 1024 * 1024
_BATCH = 1000


@dataclass(slots=True)
class Copied:
    """The numbers of files and changes, the number of both that were copied now, and the places
    `left_out` with the reason. `others` counts files that are no notes."""

    files: int = 0
    others: int = 0
    changes: int = 0
    copied: int = 0
    left_out: dict[str, str] = field(default_factory=dict)


def copy_store(
    source: StorageBackend, target: StorageBackend, progress: Progress | None = None
) -> Copied:
    """Copy a store into another that was made to take its place, and compare both. Raises
    ConflictError where the target has a history of its own, or where the source changed meanwhile;
    StorageError."""
    if source.vault != target.vault:
        raise ConflictError(
            f"{target.describe()} is another vault, {target.vault}; this one is {source.vault}",
            remedy="name a place where nothing is yet",
        )
    copying = _Copying(source, target, progress)
    for device in sorted(source.heads()):
        copying.copy_chain(device)
    if unknown := target.heads().keys() - source.heads().keys():
        raise ConflictError(f"{target.describe()} has changes of its own, by {min(unknown)}")
    copying.copy_files()
    copying.copy_others()
    return copying.done


def move_store(
    source: StorageBackend, target: StorageBackend, to: str, progress: Progress | None = None
) -> Copied:
    """Keep writers out of a store, copy the rest, compare, and let the target take its place; the
    old store refers to it as `to`. Raises StorageError where both differ; then the old one stays in
    use."""
    with source.hand_over(to):
        copied = copy_store(source, target, progress)
        if difference := next(compare_stores(source, target, progress), None):
            raise StorageError(
                f"the copy is not the vault: {difference}", remedy="nothing was moved; try again"
            )
    target.begin_use()
    return copied


@dataclass(slots=True, eq=False)
class _Copying:
    """A copy in progress, and the places that it has seen in the history."""

    source: StorageBackend
    target: StorageBackend
    progress: Progress | None
    done: Copied = field(default_factory=Copied, init=False)
    places: set[Locator] = field(default_factory=set, init=False)

    def tell(self) -> None:
        if self.progress:
            self.progress(self.done.changes + self.done.files + self.done.others, None)

    def learn(self, place: str) -> None:
        """Note a place, unless a folder can't have it: what a record names may be anything."""
        try:
            self.places.add(make_locator(place))
        except ForbiddenPathError as error:
            self.done.left_out[place] = error.message

    def copy_chain(self, device: str) -> None:
        batch: list[tuple[int, bytes, bytes]] = []
        size = 0
        for link, copy in zip_longest(self.source.chain(device), self.target.chain(device)):
            if link is None or (copy is not None and copy.line != link.line):
                raise ConflictError(f"{self.target.describe()} has changes of its own, by {device}")
            record = decode_record(link.line, link.payload, with_bytes=False)
            for file in record.files or ():
                self.learn(file.path)
            self.done.changes += 1
            self.tell()
            # Changes of one flush stay together, so that a folder cuts its history alike.
            if (size > _BATCH_BYTES or len(batch) >= _BATCH) and not record.together:
                self.target.adopt_links(device, batch)
                batch, size = [], 0
            if copy is None or copy.payload != link.payload:
                batch.append((record.n, link.line, link.payload))
                size += len(link.line) + len(link.payload)
                self.done.copied += 1
        if batch:
            self.target.adopt_links(device, batch)

    def copy_files(self) -> None:
        done = self.done
        for seen in self.source.scan():
            if seen.problem is None:
                self.learn(seen.locator)
            else:
                done.left_out[seen.locator] = seen.problem
        self.places |= {seen.locator for seen in self.target.scan()}
        batch: dict[Locator, bytes | None] = {}
        size = 0
        known = sorted(self.places - done.left_out.keys())
        for place, raw, copy in _read_both(self.source, self.target, known, done.left_out):
            done.files += raw is not None
            if raw != copy:
                batch[place] = raw
                size += len(raw or b"")
                done.copied += 1
            if len(batch) >= _BATCH or size > _BATCH_BYTES:
                self.target.adopt_files(batch)
                batch, size = {}, 0
            self.tell()
        if batch:
            self.target.adopt_files(batch)

    def copy_others(self) -> None:
        """Copy images and other files that are no notes, one by one: they may be large. Files in
        the history, such as generated ones, are copied already."""
        done = self.done
        for place in sorted({*self.source.others(), *self.target.others()} - self.places):
            try:
                raw = _read_other(self.source, place)
            except EngrainError as error:
                done.left_out[place] = error.message
                continue
            done.others += raw is not None
            if raw != _read_other(self.target, place):
                self.target.adopt_others({place: raw})
                done.copied += 1
            self.tell()


def compare_stores(
    source: StorageBackend, target: StorageBackend, progress: Progress | None = None
) -> Iterator[str]:
    """Yield every difference between two stores as a sentence: in files, and in chains hash by
    hash. Files that can't be read in the source are passed over."""
    for device in sorted(source.heads().keys() | target.heads().keys()):
        for n, pair in enumerate(zip_longest(source.chain(device), target.chain(device)), 1):
            if _digest(pair[0]) != _digest(pair[1]):
                yield f"change {n} of {device} differs"
                break
    seen = [*source.scan(), *target.scan()]
    unread = {one.locator for one in seen if one.problem is not None or not _is_place(one.locator)}
    places = sorted({one.locator for one in seen} - unread)
    for number, (place, raw, copy) in enumerate(_read_both(source, target, places, {})):
        if raw != copy:
            yield f"{place} differs"
        if progress:
            progress(number, len(places))
    for place in filter(_is_place, sorted({*source.others(), *target.others()})):
        try:
            if _read_other(source, place) != _read_other(target, place):
                yield f"{place} differs"
        except MalformedError:
            continue


def _is_place(place: str) -> bool:
    return all(map(is_part, place.split("/")))


def _digest(link: ChainLink | None) -> tuple[str, str] | None:
    return None if link is None else (hash_bytes(link.line), hash_bytes(link.payload))


def _read_both(
    source: StorageBackend,
    target: StorageBackend,
    places: Sequence[Locator],
    left_out: dict[str, str],
) -> Iterator[tuple[Locator, bytes | None, bytes | None]]:
    """Yield each place with its bytes in both stores, None for no file. Places that can't be read
    in the source are added to `left_out`."""
    for page in split_pages(places, _BATCH):
        pairs = zip(source.read_all(page), target.read_all(page), strict=True)
        for (place, one), (_, other) in pairs:
            try:
                raw = _bytes_of(one)
            except EngrainError as error:
                left_out[place] = error.message
                continue
            yield place, raw, _bytes_of(other)


def _bytes_of(found: Stored | EngrainError) -> bytes | None:
    if isinstance(found, NotFoundError):
        return None
    if isinstance(found, EngrainError):
        raise found
    return found.raw


def _read_other(store: StorageBackend, place: Locator) -> bytes | None:
    try:
        return store.read_other(place)
    except NotFoundError:
        return _bytes_of(next(found for _, found in store.read_all([place])))
