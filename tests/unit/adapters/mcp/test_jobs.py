"""Jobs beside what is served: they run, block nobody, end with the server, and honour the claim."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from contextlib import ExitStack
from pathlib import Path
from threading import Event

import pytest

from engrain import Memory
from engrain.adapters.mcp.jobs import running_jobs
from engrain.engine.core.scope import Scope
from engrain.lifecycle.jobs import table as jobs
from engrain.lifecycle.sessions.sessions import STOP, mark_session
from engrain.state.job_log import open_job_log
from support.transcripts import ClaudeCode
from support.vaults import FakeClock, make_memory
from unit.adapters.mcp.served import serving, wait_until
from unit.adapters.shell import Shell
from unit.lifecycle.jobs.sample_jobs import ran, table

EVERYWHERE = Scope(all_projects=True)


@pytest.fixture
def few(monkeypatch: pytest.MonkeyPatch) -> None:
    """Jobs of our own in the place of those there are."""
    ran.clear()
    for name in reversed(list(jobs.JOBS)):  # which puts them back in their order
        monkeypatch.delitem(jobs.JOBS, name)
    for name, job in table("first", "greedy").items():
        monkeypatch.setitem(jobs.JOBS, name, job)


@pytest.fixture
def swept() -> None:
    """No server runs here but where a test says so."""


def outcomes(memory: Memory) -> list[str | None]:
    return [state.status.outcome if state.status else None for state in memory.jobs.status()]


@pytest.mark.usefixtures("few")
def test_what_is_due_runs_while_others_call_and_stops_with_the_block(away: Path) -> None:
    usual = sys.getswitchinterval()
    with make_memory(away) as memory:
        with running_jobs(lambda: make_memory(away), 3600.0, settling=0.01):
            wait_until(lambda: "greedy" in ran)
            assert outcomes(memory) == ["ok", "running"]
            assert sys.getswitchinterval() < usual, "or a hook's answer waits for a job"
            memory.save("Rebase before you push.", kind="workflow")
            assert len(memory.recall("rebase").results) == 1
            assert outcomes(memory) == ["ok", "running"]
            ending = time.monotonic()
        assert time.monotonic() - ending < 3
        assert outcomes(memory) == ["ok", "unfinished"]
    assert sys.getswitchinterval() == usual


@pytest.mark.usefixtures("few")
def test_a_job_waits_while_the_server_is_busy(away: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("engrain.adapters.mcp.jobs._LONGEST_PAUSE", 60.0)
    busy = Event()
    busy.set()
    make_memory(away).close()
    with running_jobs(lambda: make_memory(away), 3600.0, settling=0.01, is_busy=busy.is_set):
        time.sleep(0.5)
        assert ran == []
        busy.clear()
        wait_until(lambda: "greedy" in ran)


@pytest.mark.usefixtures("few")
def test_a_job_goes_on_beside_a_server_that_is_always_busy(
    away: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engrain.adapters.mcp.jobs._LONGEST_PAUSE", 0.01)
    make_memory(away).close()
    with running_jobs(lambda: make_memory(away), 3600.0, settling=0.01, is_busy=lambda: True):
        wait_until(lambda: "greedy" in ran)


def test_between_two_rounds_what_was_written_in_place_is_found(
    away: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in reversed(list(jobs.JOBS)):  # which puts them back in their order
        monkeypatch.delitem(jobs.JOBS, name)
    monkeypatch.setattr("engrain.adapters.mcp.jobs.SCAN", 0.05)
    with make_memory(away) as memory:
        saved = memory.save("The sluice is shut.", title="Sluice", kind="fix")
        path = away / "vault" / saved.locator
        with running_jobs(lambda: make_memory(away), 3600.0, settling=0.01, look=0.05):
            time.sleep(0.3)  # the first round is over
            path.write_bytes(path.read_bytes().replace(b"shut", b"open"))
            wait_until(lambda: bool(memory.recall("open", scan=False).results))


@pytest.mark.usefixtures("few")
def test_a_round_is_left_out_while_another_runs_them(away: Path) -> None:
    clock = FakeClock(step=0.0)
    with make_memory(away, clock=clock) as memory:
        memory.jobs.run(["first"])
        ran.clear()
        (vault,) = (away / "state" / "vaults").iterdir()
        with ExitStack() as held:
            held.enter_context(open_job_log(str(vault / "jobs")).claim())
            with running_jobs(lambda: make_memory(away, clock=clock), 0.05, settling=0.01):
                time.sleep(1.0)
                assert ran == []
                held.close()
                wait_until(lambda: ran == ["greedy"])


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
    monkeypatch.setenv("ENGRAIN_TRANSCRIPTS_LEARN", "on")
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

    with make_memory(away) as memory:
        with running_jobs(lambda: make_memory(away), 3600.0, settling=0.01, look=0.05):
            end_turn("Weigh the anchor.")
            wait_until(lambda: episodes() == ["Weigh the anchor."])
            end_turn("Set the sail.")
            wait_until(lambda: len(episodes()) == 2)
        with running_jobs(lambda: make_memory(away), 3600.0, settling=60.0):
            end_turn("Drop the anchor.")
        assert len(episodes()) == 3


def test_a_bridge_learns_from_what_ended_before_it_though_nobody_calls_a_tool(
    tmp_path: Path,
) -> None:
    shell = Shell(tmp_path)
    shell.environ |= {"ENGRAIN_TRANSCRIPTS_LEARN": "on"}
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
        wait_until(lambda: list(shell.vault.glob("Memory/daily/*.md")), 30)
        bridge.stdin.close()
        assert bridge.wait(20) == 0
    (episode,) = shell.vault.glob("Memory/episodic/*/ep-*.json")
    assert "Weigh the anchor." in episode.read_text()
