"""Statements of notes: which two can't both hold, and which only look like it."""

from __future__ import annotations

import pytest

from engrain.language.statements.judge import CONTRADICT, compare
from engrain.language.statements.note_claim import NoteSubject
from engrain.language.statements.note_reading import read_statements
from engrain.language.text.sentences import read_sentences

ONE, OTHER = "Facts about the orders exporter", "How the orders exporter came to be"


def at_odds(text: str, against: str, title: str = ONE, other: str = OTHER) -> bool:
    ours, theirs = (
        list(read_statements(read_sentences(said), NoteSubject(name, "kestrel")))
        for said, name in ((text, title), (against, other))
    )
    return any(compare(one, two).relation == CONTRADICT for one in ours for two in theirs)


@pytest.mark.parametrize(
    ("text", "against"),
    [
        ("The orders exporter listens on port 8080.", "The port of the orders exporter is 9090."),
        ("It gives up after 30 seconds.", "The timeout of the orders exporter is two minutes."),
        ("The orders exporter is deployed on Fridays.", "We ship it on Tuesdays."),
        ("The orders exporter uses Postgres.", "The orders exporter keeps its data in MySQL."),
        ("Backups of it are made daily.", "The orders exporter is backed up every 6 hours."),
        ("Files of the orders exporter are in UTF-8.", "The orders exporter writes Latin-1."),
        ("Ole Brandt owns the orders exporter.", "The owner of the orders exporter is Mara Quist."),
        ("The orders exporter is deployed on Fridays.", "It is never deployed on Fridays."),
        ("It is in production.", "The state of the orders exporter is: frozen."),
    ],
)  # fmt: skip
def test_two_values_of_one_attribute_are_at_odds(text: str, against: str) -> None:
    assert at_odds(text, against)
    assert at_odds(against, text, OTHER, ONE)


@pytest.mark.parametrize(
    ("text", "against"),
    [
        ("The orders exporter listens on port 8080.", "It is reachable on port 8080."),
        ("It gives up after 120 seconds.", "The timeout of the orders exporter is two minutes."),
        ("The orders exporter listens on port 8080.", "The lock of the exporter uses port 9090."),
        ("The orders exporter uses Postgres.", "The invoice exporter uses MySQL."),
        ("The orders exporter uses Postgres.", "Perhaps the orders exporter uses MySQL."),
        ("As of March 2024 the timeout of it is 30 seconds.", "It gives up after 60 seconds."),
        ("The port of it moved from 8080 to 9090 in May.", "It listens on port 8080."),
        ("The orders exporter was deployed on Fridays.", "It is deployed on Tuesdays."),
        ("On staging the orders exporter listens on port 8081.", "It listens on port 8080."),
        ("The orders exporter speaks JSON and XML.", "The format of the orders exporter is JSON."),
    ],
)  # fmt: skip
def test_another_thing_place_or_time_is_not_at_odds(text: str, against: str) -> None:
    assert not at_odds(text, against)


def test_what_a_note_is_named_for_is_not_at_odds_with_its_sibling() -> None:
    titles = "Client for version 1 of the orders API", "Client for version 2 of the orders API"
    said = "It runs version 1 of the orders API.", "It runs version 2 of the orders API."
    assert not at_odds(*said, *titles)


def test_of_two_titles_that_only_share_words_neither_speaks_of_the_other() -> None:
    titles = "JSON export pod", "JSON pod"
    assert not at_odds("It is written in Python.", "It is written in Go.", *titles)
    assert at_odds("It is written in Python.", "It is written in Go.", "JSON pod", "JSON pod guide")


def test_a_thing_that_a_title_speaks_of_among_others_is_not_what_the_note_is_about() -> None:
    titles = "Take tickets out of the fleet gateway", "Take tickets out of the label matcher"
    text = "Load the tickets in batches of {}."
    assert not at_odds(text.format(605), text.format(81), *titles)


def test_how_many_there_are_is_no_value_of_them() -> None:
    title = "Time sheets"
    assert not at_odds("It spares us 566 time sheets.", "We fear 92 time sheets.", title, title)


def test_what_a_note_is_compared_with_is_not_what_it_is() -> None:
    said = "Compare the orders exporter with sheet {}, which began in the same way."
    assert not at_odds(said.format(1741), said.format(1485))
