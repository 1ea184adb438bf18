"""What an entry counts for beside what it says: pages of links, and long ones."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain import Memory
from engrain.engine.recall.ranking import HUB, add_scores, rank_passages
from unit.engine.core.vault_files import find, put

Scores = dict[str, dict[int, float]]

CHANNELS = ("text", "meaning", "tag")
SCORE = st.floats(-2, 8, allow_nan=False).map(lambda value: round(value, 3))
SCORES = st.fixed_dictionaries(
    {name: st.dictionaries(st.integers(1, 12), SCORE, max_size=8) for name in CHANNELS}
)
WEIGHTS = st.fixed_dictionaries({name: st.sampled_from([0.0, 0.2, 1.0]) for name in CHANNELS})


SENTENCE = "The walrus ferry crosses the fjord at dawn."
OTHER = "The captain sells tickets on board, in coins only, and dogs travel free of charge. " * 4
QUERY = "crossings: when does the walrus ferry cross the fjord"


def put_index(vault: Path, links: int) -> None:
    """A page that quotes the sentence beside a link to the note it is from, among others."""
    lines = [f"- [[note-{n}]]: Entry number {n}." for n in range(1, links)]
    text = "\n".join([f"- [[note-0]]: {SENTENCE}", *lines])
    put(vault, "Memory/notes/index.md", f"---\nid: index\nkind: memory\n---\n# Crossings\n{text}\n")


def put_notes(vault: Path, notes: int) -> None:
    for n in range(notes):
        text = f"{SENTENCE} {OTHER}" if n == 0 else f"Another matter, {n}."
        put(
            vault, f"Memory/notes/note-{n}.md",
            f"---\nid: note-{n}\nkind: memory\n---\n# Note {n}\n{text}\n",
        )  # fmt: skip


def test_a_note_comes_before_the_page_of_links_that_quotes_it(memory: Memory, vault: Path) -> None:
    put_notes(vault, HUB)
    put_index(vault, HUB)
    assert find(memory, QUERY) == ["Note 0", "Crossings"]
    [_, hub] = memory.recall(QUERY, explain=True).results
    assert hub.reasons is not None
    assert "hub" in hub.reasons.priors


def test_a_page_with_few_links_is_no_page_of_links(memory: Memory, vault: Path) -> None:
    put_notes(vault, HUB)
    put_index(vault, HUB - 1)
    assert find(memory, QUERY) == ["Crossings", "Note 0"]


def test_a_page_of_links_is_found_for_what_only_it_says(memory: Memory, vault: Path) -> None:
    put_notes(vault, HUB)
    put_index(vault, HUB)
    assert find(memory, "which entry number 3 of the crossings")[0] == "Crossings"


def test_of_a_short_and_a_long_entry_that_say_the_same_the_short_one_comes_first(
    memory: Memory,
) -> None:
    memory.save(SENTENCE + " It is blue.\n\nOther things happen too.\n\n" * 80, title="Long")
    memory.save(SENTENCE + " It is blue.", title="Short")
    assert find(memory, QUERY) == ["Short", "Long"]


@given(scores=SCORES, weights=WEIGHTS, data=st.data())
def test_the_order_of_the_passages_makes_no_difference(
    scores: Scores, weights: dict[str, float], data: st.DataObject
) -> None:
    shuffled = {
        name: dict(data.draw(st.permutations(list(found.items()))))
        for name, found in scores.items()
    }
    assert add_scores(shuffled, weights) == add_scores(scores, weights)


@given(SCORES, WEIGHTS)
def test_calibrated_scores_are_added_by_their_weights(
    scores: Scores, weights: dict[str, float]
) -> None:
    fused = add_scores(scores, weights)
    for passage, score in fused.items():
        parts = [weights[name] * scores[name].get(passage, 0.0) for name in CHANNELS]
        assert score == pytest.approx(sum(parts))


@given(scores=SCORES, weights=WEIGHTS)
def test_a_channel_without_weight_changes_nothing(
    scores: Scores, weights: dict[str, float]
) -> None:
    more = {**scores, "graph": {1: 9.0, 99: 9.0}}
    assert add_scores(more, weights) == add_scores(scores, weights)


@given(st.dictionaries(st.integers(), SCORE))
def test_ranks_count_from_one_and_only_what_has_a_score(scores: dict[int, float]) -> None:
    ranks = rank_passages(scores)
    assert set(ranks) == {passage for passage, score in scores.items() if score > 0}
    assert sorted(ranks.values()) == list(range(1, len(ranks) + 1))
    ordered = sorted(ranks, key=ranks.__getitem__)
    assert [scores[p] for p in ordered] == sorted((scores[p] for p in ranks), reverse=True)
