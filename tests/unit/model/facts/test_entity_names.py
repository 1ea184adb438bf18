"""Names of entities: cleaned, and compared however they are written (S4.1)."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.errors import UsageError
from engrain.model.facts.entity_names import (
    MOST_NAME,
    bare_key,
    clean_entity_name,
    first_name,
    has_form,
    name_key,
)


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
