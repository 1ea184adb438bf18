"""What an answer's relevance is read off."""

from __future__ import annotations

import pytest

from engrain import Memory
from engrain.engine.recall.rejection import SIGNALS
from support.vaults import START

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


def signals(memory: Memory, query: str) -> dict[str, float]:
    explanation = memory.recall(query, explain=True).explanation
    assert explanation is not None
    return explanation.signals


@pytest.mark.parametrize("query", ["", "crane", "zebra", "where is Ana", "crane " * 500])
def test_every_signal_but_those_of_vectors_is_there(filled: Memory, query: str) -> None:
    found = signals(filled, query)
    assert set(found) == set(SIGNALS) - {"similarity", "surroundings", "agreement"}
    assert all(0 <= found[name] <= 1 for name in ("coverage", "own", "thread"))


def test_what_a_passage_says_itself_is_told_from_what_its_neighbours_lend(filled: Memory) -> None:
    found = signals(filled, "nightly lock")
    assert (found["coverage"], found["own"], found["thread"]) == (1, 1, 1)
    found = signals(filled, "crane near the harbour")
    assert 1 > found["coverage"] > found["own"] > 0
    assert found["thread"] == 1


def test_words_that_nothing_has_lower_the_coverage(filled: Memory) -> None:
    few, many = signals(filled, "crane zebra"), signals(filled, "crane zebra okapi quagga")
    assert 1 > few["coverage"] > many["coverage"] > 0


def test_names_that_no_memory_has_are_counted_up_to_two(filled: Memory) -> None:
    def unknown(query: str) -> float:
        return signals(filled, query)["unknown"]

    assert unknown("where did kowalski go") == 0
    assert unknown("where did Ana go") == 0
    assert unknown("where did Kowalski go with Ana") == 1
    assert unknown("did Ana meet Kowalski in Oslo, Bergen or Tromso") == 2


def test_it_is_known_whether_a_speaker_is_named(filled: Memory) -> None:
    assert signals(filled, "where did Ana go")["speaker"] == 1
    assert signals(filled, "where did ana go")["speaker"] == 1
    assert signals(filled, "where did Kowalski go")["speaker"] == 0


def test_a_long_prompt_needs_not_be_covered_whole(filled: Memory) -> None:
    known = "amber basalt cobalt dolomite emerald feldspar garnet hematite indigo jasper"
    filled.save(f"Stones: {known}.", title="Stones", kind="fix")
    unknown = "qa qe qi qo qu xa xe xi xo xu"
    assert signals(filled, f"{known} {unknown}")["own"] == 1
    assert signals(filled, f"amber {unknown}")["own"] < 0.2
