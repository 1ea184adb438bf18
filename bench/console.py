"""The console: how long each page takes, how soon it is there, and what 5,000 requests leave."""

from __future__ import annotations

import http.client
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from urllib.parse import urlsplit

from bench.measure import spread, timed
from bench.vault import make_vault
from engrain import Scope, open_memory

ROUNDS = 40
REQUESTS = 5000
STARTS = 10
_FLOOR = [sys.executable, "-c", "import starlette.applications, uvicorn"]
_PAGES = {
    "home": "/",
    "list": "/search",
    "search": "/search?q=what+is+known+about+the+harbour",
    "why": "/search?q=what+is+known+about+the+harbour&why=1",
    "entry": "/entry?id={id}",
    "edit": "/entry/edit?id={id}",
    "timeline": "/timeline",
    "review": "/review",
    "people": "/people",
    "graph": "/graph?id={id}",
    "sessions": "/sessions",
    "experience": "/experience",
    "care": "/care",
    "static": "/static/console.js",
}

Figures = dict[str, object]


class _Client:
    """A browser's connection that was let in."""

    def __init__(self, address: str) -> None:
        parts = urlsplit(address)
        self._connection = http.client.HTTPConnection(parts.netloc, timeout=600)
        self._connection.request("GET", f"{parts.path}?{parts.query}")
        answer = self._connection.getresponse()
        answer.read()
        self._cookie = (answer.getheader("set-cookie") or "").partition(";")[0]

    def get(self, path: str) -> int:
        """The size of a page in bytes. Raises where there is none."""
        self._connection.request("GET", f"/console{path}", headers={"Cookie": self._cookie})
        answer = self._connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise RuntimeError(f"{path} answers {answer.status}")
        return len(body)


def run(sizes: list[int], folder: Path, _: str | None = None) -> list[Figures]:
    """Figures at each size."""
    return [_measure(size, folder / str(size)) for size in sizes]


def _measure(size: int, folder: Path) -> Figures:
    vault, state = folder / "vault", folder / "state"
    folder.mkdir(parents=True)
    make_vault(vault, state, size)
    with open_memory(vault, state_dir=state, backend="device-local") as memory:
        memory.scan()
        id_ = memory.list(scope=Scope(all_projects=True), limit=1).rows[0].id
    with _serving(vault, state) as (pid, address):
        client = _Client(address)
        paths = {name: path.format(id=id_) for name, path in _PAGES.items()}
        took: dict[str, list[float]] = {name: [] for name in [*paths, "sqlite"]}
        floor = _make_floor(size)
        kilobytes = {name: round(client.get(path) / 1000, 1) for name, path in paths.items()}
        for number in range(ROUNDS):
            for name, path in paths.items():
                took[name].append(timed(partial(client.get, path)))
            took["sqlite"].append(timed(partial(_ask, floor, number)))
        before = _resident(pid)
        for number in range(REQUESTS):
            client.get(list(paths.values())[number % len(paths)])
        figures = {name: spread(seconds) for name, seconds in took.items()}
        grown = round(_resident(pid) - before, 1)
    starts = [timed(partial(_start, vault, state)) for _ in range(STARTS)]
    floors = [timed(partial(subprocess.run, _FLOOR, check=True)) for _ in range(STARTS)]
    ratio = statistics.median(starts) / statistics.median(floors)
    return {
        "entries": size,
        "pages": figures,
        "kilobytes": kilobytes,
        "grown_mib": grown,
        "start_ratio": round(ratio, 2),
    }


def _start(vault: Path, state: Path) -> None:
    """Start a console, until it says where it is."""
    with _serving(vault, state) as (pid, _):
        os.kill(pid, signal.SIGKILL)


_ASK = "SELECT title FROM entries WHERE kind = ? ORDER BY created DESC LIMIT 50"


def _ask(floor: sqlite3.Connection, kind: int) -> list[object]:
    return floor.execute(_ASK, (kind,)).fetchall()


def _make_floor(size: int) -> sqlite3.Connection:
    """A table as large as the vault, with an index that answers `_ASK`."""
    floor = sqlite3.connect(":memory:")
    floor.execute("CREATE TABLE entries (kind INTEGER, created REAL, title TEXT)")
    rows = ((number % 97, float(number), f"Entry {number}") for number in range(size))
    floor.executemany("INSERT INTO entries VALUES (?, ?, ?)", rows)
    floor.execute("CREATE INDEX by_kind ON entries (kind, created)")
    return floor


@contextmanager
def _serving(vault: Path, state: Path) -> Iterator[tuple[int, str]]:
    """(process, address) of a console."""
    places = ["--vault", str(vault), "--state-dir", str(state), "--backend", "device-local"]
    process = subprocess.Popen(
        [sys.executable, "-m", "engrain", "console", "--no-browser", "--port", "0", *places],
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdout is not None
    process.stdout.readline()
    try:
        yield process.pid, process.stdout.readline().strip()
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)


def _resident(pid: int) -> float:
    """MiB of memory that a process has."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


ROWS = (
    *(
        (f"{name}, p50 / p95", f"{{pages[{name}][p50_ms]}} / {{pages[{name}][p95_ms]}} ms")
        for name in _PAGES
    ),
    ("one indexed SQLite query, p50", "{pages[sqlite][p50_ms]} ms"),
    (
        "from the command to its address, **ratio** to the import of Starlette and uvicorn",
        "**{start_ratio}**",
    ),
    ("memory after 5,000 requests", "{grown_mib} MiB more"),
)
