"""A summary reads as a person would write it, and is the same for the same facts."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.facts.entity import Entity
from engrain.model.facts.fact import ACTIVE, HISTORICAL, Fact, FactEdge
from engrain.model.facts.summaries import (
    MOST_ACTIVE,
    MOST_HISTORICAL,
    ORDER,
    read_stamp,
    stamp_of,
    topic_of,
    write_summary,
)
from engrain.model.facts.wording import word_active, word_historical, write_date

NOW = 1_790_000_000.0  # 2026-09-21


def fact(content: str, number: int = 1, **options: object) -> Fact:
    said = {"created_at": f"2026-01-{number:02d}T10:00:00Z"}
    return Fact(f"f{number:03}", content, **{**said, **options})  # type: ignore[arg-type]


def told(entity: Entity) -> str:
    """What stands under the title."""
    return write_summary(entity, NOW).split("\n\n", 1)[1]


def person(*facts: Fact, name: str = "Alice", **options: object) -> Entity:
    return Entity(name, "person", facts=facts, **options)  # type: ignore[arg-type]


def test_a_person_is_told_of_by_topic_in_whole_sentences() -> None:
    edge = FactEdge("alice", "works_at", "acme-corp")
    alice = person(
        fact("Alice is vegetarian.", 1),
        fact("Alice lives in Berlin.", 2),
        fact("Alice works at Acme Corp as a designer.", 3, valid_from="2026-03-01", edge=edge),
        fact("Alice has two cats", 4),
        fact("Alice works at Initech.", 5, status=HISTORICAL, valid_to="2026-03-01"),
        aliases=["Alice Lee", "alice@acme.example"],
    )
    assert told(alice) == (
        "Alice works at Acme Corp as a designer since March 2026 and lives in Berlin."
        " Alice has two cats and is vegetarian.\n\n"
        "Until March 2026 Alice worked at Initech.\n\n"
        "Also known as Alice Lee and alice@acme.example.\n"
    )


def test_what_is_still_to_begin_is_told_apart_with_its_date() -> None:
    alice = person(
        fact("Alice works at Acme.", 1, valid_to="2027-01-01"),
        fact("Alice works at Globex.", 2, valid_from="2027-01-01"),
    )
    assert told(alice) == "Alice works at Acme.\n\nAlice works at Globex (from January 2027).\n"
    begun = 1_800_000_000.0  # 2027-01-15
    assert stamp_of(alice, begun) != stamp_of(alice, NOW)
    assert "works at Globex since January 2027" in write_summary(alice, begun)


def test_the_operator_without_a_name_is_told_of_as_anybody_is() -> None:
    operator = Entity(
        "operator",
        "person",
        facts=[
            fact("The operator lives in Paris.", 1, status=HISTORICAL, valid_to="2026-05-01"),
            fact("The operator moved to Rome.", 2, status=HISTORICAL, valid_to="2026-06-01"),
            fact("The operator lives in Ulm.", 3),
            fact("The operator has a dog.", 4),
        ],
    )
    assert told(operator) == (
        "The operator lives in Ulm and has a dog.\n\n"
        "The operator moved to Rome. Until May 2026 the operator lived in Paris.\n"
    )


def test_a_company_is_it_and_a_person_what_somebody_said() -> None:
    acme = Entity(
        "Acme", "company", facts=[fact("Acme makes chairs, and lamps.", 1), fact("Acme is old.", 2)]
    )
    assert told(acme) == "Acme makes chairs, and lamps. It is old.\n"
    facts = [fact("Kim writes plays, and songs.", 1), fact("Kim owns a boat.", 2)]
    assert told(person(*facts, name="Kim")) == "Kim writes plays, and songs. Kim owns a boat.\n"
    known = [*facts, fact("Kim's pronouns are she/her.", 3), fact("Kim plans a trip.", 4)]
    assert "She owns a boat and plans a trip." in told(person(*known, name="Kim"))


def test_a_pronoun_follows_only_who_was_spoken_of_last() -> None:
    alice = person(
        fact("Alice's pronouns are she/her.", 1),
        fact("Alice's sister Carla is a nurse.", 2),
        fact("Alice has two cats.", 3),
    )
    assert "Alice's sister Carla is a nurse. Alice has two cats." in told(alice)


def test_what_is_not_settled_is_told_as_such_with_the_dates() -> None:
    alice = person(
        fact("Alice uses Figma.", 1, disputes=["f002"]),
        fact("Alice uses Sketch.", 2, disputes=["f001"]),
    )
    assert told(alice) == (
        "Not settled: Alice uses Figma (said on 1 January 2026) or Alice uses Sketch"
        " (said on 2 January 2026).\n"
    )


def test_what_has_an_end_is_over_when_that_has_come() -> None:
    alice = person(fact("Alice lives in Rome.", valid_to="2026-12-01"))
    assert told(alice) == "Alice lives in Rome.\n"
    late = write_summary(alice, NOW + 100 * 86_400)
    assert "Until December 2026 Alice lived in Rome." in late
    assert stamp_of(alice, NOW) != stamp_of(alice, NOW + 100 * 86_400)


def test_much_is_bounded_and_says_how_much_more_there_is() -> None:
    many = [fact(f"Alice knows thing {n}.", 1 + n % 28, seen=n % 3) for n in range(100)]
    many = [Fact(f"f{n:03}", one.content, seen=one.seen) for n, one in enumerate(many)]
    old = [Fact(f"g{n}", f"Alice knew thing {n}.", status=HISTORICAL) for n in range(9)]
    text = told(person(*many, *old))
    assert text.count("knows thing") == MOST_ACTIVE
    assert f"{100 - MOST_ACTIVE} more facts stand in items.json." in text
    assert text.count("knew thing") == MOST_HISTORICAL
    assert "4 older ones stand in items.json." in text


def test_an_entity_without_facts_says_so() -> None:
    assert told(person()) == "Nothing is known yet.\n"


def test_the_first_line_says_whose_the_file_is() -> None:
    alice = person(fact("Alice plays chess."))
    text = write_summary(alice, NOW)
    assert text.startswith("<!-- Generated by engrain from items.json (")
    assert read_stamp(text) == stamp_of(alice, NOW)
    assert read_stamp(text.partition("\n")[2]) is None
    changed = alice.replace(facts=[*alice.facts, fact("Alice sings.", 2)])
    assert stamp_of(changed, NOW) != stamp_of(alice, NOW)


def test_a_fact_that_was_only_met_again_makes_no_new_summary() -> None:
    alice = person(fact("Alice plays chess."))
    again = alice.replace(facts=[alice.facts[0].replace(seen=3, refs=("b", "c"))])
    assert write_summary(again, NOW) == write_summary(alice, NOW)


@pytest.mark.parametrize(
    ("written", "told"),
    [
        ("2026-03-01", "March 2026"),
        ("2026-03-09", "9 March 2026"),
        ("2026-03-01T08:00:00Z", "1 March 2026"),
        ("no date", ""),
        (None, ""),
    ],
)
def test_dates_are_written_as_people_do(written: str | None, told: str) -> None:
    assert write_date(written) == told


@pytest.mark.parametrize(
    ("content", "valid_from", "told"),
    [
        ("Al lives in Rome.", "2026-03-01", "Al lives in Rome since March 2026."),
        ("Al joined Acme", "2026-03-01", "Al joined Acme in March 2026."),
        ("Al joined Acme.", "2026-03-09", "Al joined Acme on 9 March 2026."),
        ("Al joined Acme in 2026.", "2026-03-09", "Al joined Acme in 2026."),
        ("Rome is where Al lives.", "2026-03-01", "Rome is where Al lives (since March 2026)."),
        ("Al can dance!", "2026-03-01", "Al can dance (since March 2026)!"),
        ("Al sings.", None, "Al sings."),
    ],
)
def test_the_date_since_when_stands_where_the_fact_has_none(
    content: str, valid_from: str | None, told: str
) -> None:
    assert word_active(fact(content, valid_from=valid_from), ["Al"]) == told


def test_what_replaced_another_holds_since_the_month_in_which_it_was_said() -> None:
    new = fact("Al lives in Rome.", 9, supersedes="f0")
    assert word_active(new, ["Al"]) == "Al lives in Rome since January 2026."
    moved = fact("Al moved to Rome.", 9, supersedes="f0")
    assert word_active(moved, ["Al"]) == "Al moved to Rome."
    undated = fact("Al lives in Rome.", supersedes="f0", created_at="once")
    assert word_active(undated, ["Al"]) == "Al lives in Rome."


@pytest.mark.parametrize(
    ("content", "valid_to", "told"),
    [
        ("Al is a cook.", "2026-03-01", "Until March 2026 Al was a cook."),
        ("Al is a cook.", None, "Once Al was a cook."),
        ("Al lived in Rome.", "2026-03-01", "Al lived in Rome."),
        ("Al can dance", "2026-03-01", "Al can dance (until March 2026)."),
        ("Rome is home", None, "Rome is home (no longer so)."),
    ],
)
def test_what_held_once_is_told_in_the_past(content: str, valid_to: str | None, told: str) -> None:
    assert word_historical(fact(content, valid_to=valid_to), ["Al"]) == told


@pytest.mark.parametrize(
    ("content", "edge", "topic"),
    [
        ("Al is at Acme.", "employer", "work"),
        ("Al is in Rome.", "lives_in", "home"),
        ("Al has it.", "favorite_film", "preferences"),
        ("Al is allergic to nuts.", "", "health"),
        ("Al speaks Czech.", "", "studies"),
        ("Al waits.", "", "other"),
        ("Al waits.", "no_such_predicate", "other"),
    ],
)
def test_the_predicate_tells_the_topic_and_else_the_words(
    content: str, edge: str, topic: str
) -> None:
    relation = FactEdge("al", edge, "x") if edge else None
    assert topic_of(fact(content, edge=relation)) == topic
    assert topic in ORDER


contents = st.one_of(
    st.sampled_from(["Al is here.", "Al likes [[x]]", "# Al", "<!-- Al -->", "- Al", "`Al`", "Al"]),
    st.text(min_size=1, max_size=40).filter(str.strip).map(lambda text: " ".join(text.split())),
)
facts = st.lists(
    st.builds(
        lambda content, status, day, disputes: (content, status, day, disputes),
        contents,
        st.sampled_from([ACTIVE, HISTORICAL]),
        st.sampled_from([None, "2026-03-01", "soon", "2030-01-01"]),
        st.sampled_from([(), ("f000",), ("f001", "gone")]),
    ),
    max_size=8,
).map(
    lambda drawn: [
        Fact(f"f{n:03}", content, status=status, valid_to=day, disputes=disputes)
        for n, (content, status, day, disputes) in enumerate(drawn)
    ]
)


@given(facts, st.text(max_size=20))
def test_whatever_facts_say_the_summary_is_one_title_and_plain_text(
    drawn: list[Fact], name: str
) -> None:
    entity = Entity(name.strip() or "Al", "person", facts=drawn)
    text = write_summary(entity, NOW)
    first, title, *rest = text.split("\n")
    assert first.startswith("<!-- Generated")
    assert title.startswith("# ")
    assert not [line for line in rest if line.startswith(("#", "- ", "<", ">", "["))]
    assert write_summary(entity, NOW) == text
