from __future__ import annotations

import re

from engrain.language.text.prose import is_quoted, split_sentences, split_speech, split_statements


def test_a_sentence_ends_at_a_mark_and_a_blank_or_with_its_line() -> None:
    text = 'Use 3.12. He said "no." Then we left\nSo it is。はい。 Good'
    assert split_sentences(text) == [
        "Use 3.12.", 'He said "no."', "Then we left", "So it is。", "はい。", "Good",
    ]  # fmt: skip


def test_a_statement_ends_at_a_semicolon_too() -> None:
    assert split_statements("It moved; see the new one. Done") == [
        "It moved;", "see the new one.", "Done",
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
