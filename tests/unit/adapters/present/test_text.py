"""Text for a person: whatever a file holds, it stays text."""

from __future__ import annotations

import unicodedata

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.adapters.present.text import beyond_title, clean, clean_line, excerpt

BIDI = ("LRE", "RLE", "PDF", "LRO", "RLO", "LRI", "RLI", "FSI", "PDI")


@given(st.text())
def test_nothing_that_drives_a_terminal_or_turns_text_around_is_left(text: str) -> None:
    for char in clean(text):
        assert unicodedata.category(char) != "Cc" or char in "\t\n"
        assert unicodedata.bidirectional(char) not in BIDI


@given(st.text(st.characters(categories=["L", "M", "N", "P", "S", "Zs"])))
def test_letters_marks_and_signs_of_any_script_stay(text: str) -> None:
    assert clean(text) == text


@given(st.text())
def test_one_line_is_one_line(text: str) -> None:
    assert len(clean_line(text).splitlines()) <= 1


@given(st.text(), st.integers(min_value=10, max_value=200))
def test_an_excerpt_keeps_to_its_length(text: str, length: int) -> None:
    assert len(excerpt(text, length)) <= length + 2


def test_a_short_text_is_its_own_excerpt() -> None:
    assert excerpt("Two\nlines  of it.") == "Two lines of it."


def test_an_excerpt_of_text_without_spaces_shows_its_beginning() -> None:
    assert excerpt("灯台守は波を数える" * 100, 30).startswith("灯台守は波を数える灯台守")


@pytest.mark.parametrize(
    ("title", "text", "left"),
    [
        ("Small pull requests", "Small pull requests", ""),
        ("Small pull requests", "small  pull requests.\n\nWhy not.", "Why not."),
        ("Kiln rule:", "Kiln rule: stay away.", "stay away."),
        ("Kiln door", "Kiln door must stay shut.", "Kiln door must stay shut."),
        ("The kiln is fired …", "The kiln is fired on Fridays.", "… on Fridays."),
        ("星期五早上八点 …", "星期五早上八点烧制陶窑。", "… 烧制陶窑。"),
        ("x " * 39 + "mor", "x " * 39 + "morning", "… morning"),
        ("Kiln", "Fired on Fridays.", "Fired on Fridays."),
        ("Kiln", "", ""),
        ("", "Fired.", "Fired."),
    ],
)
def test_a_text_does_not_say_its_title_again(title: str, text: str, left: str) -> None:
    assert beyond_title(title, text) == left
