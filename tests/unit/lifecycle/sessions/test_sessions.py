"""Sessions: what one was given, what it leaves, and which were left (S1.20)."""

from __future__ import annotations

import os
import tempfile
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain.lifecycle.sessions.sessions import (
    COMPACT,
    DAY,
    END,
    GIVEN,
    LEFT,
    LEFT_AFTER,
    MARKS,
    RECALLED,
    START,
    STOP,
    USED,
    begin_session,
    day_session,
    list_given,
    mark_session,
    note_given,
    note_recalled,
    note_used,
    room_left,
    start_session,
    sweep_left,
)
from engrain.seam.journal import PROBE, Event
from engrain.state.journals import SessionJournal

AT = 1_790_000_000.0


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "sessions"


@pytest.fixture
def journal(folder: Path) -> SessionJournal:
    return SessionJournal(str(folder))


def names(journal: SessionJournal, session: str) -> list[str]:
    return [event.name for event in journal.read(session)]


def last_seen(folder: Path, session: str, at: float) -> None:
    """As if the last event of an open session were from then."""
    os.utime(folder / f"{session}.jsonl", (at, at))


# -- what a session was given --------------------------------------------------------------------


def test_what_a_session_was_given_is_told_the_latest_last(journal: SessionJournal) -> None:
    note_given(journal, "s1", AT, ["a", "b"])
    note_given(journal, "s2", AT, ["c"])
    note_given(journal, "s1", AT, iter(["d", "a"]))
    assert list_given(journal, "s1") == ["b", "d", "a"]
    assert list_given(journal, "s2") == ["c"]
    assert list_given(journal, "s3") == []


@pytest.mark.parametrize(
    ("source", "known"),
    [("startup", []), ("clear", []), ("compact", []), ("resume", ["a"]), ("fork", ["a"]),
     ("", ["a"])],
)  # fmt: skip
def test_a_session_that_starts_without_its_context_was_given_nothing(
    journal: SessionJournal, source: str, known: list[str]
) -> None:
    start_session(journal, "s1", AT, source="startup")
    note_given(journal, "s1", AT, ["a"])
    start_session(journal, "s1", AT + 1, source=source)
    assert list_given(journal, "s1") == known
    note_given(journal, "s1", AT + 2, ["b"])
    assert list_given(journal, "s1") == [*known, "b"]


def test_what_was_given_outlives_the_end_for_one_who_resumes(journal: SessionJournal) -> None:
    note_given(journal, "s1", AT, ["a"])
    mark_session(journal, "s1", AT, END)
    start_session(journal, "s1", AT + 9, source="resume")
    assert list_given(journal, "s1") == ["a"]


def test_of_nothing_given_nothing_is_noted(journal: SessionJournal, folder: Path) -> None:
    note_given(journal, "s1", AT, [])
    assert not folder.exists()


@pytest.mark.parametrize(
    "details", [{}, {"ids": None}, {"ids": "abc"}, {"ids": {"a": 1}}, {"ids": 5}, {"ids": []}]
)
def test_what_a_journal_says_wrongly_was_not_given(
    journal: SessionJournal, details: dict[str, object]
) -> None:
    note_given(journal, "s1", AT, ["a"])
    journal.append("s1", Event(GIVEN, AT, details))
    assert list_given(journal, "s1") == ["a"]


def test_what_was_recalled_was_given_too(journal: SessionJournal) -> None:
    note_given(journal, "s1", AT, ["a"])
    note_recalled(journal, "s1", AT, ["b", "a"], ["c"])
    note_used(journal, "s1", AT, ["d"])
    assert list_given(journal, "s1") == ["b", "a"]


@pytest.mark.parametrize(("given", "room"), [(0, 3), (2, 1), (3, 0), (9, 0)])
def test_a_session_has_room_for_what_it_was_not_given(given: int, room: int) -> None:
    assert room_left({"session.limit": "3"}, ["x"] * given) == room


# -- what it recalled ----------------------------------------------------------------------------


def test_a_recall_is_noted_with_what_came_and_what_it_found_again(journal: SessionJournal) -> None:
    note_recalled(journal, "s1", AT, ["a"], ["b"], project="x")
    note_recalled(journal, "s1", AT + 1, ["c"])
    note_recalled(journal, "s1", AT + 2, [], ["a"])
    note_used(journal, "s1", AT + 3, ["a"])
    assert [(event.name, event.at, dict(event.details)) for event in journal.read("s1")] == [
        (RECALLED, AT, {"ids": ["a"], "leading": ["a"], "again": ["b"], "project": "x"}),
        (RECALLED, AT + 1, {"ids": ["c"], "leading": ["c"], "project": ""}),
        (RECALLED, AT + 2, {"ids": [], "leading": [], "again": ["a"], "project": ""}),
        (USED, AT + 3, {"ids": ["a"]}),
    ]


def test_of_a_recall_that_brought_nothing_nothing_is_noted(
    journal: SessionJournal, folder: Path
) -> None:
    note_recalled(journal, "s1", AT, [])
    note_used(journal, "s1", AT, [])
    note_recalled(journal, PROBE + "1", AT, ["a"])
    assert not folder.exists()


def test_outside_of_any_session_it_is_the_days(journal: SessionJournal) -> None:
    day = 1_789_948_800.0  # 2026-09-21 in UTC
    note_recalled(journal, "", day, ["a"])
    note_used(journal, "", day + 86_399, ["a"])
    note_recalled(journal, "", day + 86_400, ["a"])
    assert day_session(day) == DAY + "2026-09-21"
    assert names(journal, DAY + "2026-09-21") == [RECALLED, USED]
    assert names(journal, DAY + "2026-09-22") == [RECALLED]


# -- the current session -------------------------------------------------------------------------


def test_a_session_that_begins_is_the_current_one_until_it_ends(journal: SessionJournal) -> None:
    begin_session(journal, "s1", AT, project="x")
    assert journal.current() == "s1"
    (start,) = journal.read("s1")
    assert dict(start.details) == {"session": "s1", "source": "startup", "project": "x"}
    mark_session(journal, "s2", AT, END)
    assert journal.current() == "s1"
    mark_session(journal, "s1", AT, END)
    assert journal.current() == ""


def test_the_one_before_it_is_left_and_closed(journal: SessionJournal) -> None:
    begin_session(journal, "s1", AT)
    begin_session(journal, "s2", AT + 5)
    assert names(journal, "s1") == [START, LEFT]
    assert list(journal.closed()) == ["s1"]
    assert journal.current() == "s2"


def test_the_same_one_begun_again_is_open_and_has_nothing(journal: SessionJournal) -> None:
    begin_session(journal, "s1", AT)
    note_given(journal, "s1", AT, ["a"])
    begin_session(journal, "s1", AT + 5)
    assert list(journal.closed()) == []
    assert journal.current() == "s1"
    assert list_given(journal, "s1") == []


# -- any events ----------------------------------------------------------------------------------

steps = st.lists(
    st.one_of(
        st.tuples(st.just(START), st.sampled_from(["startup", "clear", "compact", "resume", "x"])),
        st.tuples(st.just(GIVEN), st.lists(st.sampled_from("abcde"), max_size=4)),
        st.tuples(st.just("mark"), st.sampled_from(MARKS)),
        st.tuples(st.just("sweep"), st.booleans()),
    ),
    max_size=20,
)


@settings(max_examples=30)
@given(steps=steps)
def test_after_any_events_a_session_has_what_it_was_given_since_it_last_forgot(
    steps: list[tuple[str, object]],
) -> None:
    with tempfile.TemporaryDirectory() as folder:
        journal = SessionJournal(folder)
        known: list[str] = []
        for number, (step, value) in enumerate(steps):
            at = AT + number
            if step == START:
                start_session(journal, "s1", 0.0, source=str(value))
                known = known if value in ("resume", "x") else []
            elif step == GIVEN and isinstance(value, list):
                note_given(journal, "s1", at, value)
                known = [id_ for id_ in known if id_ not in value]
                known += [id_ for n, id_ in enumerate(value) if id_ not in value[n + 1 :]]
            elif step == "mark":
                mark_session(journal, "s1", at, str(value))
            elif step == "sweep":
                sweep_left(journal, 9e9 if value else 0.0)
            assert list_given(journal, "s1") == known


# -- marks ---------------------------------------------------------------------------------------


def test_a_start_and_the_marks_are_noted_with_what_was_reported(journal: SessionJournal) -> None:
    start_session(journal, "s1", AT, source="startup", host="claude-code", transcript="/t.jsonl")
    for number, mark in enumerate((STOP, COMPACT, END)):
        mark_session(journal, "s1", AT + number, mark, transcript=f"/{number}")
    told = [(event.name, event.at, dict(event.details)) for event in journal.read("s1")]
    assert told == [
        (
            START,
            AT,
            {"session": "s1", "source": "startup", "host": "claude-code", "transcript": "/t.jsonl"},
        ),
        (STOP, AT, {"transcript": "/0"}),
        (COMPACT, AT + 1, {"transcript": "/1"}),
        (END, AT + 2, {"transcript": "/2"}),
    ]


def test_only_the_end_closes_a_session(journal: SessionJournal) -> None:
    for mark in (STOP, COMPACT):
        mark_session(journal, "s1", AT, mark)
        assert list(journal.idle_since(9e9)) == ["s1"]
    mark_session(journal, "s1", AT, END)
    assert list(journal.idle_since(9e9)) == []


@pytest.mark.parametrize("session", ["", PROBE + "1"])
def test_of_no_session_and_of_a_try_nothing_is_noted(
    journal: SessionJournal, folder: Path, session: str
) -> None:
    start_session(journal, session, AT, source="startup")
    note_given(journal, session, AT, ["a"])
    for mark in MARKS:
        mark_session(journal, session, AT, mark)
    assert list_given(journal, session) == []
    assert not folder.exists()


# -- sessions that were left ---------------------------------------------------------------------


def test_a_session_without_an_event_for_long_is_marked_as_left_once(
    journal: SessionJournal, folder: Path
) -> None:
    for session in ("old", "young"):
        start_session(journal, session, 0.0, source="startup")
    last_seen(folder, "old", AT - LEFT_AFTER - 1)
    last_seen(folder, "young", AT - LEFT_AFTER + 1)
    assert sweep_left(journal, AT) == ["old"]
    assert sweep_left(journal, AT) == []
    assert [(event.name, event.at) for event in journal.read("old")] == [(START, 0.0), (LEFT, AT)]
    assert names(journal, "young") == [START]


def test_whoever_starts_marks_the_sessions_that_were_left(
    journal: SessionJournal, folder: Path
) -> None:
    start_session(journal, "crashed", 0.0, source="startup")
    last_seen(folder, "crashed", AT - LEFT_AFTER - 1)
    assert start_session(journal, "s1", AT, source="startup") == ["crashed"]
    assert names(journal, "crashed") == [START, LEFT]
    assert names(journal, "s1") == [START]


def test_a_try_marks_no_session_as_its_own_but_finds_those_that_were_left(
    journal: SessionJournal, folder: Path
) -> None:
    start_session(journal, "crashed", 0.0, source="startup")
    last_seen(folder, "crashed", AT - LEFT_AFTER - 1)
    assert start_session(journal, PROBE + "1", AT, source="startup") == ["crashed"]
    assert names(journal, PROBE + "1") == []


def test_a_session_that_ended_was_not_left(journal: SessionJournal, folder: Path) -> None:
    start_session(journal, "s1", 0.0, source="startup")
    last_seen(folder, "s1", 1000.0)
    mark_session(journal, "s1", 1.0, END)
    assert sweep_left(journal, 9e9) == []
    assert names(journal, "s1") == [START, END]


def test_a_session_that_goes_on_after_it_was_left_is_open_again(
    journal: SessionJournal, folder: Path
) -> None:
    start_session(journal, "s1", 0.0, source="startup")
    note_given(journal, "s1", 0.0, ["a"])
    last_seen(folder, "s1", 1000.0)
    assert sweep_left(journal, AT) == ["s1"]
    mark_session(journal, "s1", AT + 5, STOP)
    assert names(journal, "s1") == [START, GIVEN, LEFT, STOP]
    assert list_given(journal, "s1") == ["a"]
    last_seen(folder, "s1", 2000.0)
    assert sweep_left(journal, AT) == ["s1"]


@pytest.mark.parametrize("session", ["Ab:1", "../x", "x" * 300])
def test_a_session_with_an_id_that_is_no_file_name_is_found_left_too(
    journal: SessionJournal, session: str
) -> None:
    start_session(journal, session, 0.0, source="startup")
    assert len(sweep_left(journal, 9e9)) == 1
    assert names(journal, session) == [START, LEFT]
    assert sweep_left(journal, 9e9) == []
