"""What may be kept of an episode as somebody gave it: shape, order, what is told (S2.2). How large
an episode may be, and what is kept of one that is larger (S2.2)."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text.instants import parse_instant
from engrain.model.errors import UsageError
from engrain.model.experience.episode import OUTCOMES, is_failure
from engrain.model.experience.reading import MOST_ACTIONS, MOST_BYTES, is_large, read_episode

NOW = 1_790_000_000.0
SEED: dict[str, Any] = {
    "id": "ep-2026-01-06-001",
    "task_id": "task-042",
    "timestamp": "2026-01-06T10:30:00Z",
    "duration_seconds": 342,
    "agent": "eng-001-backend",
    "context": {
        "phase": "development",
        "goal": "Implement POST /api/todos endpoint",
        "constraints": ["No third-party deps", "< 200ms response"],
        "files_involved": ["src/routes/todos.ts", "src/db/todos.ts"],
    },
    "action_log": [
        {"t": 0, "action": "read_file", "target": "openapi.yaml"},
        {"t": 5, "action": "write_file", "target": "src/routes/todos.ts"},
        {"t": 120, "action": "run_test", "result": "fail", "error": "missing return type"},
        {"t": 140, "action": "edit_file", "target": "src/routes/todos.ts"},
        {"t": 180, "action": "run_test", "result": "pass"},
    ],
    "outcome": "success",
    "errors_encountered": [
        {
            "type": "TypeScript compilation",
            "message": "Missing return type annotation",
            "resolution": "Added explicit :void to route handler",
        }
    ],
    "artifacts_produced": ["src/routes/todos.ts", "tests/todos.test.ts"],
    "git_commit": "abc123",
}
anything = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)


def with_log(log: object) -> dict[str, Any]:
    return {**SEED, "action_log": log}


def times(log: object) -> list[float]:
    return [action["t"] for action in read_episode(with_log(log), NOW).document["action_log"]]


def test_the_seeds_own_episode_comes_out_as_it_went_in() -> None:
    reading = read_episode(SEED, NOW)
    assert json.dumps(reading.document) == json.dumps(SEED)
    assert reading.at == parse_instant("2026-01-06T10:30:00Z")
    assert (reading.omitted, reading.faults) == ({}, ())


def test_all_that_is_needed_is_a_goal() -> None:
    reading = read_episode({"context": {"goal": " Fix\n it "}}, NOW)
    assert reading.document == {
        "task_id": None,
        "timestamp": "2026-09-21T14:13:20Z",
        "duration_seconds": 0,
        "agent": None,
        "context": {"phase": "", "goal": "Fix it", "constraints": [], "files_involved": []},
        "action_log": [],
        "outcome": "unknown",
        "errors_encountered": [],
        "artifacts_produced": [],
        "git_commit": None,
    }
    assert (reading.at, reading.faults) == (NOW, ())


@pytest.mark.parametrize(
    "given_", [{}, {"context": {}}, {"context": {"goal": " "}}, {"context": "x"}, {"goal": "x"}]
)
def test_one_without_a_goal_is_refused(given_: dict[str, Any]) -> None:
    with pytest.raises(UsageError, match="needs a goal"):
        read_episode(given_, NOW)


def test_what_is_no_object_is_refused() -> None:
    with pytest.raises(UsageError, match="JSON object"):
        read_episode([SEED], NOW)  # type: ignore[arg-type]


# -- actions ---------------------------------------------------------------------------------------


def test_actions_stand_in_the_order_of_their_times_and_those_at_one_moment_as_they_came() -> None:
    log = [{"t": t, "action": f"{n}"} for n, t in enumerate([5, 0, 5, -3, 0])]
    document = read_episode(with_log(log), NOW).document
    assert [(action["t"], action["action"]) for action in document["action_log"]] == [
        (0, "3"), (0, "1"), (0, "4"), (5, "0"), (5, "2"),
    ]  # fmt: skip


def test_an_action_without_a_time_stays_behind_the_one_before() -> None:
    log = [{"t": 3, "action": "a"}, {"action": "b"}, {"t": "soon", "action": "c"}]
    assert times([*log, {"t": 1, "action": "d"}]) == [1, 3, 3, 3]
    assert times(iter(log)) == [3, 3, 3]


@pytest.mark.parametrize("t", [float("nan"), float("inf"), True, [1], 10**400])
def test_a_time_that_is_none_is_reported(t: object) -> None:
    reading = read_episode(with_log([{"t": 2, "action": "a"}, {"t": t, "action": "b"}]), NOW)
    assert [action["t"] for action in reading.document["action_log"]] == [2, 2]
    assert reading.faults == ("an action's t was no number and is that of the one before",)


def test_what_is_no_action_is_left_out_and_told_once_with_its_number() -> None:
    reading = read_episode(with_log([3, None, {"t": 1}, {"t": 1, "action": "a"}]), NOW)
    assert reading.document["action_log"] == [{"t": 1, "action": "a"}]
    assert reading.faults == ("an action that names none (3 times)",)


# -- what is told ----------------------------------------------------------------------------------


@pytest.mark.parametrize("outcome", OUTCOMES)
def test_a_known_outcome_is_kept_however_it_is_written(outcome: str) -> None:
    reading = read_episode({**SEED, "outcome": f" {outcome.upper()} "}, NOW)
    assert (reading.document["outcome"], reading.faults) == (outcome, ())


def test_an_outcome_that_is_none_is_unknown_and_reported() -> None:
    reading = read_episode({**SEED, "outcome": "splendid"}, NOW)
    assert reading.document["outcome"] == "unknown"
    assert reading.faults == ("outcome 'splendid' is unknown",)


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"timestamp": "yesterday"}, "timestamp was no time and is now"),
        ({"timestamp": 1e15}, "timestamp was no time and is now"),
        ({"duration_seconds": "long"}, "duration_seconds was no number"),
        ({"task_id": ["x"]}, "task_id was no text"),
        ({"artifacts_produced": {"a": 1}}, "artifacts_produced was no list"),
        ({"errors_encountered": 3}, "errors_encountered was no list"),
        ({"errors_encountered": [{}]}, "an error that says nothing"),
        ({"action_log": "run"}, "action_log was no list"),
        ({"id": ["x"]}, "id was no text"),
        ({"mood": "good"}, "mood is no field of an episode"),
        ({"context": {"goal": "g", "mood": 1}}, "context.mood is no field of an episode"),
    ],
)
def test_a_part_of_another_shape_is_reported_and_the_rest_is_kept(
    change: dict[str, Any], told: str
) -> None:
    reading = read_episode({**SEED, **change}, NOW)
    assert len(reading.faults) == 1
    assert reading.faults[0].startswith(told)
    assert reading.document["context"]["goal"]


def test_an_error_that_is_a_text_is_its_message() -> None:
    document = read_episode({**SEED, "errors_encountered": ["no space"]}, NOW).document
    assert document["errors_encountered"] == [
        {"type": "error", "message": "no space", "resolution": ""}
    ]


@given(
    given_=st.fixed_dictionaries(
        {"context": st.just({"goal": "g"})},
        optional={key: anything for key in SEED if key != "context"},
    )
)
def test_whatever_stands_in_an_episode_a_file_can_hold_what_is_kept(given_: dict[str, Any]) -> None:
    reading = read_episode(given_, NOW)
    raw = json.dumps(reading.document, ensure_ascii=False, allow_nan=False).encode()
    assert json.loads(raw) == reading.document
    again = read_episode(reading.document, NOW)
    assert again.document == reading.document
    assert (again.at, again.faults, again.omitted) == (reading.at, (), {})


MANY = 200_000


def long_log(count: int) -> list[dict[str, Any]]:
    return [
        {"t": n, "action": "run", **({"result": "fail"} if n in (400, 700) else {})}
        for n in range(count)
    ]


@pytest.mark.parametrize("count", [MOST_ACTIONS, MOST_ACTIONS - 1, 150])
def test_a_log_within_the_bound_is_kept_whole(count: int) -> None:
    reading = read_episode(with_log(long_log(count)), NOW)
    assert reading.document["action_log"] == long_log(count)
    assert reading.omitted == {}


@pytest.mark.parametrize("streamed", [False, True])
def test_of_a_long_log_the_ends_and_the_failures_with_what_followed_are_kept(
    streamed: bool,
) -> None:
    log = long_log(1000)
    reading = read_episode(with_log(iter(log) if streamed else log), NOW)
    kept = [action["t"] for action in reading.document["action_log"]]
    assert kept == [*range(100), 400, 401, 700, 701, *range(800, 1000)]
    assert reading.omitted == {"actions": 1000 - len(kept)}


def test_very_many_failing_actions_are_bounded_and_counted() -> None:
    log = ({"t": n, "action": "run", "error": f"e{n}"} for n in range(MANY))
    reading = read_episode(with_log(log), NOW)
    kept = reading.document["action_log"]
    assert len(kept) <= MOST_ACTIONS
    assert (kept[0]["t"], kept[-1]["t"]) == (0, MANY - 1)
    assert reading.omitted == {"actions": MANY - len(kept)}


def test_long_texts_are_cut_at_both_ends_kept_and_the_characters_counted() -> None:
    text = "begin" + "x" * 10_000 + "end"
    reading = read_episode(with_log([{"t": 0, "action": "run", "error": text}]), NOW)
    error = reading.document["action_log"][0]["error"]
    assert error.startswith("begin")
    assert error.endswith("end")
    assert reading.omitted == {"characters": len(text) - len(error) + len(" […] ")}


def test_an_episode_is_never_larger_than_a_note_may_be() -> None:
    huge = {
        **SEED,
        "context": {"goal": "g" * 50_000, "constraints": ["\x01" * 5000] * 5000},
        "action_log": [{"t": n, "action": "é" * 9999, "error": "\x01" * 9999} for n in range(600)],
        "errors_encountered": [{"type": "t", "message": "m" * 9999}] * 3000,
        "artifacts_produced": ["a" * 9999] * 3000,
    }
    reading = read_episode(huge, NOW)
    assert not is_large(reading.document)
    assert len(json.dumps(reading.document, indent=2, ensure_ascii=False).encode()) <= MOST_BYTES
    assert sorted(reading.omitted) == ["actions", "characters", "items"]
    assert any(is_failure(action) for action in reading.document["action_log"])
