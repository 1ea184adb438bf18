from __future__ import annotations

import pytest

from engrain.language.statements.clauses import NEW
from engrain.language.statements.fact_claim import FactClaim
from engrain.language.statements.judge import ENDED, HOLDS, LOOSE
from engrain.language.statements.reading import read_claims, read_fact


def _one(content: str, predicate: str, name: str = "Maya") -> FactClaim:
    return next(claim for claim in read_claims(content, [name]) if claim.predicate == predicate)


@pytest.mark.parametrize(
    ("content", "predicate", "value"),
    [
        ("Maya works at Stripe as a backend engineer.", "works_at", "Stripe"),
        ("She joined Figma in May as a designer.", "works_at", "Figma"),
        ("Maya’s a data engineer over at Stripe", "works_at", "Stripe"),
        ("maya moved to Lisbon", "lives_in", "lisbon"),
        ("Maya: Lisbon, flat near the harbour", "lives_in", "lisbon"),
        ("Her new boss is Tom Reed.", "reports_to", "Tom Reed"),
        ("Maya was promoted to staff engineer.", "job_title", "staff engineer"),
        ("Maya got married to Sam.", "partner", "Sam"),
        ("Maya quit smoking for good", "smokes", "no"),
        ("number for Maya: 555-0199", "phone_number", "5550199"),
        ("maya in neovim now", "editor", "neovim"),
    ],
)
def test_relations_are_read_in_many_wordings(content: str, predicate: str, value: str) -> None:
    claim = next(one for one in read_claims(content, ["Maya"]) if one.predicate == predicate)
    assert claim.value.lower() == value.lower()
    assert claim.mode == HOLDS


@pytest.mark.parametrize(
    ("content", "mode"),
    [
        ("Maya lives in Berlin.", HOLDS),
        ("Maya no longer lives in Berlin.", ENDED),
        ("Maya lived in Berlin.", LOOSE),
        ("Maya grew up in Berlin and lived in Berlin as a child.", LOOSE),
        ("Maya is going to live in Berlin.", LOOSE),
        ("Maya might live in Berlin.", LOOSE),
        ("Does Maya live in Berlin?", LOOSE),
    ],
)
def test_what_holds_is_told_apart_from_what_is_over_planned_or_only_thought_of(
    content: str, mode: str
) -> None:
    assert _one(content, "lives_in").mode == mode


def test_what_is_said_of_somebody_else_is_not_of_the_subject() -> None:
    assert not read_claims("Maya's brother lives in Oslo.", ["Maya"])
    assert not read_claims("Tom is a vegan, a nurse and divorced.", ["Maya"])


def test_of_something_new_it_is_known_that_it_is_another() -> None:
    assert _one("Maya has a new number", "phone_number").value == NEW


def test_an_edge_is_the_claim_of_its_predicate() -> None:
    claims = read_claims("It is Figma for Maya.", ["Maya"], ("employer", "figma"))
    assert [claim.value for claim in claims if claim.predicate == "works_at"] == ["figma"]


def test_what_narrows_a_relation_is_its_scope() -> None:
    assert _one("The deadline of Atlas is May 3.", "deadline", "Atlas").scope == frozenset()
    assert _one("The beta deadline of Atlas is May 3.", "deadline", "Atlas").scope == {"beta"}
    front, back = (
        _one(f"The {part} of Atlas is in Go.", "language", "Atlas").scope
        for part in ("frontend", "backend")
    )
    assert front != back


def test_states_of_a_project_are_not_read_of_a_person() -> None:
    assert any(one.aspect == "=stage" for one in read_fact("Kim is live.", ("Kim",)).claims)
    person = read_fact("Kim is live.", ("Kim",), type_="person")
    assert not any(one.aspect == "=stage" for one in person.claims)
