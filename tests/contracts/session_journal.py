"""The contract of `SessionJournal`: what every keeper of journals promises, one sentence a test.

A keeper's own test file is a subclass with the fixture `reopen`:

    class TestFiles(SessionJournalContract):
        @pytest.fixture
        def reopen(self, tmp_path: Path) -> Reopen: ...
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain.seam.journal import Event
from engrain.state.journals import SessionJournal
from support.examples import SHARED_FIXTURE

Reopen: TypeAlias = Callable[[], SessionJournal]

SESSIONS = [
    "s1", "9bcb5645-bb7a-4eb5-8136-ff774166a95e", "0" * 80, "0" * 81, "x" * 5000, "", " ", ".",
    "..", "../s1", "/etc/passwd", "a/b", "a\\b", "C:s1", "nul", "s1.jsonl", "closed", "S1", "Ŝ1",
    "日本", "a\0b", "a\nb", "~", "-rf", "%2e%2e", "\u202es1",
]  # fmt: skip

values = st.one_of(
    st.text(),
    st.integers(-(2**60), 2**60),
    st.floats(allow_nan=False),
    st.lists(st.text(), max_size=4),
)
details = st.dictionaries(st.text().filter(lambda name: name not in ("event", "at")), values)
events = st.builds(Event, st.text(), st.floats(allow_nan=False, allow_infinity=False), details)
appended = st.lists(
    st.tuples(st.sampled_from(SESSIONS), st.lists(events, max_size=3), st.booleans()), max_size=8
)


def told(events: Sequence[Event]) -> list[tuple[str, float, dict[str, object]]]:
    return [(event.name, event.at, dict(event.details)) for event in events]


class SessionJournalContract:
    @pytest.fixture
    def reopen(self) -> Reopen:
        """Opens the same journals, as another process would."""
        raise NotImplementedError

    @pytest.fixture
    def journal(self, reopen: Reopen) -> SessionJournal:
        return reopen()

    def test_of_a_session_that_is_not_known_there_is_nothing(self, journal: SessionJournal) -> None:
        assert journal.read("s1") == []
        journal.close("s1")
        assert journal.read("s1") == []
        assert list(journal.idle_since(time.time() + 60)) == []

    @settings(max_examples=25, suppress_health_check=SHARED_FIXTURE)
    @given(steps=appended)
    def test_what_is_read_is_what_was_appended_whoever_closed_it_meanwhile(
        self, reopen: Reopen, steps: list[tuple[str, list[Event], bool]]
    ) -> None:
        before = {session: told(reopen().read(session)) for session in SESSIONS}
        for session, new, close in steps:
            journal = reopen()
            journal.append(session, *new)
            if close:
                journal.close(session)
            before[session] += told(new)
        assert {session: told(reopen().read(session)) for session in SESSIONS} == before

    def test_only_sessions_with_nothing_new_are_idle(self, journal: SessionJournal) -> None:
        now = time.time()
        journal.append("s1", Event("start", now))
        journal.append("s2", Event("start", now))
        assert list(journal.idle_since(now - 60)) == []
        assert sorted(journal.idle_since(now + 60)) == ["s1", "s2"]

    def test_a_closed_session_is_not_idle_until_something_happens_in_it(
        self, journal: SessionJournal
    ) -> None:
        now = time.time()
        journal.append("s1", Event("start", now))
        journal.close("s1")
        journal.close("s1")
        assert list(journal.idle_since(now + 60)) == []
        assert [event.name for event in journal.read("s1")] == ["start"]
        journal.append("s1", Event("stop", now))
        assert list(journal.idle_since(now + 60)) == ["s1"]
        assert [event.name for event in journal.read("s1")] == ["start", "stop"]

    @pytest.mark.parametrize("session", SESSIONS, ids=ascii)
    def test_by_the_name_under_which_it_is_idle_a_session_is_read_and_closed(
        self, journal: SessionJournal, session: str
    ) -> None:
        now = time.time()
        journal.append(session, Event("start", now))
        (name,) = journal.idle_since(now + 60)
        assert [event.name for event in journal.read(name)] == ["start"]
        journal.append(name, Event("left", now))
        journal.close(name)
        assert list(journal.idle_since(now + 60)) == []
        assert [event.name for event in journal.read(session)] == ["start", "left"]

    # -- closed, settled, current ----------------------------------------------------------------

    def test_closed_sessions_are_reported_until_they_are_settled(
        self, journal: SessionJournal
    ) -> None:
        assert list(journal.closed()) == []
        for session in ("s1", "s2", "s3"):
            journal.append(session, Event("start", 1.0))
        for session in ("s2", "s1"):
            journal.append(session, Event("end", 2.0))
            time.sleep(0.02)  # the order is that of the file system's clock
            journal.close(session)
        assert list(journal.closed()) == ["s2", "s1"]
        journal.close_session("s2")
        journal.close_session("s2")
        assert list(journal.closed()) == ["s1"]
        assert [event.name for event in journal.read("s2")] == ["start", "end"]
        assert list(journal.idle_since(time.time() + 60)) == ["s3"]

    def test_only_what_is_closed_is_settled(self, journal: SessionJournal) -> None:
        journal.close_session("s1")
        journal.append("s1", Event("start", 1.0))
        journal.close_session("s1")
        assert list(journal.idle_since(time.time() + 60)) == ["s1"]
        assert list(journal.closed()) == []

    def test_something_that_happens_in_it_opens_a_settled_session_again(
        self, journal: SessionJournal
    ) -> None:
        for number in range(3):
            journal.append("s1", Event(f"{number}", 1.0))
            assert list(journal.closed()) == []
            assert list(journal.idle_since(time.time() + 60)) == ["s1"]
            journal.close("s1")
            assert list(journal.closed()) == ["s1"]
            journal.close_session("s1")
        assert [event.name for event in journal.read("s1")] == ["0", "1", "2"]

    def test_old_journals_are_dropped_only_where_they_are_settled(
        self, journal: SessionJournal
    ) -> None:
        for session in ("open", "closed", "settled"):
            journal.append(session, Event("start", 1.0))
        for session in ("closed", "settled"):
            journal.close(session)
        journal.close_session("settled")
        assert journal.drop_settled(time.time() - 60) == 0
        assert [event.name for event in journal.read("settled")] == ["start"]
        assert journal.drop_settled(time.time() + 60) == 1
        assert journal.drop_settled(time.time() + 60) == 0
        assert journal.read("settled") == []
        assert [len(journal.read(session)) for session in ("open", "closed")] == [1, 1]

    @pytest.mark.parametrize("session", SESSIONS, ids=ascii)
    def test_by_the_name_under_which_it_is_closed_a_session_is_read_and_settled(
        self, journal: SessionJournal, session: str
    ) -> None:
        journal.append(session, Event("start", 1.0))
        journal.close(session)
        (name,) = journal.closed()
        assert [event.name for event in journal.read(name)] == ["start"]
        journal.close_session(name)
        assert list(journal.closed()) == []
        assert [event.name for event in journal.read(session)] == ["start"]

    def test_the_current_session_is_the_one_that_was_made_so(self, reopen: Reopen) -> None:
        assert reopen().current() == ""
        for session in (*(one for one in SESSIONS if len(one) < 1000), "s1", ""):
            reopen().set_current(session)
            assert reopen().current() == session

    def test_the_current_session_is_none_of_the_sessions_that_are_reported(
        self, journal: SessionJournal
    ) -> None:
        journal.set_current("s1")
        assert list(journal.idle_since(time.time() + 60)) == list(journal.closed()) == []
        assert journal.read("s1") == []

    def test_a_text_that_tells_of_something_is_emptied_and_the_events_stay(
        self, journal: SessionJournal
    ) -> None:
        for session in ("open", "closed", "settled"):
            journal.append(
                session,
                Event("asked", 1.0, {"text": "about the walrus", "host": "h"}),
                Event("asked", 2.0, {"text": "about the seal", "ids": ["walrus"]}),
            )
        for session in ("closed", "settled"):
            journal.close(session)
        journal.close_session("settled")
        before = time.time() + 60
        journal.forget(lambda text: "walrus" in text)
        for session in ("open", "closed", "settled"):
            assert told(journal.read(session)) == [
                ("asked", 1.0, {"text": "", "host": "h"}),
                ("asked", 2.0, {"text": "about the seal", "ids": ["walrus"]}),
            ]
        assert list(journal.idle_since(before)) == ["open"]
        assert list(journal.closed()) == ["closed"]
