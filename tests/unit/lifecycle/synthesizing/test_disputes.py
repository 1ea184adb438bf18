"""Facts judged among themselves, and cut short when they are long past."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.lifecycle.synthesizing.running import SHORT, judge_facts, truncate_facts
from engrain.model.facts.entity import Entity
from engrain.model.facts.fact import ACTIVE, HISTORICAL, Fact, FactEdge
from engrain.model.note.tiers import ORIGINS

NOW = 1_790_000_000.0  # 2026-09-21
DAY = 86_400.0
HALF_A_YEAR = 182 * DAY


def person(*facts: Fact) -> Entity:
    return Entity("Alice", "person", facts=facts)


def fact(number: int, content: str, day: int | None = None, **options: object) -> Fact:
    said = {"trust": "operator", "created_at": f"2026-0{day}-01T00:00:00Z" if day else None}
    return Fact(f"f{number}", content, **{**said, **options})  # type: ignore[arg-type]


def test_facts_that_go_together_are_left_as_they_are() -> None:
    entity = person(fact(1, "Alice lives in Berlin.", 1), fact(2, "Alice likes tea.", 2))
    assert judge_facts(entity, NOW) == (entity, [])


def test_the_earlier_of_two_that_exclude_one_another_turns_historical_wherever_it_stands() -> None:
    late, early = fact(1, "Alice lives in Rome.", 3), fact(2, "Alice lives in Berlin.", 1)
    entity, told = judge_facts(person(late, early), NOW)
    now, once = entity.facts
    assert (now.id, now.status, now.supersedes) == ("f1", ACTIVE, "f2")
    assert (once.id, once.status, once.valid_to) == ("f2", HISTORICAL, "2026-03-01T00:00:00Z")
    assert told == ["f1 is superseding, by f2"]


def test_what_has_come_to_its_end_is_historical_and_what_has_not_stays() -> None:
    over = fact(1, "Alice lives in Rome.", 1, valid_to="2026-09-01T00:00:00Z")
    not_yet = fact(2, "Alice works at Acme.", 1, valid_to="2026-12-01T00:00:00Z")
    entity, told = judge_facts(person(over, not_yet), NOW)
    assert [one.status for one in entity.facts] == [HISTORICAL, ACTIVE]
    assert told == ["f1 is over"]
    assert judge_facts(entity, NOW) == (entity, [])


def test_two_of_one_day_are_at_odds_and_stay() -> None:
    entity, told = judge_facts(
        person(fact(1, "Alice lives in Rome.", 1), fact(2, "Alice lives in Berlin.", 1)), NOW
    )
    assert [(one.status, one.disputes) for one in entity.facts] == [
        (ACTIVE, ("f2",)),
        (ACTIVE, ("f1",)),
    ]
    assert told
    assert judge_facts(entity, NOW) == (entity, [])


def test_one_that_is_said_twice_is_one_that_is_surer() -> None:
    entity, told = judge_facts(
        person(
            fact(1, "Alice lives in Berlin.", 1, source_ref="a"),
            fact(2, "alice lives in Berlin", 2, source_ref="b"),
        ),
        NOW,
    )
    [one] = entity.facts
    assert (one.id, one.seen, one.refs) == ("f1", 1, ("b",))
    assert told == ["f2 is reinforced, by f1"]


sentences = st.sampled_from(
    [
        "Alice lives in Berlin.", "Alice lives in Rome.", "Alice no longer lives in Rome.",
        "Alice works at Acme.", "Alice works at Initech.", "Alice left Acme.", "Alice likes tea.",
        "Alice doesn't like tea.", "Alice is vegetarian.", "Alice is married to Bob.",
    ]
)  # fmt: skip
drafts = st.lists(
    st.tuples(
        sentences,
        st.sampled_from([None, 1, 2, 3, 4]),
        st.sampled_from(ORIGINS),
        st.sampled_from([None, FactEdge("alice", "lives_in", "berlin")]),
    ),
    max_size=6,
)


@given(drafts)
def test_settling_again_changes_nothing_and_what_is_trusted_more_holds(
    drawn: list[tuple[str, int | None, str, FactEdge | None]],
) -> None:
    facts = [
        fact(number, content, day, trust=trust, edge=edge if "Berlin" in content else None)
        for number, (content, day, trust, edge) in enumerate(drawn)
    ]
    entity, _ = judge_facts(person(*facts), NOW)
    assert judge_facts(entity, NOW)[1] == []
    ids = [one.id for one in entity.facts]
    assert ids == [one.id for one in facts if one.id in ids]
    rank = {one.id: ORIGINS.index(one.trust) for one in entity.facts}
    for one in entity.active:
        assert one.supersedes is None or rank[one.id] <= rank[one.supersedes]


@pytest.mark.parametrize(
    ("options", "cut"),
    [
        ({"status": HISTORICAL, "valid_to": "2026-01-01"}, True),
        ({"status": HISTORICAL, "valid_to": "2026-09-01"}, False),
        ({"status": HISTORICAL, "created_at": "2025-01-01"}, True),
        ({"status": HISTORICAL, "created_at": None}, False),
        ({"status": HISTORICAL, "valid_to": "soon", "created_at": "2025-01-01"}, True),
        ({"status": HISTORICAL, "valid_to": "2020-01-01", "truncated": True}, False),
        ({"valid_to": "2020-01-01"}, False),
    ],
)
def test_what_holds_no_longer_is_cut_short_after_half_a_year(
    options: dict[str, Any], cut: bool
) -> None:
    long = "Alice " + "talks and " * 20 + "sings."
    edge = FactEdge("alice", "likes", "singing")
    entity, ids = truncate_facts(person(fact(1, long, edge=edge, **options)), NOW, HALF_A_YEAR)
    [one] = entity.facts
    assert ids == (["f1"] if cut else [])
    assert one.truncated is (cut or options.get("truncated", False))
    assert (len(one.content) <= SHORT) is cut
    assert one.edge is edge


def test_a_short_one_stays_whole() -> None:
    old = fact(1, "Alice sang.", status=HISTORICAL, valid_to="2020-01-01")
    assert truncate_facts(person(old), NOW, HALF_A_YEAR)[1] == []
