"""How likely it is that anything found is relevant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.engine.recall.rejection import (
    ENOUGH,
    SIGNALS,
    THRESHOLD,
    WEIGHTS,
    estimate_relevance,
    rise_beyond,
    stand_out,
)

SHARE = st.floats(0, 1)
VALUES = {"own": SHARE, "near": SHARE, "surprise": st.floats(0, 20), "similarity": st.floats(0, 12)}
NOTHING = dict.fromkeys(WEIGHTS, 0.0)


def test_every_signal_is_named_and_weighed() -> None:
    assert set(SIGNALS) - {"trust"} == set(WEIGHTS) == set(VALUES), "trust multiplies the others"
    assert all(weight > 0 for weight in WEIGHTS.values())


@pytest.mark.parametrize("name", list(VALUES))
@given(data=st.data())
def test_each_signal_speaks_for_relevance(name: str, data: st.DataObject) -> None:
    signals = {signal: data.draw(values) for signal, values in VALUES.items()}
    lower, higher = sorted((data.draw(VALUES[name]), data.draw(VALUES[name])))
    less = estimate_relevance({**signals, name: lower})
    assert less <= estimate_relevance({**signals, name: higher})


@given(signals=st.fixed_dictionaries({}, optional=VALUES))
def test_an_estimate_is_a_probability_whatever_is_known(signals: dict[str, float]) -> None:
    assert 0 < estimate_relevance(signals) < 1


def test_nothing_in_common_is_rejected_and_everything_is_not() -> None:
    assert estimate_relevance(NOTHING) < ENOUGH
    assert estimate_relevance({"own": 1.0, "near": 1.0, "surprise": 0.5}) > ENOUGH


def test_a_vector_beyond_foreign_prompts_tips_the_scale_and_far_beyond_is_enough() -> None:
    assert estimate_relevance({**NOTHING, "own": 0.7, "similarity": 0.2}) > ENOUGH
    assert estimate_relevance({**NOTHING, "own": 0.7}) < ENOUGH
    assert estimate_relevance({**NOTHING, "similarity": 0.3}) < ENOUGH
    assert estimate_relevance({**NOTHING, "similarity": 0.6}) > ENOUGH


def test_what_foreign_prompts_reach_says_nothing() -> None:
    assert [rise_beyond(near, (0.2, 0.4)) for near in (0.1, 0.4, 0.5, 0.9)] == [
        0.0,
        0.0,
        pytest.approx(0.5),
        1.0,
    ]
    assert rise_beyond(0.9, None) == 0.0


def test_a_passage_stands_out_less_where_many_are_as_near() -> None:
    assert stand_out(0.6, 0.5) < stand_out(0.6, 0.1)


@given(signals=st.fixed_dictionaries(VALUES), threshold=st.floats(0.1, 2))
def test_a_vault_with_a_higher_threshold_is_never_surer(
    signals: dict[str, float], threshold: float
) -> None:
    assert estimate_relevance(signals, THRESHOLD + threshold) <= estimate_relevance(signals)


@pytest.mark.parametrize("far", [-1e300, 1e300])
def test_a_signal_out_of_all_bounds_is_an_estimate_too(far: float) -> None:
    assert 0 < estimate_relevance({**NOTHING, "own": far}) < 1
