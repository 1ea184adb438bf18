"""One server a vault: by real processes, started together, stopped and killed."""

from __future__ import annotations

import json
import os
import signal
import stat
import sys
import time
from contextlib import suppress
from pathlib import Path

import pytest

from engrain.adapters.mcp.singleton import Place, _write_private, claim_place, find_running
from engrain.model.errors import LockedError
from engrain.resolution.installation import compose_install
from engrain.resolution.selector import Resolution, resolve
from unit.adapters.mcp.served import LIST, alive, kept, run_path, serving, start
from unit.adapters.shell import CommandLine, Shell


def resolution_of(shell: Shell) -> Resolution:
    return resolve({}, shell.environ, str(shell.here))


def test_a_second_start_finds_the_first(shell: Shell) -> None:
    with serving(shell) as server:
        second = shell.run("mcp", "--json")
        assert second.code == 0
        told = second.answer["data"]
        assert (told["pid"], told["url"]) == (server.pid, server.url)
        assert told["started"] is False
        plain = shell.run("mcp", "--socket")
        assert plain.code == 0
        assert f"already served by process {server.pid}: {server.url}" in plain.out


def test_of_many_that_start_at_once_one_serves(shell: Shell) -> None:
    starts = [start(shell, "--json") for _ in range(4)]
    try:
        lines = [process.stdout.readline() for process in starts if process.stdout]
        told = [json.loads(line)["data"] for line in lines]
        assert len({one["pid"] for one in told}) == 1
        assert sorted(one["started"] for one in told) == [False, False, False, True]
    finally:
        for process in starts:
            process.kill()
            process.communicate()


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP])
def test_a_signal_ends_it_and_nothing_is_left(shell: Shell, how: int) -> None:
    with serving(shell) as server:
        assert server.post(LIST).status == 200
        assert server.stop(how) == 0
        assert server.process.stderr and server.process.stderr.read() == b""
    assert [name.rpartition(".")[2] for name in kept(shell)] == ["token"]


def test_a_signal_before_it_is_ready_ends_it_too(shell: Shell) -> None:
    with serving(shell) as server:
        assert server.stop() == 0  # It said where it is before FastMCP was loaded.
    assert [name.rpartition(".")[2] for name in kept(shell)] == ["token"]


def test_what_a_killed_server_left_is_in_nobodys_way(shell: Shell) -> None:
    with serving(shell) as first:
        token = first.token
        first.stop(signal.SIGKILL)
        assert len(kept(shell)) == 6
        assert find_running(resolution_of(shell)) is None
        with serving(shell) as second:
            assert second.token == token
            assert second.post(LIST).status == 200
            assert second.post(LIST, way="socket").status == 200
            assert second.stop() == 0


def test_only_its_user_can_reach_it(shell: Shell) -> None:
    with serving(shell):
        folder = run_path(shell.state)
        assert stat.S_IMODE(folder.stat().st_mode) == 0o700
        modes = {path.name.rpartition(".")[2]: path.stat().st_mode for path in folder.iterdir()}
    assert set(modes) == {"json", "lock", "sock", "token"}
    assert {stat.S_IMODE(mode) for mode in modes.values()} == {0o600}
    assert stat.S_ISSOCK(modes["sock"])


def test_the_socket_alone_has_no_port(shell: Shell) -> None:
    with serving(shell, "--socket") as server:
        assert server.url is None
        assert server.post(LIST, way="socket").status == 200
        inodes = {link for link in _links(server.pid) if link.startswith("socket:")}
        with open(f"/proc/{server.pid}/net/tcp") as file:
            listening = [line.split()[9] for line in file if line.split()[3] == "0A"]
        assert not {f"socket:[{inode}]" for inode in listening} & inodes


def _links(pid: int) -> list[str]:
    """Where the descriptors of a process lead; of one that it closes just now nothing is said."""
    folder = f"/proc/{pid}/fd"
    links = []
    for name in os.listdir(folder):
        with suppress(FileNotFoundError):
            links.append(os.readlink(f"{folder}/{name}"))
    return links


def test_two_vaults_have_two_servers(shell: Shell) -> None:
    other = shell.folder / "other"
    assert shell.run("init", "--vault", str(other)).code == 0
    with serving(shell) as first, serving(shell, "--vault", str(other)) as second:
        assert first.pid != second.pid
        assert first.socket != second.socket
        assert first.token != second.token
        assert second.post(LIST, token=first.token).status == 401


def test_a_port_can_be_chosen_and_one_that_is_taken_is_named(shell: Shell) -> None:
    other = shell.folder / "other"
    assert shell.run("init", "--vault", str(other)).code == 0
    with serving(shell) as server:
        assert server.url
        port = server.url.removesuffix("/mcp").rpartition(":")[2]
        taken = shell.run("mcp", "--vault", str(other), "--port", port)
        assert taken.code == 1
        assert f"127.0.0.1:{port}" in taken.err
        assert "--port" in taken.err
        assert server.stop() == 0
    with serving(shell, "--port", port) as again:
        assert again.url == server.url


def test_a_server_keeps_no_folder_busy(shell: Shell) -> None:
    with serving(shell) as server:
        assert os.readlink(f"/proc/{server.pid}/cwd") == "/"


@pytest.mark.parametrize(
    "options", [("--socket", "--port", "1"), ("--stdio", "--port", "1"), ("--port", "70000")]
)
def test_options_that_make_no_sense_are_refused(cli: CommandLine, options: tuple[str, ...]) -> None:
    assert cli("mcp", *options).code == 2


def test_without_fastmcp_it_says_how_to_install_it(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "fastmcp", None)
    for way in ("--http", "--socket"):
        done = cli("mcp", way)
        assert done.code == 1
        assert compose_install("mcp") in done.err
        assert len(done.err.splitlines()) == 1
        assert not done.raw
    assert list(run_path(cli.state).iterdir()) == []


def test_between_pipes_it_speaks_the_protocol_and_with_a_flag_it_serves(shell: Shell) -> None:
    process = start(shell, "--no-jobs")
    told, _ = process.communicate(json.dumps(LIST).encode() + b"\n", timeout=60)
    assert {one["name"] for one in json.loads(told)["result"]["tools"]} >= {"memory_search"}
    for options in (("--socket",), ("--json",)):
        process = start(shell, "--no-jobs", *options)
        try:
            assert process.stdout
            assert b"mcp.sock" in process.stdout.readline()
        finally:
            process.kill()
            process.communicate()


def test_a_vault_that_is_not_there_is_reported(shell: Shell) -> None:
    done = shell.run("mcp", "--http", "--vault", str(shell.folder / "none"))
    assert done.code == 5
    assert not done.raw


def test_who_holds_the_place_and_is_silent_is_waited_for_only_so_long(
    shell: Shell, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engrain.adapters.mcp.singleton._WAIT", 0.2)
    resolution = resolution_of(shell)
    place = claim_place(resolution)
    assert isinstance(place, Place)
    with place, pytest.raises(LockedError, match="without an address"):
        claim_place(resolution)
    again = claim_place(resolution)
    assert isinstance(again, Place)
    with again:
        assert find_running(resolution) is None


@pytest.mark.parametrize("garbage", [b"", b"{", b"[]", b'{"pid": 1}', b"\xff", b"null"])
def test_a_description_that_is_garbage_is_none(shell: Shell, garbage: bytes) -> None:
    with serving(shell):
        description = next(run_path(shell.state).glob("*.json"))
        description.write_bytes(garbage)
        assert find_running(resolution_of(shell)) is None


def test_a_token_that_was_spoilt_is_made_anew(shell: Shell) -> None:
    with serving(shell) as server:
        server.stop()
        server.token_file.write_text("short\n")
    with serving(shell) as server:
        assert len(server.token) == 64
        assert server.post(LIST).status == 200


def test_stopping_waits_for_no_idle_client(shell: Shell) -> None:
    with serving(shell) as server:
        idle = server.connect("tcp")
        idle.connect()
        server.process.send_signal(signal.SIGTERM)
        server.process.wait(30)
        assert not alive(server.pid)
        idle.close()


def test_a_signal_while_the_server_starts_ends_it(shell: Shell) -> None:
    for moment in (0.0, 0.1, 0.2, 0.4):  # while it imports, and while other threads do
        with serving(shell) as server:
            time.sleep(moment)
            assert server.stop() == 0
            assert not alive(server.pid)


def test_a_token_is_whole_however_few_bytes_a_write_takes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda file, raw: write(file, bytes(raw)[:3]))
    place = tmp_path / "token"
    _write_private(str(place), "x" * 64 + "\n")
    assert place.read_text() == "x" * 64 + "\n"
    assert stat.S_IMODE(place.stat().st_mode) == 0o600
