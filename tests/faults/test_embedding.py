"""Many processes with a sentence model on one vault: memory, ends, and a model that disappears."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from engrain.inference import local
from support.processes import Watch, look_at, wait_until
from unit.adapters.mcp.served import INITIALIZE, LIST
from unit.adapters.shell import Shell

pytestmark = pytest.mark.skipif(
    local.find_missing(None) is not None or not Path("/proc/self/statm").exists(),
    reason="engrain[local] is not installed, or the system has no /proc",
)

BRIDGE_MB = 120
TOGETHER_MB = 450
_NOTES = 60
_PARTS = 12
LONG = 240.0
"""Seconds that embedding may take, however loaded the machine is."""


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    """A vault of imported notes that lack vectors of the model."""
    made = Shell(tmp_path)
    assert made.run("init").code == 0
    notes = tmp_path / "notes"
    notes.mkdir()
    for number in range(_NOTES):
        parts = [
            f"## Part {part}\n\nThe crane {number} was greased in week {part}, when the harbour of"
            f" Kiel was closed for {part + number} days and the foreman wrote it down.\n"
            for part in range(_PARTS)
        ]
        (notes / f"crane-{number}.md").write_text(f"# Crane {number}\n\n" + "\n".join(parts))
    assert made.run("import", str(notes)).code == 0
    made.environ["ENGRAIN_EMBEDDER"] = "local"
    return made


def start(shell: Shell, *argv: str) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, "-m", "engrain", *argv],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=shell.here,
        env=shell.environ,
    )


def begin(bridge: subprocess.Popen[bytes], *messages: object) -> list[dict[str, Any]]:
    """Send requests and read their answers."""
    assert bridge.stdin and bridge.stdout
    for message in messages:
        bridge.stdin.write(json.dumps(message).encode() + b"\n")
    bridge.stdin.flush()
    return [json.loads(bridge.stdout.readline()) for _ in messages]


def search(identity: int, query: str = "when was crane 3 greased") -> dict[str, object]:
    params = {"name": "memory_search", "arguments": {"query": query}}
    return {"jsonrpc": "2.0", "id": identity, "method": "tools/call", "params": params}


def end_turn(shell: Shell, session: str) -> None:
    payload = json.dumps({"session_id": session, "cwd": str(shell.here)}).encode()
    for event in ("prompt", "stop"):
        done = shell.run("hook", event, "--host", "claude-code", stdin=payload)
        assert done.code == 0, done.err


def count_vectors(shell: Shell) -> int:
    code = (
        "from engrain import open_memory\n"
        "with open_memory() as memory:\n"
        "    index = memory._ready().models.vectors.index\n"
        "    print(sum(index.count(m) for m in index.models() if m[:7] != 'engrain'))"
    )
    command = [sys.executable, "-c", code]
    return int(subprocess.check_output(command, env=shell.environ, cwd=shell.here))


def has_model(shell: Shell) -> bool:
    return any(one.role == "model" for one in look_at(shell.state).values())


def lacking(shell: Shell) -> Sequence[object]:
    """What `doctor` says that lacks vectors."""
    data = shell.run("doctor", "--json").answer["data"]
    assert isinstance(data, dict)
    return [one for one in data["findings"] if "have none" in one["message"]]


def test_two_bridges_and_a_command_embed_every_text_once_within_the_bounds(shell: Shell) -> None:
    with Watch(shell.state) as watch:
        bridges = [start(shell, "mcp", "--stdio") for _ in range(2)]
        for bridge in bridges:
            begin(bridge, INITIALIZE, LIST, search(2))
        commands = [start(shell, "embed", "--json") for _ in range(2)]
        for number in range(4):
            end_turn(shell, f"session-{number}")
        answers = [json.loads(command.communicate(timeout=LONG)[0]) for command in commands]
        assert all(command.returncode == 0 for command in commands), answers
        assert wait_until(lambda: not lacking(shell), LONG)
        for bridge in bridges:
            begin(bridge, search(3))
            _, errors = bridge.communicate(timeout=60)
            assert (bridge.returncode, errors) == (0, b"")
    again = shell.run("jobs", "embed", "--json").answer["data"]
    assert isinstance(again, dict) and again["links"][0]["added"] == 0
    assert watch.at_most["model"] <= 2, "one, and the parent that starts it"
    assert watch.most["bridge"] <= BRIDGE_MB, watch
    assert watch.together <= TOGETHER_MB, watch
    assert wait_until(lambda: not look_at(shell.state), 30), "its memory goes back"


@pytest.mark.parametrize("trials", [8, pytest.param(30, marks=pytest.mark.long)])
def test_bridges_end_cleanly_while_they_embed(shell: Shell, trials: int) -> None:
    ended = []
    for number in range(trials):
        bridge = start(shell, "mcp", "--stdio")
        begin(bridge, INITIALIZE, LIST, search(2))
        assert bridge.stdin
        time.sleep(number / trials * 3)  # before, at and after each of its first steps
        bridge.stdin.close()
        bridge.stdin = None
        _, errors = bridge.communicate(timeout=60)
        ended.append((bridge.returncode, errors))
    assert ended == [(0, b"")] * trials


def test_a_model_that_disappears_while_it_embeds_is_reported_and_nothing_is_lost(
    shell: Shell, tmp_path: Path
) -> None:
    folder = tmp_path / "model"
    folder.mkdir()
    weights = local.find_weights()
    assert weights is not None
    shutil.copy(weights, folder / "model.onnx")
    shutil.copy(local.VOCABULARY, folder / "vocab.txt")
    shell.environ["ENGRAIN_EMBEDDER_FOLDER"] = str(folder)
    shell.environ["ENGRAIN_EMBEDDER"] = "auto"
    command = start(shell, "embed")
    assert wait_until(lambda: has_model(shell), 60)
    assert wait_until(lambda: count_vectors(shell) > 0, 60)
    (folder / "model.onnx").unlink()
    for process, taken in look_at(shell.state).items():
        if taken.role == "model":
            os.kill(process, signal.SIGKILL)
    _, errors = command.communicate(timeout=60)
    assert command.returncode != 0
    assert b"model" in errors and b"Traceback" not in errors, errors
    assert errors.count(b"\n") <= 2
    found = shell.run("recall", "when was crane 3 greased")
    assert found.code == 0 and "Crane 3" in found.out, "words answer"
    shutil.copy(weights, folder / "model.onnx")
    again = start(shell, "jobs", "embed")
    _, errors = again.communicate(timeout=LONG)
    assert again.returncode == 0, errors
    assert not lacking(shell)
