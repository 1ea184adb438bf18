"""Quotations stay quotations."""

from __future__ import annotations

import time

import pytest

from engrain.learn.forward.items import MOST_QUOTED, as_data, quote
from engrain.model.links.link import read_links


@pytest.mark.parametrize(
    ("text", "data"),
    [("See [[Note|label]] now.", "See [ [Note|label] ] now."),
     ("![pixel](http://t.example/x.png) [here](http://x.example)", "pixel here"),
     ("![a][1] b\n\n[1]: http://t.example/x", "a b"),
     ("<img src=x onerror=y> 1 < 2", "&lt;img src=x onerror=y> 1 < 2"),
     ("supersedes:: x", "supersedes: x"),
     ("`= dv.pages()` and `$= x`", "'= dv.pages()' and '$= x'"),
     ("#urgent and C#", "# urgent and C#"),
     ("%%hidden%% $$x$$", "hidden x"),
     ("---\nid: 1\n---\n# Heading\nText", "--- id: 1 --- Heading Text"),
     ("[a [b](c)", "[a b")],
)  # fmt: skip
def test_nothing_in_it_is_acted_upon(text: str, data: str) -> None:
    assert as_data(text) == data
    assert list(read_links(as_data(text))) == []


def test_the_sentences_are_quoted_that_have_most_of_the_words() -> None:
    text = "Intro is here. " * 40 + "The lock is advisory. It is held at night. " + "End. " * 200
    said = quote(text, frozenset(("lock", "advisory", "night")))
    assert "The lock is advisory. It is held at night." in said
    assert len(said) <= MOST_QUOTED + 2


def test_headings_are_left_out_of_it() -> None:
    assert quote("## Setup\n\nRun it.\n\n## End\n\nDone.", frozenset()) == "Run it. Done."
    assert quote("## Setup", frozenset()) == "Setup"


def test_one_long_sentence_is_cut_at_a_word() -> None:
    said = quote("word " * 500, frozenset(("word",)))
    assert said.endswith("word …") and len(said) <= MOST_QUOTED + 2


def test_quoting_takes_time_linear_in_the_text() -> None:
    for part in ("[", "![", "[a](", "<", "a. ", "::", "%", "#a ", "[x]: y\n", "![" + "a" * 300):
        begun = time.monotonic()
        quote(part * (60_000 // len(part)), frozenset(("a",)))
        assert time.monotonic() - begun < 10, part
