"""How far entries have aged: by sessions and days since their recall, whatever a clock does."""

from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.lifecycle.ageing.heat import LONGEST_PAUSE, PAUSE, Ageing
from engrain.model.note.strength import DAY
from engrain.state.local_state import Session

AT = 1_790_000_000.0
YEAR = 365 * DAY


def daily(count: int, project: str = "") -> list[Session]:
    """Sessions with a day between two."""
    return [Session(n, project, AT + n * DAY) for n in range(1, count + 1)]


# -- sessions ------------------------------------------------------------------------------------


def test_an_entry_is_as_old_as_the_sessions_and_days_since_its_recall() -> None:
    ageing = Ageing(daily(10), {"a": 3, "b": 10}, AT + 11 * DAY)
    assert ageing.age("a", "", AT + 3 * DAY) == (7, 8.0)
    assert ageing.age("b", "", AT + 10 * DAY) == (0, 1.0)


def test_one_that_was_never_recalled_ages_from_when_it_was_made() -> None:
    ageing = Ageing(daily(10), {}, AT + 11 * DAY)
    assert ageing.age("a", "", AT + 4.5 * DAY) == (6, 6.5)
    assert ageing.age("a", "", AT - 20 * DAY) == (10, 31.0)
    assert ageing.age("a", "", AT + 10.5 * DAY) == (0, 0.5)


def test_one_of_which_nothing_is_known_is_new() -> None:
    assert Ageing(daily(10), {}, AT + 11 * DAY).age("a", "", None) == (0, 0.0)
    assert Ageing([], {}, AT).age("a", "", None) == (0, 0.0)


def test_before_the_first_session_only_days_pass() -> None:
    assert Ageing([], {}, AT + 3 * DAY).age("a", "x", AT) == (0, 3.0)


def test_a_session_ages_its_projects_entries_and_those_that_have_none() -> None:
    scopes = ["x", "x", "y", "", "x", "y"]
    sessions = [Session(n, scope, AT + n * DAY) for n, scope in enumerate(scopes, 1)]
    ageing = Ageing(sessions, {"new": 2}, AT + 7 * DAY)
    counted = {scope: ageing.age("old", scope, AT)[0] for scope in ("x", "y", "", "z")}
    assert counted == {"x": 3, "y": 2, "": 6, "z": 0}
    assert ageing.age("new", "x", AT + 2 * DAY) == (1, 5.0)
    assert ageing.age("new", "", AT + 2 * DAY) == (4, 5.0)


def test_the_last_sessions_are_those_of_its_scope() -> None:
    scopes = ["x", "y", "x", "", "x"]
    sessions = [Session(n, scope, AT) for n, scope in enumerate(scopes, 1)]
    ageing = Ageing(sessions, {}, AT)
    assert list(ageing.sessions_in("x", 2)) == [3, 5]
    assert list(ageing.sessions_in("x", 9)) == [1, 3, 5]
    assert list(ageing.sessions_in("", 2)) == [4, 5]
    assert list(ageing.sessions_in("z", 2)) == []
    assert list(ageing.sessions_in("x", 0)) == []


def test_a_recall_on_another_device_counts_by_the_file() -> None:
    ageing = Ageing(daily(10), {"a": 2}, AT + 11 * DAY)
    assert ageing.age("a", "", AT + 8.5 * DAY) == (2, 2.5)
    assert ageing.age("a", "", AT + 2 * DAY + 0.9) == (8, 9.0)  # a file tells whole seconds
    assert ageing.age("a", "", AT + 1 * DAY) == (8, 9.0)  # an older file takes nothing back


def test_one_that_was_taken_back_before_any_session_is_as_old_as_its_file_says() -> None:
    assert Ageing(daily(3), {"a": 0}, AT + 4 * DAY).age("a", "", AT) == (3, 4.0)


# -- pauses and clocks ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("pause", "counted"),
    [(89 * DAY, 89.0), (LONGEST_PAUSE, 90.0), (LONGEST_PAUSE + 1, 7.0), (2 * YEAR, 7.0)],
)
def test_a_pause_of_more_than_90_days_counts_a_week(pause: float, counted: float) -> None:
    assert PAUSE == 7 * DAY
    before, after = Session(1, "", AT), Session(2, "", AT + pause)
    assert Ageing([before], {"a": 1}, AT + pause).age("a", "", AT) == (0, counted)
    assert Ageing([before, after], {"a": 1}, AT + pause).age("a", "", AT) == (1, counted)
    assert Ageing([after], {}, AT + pause).age("a", "", AT) == (1, counted)


@pytest.mark.parametrize("jump", [YEAR, -YEAR])
def test_a_clock_that_is_a_year_wrong_for_one_session_ages_nothing_by_a_year(jump: float) -> None:
    sessions = daily(5)
    wrong = Session(6, "", AT + 6 * DAY + jump)
    right = Session(7, "", AT + 7 * DAY)
    for seen, now in (([wrong], wrong.at), ([wrong, right], right.at)):
        ageing = Ageing([*sessions, *seen], {"a": 5, "w": 6}, now)
        counted, days = ageing.age("a", "", AT + 5 * DAY)
        assert counted == len(seen)
        assert days <= 7.0 * len(seen)
        counted, days = ageing.age("w", "", wrong.at)
        assert counted == len(seen) - 1
        assert days <= 7.0


times = st.lists(
    st.tuples(
        st.sampled_from([60.0, 3600.0, DAY, 20 * DAY, 100 * DAY, YEAR, -YEAR, -DAY, 0.0]),
        st.sampled_from(["", "x", "y"]),
    ),
    min_size=1,
    max_size=25,
)


@given(steps=times, data=st.data())
def test_whatever_the_clock_does_no_entry_is_older_than_the_sessions_since_its_recall(
    steps: list[tuple[float, str]], data: st.DataObject
) -> None:
    at, sessions = AT, []
    for number, (step, project) in enumerate(steps, 1):
        at += step
        sessions.append(Session(number, project, at))
    recalled = data.draw(st.integers(1, len(sessions)), "recalled in")
    scope = data.draw(st.sampled_from(["", "x", "y"]), "scope")
    made = data.draw(st.sampled_from([0.0, *(session.at for session in sessions)]), "made")
    now = at + data.draw(st.sampled_from([0.0, DAY, YEAR, -YEAR]), "since")
    last = float(int(sessions[recalled - 1].at))  # as a file tells it
    counted, days = Ageing(sessions, {"a": recalled}, now).age("a", scope, max(made, last))
    followed = [one for one in sessions[recalled:] if not scope or one.project == scope]
    assert 0 <= counted <= len(followed)
    assert days >= 0
    if made > last:
        return  # the file tells of a later moment, from which less has passed
    assert counted == len(followed)
    gaps = [later.at - one.at for one, later in pairwise(sessions)]
    passed = [*gaps[recalled - 1 :], now - at]
    fair = sum(7 * DAY if gap > 90 * DAY else max(0.0, gap) for gap in passed)
    assert days <= fair / DAY + 1e-6


@given(steps=times, born=st.floats(-2 * YEAR, 2 * YEAR), since=st.floats(0, 2 * YEAR))
def test_where_no_clock_is_wrong_an_entry_counts_the_sessions_behind_its_making(
    steps: list[tuple[float, str]], born: float, since: float
) -> None:
    at, sessions = AT, []
    for number, (step, project) in enumerate(steps, 1):
        at += abs(step) + 1
        sessions.append(Session(number, project, at))
    counted, days = Ageing(sessions, {}, at + since).age("a", "", AT + born)
    assert counted == sum(session.at > AT + born for session in sessions)
    assert days <= max(0.0, at + since - AT - born) / DAY + 1e-6
