"""What a hook costs and leaves: the modules it loads, no process, nothing in the vault."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.hosts import EVENTS, make_payload, read_answer
from support.strace import needs_strace
from unit.adapters.hooks.running import LIMIT, Desk, command, listening

QUESTION = "how does the nightly billing job lock in postgres?"
LOCK = "Nightly billing lock"

COLD = 83
"""Modules of ours that a prompt loads at most where no server answers."""
WARM = 30
"""Modules of ours that it loads at most where a server answers."""
HEAVY = {
    "asyncio", "fastmcp", "numpy", "onnxruntime", "pydantic", "sqlite3", "starlette",
    "urllib.request", "uvicorn", "yaml",
}  # fmt: skip
"""Modules that take longer to load than a prompt may take."""


def load(desk: Desk, session: str) -> set[str]:
    """The modules that a prompt loads more than a bare interpreter; it must be answered."""
    payload = make_payload("claude-code", "prompt", session, str(desk.here), prompt=QUESTION)
    _, *hook = command("prompt", "--host", "claude-code", budget=20.0)
    bare, loaded = (
        subprocess.run(
            [sys.executable, "-X", "importtime", *program],
            input=json.dumps(payload).encode(),
            capture_output=True,
            check=True,
            cwd=desk.here,
            env=desk.environ,
            timeout=LIMIT,
        )
        for program in (["-c", "import sys"], hook)
    )
    names = [
        set(re.findall(r"^import time:.*\| +([\w.]+)$", done.stderr.decode(), re.MULTILINE))
        for done in (bare, loaded)
    ]
    assert names[0]
    assert LOCK in read_answer("claude-code", "prompt", loaded.stdout).context
    return names[1] - names[0]


def own(modules: set[str]) -> list[str]:
    return sorted(name for name in modules if name.startswith("engrain."))


class TestImports:
    def test_of_a_prompt_are_few(self, filled: Desk) -> None:
        modules = load(filled, "s-1")
        assert len(own(modules)) <= COLD, own(modules)
        assert modules & HEAVY == set()

    def test_of_a_prompt_that_a_server_answers_are_next_to_none(
        self, filled: Desk, endpoint: str
    ) -> None:
        with listening(filled, endpoint):
            modules = load(filled, "s-1")
        assert len(own(modules)) <= WARM, own(modules)


def test_nothing_in_the_vault_is_written_by_a_hook(filled: Desk) -> None:
    before = filled.vault_bytes()
    for event in EVENTS:
        more = {"prompt": QUESTION} if event == "prompt" else {}
        payload = make_payload("claude-code", event, "s-1", str(filled.here), **more)
        filled.tell(event, payload)
        assert filled.vault_bytes() == before, event


def test_what_another_program_wrote_is_taken_in_by_a_stop_and_by_nothing_else(filled: Desk) -> None:
    (filled.vault / "Memory" / "fix" / "walrus.md").write_text("# Walrus\nIt limps on ice.\n")
    question = "does the walrus limp on ice?"
    assert filled.ask(question, "s-1").context == ""
    filled.tell("stop", make_payload("claude-code", "stop", "s-1", str(filled.here)))
    assert "Walrus" in filled.ask(question, "s-1").context


@needs_strace
@pytest.mark.parametrize("event", EVENTS)
def test_a_hook_starts_no_process(event: str, filled: Desk, tmp_path: Path) -> None:
    more = {"prompt": QUESTION} if event == "prompt" else {}
    payload = make_payload("gemini", event, "s-1", str(filled.here), **more)
    trace = tmp_path / "trace"
    calls = "trace=execve,execveat,fork,vfork,clone,clone3,connect,bind,listen,setsid"
    done = subprocess.run(
        [
            "strace",
            "-f",
            "-qq",
            "-e",
            calls,
            "-o",
            str(trace),
            *command(event, "--host", "gemini", budget=20.0),
        ],
        input=json.dumps(payload).encode(),
        capture_output=True,
        check=True,
        cwd=filled.here,
        env=filled.environ,
        timeout=LIMIT,
    )
    assert (LOCK in read_answer("gemini", event, done.stdout).context) == bool(
        event in ("session-start", "prompt")
    )
    made = [line for line in trace.read_text().splitlines() if "CLONE_THREAD" not in line]
    calls_made = [line for line in made if re.match(r"\d+ +\w+\(", line)]
    assert [line for line in calls_made if "execve(" not in line] == []
    assert sum(line.endswith("= 0") for line in calls_made) == 1, "the hook itself"


def test_a_hook_that_is_out_of_time_leaves_no_process(filled: Desk) -> None:
    """The watch of the deadline ends the whole process, whatever its other thread waits for."""
    hook = subprocess.Popen(
        command("prompt", "--host", "gemini"),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=filled.here,
        env=filled.environ,
        start_new_session=True,
    )
    assert hook.stdin is not None and hook.stdout is not None
    with hook.stdin, hook.stdout:
        assert hook.wait(LIMIT) == 0
    with pytest.raises(ProcessLookupError):
        os.killpg(hook.pid, 0)
