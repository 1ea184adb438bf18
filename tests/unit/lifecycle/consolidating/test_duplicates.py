"""Patterns that say the same become one, and nothing else does."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest

from engrain import Memory
from engrain.lifecycle.consolidating.evidence import find_alike, run
from engrain.lifecycle.jobs.table import Run
from engrain.model.experience.patterns import AntiPattern, Pattern
from support.loki import PATTERN
from unit.lifecycle.sessions.living import store_of

TWIN = {
    **PATTERN,
    "id": "sem-002",
    "confidence": 0.8,
    "source_episodes": ["ep-3", "ep-2026-01-06-001"],
    "usage_count": 3,
    "last_used": "2026-02-01T00:00:00Z",
    "links": [{"to": "sem-009", "relation": "elaborates"}],
}
ANTI = {
    "id": "anti-1",
    "what_fails": "TypeScript compilation",
    "why": "Missing return type annotation",
    "prevention": "Annotate the handler",
    "source": "ep-1",
    "engrain": {"actions": ["run_test"], "confidence": 0.6},
}


def put(memory: Memory, *patterns: dict[str, Any], project: str | None = None) -> None:
    """These patterns and anti-patterns, each in a tree of its own."""
    for pattern in patterns:
        name = "anti-patterns" if "what_fails" in pattern else "patterns"
        files = [(f"semantic/{name}.json", json.dumps([pattern]).encode())]
        imported = memory.exchange.import_layout(
            "loki", files, name=f"tree-{pattern['id']}", project=project
        )
        assert imported.counts == {"created": 1}


def merge(memory: Memory, **options: Any) -> dict[str, int]:
    return run(store_of(memory), Run(**options)).counts


def test_two_that_say_the_same_become_the_most_confident(memory: Memory) -> None:
    put(memory, PATTERN, TWIN)
    assert merge(memory) == {"merged": 1, "proposed": 0}
    kept, other = memory.show("sem-001").entry, memory.show("sem-002").entry
    assert kept.status == "active"
    assert kept.fields["source_episodes"] == ["ep-2026-01-06-001", "ep-2026-01-05-012", "ep-3"]
    assert kept.fields["usage_count"] == 11
    assert kept.fields["last_used"] == "2026-02-01T00:00:00Z"
    assert set(kept.links) == {
        ("sem-005", "related_to"),
        ("sem-009", "elaborates"),
        ("sem-002", "supersedes"),
    }
    assert kept.confidence == 0.95
    assert (other.status, other.zone) == ("superseded", "archive")
    assert ("sem-001", "superseded_by") in other.links


def test_again_there_is_nothing_to_merge(memory: Memory) -> None:
    put(memory, PATTERN, TWIN, {**TWIN, "id": "sem-003"})
    assert merge(memory)["merged"] == 2
    before = len(memory.history())
    assert merge(memory) == {"merged": 0, "proposed": 0}
    assert len(memory.history()) == before


def test_a_merge_is_one_change_that_undo_takes_back_for_good(memory: Memory) -> None:
    put(memory, PATTERN, TWIN)
    before = {id_: memory.show(id_).entry for id_ in ("sem-001", "sem-002")}
    merge(memory)
    (change,) = {change.change for change in memory.history() if change.op == "merge"}
    memory.undo(change)
    for id_, entry in before.items():
        assert memory.show(id_).entry.note.substance() == entry.note.substance()
        assert memory.show(id_).entry.path == entry.path
    assert merge(memory) == {"merged": 0, "proposed": 0}


@pytest.mark.parametrize(
    "changes",
    [
        {"correct_approach": "Regenerate the client, then restart the server"},
        {"pattern": f"{PATTERN['pattern']} of version 2"},
        {"correct_approach": f"Never {PATTERN['correct_approach']}"},
        {
            "correct_approach": PATTERN["incorrect_approach"],
            "incorrect_approach": PATTERN["correct_approach"],
        },
        {"links": [{"to": "sem-001", "relation": "contradicts"}]},
    ],
    ids=["another-approach", "another-number", "negated", "the-other-way-round", "contradicts"],
)
def test_what_says_something_else_stays(memory: Memory, changes: dict[str, Any]) -> None:
    put(memory, PATTERN, {**TWIN, **changes})
    assert merge(memory) == {"merged": 0, "proposed": 0}


def test_projects_are_not_merged(memory: Memory) -> None:
    put(memory, PATTERN, project="one")
    put(memory, TWIN, project="other")
    assert merge(memory) == {"merged": 0, "proposed": 0}


def test_anti_patterns_are_merged_too(memory: Memory) -> None:
    other = {**ANTI, "id": "anti-2", "source": "ep-2", "engrain": {"actions": ["build"]}}
    put(memory, ANTI, other)
    assert merge(memory)["merged"] == 1
    kept = memory.show("anti-1").entry
    assert kept.fields["sources"] == ["ep-1", "ep-2"]
    assert kept.fields["actions"] == ["build", "run_test"]


def test_a_dry_run_only_tells(memory: Memory) -> None:
    put(memory, PATTERN, TWIN)
    before = len(memory.history())
    assert merge(memory, dry_run=True)["merged"] == 1
    assert len(memory.history()) == before


def test_a_run_without_time_left_leaves_the_rest(memory: Memory) -> None:
    put(memory, PATTERN, TWIN)
    report = run(store_of(memory), Run(out_of_time=lambda: True))
    assert (report.counts["merged"], report.unfinished) == (0, True)


def test_what_the_operator_wrote_is_proposed_and_merged_by_their_word(memory: Memory) -> None:
    put(memory, PATTERN, TWIN)
    from engrain.engine.core.attesting import attest_entry

    attest_entry(store_of(memory), "sem-001")
    assert merge(memory) == {"merged": 0, "proposed": 1}
    assert merge(memory) == {"merged": 0, "proposed": 0}
    [proposal] = memory.review.list("merge")
    _, lines = memory.review.show(proposal.id)
    assert any("ep-3" in line for line in lines)
    memory.review.accept(proposal.id)
    assert memory.show("sem-002").entry.status == "superseded"
    assert memory.show("sem-001").entry.fields["usage_count"] == 11


ONE = Pattern(
    "one",
    "Express route handlers require explicit return types",
    conditions=("Using strict mode",),
    correct_approach="Annotate the handler with its return type",
    incorrect_approach="Omit the annotation",
    confidence=0.9,
)


def alike(*patterns: Pattern | AntiPattern) -> list[tuple[str, str]]:
    """The pairs that are found."""
    ranked = sorted(patterns, key=lambda one: -(one.confidence or 0.0))
    return list(find_alike({one.id: one for one in ranked}))


def test_the_same_words_say_the_same() -> None:
    assert alike(ONE, replace(ONE, id="two", confidence=0.5)) == [("one", "two")]


def test_the_first_in_rank_is_kept_of_many() -> None:
    several = [replace(ONE, id=f"p{n}", confidence=n / 10) for n in range(4)]
    assert alike(*several) == [("p3", "p2"), ("p3", "p1"), ("p3", "p0")]


@pytest.mark.parametrize(
    "approach",
    [
        "Never annotate the handler with its return type",
        "Annotate the handler with its return type from version 3",
        "Don't annotate the handler with its return type",
    ],
)
def test_a_number_or_a_negation_more_says_another_thing(approach: str) -> None:
    other = replace(ONE, id="two", correct_approach=approach)
    assert alike(ONE, other) == []


def test_one_that_does_what_the_other_avoids_says_another_thing() -> None:
    turned = replace(
        ONE,
        id="two",
        correct_approach=ONE.incorrect_approach,
        incorrect_approach=ONE.correct_approach,
    )
    assert alike(ONE, turned) == []


@pytest.mark.parametrize(
    ("one", "other"), [("-q", "-x"), ("--fix", "--diff"), ("drive D", "drive E")]
)
def test_patterns_with_another_flag_or_letter_say_another_thing(one: str, other: str) -> None:
    first, second = (
        replace(ONE, id=said, correct_approach=f"{ONE.correct_approach} with {said}")
        for said in (one, other)
    )
    assert alike(first, second) == []


def test_anti_patterns_are_compared_by_what_they_say() -> None:
    first = AntiPattern("a", "ENOSPC on build", why="disk full", prevention="Clean the cache")
    second = AntiPattern("b", "ENOSPC on build", why="disk full", prevention="Clean the cache")
    third = AntiPattern("c", "Tests hang", why="port in use", prevention="Free the port")
    assert alike(first, second, third) == [("a", "b")]


def test_nothing_says_nothing() -> None:
    assert alike() == []
    assert alike(Pattern("a", ""), Pattern("b", "")) == []
