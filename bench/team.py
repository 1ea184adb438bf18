"""Many clients of one server at once, and a server with ever more namespaces.

200 clients save in one namespace, each with a connection of its own, all at once; what was
acknowledged is looked for afterwards. The floor is so many plain clients that send the same rows
in bare transactions (`bench.postgres`), before or behind it in the same run.

Namespaces of 1,000 notes each are filled by SQL, in a database for each number of them; then the
databases take turns, each time in another namespace.
"""

from __future__ import annotations

import multiprocessing
import os
import random
import statistics
import sys
import threading
from functools import partial
from pathlib import Path
from time import monotonic

from bench.measure import percentile, timed
from bench.postgres import TABLES, Floor, make_change
from engrain.model.errors import ConflictError
from engrain.model.note.note import hash_bytes
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.locator import Locator
from engrain.seam.storage import BackendRequest, StorageBackend

CLIENTS, PROCESSES, EACH = 200, 4, 10
NOTES, READS, ROUNDS = 1000, 5, 300
ROWS = (
    ("clients at once", "{clients}"),
    ("changes acknowledged / of these stored", "{acknowledged} / {stored}"),
    ("deadlocks", "{deadlocks}"),
    ("changes per second", "{rate}"),
    ("commit, p50 / p95", "{p50_ms} / {p95_ms} ms"),
    ("… the same rows in bare transactions", "{floor_p50_ms} / {floor_p95_ms} ms"),
    ("… **ratio** of the p95", "**{ratio}**"),
    ("namespaces of 1,000 notes", "{namespaces}"),
    ("commit of a note, p50 by number of namespaces", "{commit_ms} ms"),
    ("read of a note, p50", "{read_ms} ms"),
    ("heads of the chains, p50", "{heads_ms} ms"),
    ("list of the 1,000 places, p50", "{places_ms} ms"),
    ("opening, p50", "{open_ms} ms"),
    ("… **ratio** of most to fewest (goal 1.3), each in this order", "**{growth}**"),
)
_FILL = """
INSERT INTO engrain.namespaces SELECT 'n' || i, 'vault' || i, NULL, now()
  FROM generate_series(1, {count}) i;
INSERT INTO engrain.members SELECT 'n' || i, '{owner}', 'admin', 'operator'
  FROM generate_series(1, {count}) i;
INSERT INTO engrain.files
  SELECT 'n' || i, 'Memory/fix/' || j || '.md', sha256(t.raw), t.raw
  FROM generate_series(1, {count}) i, generate_series(1, {notes}) j,
    LATERAL (SELECT convert_to(repeat(md5(i || ' ' || j), 12), 'UTF8') raw) t;
INSERT INTO engrain.links
  SELECT 'n' || i, 'filler', j, sha256(convert_to(i || ' ' || j, 'UTF8')),
    convert_to(repeat(md5(i || ' ' || j), 10), 'UTF8'),
    convert_to(repeat(md5(j || ' ' || i), 12), 'UTF8'), '{owner}', true, now()
  FROM generate_series(1, {count}) i, generate_series(1, {notes}) j;
INSERT INTO engrain.heads
  SELECT 'n' || i, 'filler', {notes}, sha256(convert_to(i || ' ' || {notes}, 'UTF8'))
  FROM generate_series(1, {count}) i;
"""


def run(sizes: list[int], folder: Path, _: str | None = None) -> list[dict[str, object]]:
    """The figures; `sizes` are the numbers of namespaces."""
    root = Path(__file__).parent.parent
    sys.path[:0] = [str(root / "tests"), str(root / "packages" / "engrain-team" / "tests")]
    from team.servers import OWNER, start_server

    server = start_server(max_connections=str(CLIENTS + 20), shared_buffers="512MB",
                          max_wal_size="4GB")  # fmt: skip
    server.make_template()
    database = server.make_database()
    server.run(database, TABLES, f"GRANT ALL ON bare_files, bare_links TO {OWNER}")
    address = server.address(database, OWNER, "bench")
    _open(address, "first", create=True).close()
    floor = _run_clients(_plain_client, str(server.folder), database, OWNER)
    ours = _run_clients(_client, address)
    store = _open(address, "last")
    stored = {(str(place), stamp) for place, stamp in store._places()}  # type: ignore[attr-defined]
    there = sum((place, digest) in stored for place, digest in ours[1])
    shared = int(store.read(Locator("shared.md")).raw)
    with server.connect(database) as connection:
        deadlocks = connection.execute(
            "SELECT sum(deadlocks)::int FROM pg_stat_database"
        ).fetchone()
    store.close()
    figures: dict[str, object] = {
        "clients": CLIENTS, "acknowledged": len(ours[1]) + CLIENTS, "stored": there + shared,
        "deadlocks": deadlocks and deadlocks[0], "rate": round(len(ours[0]) / ours[2]),
        "p50_ms": _ms(statistics.median(ours[0])), "p95_ms": _ms(percentile(ours[0], 0.95)),
        "floor_p50_ms": _ms(statistics.median(floor[0])),
        "floor_p95_ms": _ms(percentile(floor[0], 0.95)),
        "ratio": round(percentile(ours[0], 0.95) / percentile(floor[0], 0.95), 2),
    }  # fmt: skip
    addresses = {}
    for count in sizes:
        database = server.make_database()
        server.run(database, *_FILL.format(count=count, notes=NOTES, owner=OWNER).split(";"))
        server.run(database, "VACUUM ANALYZE", "CHECKPOINT")
        addresses[count] = server.address(database, OWNER, "n")
    return [{"entries": NOTES, **figures, **_measure_growth(addresses)}]


def _run_clients(client, *where: str) -> tuple[list[float], list[tuple[str, str]], float]:  # type: ignore[no-untyped-def]
    """How long each change took, what was acknowledged (places with hashes), and the whole time."""
    context = multiprocessing.get_context("spawn")
    start = context.Barrier(CLIENTS + 1)
    results = context.Queue()
    numbers = [list(range(CLIENTS))[part::PROCESSES] for part in range(PROCESSES)]
    processes = [
        context.Process(target=_run_threads, args=(client, part, start, results, where))
        for part in numbers
    ]
    for process in processes:
        process.start()
    start.wait()
    began = monotonic()
    start.wait()
    took = monotonic() - began
    found = [results.get() for _ in range(CLIENTS)]
    for process in processes:
        process.join()
    if errors := [one for one in found if isinstance(one, str)]:
        raise RuntimeError(errors[0])
    return [t for one in found for t in one[0]], [a for one in found for a in one[1]], took


def _run_threads(client, numbers, start, results, where) -> None:  # type: ignore[no-untyped-def]
    def one(number: int) -> None:
        try:
            results.put(client(number, start, *where))
        except Exception as error:
            start.abort()
            results.put(f"client {number}: {error!r}")

    threads = [threading.Thread(target=one, args=(number,)) for number in numbers]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def _client(number: int, start, address: str):  # type: ignore[no-untyped-def]
    """Saves notes of its own, and when all have, counts up the one that they share."""
    store = _open(address, f"d{number}")
    # A new session plans what it runs at its first change, which is not measured here.
    store.commit(make_change(f"Memory/fix/{number}.md", b"warm"))
    start.wait()
    took, acknowledged = [], []
    for n in range(EACH):
        raw = os.urandom(250).hex().encode()
        change = make_change(f"Memory/fix/{number}-{n}.md", raw)
        took.append(timed(partial(store.commit, change)))
        acknowledged.append((str(change.writes[0].locator), hash_bytes(raw)))
    start.wait()
    _count_up(store)
    store.close()
    return took, acknowledged


def _count_up(store: StorageBackend) -> None:
    place = Locator("shared.md")
    while True:
        found = next(stored for _, stored in store.read_all([place]))
        before = None if isinstance(found, Exception) else found
        raw = str(int(before.raw) + 1 if before else 1).encode()
        write = Write(place, raw, "shared", before.hash if before else None)
        try:
            store.commit(ChangeSet("edit", [write], at=1e9, trust="agent"))
            return
        except ConflictError:
            continue


def _plain_client(number: int, start, host: str, database: str, role: str):  # type: ignore[no-untyped-def]
    import psycopg

    with psycopg.connect(host=host, dbname=database, user=role, autocommit=True) as connection:
        floor = Floor(connection, f"d{number}")
        floor.commit(f"Memory/fix/{number}.md", b"warm")
        start.wait()
        took = []
        for n in range(EACH):
            raw = os.urandom(250).hex().encode()
            took.append(timed(partial(floor.commit, f"Memory/fix/{number}-{n}.md", raw)))
        start.wait()
    return took, []


def _measure_growth(addresses: dict[int, str]) -> dict[str, object]:
    """The medians by number of namespaces, which take turns; how much more at most of them."""
    chance = random.Random(7)
    took: dict[str, dict[int, list[float]]] = {}
    for turn in range(ROUNDS):
        for count, address in addresses.items():
            place = f"{address}{chance.randint(1, count)}"
            notes = [Locator(f"Memory/fix/{chance.randint(1, NOTES)}.md") for _ in range(READS + 1)]
            began = monotonic()
            store = _open(place, f"turn{turn}")
            seconds = {"open": monotonic() - began}
            store.read(notes.pop())  # a new session looks up the tables first
            seconds["read"] = timed(partial(list, map(store.read, notes))) / READS
            seconds["heads"] = timed(store.heads)
            seconds["places"] = timed(partial(_list_places, store))
            change = make_change(f"Memory/fix/new-{turn}.md", os.urandom(250).hex().encode())
            seconds["commit"] = timed(partial(store.commit, change))
            store.close()
            for name, one in seconds.items():
                took.setdefault(name, {}).setdefault(count, []).append(one)
    figures: dict[str, object] = {"namespaces": " / ".join(map(str, addresses))}
    ratios = []
    for name in ("commit", "read", "heads", "places", "open"):
        medians = [statistics.median(took[name][count]) for count in addresses]
        figures[f"{name}_ms"] = " / ".join(str(_ms(median)) for median in medians)
        ratios.append(str(round(medians[-1] / medians[0], 2)))
    return {**figures, "growth": ", ".join(ratios)}


def _list_places(store: StorageBackend) -> None:
    assert len(list(store.scan())) >= NOTES


def _open(address: str, device: str, *, create: bool = False) -> StorageBackend:
    from engrain_team.postgres import open_backend

    return open_backend(
        BackendRequest(address, state=None, device=device, entropy=os.urandom, create=create)
    )


def _ms(seconds: float) -> float:
    return round(seconds * 1000, 2)
