"""A session as a caller holds it: noted, bounded, and nothing twice (S3.4, S3.9)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.recalled import TaskRecall
from engrain.engine.recall.pipeline import recall_entries
from engrain.lifecycle.sessions.recall import recall
from engrain.lifecycle.sessions.sessions import END, LEFT, START, day_session, list_given
from engrain.model.errors import ConfigError, NotFoundError
from support.vaults import FakeClock, make_memory
from unit.engine.core.vault_files import titles
from unit.lifecycle.sessions.living import entry_of, isolate, store_of, with_settings

QUERY = "advisory locks of the nightly job"


@pytest.fixture
def saved(memory: Memory) -> list[str]:
    """The ids of three notes that fit one query."""
    texts = [
        "The nightly job takes advisory locks on the ledger table.",
        "Advisory locks time out after an hour when the nightly job hangs.",
        "Of the nightly job's advisory locks the operator is told by mail.",
    ]
    return [
        memory.save(text, title=f"Lock {number}", kind="fix", project="").id
        for number, text in enumerate(texts)
    ]


def events(memory: Memory, session: str) -> list[str]:
    return [event.name for event in memory.journal.read(session)]


# -- a block -------------------------------------------------------------------------------------


def test_a_block_is_a_session_that_ends_with_it(memory: Memory, saved: list[str]) -> None:
    with memory.sessions.open() as session:
        session.recall(QUERY)
        session.used(saved[0])
        assert events(memory, session.id) == [START, "recalled", "used"]
    assert entry_of(memory, saved[0]).recall_count == 1
    assert memory.journal.current() == ""
    assert list(memory.journal.closed()) == []
    assert [one.ordinal for one in store_of(memory).device.local.sessions()] == [1]


def test_what_a_block_saves_is_found_by_what_was_said_right_before_it(memory: Memory) -> None:
    with memory.sessions.open() as session:
        session.save("Which bakery in Ghent sells the rye with caraway?", kind="memory")
        answer = session.save("The one beside the tram stop.", kind="memory")
    apart = memory.save("The blue one, I think.", kind="memory")
    found = [one.row.id for one in memory.recall("rye bakery in Ghent").results]
    assert answer.id in found and apart.id not in found
    assert entry_of(memory, answer.id).source["ref"] == session.id


def test_a_block_that_raises_ends_all_the_same(memory: Memory, saved: list[str]) -> None:
    with pytest.raises(KeyError), memory.sessions.open() as session:
        session.recall(QUERY)
        raise KeyError("x")
    assert entry_of(memory, saved[0]).recall_count == 1


def test_a_block_is_not_the_current_session(memory: Memory, saved: list[str]) -> None:
    begun = memory.sessions.begin()
    with memory.sessions.open() as session:
        assert memory.journal.current() == begun != session.id
    assert memory.journal.current() == begun
    assert events(memory, begun) == [START]


def test_sessions_are_of_their_project(memory: Memory, saved: list[str]) -> None:
    with memory.sessions.open(project="billing"):
        pass
    with memory.sessions.open():
        pass
    assert [one.project for one in store_of(memory).device.local.sessions()] == ["billing", ""]


# -- nothing twice -------------------------------------------------------------------------------


def test_what_a_session_has_it_is_not_told_again(memory: Memory, saved: list[str]) -> None:
    with memory.sessions.open() as session:
        first = session.recall(QUERY, limit=2)
        assert len(first.results) == 2
        second = session.recall(QUERY, limit=2)
        had = {found.row.id for found in first.results}
        assert {found.row.id for found in second.results} == set(saved) - had
        third = session.recall(QUERY)
        assert third.results == ()
        assert not third.exhausted
    assert {id_: entry_of(memory, id_).recall_count for id_ in saved} == dict.fromkeys(saved, 1)


def test_what_a_caller_has_is_left_out_too(memory: Memory, saved: list[str]) -> None:
    with memory.sessions.open() as session:
        found = session.recall(QUERY, loaded=saved[:2])
        assert [one.row.id for one in found.results] == saved[2:]
        assert list_given(memory.journal, session.id) == saved[2:]


def test_with_repeat_it_is_told_again(memory: Memory, saved: list[str]) -> None:
    memory.sessions.begin("s1")
    first = memory.recall(QUERY, session="s1")
    again = memory.recall(QUERY, session="s1", repeat=True)
    assert titles(first) == titles(again)
    assert len(again.results) == 3
    assert sorted(list_given(memory.journal, "s1")) == sorted(saved)
    memory.sessions.end("s1")
    assert {entry_of(memory, id_).recall_count for id_ in saved} == {2}


def test_two_sessions_have_each_their_own(memory: Memory, saved: list[str]) -> None:
    with memory.sessions.open() as one, memory.sessions.open() as other:
        assert titles(one.recall(QUERY)) == titles(other.recall(QUERY))


# -- bounded -------------------------------------------------------------------------------------


@pytest.fixture
def bounded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, memory: Memory, saved: list[str]
) -> Memory:
    """The memory, giving each session two entries."""
    monkeypatch.setenv("ENGRAIN_SESSION_LIMIT", "2")
    return memory


def test_a_session_gets_no_more_than_its_limit(bounded: Memory, saved: list[str]) -> None:
    with bounded.sessions.open() as session:
        first = session.recall(QUERY)
        assert len(first.results) == 2
        assert not first.exhausted
        second = session.recall(QUERY)
        assert second.exhausted
        assert second.results == ()
        assert len(list_given(bounded.journal, session.id)) == 2
    with bounded.sessions.open() as session:
        assert len(session.recall(QUERY).results) == 2


def test_the_best_of_what_was_found_fill_the_room(bounded: Memory, saved: list[str]) -> None:
    everything = titles(bounded.recall(QUERY))
    with bounded.sessions.open() as session:
        assert titles(session.recall(QUERY, limit=1)) == everything[:1]
        assert titles(session.recall(QUERY)) == everything[1:2]


def test_what_is_told_again_takes_no_room(bounded: Memory, saved: list[str]) -> None:
    first = titles(bounded.recall(QUERY, session="s1", limit=1))
    again = titles(bounded.recall(QUERY, session="s1", repeat=True))
    assert len(again) == 2
    assert first[0] in again
    assert len(list_given(bounded.journal, "s1")) == 2


def test_a_limit_of_0_gives_a_session_nothing(
    memory: Memory, saved: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_SESSION_LIMIT", "0")
    assert memory.recall(QUERY, session="s1").exhausted
    (event,) = memory.journal.read("s1")
    assert (event.name, event.details) == ("silent", {"why": "limit"})


def test_a_recall_that_gives_nothing_is_noted_with_the_reason(
    memory: Memory, saved: list[str]
) -> None:
    assert not memory.recall("zebras of the moon", session="s1").results
    (event,) = memory.journal.read("s1")
    assert (event.name, event.details["why"]) == ("silent", "nothing")
    memory.recall("zebras of the moon", session="")
    memory.recall("zebras of the moon")
    assert len(events(memory, "s1")) == 1, "of no session nothing is noted"


def test_all_parts_before_a_task_share_a_session_s_room(bounded: Memory) -> None:
    for name in ("pier", "crane", "ferry"):
        bounded.save(f"Takes the lock of the {name}.", title=f"Lock {name}", kind="pattern")
        bounded.save(
            f"Forgot the lock of the {name}.", title=f"No lock {name}", kind="anti-pattern"
        )
    first = bounded.recall("take the lock", session="s1", profile="task")
    assert isinstance(first, TaskRecall)
    assert len(first.given) == len(list_given(bounded.journal, "s1")) == 2
    spent = bounded.recall("take the lock", session="s1", profile="task")
    assert isinstance(spent, TaskRecall)
    assert (spent.given, spent.exhausted) == ((), True)


def test_a_day_has_no_limit_and_is_told_again(bounded: Memory, saved: list[str]) -> None:
    for _ in range(2):
        assert len(bounded.recall(QUERY, session="").results) == 3


def test_a_limit_that_is_none_is_reported(memory: Memory, saved: list[str]) -> None:
    store = with_settings(store_of(memory), {"session.limit": "many"})
    with pytest.raises(ConfigError, match=r"session\.limit is 'many'"):
        recall(store, QUERY, recall_entries, session="s1")


def test_what_did_not_fit_is_not_counted(bounded: Memory, saved: list[str]) -> None:
    bounded.sessions.begin("s1")
    got = [found.row.id for found in bounded.recall(QUERY, session="s1").results]
    bounded.sessions.end("s1")
    assert {id_ for id_ in saved if entry_of(bounded, id_).recall_count} == set(got)


# -- the verbs -----------------------------------------------------------------------------------


def test_none_means_the_session_that_was_begun_else_the_day(
    memory: Memory, saved: list[str], clock: FakeClock
) -> None:
    memory.recall(QUERY, session=memory.sessions.current())
    memory.sessions.note_used(None, saved[:1])
    begun = memory.sessions.begin()
    memory.recall(QUERY, session=memory.sessions.current())
    memory.sessions.note_used(None, saved[:1])
    assert events(memory, day_session(clock.at)) == ["recalled", "used"]
    assert events(memory, begun) == [START, "recalled", "used"]


def test_beginning_another_leaves_the_one_that_was_begun(memory: Memory) -> None:
    first, second = memory.sessions.begin(), memory.sessions.begin()
    assert LEFT in events(memory, first)
    assert END not in events(memory, first)
    assert memory.journal.current() == second


def test_ending_none_and_one_that_never_began_is_reported(memory: Memory) -> None:
    with pytest.raises(NotFoundError, match="no session has begun") as caught:
        memory.sessions.end()
    assert "engrain agent begin" in (caught.value.remedy or "")
    with pytest.raises(NotFoundError, match="no session 'x' has begun"):
        memory.sessions.end("x")
    assert len(store_of(memory).device.local.sessions()) == 0


def test_a_session_that_can_not_be_noted_is_answered_all_the_same(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate(tmp_path, monkeypatch)
    with make_memory(tmp_path) as memory:
        memory.save("The nightly job takes advisory locks.", title="Lock", project="")
        (folder,) = tmp_path.glob("state/vaults/*")
        (folder / "sessions").write_text("in the way")
        assert titles(memory.recall(QUERY, session="")) == ["Lock"]


def test_a_recall_elsewhere_is_counted_where_it_is_said(memory: Memory, saved: list[str]) -> None:
    memory.sessions.begin("s1", current=False)
    memory.sessions.note_recalled("s1", memory.recall(QUERY, limit=1))
    assert len(memory.sessions.end("s1")) == 1
