"""What a sentence says for sure of its subject, and what a later one is to an earlier one."""

from __future__ import annotations

import pytest

from engrain.language.statements.facts import Claim, FactStatement, compare, read_claims, read_fact
from engrain.language.statements.verdicts import AGREE, CONTRADICT, REPEAT, UNRELATED


def _one(content: str, predicate: str, name: str = "Maya") -> Claim:
    return next(claim for claim in read_claims(content, [name]) if claim.predicate == predicate)


def _fact(text: str) -> FactStatement:
    return read_fact(text, ["Maya", "Atlas"])


@pytest.mark.parametrize(
    ("content", "predicate", "value"),
    [
        ("Maya works at Stripe as a backend engineer.", "works_at", "Stripe"),
        ("She joined Figma in May as a designer.", "works_at", "Figma"),
        ("Maya moved to Lisbon with her family", "lives_in", "Lisbon"),
        ("Her new boss is Tom Reed.", "reports_to", "Tom Reed"),
        ("Maya was promoted to staff engineer.", "job_title", "staff engineer"),
        ("Maya got married to Sam.", "partner", "Sam"),
        ("Maya is vegan.", "diet", "vegan"),
        ("Maya's favourite film is Alien.", "favourite_film", "Alien"),
        ("Owner: Mia", "owner", "Mia"),
        ("Tom Reed took over as CEO of Maya", "ceo", "Tom Reed"),
    ],
)
def test_a_known_wording_states_a_relation(content: str, predicate: str, value: str) -> None:
    claim = _one(content, predicate)
    assert claim.value == value
    assert not claim.denied


@pytest.mark.parametrize(
    "content",
    [
        "Maya lived in Berlin.",
        "Maya is going to live in Berlin.",
        "Maya might live in Berlin.",
        "Maya used to live in Berlin.",
        "Does Maya live in Berlin?",
        "Maya's brother lives in Oslo.",
        "Tom is a vegan, a nurse and divorced.",
        "Maya moved to Linux.",
        "Maya's boss is on holiday.",
    ],
)
def test_what_is_over_planned_asked_or_said_of_another_states_nothing(content: str) -> None:
    assert read_claims(content, ["Maya"]) == ()


def test_an_edge_goes_before_the_words_for_its_relation() -> None:
    claims = read_fact("Maya works at Stripe.", ["Maya"], ("employer", "figma")).claims
    assert [claim.value for claim in claims] == ["figma"]


@pytest.mark.parametrize(
    ("later", "earlier", "relation"),
    [
        ("Maya works at Stripe.", "Maya works for Stripe.", REPEAT),
        ("Maya lives in NYC.", "Maya lives in New York City.", REPEAT),
        ("Maya lives in Lisbon.", "Maya lives in Berlin.", CONTRADICT),
        ("Maya lives in Portugal.", "Maya lives in Lisbon.", AGREE),
        ("Maya left Stripe.", "Maya works at Stripe.", CONTRADICT),
        ("Maya left Stripe.", "Maya lives in Berlin.", UNRELATED),
        ("Maya left Paris on Monday.", "Maya loves Paris.", UNRELATED),
        ("Maya no longer lives in Berlin.", "Maya lives in Berlin.", CONTRADICT),
        ("Maya doesn't drink coffee any more.", "Maya drinks coffee every day.", CONTRADICT),
        ("Maya doesn't drink coffee after lunch.", "Maya drinks coffee.", UNRELATED),
        ("Maya plays chess.", "Maya lives in Berlin.", UNRELATED),
        ("Maya is a manager.", "Maya is a nurse.", UNRELATED),
        ("Maya is a manager now.", "Maya is a nurse.", CONTRADICT),
        ("Maya's mentor is Howard now.", "Maya's mentor is Gail.", CONTRADICT),
        ("Maya's mentor is Howard.", "Maya's mentor is Gail.", UNRELATED),
        ("Atlas's deadline slipped to April 17.", "Atlas's deadline is March 3.", CONTRADICT),
        ("Atlas is due on 3 March 2025.", "Atlas is due on March 3.", AGREE),
        ("Atlas switched from Slack to Teams.", "Atlas uses Slack.", CONTRADICT),
    ],
)
def test_what_a_later_fact_is_to_an_earlier_one(later: str, earlier: str, relation: str) -> None:
    found = compare(_fact(later), _fact(earlier)).relation
    assert (found == UNRELATED) if relation == AGREE and found != AGREE else found == relation


def test_a_contradiction_says_why_and_whether_the_later_one_ends_the_earlier() -> None:
    moved = compare(_fact("Maya lives in Lisbon."), _fact("Maya lives in Berlin."))
    assert moved.reason == "lives in was Berlin and is Lisbon"
    assert not moved.ends
    assert compare(_fact("Maya left Stripe."), _fact("Maya works at Stripe.")).ends
