"""Entities and facts as they stand in `items.json`."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text.instants import parse_instant
from engrain.model.errors import UsageError
from engrain.model.facts.entity import (
    MOST_NAME,
    bare_key,
    clean_entity_name,
    entity_fields,
    first_name,
    has_form,
    name_key,
    read_entity,
    render_entity,
    slug_at,
)
from engrain.model.facts.fact import Fact, FactEdge, read_fact

SEED = ["id", "content", "source", "sourceRef", "entityType", "createdAt", "status", "supersedes"]
DOCUMENT = {
    "name": "Alice Moreau",
    "entityType": "person",
    "aliases": ["Al", "alice@acme.com"],
    "items": [
        {
            "id": "f1",
            "content": "Alice works at Initech",
            "source": "conversation",
            "sourceRef": "s1",
            "entityType": "person",
            "createdAt": "2026-01-02T00:00:00Z",
            "status": "historical",
            "supersedes": None,
            "edge": {"subject": "alice-moreau", "predicate": "works_at", "object": "initech"},
            "valid_from": None,
            "valid_to": "2026-03-01T00:00:00Z",
        },
        {"id": "f2", "content": "Alice works at Acme", "supersedes": "f1"},
        {"content": "no id"},
        "no object",
    ],
}


def test_a_fact_has_the_seeds_fields_in_their_order_and_its_validity() -> None:
    edge = FactEdge("alice", "works_at", "acme-corp")
    document = Fact("f1", "Alice works at Acme Corp", edge=edge).document()
    assert list(document) == [*SEED, "edge", "valid_from", "valid_to"]
    assert list(document["edge"]) == ["subject", "predicate", "object"]


def test_what_is_no_fact_is_left_out_and_the_rest_read() -> None:
    own = {"facts": {"f2": {"trust": "operator", "seen": 2, "confidence": 7}}}
    entity = read_entity(DOCUMENT, own)
    assert [fact.id for fact in entity.facts] == ["f1", "f2"]
    assert [fact.id for fact in entity.active] == ["f2"]
    found = entity.find("f2")
    assert found is not None
    assert (found.trust, found.seen, found.confidence, found.source) == (
        "operator",
        2,
        1.0,
        "manual",
    )
    assert entity.facts[0].trust == "external"


def test_a_fact_held_from_when_it_began_until_it_ceased() -> None:
    entity = read_entity(DOCUMENT, {})
    for day, held in (("2026-02-01", ["f1"]), ("2026-01-01", []), ("2026-03-01", [])):
        assert [fact.id for fact in entity.held_at(parse_instant(day))] == held


def fact(id_: str, said: str, **more: object) -> dict[str, object]:
    return {"id": id_, "content": f"Fact {id_}", "createdAt": said, **more}


def test_a_historical_fact_without_an_end_held_until_its_successor_began() -> None:
    items = [
        fact("a", "2024-01-01", status="historical"),
        fact("b", "2025-05-05", supersedes="a", valid_from="2025-01-01", status="historical"),
        fact("c", "2025-09-01", supersedes="b"),
    ]
    entity = read_entity({"items": items}, {"updated": "2026-06-01T00:00:00Z"})
    told = {
        day: [fact.id for fact in entity.held_at(parse_instant(day))]
        for day in ("2023-12-31", "2024-01-01", "2024-12-31", "2025-01-01", "2025-09-01")
    }
    assert list(told.values()) == [[], ["a"], ["a"], ["b"], ["c"]]


def test_one_without_a_successor_held_until_it_was_known_to_be_historical() -> None:
    items = [fact("a", "2024-01-01", status="historical"), fact("b", "2025-01-01")]
    known = read_entity({"items": items}, {"created": "2026-01-01T00:00:00Z"})
    later = read_entity(
        known.document(), {"facts": known.bookkeeping(), "updated": "2026-09-01T00:00:00Z"}
    )
    for entity in (known, later):  # what is learned later moves no end
        for day, held in (("2025-12-31", ["a", "b"]), ("2026-01-02", ["b"])):
            assert [one.id for one in entity.held_at(parse_instant(day))] == held
    by_hand = read_entity({"items": items}, {})
    assert [one.id for one in by_hand.held_at(parse_instant("2024-06-01"))] == ["a"]
    assert [one.id for one in by_hand.held_at(parse_instant("2025-06-01"))] == ["b"]


def test_an_entity_is_reported_by_what_holds_and_then_what_held() -> None:
    title, body = render_entity(DOCUMENT)
    assert title == "Alice Moreau"
    assert body == (
        "Person, also known as Al, alice@acme.com.\n\n- Alice works at Acme\n\n"
        "## No longer so\n\n- Alice works at Initech (until 2026-03-01)\n"
    )
    assert entity_fields(DOCUMENT) == {
        "aliases": ["Al", "alice@acme.com"],
        "tags": ["person"],
        "valid_from": "2026-01-02T00:00:00Z",
    }
    assert slug_at("Memory/entities/alice/items.json") == "alice"


def test_what_a_fact_says_is_no_link() -> None:
    body = render_entity({"name": "x", "items": [{"id": "1", "content": "see [[secret]]"}]})[1]
    assert "- `see [[secret]]`" in body


_TEXT = st.text(st.characters(exclude_categories=("Cs", "Cc")), max_size=20)
_VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | _TEXT,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(_TEXT, inner, max_size=3),
    max_leaves=6,
)
_KEYS = st.sampled_from([*SEED, "edge", "valid_from", "valid_to"])


@given(st.dictionaries(_KEYS, _VALUES), st.dictionaries(_TEXT, _VALUES))
def test_a_fact_that_was_read_is_read_again_as_it_was(document: object, beside: object) -> None:
    assert isinstance(document, dict)
    assert isinstance(beside, dict)
    fact = read_fact(document, beside)
    if fact is not None:
        written = json.loads(json.dumps([fact.document(), fact.bookkeeping()]))
        again = read_fact(*written)
        assert again is not None
        assert [again.document(), again.bookkeeping()] == written


@pytest.mark.parametrize(
    ("written", "clean"),
    [
        ("  Alice \n Moreau ", "Alice Moreau"),
        ("[[people/alice|Alice Moreau]]", "Alice Moreau"),
        ("[Alice](https://example.com)", "Alice"),
        ("../../etc/passwd", "etc passwd"),
        ("“Acme Corp.”", "Acme Corp"),
        ("Al\u200bice\x1b[31m", "Alice 31m"),
        ("bob@example.com", "bob@example.com"),
        ("李明", "李明"),
        ("C++", "C++"),
        ("@bob", "@bob"),
    ],
)
def test_a_name_is_kept_without_links_markup_and_control_characters(
    written: str, clean: str
) -> None:
    assert clean_entity_name(written) == clean


@pytest.mark.parametrize(
    "written",
    ["", " \t", "...", "🎉", "https://example.com/x", "x" * (MOST_NAME + 1), "a " * 20, "\ud800"],
)
def test_what_names_nobody_is_refused(written: str) -> None:
    with pytest.raises(UsageError) as caught:
        clean_entity_name(written)
    assert caught.value.remedy


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Alice Moreau", "alice-moreau"),
        ("ALICE  MOREAU", "Alice_Moreau"),
        ("Dr. Bob Lee", "bob lee"),
        ("@bob", "Bob"),
        ("O’Brien", "o'brien"),
        ("Straße", "STRASSE"),
    ],
)
def test_two_ways_to_write_a_name_are_one(one: str, other: str) -> None:
    assert name_key(one) == name_key(other)


@pytest.mark.parametrize(("one", "other"), [("C++", "C"), ("Bob Lee", "Bob"), ("Acme", "Acne")])
def test_other_names_stay_apart(one: str, other: str) -> None:
    assert name_key(one) != name_key(other)


@pytest.mark.parametrize("name", ["Acme", "Acme Corp", "ACME, Inc.", "Acme GmbH", "Acme Co. Ltd."])
def test_a_legal_form_is_no_part_of_a_companys_name(name: str) -> None:
    assert bare_key(name) == "acme"
    assert has_form(name) == (name != "Acme")


def test_a_name_that_is_a_legal_form_alone_stays() -> None:
    assert bare_key("Corp") == "corp"


@pytest.mark.parametrize(
    ("name", "first"),
    [
        ("Alice Moreau", "alice"),
        ("Dr. Bob Lee", "bob"),
        ("Alice", ""),
        ("J. R. Ewing", ""),
        ("bob@example.com", ""),
    ],
)
def test_a_first_name_is_the_first_of_several(name: str, first: str) -> None:
    assert first_name(name) == first


@given(st.text(max_size=60))
def test_a_cleaned_name_is_its_own_cleaned_name(text: str) -> None:
    try:
        clean = clean_entity_name(text)
    except UsageError:
        return
    assert clean_entity_name(clean) == clean
    assert "\n" not in clean
    assert name_key(clean)
