"""Text between the marks of what is private."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text.fences import strip_lines, strip_private, strip_values

TEXTS = {
    "Use pnpm. <private>The code is 4711.</private> Never npm.": "Use pnpm.  Never npm.",
    "<private>all</private>": "",
    "<PRIVATE>a</Private>b": "b",
    '<private reason="x">a</private>b': "b",
    "< private >a</ private >b": "b",
    "a <private>to the end": "a ",
    "a <private>b <private>c</private> d</private> e": "a  e",
    "```\n<private>\na\n</private>\n```": "```\n\n```",
    "a <private/> b": "a  b",
    "a </private> b": "a  b",
    "&lt;private&gt;a&lt;/private&gt;b": "b",
    "a\n<private\n  kind='x'>b</private>": "a\n",
    "<privately>a</privately>": "<privately>a</privately>",
    "<private-key>a</private-key>": "<private-key>a</private-key>",
    "private <b>a</b> & c": "private <b>a</b> & c",
    "": "",
}


@pytest.mark.parametrize("text", TEXTS)
def test_what_is_between_the_marks_is_left_out(text: str) -> None:
    assert strip_private(text) == TEXTS[text]


def test_what_stands_before_a_closing_mark_is_private_where_the_beginning_is_missing() -> None:
    assert strip_private("the code</private> rest", begins_inside=True) == " rest"
    text = "a <private>b</private> c</private> d"
    assert strip_private(text, begins_inside=True) == "a  c d"


def test_marks_in_other_lines_of_a_text_count() -> None:
    lines = ["a", "b <private> c", "d", "", "e </private> f", "g"]
    assert list(strip_lines(lines)) == ["a", "b ", "", "", " f", "g"]


def test_every_text_of_a_value_is_searched() -> None:
    value = {"a": ["<private>x</private>y", 1, None], "b": {"c": "<private>x"}}
    assert strip_values(value) == {"a": ["y", 1, None], "b": {"c": ""}}


@given(
    st.lists(st.sampled_from(["<private>", "</private>", "secret", "\n", "<", "&lt;"]), max_size=9)
)
def test_nothing_that_has_an_open_mark_before_it_is_kept(parts: list[str]) -> None:
    text = "".join(parts)
    kept = strip_private(text)
    assert strip_private(kept) == kept or "<private>" not in kept
    if "</private>" not in text and "<private>" in text:
        assert "secret" not in kept[text.index("<private>") :]


def test_a_text_of_many_openings_is_read_in_linear_time() -> None:
    for part in ("<private ", "<", "&lt; ", "<private>", "< \t"):
        strip_private(part * 300_000)
