"""The labelled pairs by which the turning of facts is measured, and the measures."""

from __future__ import annotations

import json
import re
from collections import Counter
from datetime import date
from pathlib import Path

import pytest
from bench.contradictions import LABELS, Judged, Pair, load_pairs, render, score


@pytest.fixture(scope="module")
def pairs() -> list[Pair]:
    return load_pairs()


def test_there_are_three_hundred_pairs_with_ids_of_their_own(pairs: list[Pair]) -> None:
    assert [pair.id for pair in pairs] == [f"c{number:03}" for number in range(1, 301)]


def test_the_labels_are_balanced(pairs: list[Pair]) -> None:
    counts = Counter(pair.label for pair in pairs)
    assert counts == dict.fromkeys(LABELS, 75)


def test_no_statement_stands_there_twice_and_no_subject_has_two_pairs(pairs: list[Pair]) -> None:
    texts = [text for pair in pairs for text in (pair.older, pair.newer)]
    assert len(set(texts)) == 600
    assert len({pair.subject for pair in pairs}) == 300


def test_the_older_statement_is_not_the_later_one(pairs: list[Pair]) -> None:
    for pair in pairs:
        assert date.fromisoformat(pair.older_day) <= date.fromisoformat(pair.newer_day), pair.id


def test_each_says_why_and_both_statements_name_the_subject(pairs: list[Pair]) -> None:
    for pair in pairs:
        name = pair.subject if pair.type != "person" else pair.subject.split()[0]
        assert pair.why.strip(), pair.id
        for text in (pair.older, pair.newer):
            said = re.split(r"\W+", text)
            assert text == text.strip(), pair.id
            assert any(word in said for word in name.split()), (pair.id, text)


def test_only_what_time_or_a_correction_undid_is_historical(pairs: list[Pair]) -> None:
    counts = Counter((pair.label, pair.historical) for pair in pairs)
    assert counts["temporal", True] == 75
    assert counts["contradictory", False] == 12  # where nobody can tell which is right
    assert counts["compatible", True] == counts["duplicate", True] == 0


def test_a_line_of_another_form_is_refused(tmp_path: Path) -> None:
    said = {
        "id": "c001", "subject": "Ann", "type": "person", "label": "alike", "historical": False,
        "why": "no reason", "older": {"text": "a", "date": "2025-01-01"},
        "newer": {"text": "b", "date": "2025-01-02"},
    }  # fmt: skip
    path = tmp_path / "pairs.jsonl"
    path.write_text(json.dumps(said))
    with pytest.raises(ValueError, match="line 1"):
        load_pairs(path)


def judged(pairs: list[Pair], turn: str) -> list[Judged]:
    return [Judged(pair, "any", pair.label == turn) for pair in pairs]


def test_turning_only_what_time_undid_is_precise_and_finds_those(pairs: list[Pair]) -> None:
    result = score(judged(pairs, "temporal"))
    assert result["precision"] == 1.0
    assert result["recall"] == round(75 / 138, 3)
    assert result["wrong"]["contradictory"]["hidden"] == []
    assert len(result["wrong"]["contradictory"]["kept"]) == 63


def test_turning_what_goes_together_is_never_right(pairs: list[Pair]) -> None:
    result = score(judged(pairs, "compatible"))
    assert (result["precision"], result["recall"]) == (0.0, 0.0)
    assert len(result["wrong"]["compatible"]["hidden"]) == 75


def test_turning_nothing_has_no_precision(pairs: list[Pair]) -> None:
    result = score(judged(pairs, ""))
    assert (result["precision"], result["recall"]) == (None, 0.0)


def test_misjudged_pairs_are_reported_by_id_alone(pairs: list[Pair]) -> None:
    told = render(score(judged(pairs, "duplicate")), wrong=True)
    assert "hidden: " in told
    assert not any(pair.older in told or pair.newer in told for pair in pairs)
