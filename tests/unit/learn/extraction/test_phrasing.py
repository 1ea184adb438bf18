"""What somebody says of themselves, told of them."""

from __future__ import annotations

import pytest

from engrain.learn.extraction.phrasing import possessive, to_first, to_plural, to_third


@pytest.mark.parametrize(
    ("first", "third"),
    [
        ("love my dog", "loves their dog"),
        ("am from Sweden", "is from Sweden"),
        ("have two kids", "has two kids"),
        ("do not eat meat", "does not eat meat"),
        ("study history", "studies history"),
        ("teach maths", "teaches maths"),
        ("moved out when I was young", "moved out when they were young"),
        ("usually go home and make tea", "usually goes home and makes tea"),
        ("meditate and relax daily", "meditates and relaxes daily"),
        ("no longer work at Acme", "no longer works at Acme"),
        ("am carving out some me-time", "is carving out some me-time"),
        ("was asked to bring mine to us", "was asked to bring theirs to them"),
    ],
)
def test_pronouns_and_verbs_agree_with_the_name(first: str, third: str) -> None:
    assert to_third(first) == third


def test_a_third_person_is_read_as_a_first_one() -> None:
    assert to_first("works at Acme") == "work at Acme"
    assert to_first("is a nurse") == "am a nurse"
    assert to_first("moved to Oslo") == "moved to Oslo"
    assert to_plural("am in Oslo") == "are in Oslo"
    assert possessive("James") == "James's"
