"""The console: how long each page takes, what it weighs and when it is painted, how soon the
address is there, what 5,000 requests leave, and how the graph moves."""

from __future__ import annotations

import http.client
import os
import signal
import sqlite3
import statistics
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from bench.measure import spread, timed
from bench.vault import make_vault
from engrain import Scope, open_memory
from engrain.lifecycle.sessions.sessions import note_recalled, start_session
from engrain.model.facts.fact import FactDraft

ROUNDS = 40
REQUESTS = 5000
STARTS = 20
SESSIONS, PROMPTS = 300, 12
PEOPLE = 200
SAVES = 60
NODES = 10_000
"""Entries of the graph that is dragged."""
DRAGS = 120
"""Steps of the mouse while a node is dragged."""
_FLOOR = [sys.executable, "-c", "import starlette.applications, uvicorn"]
_CHROMIUM = Path("/usr/bin/chromium")
_ARGUMENTS = ["--no-sandbox", "--disable-background-networking", "--no-first-run"]
PAGES = {
    "home": "/",
    "list": "/search",
    "search": "/search?q=what+is+known+about+the+harbour",
    "why": "/search?q=what+is+known+about+the+harbour&why=1",
    "entry": "/entry?id={id}",
    "edit": "/entry/edit?id={id}",
    "erase": "/entry/erase?id={id}",
    "timeline": "/timeline",
    "change": "/change?name={change}",
    "undo": "/undo?name={change}",
    "inbox": "/inbox",
    "contradictions": "/inbox?part=contradictions",
    "people": "/people",
    "person": "/person?name=person-7",
    "graph": "/graph",
    "around": "/graph?id={id}",
    "sessions": "/sessions",
    "session": "/session?name=session-7",
    "experience": "/experience",
    "care": "/care",
}
_STATIC = "/static/console.js"

Figures = dict[str, Any]


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
    """Figures at each size; a vault that is there, as SIZE/vault with SIZE/state, is used."""
    results = [_measure(size, folder / str(size)) for size in sizes]
    results[0]["graph"] = _measure_graph(folder / "graph") if _CHROMIUM.exists() else {}
    return results


def _measure(size: int, folder: Path) -> Figures:
    vault, state = folder / "vault", folder / "state"
    if not vault.exists():
        folder.mkdir(parents=True, exist_ok=True)
        make_vault(vault, state, size)
    known = _furnish(vault, state)
    paths = {name: path.format(**known) for name, path in PAGES.items()}
    with _serving(vault, state) as (pid, address):
        client = _Client(address)
        times = _time_pages(client, pid, paths, size)
        before = _resident(pid)
        for number in range(REQUESTS):
            client.get(list(paths.values())[number % len(paths)])
        grown = round(_resident(pid) - before, 1)
    painted: Figures = {}
    if _CHROMIUM.exists():
        with _serving(vault, state) as (_, address):
            painted = _paint(address, paths)
    starts = [timed(partial(_start, vault, state)) for _ in range(STARTS)]
    floors = [timed(partial(subprocess.run, _FLOOR, check=True)) for _ in range(STARTS)]
    return {
        "entries": size,
        **times,
        "painted": painted,
        "grown_mib": grown,
        "start_ratio": round(statistics.median(starts) / statistics.median(floors), 2),
    }


def _furnish(vault: Path, state: Path) -> dict[str, str]:
    """Give a vault what pages list: saves, proposals, people and sessions. Names for the pages."""
    with open_memory(vault, state_dir=state, backend="device-local") as memory:
        memory.scan()
        if not memory.facts.entities():
            drafts = [
                FactDraft(
                    f"Person {number}", f"Person {number} works at firm {part}.", ref=f"r{part}"
                )
                for number in range(PEOPLE)
                for part in range(3)
            ]
            memory.facts.add_all(drafts)
            saved = [
                memory.save(
                    f"See [[bench-{number // 3}]] about the harbour.", title=f"Bench {number}"
                )
                for number in range(SAVES)
            ]
            for one in saved[: SAVES // 2]:
                memory.review.propose("archive", one.id, "not recalled in 9 sessions")
            memory.link(saved[0].id, saved[1].id, "contradicts")
            ids = [one.id for one in saved]
            at = time.time() - 10 * SESSIONS
            for number in range(SESSIONS):
                name = f"session-{number}"
                start_session(memory.journal, name, at + number, source="startup", host="gemini")
                for prompt in range(PROMPTS):
                    given = ids[(number + prompt) % 50 :][:5]
                    note_recalled(memory.journal, name, at + number, given, asked="What is known?")
        row = memory.list(scope=Scope(all_projects=True, kinds=["memory"]), limit=1).rows[0]
        return {"id": row.id, "change": memory.history(row.id)[-1].change}


def _time_pages(client: _Client, pid: int, paths: dict[str, str], size: int) -> Figures:
    """Milliseconds of each page, of wall and of the server's processor, beside the floors."""
    took: dict[str, list[float]] = {name: [] for name in [*paths, "static", "sqlite"]}
    worked: dict[str, list[float]] = {name: [] for name in [*paths, "static"]}
    floor = _make_floor(size)
    every = {**paths, "static": _STATIC}
    kilobytes = {name: round(client.get(path) / 1000, 1) for name, path in every.items()}
    for number in range(ROUNDS):
        for name, path in every.items():
            before = _worked(pid)
            took[name].append(timed(partial(client.get, path)))
            worked[name].append(_worked(pid) - before)
        took["sqlite"].append(timed(partial(_ask, floor, number)))
    figures: Figures = {name: spread(seconds) for name, seconds in took.items()}
    for name in every:
        found = figures[name]
        found["cpu_ms"] = round(1000 * statistics.median(worked[name]), 1)
        found["to_static"] = round(found["p50_ms"] / figures["static"]["p50_ms"], 1)
        found["to_sqlite"] = round(found["p50_ms"] / figures["sqlite"]["p50_ms"])
        found["kB"] = kilobytes[name]
    slowest = max(paths, key=lambda name: float(figures[name]["p95_ms"]))
    return {"pages": figures, "slowest": {"name": slowest, **figures[slowest]}}


def _paint(address: str, paths: dict[str, str]) -> Figures:
    """Of each page in Chromium the milliseconds to the first paint, the median of five loads, and
    the kB of all that it loads."""
    with _browsing(address) as page:
        found = {}
        for name, path in paths.items():
            paints = []
            for _ in range(5):
                page.goto(f"{_origin(address)}/console{path}", wait_until="load")
                paints.append(page.evaluate(_FIRST_PAINT))
            found[name] = {
                "paint_ms": round(statistics.median(paints)),
                "kB": round(page.evaluate(_WEIGH) / 1000),
            }
    heaviest = max(found, key=lambda name: found[name]["kB"])
    slowest = max(found, key=lambda name: found[name]["paint_ms"])
    return {
        "pages": found,
        "heaviest": found[heaviest]["kB"],
        "slowest": found[slowest]["paint_ms"],
    }


_FIRST_PAINT = """
new Promise((done) => new PerformanceObserver((list) => {
  const found = list.getEntriesByName("first-contentful-paint");
  if (found.length) done(found[0].startTime);
}).observe({ type: "paint", buffered: true }))
"""
_WEIGH = """
["navigation", "resource"]
  .flatMap((type) => performance.getEntriesByType(type))
  .reduce((sum, one) => sum + one.encodedBodySize, 0)
"""
_COUNT_FRAMES = """
() => {
  window.frames_ = [];
  let last = performance.now();
  const count = (now) => {
    window.frames_.push(now - last);
    last = now;
    requestAnimationFrame(count);
  };
  requestAnimationFrame(count);
}
"""


def _measure_graph(folder: Path) -> Figures:
    """Milliseconds between frames while a node of a graph of `NODES` entries is dragged."""
    vault, state = folder / "vault", folder / "state"
    made = not vault.exists()
    if made:
        notes = vault / "Memory" / "active"
        notes.mkdir(parents=True)
        for number in range(NODES):
            ends = {number // 8, (number * 7919) % NODES}
            links = " ".join(f"[[node-{end}]]" for end in sorted(ends - {number}))
            (notes / f"node-{number}.md").write_text(f"# Node {number}\n\nSee {links}.\n")
    with open_memory(vault, state_dir=state, backend="device-local", create=True) as memory:
        memory.reindex()
        if made:
            memory.reindex()
        center = memory.show("node-0").entry.id
    path = f"/console/graph?id={center}&hops=6&limit={NODES}"
    with _serving(vault, state) as (_, address), _browsing(address) as page:
        began = time.perf_counter()
        page.goto(_origin(address) + path, wait_until="load")
        page.wait_for_selector("canvas.sigma-mouse")
        ready = time.perf_counter() - began
        page.wait_for_timeout(2000)
        box = page.locator(".graph.live").bounding_box()
        assert box is not None
        x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
        page.mouse.move(x, y)
        idle = _frames_of(page, lambda number: page.wait_for_timeout(16))
        page.mouse.down()
        dragged = _frames_of(page, lambda number: page.mouse.move(x + number, y + number % 40))
        page.mouse.up()
        page.mouse.move(box["x"] + 20, box["y"] + 20)
        page.mouse.down()
        panned = _frames_of(page, lambda number: page.mouse.move(box["x"] + 20 + number, y))
        page.mouse.up()
        if not page.evaluate("localStorage.getItem('engrain-places')"):
            raise RuntimeError("no node was dragged")
        nodes = page.evaluate("document.querySelector('.graph.live').dataset.nodes")
    names = ("idle", "dragged", "panned")
    return {
        "nodes": int(nodes or 0),
        "ready_s": round(ready, 1),
        **{
            name: spread([one / 1000 for one in found])
            for name, found in zip(names, (idle, dragged, panned), strict=True)
        },
    }


def _frames_of(page: Any, step: Any) -> Sequence[float]:
    """Milliseconds between the frames that are drawn during some steps."""
    page.evaluate(_COUNT_FRAMES)
    for number in range(DRAGS):
        step(number)
    found: list[float] = page.evaluate("window.frames_.splice(0)")
    return found[2:]


@contextmanager
def _browsing(address: str) -> Iterator[Any]:
    """A page of Chromium that was let in by an address."""
    from playwright.sync_api import sync_playwright

    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=_CHROMIUM, args=_ARGUMENTS)
        page = browser.new_page(viewport={"width": 1100, "height": 800})
        page.set_default_timeout(120_000)
        page.goto(address)
        yield page
        browser.close()


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"


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
        process.stdout.close()


def _resident(pid: int) -> float:
    """MiB of memory that a process has."""
    pages = int(Path(f"/proc/{pid}/statm").read_text().split()[1])
    return pages * os.sysconf("SC_PAGE_SIZE") / 2**20


def _worked(pid: int) -> float:
    """Seconds of the processor that the threads of a process have had."""
    threads = Path(f"/proc/{pid}/task").iterdir()
    return sum(int((thread / "schedstat").read_text().split()[0]) for thread in threads) / 1e9


ROWS = (
    *(
        (
            f"{name}: p50 / p95; cpu; to SQLite; to static; first paint; kB in all",
            f"{{pages[{name}][p50_ms]}} / {{pages[{name}][p95_ms]}} ms;"
            f" {{pages[{name}][cpu_ms]}} ms; {{pages[{name}][to_sqlite]}};"
            f" {{pages[{name}][to_static]}}; {{painted[pages][{name}][paint_ms]}} ms;"
            f" {{painted[pages][{name}][kB]}}",
        )
        for name in PAGES
    ),
    ("a static file, p50 / p95", "{pages[static][p50_ms]} / {pages[static][p95_ms]} ms"),
    ("one indexed SQLite query, p50", "{pages[sqlite][p50_ms]} ms"),
    ("the slowest page, p95 (goal 150 ms)", "**{slowest[p95_ms]} ms** ({slowest[name]})"),
    ("the latest first paint (goal 1,000 ms)", "**{painted[slowest]} ms**"),
    ("the heaviest page with all it loads (goal 300 kB)", "**{painted[heaviest]} kB**"),
    (
        "start to the address, **ratio** to the import of Starlette and uvicorn (goal 1.5)",
        "**{start_ratio}**",
    ),
    ("memory after 5,000 requests (goal 20 MiB)", "**{grown_mib} MiB** more"),
    (
        "graph of {graph[nodes]} entries: frames while a node is dragged, p50 / p95 (goal 33 ms)",
        "{graph[dragged][p50_ms]} / **{graph[dragged][p95_ms]}** ms",
    ),
    ("… seconds until it can be dragged", "{graph[ready_s]}"),
    ("… while all of it is", "{graph[panned][p50_ms]} / {graph[panned][p95_ms]} ms"),
    ("… while nothing is", "{graph[idle][p50_ms]} / {graph[idle][p95_ms]} ms"),
)
