from __future__ import annotations

import pytest

from engrain.model.claim_parts import ENDED, HELD, HOLDS, PLANNED, UNSURE, Claim
from engrain.model.claims import read_claims


def _one(content: str, predicate: str, name: str = "Maya") -> Claim:
    return next(claim for claim in read_claims(content, [name]) if claim.predicate == predicate)


@pytest.mark.parametrize(
    ("content", "predicate", "value"),
    [
        ("Maya works at Stripe as a backend engineer.", "works_at", "Stripe"),
        ("She joined Figma in May.", "works_at", "Figma"),
        ("Maya’s been at Stripe since 2021.", "works_at", "Stripe"),
        ("maya moved to Lisbon", "lives_in", "lisbon"),
        ("Her new boss is Tom Reed.", "reports_to", "Tom Reed"),
        ("Maya was promoted to staff engineer.", "job_title", "staff engineer"),
        ("Maya got married to Sam.", "partner", "Sam"),
    ],
)
def test_relations_are_read_in_many_wordings(content: str, predicate: str, value: str) -> None:
    claim = _one(content, predicate)
    assert claim.value.lower() == value.lower()
    assert claim.mode == HOLDS
    assert claim.own


@pytest.mark.parametrize(
    ("content", "mode"),
    [
        ("Maya lives in Berlin.", HOLDS),
        ("Maya no longer lives in Berlin.", ENDED),
        ("Maya lived in Berlin.", HELD),
        ("Maya grew up in Berlin and lived in Berlin as a child.", HELD),
        ("Maya is going to live in Berlin.", PLANNED),
        ("Maya might live in Berlin.", UNSURE),
        ("Does Maya live in Berlin?", UNSURE),
        ("Maya lives in Berlin for three months.", UNSURE),
    ],
)
def test_it_is_told_apart_what_holds_held_is_planned_or_only_thought_of(
    content: str, mode: str
) -> None:
    assert _one(content, "lives_in").mode == mode


def test_what_is_said_of_somebody_else_is_not_of_the_subject() -> None:
    assert not _one("Maya's brother lives in Oslo.", "lives_in").own
    assert not _one("Tom works at Stripe, says Maya.", "works_at").own


def test_an_edge_is_the_claim_of_its_predicate() -> None:
    claims = read_claims("Maya went from Stripe to Figma.", ["Maya"], ("employer", "figma"))
    assert [claim.value for claim in claims if claim.predicate == "works_at"] == ["Figma"]


def test_what_narrows_a_relation_is_its_scope() -> None:
    film = _one("Maya's favourite film is Alien.", "the:film")
    book = _one("Maya's favourite book is Dune.", "the:book")
    assert film.functional
    assert book.functional
    assert _one("The deadline of Atlas is May 3.", "deadline", "Atlas").scope == frozenset()
    assert _one("The beta deadline of Atlas is May 3.", "deadline", "Atlas").scope == {"beta"}
