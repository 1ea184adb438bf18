from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.recall.profiles import choose_profile
from engrain.evaluation.measurement import (
    ENTRY,
    Ranking,
    collect_rows,
    mean_scores,
    measure_vault,
    score,
    silenced_share,
)
from engrain.evaluation.questions import OwnQuestion

_Opener = Callable[..., AbstractContextManager[Memory]]


def _question(id_: str, text: str, *gold: str) -> OwnQuestion:
    return OwnQuestion(1, id_, text, gold, frozenset(gold))


def _ranking(*ids: str) -> Ranking:
    return Ranking(_question("q", "?", "a"), ids)


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


@pytest.mark.parametrize(
    ("ranked", "gold", "expected"),
    [
        (["a", "b"], {"a"}, {"recall@5": 1, "recall@10": 1, "hit@1": 1, "mrr": 1}),
        (["b", "a", "a"], {"a", "c"}, {"recall@5": 0.5, "recall@10": 0.5, "hit@1": 0, "mrr": 0.5}),
        ([*"bcdefa"], {"a"}, {"recall@5": 0, "recall@10": 1, "hit@1": 0, "mrr": 1 / 6}),
        ([*"bcdefghijka"], {"a"}, {"recall@5": 0, "recall@10": 0, "hit@1": 0, "mrr": 0}),
        ([], {"a"}, {"recall@5": 0, "recall@10": 0, "hit@1": 0, "mrr": 0}),
    ],
)
def test_a_ranking_is_scored_by_the_ranks_of_what_was_expected(
    ranked: list[str], gold: set[str], expected: dict[str, float]
) -> None:
    assert score(ranked, gold) == pytest.approx(expected)


def test_the_scores_of_a_run_are_the_means_of_its_questions() -> None:
    found = mean_scores([_ranking("a"), _ranking("b"), _ranking("b", "a")])
    assert found == pytest.approx(
        {"recall@5": 2 / 3, "recall@10": 2 / 3, "hit@1": 1 / 3, "mrr": 0.5}
    )


def test_the_share_that_was_silenced_counts_empty_answers() -> None:
    assert silenced_share([_ranking(), _ranking("a")]) == 0.5
    assert silenced_share([]) == 0


def _read_all(folder: Path) -> dict[str, bytes]:
    return {str(path): path.read_bytes() for path in folder.rglob("*") if path.is_file()}
