"""How a peer is scored and run: on made-up answers, and on Engrain, which is here already."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from bench.peers import measure
from bench.peers.adapters import engrain_words

ASKED: list[dict[str, Any]] = [
    {"n": 1, "gold": ["a", "b"], "also": ["c"]},
    {"n": 2, "gold": ["d"], "also": []},
    {"n": 3, "gold": [], "also": ["e"]},
    {"n": 4, "gold": [], "also": []},
]


def test_recall_is_the_mean_share_of_the_helpful_memories_that_were_found() -> None:
    assert measure.score_recall(ASKED, {1: ["x", "b", "c"], 2: ["d"], 3: ["e"], 4: []}) == 0.75


def test_the_first_one_counts_if_it_is_labelled_in_any_way() -> None:
    assert measure.score_first(ASKED, {1: ["c", "x"], 2: ["x", "d"]}) == 0.5
    assert measure.score_first(ASKED, {1: [], 2: ["d"]}) == 0.5


def test_silence_is_asked_of_the_prompts_that_no_memory_helps() -> None:
    assert measure.score_silence(ASKED, {1: [], 2: [], 3: ["e"], 4: []}) == 0.5


def test_junk_is_what_nobody_labelled_as_useful_per_prompt() -> None:
    assert measure.count_junk(ASKED, {1: ["a", "x"], 2: ["y", "z"], 3: ["e"], 4: ["x"]}) == 1


def test_a_peer_gets_nothing_of_our_settings_and_finds_what_another_process_saved(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_VAULT", str(tmp_path / "elsewhere"))
    place = measure.Place(engrain_words, "engrain_words", tmp_path)
    saved = [one["mark"] for one in place.run("main", "save", "w", "2") if "mark" in one]
    assert len(saved) == 2
    assert measure.list_stored(place, "main", [*saved, "never saved"]) == 2
    assert "ENGRAIN_VAULT" not in place.variables
