"""Which sessions there is something to learn from."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory
from engrain.lifecycle.sessions.folding import MarkedSessions
from engrain.lifecycle.sessions.sessions import (
    COMPACT,
    END,
    STOP,
    mark_session,
    note_used,
    start_session,
)
from support.vaults import FakeClock, make_memory
from unit.lifecycle.sessions.living import isolate, store_of

TOLD = {"host": "claude-code", "transcript": "/home/ada/.claude/projects/shop/s1.jsonl"}


@pytest.fixture
def memory(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    isolate(tmp_path, monkeypatch)
    with make_memory(tmp_path, clock=FakeClock()) as memory:
        start_session(memory.journal, "s1", 100.0, source="startup", project="shop", **TOLD)
        yield memory


def marked(memory: Memory, *, keep: bool = False) -> list[tuple[str, bool, float]]:
    """(name, whether it is over, its last mark) of each; with `mark` they are learned from."""
    sessions = MarkedSessions(store_of(memory), "a-note")
    found = list(sessions.list())
    for one in found:
        assert (one.host, one.transcript, one.project) == (*TOLD.values(), "shop")
        if keep:
            sessions.mark(one)
    return [(one.name, one.over, one.at) for one in found]


def test_one_is_known_until_it_leaves_another_mark(memory: Memory) -> None:
    assert marked(memory) == []
    mark_session(memory.journal, "s1", 110.0, STOP)
    assert marked(memory, keep=True) == [("s1", False, 110.0)]
    assert marked(memory) == []
    mark_session(memory.journal, "s1", 120.0, END)
    assert marked(memory, keep=True) == [("s1", True, 120.0)]
    assert marked(memory) == []


def test_an_open_one_is_left_alone_within_a_turn(memory: Memory) -> None:
    mark_session(memory.journal, "s1", 110.0, COMPACT)
    assert marked(memory) == []
    mark_session(memory.journal, "s1", 110.0, STOP)
    note_used(memory.journal, "s1", 111.0, ["01m7z8qrep6tehgf43tj44kfk7"])
    assert marked(memory) == []


def test_what_is_written_into_a_journal_that_is_no_mark_is_no_news(memory: Memory) -> None:
    mark_session(memory.journal, "s1", 110.0, END)
    marked(memory, keep=True)
    memory.jobs.run(["sessions"])  # which folds it
    assert marked(memory) == []


def test_a_mark_counts_though_the_clock_was_set_back(memory: Memory) -> None:
    mark_session(memory.journal, "s1", 5000.0, STOP)
    marked(memory, keep=True)
    mark_session(memory.journal, "s1", 110.0, STOP)
    assert marked(memory) == [("s1", False, 110.0)]


def test_a_session_without_a_transcript_teaches_nothing(memory: Memory) -> None:
    mark_session(memory.journal, "s2", 110.0, END, host="claude-code")
    assert marked(memory) == []


def test_who_keeps_another_note_learns_by_itself(memory: Memory) -> None:
    mark_session(memory.journal, "s1", 110.0, END)
    marked(memory, keep=True)
    assert len(list(MarkedSessions(store_of(memory), "another").list())) == 1
