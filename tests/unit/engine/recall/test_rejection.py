"""How likely it is that anything found is relevant."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.engine.recall.rejection import SIGNALS, THRESHOLD, estimate_relevance

SHARE = st.floats(0, 1)
COSINE = st.floats(-1, 1)
VALUES = {
    "coverage": SHARE,
    "own": SHARE,
    "thread": SHARE,
    "speaker": st.sampled_from([0.0, 1.0]),
    "unknown": st.sampled_from([0.0, 1.0, 2.0]),
    "similarity": COSINE,
    "surroundings": COSINE,
    "agreement": COSINE,
}
AGAINST = {"unknown"}
OF_VECTORS = {"similarity", "surroundings", "agreement"}
MODELS = (
    "",
    "all-MiniLM-L6-v2-onnx-int8@0123",
    "all-MiniLM-L6-v2-static@0123",
    "engrain-stub-1",
    "api:somebody's",
)
NOTHING = dict.fromkeys(SIGNALS, 0.0)


def test_every_signal_is_named() -> None:
    assert set(SIGNALS) == set(VALUES)


@pytest.mark.parametrize("model", MODELS)
@pytest.mark.parametrize("name", list(VALUES))
@given(data=st.data())
def test_each_signal_speaks_for_or_against_as_it_says(
    name: str, model: str, data: st.DataObject
) -> None:
    signals = {signal: data.draw(values) for signal, values in VALUES.items()}
    lower, higher = sorted((data.draw(VALUES[name]), data.draw(VALUES[name])))
    less = estimate_relevance({**signals, name: lower}, model)
    more = estimate_relevance({**signals, name: higher}, model)
    assert (more <= less) if name in AGAINST else (less <= more)


@pytest.mark.parametrize("model", MODELS)
@given(signals=st.fixed_dictionaries({}, optional=VALUES))
def test_an_estimate_is_a_probability_whatever_is_known(
    signals: dict[str, float], model: str
) -> None:
    assert 0 < estimate_relevance(signals, model) < 1


@given(signals=st.fixed_dictionaries(VALUES))
def test_the_vectors_of_a_model_that_nobody_measured_count_for_nothing(
    signals: dict[str, float],
) -> None:
    words = {name: value for name, value in signals.items() if name not in OF_VECTORS}
    assert estimate_relevance(signals, "api:somebody's") == estimate_relevance(words, "")


@pytest.mark.parametrize("model", MODELS)
def test_nothing_in_common_is_rejected_and_everything_is_not(model: str) -> None:
    assert estimate_relevance(NOTHING, model) < THRESHOLD
    assert estimate_relevance(dict.fromkeys(SIGNALS, 1.0) | {"unknown": 0.0}, model) > THRESHOLD


@pytest.mark.parametrize("far", [-1e300, 1e300])
@pytest.mark.parametrize("model", MODELS)
def test_a_signal_out_of_all_bounds_is_an_estimate_too(far: float, model: str) -> None:
    assert 0 < estimate_relevance({**NOTHING, "coverage": far}, model) < 1
