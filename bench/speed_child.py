"""One warm measurement of `bench --speed`, in the environment of the engrain that is measured.

usage: speed_child.py WHAT VAULT STATE NOTES. Prints one JSON object: row -> figure.
"""

from __future__ import annotations

import ctypes
import hashlib
import json
import os
import re
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import apsw

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from bench import prose
from bench.measure import timed, write_durably
from engrain import Memory, open_memory
from engrain.model.note.entry import read_entry
from engrain.seam.locator import Locator

QUESTIONS = 200
SAVES = 200
FLUSH_EVERY = 500


def main() -> None:
    what, vault, state, notes = sys.argv[1:]
    measure: Callable[[Memory, Path], dict[str, float]] = globals()[f"measure_{what}"]
    with open_memory(vault, state_dir=state, backend="device-local", create=True) as memory:
        print(json.dumps(measure(memory, Path(notes))))


def measure_import(memory: Memory, notes: Path) -> dict[str, float]:
    """An import, and a bare pipeline before it over the same files."""
    count = sum(1 for _ in notes.rglob("*.md"))
    with tempfile.TemporaryDirectory(dir=notes.parent) as temp:
        floor = timed(partial(_run_pipeline, notes, Path(temp)))
        # Its files stay until then: ext4 gives no inode again for minutes after a file was removed,
        # and looks for others meanwhile.
        took = timed(partial(memory.import_folder, str(notes), name="bench"))
    return {
        "bulk import, notes/s": count / took,
        "… a bare pipeline, notes/s": count / floor,
        "… **ratio**": took / floor,
    }


def _run_pipeline(notes: Path, target: Path) -> None:
    """Parse, hash, index one column, log, write, and flush every 500 notes."""
    sync = ctypes.CDLL(None, use_errno=True).syncfs
    connection = apsw.Connection(str(target / "index"))
    connection.execute("PRAGMA journal_mode = wal")
    connection.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61')")
    log = os.open(target / "log", os.O_WRONLY | os.O_CREAT)
    paths = sorted(notes.rglob("*.md"))
    for start in range(0, len(paths), FLUSH_EVERY):
        with connection:
            for path in paths[start : start + FLUSH_EVERY]:
                raw = path.read_bytes()
                entry = read_entry(Locator(f"Memory/{path.name}"), raw)
                digest = hashlib.sha256(raw).hexdigest()
                os.write(log, f'{{"path": "{path.name}", "hash": "{digest}"}}\n'.encode())
                (target / path.name).write_bytes(raw)
                connection.execute("INSERT INTO t VALUES (?)", (entry.note.body,))
        if sync(log):
            raise OSError(ctypes.get_errno(), "syncfs")
    os.close(log)
    connection.close()


def measure_recall(memory: Memory, notes: Path) -> dict[str, float]:
    """Recalls without and with the scan, beside a bare full-text query over the same texts."""
    full_text = apsw.Connection("")
    full_text.execute("CREATE VIRTUAL TABLE t USING fts5(x, tokenize='porter unicode61')")
    with full_text:
        for path in notes.rglob("*.md"):
            full_text.execute("INSERT INTO t VALUES (?)", (path.read_text().split("---\n", 2)[2],))
    for question in prose.make_questions(20, seed=7):
        memory.recall(question)
    bare, without, scanned = [], [], []
    for question in prose.make_questions(QUESTIONS):
        bare.append(timed(partial(_search, full_text, question)))
        without.append(timed(partial(memory.recall, question, scan=False)))
        scanned.append(timed(partial(memory.recall, question)))
    alone, floor = statistics.median(without), statistics.median(bare)
    return {
        "warm recall without scan, ms": alone * 1000,
        "… p95, ms": sorted(without)[int(QUESTIONS * 0.95)] * 1000,
        "… a bare full-text query, ms": floor * 1000,
        "… ratio to it": alone / floor,
        "warm recall with scan, ms": statistics.median(scanned) * 1000,
    }


def _search(connection: apsw.Connection, question: str) -> list[tuple[int]]:
    words = " OR ".join(f'"{word}"' for word in re.findall(r"\w+", question))
    query = "SELECT rowid FROM t WHERE t MATCH ? ORDER BY rank LIMIT 10"
    return list(connection.execute(query, (words,)))


def measure_save(memory: Memory, notes: Path) -> dict[str, float]:
    """Saves, and bare durable writes of as many bytes in turn."""
    bare = Path(tempfile.mkdtemp(dir=notes.parent))
    saves, floors = [], []
    for number, text in enumerate(_texts(notes)):
        saves.append(timed(partial(memory.save, text, title=f"{time.time_ns()} {number}")))
        raw = text.encode() + b"x" * 300
        floors.append(timed(partial(write_durably, bare, number, raw)))
    shutil.rmtree(bare)
    return {
        "warm save, ms": statistics.median(saves) * 1000,
        "… a bare durable write, ms": statistics.median(floors) * 1000,
        "… **ratio** to it": statistics.median(saves) / statistics.median(floors),
    }


def _texts(notes: Path) -> Iterator[str]:
    """What is saved: the text of notes, each with a line of its own."""
    for path in sorted(notes.rglob("*.md"))[:SAVES]:
        yield f"{path.read_text().split('---', 2)[2]}\nSaved at {time.time_ns()}.\n"


def measure_reindex(memory: Memory, notes: Path) -> dict[str, float]:
    """A whole rebuild of the index."""
    return {"`engrain jobs reindex`, s": timed(memory.reindex)}


if __name__ == "__main__":
    main()
