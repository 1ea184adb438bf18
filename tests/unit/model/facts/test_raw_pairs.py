from __future__ import annotations

import json
from pathlib import Path

from engrain.model.facts.fact import Fact
from engrain.model.facts.judging import DUPLICATE, SUPERSEDES, judge

_PAIRS = [
    json.loads(line)
    for line in Path(__file__).with_name("raw_pairs.jsonl").read_text(encoding="utf-8").splitlines()
]


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


def test_of_raw_notes_nothing_turns_that_still_holds() -> None:
    turned = [pair for pair in _PAIRS if _kind(pair) == SUPERSEDES]
    assert [pair["id"] for pair in turned if not pair["historical"]] == []


def test_of_raw_notes_nothing_is_taken_for_the_same_that_says_something_else() -> None:
    alike = [pair for pair in _PAIRS if _kind(pair) == DUPLICATE]
    assert [pair["id"] for pair in alike if pair["label"] != "duplicate"] == []
    assert len(alike) >= 5
