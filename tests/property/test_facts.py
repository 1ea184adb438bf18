"""Facts come in any order and any number of times: what holds in the end is the same (S4.3)."""

from __future__ import annotations

from random import Random
from typing import TypeAlias

from hypothesis import given, settings
from hypothesis import strategies as st

from engrain.language.text.instants import format_instant, parse_instant
from engrain.model.facts.entity import Entity
from engrain.model.facts.fact import Fact, FactEdge
from engrain.model.facts.intake import UNCHANGED, FactIntake
from engrain.model.note.strength import DAY

Story: TypeAlias = "list[tuple[int, tuple[str, tuple[str, str] | None], bool]]"
"""Of each fact the day, what it says and with which relation, and whether that is told."""

FIRST = parse_instant("2020-01-01")
NOW = parse_instant("2026-01-01")
TOWNS = ("Rome", "Oslo", "Lyon", "Graz")
SAID = (
    *((f"Bob lives in {town}.", ("lives_in", town)) for town in TOWNS),
    ("Bob plays chess.", None),
    ("Bob is allergic to nuts.", None),
)

# No two on one day: which of those holds nobody can tell, and both are kept.
stories = st.lists(
    st.tuples(st.integers(0, 1500), st.sampled_from(SAID), st.booleans()),
    unique_by=lambda one: one[0],
    max_size=8,
)


def tell(story: Story) -> list[Fact]:
    facts = []
    for day, (content, edge), told in story:
        facts.append(
            Fact(
                f"f{day}",
                content,
                source="conversation",
                source_ref=f"s{day}",
                created_at=format_instant(FIRST + day * DAY),
                edge=FactEdge("bob", *edge) if edge and told else None,
                trust="agent",
            )
        )
    return facts


def take(facts: list[Fact], known: list[Fact] | None = None) -> tuple[list[Fact], list[str]]:
    intake = FactIntake(known or [], ["Bob"], NOW)
    outcomes = [intake.add(fact).outcome for fact in facts]
    return intake.facts, outcomes


def holding(facts: list[Fact]) -> list[str]:
    return sorted(fact.content for fact in facts if fact.active)


@settings(max_examples=60)
@given(stories, st.randoms(use_true_random=False))
def test_any_order_of_the_same_facts_leaves_the_same_that_hold(
    story: Story, shuffling: Random
) -> None:
    facts = tell(story)
    in_order = holding(take(facts)[0])
    shuffled = list(facts)
    shuffling.shuffle(shuffled)
    by_time = sorted(facts, key=lambda fact: fact.created_at or "")
    assert holding(take(shuffled)[0]) == holding(take(by_time)[0]) == in_order


@settings(max_examples=60)
@given(stories)
def test_adding_twice_is_adding_once(story: Story) -> None:
    facts = tell(story)
    once, _ = take(facts)
    twice, outcomes = take(facts, once)
    assert [fact.document() for fact in twice] == [fact.document() for fact in once]
    assert set(outcomes) <= {UNCHANGED}


@settings(max_examples=60)
@given(stories)
def test_of_a_relation_that_holds_one_value_one_holds_at_each_moment(story: Story) -> None:
    facts, _ = take(sorted(tell(story), key=lambda fact: fact.created_at or ""))
    for day in range(0, 1600, 40):
        entity = Entity("Bob", facts=facts)
        held = [fact for fact in entity.held_at(FIRST + day * DAY) if "lives" in fact.content]
        assert len(held) <= 1
    assert sum(fact.active for fact in facts if "lives" in fact.content) <= 1
