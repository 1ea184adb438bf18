"""What a person's words ask for, besides the words themselves."""

from __future__ import annotations

from unicodedata import normalize

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.engine.recall.meaning import Query, without
from engrain.language.telling import MOST as HEAD

NOW = 1_790_000_000.0
"""2026-09-21."""
ID = "01k8zq3v5jq8t2m4n6p7r9s0tv"


def read(text: str) -> tuple[object, ...]:
    query = Query(text, NOW)
    periods = [(period.start, period.end, period.yearless) for period in query.periods]
    return query.head, query.ids, query.tags, query.names, periods


@pytest.mark.parametrize(
    ("text", "ids"),
    [
        (f"what does {ID} say", [ID]),
        (f"({ID})", [ID]),
        (f"{ID}0", []),
        (f"x{ID}", []),
        (ID.upper(), []),
        ("", []),
    ],
)
def test_an_id_is_known_by_its_shape(text: str, ids: list[str]) -> None:
    assert Query(text, NOW).ids == ids


@pytest.mark.parametrize(
    ("text", "links"),
    [
        (
            "see [[one note]] and [[other|so called]], [[third#part]]",
            ["one note", "other", "third"],
        ),
        ("Memory/fix/a-note.md", ["Memory/fix/a-note.md"]),
        ("  a-note\n", ["a-note"]),
        ("note", []),
        ("see Memory/fix/a-note.md", ["see Memory/fix/a-note.md"]),
        ("Nightly  lock", ["Nightly lock"]),
        ("one two three four five six seven eight nine", []),
        ("[[]] [[ [[\n]]", []),
        ("", []),
    ],
)
def test_a_link_is_known_by_its_brackets_or_by_standing_alone(text: str, links: list[str]) -> None:
    assert Query(text, NOW).links == links


@pytest.mark.parametrize(
    ("text", "tags"),
    [
        ("#Postgres and #area/db", ["Postgres", "area/db"]),
        ("issue#12 # # ##", []),
        ("#Éclair", ["Éclair"]),
        ("#" * 1000, []),
    ],
)
def test_a_tag_is_a_word_behind_a_hash(text: str, tags: list[str]) -> None:
    assert Query(text, NOW).tags == tags


def test_every_run_of_up_to_four_words_may_be_a_name() -> None:
    assert Query("ask Ada's tall brother Tom", NOW).names[:6] == [
        "ask", "Ada", "tall", "brother", "Tom", "ask Ada",
    ]  # fmt: skip
    assert "ask Ada tall brother" in Query("ask Ada's tall brother Tom", NOW).names
    assert "ask Ada tall brother Tom" not in Query("ask Ada's tall brother Tom", NOW).names


def test_of_a_long_prompt_the_names_at_its_head_and_its_end_are_looked_for() -> None:
    names = Query("Ada " + "word " * 400 + "Tom", NOW).names
    assert {"Ada", "Tom"} <= set(names)
    assert len(names) < 300


def test_the_periods_are_those_that_the_words_name() -> None:
    (period,) = Query("what did we decide on 2026-03-01?", NOW).periods
    assert period.end - period.start == 86_400
    assert Query("what did we decide?", NOW).periods == []


@given(st.text(max_size=300))
def test_any_text_can_be_asked(text: str) -> None:
    query = Query(text, NOW)
    assert query.head == normalize("NFC", text)
    assert all(query.names)


@pytest.mark.parametrize(
    "piece",
    ["a", "A", "A b ", "((((((a+)+)+)+", "#", "'", "a.'-", "ANA'S ", "?! ", "[[", "2023-05-08 ",
     "between May and ", "the last week of ", "\n", "\0", "数", "🧠", "e\u0301", "\ud800"],
)  # fmt: skip
def test_of_megabytes_only_the_head_is_read(piece: str) -> None:
    text = (piece * 10_000_000)[:10_000_000]
    assert read(text) == read(text[:HEAD])
    assert read(text[:HEAD] + "#tail Tail") == read(text[:HEAD])


@pytest.mark.parametrize(
    ("text", "chatter"),
    [
        ("Thanks!", True),
        ("ok, go ahead", True),
        ("Yes please. Continue", True),
        ("thanks, now fix the lock", False),
        ("lock", False),
        ("", False),
        ("🚀", False),
        ("连接", False),
        ("?!", False),
    ],
)
def test_words_that_ask_for_nothing_are_told_from_a_question(text: str, chatter: bool) -> None:
    assert Query(text, NOW).chatter is chatter


def test_whom_a_query_names_is_taken_out_of_what_it_asks() -> None:
    assert without("What is Ada's cat called, ADA?", ["ada"]) == "What is  cat called, ?"
    assert without("Adam and Ada", ["ada"]) == "Adam and "
    assert without("ask (c and a+b", ["a+b", "(c", "["]) == "ask (c and "
    assert without("nobody", []) == "nobody"
