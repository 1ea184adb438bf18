"""What an entry counts for before anything is asked."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.engine.recall.profiles import DAY, PHASES, TRUST, Phase, decay, weigh_entry
from engrain.model.note.tiers import KINDS
from engrain.seam.locator import Locator
from engrain.seam.rows import Row

NOW = 1_790_000_000.0
DAYS = st.floats(0, 10_000)
HALF_LIFE = st.floats(0.1, 10_000)


def make_row(
    *,
    kind: str = "fix",
    source: str = "agent",
    status: str = "active",
    weight: float | None = None,
    updated: float | None = NOW,
) -> Row:
    return Row(
        locator=Locator("Memory/fix/a.md"), id="a", hash="", kind=kind, slug="a", title="A",
        status=status, project=None, tier="T3", zone="live", tags=(), source=source,
        created=NOW, updated=updated, primary=True, weight=weight,
    )  # fmt: skip


def weigh(
    row: Row, *, half_life: float | None = None, phase: Phase | None = None, length: int = 0
) -> dict[str, float]:
    return weigh_entry(row, now=NOW, half_life=half_life, phase=phase, length=length)


# Time


@given(HALF_LIFE)
def test_an_entry_counts_a_half_after_one_half_life(half_life: float) -> None:
    assert decay(0, half_life) == 1
    assert decay(half_life, half_life) == pytest.approx(0.5)
    assert decay(3 * half_life, half_life) == pytest.approx(0.125)


@given(DAYS, DAYS, HALF_LIFE)
def test_an_older_entry_never_counts_more(one: float, other: float, half_life: float) -> None:
    newer, older = sorted((one, other))
    assert 0 <= decay(older, half_life) <= decay(newer, half_life) <= 1


def test_what_is_dated_in_the_future_counts_like_today() -> None:
    assert decay(-300, 30) == 1


def test_age_counts_only_where_a_half_life_is_asked_for_and_by_the_last_update() -> None:
    old = make_row(updated=NOW - 30 * DAY)
    assert "age" not in weigh(old)
    assert weigh(old, half_life=30)["age"] == pytest.approx(0.5)
    assert "age" not in weigh(make_row(updated=None), half_life=30)


# Where it comes from, and how it stands


def test_a_plain_entry_is_weighed_by_nothing() -> None:
    assert weigh(make_row()) == {}


@given(st.integers(0, 10**8), st.integers(0, 10**8))
def test_a_longer_entry_never_counts_more(one: int, other: int) -> None:
    shorter, longer = sorted((one, other))
    factors = [weigh(make_row(), length=n).get("length", 1.0) for n in (shorter, longer)]
    assert 0.4 < factors[1] <= factors[0] <= 1


def test_the_more_its_source_is_trusted_the_more_an_entry_counts() -> None:
    order = ("external", "tool", "agent", "operator")
    factors = [weigh(make_row(source=source)).get("trust", 1.0) for source in order]
    assert factors == sorted(factors)
    assert len(set(factors)) == len(TRUST)


def test_an_unknown_source_is_trusted_like_one_from_outside() -> None:
    assert weigh(make_row(source="rumour")) == weigh(make_row(source="external"))


@pytest.mark.parametrize("status", ["archived", "superseded", "inbox"])
def test_what_is_not_active_counts_less(status: str) -> None:
    assert weigh(make_row(status=status))["status"] < 1


@given(st.floats(0, 1), st.floats(0, 1))
def test_a_heavier_entry_never_counts_less(one: float, other: float) -> None:
    light, heavy = sorted((one, other))
    factors = [weigh(make_row(weight=weight)).get("weight", 1.0) for weight in (light, heavy)]
    assert factors[0] <= factors[1]
    assert all(0.9 <= factor <= 1.1 for factor in factors)


def test_an_entry_without_a_weight_counts_like_one_of_a_half() -> None:
    assert weigh(make_row(weight=0.5)) == weigh(make_row(weight=None))


# Phases


@pytest.mark.parametrize("name", list(PHASES))
def test_a_phase_names_kinds_that_there_are_and_lets_each_come_once_at_least(name: str) -> None:
    phase = PHASES[name]
    assert set(phase.kinds) <= set(KINDS)
    for kind in [*KINDS, "unknown"]:
        assert phase.prior(kind) > 0
        assert phase.most(kind) >= 1


def test_a_plan_asks_for_decisions_and_work_for_fixes() -> None:
    plan, work = PHASES["plan"], PHASES["work"]
    assert plan.prior("decision") > plan.prior("fix")
    assert work.prior("fix") > work.prior("decision")
    assert plan.most("decision") > work.most("decision")
    assert work.most("fix") > plan.most("fix")
    fix = make_row(kind="fix")
    assert weigh(fix, phase=work)["phase"] > 1 > weigh(fix, phase=plan)["phase"]


def test_what_the_operator_wants_and_must_not_happen_again_counts_in_every_phase() -> None:
    for phase in PHASES.values():
        for kind in ("preference", "feedback", "anti-pattern"):
            assert phase.prior(kind) >= 1


def test_in_no_phase_traces_outweigh_or_crowd_out_what_was_learned_from_them() -> None:
    for phase in PHASES.values():
        assert phase.most("episode") <= 2
        learned = [phase.prior(kind) for kind in ("pattern", "anti-pattern", "procedural")]
        assert phase.prior("episode") < max(learned)


def test_a_review_asks_for_mistakes_and_a_release_for_how_it_is_done() -> None:
    review, release = PHASES["review"], PHASES["release"]
    assert review.prior("anti-pattern") > review.prior("procedural")
    assert release.prior("procedural") > release.prior("anti-pattern")
    assert review.most("learning") > release.most("learning")


def test_a_kind_that_a_phase_does_not_name_counts_as_other() -> None:
    phase = Phase({"fix": (1.2, 4)}, other=0.5, others=3)
    assert (phase.prior("fix"), phase.most("fix")) == (1.2, 4)
    assert (phase.prior("idea"), phase.most("idea")) == (0.5, 3)
