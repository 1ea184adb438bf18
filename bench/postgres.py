"""A commit over PostgreSQL beside a bare transaction of the same rows.

The floor is a transaction that a plain client sends in one batch: a row with a record and its
payload and a row with a file, into tables of the same columns without policies or functions. Both
wait for the disk (`synchronous_commit = on`), and they take turns.
"""

from __future__ import annotations

import os
import statistics
import sys
from functools import partial
from pathlib import Path

from bench.measure import percentile, timed
from engrain.model.history.line import GENESIS
from engrain.model.history.record import encode_record
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.locator import Locator
from engrain.seam.storage import BackendRequest, StorageBackend

ROUNDS = 200
ROWS = (
    ("commit of a note of {entries} bytes, p50 / p95", "{commit_p50_ms} / {commit_p95_ms} ms"),
    ("… the same rows in a bare transaction", "{floor_p50_ms} / {floor_p95_ms} ms"),
    ("… **ratio** (goal 2)", "**{ratio}**"),
    ("read of one note, p50", "{read_p50_ms} ms"),
    ("… by its key from the bare table", "{read_floor_p50_ms} ms"),
    ("records read from a chain", "{links_per_s}/s"),
)
TABLES = """
CREATE TABLE bare_files (namespace text, place text, hash bytea, raw bytea,
  PRIMARY KEY (namespace, place));
CREATE TABLE bare_links (namespace text, device text, n bigint, hash bytea, line bytea,
  payload bytea, PRIMARY KEY (namespace, device, n));
"""


def run(sizes: list[int], folder: Path, _: str | None = None) -> list[dict[str, object]]:
    """The figures for notes of so many bytes."""
    root = Path(__file__).parent.parent
    sys.path[:0] = [str(root / "tests"), str(root / "packages" / "engrain-team" / "tests")]
    from engrain_team.postgres import open_backend  # the package may not be there
    from team.servers import OWNER, start_server

    server = start_server()
    server.make_template()
    results = []
    for size in sizes:
        database = server.make_database()
        request = BackendRequest(
            server.address(database, OWNER, "bench"),
            state=str(folder), device="laptop", entropy=os.urandom, create=True,
        )  # fmt: skip
        server.run(database, TABLES, f"GRANT ALL ON bare_files, bare_links TO {OWNER}")
        store = open_backend(request)
        with server.connect(database, OWNER) as connection:
            results.append({"entries": size, **_measure(store, Floor(connection), size)})
        store.close()
    return results


class Floor:
    """A plain client with one connection."""

    def __init__(self, connection, device: str = "laptop") -> None:  # type: ignore[no-untyped-def]
        self._connection = connection
        self._device = device
        self._n = 0

    def commit(self, place: str, raw: bytes) -> None:
        """The rows of a commit in one batch; the record is made as a store makes it."""
        self._n += 1
        record = make_change(place, raw).to_record(self._device, self._n)
        line, payload = encode_record(record, GENESIS, os.urandom(16).hex())
        digest = bytes(32)
        with self._connection.pipeline(), self._connection.transaction():
            self._connection.execute(
                "INSERT INTO bare_links VALUES (%s, %s, %s, %b, %b, %b)",
                ("bench", self._device, self._n, digest, line, payload),
            )
            self._connection.execute(
                "INSERT INTO bare_files VALUES (%s, %s, %b, %b)", ("bench", place, digest, raw)
            )

    def read(self, place: str) -> None:
        self._connection.execute(
            "SELECT raw, hash FROM bare_files WHERE namespace = %s AND place = %s",
            ("bench", place),
            binary=True,
        ).fetchall()


def make_change(place: str, raw: bytes) -> ChangeSet:
    return ChangeSet("save", [Write(Locator(place), raw, place)], at=1e9, trust="agent")


def _measure(store: StorageBackend, floor: Floor, size: int) -> dict[str, object]:
    took: dict[str, list[float]] = {"commit": [], "floor": [], "read": [], "read_floor": []}
    for number in range(ROUNDS + 10):
        place = f"Memory/fix/{number}.md"
        raw = os.urandom(size // 2).hex().encode()
        seconds = {
            "commit": timed(partial(store.commit, make_change(place, raw))),
            "floor": timed(partial(floor.commit, place, raw)),
            "read": timed(partial(store.read, Locator(place))),
            "read_floor": timed(partial(floor.read, place)),
        }
        if number >= 10:
            for name, one in seconds.items():
                took[name].append(one)
    links = timed(lambda: list(store.chain("laptop")))
    figures: dict[str, object] = {}
    for name, values in took.items():
        figures[f"{name}_p50_ms"] = round(statistics.median(values) * 1000, 2)
        figures[f"{name}_p95_ms"] = round(percentile(values, 0.95) * 1000, 2)
    ratio = statistics.median(took["commit"]) / statistics.median(took["floor"])
    return {**figures, "ratio": round(ratio, 2), "links_per_s": round((ROUNDS + 10) / links)}
