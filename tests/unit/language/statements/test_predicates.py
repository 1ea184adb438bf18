from __future__ import annotations

import pytest

from engrain.language.statements.predicates import COMPANY, PERSON, find_predicate


@pytest.mark.parametrize(
    "word", ["works_at", "employer", "Works For", "works-for", "is_employed_by"]
)
def test_synonyms_lead_to_one_predicate(word: str) -> None:
    predicate = find_predicate(word)
    assert predicate is not None
    assert predicate.name == "works_at"
    assert predicate.range == COMPANY
    assert predicate.functional


def test_some_take_any_number_of_values() -> None:
    for word in ("likes", "speaks", "friend_of", "visited"):
        predicate = find_predicate(word)
        assert predicate is not None
        assert not predicate.functional


def test_a_favourite_is_one_of_its_kind() -> None:
    film, book = find_predicate("favorite_film"), find_predicate("favourite_book")
    assert film is not None
    assert book is not None
    assert (film.name, book.name) == ("favourite_film", "favourite_book")
    assert film.functional


def test_the_boss_is_a_person() -> None:
    predicate = find_predicate("manager")
    assert predicate is not None
    assert (predicate.name, predicate.range) == ("reports_to", PERSON)


def test_of_an_unknown_one_nothing_is_known() -> None:
    assert find_predicate("juggles") is None
    assert find_predicate("") is None
