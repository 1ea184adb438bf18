"""The contract of `LocalState`: what every keeper of it promises, one sentence a test.

A keeper's own test file is a subclass with the fixture `reopen`:

    class TestFile(LocalStateContract):
        @pytest.fixture
        def reopen(self, tmp_path: Path) -> Reopen: ...
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain.state.local_state import Count, LocalState, Spend
from support.examples import SHARED_FIXTURE

Reopen: TypeAlias = Callable[[], LocalState]

AT = 1_790_000_000.0
NAMES = ["s1", "S1", "day-2026-09-21", "", " ", "a/b", "é", "e\u0301", "日本", "'; --", "a\0b"]

steps = st.lists(
    st.one_of(
        st.tuples(
            st.just("end"), st.sampled_from(NAMES), st.sets(st.sampled_from("abcd"), max_size=3)
        ),
        st.tuples(st.just("touch"), st.just(""), st.sets(st.sampled_from("abcd"), max_size=2)),
        st.tuples(st.just("drop"), st.just(""), st.sets(st.sampled_from("abcd"), max_size=1)),
    ),
    max_size=15,
)
values = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53), 2**53)
    | st.text(st.characters(codec="utf-8")),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text("ab"), inner, max_size=3),
    max_leaves=6,
)


def describe(state: LocalState) -> object:
    """All that can be read of it but its notes."""
    return (
        [(session.ordinal, session.project, session.at) for session in state.sessions()],
        dict(state.last_recalls()),
        {entry: list(ordinals) for entry, ordinals in state.hits_since(0).items()},
    )


def told(count: Count) -> tuple[object, ...]:
    return count.session, count.entry, count.times, count.used, count.at


class LocalStateContract:
    @pytest.fixture
    def reopen(self) -> Reopen:
        """Opens the same state, as another process would."""
        raise NotImplementedError

    @pytest.fixture
    def state(self, reopen: Reopen) -> LocalState:
        return reopen()

    def test_at_first_nothing_is_known(self, state: LocalState) -> None:
        assert describe(state) == ([], {}, {})
        assert state.read_note("digest") is None

    def test_a_scratch_file_holds_what_is_written_and_is_nobody_elses(
        self, state: LocalState
    ) -> None:
        with state.open_scratch() as one, state.open_scratch() as other:
            one.write(b"much")
            assert (one.seek(0), one.read(), other.read()) == (0, b"much", b"")

    def test_sessions_are_numbered_from_1_in_the_order_of_their_ends(
        self, state: LocalState
    ) -> None:
        ends = [("b", "x", AT + 9), ("a", "", AT), ("c", "y", AT - 9)]
        assert [state.end_session(*end, ()) for end in ends] == [1, 2, 3]
        assert describe(state) == ([(1, "x", AT + 9), (2, "", AT), (3, "y", AT - 9)], {}, {})

    def test_a_session_that_ended_before_keeps_its_ordinal_and_gains_hits(
        self, state: LocalState
    ) -> None:
        assert state.end_session("s1", "x", AT, ["a"]) == 1
        told = describe(state)
        assert state.end_session("s1", "x", AT, ["a"]) == 1
        assert describe(state) == told
        assert state.end_session("s2", "x", AT, []) == 2
        assert state.end_session("s1", "y", AT + 99, ["b", "a"]) == 1
        assert describe(state) == (
            [(1, "x", AT), (2, "x", AT)], {"a": 1, "b": 1}, {"a": [1], "b": [1]},
        )  # fmt: skip

    def test_counts_wait_until_they_are_dropped_and_are_kept_once(
        self, state: LocalState, reopen: Reopen
    ) -> None:
        first, later = Count("s1", "a", 2, False, AT), Count("s2", "a", 1, True, AT + 9)
        state.add_counts([later, first, Count("s1", "b", 1, False, AT)])
        state.add_counts([Count("s1", "a", 7, True, AT + 99)])
        assert [told(count) for count in reopen().counts()] == [
            ("s1", "a", 2, False, AT), ("s2", "a", 1, True, AT + 9), ("s1", "b", 1, False, AT),
        ]  # fmt: skip
        state.drop_counts([first])
        state.drop_entries(["b"])
        assert [told(count) for count in state.counts()] == [told(later)]

    def test_hits_are_told_from_an_ordinal_on(self, state: LocalState) -> None:
        for number, hits in enumerate(("ab", "b", "a", "b"), 1):
            state.end_session(f"s{number}", "", AT, hits)
        assert {id_: list(found) for id_, found in state.hits_since(1).items()} == {
            "a": [3], "b": [2, 4],
        }  # fmt: skip
        assert dict(state.hits_since(4)) == {}
        assert dict(state.last_recalls()) == {"a": 3, "b": 4}

    def test_the_last_uses_of_some_projects_come_the_latest_first(self, state: LocalState) -> None:
        for number, (project, used) in enumerate(
            (("p", "ab"), ("", "c"), ("q", "d"), ("p", "a")), 1
        ):
            state.end_session(f"s{number}", project, AT, "ef", used)
        assert list(state.last_uses(["p", ""], 5)) == ["a", "c", "b"]
        assert list(state.last_uses(["p", ""], 2)) == ["a", "c"]
        assert list(state.last_uses(["other"], 5)) == []

    def test_a_session_that_is_resumed_takes_no_later_recall_back(self, state: LocalState) -> None:
        state.end_session("s1", "", AT, [])
        state.end_session("s2", "", AT, ["a"])
        state.end_session("s1", "", AT, ["a"])
        assert dict(state.last_recalls()) == {"a": 2}

    def test_what_is_touched_is_recalled_by_the_latest_session_without_a_hit(
        self, state: LocalState
    ) -> None:
        state.touch(["early"])
        state.end_session("s1", "", AT, ["a"])
        state.end_session("s2", "", AT, [])
        state.touch(["a", "b"])
        assert dict(state.last_recalls()) == {"early": 0, "a": 2, "b": 2}
        assert dict(state.hits_since(0)) == {"a": [1]}

    def test_of_a_dropped_entry_nothing_is_known(self, state: LocalState) -> None:
        state.end_session("s1", "", AT, ["a", "b"], ["a", "b"])
        state.drop_entries(["a", "no such"])
        assert describe(state) == ([(1, "", AT)], {"b": 1}, {"b": [1]})
        assert {id_: list(found) for id_, found in state.uses_since(0).items()} == {"b": [1]}

    def test_uses_are_told_apart_from_hits(self, state: LocalState) -> None:
        assert dict(state.uses_since(0)) == {}
        state.end_session("s1", "", AT, ["a", "b"], ["b"])
        state.end_session("s2", "", AT, ["b"], ["b"])
        state.end_session("s1", "", AT, ["a"], ["a", "b"])
        assert {id_: list(found) for id_, found in state.uses_since(0).items()} == {
            "a": [1], "b": [1, 2],
        }  # fmt: skip
        assert {id_: list(found) for id_, found in state.uses_since(1).items()} == {"b": [2]}

    def test_what_was_spent_is_kept_and_corrected_by_its_number(self, reopen: Reopen) -> None:
        state = reopen()
        assert list(state.spent_since(0)) == []
        given = [("extract", "small", 9, 2, AT), ("summary", "é\n'", 10**12, 0, AT + 9)]
        numbers = [state.add_spend(Spend(*one)) for one in given]
        dropped = state.add_spend(Spend("extract", "small", 5, 5, AT + 9))
        state.correct_spend(numbers[0], 7, 0)
        state.correct_spend(dropped, 0, 0)
        state.correct_spend(10**6, 1, 1)
        state.close()
        other = reopen()
        kept = [("extract", "small", 7, 0, AT), given[1]]
        for since, wanted in ((0.0, kept), (AT + 1, kept[1:]), (AT + 10, [])):
            assert [
                (one.purpose, one.model, one.taken, one.given, one.at)
                for one in other.spent_since(since)
            ] == wanted
        other.close()

    @settings(max_examples=25, suppress_health_check=SHARED_FIXTURE)
    @given(notes=st.dictionaries(st.sampled_from(NAMES), values, max_size=4))
    def test_a_note_is_read_as_it_was_written_last(
        self, reopen: Reopen, notes: dict[str, object]
    ) -> None:
        state = reopen()
        for name, value in notes.items():
            state.write_note(name, "before")
            state.write_note(name, value)
        state.close()
        other = reopen()
        assert {name: other.read_note(name) for name in notes} == notes
        other.close()

    @settings(max_examples=25, suppress_health_check=SHARED_FIXTURE)
    @given(steps=steps)
    def test_after_any_steps_what_is_known_agrees_and_outlives_the_process(
        self, reopen: Reopen, steps: list[tuple[str, str, set[str]]]
    ) -> None:
        state = reopen()
        state.drop_entries("abcd")
        ordinals: dict[str, int] = {}
        hits: dict[str, set[int]] = {}
        recalls: dict[str, int] = {}
        start = len(state.sessions())
        for step, session, entries in steps:
            if step == "end":
                ordinal = state.end_session(f"{start} {session}", "", AT, sorted(entries))
                assert ordinal == ordinals.setdefault(session, start + len(ordinals) + 1)
                for entry in entries:
                    hits.setdefault(entry, set()).add(ordinal)
                    recalls[entry] = max(ordinal, recalls.get(entry, 0))
            elif step == "touch":
                state.touch(entries)
                recalls |= dict.fromkeys(entries, start + len(ordinals))
            else:
                state.drop_entries(entries)
                for entry in entries:
                    hits.pop(entry, None)
                    recalls.pop(entry, None)
        told = describe(state)
        assert dict(state.last_recalls()) == recalls
        assert {id_: set(found) for id_, found in state.hits_since(0).items()} == hits
        assert [one.ordinal for one in state.sessions()] == [*range(1, start + len(ordinals) + 1)]
        state.close()
        other = reopen()
        assert describe(other) == told
        other.close()

    def test_hits_that_can_not_be_told_leave_no_session(self, state: LocalState) -> None:
        def hits() -> object:
            yield "a"
            raise KeyError("b")

        with pytest.raises(KeyError):
            state.end_session("s1", "", AT, hits())  # type: ignore[arg-type]
        assert describe(state) == ([], {}, {})
        assert state.end_session("s2", "", AT, "b") == 1

    def test_cursors_are_those_of_a_consumer_in_a_source(self, reopen: Reopen) -> None:
        state = reopen()
        state.write_cursor("extract", "notes", "a.md", {"offset": 1})
        state.write_cursor("extract", "notes", "a.md", {"offset": 2})
        state.write_cursor("extract", "notes", "b/é.md", {"offset": 3})
        state.write_cursor("reflect", "notes", "a.md", None)
        state.write_cursor("extract", "other", "a.md", [])
        state.close()
        other = reopen()
        assert other.cursors("extract", "notes") == {"a.md": {"offset": 2}, "b/é.md": {"offset": 3}}
        assert other.cursors("reflect", "notes") == {"a.md": None}
        other.drop_cursors("notes")
        assert other.cursors("extract", "notes") == other.cursors("reflect", "notes") == {}
        assert other.cursors("extract", "other") == {"a.md": []}
        other.close()

    @settings(max_examples=25, suppress_health_check=SHARED_FIXTURE)
    @given(digests=st.lists(st.binary(min_size=8, max_size=24), max_size=4))
    def test_the_turns_that_were_read_are_those_of_a_conversation(
        self, state: LocalState, digests: list[bytes]
    ) -> None:
        before = state.turns_read("extract", "c")
        for one in digests:
            state.add_turns_read("extract", "c", one)
        assert state.turns_read("extract", "c") == before + b"".join(digests)
        assert state.turns_read("reflect", "c") == state.turns_read("extract", "d") == b""

    def test_it_opens_again_after_it_was_closed(self, state: LocalState) -> None:
        state.end_session("s1", "", AT, ["a"])
        state.close()
        state.close()
        assert state.end_session("s2", "", AT, ["a"]) == 2
