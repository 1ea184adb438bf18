from __future__ import annotations

import random

import pytest
from bench.sets.benchmarks import CATEGORIES, read_locomo
from bench.sets.measurement import (
    FOREIGN_NAMELESS,
    NAMELESS,
    PLAIN,
    Answer,
    Estimate,
    Measured,
    Ranking,
)
from bench.sets.metrics import METRICS
from bench.sets.question_set import GoldQuestion
from bench.sets.summary import LOST, Figures, MeasurementReport, SilenceFigures, UnitReport

from engrain.engine.recall.profiles import choose_profile
from support.check_script import leaves_files_open, load_check, needs_check
from support.real_data import DATA, needs

_DEV = "locomo/locomo_dev.json"
_THEIR_NAMES = {"hit@1": "R_any@1", "hit@5": "R_any@5", "hit@10": "R_any@10"} | {
    "ndcg@10": "NDCG@10",
    "mrr": "MRR@10",
}


def _answer(
    *ids: str, relevance: float = 1.0, milliseconds: float = 1.0, embedder: str = ""
) -> Answer:
    return Answer(
        ids, relevance=relevance, embedder=embedder, degraded=None, milliseconds=milliseconds
    )


def _ranking(category: str, *ids: str, group: str = "", milliseconds: float = 1.0) -> Ranking:
    question = GoldQuestion("q", "?", frozenset({"a"}), category=category, group=group)
    return Ranking(question, _answer(*ids, milliseconds=milliseconds))


def _estimates(group: str, *relevances: float, own: bool) -> list[Estimate]:
    return [
        Estimate(
            GoldQuestion(f"{group}{number}", "?", frozenset(), group=group),
            own,
            _answer(*["a"] * (relevance >= 0.5), relevance=relevance),
        )
        for number, relevance in enumerate(relevances)
    ]


def test_figures_are_means_with_intervals_around_them() -> None:
    figures = Figures([_ranking("", "a"), _ranking("", "b"), _ranking("", "b", "a")])
    assert figures.n == 3
    assert figures.means["mrr"] == pytest.approx(0.5)
    assert tuple(figures.intervals) == METRICS
    for metric, (low, high) in figures.intervals.items():
        assert low <= figures.means[metric] <= high


def test_latency_is_reported_by_its_median_and_its_tail() -> None:
    rankings = [_ranking("", "a", milliseconds=float(n)) for n in range(1, 102)]
    assert Figures(rankings).latency == {"p50": 51.0, "p95": 96.0}


def test_a_unit_is_split_by_category_and_conversation() -> None:
    unit = UnitReport([_ranking("x", "a", group="1"), _ranking("y", "b", group="1")])
    assert {name: part.means["hit@1"] for name, part in unit.by_category.items()} == {
        "x": 1.0,
        "y": 0.0,
    }
    assert {name: part.n for name, part in unit.by_group.items()} == {"1": 2}


def test_a_set_without_categories_or_conversations_is_not_split() -> None:
    unit = UnitReport([_ranking("", "a")])
    assert (unit.by_category, unit.by_group) == ({}, {})
    assert UnitReport([_ranking("x", "a", group="x")]).by_group == {}


def test_silence_is_counted_on_both_sides() -> None:
    own = _estimates("1", 0.9, 0.8, 0.4, 0.9, own=True)
    silence = SilenceFigures(own, _estimates("1", 0.1, 0.6, own=False))
    assert (silence.own_silenced, silence.foreign_silenced) == (0.25, 0.5)
    assert silence.area == pytest.approx(7 / 8)


def test_one_conversation_gives_no_held_out_threshold() -> None:
    silence = SilenceFigures(_estimates("1", 0.9, own=True), _estimates("1", 0.1, own=False))
    assert silence.held_out is None


def test_a_threshold_is_chosen_without_the_conversation_it_is_applied_to() -> None:
    own = _estimates("a", 0.5, 0.6, own=True) + _estimates("b", 0.7, 0.8, own=True)
    foreign = _estimates("a", 0.65, own=False) + _estimates("b", 0.65, own=False)
    held_out = SilenceFigures(own, foreign).held_out
    assert held_out is not None
    assert held_out.thresholds == {"a": 0.7, "b": 0.5}
    assert held_out.own_silenced == 0.5
    assert held_out.foreign_silenced == 0.5


def test_held_out_thresholds_lose_about_what_they_may() -> None:
    draw = random.Random(5)
    own, foreign = [], []
    for group in "abcd":
        own += _estimates(group, *(draw.uniform(0.3, 1) for _ in range(200)), own=True)
        foreign += _estimates(group, *(draw.uniform(0, 0.7) for _ in range(200)), own=False)
    held_out = SilenceFigures(own, foreign).held_out
    assert held_out is not None
    assert held_out.own_silenced == pytest.approx(LOST, abs=0.02)
    # 3 % of the own ones lie below 0.321, and 46 % of the foreign ones.
    assert held_out.foreign_silenced == pytest.approx(0.46, abs=0.06)


def test_a_report_tells_silence_only_where_both_sides_were_asked() -> None:
    measured = Measured(choose_profile(None))
    measured.estimates[PLAIN] = _estimates("1", 0.9, own=True)
    assert MeasurementReport("set", measured).silence == {}
    measured.estimates[PLAIN] += _estimates("1", 0.2, own=False)
    assert list(MeasurementReport("set", measured).silence) == [PLAIN]


@needs_check
@leaves_files_open
@needs(_DEV)
@pytest.mark.parametrize("unit", ["turn", "session"])
def test_an_independent_scorer_gives_the_same_report(unit: str) -> None:
    haystacks = read_locomo((DATA / _DEV).read_bytes()).haystacks[unit]
    gold = {
        (haystack.name, question.text): sorted(question.gold)
        for haystack in haystacks
        for question in haystack.questions
    }
    check = load_check()

    def rank(name: str, ids: list[str], question: str) -> list[str]:
        """Ids at random, now and then one that answers, and some of them twice."""
        draw = random.Random(f"{name} {question}")
        answers = gold.get((name, question), ids)
        return [draw.choice(answers if draw.random() < 0.2 else ids) for _ in range(12)]

    theirs = check.evaluate(
        lambda units, question, k: rank(units[0]["conv"], [u["id"] for u in units], question),
        check.load(str(DATA / _DEV)),
        unit,
    )
    rankings = [
        Ranking(question, _answer(*rank(haystack.name, ids, question.text)[:10]))
        for haystack in haystacks
        for ids in [[passage.id for passage in haystack.passages]]
        for question in haystack.questions
    ]
    ours = UnitReport(rankings)
    parts = [(ours.whole, theirs)]
    parts += [(ours.by_category[CATEGORIES[n]], part) for n, part in theirs["by_category"].items()]
    parts += [(ours.by_group[name], part) for name, part in theirs["by_conv"].items()]
    assert len(parts) == 9
    for mine, part in parts:
        assert mine.n == part["n"]
        for metric in METRICS:
            their_name = _THEIR_NAMES.get(metric, metric)
            assert mine.means[metric] == pytest.approx(part[their_name], abs=1e-12)


def _measured(**conditions: list[Estimate]) -> Measured:
    measured = Measured(choose_profile(None))
    measured.estimates = {PLAIN: conditions["plain"]}
    if "nameless" in conditions:
        measured.estimates[NAMELESS] = conditions["nameless"]
    return measured


def test_foreign_prompts_without_names_are_held_against_own_questions_as_they_are() -> None:
    plain = [*_estimates("a", 0.9, 0.6, own=True), *_estimates("b", 0.1, own=False)]
    report = MeasurementReport(
        "x", _measured(plain=plain, nameless=_estimates("b", 0.7, own=False))
    )
    assert {name: each.area for name, each in report.silence.items()} == {PLAIN: 1, NAMELESS: 0.5}


def test_own_questions_without_names_are_a_part_of_their_own() -> None:
    plain = [*_estimates("a", 0.9, 0.6, own=True), *_estimates("b", 0.1, own=False)]
    nameless = [*_estimates("a", 0.5, 0.6, own=True), *_estimates("b", 0.7, own=False)]
    report = MeasurementReport("x", _measured(plain=plain, nameless=nameless))
    assert {name: each.area for name, each in report.silence.items()} == {
        PLAIN: 1,
        FOREIGN_NAMELESS: 0.5,
        NAMELESS: 0,
    }


def test_silence_is_not_compared_without_foreign_prompts() -> None:
    assert MeasurementReport("x", _measured(plain=_estimates("a", 0.9, own=True))).silence == {}


def _asked(*ranked: str) -> list[Ranking]:
    return [_ranking("", *ids.split()) for ids in ranked]


def test_recall_is_held_against_the_best_baseline_of_each_metric() -> None:
    measured = Measured(choose_profile(None))
    measured.rankings = {"note": _asked("a", "a", "a", "b a")}
    measured.baselines = {
        "first": {"note": _asked("a", "a", "b", "b")},
        "deep": {"note": _asked("b a", "b a", "b a", "b a")},
    }
    leads = MeasurementReport("x", measured).leads("note", ("hit@1", "hit@5"))
    assert {metric: lead.baseline for metric, lead in leads.items()} == {
        "hit@1": "first",
        "hit@5": "deep",
    }
    assert leads["hit@1"].difference.difference == pytest.approx(0.25)
    assert leads["hit@5"].difference.difference == 0


def test_what_is_served_is_what_is_held_against_baselines() -> None:
    measured = Measured(choose_profile(None))
    measured.rankings = {"note": _asked("a", "a")}
    measured.served = {"note": _asked("a", "")}
    measured.baselines = {"full text": {"note": _asked("a", "a")}}
    lead = MeasurementReport("x", measured).leads("note", ("hit@1",))["hit@1"]
    assert lead.difference.difference == pytest.approx(-0.5)
    assert MeasurementReport("x", Measured(choose_profile(None))).units == {}
