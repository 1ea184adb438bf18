from __future__ import annotations

import json
from pathlib import Path

from engrain.model.facts.fact import Fact
from engrain.model.facts.judging import DUPLICATE, SUPERSEDES, judge

_PAIRS = [
    json.loads(line)
    for line in Path(__file__).with_name("raw_pairs.jsonl").read_text(encoding="utf-8").splitlines()
]
# The rules were mended by those with an odd number only.
_HELD_BACK = [pair for pair in _PAIRS if int(pair["id"].removeprefix("r")) % 2 == 0]


def _kind(pair: dict[str, object]) -> str:
    older, newer = (
        Fact(
            which,
            pair[which]["text"],  # type: ignore[index]
            entity_type=str(pair["type"]),
            created_at=f"{pair[which]['date']}T12:00:00Z",  # type: ignore[index]
            trust="operator",
        )
        for which in ("older", "newer")
    )
    subject = str(pair["subject"])
    first = [subject.split()[0]] if pair["type"] == "person" else []
    return judge(newer, [older], [subject, *first]).kind


def test_of_raw_notes_hardly_anything_turns_that_still_holds() -> None:
    turned = [pair for pair in _HELD_BACK if _kind(pair) == SUPERSEDES]
    rightly = [pair for pair in turned if pair["historical"]]
    should = [pair for pair in _HELD_BACK if pair["historical"]]
    assert len(rightly) / len(turned) >= 0.95
    assert len(rightly) / len(should) >= 0.57


def test_of_raw_notes_nothing_is_taken_for_the_same_that_says_something_else() -> None:
    alike = [pair for pair in _PAIRS if _kind(pair) == DUPLICATE]
    assert [pair["id"] for pair in alike if pair["label"] != "duplicate"] == []
    assert len(alike) >= 25


def test_each_label_has_as_many_pairs() -> None:
    labels = [pair["label"] for pair in _PAIRS]
    assert {label: labels.count(label) for label in labels} == dict.fromkeys(
        ("contradictory", "temporal", "compatible", "duplicate"), 60
    )
