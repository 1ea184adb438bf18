"""Blocks of a note: prose, items, rows, headings and code."""

from __future__ import annotations

import re

import pytest

from engrain.language.text.sentences import is_quoted, read_blocks, split_sentences, split_speech


def kinds(text: str) -> list[tuple[str, str]]:
    return [(block.kind, block.text) for block in read_blocks(text)]


def test_each_kind_is_reported() -> None:
    text = "# Head\n\nSome prose.\n\n- [ ] a task\n1. one\n\n| a | b |\n\n"
    text += "```sh\nrun\n\n  it\n```\nEnd.\n"
    assert kinds(text) == [
        ("heading", "Head"),
        ("prose", "Some prose."),
        ("item", "a task"),
        ("item", "one"),
        ("row", "a | b |"),
        ("code", "run"),
        ("code", "it"),
        ("prose", "End."),
    ]


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("The port is\nlistened on.", ["The port is listened on."]),
        ("- an item that\n  goes on", ["an item that goes on"]),
        ("Port: 80\nHost: a", ["Port: 80", "Host: a"]),
        (f"{'word ' * 14}and\nThe rest", [f"{'word ' * 14}and The rest"]),
        ("It ends.\nand so on", ["It ends.", "and so on"]),
        ("> quoted\n> lines", ["quoted lines"]),
    ],
)
def test_lines_that_were_wrapped_are_one(text: str, told: list[str]) -> None:
    assert [block.text for block in read_blocks(text)] == told


def test_comments_and_what_a_template_fills_in_are_left_out() -> None:
    assert kinds("<!-- a\nb -->\nSaid {{fm.desc}} so.\n") == [("prose", "Said   so.")]


def test_a_comment_that_nothing_closes_is_text_and_is_looked_for_once() -> None:
    assert kinds("<!-- a -->It <!-- is so.\n") == [("prose", "It <!-- is so.")]
    assert len(list(read_blocks("<!-- " * 100_000))) == 1  # minutes, were each looked for


def test_a_fence_without_an_end_reaches_to_the_end() -> None:
    assert kinds("```\na\nb") == [("code", "a"), ("code", "b")]


def test_a_sentence_ends_at_a_mark_and_a_blank_or_with_its_line() -> None:
    text = 'Use 3.12. He said "no." Then we left\nSo it is。はい。 Good'
    assert split_sentences(text) == [
        "Use 3.12.", 'He said "no."', "Then we left", "So it is。", "はい。", "Good",
    ]  # fmt: skip


def test_speech_is_not_cut_at_an_abbreviation_or_in_code() -> None:
    end, short = re.compile(r"([.?])(?=\s|$)"), re.compile(r"\be\.g$")
    said = list(split_speech("Use e.g. `a. b` here. Or not?", end, short, " "))
    assert [(one.text, one.asks) for one in said] == [
        ("Use e.g. `a. b` here", False), ("Or not", True), ("", False),
    ]  # fmt: skip


def test_a_sentence_that_is_mostly_quoted_is_anothers() -> None:
    assert is_quoted('She said "I moved to Paris and I love it"')
    assert not is_quoted('I loved reading "Dune" when I was at school in Leeds')
