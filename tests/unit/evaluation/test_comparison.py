from __future__ import annotations

import json

import pytest

from engrain.evaluation.measurement import ComparedRun, compare_runs, read_run
from engrain.model.errors import MalformedError, UsageError


def _run(name: str, values: dict[str, float], part: str = "turn") -> ComparedRun:
    return ComparedRun(name, {part: {id_: {"mrr": value} for id_, value in values.items()}})


def test_a_difference_is_that_of_the_means_after_less_before() -> None:
    before = _run("a", {"1": 0.0, "2": 0.5})
    found = compare_runs(before, _run("b", {"1": 1.0, "2": 0.5})).parts["turn"]["mrr"]
    assert (found.before, found.after, found.difference) == (0.25, 0.75, 0.5)
    assert (found.better, found.worse, found.chance) == (1, 0, 1.0)


def test_a_gain_of_every_question_is_told_from_chance() -> None:
    before = {str(n): n / 100 for n in range(40)}
    after = {id_: value + 0.1 for id_, value in before.items()}
    found = compare_runs(_run("a", before), _run("b", after)).parts["turn"]["mrr"]
    assert (found.better, found.worse) == (40, 0)
    assert found.chance == pytest.approx(2 / 2**40)


def test_only_questions_of_both_runs_are_compared() -> None:
    before = _run("a", {"1": 0.0, "2": 1.0, "3": 1.0})
    comparison = compare_runs(before, _run("b", {"2": 1.0, "4": 0.0}))
    assert comparison.shared == {"turn": 1}
    assert comparison.alone == {"turn": 3}
    assert comparison.parts["turn"]["mrr"].difference == 0


def test_runs_without_a_common_question_are_refused() -> None:
    with pytest.raises(UsageError, match="no question in common"):
        compare_runs(_run("a", {"1": 1.0}), _run("b", {"2": 1.0}))
    with pytest.raises(UsageError, match="no question in common"):
        compare_runs(_run("a", {"1": 1.0}), _run("b", {"1": 1.0}, part="session"))


def test_a_metric_that_one_run_lacks_is_left_out() -> None:
    before = ComparedRun("a", {"turn": {"1": {"mrr": 1.0, "new": 1.0}}})
    assert list(compare_runs(before, _run("b", {"1": 0.0})).parts["turn"]) == ["mrr"]


def test_a_saved_run_is_read_as_it_was() -> None:
    rows = {"turn": {"1": {"mrr": 0.5, "hit@1": 0}}}
    run = read_run(json.dumps({"name": "old", "rows": rows}).encode(), "file")
    assert run.name == "old"
    assert run.rows == rows


@pytest.mark.parametrize(
    "raw",
    [
        "[]", "{}", '{"rows": 3}', '{"rows": {"turn": []}}', '{"rows": {"turn": {"1": 3}}}',
        '{"rows": {"turn": {"1": {"mrr": "x"}}}}', "{", "[" * 100_000,
    ],
)  # fmt: skip
def test_what_is_no_saved_run_is_refused(raw: str) -> None:
    with pytest.raises(MalformedError, match=r"a\.json is no saved run"):
        read_run(raw.encode(), "a.json")
