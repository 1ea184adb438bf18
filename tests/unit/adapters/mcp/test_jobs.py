"""Jobs beside what is served: they run, block nobody, outlive the server, and honour the claim."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path

import pytest

from engrain import Memory, open_memory
from engrain.adapters.mcp.jobs import running_jobs
from engrain.engine.core.scope import Scope
from engrain.lifecycle.sessions.sessions import STOP, mark_session
from engrain.resolution.jobs_process import JobsProcess
from engrain.resolution.selector import resolve
from engrain.state.job_log import JobLog
from support.transcripts import ClaudeCode
from unit.adapters.mcp.served import serving, wait_until
from unit.adapters.shell import Shell

EVERYWHERE = Scope(all_projects=True)


@pytest.fixture
def swept() -> None:
    """No server runs here but where a test says so."""


@pytest.fixture(autouse=True)
def unrested(monkeypatch: pytest.MonkeyPatch) -> None:
    """A process of jobs may start again at once."""
    monkeypatch.setattr("engrain.resolution.jobs_process.REST", 0)
    monkeypatch.setattr("engrain.adapters.mcp.jobs.REST", 0)


def open_at(away: Path) -> Memory:
    """Open the vault of a folder, by the clock that a process of jobs has."""
    return open_memory(away / "vault", state_dir=away / "state", create=True)


def process_of(away: Path) -> JobsProcess:
    """The process of jobs of that vault."""
    where = {"vault": str(away / "vault"), "state_dir": str(away / "state")}
    return JobsProcess(resolve(where, os.environ, str(away)), None)


@contextmanager
def beside(
    away: Path, every: float = 3600.0, settling: float = 0.01, look: float = 0.05
) -> Iterator[JobsProcess]:
    """Jobs beside whatever the block does; what runs last has ended then."""
    process = process_of(away)
    with running_jobs(lambda: open_at(away), process, every, settling, look):
        yield process
    if process._process is not None:
        process._process.wait(30)


def outcomes(memory: Memory) -> set[str | None]:
    return {state.status.outcome if state.status else None for state in memory.jobs.status()}


@pytest.mark.skipif(os.name != "posix", reason="priorities are those of POSIX")
def test_what_is_due_runs_in_a_process_of_low_priority_while_others_call(away: Path) -> None:
    with open_at(away) as memory, beside(away) as process:
        wait_until(lambda: process._process is not None)
        started = process._process
        assert started is not None
        wait_until(lambda: "running" in outcomes(memory))
        assert os.getpriority(os.PRIO_PROCESS, started.pid) > os.getpriority(os.PRIO_PROCESS, 0)
        memory.save("Rebase before you push.", kind="workflow")
        assert len(memory.recall("rebase").results) == 1
        wait_until(lambda: outcomes(memory) == {"ok"}, 30)


def test_a_process_of_jobs_outlives_the_server(away: Path) -> None:
    with open_at(away) as memory:
        with beside(away) as process:
            wait_until(lambda: process._process is not None)
            assert "ok" not in outcomes(memory)
        assert outcomes(memory) == {"ok"}


def test_a_process_starts_only_where_something_is_due(away: Path) -> None:
    with open_at(away) as memory:
        memory.jobs.run()
        with beside(away) as process:
            time.sleep(0.5)
            assert process._process is None


@pytest.mark.skipif(os.name != "posix", reason="one at a time where there are kernel locks")
def test_one_process_of_jobs_at_a_time_runs_on_a_device(away: Path) -> None:
    with open_at(away) as memory, beside(away) as process:
        wait_until(lambda: process._process is not None)
        other = process_of(away)
        other.start()
        assert other._process is None
        wait_until(lambda: not process.is_resting(), 30)
        other.start()
        assert other._process is not None
        assert other._process.wait(30) == 0
        assert outcomes(memory) == {"ok"}


def test_between_two_rounds_what_was_written_in_place_is_found(
    away: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engrain.adapters.mcp.jobs.SCAN", 0.05)
    with open_at(away) as memory:
        saved = memory.save("The sluice is shut.", title="Sluice", kind="fix")
        memory.jobs.run()
        path = away / "vault" / saved.locator
        with beside(away):
            time.sleep(0.3)  # the first round is over
            path.write_bytes(path.read_bytes().replace(b"shut", b"open"))
            wait_until(lambda: bool(memory.recall("open", scan=False).results))


def test_a_round_is_left_out_while_another_runs_them(away: Path) -> None:
    with open_at(away) as memory:
        memory.scan()
    (vault,) = (away / "state" / "vaults").iterdir()
    log = JobLog(str(vault / "jobs"))
    with ExitStack() as held:
        held.enter_context(log.claim())
        with beside(away, every=0.05) as process:
            wait_until(lambda: process._process is not None)
            wait_until(lambda: process._began > 0 and not process.is_resting(), 30)
            assert not log.read_status()
            held.close()
            wait_until(lambda: bool(log.read_status()), 30)


def test_a_server_runs_jobs_and_one_told_not_to_does_not(tmp_path: Path) -> None:
    shell = Shell(tmp_path)
    assert shell.run("init").code == 0
    with serving(shell, "--no-jobs") as quiet, serving(_second(tmp_path)) as server:
        other = tmp_path / "second" / "state"
        wait_until(lambda: list(other.rglob("jobs/log.jsonl")), 30)
        assert list(shell.state.rglob("jobs/*")) == []
        assert server.stop() in (0, -15)
        assert quiet.stop() in (0, -15)
    (log,) = other.rglob("jobs/log.jsonl")
    assert json.loads(log.read_text().splitlines()[0])["job"] == "scan"


def _second(folder: Path) -> Shell:
    shell = Shell(folder / "second")
    assert shell.run("init").code == 0
    return shell


def test_a_turn_that_ended_is_learned_from_soon_and_the_last_one_at_the_end(
    away: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(away / "claude"))
    monkeypatch.setenv("ENGRAIN_LEARN", "rules")
    folder = away / "claude" / "projects" / "-shop"
    folder.mkdir(parents=True)
    lines = ClaudeCode("s1")

    def episodes() -> list[str]:
        return [row.title for row in memory.episodes.list(scope=EVERYWHERE).rows]

    def end_turn(goal: str) -> None:
        path = folder / "s1.jsonl"
        path.write_bytes(lines.request(goal).run("npm test", "12 passed").raw)
        told = {"host": "claude-code", "transcript": str(path)}
        mark_session(memory.journal, "s1", time.time(), STOP, **told)

    with open_at(away) as memory:
        memory.jobs.run()
        with beside(away):
            end_turn("Weigh the anchor.")
            wait_until(lambda: episodes() == ["Weigh the anchor."], 30)
            end_turn("Add a flag to the mast.")
            wait_until(lambda: len(episodes()) == 2, 30)
        with beside(away, settling=60.0):
            end_turn("Drop the anchor.")
        assert len(episodes()) == 3


def test_a_bridge_learns_from_what_ended_before_it_though_nobody_calls_a_tool(
    tmp_path: Path,
) -> None:
    shell = Shell(tmp_path)
    shell.environ |= {"ENGRAIN_LEARN": "rules"}
    assert shell.run("init").code == 0
    folder = shell.home / ".claude" / "projects" / "-shop"
    folder.mkdir(parents=True)
    path = folder / "s1.jsonl"
    path.write_bytes(ClaudeCode("s1").request("Weigh the anchor.").run("npm test", "1 passed").raw)
    told = {"session_id": "s1", "transcript_path": str(path), "cwd": str(shell.here)}
    for event in ("stop", "session-end"):
        hook = shell.run("hook", event, "--host", "claude-code", stdin=json.dumps(told).encode())
        assert hook.code == 0
    with subprocess.Popen(
        [sys.executable, "-m", "engrain", "mcp", "--stdio"],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE, cwd=shell.here, env=shell.environ,
    ) as bridge:  # fmt: skip
        assert bridge.stdin is not None
        bridge.stdin.write(b'{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}\n')
        bridge.stdin.flush()
        wait_until(lambda: list(shell.vault.glob("Memory/episodic/*/ep-*.json")), 30)
        bridge.stdin.close()
        assert bridge.wait(20) == 0
    (episode,) = shell.vault.glob("Memory/episodic/*/ep-*.json")
    assert "Weigh the anchor." in episode.read_text()
