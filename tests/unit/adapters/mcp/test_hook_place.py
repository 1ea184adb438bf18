"""Hooks answered by the bridge that a host runs anyway, and by another one when that has ended."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain.resolution.endpoint import find_peer
from unit.adapters.mcp.served import INITIALIZE, LIST, kept, run_path, serving, start, wait_until
from unit.adapters.shell import Shell

SOON = 1.0
"""Seconds in which a bridge has done what it does at its start."""
LONG = 60.0
"""Seconds that a process may take to open a memory, however loaded the machine is."""


@pytest.fixture
def desk(shell: Shell) -> Shell:
    """A vault with something to tell."""
    text = "The nightly billing job takes an advisory lock in Postgres; a second run waits."
    assert shell.run("save", text, "--title", "Nightly lock", "--kind", "fix").code == 0
    return shell


@contextlib.contextmanager
def hosting(shell: Shell) -> Iterator[subprocess.Popen[bytes]]:
    """A host that has got its tools, for the length of a block."""
    process = start(shell, "--stdio")
    try:
        assert process.stdin and process.stdout
        for message in (INITIALIZE, LIST):
            process.stdin.write(json.dumps(message).encode() + b"\n")
            process.stdin.flush()
            assert "result" in json.loads(process.stdout.readline())
        yield process
    finally:
        process.kill()
        process.communicate()


def socket_of(shell: Shell) -> Path:
    return run_path(shell.state) / "hooks.sock"


def answering(shell: Shell) -> int:
    """The process that takes hooks, 0 for none."""
    with socket.socket(socket.AF_UNIX) as connection:
        try:
            connection.connect(str(socket_of(shell)))
        except OSError:
            return 0
        return find_peer(connection)


def ask(shell: Shell) -> bool:
    """Have a prompt's hook answered; whether a bridge did it."""
    payload = {"session_id": os.urandom(4).hex(), "prompt": "how does the billing job lock?"}
    done = subprocess.run(
        [sys.executable, "-m", "engrain", "hook", "prompt", "--host", "opencode"],
        input=json.dumps(payload).encode(),
        capture_output=True,
        cwd=shell.here,
        env=shell.environ,
        timeout=30,
        check=True,
    )
    warm = (shell.state / "hooks.times").read_text().splitlines()[-1:]
    return "advisory lock" in str(json.loads(done.stdout)) and warm[0].endswith(" 1")


def is_answered(shell: Shell) -> bool:
    """Whether one of some hooks gets its answer: a busy machine may be late for the first."""
    (shell.state / "hooks.times").write_text("0 prompt opencode 0 0\n")
    return any(ask(shell) for _ in range(10))


def test_a_hosts_bridge_answers_hooks(desk: Shell) -> None:
    assert not is_answered(desk)
    with hosting(desk) as host:
        wait_until(lambda: answering(desk) == host.pid, LONG)
        assert is_answered(desk)
        assert not host.poll()
        host.communicate(timeout=20)  # its input ends
    assert kept(desk) == []
    assert not is_answered(desk)


def test_hooks_find_a_bridge_before_its_host_has_sent_a_word(desk: Shell) -> None:
    process = start(desk, "--stdio")
    try:
        wait_until(lambda: answering(desk) == process.pid, LONG)
        assert is_answered(desk)
    finally:
        process.kill()
        process.communicate()


@pytest.mark.parametrize("how", [signal.SIGKILL, signal.SIGTERM, None])
def test_another_takes_over_when_one_ends(desk: Shell, how: int | None) -> None:
    with hosting(desk) as first:
        wait_until(lambda: answering(desk) == first.pid, LONG)
        with hosting(desk) as second:
            time.sleep(SOON)
            assert answering(desk) == first.pid
            if how is None:
                first.communicate(timeout=20)
            else:
                first.send_signal(how)
                assert first.wait(20) == -how
            wait_until(lambda: answering(desk) == second.pid, LONG)
            assert is_answered(desk)
            second.communicate(timeout=20)
    assert kept(desk) == []  # what a killed one left was taken over


def test_a_server_is_left_its_hooks_and_followed(desk: Shell) -> None:
    with serving(desk) as server:
        wait_until(lambda: answering(desk) == server.pid, LONG)
        with hosting(desk) as host:
            time.sleep(SOON)
            assert answering(desk) == server.pid
            assert server.stop(signal.SIGKILL) == -signal.SIGKILL
            wait_until(lambda: answering(desk) == host.pid, LONG)
            assert is_answered(desk)


def test_a_server_that_comes_later_takes_over_too(desk: Shell) -> None:
    with hosting(desk) as host:
        wait_until(lambda: answering(desk) == host.pid, LONG)
        with serving(desk) as server:
            assert answering(desk) == host.pid
            host.communicate(timeout=20)
            wait_until(lambda: answering(desk) == server.pid, LONG)
            assert server.stop() == 0
    assert [name.rpartition(".")[2] for name in kept(desk)] == ["token"]


def test_a_bridge_answers_only_hooks_that_would_recall_as_it_does(desk: Shell) -> None:
    (desk.here / ".engrain.toml").write_text('profile = "deep"\n')
    with hosting(desk) as host:
        wait_until(lambda: answering(desk) == host.pid, LONG)
        assert is_answered(desk)
        (desk.here / ".engrain.toml").unlink()
        assert not is_answered(desk)


def test_of_two_bridges_that_start_at_once_one_answers(desk: Shell) -> None:
    with hosting(desk) as one, hosting(desk) as other:
        wait_until(lambda: answering(desk) in (one.pid, other.pid), LONG)
        assert is_answered(desk)
        first, second = (one, other) if answering(desk) == one.pid else (other, one)
        first.kill()
        first.wait(20)
        wait_until(lambda: answering(desk) == second.pid, LONG)
        assert is_answered(desk)


def test_a_bridge_answers_the_hooks_of_another_vault_too(desk: Shell, tmp_path: Path) -> None:
    other = tmp_path / "other vault"
    text = "An advisory lock keeps the billing job apart."
    assert desk.run("init", str(other)).code == 0
    desk.run("save", text, "--vault", str(other), "--kind", "fix")
    with hosting(desk) as host:
        wait_until(lambda: answering(desk) == host.pid, LONG)
        desk.environ["ENGRAIN_VAULT"] = str(other)
        assert is_answered(desk)


def test_a_vault_that_is_not_there_ends_no_bridge(desk: Shell) -> None:
    desk.vault.rename(desk.folder / "elsewhere")
    with hosting(desk) as host:
        wait_until(lambda: answering(desk) == 0, LONG)
        assert host.poll() is None
