"""Clocks that go wrong, and conversations that do not fit into memory."""

from __future__ import annotations

from collections import Counter

import pytest

from engrain.learn.sources.pieces import MOST_TURNS, bound_times, cut
from engrain.model.facts.fact import Conversation, Turn

DAY = 86_400.0
LATEST = 1000 * DAY


def bounded(*times: float | None) -> tuple[list[float | None], Counter[str]]:
    passed: Counter[str] = Counter()
    turns = [Turn("", "other", "Text.", at) for at in times]
    return [turn.at for turn in bound_times(iter(turns), LATEST, passed)], passed


@pytest.mark.parametrize(
    ("times", "told", "counted"),
    [
        ((5.0, 6.0, 7.0), (5.0, 6.0, 7.0), {}),
        ((5.0, LATEST + 9, 7.0), (5.0, 5.0, 7.0), {"future": 1}),
        ((LATEST + 9, 7.0), (LATEST, 7.0), {"future": 1}),
        ((9.0, 5.0, 8.0), (9.0, 9.0, 9.0), {"disordered": 2}),
        ((9 * DAY, 2 * DAY, 3 * DAY), (9 * DAY, 2 * DAY, 3 * DAY), {}),
        ((9 * DAY, 8 * DAY, 7 * DAY), (9 * DAY, 8 * DAY, 7 * DAY), {}),
        ((9.0, None, 8.0), (9.0, None, 9.0), {"disordered": 1}),
    ],
)
def test_times_are_bounded_and_what_was_changed_is_counted(
    times: tuple[float | None, ...], told: tuple[float | None, ...], counted: dict[str, int]
) -> None:
    found, passed = bounded(*times)
    assert tuple(found) == told
    assert passed == counted


def test_one_conversation_says_nothing_of_the_times_of_the_next() -> None:
    items: list[Conversation | Turn] = [
        Conversation("a", "conversation", (), 9.0),
        Turn("", "other", "Text.", 9.0),
        Conversation("b", "conversation", (), 5.0),
        Turn("", "other", "Text.", 5.0),
    ]
    assert [item.at for item in bound_times(iter(items), LATEST, Counter())] == [9.0, 9.0, 5.0, 5.0]


def test_a_long_conversation_comes_in_pieces_under_one_name() -> None:
    items = [Conversation("a", "conversation", (), 9.0, "/x")]
    turns = [Turn("", "other", str(number)) for number in range(2 * MOST_TURNS + 1)]
    found = list(cut([*items, *turns]))
    assert [(one.ref, one.at, one.cwd) for one in found] == [("a", 9.0, "/x")] * 3
    assert [len(list(one.turns)) for one in found] == [MOST_TURNS, MOST_TURNS, 1]
    assert [turn for one in found for turn in one.turns] == turns


def test_long_turns_make_short_pieces_and_are_cut_themselves() -> None:
    turns = [Turn("", "other", "x" * 300_000) for _ in range(4)]
    found = list(cut([Conversation("a", "conversation", ()), *turns]))
    assert len(found) > 1
    assert all(len(turn.text) <= 200_001 for one in found for turn in one.turns)


def test_a_conversation_without_turns_does_not_come() -> None:
    begun = [Conversation(ref, "conversation", ()) for ref in "abc"]
    turn = Turn("", "other", "Text.")
    assert [one.ref for one in cut([begun[0], begun[1], turn, begun[2]])] == ["b"]
