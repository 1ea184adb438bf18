"""The short way: the answers of a running server, and what a hook does about one that fails."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import sys
import threading
import time

import pytest

from engrain_hook import ask, connect
from support.hosts import CASES, make_payload, read_answer
from unit.adapters.hooks.running import Desk, git, listening

QUESTION = "how does the nightly billing job lock in postgres?"
LOCK = "Nightly billing lock"
MARK = re.compile(r"engrain-memory ([a-z]{7})")


def hide_mark(printed: bytes) -> str:
    """An answer without its mark, which is another each time."""
    text = printed.decode()
    found = MARK.search(text)
    return text.replace(found[1], "mark").replace(f"[{found[1][:4]} ", "[mark ") if found else text


def test_the_answers_are_those_of_a_hook_alone(filled: Desk, endpoint: str) -> None:
    answers = []
    for way in ("cold", "warm"):
        told = []
        for host, event in CASES:
            more = {"prompt": QUESTION} if event == "prompt" else {}
            payload = make_payload(host, event, f"{way}-{host}-{event}", str(filled.here), **more)
            raw = json.dumps(payload).encode()
            if way == "cold":
                told.append(filled.hook(event, "--host", host, stdin=raw).raw)
            else:
                with listening(filled, endpoint):
                    told.append(filled.hook(event, "--host", host, stdin=raw).raw)
            read_answer(host, event, told[-1])
        answers.append([hide_mark(raw) for raw in told])
    assert answers[0] == answers[1]
    for host, event in CASES:
        names = [filled.events(f"{way}-{host}-{event}") for way in ("cold", "warm")]
        assert names[0] == names[1]


def test_a_running_server_is_asked(filled: Desk, endpoint: str) -> None:
    asked: list[str] = []

    def find(folder: str, named: str) -> str | None:
        asked.append(folder)
        return named or None

    with listening(filled, endpoint, find):
        assert LOCK in filled.ask(QUESTION).context
        payload = {"session_id": "s-2", "prompt": QUESTION}
        assert LOCK in filled.tell("prompt", payload).context
    assert asked == [str(filled.here)] * 2
    assert filled.events("s-1") == ["recalled"]


def test_a_server_knows_whether_a_hook_waits_for_it(filled: Desk, endpoint: str) -> None:
    waited: list[bool] = []

    def find(_: str, named: str) -> str | None:
        waited.append(listener.is_answering)
        return named or None

    with listening(filled, endpoint, find) as listener:
        assert not listener.is_answering
        assert LOCK in filled.ask(QUESTION).context
        deadline = time.monotonic() + 10
        while listener.is_answering and time.monotonic() < deadline:
            time.sleep(0.01)
        assert not listener.is_answering
    assert waited == [True]


def test_projects_flags_and_phase_reach_the_server(filled: Desk, endpoint: str) -> None:
    for name in ("alpha", "beta"):
        (filled.folder / name).mkdir()
        git(filled.folder / name, "init")
        filled.save(f"Relay of {name}", f"The mail relay of {name} limps.", project=name)
    with listening(filled, endpoint):
        at_alpha = make_payload(
            "claude-code", "prompt", "s-1", str(filled.folder / "alpha"), prompt="how is the relay?"
        )
        assert "Relay of alpha" in filled.tell("prompt", at_alpha).context
        at_alpha["session_id"] = "s-2"
        context = filled.tell("prompt", at_alpha, "--project", "beta").context
        assert "Relay of beta" in context
        assert "Relay of alpha" not in context
        filled.environ["ENGRAIN_PROJECT"] = "beta"
        at_alpha["session_id"] = "s-3"
        assert "Relay of beta" in filled.tell("prompt", at_alpha).context
        del filled.environ["ENGRAIN_PROJECT"]
        # Outside of any repository the server's own folder decides nothing.
        assert "Relay of" not in filled.start("s-4").context


def test_nothing_is_repeated_whoever_answers(filled: Desk, endpoint: str) -> None:
    assert LOCK in filled.ask(QUESTION).context
    with listening(filled, endpoint):
        assert filled.ask(QUESTION).context == ""
        assert LOCK in filled.ask(QUESTION, "s-2").context
    assert filled.ask(QUESTION, "s-2").context == ""


def test_a_prompt_of_megabytes_is_answered_by_the_server(filled: Desk, endpoint: str) -> None:
    with listening(filled, endpoint):
        prompt = QUESTION + " lorem" * 1_000_000
        assert LOCK in filled.ask(prompt).context
    assert filled.losses() == []


def test_garbage_gets_no_answer_of_a_server_and_its_reason_is_logged(
    filled: Desk, endpoint: str
) -> None:
    with listening(filled, endpoint):
        assert filled.hook("prompt", "--host", "gemini", stdin=b"[]").raw == b"{}\n"
        assert len(filled.losses()) == 1
        assert LOCK in filled.ask(QUESTION).context


def test_what_is_found_past_the_deadline_is_neither_told_nor_noted(
    filled: Desk, endpoint: str
) -> None:
    payload = json.dumps({"session_id": "late", "prompt": QUESTION}).encode()
    with listening(filled, endpoint), connect(endpoint, time.monotonic() + 20) as connection:
        values = ["prompt", "claude-code", "0", repr(time.monotonic() - 1), "/", str(len(payload))]
        connection.sendall("\0".join([*values, "0", ""]).encode() + payload)
        connection.shutdown(socket.SHUT_WR)
        assert connection.recv(1) == b""
        # Else the hook, which answers by itself, would leave out what nobody was told.
        assert LOCK in filled.ask(QUESTION, "late").context


def test_a_server_that_is_stopped_costs_a_hook_half_its_time_at_most(
    filled: Desk, endpoint: str
) -> None:
    code = (
        "import os, socket, sys, time\n"
        "made = socket.socket(socket.AF_UNIX); made.bind(sys.argv[1]); made.listen(16)\n"
        "os.chmod(sys.argv[1], 0o600)\n"
        "print(flush=True); time.sleep(600)"
    )
    server = subprocess.Popen([sys.executable, "-c", code, endpoint], stdout=subprocess.PIPE)
    with server:
        assert server.stdout
        server.stdout.readline()
        server.send_signal(signal.SIGSTOP)
        os.waitpid(server.pid, os.WUNTRACED)
        payload = make_payload("claude-code", "prompt", "s-1", str(filled.here), prompt=QUESTION)
        assert LOCK in filled.tell("prompt", payload, budget=4.0).context
        server.kill()


def test_hooks_that_say_nothing_do_not_stop_the_others(filled: Desk, endpoint: str) -> None:
    with listening(filled, endpoint), contextlib.ExitStack() as stack:
        silent = []
        for _ in range(100):
            silent.append(stack.enter_context(socket.socket(socket.AF_UNIX)))
            silent[-1].connect(endpoint)
            silent[-1].sendall(b"prompt")
        assert sum(one.name == "hook" for one in threading.enumerate()) <= 32
        assert LOCK in filled.ask(QUESTION).context
        for one in silent:
            one.settimeout(30)
            with contextlib.suppress(ConnectionResetError):
                assert one.recv(1) == b""
        assert LOCK in filled.ask(QUESTION, "s-2").context


class TestServer:
    def test_has_a_socket_of_its_owners_that_goes_with_it(
        self, filled: Desk, endpoint: str
    ) -> None:
        with listening(filled, endpoint):
            assert os.stat(endpoint).st_mode & 0o077 == 0
        assert not os.path.lexists(endpoint)

    def test_takes_the_place_of_one_that_died(self, filled: Desk, endpoint: str) -> None:
        with socket.socket(socket.AF_UNIX) as dead:
            dead.bind(endpoint)
        assert LOCK in filled.ask(QUESTION).context
        with listening(filled, endpoint):
            assert LOCK in filled.ask(QUESTION, "s-2").context

    def test_leaves_no_thread_behind(self, filled: Desk, endpoint: str) -> None:
        with listening(filled, endpoint):
            assert LOCK in filled.ask(QUESTION).context
        until = time.monotonic() + 5
        while any(thread.name == "hooks" for thread in threading.enumerate()):
            assert time.monotonic() < until
            time.sleep(0.05)

    @pytest.mark.parametrize(
        "sent",
        [
            b"",
            b"GET / HTTP/1.1\r\nHost: evil\r\n\r\n",
            b"\0" * 100,
            b"lunch\0gemini\0" + b"0\0" + b"1e9\0/\0" + b"2\0" + b"0\0{}",
            b"prompt\0gemini\0" + b"0\0" + b"soon\0/\0" + b"2\0" + b"0\0{}",
            b"prompt\0gemini\0" + b"0\0" + b"1e9\0\xff\0" + b"2\0" + b"-1\0{}",
            b"prompt\0gemini\0" + b"0\0" + b"1e9\0/\0" + b"65536\0" + b"0\0" + b"[" * 65_000,
            b"prompt\0gemini\0" + b"0\0" + b"1e9\0/\0" + b"2\0" + b"0\0" + b"x" * 4_000_000,
        ],
        ids=range(8),
    )
    def test_outlives_whoever_talks_nonsense(
        self, sent: bytes, filled: Desk, endpoint: str, recwarn: pytest.WarningsRecorder
    ) -> None:
        with listening(filled, endpoint):
            with socket.socket(socket.AF_UNIX) as connection:
                connection.settimeout(10)
                connection.connect(endpoint)
                try:
                    connection.sendall(sent)
                    connection.shutdown(socket.SHUT_WR)
                    assert not connection.recv(10)[:1].isdigit()
                except OSError:
                    pass  # it hung up on us
            assert LOCK in filled.ask(QUESTION).context

    def test_serves_others_while_one_is_silent(self, filled: Desk, endpoint: str) -> None:
        with listening(filled, endpoint), socket.socket(socket.AF_UNIX) as silent:
            silent.connect(endpoint)
            started = time.monotonic()
            words = ["prompt", "gemini", "0"]
            assert ask(endpoint, words, time.monotonic() + 20, (b"{}", b""))
            assert time.monotonic() - started < 10
