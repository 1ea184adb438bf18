"""What an answer's relevance is read off."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.recall.rejection import SIGNALS, UNCONFIRMED
from support.vaults import START
from unit.engine.core.vault_files import put

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
def test_every_signal_but_that_of_vectors_is_there(filled: Memory, query: str) -> None:
    found = signals(filled, query)
    assert set(found) == set(SIGNALS) - {"similarity", "trust"}
    assert 0 <= found["own"] <= found["near"] <= 1
    assert found["surprise"] >= 0


def test_what_a_passage_says_itself_is_told_from_what_stands_around_it(filled: Memory) -> None:
    found = signals(filled, "nightly lock")
    assert (found["own"], found["near"]) == (1, 1)
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
    assert signals(filled, "zebra okapi") == {"own": 0, "near": 0, "surprise": 0}


# What nobody confirmed


def put_external(vault: Path, title: str, text: str) -> None:
    """What another program writes into Engrain's folder is external."""
    put(vault, f"Memory/fix/{title.casefold()}.md", f"# {title}\n\n{text}\n")


def test_the_evidence_of_an_external_entry_counts_less_until_somebody_vouches_for_it(
    memory: Memory, vault: Path
) -> None:
    put_external(vault, "Crane", "The crane lifts.")
    found = signals(memory, "crane zebra")
    assert found["trust"] == UNCONFIRMED
    memory.trust.attest("crane")
    vouched = signals(memory, "crane zebra")
    assert "trust" not in vouched
    for name in ("own", "near", "surprise"):
        assert found[name] == pytest.approx(UNCONFIRMED * vouched[name])


def test_strong_evidence_lets_an_external_entry_through_and_weak_evidence_does_not(
    memory: Memory, vault: Path
) -> None:
    put_external(vault, "Note", "The crane by the harbour.")
    assert memory.recall("crane harbour").results
    weak = "crane harbour lighthouse database"
    assert memory.recall(weak).rejected
    memory.save("The crane by the harbour.", title="Other", kind="decision")
    assert memory.recall(weak).results[0].row.title == "Other"


def test_where_a_confirmed_entry_leads_an_external_one_lowers_nothing(
    memory: Memory, vault: Path
) -> None:
    put_external(vault, "Crane", "The crane lifts.")
    memory.save("The crane lifts well.", title="Own crane", kind="fix")
    assert "trust" not in signals(memory, "crane")
