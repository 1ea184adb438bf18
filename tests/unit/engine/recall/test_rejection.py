"""How likely it is that anything found is relevant, and by what that is judged."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain import Memory
from engrain.engine.recall.rejection import (
    COVERING,
    ENOUGH,
    THRESHOLD,
    UNCONFIRMED,
    WEIGHTS,
    estimate_relevance,
    rise_beyond,
    stand_out,
    weigh_signals,
)
from support.vaults import START
from unit.engine.core.vault_files import put

SHARE = st.floats(0, 1)
VALUES = {
    "own": SHARE, "near": SHARE, "text": st.floats(0, 20), "share": SHARE, "title": st.floats(0, 9),
    "meaning": st.floats(-3, 6), "similarity": SHARE,
}  # fmt: skip
VECTORS = {"meaning", "similarity"}
NOTHING = dict.fromkeys(WEIGHTS, 0.0)


def estimate(signals: Mapping[str, float], threshold: float = THRESHOLD) -> float:
    return estimate_relevance(weigh_signals(signals), threshold)


def test_every_signal_is_weighed() -> None:
    assert set(WEIGHTS) == set(VALUES)
    assert set(COVERING) <= {*WEIGHTS, "surprise"}
    assert all(weight > 0 for weights in (WEIGHTS, COVERING) for weight in weights.values())


@pytest.mark.parametrize("name", list(VALUES))
@given(data=st.data())
def test_each_signal_speaks_for_relevance(name: str, data: st.DataObject) -> None:
    signals = {signal: data.draw(values) for signal, values in VALUES.items()}
    lower, higher = sorted((data.draw(VALUES[name]), data.draw(VALUES[name])))
    less = estimate({**signals, name: lower})
    assert less <= estimate({**signals, name: higher})


@given(signals=st.fixed_dictionaries({}, optional=VALUES))
def test_an_estimate_is_a_probability_whatever_is_known(signals: dict[str, float]) -> None:
    assert 0 < estimate(signals) < 1


def test_nothing_in_common_is_rejected_and_everything_is_not() -> None:
    assert estimate(NOTHING) < ENOUGH
    assert estimate({"own": 1.0, "near": 1.0, "share": 1.0}) > ENOUGH


def test_in_talk_a_vector_beyond_foreign_prompts_tips_the_scale_and_far_beyond_is_enough() -> None:
    talk = {**NOTHING, "covering": 1.0}
    assert estimate({**talk, "own": 0.6, "similarity": 0.3}) > ENOUGH
    assert estimate({**talk, "own": 0.6}) < ENOUGH
    assert estimate({**talk, "similarity": 0.3}) < ENOUGH
    assert estimate({**talk, "similarity": 0.8}) > ENOUGH


def test_a_vector_far_beyond_what_is_usual_is_enough_by_itself() -> None:
    assert estimate({**NOTHING, "meaning": 5.9}) > ENOUGH
    assert estimate({**NOTHING, "meaning": 3.0}) < ENOUGH
    assert estimate({**NOTHING, "own": 0.9, "meaning": 3.0}) > ENOUGH


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
    assert estimate(signals, THRESHOLD + threshold) <= estimate(signals)


@pytest.mark.parametrize("far", [-1e300, 1e300])
def test_a_signal_out_of_all_bounds_is_an_estimate_too(far: float) -> None:
    assert 0 < estimate({**NOTHING, "own": far}) < 1


TALK = ["Ana: Where is the crane?", "Ben: Near the harbour.", "Ana: Thanks."]


@pytest.fixture
def filled(memory: Memory) -> Memory:
    for turn, text in enumerate(TALK):
        memory.save(
            text, title=f"Turn {turn}", kind="memory", created=START + turn, source="session",
            ref="s",
        )  # fmt: skip
    memory.save("The lock of the nightly job.", title="Lock", kind="fix")
    return memory


def signals(memory: Memory, query: str) -> Mapping[str, float]:
    explanation = memory.recall(query, explain=True).explanation
    assert explanation is not None
    return explanation.signals


@pytest.mark.parametrize("query", ["", "crane", "zebra", "where is Ana", "crane " * 500])
def test_every_signal_but_that_of_vectors_is_there(filled: Memory, query: str) -> None:
    found = signals(filled, query)
    assert set(found) - {"covering"} == {*WEIGHTS, "surprise"} - VECTORS
    assert 0 <= found["own"] <= found["near"] <= 1
    assert found["surprise"] >= 0


def test_what_a_passage_says_itself_is_told_from_what_stands_around_it(filled: Memory) -> None:
    found = signals(filled, "nightly lock")
    assert found["own"] == found["near"] == 1
    found = signals(filled, "crane near the harbour")
    assert 1 == found["near"] > found["own"] > 0


def test_words_that_nothing_has_lower_the_share_and_not_the_surprise(filled: Memory) -> None:
    few, many = signals(filled, "crane zebra"), signals(filled, "crane zebra okapi quagga")
    assert 1 > few["own"] > many["own"] > 0
    assert few["surprise"] == many["surprise"] == signals(filled, "crane")["surprise"]


def test_a_plain_word_that_nothing_has_lowers_the_share_less_than_a_rare_one(
    filled: Memory,
) -> None:
    assert signals(filled, "crane work")["own"] > signals(filled, "crane okapi")["own"]


def test_nothing_found_covers_nothing(filled: Memory) -> None:
    assert set(signals(filled, "zebra okapi").values()) == {0}


# What nobody confirmed


def put_external(vault: Path, title: str, text: str) -> None:
    """What another program writes into Engrain's folder is external if it claims an origin."""
    claim = "---\nsource: {kind: feed, ref: page}\n---\n"
    put(vault, f"Memory/fix/{title.casefold()}.md", f"{claim}# {title}\n\n{text}\n")


def test_the_evidence_of_an_external_entry_counts_less_until_somebody_vouches_for_it(
    memory: Memory, vault: Path
) -> None:
    put_external(vault, "Crane", "The crane lifts.")
    found = signals(memory, "crane zebra")
    assert found["trust"] == UNCONFIRMED
    memory.trust.attest("crane")
    vouched = signals(memory, "crane zebra")
    assert "trust" not in vouched
    for name in ("surprise", "text", "title"):
        assert found[name] == pytest.approx(UNCONFIRMED * vouched[name])
    assert found["own"] < vouched["own"]


def test_strong_evidence_lets_an_external_entry_through_and_weak_evidence_does_not(
    memory: Memory, vault: Path
) -> None:
    put_external(vault, "Note", "The crane by the harbour.")
    assert memory.recall("crane harbour").results
    weak = "crane harbour lighthouse database okapi work"
    assert memory.recall(weak).rejected
    memory.save("The crane by the harbour.", title="Other", kind="decision")
    assert memory.recall(weak).results[0].row.title == "Other"


def test_where_a_confirmed_entry_leads_an_external_one_lowers_nothing(
    memory: Memory, vault: Path
) -> None:
    put_external(vault, "Crane", "The crane lifts.")
    memory.save("The crane lifts well.", title="Own crane", kind="fix")
    assert "trust" not in signals(memory, "crane")
