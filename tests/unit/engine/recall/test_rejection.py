"""How likely it is that anything found is relevant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.engine.recall.rejection import SIGNALS, THRESHOLD, estimate_relevance

SHARE = st.floats(0, 1)
COUNT = st.integers(0, 2).map(float)
VALUES = {
    "coverage": SHARE,
    "own": SHARE,
    "thread": SHARE,
    "named": COUNT,
    "unknown": COUNT,
    "nearness": st.floats(-3, 12),
}
AGAINST = {"unknown"}
WORDS = {name: values for name, values in VALUES.items() if name != "nearness"}


@pytest.mark.parametrize("name", list(SIGNALS))
@given(data=st.data())
def test_each_signal_speaks_for_or_against_as_it_says(name: str, data: st.DataObject) -> None:
    signals = {signal: data.draw(values) for signal, values in VALUES.items()}
    lower, higher = sorted((data.draw(VALUES[name]), data.draw(VALUES[name])))
    less = estimate_relevance({**signals, name: lower})
    more = estimate_relevance({**signals, name: higher})
    assert (more <= less) if name in AGAINST else (less <= more)


@given(st.fixed_dictionaries(WORDS, optional={"nearness": VALUES["nearness"]}))
def test_an_estimate_is_a_probability_with_vectors_and_without(signals: dict[str, float]) -> None:
    assert 0 < estimate_relevance(signals) < 1


def test_nothing_in_common_is_rejected_and_everything_is_not() -> None:
    nothing = dict.fromkeys(WORDS, 0.0)
    everything = {"coverage": 1.0, "own": 1.0, "thread": 1.0, "named": 0.0, "unknown": 0.0}
    assert estimate_relevance(nothing) < THRESHOLD < estimate_relevance(everything)
    assert estimate_relevance({**nothing, "nearness": 0.0}) < THRESHOLD


@pytest.mark.parametrize("far", [-1e300, 1e300])
def test_a_signal_out_of_all_bounds_is_an_estimate_too(far: float) -> None:
    assert 0 < estimate_relevance({**dict.fromkeys(WORDS, 0.0), "nearness": far}) < 1
