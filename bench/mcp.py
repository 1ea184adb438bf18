"""The MCP server: how soon it answers, how fast it searches, and what a thousand sessions leave."""

from __future__ import annotations

import asyncio
import json
import os
import shutil
import signal
import socket
import statistics
import subprocess
import sys
import time
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import partial
from pathlib import Path

from mcp import ClientSession
from mcp.client.streamable_http import streamable_http_client
from mcp.shared._httpx_utils import create_mcp_http_client

from bench import corpus
from bench.measure import spread, time_processes, timed
from bench.vault import make_vault
from engrain import open_memory
from engrain.resolution.endpoint import find_peer, run_folder

QUESTIONS = 200
STARTS = 10
TAKEOVERS = 5
SESSIONS = 1000
AT_ONCE = 100
SETTLED_MIB = 20
"""What the server may have more than before, once the sessions are gone."""
_PATIENCE = 30.0  # seconds for the sessions to be gone
_PAUSE = 2.0

_QUESTION = "what is known about the harbour"
_ASKED = {
    "initialize": {
        "jsonrpc": "2.0",
        "id": 0,
        "method": "initialize",
        "params": {
            "protocolVersion": "2025-06-18",
            "capabilities": {},
            "clientInfo": {"name": "bench", "version": "1"},
        },
    },
    "list": {"jsonrpc": "2.0", "id": 1, "method": "tools/list"},
    "recall": {
        "jsonrpc": "2.0",
        "id": 2,
        "method": "tools/call",
        "params": {"name": "memory_recall", "arguments": {"query": _QUESTION}},
    },
}
"""What a host asks for, in this order."""
_FLOORS = {
    "pass": [sys.executable, "-c", "pass"],
    "cli": [sys.executable, "-m", "engrain", "recall", _QUESTION],
}
_ENGRAIN = (sys.executable, "-m", "engrain")


class Served:
    """A server in a process of its own."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout
        told = json.loads(process.stdout.readline())["data"]
        self.pid: int = told["pid"]
        self.url: str = told["url"]
        self.token = Path(told["token_file"]).read_text().strip()

    @asynccontextmanager
    async def connect(self) -> AsyncIterator[ClientSession]:
        """A session of the official client, dropped at the end without a word."""
        headers = {"Authorization": f"Bearer {self.token}"}
        async with (
            create_mcp_http_client(headers=headers) as client,
            streamable_http_client(
                self.url, http_client=client, terminate_on_close=False
            ) as streams,
            ClientSession(streams[0], streams[1]) as session,
        ):
            await session.initialize()
            yield session


def run(sizes: list[int], folder: Path) -> list[dict[str, object]]:
    """The figures of every size."""
    results = []
    for size in sizes:
        below = folder / f"mcp-{size}"
        shutil.rmtree(below, ignore_errors=True)
        print(f"a server of {size} entries …", file=sys.stderr)
        results.append(measure(size, below))
        shutil.rmtree(below)
    return results


def measure(size: int, folder: Path) -> dict[str, object]:
    """Every figure at one size, in a folder of its own."""
    vault, state = folder / "vault", folder / "state"
    make_vault(vault, state, size)
    environment = dict(
        os.environ, ENGRAIN_VAULT=str(vault), ENGRAIN_STATE_DIR=str(state), ENGRAIN_EMBEDDER="none"
    )
    figures: dict[str, object] = {"entries": size, "text": corpus.sentences()[0]}
    figures["start"] = _measure_starts(environment)
    figures["takeover"] = _measure_takeover(environment)
    with _serving(environment) as served:
        figures["search"] = _measure_search(served, vault, state)
        figures["sessions"] = _measure_sessions(served)
    left = sorted(path.suffix for path in Path(run_folder(str(state))).iterdir())
    figures["left"] = [suffix for suffix in left if suffix != ".token"] or "none"
    return figures


def _measure_starts(environment: dict[str, str]) -> dict[str, object]:
    """Seconds from spawn to what a host asks for first, beside processes that load what it must
    load, or that do the same at the command line."""
    http = [_time_start(partial(_list_over_http, environment)) for _ in range(STARTS)]
    fastmcp = {"floor": [sys.executable, "-c", "from fastmcp import FastMCP"]}
    alone = _time_hosts(environment)
    with _serving(environment) as served:
        asyncio.run(_search_once(served))  # It says where it is before it can answer.
        bridged = _time_hosts(environment)
    return {
        "http": _against(http, time_processes(fastmcp, STARTS, environment)["floor"]),
        "alone": alone,
        "bridged": bridged,
    }


def _time_hosts(environment: dict[str, str]) -> dict[str, object]:
    """Seconds from spawn to each answer over stdio, the first recall's last; in turn with the
    processes that they are compared with."""
    took: dict[str, list[float]] = {name: [] for name in (*_ASKED, *_FLOORS)}
    for _ in range(STARTS):
        for name, floor in time_processes(_FLOORS, 1, environment).items():
            took[name] += floor
        began = time.perf_counter()
        process = _spawn(environment, "--stdio")
        assert process.stdin and process.stdout
        for name, message in _ASKED.items():
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            assert "result" in json.loads(process.stdout.readline())
            took[name].append(time.perf_counter() - began)
        process.communicate()
    return {
        "initialize": _against(took["initialize"], took["pass"]),
        "list": _against(took["list"], took["pass"]),
        "recall": _against(took["recall"], took["cli"]),
    }


def _measure_takeover(environment: dict[str, str]) -> dict[str, float]:
    """Seconds from the death of the bridge that answers hooks until another one does."""
    took = []
    folder = Path(run_folder(environment["ENGRAIN_STATE_DIR"]))
    for _ in range(TAKEOVERS):
        hosts = []
        for _ in range(2):
            host = _spawn(environment, "--stdio", "--no-jobs")
            assert host.stdin and host.stdout
            host.stdin.write(json.dumps(_ASKED["list"]).encode() + b"\n")
            host.stdin.flush()
            host.stdout.readline()
            hosts.append(host)
            _await(folder, hosts[0].pid)
        time.sleep(_PAUSE)  # The second one waits for the place by now.
        began = time.perf_counter()
        hosts[0].kill()
        _await(folder, hosts[1].pid)
        took.append(time.perf_counter() - began)
        for host in hosts:
            host.communicate()
    return spread(took)


def _await(folder: Path, pid: int) -> None:
    """Wait until that process takes hooks."""
    deadline = time.monotonic() + _PATIENCE
    while _answering(folder) != pid:
        assert time.monotonic() < deadline
        time.sleep(0.002)


def _answering(folder: Path) -> int:
    """The process that takes hooks, 0 for none."""
    for path in folder.glob("hooks.sock"):
        with socket.socket(socket.AF_UNIX) as connection:
            if connection.connect_ex(str(path)) == 0:
                return find_peer(connection)
    return 0


def _against(took: list[float], floor: list[float]) -> dict[str, object]:
    ratio = statistics.median(took) / statistics.median(floor)
    return {**spread(took), "floor": spread(floor), "ratio": round(ratio, 2)}


def _time_start(start: Callable[[], subprocess.Popen[bytes]]) -> float:
    """Seconds until `start` has its answer; what it started is ended after that."""
    began = time.perf_counter()
    process = start()
    took = time.perf_counter() - began
    process.send_signal(signal.SIGTERM)
    process.communicate()
    return took


def _list_over_http(environment: dict[str, str]) -> subprocess.Popen[bytes]:
    from http.client import HTTPConnection

    process = _spawn(environment, "--json")
    served = Served(process)
    headers = {
        "Authorization": f"Bearer {served.token}",
        "Content-Type": "application/json",
        "Accept": "application/json, text/event-stream",
    }
    exchange = HTTPConnection(served.url.split("/")[2], timeout=30)
    exchange.request("POST", "/mcp", json.dumps(_ASKED["list"]), headers)
    assert b"memory_search" in exchange.getresponse().read()
    exchange.close()
    return process


async def _search_once(served: Served) -> None:
    async with served.connect() as session:
        await session.call_tool("memory_search", {"query": "harbour"})


def _measure_search(served: Served, vault: Path, state: Path) -> dict[str, object]:
    """A search through the client, beside the same recall with no protocol around it."""
    questions = corpus.real_questions(QUESTIONS)

    async def search() -> list[float]:
        took = []
        async with served.connect() as session:
            await session.call_tool("memory_search", {"query": "warm up"})
            for question in questions:
                began = time.perf_counter()
                answer = await session.call_tool("memory_search", {"query": question})
                took.append(time.perf_counter() - began)
                assert not answer.model_dump(by_alias=True)["isError"]
        return took

    with open_memory(vault, state_dir=state, backend="device-local") as memory:
        memory.recall("warm up")
        bare = [timed(partial(memory.recall, question)) for question in questions]
    return _against(asyncio.run(search()), bare)


def _measure_sessions(served: Served) -> dict[str, object]:
    """Memory and descriptors of the server before, at the height of, and after the sessions."""

    async def open_and_drop(gate: asyncio.Barrier) -> None:
        async with served.connect() as session:
            await session.call_tool("memory_search", {"query": "harbour"})
            await gate.wait()  # All of them are open now.

    async def wave() -> None:
        gate = asyncio.Barrier(AT_ONCE)
        await asyncio.gather(*(open_and_drop(gate) for _ in range(AT_ONCE)))

    fresh = _look(served.pid)
    asyncio.run(wave())
    # Each of its threads has a connection to the index now, and keeps it.
    filled = _settle(served.pid, 0)
    highest = filled["mib"]
    began = time.perf_counter()
    for _ in range(SESSIONS // AT_ONCE):
        asyncio.run(wave())
        highest = max(highest, _look(served.pid)["mib"])
    seconds = time.perf_counter() - began
    after = _settle(served.pid, filled["descriptors"])
    return {
        "opened": SESSIONS,
        "at_once": AT_ONCE,
        "per_s": round(SESSIONS / seconds),
        "fresh_mib": fresh["mib"],
        "filled_mib": filled["mib"],
        "highest_mib": highest,
        "after_mib": after["mib"],
        "more_mib": round(after["mib"] - fresh["mib"], 1),
        "settled": after["mib"] - fresh["mib"] <= SETTLED_MIB,
        "kept_descriptors": filled["descriptors"] - fresh["descriptors"],
        "more_descriptors": after["descriptors"] - filled["descriptors"],
        "children": after["children"],
    }


def _settle(pid: int, descriptors: float) -> dict[str, float]:
    """What a process has once its connections are closed: `descriptors`, or no fewer than before
    for a while."""
    deadline = time.monotonic() + _PATIENCE
    found = _look(pid)
    while found["descriptors"] > descriptors and time.monotonic() < deadline:
        time.sleep(_PAUSE)
        before, found = found, _look(pid)
        if not descriptors and found["descriptors"] >= before["descriptors"]:
            break
    return found


def _look(pid: int) -> dict[str, float]:
    """Resident MiB, open descriptors and child processes of a process, from /proc."""
    process = Path("/proc") / str(pid)
    lines = (process / "status").read_text().splitlines()
    kib = next(int(line.split()[1]) for line in lines if line.startswith("VmRSS"))
    children = "".join(path.read_text() for path in process.glob("task/*/children"))
    return {
        "mib": round(kib / 1024, 1),
        "descriptors": len(list((process / "fd").iterdir())),
        "children": len(children.split()),
    }


@contextmanager
def _serving(environment: dict[str, str]) -> Iterator[Served]:
    process = _spawn(environment, "--json")
    try:
        yield Served(process)
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate()


def _spawn(environment: dict[str, str], *options: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [*_ENGRAIN, "mcp", *options], stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=environment
    )
