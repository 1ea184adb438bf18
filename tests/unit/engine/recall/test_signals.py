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
    assert set(found) == set(SIGNALS) - {"nearness"}
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


def test_names_are_counted_by_whether_the_vault_has_them_up_to_two(filled: Memory) -> None:
    def named(query: str) -> tuple[float, float]:
        found = signals(filled, query)
        return found["named"], found["unknown"]

    assert named("where did ana go") == (0, 0)
    assert named("where did Ana go") == (1, 0)
    assert named("where did Kowalski go with Ana") == (1, 1)
    assert named("did Ana meet Ben at the Harbour of Oslo, Bergen or Tromso") == (2, 2)


def test_a_long_prompt_needs_not_be_covered_whole(filled: Memory) -> None:
    known = "amber basalt cobalt dolomite emerald feldspar garnet hematite indigo jasper"
    filled.save(f"Stones: {known}.", title="Stones", kind="fix")
    unknown = "qa qe qi qo qu xa xe xi xo xu"
    assert signals(filled, f"{known} {unknown}")["own"] == 1
    assert signals(filled, f"amber {unknown}")["own"] < 0.2
