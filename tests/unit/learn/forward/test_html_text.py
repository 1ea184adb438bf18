"""HTML as text."""

from __future__ import annotations

import time

from engrain.learn.forward.html_text import looks_like_html, read_html


def test_headings_lists_and_paragraphs_become_markdown() -> None:
    page = """<!doctype html><html><head><title>The  page</title><style>p{}</style></head><body>
    <nav><a href=/>Home</a></nav><h2>Tabs</h2><p>Tabs are
    <em>blanks</em>.</p><ul><li>One<li>Two</ul><table><tr><td>a</td><td>b</td></tr></table>
    <script>alert('x')</script><footer>Imprint</footer></body></html>"""
    title, text = read_html(page)
    assert title == "The page"
    assert text == "## Tabs\n\nTabs are blanks.\n\n- One\n- Two\n\na b"


def test_a_head_that_never_ends_hides_no_body() -> None:
    assert read_html("<head><title>T</title><body><p>Text.")[1] == "Text."


def test_what_ends_without_a_beginning_ends_nothing() -> None:
    assert read_html("</nav>One</script><p>Two</aside>Three")[1] == "One\n\nTwoThree"


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
    assert (
        read_html("<p title='a>b'>One</p><script>if (a</b>c) '<p>'</script>Two")[1] == "One\n\nTwo"
    )
    assert read_html("<p>One</p><script>never ended <p>Two")[1] == "One"
    assert read_html("<p>5 < 6 and 7 > 6</p>")[1] == "5 < 6 and 7 > 6"


def test_text_is_told_from_markup() -> None:
    assert looks_like_html("One<br/>two")
    assert not looks_like_html("if a < b and c > d: List<int>")
