"""stdio: one host, through the server that runs or in a process of its own."""

from __future__ import annotations

import json
import signal
import subprocess
import sys
import threading
from typing import Any

import mcp
import pytest

from unit.adapters.mcp.served import (
    INITIALIZE,
    LIST,
    kept,
    serving,
    start,
)
from unit.adapters.shell import Shell

READY = {"jsonrpc": "2.0", "method": "notifications/initialized"}


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


@pytest.fixture(params=["alone", "bridged"])
def host(request: pytest.FixtureRequest, shell: Shell) -> Any:
    """A shell in which no server runs, and one in which one does."""
    if request.param == "alone":
        yield shell
    else:
        with serving(shell):
            yield shell


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
    assert isinstance(found, dict) and len(found["results"]) == 1


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
    read = {"jsonrpc": "2.0", "id": 2, "method": "resources/read"}
    with serving(shell):
        (answer,) = talk(shell, asked).values()
        uri = f"memory://entry/{answer['result']['structuredContent']['id']}"
        told = talk(shell, {**read, "params": {"uri": uri, "_meta": meta}})
    assert "always" in told[2]["result"]["contents"][0]["text"]


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
    assert isinstance(shown, dict) and shown["project"] == "rückgrat"
    assert len(inside[2]["result"]["structuredContent"]["results"]) == 1
    assert outside[3]["result"]["structuredContent"]["results"] == []


class Session:
    """A host that stays."""

    def __init__(self, shell: Shell) -> None:
        self.process = start(shell, "--stdio")
        self._count = 0

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
            assert "result" in host.ask()
            first.stop()
            with serving(shell) as second:
                assert "result" in host.ask()  # of the second
                second.stop()
            assert "result" in host.ask()  # of its own
            assert host.end() == 0
        finally:
            host.process.kill()
            host.process.wait()
    assert [name.rpartition(".")[2] for name in kept(shell)] == ["token"]


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGKILL])
def test_a_host_that_is_killed_leaves_nothing(host: Shell, how: int) -> None:
    before = kept(host)
    session = Session(host)
    session.ask("initialize", **INITIALIZE["params"])  # type: ignore[arg-type]
    session.process.send_signal(how)
    session.process.communicate(timeout=10)
    assert kept(host) == before
    assert host.run("save", "It can still be written.").code == 0


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
    assert isinstance(listed, dict) and listed["total"] == 40


def test_a_bridge_needs_no_fastmcp_and_loads_none(shell: Shell) -> None:
    code = (
        "import sys; sys.modules['fastmcp'] = None\n"
        "from engrain.adapters.cli.main import run\n"
        "assert run(['mcp', '--stdio']) == 0\n"
        "slow = {'mcp', 'asyncio', 'pydantic', 'http.client', 'hashlib', 'ssl', 'apsw', 'yaml'}\n"
        "assert not slow & set(sys.modules), slow & set(sys.modules)\n"
    )
    with serving(shell):
        done = subprocess.run(
            [sys.executable, "-c", code],
            input=json.dumps(LIST).encode() + b"\n",
            capture_output=True,
            cwd=shell.here,
            env=shell.environ,
            timeout=30,
            check=False,
        )
    assert done.returncode == 0, done.stderr.decode()
    assert len(json.loads(done.stdout)["result"]["tools"]) == 4
