"""The sessions of this device: read once they have ended, or were left by a crash (S1.20)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory
from engrain.lifecycle.jobs.runner import JobRun
from engrain.lifecycle.sessions.sessions import END, LEFT_AFTER, STOP, mark_session, start_session
from support.vaults import FakeClock, make_memory
from unit.learn.reflection.sessions import AT, write_session
from unit.lifecycle.sessions.living import isolate, store_of

TABS = "Always use tabs for indentation."


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    isolate(tmp_path, monkeypatch)
    with make_memory(tmp_path, clock=clock) as memory:
        yield memory


def begin(memory: Memory, session: str, path: Path, *marks: str) -> None:
    store = store_of(memory)
    now = store.clock.now()
    start_session(store.journal, session, now, source="startup", transcript=str(path))
    for mark in marks:
        mark_session(store.journal, session, now + 1, mark, transcript=str(path))


def run_job(memory: Memory) -> JobRun:
    return memory.jobs.run(["sessions", "reflect"])[1]


def test_a_session_that_ended_is_reflected_on_once(memory: Memory, tmp_path: Path) -> None:
    begin(memory, "s1", write_session(tmp_path / "logs", "s1", TABS), STOP, END)
    first = run_job(memory)
    assert (first.counts["sessions"], first.counts["created"]) == (1, 1)
    again = run_job(memory)
    assert again.counts == {"sessions": 0, "problems": 0}


def test_one_that_goes_on_is_left_alone_until_it_ends(memory: Memory, tmp_path: Path) -> None:
    path = write_session(tmp_path / "logs", "s1", TABS)
    begin(memory, "s1", path, STOP)
    assert run_job(memory).counts["sessions"] == 0
    mark_session(store_of(memory).journal, "s1", AT, END, transcript=str(path))
    assert run_job(memory).counts["created"] == 1


def test_one_that_crashed_is_reflected_on_when_it_was_quiet_for_long(
    memory: Memory, tmp_path: Path
) -> None:
    import os

    begin(memory, "s1", write_session(tmp_path / "logs", "s1", TABS), STOP)
    now = store_of(memory).clock.now()
    (journal,) = (tmp_path / "state").rglob("s1.jsonl")
    os.utime(journal, (now - LEFT_AFTER - 60, now - LEFT_AFTER - 60))
    assert run_job(memory).counts["created"] == 1


def test_one_that_was_resumed_is_taken_up_where_it_stopped(
    memory: Memory, tmp_path: Path, clock: FakeClock
) -> None:
    begin(memory, "s1", write_session(tmp_path / "logs", "s1", TABS), END)
    run_job(memory)
    clock.at += 3600
    path = write_session(tmp_path / "logs", "s1", TABS, "Never push to main.")
    begin(memory, "s1", path, END)
    assert run_job(memory).counts == {"sessions": 1, "created": 1, "problems": 0}


def test_where_it_is_off_only_the_operators_own_call_reflects(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_REFLECT_FORM", "off")
    begin(memory, "s1", write_session(tmp_path / "logs", "s1", TABS), END)
    assert run_job(memory).counts == {}
    done, _ = memory.sessions.reflect()
    assert [one.outcome for one in done.routed] == ["created"]


def test_a_transcript_that_is_gone_is_told_once(memory: Memory, tmp_path: Path) -> None:
    begin(memory, "s1", tmp_path / "logs" / "gone.jsonl", END)
    first = run_job(memory)
    assert first.counts == {"sessions": 0, "problems": 1}
    assert [line for line in first.lines if "gone.jsonl is not there" in line]
    assert run_job(memory).counts["problems"] == 0


def test_a_file_that_is_no_transcript_is_told_and_stops_no_other(
    memory: Memory, tmp_path: Path
) -> None:
    logs = tmp_path / "logs"
    good = write_session(logs, "s2", TABS)
    (logs / "bad.jsonl").write_bytes(b"\0\1\2 no transcript")
    begin(memory, "s1", logs / "bad.jsonl", END)
    begin(memory, "s2", good, END)
    counts = run_job(memory).counts
    assert (counts["created"], counts["problems"]) == (1, 1)


def test_what_lies_in_the_vault_is_not_read(memory: Memory, tmp_path: Path) -> None:
    begin(memory, "s1", write_session(tmp_path / "vault" / "Memory", "s1", TABS), END)
    assert run_job(memory).counts == {"sessions": 0, "problems": 1}


def test_a_dry_run_of_the_job_settles_nothing(memory: Memory, tmp_path: Path) -> None:
    begin(memory, "s1", write_session(tmp_path / "logs", "s1", TABS), END)
    memory.jobs.run(["sessions"])
    told = memory.jobs.run(["reflect"], dry_run=True)[0]
    assert told.counts["created"] == 1
    assert run_job(memory).counts["created"] == 1


def test_the_sessions_of_a_source_are_read_too_and_none_twice(
    memory: Memory, tmp_path: Path
) -> None:
    path = write_session(tmp_path / "logs", "s1", TABS)
    memory.sources.add(str(tmp_path / "logs"), name="logs", trust="agent")
    begin(memory, "s1", path, END)
    assert run_job(memory).counts["created"] == 1
    assert run_job(memory).counts["sessions"] == 0
    write_session(tmp_path / "logs", "s2", "Never push to main.")
    assert run_job(memory).counts["created"] == 1


def test_a_folder_that_is_watched_is_of_outside_whatever_its_files_look_like(
    memory: Memory, tmp_path: Path
) -> None:
    write_session(tmp_path / "downloads", "s1", TABS)
    memory.sources.add(str(tmp_path / "downloads"), name="downloads")
    done, _ = memory.sessions.reflect(source="downloads")
    assert [(one.lane, one.outcome) for one in done.routed] == [("low", "created")]
