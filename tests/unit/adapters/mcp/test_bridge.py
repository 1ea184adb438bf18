"""stdio: one host, through the server that runs or in a process of its own."""

from __future__ import annotations

import contextlib
import fcntl
import io
import json
import os
import signal
import socket
import subprocess
import sys
import threading
import time
from contextlib import ExitStack
from pathlib import Path
from typing import Any

import mcp
import pytest

from engrain.adapters.mcp.bridge import Bridge
from engrain.adapters.mcp.guard import MAX_BODY
from engrain.adapters.mcp.remote import Remote
from engrain.adapters.mcp.singleton import Running
from unit.adapters.mcp.served import INITIALIZE, LIST, Server, kept, serving, start
from unit.adapters.shell import Shell

READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}
SEARCH = {"name": "memory_search", "arguments": {"query": "waves"}}


def call(identity: int, tool: str, **arguments: object) -> dict[str, object]:
    params = {"name": tool, "arguments": arguments}
    return {"jsonrpc": "2.0", "id": identity, "method": "tools/call", "params": params}


def talk(shell: Shell, *messages: object) -> dict[Any, dict[str, Any]]:
    """What a host gets for messages, by id; standard output has nothing else."""
    lines = [one if isinstance(one, bytes) else json.dumps(one).encode() for one in messages]
    done = shell.run("mcp", "--stdio", stdin=b"\n".join(lines) + b"\n")
    assert done.code == 0, done.err
    answers = [json.loads(line) for line in done.raw.splitlines()]
    return {answer["id"]: answer for answer in answers if "id" in answer}


def test_a_search_without_a_query_lists_the_newest_entries(host: Shell) -> None:
    host.run("save", "--kind", "decision", "--title", "Ports", "The staging port is 5433.")
    answer = talk(host, INITIALIZE, call(2, "memory_search", kind="decision"))[2]["result"]
    (found,) = answer["structuredContent"]["results"]
    assert (found["title"], answer["structuredContent"]["total"]) == ("Ports", 1)
    assert "The newest 1 of 1 entries." in answer["content"][0]["text"]


def test_a_host_that_may_only_read_is_offered_no_other_tool(host: Shell) -> None:
    before = kept(host)
    lines = [json.dumps(one) for one in (INITIALIZE, LIST, call(3, "memory_append", text="x"))]
    done = host.run("mcp", "--stdio", "--read-only", stdin="\n".join(lines).encode() + b"\n")
    listed, refused = [json.loads(line)["result"] for line in done.raw.splitlines()][1:]
    assert [tool["name"] for tool in listed["tools"]] == ["memory_search", "memory_recall"]
    assert refused["isError"] and "read only here" in refused["content"][0]["text"]
    assert kept(host) == before


def test_an_error_names_the_arguments_of_the_tool(host: Shell) -> None:
    answer = talk(host, INITIALIZE, call(2, "memory_append", text=""))[2]["result"]
    assert answer["isError"] and "give title or a text" in answer["content"][0]["text"]


@pytest.fixture(params=["alone", "bridged"])
def host(request: pytest.FixtureRequest, shell: Shell) -> Any:
    """A shell in which no server runs, and one in which one does."""
    if request.param == "alone":
        yield shell
    else:
        with serving(shell):
            yield shell


def test_where_memory_is_off_every_tool_says_so(host: Shell) -> None:
    (host.here / ".engrain.toml").write_text('memory = "off"\n')
    before = kept(host)
    answers = talk(
        host,
        INITIALIZE,
        READY,
        LIST,
        call(2, "memory_append", text="Use advisory locks for the nightly job."),
        call(3, "memory_search", query="locks"),
    )
    assert len(answers[1]["result"]["tools"]) == 4
    for identity in (2, 3):
        assert answers[identity]["result"]["isError"]
        assert "memory is off in" in answers[identity]["result"]["content"][0]["text"]
    assert kept(host) == before


def test_a_host_is_served_until_its_input_ends(host: Shell) -> None:
    before = kept(host)
    answers = talk(
        host,
        INITIALIZE,
        READY,
        LIST,
        call(2, "memory_append", text="Use advisory locks for the nightly job."),
        call(3, "memory_forget", id="nope"),
        {"jsonrpc": "2.0", "id": "four", "method": "no/such/method"},
    )
    assert answers[0]["result"]["serverInfo"]["name"] == "engrain"
    assert len(answers[1]["result"]["tools"]) == 4
    assert answers[2]["result"]["structuredContent"]["outcome"] == "created"
    assert answers[3]["result"]["isError"] is True
    assert "error" in answers["four"]
    assert kept(host) == before
    found = host.run("recall", "nightly job", "--json").answer["data"]
    assert len(found["results"]) == 1


def test_garbage_does_not_end_it(host: Shell) -> None:
    answers = talk(host, INITIALIZE, READY, b"{", b"[]", b"null", b"\xff\xfe", b"", LIST)
    assert len(answers[1]["result"]["tools"]) == 4


def test_no_input_at_all_is_an_end(host: Shell) -> None:
    done = host.run("mcp", "--stdio", stdin=b"")
    assert (done.code, done.raw) == (0, b"")


@pytest.mark.skipif(not hasattr(mcp, "Client"), reason="SDK 1 knows the handshake alone")
def test_the_protocol_without_a_handshake_is_bridged(shell: Shell) -> None:
    meta = {
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    }
    asked = call(1, "memory_append", text="The ledger export is signed – always.", title="Läuft")
    asked["params"]["_meta"] = meta  # type: ignore[index]
    found = call(2, "memory_recall", query="ledger export")
    found["params"]["_meta"] = meta  # type: ignore[index]
    with serving(shell):
        (answer,) = talk(shell, asked).values()
        told = talk(shell, found)
    assert answer["result"]["structuredContent"]["outcome"] == "created"
    assert "always" in told[2]["result"]["content"][0]["text"]


def test_the_bridge_says_in_which_project_the_host_is(shell: Shell) -> None:
    repository = shell.here / "rückgrat"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    with serving(shell):
        shell.here = repository
        saved = talk(shell, call(1, "memory_append", text="The ledger export is signed."))
        inside = talk(shell, call(2, "memory_recall", query="ledger export"))
        shell.here = shell.folder / "here"
        outside = talk(shell, call(3, "memory_recall", query="ledger export"))
    entry = saved[1]["result"]["structuredContent"]["id"]
    shown = shell.run("show", entry, "--json").answer["data"]
    assert shown["project"] == "rückgrat"
    assert len(inside[2]["result"]["structuredContent"]["results"]) == 1
    assert outside[3]["result"]["structuredContent"]["results"] == []


def test_a_preference_is_of_the_project_that_its_text_names_served_and_alone(host: Shell) -> None:
    repository = host.here / "billing"
    subprocess.run(["git", "init", "-q", str(repository)], check=True)
    host.here = repository
    saved = talk(
        host,
        call(1, "memory_append", text="In this project use tabs.", kind="preference"),
        call(2, "memory_append", text="Be brief.", kind="preference"),
        call(3, "memory_append", text="Tabs are not spaces.", kind="fix"),
    )
    projects = []
    for number in (1, 2, 3):
        entry = saved[number]["result"]["structuredContent"]["id"]
        shown = host.run("show", entry, "--json").answer["data"]
        projects.append(shown["project"])
    assert projects == ["billing", None, "billing"]


def test_what_a_host_appends_refers_to_a_session_of_its_own(host: Shell) -> None:
    appended = [
        talk(
            host,
            call(1, "memory_append", text=f"The {name} ledger is signed."),
            call(2, "memory_append", text=f"The {name} ledger is kept for ten years."),
        )
        for name in ("red", "blue")
    ]
    refs = []
    for answers in appended:
        for number in (1, 2):
            entry = answers[number]["result"]["structuredContent"]["id"]
            raw = host.run("show", entry, "--raw").out
            refs.append(next(line.strip() for line in raw.splitlines() if "ref:" in line))
    assert refs[0] == refs[1] != refs[2] == refs[3]


class Session:
    """A host that stays."""

    def __init__(self, shell: Shell) -> None:
        self.process = start(shell, "--stdio")
        self._count = 0

    def search(self) -> Any:
        """What a search finds, which needs a memory."""
        return self.ask("tools/call", **SEARCH)["result"]["structuredContent"]["results"]

    def ask(self, method: str = "tools/list", **params: object) -> dict[str, Any]:
        assert self.process.stdin and self.process.stdout
        self._count += 1
        message = {"jsonrpc": "2.0", "id": self._count, "method": method, "params": params}
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()
        answer = json.loads(self.process.stdout.readline())
        assert isinstance(answer, dict) and answer["id"] == self._count
        return answer

    def end(self) -> int:
        """End its input; the exit code."""
        self.process.communicate(timeout=20)
        return self.process.returncode


def test_a_host_outlives_its_server(shell: Shell) -> None:
    with serving(shell) as first:
        host = Session(shell)
        try:
            assert host.search() == []
            first.stop()
            with serving(shell) as second:
                assert host.search() == []  # of the second
                second.stop()
            assert host.search() == []  # of its own
            assert host.end() == 0
        finally:
            host.process.kill()
            host.process.wait()
    assert [name.rpartition(".")[2] for name in kept(shell)] == ["token"]


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_host_that_is_killed_leaves_nothing_but_a_socket_that_the_next_takes_over(
    host: Shell, how: int
) -> None:
    before = kept(host)
    session = Session(host)
    session.ask("initialize", **INITIALIZE["params"])  # type: ignore[arg-type]
    session.process.send_signal(how)
    session.process.communicate(timeout=10)
    place = {"hooks.sock", "hooks.sock.lock"}
    assert {*kept(host)} - place == {*before} - place
    assert host.run("save", "It can still be written.").code == 0


def stop(server: Server) -> None:
    """Suspend a server, as Ctrl-Z does; its sockets still take connections."""
    server.process.send_signal(signal.SIGSTOP)
    os.waitpid(server.pid, os.WUNTRACED)


def test_a_host_does_without_a_server_that_is_stopped(shell: Shell) -> None:
    started = time.monotonic()
    alone = Session(shell)
    assert alone.search() == []
    own_start = time.monotonic() - started
    assert alone.end() == 0
    with serving(shell) as server:
        before, after = Session(shell), None
        try:
            assert before.search() == []
            stop(server)
            started = time.monotonic()
            assert before.search() == []
            assert time.monotonic() - started < 5 + 3 * own_start  # it has to start one of its own
            saved = before.ask("tools/call", name="memory_append", arguments={"text": "It waves."})
            assert saved["result"]["structuredContent"]["outcome"] == "created"
            after = Session(shell)
            assert len(after.search()) == 1
        finally:
            server.process.send_signal(signal.SIGCONT)
            for host in (before, after):
                assert host is None or host.end() == 0
        assert server.call("memory_search", query="waves")["isError"] is False


def test_a_host_does_without_a_server_that_is_stopped_while_it_works(shell: Shell) -> None:
    shell.run("save", "The lighthouse counts the waves.", "--title", "Waves")
    with serving(shell) as server:
        host = Session(shell)
        try:
            assert len(host.search()) == 1
            folder = os.open(shell.vault, os.O_RDONLY)
            fcntl.flock(folder, fcntl.LOCK_EX)  # so that the server has to wait for the lock
            asking = threading.Thread(
                target=lambda: answers.append(
                    host.ask("tools/call", name="memory_append", arguments={"text": "It waves."})
                )
            )
            answers: list[dict[str, Any]] = []
            asking.start()
            time.sleep(1)
            stop(server)
            os.close(folder)
            asking.join(60)
            assert answers[0]["result"]["structuredContent"]["outcome"] == "created"
        finally:
            server.process.send_signal(signal.SIGCONT)
            host.end()
    listed = shell.run("list", "--json").answer["data"]
    assert listed["total"] == 2


def test_a_host_does_without_a_server_that_answers_nobody(shell: Shell) -> None:
    with serving(shell) as server:
        assert server.stop(signal.SIGKILL) == -signal.SIGKILL
        os.unlink(server.socket)
        with socket.socket(socket.AF_UNIX) as mute:
            mute.bind(server.socket)
            mute.listen(64)
            assert (
                "structuredContent"
                in talk(shell, call(1, "memory_search", query="waves"))[1]["result"]
            )


def test_a_host_does_without_a_server_that_takes_no_more_connections(shell: Shell) -> None:
    with serving(shell) as server:
        assert server.stop(signal.SIGKILL) == -signal.SIGKILL
        os.unlink(server.socket)
        with ExitStack() as stack:
            full = stack.enter_context(socket.socket(socket.AF_UNIX))
            full.bind(server.socket)
            full.listen(0)
            for _ in range(4):
                waiting = stack.enter_context(socket.socket(socket.AF_UNIX))
                waiting.setblocking(False)
                waiting.connect_ex(server.socket)
            assert (
                "structuredContent"
                in talk(shell, call(1, "memory_search", query="waves"))[1]["result"]
            )


class Slow(threading.Thread):
    """A server that is alive and takes its time over what it is asked with a token."""

    def __init__(self, path: str, seconds: float) -> None:
        super().__init__(daemon=True)
        self._seconds = seconds
        self._socket = socket.socket(socket.AF_UNIX)
        self._socket.bind(path)
        self._socket.listen(16)
        self.probes = 0

    def run(self) -> None:
        while True:
            connection, _ = self._socket.accept()
            threading.Thread(target=self._answer, args=(connection,), daemon=True).start()

    def _answer(self, connection: socket.socket) -> None:
        with connection:
            if connection.recv(65536).startswith(b"POST"):
                time.sleep(self._seconds)
            else:
                self.probes += 1
            connection.sendall(b"HTTP/1.0 200 OK\r\n\r\n{}")


def test_a_server_that_is_slow_and_alive_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "token").write_text("0" * 64)
    slow = Slow(str(tmp_path / "s"), 2.5)
    slow.start()
    running = Running(os.getpid(), None, str(tmp_path / "s"), str(tmp_path / "token"))
    assert Remote(running, lambda: False, None, "s").ask({}) == {}
    assert 1 <= slow.probes < 10


def test_many_hosts_write_at_once_and_nothing_is_lost(shell: Shell) -> None:
    def work(number: int) -> None:
        messages = [
            call(at, "memory_append", text=f"Host {number} says sentence {at}.")
            for at in range(1, 11)
        ]
        answers = talk(shell, INITIALIZE, READY, *messages)
        for message in messages:
            done.append(answers[message["id"]]["result"]["structuredContent"]["outcome"])

    done: list[str] = []
    with serving(shell):
        hosts = [threading.Thread(target=work, args=(number,)) for number in range(4)]
        for one in hosts:
            one.start()
        for one in hosts:
            one.join()
    assert done == ["created"] * 40
    listed = shell.run("list", "--json", "--limit", "1").answer["data"]
    assert listed["total"] == 40


def run_without_fastmcp(shell: Shell, after: str, *messages: object) -> dict[Any, dict[str, Any]]:
    """What a bridge answers that can't import FastMCP; `after` is run in it at its end."""
    code = (
        "import sys; sys.modules['fastmcp'] = None\n"
        "sys.argv[1:] = ['mcp', '--stdio']\n"
        f"from engrain.__main__ import main\nmain()\n{after}"
    )
    done = subprocess.run(
        [sys.executable, "-c", code],
        input=b"".join(json.dumps(one).encode() + b"\n" for one in messages),
        capture_output=True,
        cwd=shell.here,
        env=shell.environ,
        timeout=30,
        check=False,
    )
    assert done.returncode == 0, done.stderr.decode()
    return {one["id"]: one for one in map(json.loads, done.stdout.splitlines())}


def test_a_bridge_needs_no_fastmcp(host: Shell) -> None:
    asked = call(2, "memory_append", text="It waves.")
    answers = run_without_fastmcp(host, "", INITIALIZE, READY, LIST, asked)
    assert len(answers[1]["result"]["tools"]) == 4
    assert answers[2]["result"]["structuredContent"]["outcome"] == "created"


def test_what_lists_the_tools_loads_next_to_nothing(shell: Shell) -> None:
    slow = (
        "slow = {'asyncio', 'pydantic', 'http.client', 'ssl', 'apsw', 'yaml',"
        " 'argparse', 'engrain.wiring'}\n"
        "assert not slow & set(sys.modules), slow & set(sys.modules)\n"
    )
    answers = run_without_fastmcp(shell, slow, INITIALIZE, READY, LIST)
    assert len(answers[1]["result"]["tools"]) == 4


class Patient:
    """A target that answers when it is let."""

    def __init__(self) -> None:
        self.asked = threading.Semaphore(0)
        self.let = threading.Event()

    def ask(self, request: dict[str, Any]) -> dict[str, Any]:
        self.asked.release()
        assert self.let.wait(10)
        return {"result": {"said": request["params"]["name"]}}


def test_what_is_cancelled_gets_no_answer(tmp_path: Path) -> None:
    target, output = Patient(), io.BytesIO()
    host, end = socket.socketpair()
    bridge = Bridge(lambda _: target, output, lambda: None)
    with host, end, end.makefile("rb") as lines:
        running = threading.Thread(target=bridge.run, args=(lines,))
        running.start()
        host.sendall(json.dumps(call(1, "one")).encode() + b"\n")
        assert target.asked.acquire(timeout=10)
        cancel = {"method": "notifications/cancelled", "params": {"requestId": 1}}
        for message in (cancel, call(2, "two")):
            host.sendall(json.dumps(message).encode() + b"\n")
        host.shutdown(socket.SHUT_WR)
        assert target.asked.acquire(timeout=10)  # the second call is read behind the notice
        target.let.set()
        running.join(10)
    answers = [json.loads(line) for line in output.getvalue().splitlines()]
    assert [(one["id"], one["result"]["said"]) for one in answers] == [(2, "two")]


def test_a_request_that_is_too_large_is_refused_by_its_id(shell: Shell) -> None:
    large = call(1, "memory_append", text="x" * MAX_BODY)
    endless = b'{"id": 2, "method": "tools/call", "params": "' + b"x" * 17 * MAX_BODY + b'"}'
    answers = talk(shell, large, endless, {**LIST, "id": 3})
    assert "send less text" in answers[1]["error"]["message"]
    assert answers[None]["error"]["message"] == "not JSON"
    assert len(answers[3]["result"]["tools"]) == 4


def test_without_a_vault_the_tools_are_listed_and_a_call_says_what_to_do(tmp_path: Path) -> None:
    bare = Shell(tmp_path / "bare", configured=False)
    answers = talk(bare, INITIALIZE, LIST, call(2, "memory_recall", query="waves"))
    assert len(answers[1]["result"]["tools"]) == 4
    assert answers[2]["result"]["isError"] is True
    assert "engrain init" in answers[2]["result"]["content"][0]["text"]


def test_a_host_that_no_longer_reads_ends_it(shell: Shell) -> None:
    process = start(shell, "--stdio")
    assert process.stdin and process.stdout and process.stderr
    process.stdout.close()
    for _ in range(2):
        with contextlib.suppress(BrokenPipeError):
            process.stdin.write(json.dumps(LIST).encode() + b"\n")
            process.stdin.flush()
    assert process.wait(10) == 0
    assert process.stderr.read() == b""
    with contextlib.suppress(BrokenPipeError):
        process.stdin.close()
    process.stderr.close()
