"""Lets a vault folder take the place of another store, and another store that of a folder.

A folder that was handed over says so in `.engrain/moved.json`, which is looked for whenever the
folder is opened and, under the lock, before each write.
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import AbstractContextManager, contextmanager, suppress
from typing import TypeAlias

from engrain.backends import confined, segments
from engrain.backends.confined import TEMP_PREFIX, Descriptor
from engrain.model.errors import NotFoundError, StorageError
from engrain.model.history.line import count_together, is_blank
from engrain.model.note.note import BRANCH
from engrain.model.note.tiers import SYSTEM_FOLDER
from engrain.seam.locator import Locator, make_locator
from engrain.seam.storage import split_pages

Link: TypeAlias = tuple[bytes, bytes]
"""A record's line and its payload."""
_TEMP = f"{TEMP_PREFIX}adopted.tmp"
_SYNCED_TOGETHER = 16
_OPEN_TOGETHER = 100


def adopt_links(root: int, device: str, links: Sequence[tuple[int, bytes, bytes]]) -> None:
    """See `StorageBackend.adopt_links`; the caller holds the lock."""
    make_locator(device)
    if BRANCH in device:
        raise StorageError(
            f"the history of {device} is a branch, which can't be brought into a folder"
        )
    with Descriptor(confined.open_folder(root, [*segments.HISTORY, device], create=True)) as chain:
        tail = segments.find_tail(chain)
        blanked = [n for n, _, payload in links if n <= tail.n and is_blank(payload)]
        for name, places in segments.find_payloads(chain, device, blanked).items():
            segments.blank(chain, name, places)
        new: list[Link] = []
        for n, line, payload in links:
            if n <= tail.n:
                continue
            if n != tail.n + 1 + len(new):
                raise StorageError(f"change {device}-{n} does not follow the one that is here")
            new.append((line, payload))
        for links_of_segment in _split_by_segment(new, tail.size):
            tail = segments.append(chain, tail, links_of_segment)


def _split_by_segment(links: Sequence[Link], filled: int) -> Iterator[list[Link]]:
    """Yield the links for each segment; the first segment has `filled` bytes already. Links flushed
    together stay in one segment, as where they were written, so a history that goes to another
    store and comes back has the same files."""
    some: list[Link] = []
    for batch in _split_by_batch(links):
        size = sum(len(line) + len(payload) + 2 for line, payload in batch)
        if segments.is_full(filled, size, batch[0][0]):
            if some:
                yield some
            some, filled = [], 0
        some += batch
        filled += size
    if some:
        yield some


def _split_by_batch(links: Sequence[Link]) -> Iterator[list[Link]]:
    """Yield the links in the batches in which they were flushed."""
    batch: list[Link] = []
    for link in links:
        if batch and not count_together(link[0]):
            yield batch
            batch = []
        batch.append(link)
    if batch:
        yield batch


def adopt_files(root: int, files: Mapping[Locator, bytes | None]) -> None:
    """See `StorageBackend.adopt_files`; the caller holds the lock. All files are flushed when it
    returns, in several threads, since a file system flushes many files at once faster."""
    of_folders: dict[tuple[str, ...], dict[str, bytes | None]] = {}
    for place, raw in files.items():
        folders, name = confined.split_path(make_locator(place))
        of_folders.setdefault(tuple(folders), {})[name] = raw
    with ThreadPoolExecutor(_SYNCED_TOGETHER) as pool:
        for path, wanted in of_folders.items():
            kept = {name: raw for name, raw in wanted.items() if raw is not None}
            try:
                opened = confined.open_folder(root, list(path), create=bool(kept))
            except NotFoundError:
                continue  # without the folder there is no file to remove
            with Descriptor(opened) as folder:
                for name in wanted.keys() - kept.keys():
                    _remove(folder, name)
                for some in split_pages(kept.items(), _OPEN_TOGETHER):
                    _put_all(folder, some, pool)
                confined.sync(folder)


def _put_all(folder: int, files: Sequence[tuple[str, bytes]], pool: ThreadPoolExecutor) -> None:
    """Replace files, each atomically."""
    written: list[int] = []
    flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
    try:
        for number, (_, raw) in enumerate(files):
            temp = f"{_TEMP}{number}"
            _remove(folder, temp)  # left by a killed process
            written.append(os.open(temp, flags, 0o644, dir_fd=folder))
            confined.write_all(written[-1], raw)
        list(pool.map(confined.sync, written))
    finally:
        for file in written:
            os.close(file)
    for number, (name, _) in enumerate(files):
        os.rename(f"{_TEMP}{number}", name, src_dir_fd=folder, dst_dir_fd=folder)


@contextmanager
def hand_over(root: Descriptor, lock: AbstractContextManager[object], to: str) -> Iterator[None]:
    """See `StorageBackend.hand_over`."""
    with root as vault, lock:
        yield
        with Descriptor(confined.open_folder(vault, [SYSTEM_FOLDER])) as system:
            _put(system, confined.MOVED_FILE, json.dumps({"to": to}).encode() + b"\n")
            confined.sync(system)


def _put(folder: int, name: str, raw: bytes) -> None:
    """Replace a file atomically."""
    _remove(folder, _TEMP)  # left by a killed process
    confined.write_new(folder, _TEMP, raw)
    os.rename(_TEMP, name, src_dir_fd=folder, dst_dir_fd=folder)


def _remove(folder: int, name: str) -> None:
    with suppress(FileNotFoundError):
        os.unlink(name, dir_fd=folder)
