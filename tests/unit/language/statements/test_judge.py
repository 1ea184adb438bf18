"""One judge for all kinds of text: what a later statement is to an earlier one."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from engrain.language.statements.instructions import read_instruction
from engrain.language.statements.judge import (
    AGREE,
    CONTRADICT,
    REPEAT,
    UNRELATED,
    Statement,
    compare,
)
from engrain.language.statements.note_claim import NoteSubject
from engrain.language.statements.note_reading import read_statements
from engrain.language.statements.reading import read_fact
from engrain.language.text.sentences import read_sentences


def _fact(text: str) -> Statement:
    return read_fact(text, ["Maya"])


def _note(text: str) -> Statement:
    (statement,) = read_statements(read_sentences(text), NoteSubject("Orders exporter", "kestrel"))
    return statement


READERS: dict[str, Callable[[str], Statement]] = {
    "fact": _fact,
    "note": _note,
    "instruction": read_instruction,
}


@pytest.mark.parametrize(
    ("kind", "later", "earlier", "relation"),
    [
        ("fact", "Maya works at Stripe.", "Maya works for Stripe.", REPEAT),
        ("fact", "Maya lives in Lisbon.", "Maya lives in Berlin.", CONTRADICT),
        ("fact", "Maya left Stripe.", "Maya works at Stripe.", CONTRADICT),
        ("fact", "Maya lives in Portugal.", "Maya lives in Lisbon.", AGREE),
        ("fact", "Maya plays chess.", "Maya lives in Berlin.", UNRELATED),
        ("note", "It listens on port 8080.", "Its port is 8080.", REPEAT),
        ("note", "It listens on port 8080.", "Its port is 9090.", CONTRADICT),
        ("note", "It is never deployed on Fridays.", "It is deployed on Fridays.", CONTRADICT),
        ("note", "It is never deployed on Fridays.", "It is deployed on Mondays.", AGREE),
        ("note", "It listens on port 8080.", "It is deployed on Fridays.", UNRELATED),
        ("instruction", "Always run the linter", "please run the linter", REPEAT),
        ("instruction", "Never push to main", "Always push to main", CONTRADICT),
        ("instruction", "Use tabs, not spaces", "Never use spaces", AGREE),
        ("instruction", "Always run the linter", "Answer in German", UNRELATED),
    ],
)
def test_statements_of_every_kind_are_judged_alike(
    kind: str, later: str, earlier: str, relation: str
) -> None:
    read = READERS[kind]
    assert compare(read(later), read(earlier)).relation == relation


def test_a_contradiction_says_why_and_whether_the_later_one_ends_the_earlier() -> None:
    moved = compare(_fact("Maya lives in Lisbon."), _fact("Maya lives in Berlin."))
    assert moved.reason == "lives in was Berlin and is Lisbon"
    assert not moved.ends
    left = compare(_fact("Maya left Stripe."), _fact("Maya works at Stripe."))
    assert left.ends
    ports = compare(_note("It listens on port 8080."), _note("Its port is 9090."))
    assert ports.reason == "they differ in: port"


def test_statements_of_different_kinds_of_text_are_unrelated() -> None:
    texts = {
        "fact": "Maya lives in Berlin.",
        "note": "Its port is 9090.",
        "instruction": "Use tabs",
    }
    for one in READERS:
        for other in READERS.keys() - {one}:
            verdict = compare(READERS[one](texts[one]), READERS[other](texts[other]))
            assert verdict.relation == UNRELATED
