"""The three pipes between a host and a hook: endless, closed, or left by their other end."""

from __future__ import annotations

import json
import os
import resource
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

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
    def test_with_half_a_document_that_never_end_hold_a_hook_up_for_half_its_time(
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
        assert filled.losses() == ["the host's input did not end"]

    @pytest.mark.parametrize("blank", [b"", b"\n", b" \r\n\r\n"])
    def test_that_never_end_hold_no_hook_up_once_a_document_is_complete(
        self, blank: bytes, filled: Desk
    ) -> None:
        payload = json.dumps({"session_id": "s-1", "prompt": QUESTION}).encode()
        argv = command("prompt", "--host", "gemini", budget=LIMIT)
        answer, waited = leave_open(filled, argv, payload + blank)
        assert LOCK in read_answer("gemini", "prompt", answer).context
        assert waited < LIMIT / 3
        assert filled.losses() == []

    def test_that_never_end_hold_no_hook_up_after_a_large_document(self, filled: Desk) -> None:
        prompt = QUESTION + " }" * WRITTEN
        payload = json.dumps({"session_id": "s-1", "prompt": prompt}).encode()
        argv = command("prompt", "--host", "gemini", budget=LIMIT)
        _, waited = leave_open(filled, argv, payload)
        assert waited < LIMIT / 3
        assert filled.losses() == []

    def test_that_pause_within_a_document_are_read_on(self, filled: Desk) -> None:
        parts = [
            b'{"session_id": "s-1", "more": {"a": 1}',
            b', "prompt": "',
            QUESTION.encode(),
            b'"}',
        ]
        argv = command("prompt", "--host", "gemini", budget=LIMIT)
        answer, _ = leave_open(filled, argv, *parts)
        assert LOCK in read_answer("gemini", "prompt", answer).context

    @pytest.mark.parametrize("event", EVENTS)
    def test_that_never_end_and_are_empty_count_as_empty_soon(
        self, event: str, filled: Desk
    ) -> None:
        _, waited = leave_open(filled, command(event, "--host", "gemini", budget=LIMIT))
        assert waited < LIMIT / 3
        assert filled.losses() == []

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


def leave_open(desk: Desk, argv: list[str], *written: bytes) -> tuple[bytes, float]:
    """Run a hook on an input in parts that never ends; its answer, and the seconds it took."""
    began = time.monotonic()
    with subprocess.Popen(
        argv, stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=desk.here, env=desk.environ
    ) as hook:
        assert hook.stdin is not None and hook.stdout is not None
        for number, part in enumerate(written):
            if number:
                time.sleep(0.05)
            hook.stdin.write(part)
            hook.stdin.flush()
        answer = hook.stdout.read()
        assert hook.wait(LIMIT) == 0
        return answer, time.monotonic() - began


class TestWithoutThreads:
    """A stack that is larger than the memory a process may have can be made for no thread."""

    @staticmethod
    def forbid_threads() -> None:
        gigabyte = 1 << 30
        resource.setrlimit(resource.RLIMIT_STACK, (64 * gigabyte, resource.RLIM_INFINITY))
        resource.setrlimit(resource.RLIMIT_AS, (8 * gigabyte, 8 * gigabyte))

    def run(self, desk: Desk, argv: list[str], **more: Any) -> subprocess.Popen[bytes]:
        return subprocess.Popen(
            argv,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=desk.here,
            env=desk.environ,
            preexec_fn=self.forbid_threads,
            **more,
        )

    def test_none_can_start_there(self, filled: Desk) -> None:
        program = "import threading; threading.Thread(target=int).start()"
        _, errors = self.run(filled, [sys.executable, "-c", program]).communicate(timeout=LIMIT)
        assert b"can't start new thread" in errors

    @pytest.mark.parametrize("event", EVENTS)
    def test_a_hook_answers_all_the_same(self, event: str, filled: Desk) -> None:
        payload = json.dumps({"session_id": "s-1", "prompt": QUESTION}).encode()
        argv = command(event, "--host", "gemini", budget=20.0)
        hook = self.run(filled, argv)
        printed, errors = hook.communicate(payload, timeout=LIMIT)
        assert (hook.returncode, errors) == (0, b"")
        assert filled.losses() == []
        if event == "prompt":
            assert LOCK in read_answer("gemini", event, printed).context

    @pytest.mark.parametrize("event", EVENTS)
    def test_a_hook_that_has_no_time_ends_by_its_deadline(self, event: str, filled: Desk) -> None:
        payload = json.dumps({"session_id": "s-1", "prompt": QUESTION}).encode()
        argv = command(event, "--host", "gemini", budget=0.06)
        hook = self.run(filled, argv)
        printed, errors = hook.communicate(payload, timeout=LIMIT)
        assert (hook.returncode, errors) == (0, b"")
        assert isinstance(json.loads(printed), dict)


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
    """Wait until a process sleeps until a pipe can be read, or has left."""
    for _ in range(2000):
        try:
            waits = Path(f"/proc/{pid}/wchan").read_text()
        except FileNotFoundError:
            return
        if "poll" in waits:
            return
        time.sleep(0.002)
