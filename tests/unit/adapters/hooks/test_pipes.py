"""The three pipes between a host and a hook: endless, closed, or left by their other end."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import time
from pathlib import Path

import pytest

from support.hosts import EVENTS, NAMES, read_answer
from unit.adapters.hooks.running import LIMIT, Desk, command

QUESTION = "how does the nightly billing job lock in postgres?"
LOCK = "Nightly billing lock"
WRITTEN = 4 * 1024 * 1024


class TestPipes:
    @pytest.mark.parametrize(
        "argv",
        [
            *([event, "--host", "gemini"] for event in EVENTS),
            ["prompt", "--host", "emacs"],
            ["lunch", "--host", "gemini"],
            ["prompt"],
        ],
        ids=" ".join,
    )
    def test_of_standard_input_is_read_to_its_end(self, argv: list[str], filled: Desk) -> None:
        hook = subprocess.Popen(
            command(*argv, budget=20.0),
            stdin=subprocess.PIPE,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=filled.here,
            env=filled.environ,
        )
        assert hook.stdin is not None
        taken = True
        try:
            with hook.stdin:
                hook.stdin.write(b'{"prompt": "' + b"x" * WRITTEN + b'"}')
        except BrokenPipeError:  # which is an error in a host, too
            taken = False
        assert hook.wait(LIMIT) == 0
        assert taken

    @pytest.mark.parametrize("event", EVENTS)
    def test_that_never_end_hold_a_hook_up_only_until_its_deadline(
        self, event: str, filled: Desk
    ) -> None:
        hook = subprocess.Popen(
            command(event, "--host", "gemini"),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            cwd=filled.here,
            env=filled.environ,
        )
        assert hook.stdin is not None and hook.stdout is not None
        with hook.stdin, hook.stdout:
            hook.stdin.write(b'{"session_id": "s-1"')
            hook.stdin.flush()
            printed = hook.stdout.read()
            assert hook.wait(LIMIT) == 0
        assert read_answer("gemini", event, printed).context == ""
        assert filled.losses() == ["out of time"]

    @pytest.mark.parametrize("closed", ["<&-", ">&-", "2>&-", "<&- >&- 2>&-", "</dev/null"])
    def test_that_are_closed_harm_neither_the_hook_nor_the_vault(
        self, closed: str, filled: Desk
    ) -> None:
        before = filled.vault_bytes()
        for event in NAMES["claude-code"]:
            script = f'exec "$@" {closed}'
            raw = json.dumps({"session_id": "s-1", "prompt": QUESTION}).encode()
            done = subprocess.run(
                ["sh", "-c", script, "sh", *command(event, "--host", "claude-code", budget=20.0)],
                input=raw,
                capture_output=True,
                check=False,
                cwd=filled.here,
                env=filled.environ,
                timeout=LIMIT,
            )
            assert done.returncode == 0
            assert b"Traceback" not in done.stdout + done.stderr
        assert filled.vault_bytes() == before
        # What was opened in the place of a closed pipe was not written to.
        for path in filled.state.rglob("*"):
            if path.is_file() and path.suffix != ".sqlite":
                assert b"hookSpecificOutput" not in path.read_bytes(), path
        with filled.memory() as memory:
            assert [found.row.title for found in memory.recall(QUESTION).results] == [LOCK]

    def test_whose_reader_has_gone_end_a_hook_quietly(self, filled: Desk) -> None:
        reader, writer = os.pipe()
        os.close(reader)
        with open(writer, "wb") as gone:
            done = subprocess.run(
                command("prompt", "--host", "claude-code", budget=20.0),
                input=json.dumps({"session_id": "s-1", "prompt": QUESTION}).encode(),
                stdout=gone,
                stderr=subprocess.PIPE,
                check=False,
                cwd=filled.here,
                env=filled.environ,
                timeout=LIMIT,
            )
        assert (done.returncode, done.stderr) == (0, b"")


def test_ctrl_c_is_no_traceback_of_a_hook_that_waits(filled: Desk) -> None:
    with subprocess.Popen(
        command("prompt", "--host", "gemini", budget=None),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=filled.here,
        env=filled.environ,
    ) as hook:
        assert hook.stdout is not None and hook.stderr is not None
        wait_for_reading(hook.pid)
        hook.send_signal(signal.SIGINT)
        printed = hook.stdout.read(), hook.stderr.read()
        assert hook.wait(LIMIT) == 0
        assert printed == (b"{}\n", b"")


def wait_for_reading(pid: int) -> None:
    """Wait until a process sleeps in a read of a pipe, or has left."""
    for _ in range(2000):
        try:
            waits = Path(f"/proc/{pid}/wchan").read_text()
        except FileNotFoundError:
            return
        if "pipe_read" in waits:
            return
        time.sleep(0.002)
