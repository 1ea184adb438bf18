"""How strong a memory is: weight, reinforcement, and when it has faded (S3.3, S3.4, S3.6)."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.note.strength import (
    DOUBTED,
    FACTORS,
    SLOWER,
    DecayRule,
    EntryUse,
    has_faded,
    may_fade,
    reinforce,
    weigh,
)

SEED = DecayRule(7, 0.6, 5, 0)
"""The rule of S3.6, days left aside."""

shares = st.floats(0, 1)
factors = st.dictionaries(st.sampled_from(sorted(FACTORS)), shares)
rules = st.builds(
    DecayRule, st.integers(0, 50), st.floats(0, 1), st.integers(0, 50), st.floats(0, 400)
)
uses = st.builds(EntryUse, st.integers(0, 60), st.integers(0, 300), st.floats(0, 500))
classes = st.sampled_from(["normal", "slow", "confidence", "protected", "kept", "episode"])


# -- weight --------------------------------------------------------------------------------------


def test_the_four_factors_count_as_s3_3_says_and_make_up_the_whole() -> None:
    assert FACTORS == {"surprise": 0.20, "goal": 0.35, "social": 0.20, "utility": 0.25}
    assert math.isclose(sum(FACTORS.values()), 1.0)


@pytest.mark.parametrize(("name", "share"), FACTORS.items())
def test_a_factor_alone_weighs_its_share(name: str, share: float) -> None:
    assert weigh({name: 1.0}) == share
    assert weigh({name: 0.5}) == round(share / 2, 4)


@given(factors=factors)
def test_a_weight_is_between_0_and_1_and_a_missing_factor_counts_as_0(
    factors: dict[str, float],
) -> None:
    weight = weigh(factors)
    assert 0 <= weight <= 1
    assert weight == weigh({**dict.fromkeys(FACTORS, 0.0), **factors})


@given(factors=factors, name=st.sampled_from(sorted(FACTORS)), value=shares)
def test_more_of_a_factor_never_weighs_less(
    factors: dict[str, float], name: str, value: float
) -> None:
    less, more = sorted((factors.get(name, 0.0), value))
    assert weigh({**factors, name: less}) <= weigh({**factors, name: more})


@pytest.mark.parametrize(
    ("factors", "told"),
    [
        ({"novelty": 0.5}, "no factor named 'novelty'; there are surprise, goal, social, utility"),
        ({"goal": 1.0001}, "goal 1.0001 is not between 0 and 1"),
        ({"goal": -0.1}, "goal -0.1 is not"),
        ({"social": math.nan}, "social nan is not"),
        ({"utility": math.inf}, "utility inf is not"),
    ],
)
def test_what_is_no_factor_is_reported(factors: dict[str, float], told: str) -> None:
    with pytest.raises(ValueError, match=told):
        weigh(factors)


# -- reinforcement -------------------------------------------------------------------------------


@given(weight=shares, used=st.booleans())
def test_a_recall_never_lowers_a_weight_and_never_lifts_it_over_1(
    weight: float, used: bool
) -> None:
    assert round(weight, 4) <= reinforce(weight, used=used) <= 1
    assert reinforce(weight) <= reinforce(weight, used=True)


@given(one=shares, other=shares, used=st.booleans())
def test_reinforcement_keeps_the_order_of_weights(one: float, other: float, used: bool) -> None:
    low, high = sorted((one, other))
    assert reinforce(low, used=used) <= reinforce(high, used=used)


def test_a_weight_gains_a_share_of_what_it_lacks() -> None:
    assert reinforce(0.5) == 0.52
    assert reinforce(0.5, used=True) == 0.725
    assert reinforce(1.0, used=True) == 1.0


def test_an_entry_recalled_again_and_again_grows_out_of_the_reach_of_decay() -> None:
    weight, before = 0.3, 0.0
    for _ in range(60):
        before, weight = weight, reinforce(weight)
        assert weight > before
    assert 0.9 < weight < 1


# -- decay ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sessions", "weight", "recalls", "faded"),
    [
        (7, 0.5999, 4, True), (100, 0.0, 0, True),
        (6, 0.5999, 4, False), (7, 0.6, 4, False), (7, 0.5999, 5, False),
    ],
)  # fmt: skip
def test_an_entry_fades_at_exactly_the_thresholds_of_s3_6(
    sessions: int, weight: float, recalls: int, faded: bool
) -> None:
    assert has_faded(EntryUse(recalls, sessions, 0.0), weight, SEED, "normal") is faded


@pytest.mark.parametrize(("days", "faded"), [(29.99, False), (30.0, True)])
def test_nothing_fades_before_its_days_are_over(days: float, faded: bool) -> None:
    assert has_faded(EntryUse(0, 1000, days), 0.0, DecayRule(7, 0.6, 5, 30), "normal") is faded


@pytest.mark.parametrize("retention", ["protected", "kept", "episode", "", "no such class"])
def test_what_is_protected_or_kept_never_fades(retention: str) -> None:
    assert not has_faded(EntryUse(0, 10**6, 10.0**6), 0.0, SEED, retention, 0.0)


def test_a_slow_kind_takes_four_times_the_sessions() -> None:
    assert SLOWER == 4
    assert not may_fade(EntryUse(0, 27, 0.0), SEED, "slow")
    assert may_fade(EntryUse(0, 28, 0.0), SEED, "slow")


@pytest.mark.parametrize(
    ("recalls", "confidence", "faded"),
    [(0, DOUBTED - 0.01, True), (0, DOUBTED, False), (0, None, False), (1, 0.0, False)],
)
def test_a_pattern_fades_only_where_it_is_doubted_and_nobody_recalled_it(
    recalls: int, confidence: float | None, faded: bool
) -> None:
    assert DOUBTED == 0.5
    assert may_fade(EntryUse(recalls, 100, 0.0), SEED, "confidence", confidence) is faded


@given(use=uses, rule=rules, weight=shares, retention=classes, confidence=st.none() | shares)
def test_use_and_weight_only_ever_keep_an_entry(
    use: EntryUse, rule: DecayRule, weight: float, retention: str, confidence: float | None
) -> None:
    if has_faded(use, weight, rule, retention, confidence):
        older = EntryUse(use.recalls, use.sessions + 1, use.days + 1)
        assert has_faded(older, weight / 2, rule, retention, confidence)
        assert may_fade(use, rule, retention, confidence)
    else:
        younger = EntryUse(use.recalls + 1, max(0, use.sessions - 1), max(0.0, use.days - 1))
        assert not has_faded(younger, min(1.0, weight + 0.1), rule, retention, confidence)
