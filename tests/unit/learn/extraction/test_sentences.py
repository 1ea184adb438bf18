"""What of a text somebody says, sentence by sentence."""

from __future__ import annotations

import pytest

from engrain.learn.extraction.rules import split_sentences


def split(text: str) -> list[str]:
    return [sentence.text for sentence in split_sentences(text)]


def test_abbreviations_and_initials_end_no_sentence() -> None:
    text = "I met Dr. Ames at St. Mary's. J. Stone was there at 5 p.m. with us! And you?"
    assert split(text) == [
        "I met Dr. Ames at St. Mary's",
        "J. Stone was there at 5 p.m. with us",
        "And you",
    ]
    assert [sentence.mark for sentence in split_sentences(text)] == [".", "!", "?"]


def test_emoji_and_lines_end_a_sentence_and_list_markers_are_none() -> None:
    text = "I got a dog 🐶 He is small\n- [x] I moved to Oslo\n2. I sold my car"
    assert split(text) == ["I got a dog", "He is small", "I moved to Oslo", "I sold my car"]


@pytest.mark.parametrize(
    "passed",
    [
        "```\nI work at Acme.\n```",
        "> I work at Acme.",
        "# I work at Acme",
        "$ I work at Acme",
        "2026-01-02T10:00:00 I work at Acme",
        "    I work at Acme",
        "I work at Acme; {",
        "see https://example.com I work at Acme",
        "`I work at Acme for a while now`",
        "I work at Acme " * 60,
    ],
)
def test_code_logs_quotations_and_markup_are_no_sentences(passed: str) -> None:
    assert split(passed) == []
    assert split(f"I live in Oslo.\n{passed}\n") == ["I live in Oslo"]


def test_a_fence_that_is_never_closed_takes_all_behind_it() -> None:
    assert split("I live in Oslo.\n```\nI work at Acme.\n") == ["I live in Oslo"]
