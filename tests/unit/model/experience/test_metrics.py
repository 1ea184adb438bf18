"""Costs and rewards of tasks, by hand-made figures."""

from __future__ import annotations

import pytest

from engrain.model.errors import UsageError
from engrain.model.experience.metrics import (
    EFFICIENCY,
    OUTCOME,
    PREFERENCE,
    Attempt,
    Cost,
    average_rewards,
    join_rewards,
    read_attempt,
    read_signal,
    score_efficiency,
)

ATTEMPTS = [
    Attempt("t1", 2.0, agent="eng", seconds=20, outcome="success", tokens=7, errors=2, resolved=1),
    Attempt("t1", 1.0, agent="qa", seconds=10, outcome="failure", retries=3),
    Attempt("t2", 3.0, agent="eng", seconds=30, outcome="partial"),
    Attempt("t3", 4.0, seconds=60, outcome="unknown"),
]


def test_a_task_is_what_its_attempts_came_to() -> None:
    cost = Cost(ATTEMPTS)
    assert (cost.tasks, cost.outcomes) == (3, {"partial": 1, "success": 1, "unknown": 1})
    assert (cost.seconds, cost.seconds_mean, cost.seconds_median) == (120, 40, 30)
    assert (cost.agents, cost.agents_per_task) == ({"eng": 2, "qa": 1}, 1.5)
    assert (cost.retries, cost.tokens, cost.errors) == (1 + 3, 7, 2)
    assert (cost.success_rate, cost.recovery_rate) == (0.5, 0.5)


def test_of_nothing_nothing_is_known() -> None:
    cost = Cost([])
    assert (cost.tasks, cost.seconds, cost.retries) == (0, 0, 0)
    known = (cost.success_rate, cost.seconds_mean, cost.seconds_median, cost.recovery_rate)
    assert (*known, cost.agents_per_task) == (None,) * 5


def test_an_episode_tells_its_cost() -> None:
    attempt = read_attempt(
        {
            "task_id": "task-042", "agent": "eng", "duration_seconds": 342, "outcome": "success",
            "errors_encountered": [{"message": "x", "resolution": "y"}, {"message": "z"}, "?"],
        },
        {"retries": 2, "tokens": 900},
        5.0,
    )  # fmt: skip
    assert (attempt.task, attempt.agent, attempt.seconds) == ("task-042", "eng", 342)
    assert (attempt.retries, attempt.tokens) == (2, 900)
    assert (attempt.errors, attempt.resolved) == (2, 1)


@pytest.mark.parametrize(
    "wrong", [None, "long", True, -5, float("nan"), float("inf"), [], {"a": 1}], ids=repr
)
def test_a_value_of_the_wrong_form_counts_as_none(wrong: object) -> None:
    document = {"task_id": wrong, "duration_seconds": wrong, "errors_encountered": wrong}
    attempt = read_attempt(document, {"retries": wrong, "tokens": wrong}, 5.0, "by-its-id")
    assert attempt.task == (wrong if wrong == "long" else "by-its-id")
    assert (attempt.seconds, attempt.retries, attempt.tokens, attempt.errors) == (0, 0, 0, 0)
    assert Cost([read_attempt({}, wrong, 5.0, "x")]).retries == 0


@pytest.mark.parametrize(
    ("kind", "written", "value"),
    [
        (OUTCOME, "success", 1.0), (OUTCOME, "partial", 0.0), (OUTCOME, "-1", -1.0),
        (EFFICIENCY, "0.85", 0.85), (PREFERENCE, "revert", -1.0), (PREFERENCE, "-0.3", -0.3),
    ],
)  # fmt: skip
def test_a_judgement_is_a_word_or_a_number(kind: str, written: str, value: float) -> None:
    assert read_signal(kind, written) == value


@pytest.mark.parametrize(
    ("kind", "written"),
    [
        (OUTCOME, "great"), (OUTCOME, "1.01"), (OUTCOME, "nan"), (OUTCOME, ""),
        (EFFICIENCY, "-0.1"), (EFFICIENCY, "success"), (PREFERENCE, "inf"),
    ],
)  # fmt: skip
def test_what_is_neither_is_refused(kind: str, written: str) -> None:
    with pytest.raises(UsageError):
        read_signal(kind, written)


def test_what_somebody_judged_of_a_task_counts_before_what_its_episodes_tell() -> None:
    told = average_rewards(ATTEMPTS, [])
    assert (told[OUTCOME], told[PREFERENCE]) == (0.5, None)
    assert told[EFFICIENCY] == pytest.approx((0.8 + 1.0 + 1.0) / 3)
    signals = [
        ("t1", OUTCOME, -1.0), ("t1", OUTCOME, 0.0), ("t9", OUTCOME, 0.0), ("t1", EFFICIENCY, 0.1),
    ]  # fmt: skip
    told = average_rewards(ATTEMPTS, signals)
    assert told[OUTCOME] == pytest.approx((-0.5 + 0.0 + 0.0) / 3)
    assert told[EFFICIENCY] == pytest.approx((0.1 + 1.0 + 1.0) / 3)


def test_a_task_without_a_duration_has_no_efficiency() -> None:
    assert average_rewards([Attempt("t", 1.0, outcome="success")], [])[EFFICIENCY] is None


@pytest.mark.parametrize(
    ("seconds", "agents", "retries", "score"),
    [(600, 4, 0, 1.0), (1, 0, 0, 1.0), (1200, 8, 2, 0.25 + 0.15 + 0.1), (1e9, 10**6, 99, 0.0)],
)
def test_efficiency_is_the_references_formula(
    seconds: float, agents: int, retries: int, score: float
) -> None:
    assert score_efficiency(seconds, agents, retries) == pytest.approx(score, abs=1e-5)


def test_what_is_not_known_leaves_its_part_to_the_others() -> None:
    all_known = {OUTCOME: 1.0, EFFICIENCY: 0.5, PREFERENCE: -1.0}
    assert join_rewards(all_known) == pytest.approx(0.6 + 0.125 - 0.15)
    assert join_rewards({**all_known, PREFERENCE: None}) == pytest.approx(0.725 / 0.85)
    assert join_rewards({OUTCOME: None, EFFICIENCY: None, PREFERENCE: None}) is None
