"""A summary of a text's own sentences: what matters stays, and it is never longer (S1.9)."""

from __future__ import annotations

import random
from time import process_time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text.summary import LEAST_WORDS, count_words, most_words, summarize

FILLER = "Nothing much happened on that day and people went home early again."
TELLING = (
    "The pooler drops prepared statements, so `prepareThreshold=0` is set.",
    "We decided on 2026-03-14 to move to Frankfurt.",
    "Never restart Kestrel while the ledger exports.",
    "Maria Kovacs owns the invoice API.",
    "Rounding once per rate cost 412 EUR.",
)


def long_text(*telling: str) -> str:
    return " ".join(["It began on a Monday.", *[FILLER] * 12, *telling, *[FILLER] * 12])


def test_a_short_text_stays_whole() -> None:
    text = "One.\n\n- two\n- three\n"
    assert summarize("t", text, LEAST_WORDS) == text.strip()
    assert summarize("t", "", LEAST_WORDS) == ""


@pytest.mark.parametrize("telling", TELLING)
def test_numbers_names_code_dates_denials_and_decisions_stay(telling: str) -> None:
    text = long_text(telling)
    assert telling in summarize("t", text, most_words(text))


def test_the_first_sentence_stays_and_the_order_too() -> None:
    text = long_text(*TELLING)
    summary = summarize("t", text, 80)
    assert summary.startswith("It began on a Monday.")
    places = [text.index(telling) for telling in TELLING if telling in summary]
    assert len(places) == len(TELLING)
    assert places == sorted(places)


def test_what_is_said_twice_is_kept_once() -> None:
    text = " ".join([*[TELLING[0]] * 20, TELLING[1]])
    assert summarize("t", text, LEAST_WORDS).count("pooler") == 1


def test_a_fenced_block_stays_whole_or_goes() -> None:
    block = "```sql\nselect pg_advisory_lock(42);\n```"
    text = "\n\n".join([FILLER] * 8 + [block] + [FILLER] * 8)
    assert block in summarize("locks", text, LEAST_WORDS)
    long = "```\n" + "\n".join(f"row {n};" for n in range(200)) + "\n```"
    assert "```" not in summarize("t", "\n\n".join([FILLER] * 8 + [long]), LEAST_WORDS)


def test_items_of_a_list_stand_alone_on_their_lines() -> None:
    items = [*(f"- {FILLER}" for _ in range(12)), "- Rotate the key every 90 days"]
    summary = summarize("t", "\n".join(items), LEAST_WORDS)
    assert "- Rotate the key every 90 days" in summary.splitlines()


def test_headings_go_and_what_stands_first_under_them_is_preferred() -> None:
    text = "\n\n".join(f"## Part {n}\n\nOpening line number {n} here. {FILLER}" for n in range(12))
    summary = summarize("t", text, LEAST_WORDS)
    assert "##" not in summary
    assert "Opening line number 11 here." in summary or "Opening line number 1 here." in summary


def test_a_text_without_blanks_between_words_is_cut_at_its_sentences() -> None:
    telling = "決定：二〇二六年三月十四日からロックを必ず先に取る。"
    text = "今日は会議をした。天気は良かった。" * 12 + telling + "そのあと昼食を食べた。" * 12
    summary = summarize("ロック", text, most_words(text))
    assert telling in summary
    assert summary.endswith("。")
    assert count_words(summary) <= most_words(text)


def test_a_text_without_any_sentence_mark_is_cut_at_its_words() -> None:
    summary = summarize("t", "word " * 500, LEAST_WORDS)
    assert count_words(summary) == LEAST_WORDS
    assert summary.endswith("word…")


@given(
    st.lists(
        st.sampled_from(
            [*TELLING, FILLER, "\n\n", "\n", "## H\n", "- item ", "```\n", "| a | b |\n", "字。",
             "> q ", "[[a|b]] ", "…", "\t", "1. x\n", "e\u0301 ", "\U0001f3fb"]
        ),
        max_size=60,
    ).map(" ".join),
    st.integers(1, 80),
)  # fmt: skip
def test_a_summary_is_never_longer_than_its_text_nor_its_share(text: str, most: int) -> None:
    summary = summarize("title", text, most)
    assert len(summary) <= len(text)
    assert count_words(summary) <= max(most, 0)
    assert summary == summarize("title", text, most)
    if text.strip():
        assert summary


def test_of_a_text_of_headings_alone_the_beginning_stays() -> None:
    assert summarize("title", "## H\n ## H\n", 1) == "## H\n ##…"


@pytest.mark.parametrize(
    "piece", ["a", "1.", "_a", "[[ ", "`", ". ", "- \n", "字", "<!-- ", "aB", "\n\n", "x_"]
)
def test_a_hostile_text_takes_no_longer_than_a_plain_one(piece: str) -> None:
    text = (piece * 100_000)[:100_000] + " b" * 100
    began = process_time()
    summarize("t", text, most_words(text))
    assert process_time() - began < 5


def test_a_long_text_keeps_its_share() -> None:
    words = random.Random(3).choices([f"word{n}" for n in range(900)], k=20_000)
    text = ". ".join(" ".join(words[at : at + 9]) for at in range(0, len(words), 9))
    summary = summarize("t", text, most_words(text))
    assert 0.24 < count_words(summary) / count_words(text) <= 0.25
