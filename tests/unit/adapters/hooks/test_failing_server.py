"""Servers that hang, lie or die: a hook answers by itself, in its own time."""

from __future__ import annotations

import os
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from support.hosts import make_payload
from unit.adapters.hooks.running import Desk

QUESTION = "how does the nightly billing job lock in postgres?"
LOCK = "Nightly billing lock"

BUDGET = 4.0
"""Seconds: a server is waited for half of them."""


class TestServer:
    @contextmanager
    def serving(self, endpoint: str, answer: Callable[[socket.socket], None]) -> Iterator[None]:
        """Something at the socket's place that takes a request and does `answer`."""
        done = threading.Event()

        def serve() -> None:
            connection, _ = server.accept()
            with connection:
                while connection.recv(65536):
                    pass
                answer(connection)
                done.wait(20)

        with socket.socket(socket.AF_UNIX) as server:
            server.bind(endpoint)
            os.chmod(endpoint, 0o600)
            server.listen()
            thread = threading.Thread(target=serve)
            thread.start()
            try:
                yield
            finally:
                done.set()
                thread.join()
                os.unlink(endpoint)

    def ask(self, desk: Desk) -> str:
        payload = make_payload("claude-code", "prompt", "s-1", str(desk.here), prompt=QUESTION)
        return desk.tell("prompt", payload, budget=BUDGET).context

    @pytest.mark.parametrize(
        "sent",
        [b"", b"garbage", b"HTTP/1.1 400 Bad Request\r\n\r\n", b"{}", b"\x15no"],
        ids=range(5),
    )
    def test_that_answers_garbage_is_as_good_as_none(
        self, sent: bytes, filled: Desk, endpoint: str
    ) -> None:
        def answer(connection: socket.socket) -> None:
            connection.sendall(sent)
            connection.shutdown(socket.SHUT_RDWR)

        with self.serving(endpoint, answer):
            assert LOCK in self.ask(filled)

    def test_that_hangs_is_as_good_as_none(self, filled: Desk, endpoint: str) -> None:
        with self.serving(endpoint, lambda _: None):
            assert LOCK in self.ask(filled)

    def test_that_hangs_amid_its_answer_is_as_good_as_none(
        self, filled: Desk, endpoint: str
    ) -> None:
        with self.serving(endpoint, lambda connection: connection.sendall(b'99\n{"sys')):
            assert LOCK in self.ask(filled)

    def test_that_dies_amid_its_answer_is_as_good_as_none(
        self, filled: Desk, endpoint: str
    ) -> None:
        def answer(connection: socket.socket) -> None:
            connection.sendall(b'99\n{"systemMessage": "1 mem')
            connection.shutdown(socket.SHUT_RDWR)

        with self.serving(endpoint, answer):
            assert LOCK in self.ask(filled)

    def test_that_sends_drop_by_drop_does_not_hold_a_hook_up(
        self, filled: Desk, endpoint: str
    ) -> None:
        def answer(connection: socket.socket) -> None:
            try:
                for _ in range(100):
                    connection.sendall(b".")
                    time.sleep(0.1)
            except OSError:
                pass

        with self.serving(endpoint, answer):
            assert LOCK in self.ask(filled)

    def test_that_takes_nothing_does_not_hold_a_hook_up(self, filled: Desk, endpoint: str) -> None:
        with socket.socket(socket.AF_UNIX) as server:
            server.bind(endpoint)
            os.chmod(endpoint, 0o600)
            server.listen(1)
            payload = make_payload(
                "claude-code", "prompt", "s-1", str(filled.here), prompt=QUESTION + "x" * 300_000
            )
            answer = filled.tell("prompt", payload, budget=BUDGET)
            assert LOCK in answer.context

    def test_within_its_own_time_too(self, filled: Desk, endpoint: str) -> None:
        with self.serving(endpoint, lambda _: None):
            payload = make_payload("gemini", "prompt", "s-1", str(filled.here), prompt=QUESTION)
            started = time.monotonic()
            context = filled.tell("prompt", payload, host="gemini", budget=None).context
            assert time.monotonic() - started < 5
        assert LOCK in context or filled.losses() == ["out of time"]
