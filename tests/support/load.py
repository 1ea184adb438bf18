"""Devices that write all the time, while something happens to their server."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager

from contracts.storage_backend import assert_sound, put
from engrain.model.errors import ConflictError, EngrainError
from engrain.seam.locator import Locator
from engrain.seam.storage import StorageBackend


class Load:
    """What was acknowledged to the devices."""

    def __init__(self) -> None:
        self.stop = threading.Event()
        self.acknowledged: list[Locator] = []
        self.writers: list[Future[None]] = []

    def write(self, store: StorageBackend) -> None:
        """Write one file after another. What fails is tried again under another name."""
        number = 0
        while not self.stop.is_set():
            number += 1
            place = Locator(f"{store.device}/{number}.md")
            try:
                put(store, place, b"text")
            except ConflictError:
                raise
            except EngrainError:
                continue
            self.acknowledged.append(place)

    def wait_for(self, more: int) -> None:
        """Wait until so many more files are acknowledged."""
        wanted = len(self.acknowledged) + more
        while len(self.acknowledged) < wanted:
            assert not any(writer.done() for writer in self.writers)
            time.sleep(0.01)

    def check(self, store: StorageBackend) -> None:
        """All that was acknowledged is there, and each change is whole."""
        there = {seen.locator for seen in store.scan()}
        assert set(self.acknowledged) <= there
        records = [
            record
            for device, cursor in store.heads().items()
            for record in assert_sound(store, device, int(cursor.partition(":")[0]))
        ]
        assert len(records) == len(there)


@contextmanager
def writing(stores: Sequence[StorageBackend]) -> Iterator[Load]:
    """Each of the devices writes until the block ends."""
    load = Load()
    with ThreadPoolExecutor(len(stores)) as pool:
        load.writers += [pool.submit(load.write, store) for store in stores]
        try:
            yield load
        finally:
            load.stop.set()
        for writer in load.writers:
            writer.result(120)
