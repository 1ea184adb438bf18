"""Everything at once on one vault for half an hour: hooks, saves, recalls, jobs, a bridge and the
console, with a sentence model. Memory, open files and latency must stay as they were."""

from __future__ import annotations

import json
import os
import signal
import statistics
import subprocess
import sys
import threading
import time
from collections import defaultdict
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from http.client import HTTPResponse
from pathlib import Path
from typing import Any
from urllib.request import HTTPCookieProcessor, OpenerDirector, build_opener

import pytest

from engrain.inference import local
from support.processes import look_at
from unit.adapters.mcp.served import INITIALIZE, LIST
from unit.adapters.shell import Shell

pytestmark = pytest.mark.skipif(
    local.find_missing(None) is not None or not Path("/proc/self/statm").exists(),
    reason="engrain[local] is not installed, or the system has no /proc",
)

LASTS_S = float(os.environ.get("ENGRAIN_TEST_SOAK_S", "1800"))
"""Seconds of the soak; the environment may set fewer."""
WARM_S = min(120.0, LASTS_S / 4)
"""Seconds before the first sample: caches fill, and the model is loaded."""
MORE_MEMORY = 1.25
MORE_MEMORY_MB = 15.0
"""What the last fifth may take more than the first: a share, and in any case so much."""
MORE_FILES = 8
SLOWER = 2.0
SLOWER_MS = 150.0
"""How much the median may be slower in the last fifth: the load of the machine varies."""
BRIDGE_MB = 120.0
_EVERY_S = 1.0
_NOTES = 200
_LASTING = ("bridge", "model", "console")


class Times:
    """When each kind of call was made, and how long it took."""

    def __init__(self) -> None:
        self.taken: dict[str, list[tuple[float, float]]] = defaultdict(list)
        self.failures: list[str] = []

    def measure(self, kind: str, call: Callable[[int], object], number: int) -> None:
        began = time.monotonic()
        try:
            call(number)
        except Exception as error:
            self.failures.append(f"{kind}: {error!r}")
        self.taken[kind].append((began, (time.monotonic() - began) * 1000))


class Bridge:
    """A host's bridge."""

    def __init__(self, shell: Shell) -> None:
        self.process = subprocess.Popen(
            [sys.executable, "-m", "engrain", "mcp", "--stdio"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=shell.here,
            env=shell.environ,
        )
        self._number = 10
        for message in (INITIALIZE, LIST):
            self.send(message)

    def send(self, message: object) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        answer: dict[str, Any] = json.loads(self.process.stdout.readline())
        assert "result" in answer, answer
        return answer

    def call(self, tool: str, **arguments: object) -> None:
        self._number += 1
        params = {"name": tool, "arguments": arguments}
        answer = self.send(
            {"jsonrpc": "2.0", "id": self._number, "method": "tools/call", "params": params}
        )
        assert not answer["result"].get("isError"), answer


@contextmanager
def open_console(shell: Shell) -> Iterator[tuple[OpenerDirector, str]]:
    """A console and a browser that it let in."""
    process = subprocess.Popen(
        [sys.executable, "-m", "engrain", "console", "--no-browser", "--json"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=shell.here,
        env=shell.environ,
    )
    try:
        assert process.stdout
        url = json.loads(process.stdout.readline())["data"]["url"]
        browser = build_opener(HTTPCookieProcessor())
        with browser.open(url, timeout=60) as answer:
            assert isinstance(answer, HTTPResponse)
            yield browser, answer.url
    finally:
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=60)


def ask_of(number: int) -> str:
    return f"when was crane {number % _NOTES} greased?"


def run_hooks(shell: Shell, number: int) -> None:
    payload = json.dumps({"session_id": f"soak-{number // 5}", "prompt": ask_of(number)}).encode()
    for event in ("session-start", "prompt", "stop"):
        done = shell.run("hook", event, "--host", "claude-code", stdin=payload)
        assert done.code == 0, done.err


def run_jobs(shell: Shell) -> None:
    done = shell.run("jobs", "run")
    assert done.code == 0 or "are being run by process" in done.err, done.out + done.err


def check(shell: Shell, *argv: str) -> None:
    done = shell.run(*argv)
    assert done.code == 0, done.err


def test_half_an_hour_of_everything_takes_no_more_at_its_end(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    shell.environ["ENGRAIN_EMBEDDER"] = "auto"
    assert shell.run("init").code == 0
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(_NOTES):  # enough that what is added meanwhile makes little difference
        text = f"# Crane {number}\n\nThe crane {number} was greased in week {number}.\n"
        (notes / f"crane-{number}.md").write_text(text)
    check(shell, "import", str(notes))
    command = [sys.executable, "-m", "engrain", "embed"]
    subprocess.run(command, check=True, timeout=600, cwd=shell.here, env=shell.environ)
    times, samples = Times(), []
    ending = threading.Event()

    def repeat(kind: str, pause: float, call: Callable[[int], object]) -> threading.Thread:
        def run() -> None:
            number = 0
            while not ending.wait(pause):
                number += 1
                times.measure(kind, call, number)

        return threading.Thread(target=run, name=kind)

    with open_console(shell) as (browser, page):
        bridge, asked = Bridge(shell), threading.Lock()

        def call(tool: str, **arguments: object) -> None:
            with asked:
                bridge.call(tool, **arguments)

        def visit(number: int) -> None:
            with browser.open(page, timeout=60) as answer:
                assert answer.status == 200 and answer.read()

        threads = [
            repeat(
                "search", 0.7, lambda n: call("memory_search", query=f"crane {n % _NOTES} greased")
            ),
            repeat(
                "append", 6.0, lambda n: call("memory_append", text=f"The winch {n} was oiled.")
            ),
            repeat("hooks", 4.0, lambda n: run_hooks(shell, n)),
            repeat("save", 10.0, lambda n: check(shell, "save", f"The boat {n} was painted.")),
            repeat("recall", 5.0, lambda n: check(shell, "recall", f"which boat was painted {n}")),
            repeat("jobs", 20.0, lambda n: run_jobs(shell)),
            repeat("console", 3.0, visit),
        ]
        for thread in threads:
            thread.start()
        began = time.monotonic()
        while time.monotonic() < began + LASTS_S:
            time.sleep(_EVERY_S)
            samples.append((time.monotonic(), look_at(shell.state)))
        ending.set()
        for thread in threads:
            thread.join()
        _, errors = bridge.process.communicate(timeout=60)
    assert (bridge.process.returncode, errors) == (0, b"")
    assert not times.failures, times.failures[:5]
    rows = compare(samples, times, began + WARM_S, began + LASTS_S)
    print("\n" + "\n".join(f"{name:<24}{first:>10.1f}{last:>10.1f}" for name, first, last in rows))
    assert not find_grown(rows)


def compare(
    samples: list[tuple[float, dict[int, Any]]], times: Times, start: float, end: float
) -> list[tuple[str, float, float]]:
    """Return each figure in the first fifth of the time and in the last."""
    fifth = (end - start) / 5
    parts = (start, start + fifth), (end - fifth, end)

    def median(values: list[tuple[float, float]]) -> list[float]:
        return [
            statistics.median([value for at, value in values if since <= at <= until] or [0.0])
            for since, until in parts
        ]

    rows = []
    for role in _LASTING:
        for what, unit in (("memory", "MB"), ("files", "files")):
            found = [
                (at, float(max(getattr(one, what) for one in taken.values() if one.role == role)))
                for at, taken in samples
                if any(one.role == role for one in taken.values())
            ]
            first, last = median(found)
            rows.append((f"{role}, {unit}", first, last))
    for kind, taken_ in sorted(times.taken.items()):
        first, last = median(taken_)
        rows.append((f"{kind}, p50 ms", first, last))
    return rows


def find_grown(rows: list[tuple[str, float, float]]) -> list[str]:
    """Return what has grown beyond the bounds."""
    grown = []
    for name, first, last in rows:
        if name.endswith("MB"):
            most = max(first * MORE_MEMORY, first + MORE_MEMORY_MB)
            if name.startswith("bridge"):
                most = min(most, BRIDGE_MB)
        elif name.endswith("files"):
            most = first + MORE_FILES
        else:
            most = max(first * SLOWER, first + SLOWER_MS)
        if last > most:
            grown.append(f"{name}: {first:.1f}, then {last:.1f}")
    return grown
