"""The contract of `EpisodeJournal`: what every keeper of recordings promises, one sentence a test.

A keeper's own test file is a subclass with the fixture `reopen`:

    class TestFiles(EpisodeJournalContract):
        @pytest.fixture
        def reopen(self, tmp_path: Path) -> Reopen: ...
"""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import TypeAlias

import pytest

from engrain.model.errors import StorageError
from engrain.state.episode_journal import EpisodeJournal

Reopen: TypeAlias = Callable[[], EpisodeJournal]
NAME = "01m80fd09je3sr9yzgmx6nyn10"
BEGIN = {"event": "begin", "at": 1.0}


def names(journal: EpisodeJournal) -> list[str]:
    """The recordings that are left, which stay so."""
    found = []
    for recording in journal.claim_left():
        found.append(recording.name)
        recording.release()
    return found


class EpisodeJournalContract:
    @pytest.fixture
    def reopen(self) -> Reopen:
        """Opens the same recordings, as another process would."""
        raise NotImplementedError

    def test_where_nothing_was_recorded_nothing_is_left(self, reopen: Reopen) -> None:
        assert names(reopen()) == []

    def test_what_is_read_is_what_was_noted_in_its_order(self, reopen: Reopen) -> None:
        recording = reopen().begin(NAME, BEGIN)
        noted = [{"event": "action", "action": f"é\n\u2028 {n}", "at": n / 2} for n in range(50)]
        for event in noted:
            recording.append(event)
        assert list(recording.events()) == [BEGIN, *noted]

    def test_nobody_gets_a_recording_that_is_held(self, reopen: Reopen) -> None:
        recording = reopen().begin(NAME, BEGIN)
        assert names(reopen()) == []
        recording.release()
        recording.release()
        assert names(reopen()) == [NAME]

    def test_of_two_who_ask_one_gets_a_recording_that_was_left(self, reopen: Reopen) -> None:
        reopen().begin(NAME, BEGIN).release()
        (first,) = reopen().claim_left()
        assert names(reopen()) == []
        assert list(first.events()) == [BEGIN]
        first.release()
        assert names(reopen()) == [NAME]

    def test_what_was_discarded_is_gone_for_everybody(self, reopen: Reopen) -> None:
        recording = reopen().begin(NAME, BEGIN)
        recording.discard()
        recording.discard()
        assert names(reopen()) == []

    def test_nothing_is_noted_in_a_recording_that_is_no_longer_held(self, reopen: Reopen) -> None:
        recording = reopen().begin(NAME, BEGIN)
        recording.release()
        with pytest.raises(StorageError, match="no longer held"):
            recording.append({"event": "late"})

    def test_two_recordings_never_have_one_name(self, reopen: Reopen) -> None:
        recording = reopen().begin(NAME, BEGIN)
        with pytest.raises(StorageError):
            reopen().begin(NAME, {"event": "begin", "at": 2.0})
        assert list(recording.events()) == [BEGIN]

    def test_what_several_threads_note_at_once_is_all_kept(self, reopen: Reopen) -> None:
        recording = reopen().begin(NAME, BEGIN)

        def note(who: int) -> None:
            for n in range(200):
                recording.append({"who": who, "n": n, "text": "x" * 3000})

        threads = [threading.Thread(target=note, args=(who,)) for who in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        events = list(recording.events())[1:]
        for who in range(4):
            assert [event["n"] for event in events if event["who"] == who] == list(range(200))
