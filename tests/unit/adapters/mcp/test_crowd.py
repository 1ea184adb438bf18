"""Connections that never say who they are, in numbers: nobody else notices them."""

from __future__ import annotations

import json
import resource
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from pathlib import Path

import pytest

from engrain.adapters.mcp.fastmcp_server import HEAD_SECONDS, MOST_KNOWN, MOST_STRANGERS, Gate
from engrain_hook import ask
from unit.adapters.mcp.served import LIST, Server, serving, wait_until
from unit.adapters.shell import Shell

HEAD = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Type: appl"
WAYS = ("tcp", "unix")


@pytest.fixture(scope="module", autouse=True)
def many_descriptors() -> Iterator[None]:
    """Enough for the connections that a test opens."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = 4096 if hard == resource.RLIM_INFINITY else min(4096, hard)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, wanted), hard))
    yield
    resource.setrlimit(resource.RLIMIT_NOFILE, (soft, hard))


def connect(server: Server, way: str) -> socket.socket:
    if way == "tcp":
        assert server.url
        host, port = server.url.removeprefix("http://").removesuffix("/mcp").split(":")
        return socket.create_connection((host, int(port)), 30)
    made = socket.socket(socket.AF_UNIX)
    made.settimeout(30)
    made.connect(server.hooks if way == "hooks" else server.socket)
    return made


@contextmanager
def half_open(
    server: Server, way: str, count: int, sent: bytes = HEAD
) -> Iterator[list[socket.socket]]:
    """So many connections on which a request is begun and never ended."""
    with ExitStack() as stack:
        opened = []
        for _ in range(count):
            one = stack.enter_context(connect(server, way))
            with suppress(OSError):  # it may be dropped already
                one.sendall(sent)
            opened.append(one)
        yield opened


def ends(connection: socket.socket) -> bool:
    """Whether the other side ends the connection, within 30 seconds."""
    try:
        return connection.recv(1) == b""
    except ConnectionError:
        return True


def read_answer(connection: socket.socket) -> bytes:
    """A whole answer, whose body is JSON."""
    answer = b""
    while not answer.endswith(b"}"):
        part = connection.recv(65536)
        assert part, answer
        answer += part
    return answer


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("sent", [b"", HEAD], ids=["silent", "half"])
def test_more_connections_than_there_are_places_keep_nobody_out(
    server: Server, way: str, sent: bytes
) -> None:
    with half_open(server, way, MOST_STRANGERS + 40, sent) as opened:
        for asked in WAYS:
            assert server.post(LIST, way=asked).status == 200
        assert ends(opened[0])


def test_a_connection_that_does_not_show_the_token_in_time_is_ended(server: Server) -> None:
    with half_open(server, "tcp", 1) as (one,):
        started = time.monotonic()
        assert ends(one)
        assert time.monotonic() - started > HEAD_SECONDS - 1
    refused = b"POST /mcp HTTP/1.1\r\nHost: localhost\r\nContent-Length: 0\r\n\r\n"
    with connect(server, "tcp") as other:
        other.sendall(refused)
        assert read_answer(other).startswith(b"HTTP/1.1 401")
        other.sendall(HEAD)
        wait_until(lambda: ends(other), 30)


def test_a_connection_that_has_shown_the_token_keeps_its_place_among_strangers(
    server: Server,
) -> None:
    kept = server.connect("tcp")
    headers = {"Authorization": f"Bearer {server.token}", "Content-Type": "application/json"}
    headers["Accept"] = "application/json, text/event-stream"
    try:
        kept.request("POST", "/mcp", json.dumps(LIST), headers)
        assert kept.getresponse().read()
        own = kept.sock
        with half_open(server, "tcp", MOST_STRANGERS + 10):
            kept.request("POST", "/mcp", json.dumps(LIST), headers)
            assert kept.getresponse().status == 200
            assert kept.sock is own
    finally:
        kept.close()


def test_a_known_connection_that_stops_in_the_middle_of_a_head_is_ended(server: Server) -> None:
    body = json.dumps(LIST)
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n"
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with connect(server, "unix") as one:
        one.sendall(head.encode() + body.encode())
        assert read_answer(one).startswith(b"HTTP/1.1 200")
        one.sendall(HEAD)
        assert ends(one)


def test_a_request_that_takes_long_is_not_cut_off(server: Server) -> None:
    """Its body comes slowly; who sends it has shown the token."""
    body = json.dumps(LIST).encode()
    head = (
        f"POST /mcp HTTP/1.0\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n"
        "Content-Type: application/json\r\nAccept: application/json, text/event-stream\r\n"
        f"Content-Length: {len(body)}\r\n\r\n"
    )
    with connect(server, "tcp") as one:
        one.sendall(head.encode() + body[:10])
        time.sleep(HEAD_SECONDS + 1)
        one.sendall(body[10:])
        assert read_answer(one).startswith(b"HTTP/1.1 200")


@pytest.mark.long
@pytest.mark.parametrize("way", [*WAYS, "hooks"])
def test_six_hundred_half_open_connections_are_noticed_by_nobody(
    tmp_path: Path, way: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    shell = Shell(tmp_path)
    for name, value in shell.environ.items():  # of which `ask` tells the server
        monkeypatch.setenv(name, str(value))
    monkeypatch.chdir(shell.here)
    assert shell.run("init").code == 0
    assert shell.run("save", "The lighthouse counts the waves.", "--title", "Waves").code == 0
    with serving(shell) as server:
        descriptors = Path(f"/proc/{server.pid}/fd")
        assert server.post(LIST).status == 200
        before = len(list(descriptors.iterdir()))
        for _ in range(3):
            with half_open(server, way, 600):
                for asked in WAYS * 5:
                    assert server.post(LIST, way=asked).status == 200
                found = server.call("memory_recall", query="lighthouse")
                assert len(found["structuredContent"]["results"]) == 1
                if way != "hooks":
                    payload = json.dumps({"session_id": "s", "prompt": "lighthouse"}).encode()
                    words, limit = ["prompt", "gemini", "0"], time.monotonic() + 20
                    assert ask(server.hooks, words, limit, (payload, b"")) is not None
        wait_until(lambda: len(list(descriptors.iterdir())) < before + 20, 30)
        assert server.stop() == 0


class Line:
    """A connection of a gate."""

    def __init__(self) -> None:
        self.dropped = False

    def drop(self) -> None:
        self.dropped = True


class TestGate:
    def test_drops_the_oldest_stranger_for_the_newest(self) -> None:
        gate = Gate()
        lines = [Line() for _ in range(MOST_STRANGERS + 2)]
        for line in lines:
            gate.enter(line)
        assert [line.dropped for line in lines[:3]] == [True, True, False]
        assert not lines[-1].dropped

    def test_keeps_places_for_those_it_knows(self) -> None:
        gate = Gate()
        known = [Line() for _ in range(MOST_KNOWN)]
        for line in known:
            gate.enter(line)
            gate.admit(line)
        for line in [Line() for _ in range(MOST_STRANGERS + 10)]:
            gate.enter(line)
        assert not any(line.dropped for line in known)
        late = Line()
        gate.enter(late)
        assert not gate.has_room(late)
        assert gate.has_room(known[0])
        gate.forget(known[0])
        assert gate.has_room(late)

    def test_forgets_who_has_left(self) -> None:
        gate = Gate()
        for _ in range(3 * MOST_STRANGERS):
            line = Line()
            gate.enter(line)
            gate.forget(line)
            assert not line.dropped


@pytest.mark.parametrize(
    ("change", "is_read"),
    [
        (lambda head: head, True),
        (lambda head: head.replace(b"\r\n", b"\n"), False),
        (lambda head: head.replace(b"json\r\n", b"json\n"), False),
        (lambda head: head.replace(b"json\r\n\r\n", b"json\r\n\n"), False),
        (lambda head: head.replace(b"json\r\n\r\n", b"json\r\n more\r\n\r\n"), False),
        (lambda head: head.replace(b"json\r\n\r\n", b"json\r\n\tmore\r\n\r\n"), False),
        (lambda head: head.replace(b"json\r\n", b"json\r\nTransfer-Encoding: chunked\r\n"), False),
    ],
)
@pytest.mark.parametrize("at_once", [True, False])
def test_a_head_that_can_be_read_in_two_ways_is_refused(
    server: Server, change: Callable[[bytes], bytes], is_read: bool, at_once: bool
) -> None:
    body = json.dumps(LIST).encode()
    head = (
        f"POST /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {server.token}\r\n"
        f"Accept: application/json, text/event-stream\r\nContent-Length: {len(body)}\r\n"
        "Content-Type: application/json\r\n\r\n"
    ).encode()
    sent = change(head) + body
    with connect(server, "tcp") as one:
        for part in (sent,) if at_once else (sent[:250], sent[250:]):
            with suppress(OSError):
                one.sendall(part)
                time.sleep(0 if at_once else 0.05)
        assert one.recv(12) == (b"HTTP/1.1 200" if is_read else b"HTTP/1.1 400")
    with connect(server, "tcp") as one:
        one.sendall(head + body + sent + head)  # behind another request
        said = b""
        with suppress(ConnectionError):
            while said.count(b"HTTP/1.1") < 2 and (part := one.recv(65536)):
                said += part
        assert (said.count(b"HTTP/1.1 200") == 2) == is_read
