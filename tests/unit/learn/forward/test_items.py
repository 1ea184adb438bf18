"""Quotations stay quotations."""

from __future__ import annotations

import time

import pytest

from engrain.learn.forward.items import (
    MOST_QUOTED,
    as_data,
    decode,
    looks_like_html,
    quote,
    read_html,
)
from engrain.model.errors import MalformedError
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


def test_headings_are_left_out_of_it() -> None:
    assert quote("## Setup\n\nRun it.\n\n## End\n\nDone.") == "Run it. Done."
    assert quote("## Setup") == "Setup"


def test_one_long_sentence_is_cut_at_a_word() -> None:
    said = quote("word " * 500)
    assert said.endswith("word …") and len(said) <= MOST_QUOTED + 2


def test_quoting_takes_time_linear_in_the_text() -> None:
    for part in ("[", "![", "[a](", "<", "a. ", "::", "%", "#a ", "[x]: y\n", "![" + "a" * 300):
        begun = time.monotonic()
        quote(part * (60_000 // len(part)))
        assert time.monotonic() - begun < 10, part


def test_each_block_becomes_a_line() -> None:
    page = """<!doctype html><html><head><title>The  page</title><style>p{}</style></head><body>
    <nav><a href=/>Home</a></nav><h2>Tabs</h2><p>Tabs are
    <em>blanks</em>.</p><ul><li>One<li>Two</ul><table><tr><td>a</td><td>b</td></tr></table>
    <script>alert('x')</script><footer>Imprint</footer></body></html>"""
    assert read_html(page) == "# Tabs\nTabs are blanks.\nOne\nTwo\na\nb"


def test_a_head_that_never_ends_hides_no_body() -> None:
    assert read_html("<head><title>T</title><body><p>Text.") == "Text."


def test_what_ends_without_a_beginning_ends_nothing() -> None:
    assert read_html("</nav>One</script><p>Two</aside>Three") == "One\nTwo\nThree"


def test_markup_that_is_broken_is_read_all_the_same() -> None:
    for page in ("<p <<a>>", "<![if x]>", "<!", "<![CDATA[x", "&#xffffffff;", "<a" * 1000):
        read_html(page)


def test_reading_takes_time_linear_in_the_page() -> None:
    parts = ("<p>", "<nav>", "<!--", "</nav>", "<a href='", '<a href="x>', "&amp", "<nav></p>", "<",
             "<script>", "<title>", "</", "<!", "&#", "<a b='c'")  # fmt: skip
    for part in parts:
        for end in ("", ">", "'>", "-->"):
            begun = time.monotonic()
            read_html(part * 20_000 + end)
            assert time.monotonic() - begun < 5, part


def test_marks_in_quotations_and_in_scripts_end_nothing() -> None:
    assert read_html("<p title='a'>One</p><script>if (a</b>c) '<p>'</script>Two") == "One\nTwo"
    assert read_html("<p>One</p><script>never ended <p>Two") == "One"
    assert read_html("<p>5 < 6 and 7 > 6</p>") == "5 < 6 and 7 > 6"


def test_text_is_told_from_markup() -> None:
    assert looks_like_html("One<br/>two")
    assert not looks_like_html("if a < b and c > d: List<int>")


@pytest.mark.parametrize(
    ("raw", "charset"),
    [("Café".encode(), ""), ("Café".encode("utf-8-sig"), ""),
     ("Café".encode("cp1252"), "windows-1252"), ("Café".encode("latin-1"), "ISO-8859-1"),
     ("Café".encode(), "rot13"), ("Café".encode(), "idna"),
     ("Café".encode(), "nonsense")],
)  # fmt: skip
def test_an_encoding_is_the_one_that_is_named_else_utf_8(raw: bytes, charset: str) -> None:
    assert decode(raw, charset) == "Café"


def test_a_page_names_its_own() -> None:
    page = b'<html><head><meta charset="iso-8859-2"></head>\xb3'
    assert decode(page).endswith("ł")
    assert decode(page, "iso-8859-1").endswith("³")


def test_a_byte_that_is_no_utf_8_is_one_sign() -> None:
    assert decode("Café Café".encode()[:-1]) == "Café Caf\ufffd"


def test_what_is_no_text_is_reported() -> None:
    with pytest.raises(MalformedError, match="it is no text"):
        decode(b"\x7fELF\0\0")
