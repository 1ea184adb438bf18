from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from engrain import Memory
from engrain.evaluation.measurement import (
    ENTRY,
    Figures,
    Ranking,
    choose_profile,
    collect_rows,
    figures_by_category,
    measure_vault,
    silenced_share,
)
from engrain.evaluation.metrics import METRICS
from engrain.evaluation.questions import OwnQuestion
from engrain.model.errors import UsageError

_Opener = Callable[..., AbstractContextManager[Memory]]


def _question(id_: str, text: str, *gold: str, category: str = "") -> OwnQuestion:
    return OwnQuestion(1, id_, text, gold, category, frozenset(gold))


def _ranking(*ids: str, category: str = "", milliseconds: float = 1.0) -> Ranking:
    return Ranking(_question("q", "?", "a", category=category), ids, milliseconds)


def test_a_vault_that_is_there_is_asked_and_stays_as_it_is(
    open_temporary: _Opener, tmp_path: Path
) -> None:
    with open_temporary() as memory:
        saved = memory.save("Use advisory locks for the nightly job.", title="Nightly lock")
        memory.save("Rye needs caraway.", title="Bread")
        memory.scan()
        before = _read_all(tmp_path / "temporary-0" / "vault")
        questions = [
            _question("1", "which lock does the nightly job take", saved.id),
            _question("2", "tides in Brest"),
        ]
        measured = measure_vault(memory, questions, choose_profile(None))
        assert _read_all(tmp_path / "temporary-0" / "vault") == before
    (ranking,) = measured.ranked
    assert ranking.ids[0] == saved.id
    assert [one.question.id for one in measured.served] == ["1"]
    assert [one.question.id for one in measured.foreign] == ["2"]


def test_rows_tell_for_each_question_whether_silence_was_right(open_temporary: _Opener) -> None:
    with open_temporary() as memory:
        saved = memory.save("Use advisory locks for the nightly job.", title="Nightly lock")
        questions = [
            _question("1", "advisory locks for the nightly job", saved.id),
            _question("2", "zzyzx"),
        ]
        rows = collect_rows(measure_vault(memory, questions, choose_profile(None)))
    assert rows[ENTRY]["1"]["hit@1"] == 1
    assert rows["foreign plain"] == {"2": {"silenced": 1.0}}
    assert rows["own plain"] == {"1": {"answered": 1.0}}


def test_figures_are_means_with_intervals_around_them() -> None:
    figures = Figures([_ranking("a"), _ranking("b"), _ranking("b", "a")])
    assert figures.n == 3
    assert figures.means["mrr"] == pytest.approx(0.5)
    assert tuple(figures.intervals) == METRICS
    for metric, (low, high) in figures.intervals.items():
        assert low <= figures.means[metric] <= high


def test_a_median_latency_is_the_mean_of_the_two_in_the_middle() -> None:
    figures = Figures([_ranking("a", milliseconds=took) for took in (1.0, 2.0, 4.0, 100.0)])
    assert figures.latency["p50"] == 3.0


def test_a_category_has_the_figures_of_its_questions_alone() -> None:
    asked = [_ranking("a", category="x"), _ranking("b", category="y"), _ranking("b")]
    parts = figures_by_category(asked)
    assert {name: (part.n, part.means["hit@1"]) for name, part in parts.items()} == {
        "x": (1, 1.0),
        "y": (1, 0.0),
    }


def test_the_share_that_was_silenced_counts_empty_answers() -> None:
    assert silenced_share([_ranking(), _ranking("a")]) == 0.5
    assert silenced_share([]) == 0


def test_a_profile_that_is_not_there_is_refused_with_those_that_are() -> None:
    with pytest.raises(UsageError) as caught:
        choose_profile("nothing")
    assert choose_profile(None).name in (caught.value.remedy or "")


def _read_all(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
