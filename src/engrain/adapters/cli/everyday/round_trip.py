"""A live write and recall, in a throw-away vault, so that the user's own stays as it is."""

from __future__ import annotations

import os
import shutil
import tempfile
import time

from engrain.model.errors import StorageError
from engrain.wiring import open_memory


def try_round_trip(state_dir: str) -> str:
    """Save, recall and verify through every floor; what it took, in words.

    Raises EngrainError or OSError when it does not work.
    """
    # In the state folder, which nothing synchronises and this user can write.
    folder = tempfile.mkdtemp(prefix="round-trip-", dir=state_dir)
    try:
        vault, state = os.path.join(folder, "vault"), os.path.join(folder, "state")
        started = time.perf_counter()
        with open_memory(
            vault, state_dir=state, backend="device-local", create=True, keys_dir=f"{state}/keys"
        ) as memory:
            saved = memory.save("The lighthouse keeper counts the waves.", title="Round trip")
            found = memory.recall("lighthouse waves").results
            if [recalled.row.id for recalled in found] != [saved.id]:
                raise StorageError("what was saved was not recalled", path=vault)
            if any(report.wrong for report in memory.verify()):
                raise StorageError("the history of a fresh vault does not verify", path=vault)
        milliseconds = (time.perf_counter() - started) * 1000
        return f"saved, recalled and verified in {milliseconds:.0f} ms"
    finally:
        shutil.rmtree(folder, ignore_errors=True)
