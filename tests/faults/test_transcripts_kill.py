"""A process that learns from two sessions, killed before mutating system calls: learning again does
the rest, and nothing is there twice."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path

import pytest

from engrain import Memory
from engrain.lifecycle.sessions.sessions import END, mark_session
from engrain.seam.rows import Filter
from faults.transcripts_child import ACKNOWLEDGED
from support.strace import needs_strace, run_killed
from support.transcripts import ClaudeCode
from support.vaults import make_memory
from unit.lifecycle.sessions.living import isolate, store_of

CHILD = Path(__file__).with_name("transcripts_child.py").read_text(encoding="utf-8")
CALLS = ("fsync", "rename", "link", "pwrite64")
MOST = 5000
GOALS = ("Add POST /todos to the API", "Add DELETE /todos to the API")
LEARNED = {
    "episode": 2,
    "pattern": 1,
    "anti-pattern": 1,
    "fix": 1,
    "learning": 1,
    "entity": 1,
    "preference": 1,
    "daily": 1,
}


def leave(memory: Memory, folder: Path) -> None:
    """Two sessions that failed and were mended alike, and said the same of themselves."""
    store = store_of(memory)
    for number, goal in enumerate(GOALS):
        lines = ClaudeCode(f"session-{number}").request(goal)
        lines.run("npm test", f"Error: connect ECONNREFUSED 127.0.0.1:543{number}", code=1)
        lines.run("docker compose up -d db", "started")
        lines.run("npm test", "12 passed")
        lines.request("I work at Harbor House. Always use tabs for indentation.")
        path = folder / f"{lines.session}.jsonl"
        path.write_bytes(lines.raw)
        now = store.clock.now()
        told = {"host": "claude-code", "transcript": str(path)}
        mark_session(store.device.journal, lines.session, now, END, **told)


def found_in(memory: Memory, vault: Path) -> tuple[Counter[str], list[str]]:
    """How many entries there are of each kind, and the lines of the day."""
    rows = store_of(memory).index.find(Filter(statuses=("active",)))
    notes = [note.read_text() for note in vault.glob("Memory/daily/*.md")]
    days = [line for note in notes for line in note.splitlines() if line.startswith("- ")]
    return Counter(row.kind for row in rows), [line.partition(": ")[2] for line in days]


@needs_strace
@pytest.mark.parametrize("call", CALLS)
def test_a_kill_before_a_mutating_call_loses_nothing_and_makes_nothing_twice(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, call: str
) -> None:
    isolate(tmp_path, monkeypatch)
    monkeypatch.setenv("CLAUDE_CONFIG_DIR", str(tmp_path / "claude"))
    monkeypatch.setenv("ENGRAIN_LEARN", "rules")
    transcripts = tmp_path / "claude" / "projects" / "-home-ada-shop"
    transcripts.mkdir(parents=True)
    n = 1
    while n < MOST:
        folder = tmp_path / "run"
        with make_memory(folder) as memory:
            leave(memory, transcripts)
        code = run_killed(call, n, CHILD, folder / "vault", folder / "state")
        with make_memory(folder) as memory:
            memory.jobs.request(["transcripts"])
            memory.jobs.run(["transcripts", "consolidate"], due=True)
            kinds, days = found_in(memory, folder / "vault")
            assert kinds == LEARNED, f"killed before {call} {n}"
            (line,) = days  # what the second session said was known by then
            assert line.endswith("(session ession-0)"), f"killed before {call} {n}"
            for left in ("ECONNREFUSED", "Always use tabs", "Harbor House"):
                assert line.count(left) == 1, f"killed before {call} {n}"
            (fact,) = memory.facts.entity("operator").entity.facts
            assert fact.seen == 1, f"killed before {call} {n}"
            assert all(report.wrong is None for report in memory.trust.survey().chains)
        shutil.rmtree(folder)
        if code == ACKNOWLEDGED:
            return
        n += 1 + n // 6
    pytest.fail(f"it never got through {MOST} calls of {call}")
