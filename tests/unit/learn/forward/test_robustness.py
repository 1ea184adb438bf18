"""Whatever a server sends is read, or refused with one of our own errors."""

from __future__ import annotations

from contextlib import suppress

from hypothesis import given
from hypothesis import strategies as st

from engrain.learn.forward.items import MOST_QUOTED, Item, as_data, quote, read_feed, read_html
from engrain.model.errors import MalformedError
from engrain.model.links.link import read_links
from engrain.resolution.fetching import read_url
from engrain.seam.sources import Fetched
from unit.learn.forward.test_feeds import ATOM, RDF, RSS

FEEDS = st.sampled_from([RSS, ATOM, RDF])
MARKS = ["<", ">", "[[", "]]", "](", "![", "`", "::", "#", "&amp;", "<!--", "]]>", "\n\n", "a. ",
         "é", "\u202e", "\x00", "%%", "<p>", "</nav>", "<script>", "'", '"']  # fmt: skip


@given(FEEDS, st.integers(0, 900), st.integers(0, 40), st.binary(max_size=20))
def test_a_feed_that_is_damaged_anywhere(feed: str, at: int, size: int, put: bytes) -> None:
    raw = feed.encode()
    found = Fetched("https://a.example/", "", raw[:at] + put + raw[at + size :])
    with suppress(MalformedError):
        for item in read_feed(found, 10):
            assert item.ref.startswith(("http://", "https://"))


@given(st.binary(max_size=300), st.sampled_from(["", "utf-16", "punycode", "x-unknown", "big5"]))
def test_what_is_no_feed_at_all(raw: bytes, charset: str) -> None:
    with suppress(MalformedError):
        read_feed(Fetched("https://a.example/", charset, raw), 10)


@given(st.lists(st.sampled_from(MARKS), max_size=40).map("".join))
def test_what_is_quoted_has_no_link_and_no_markup(text: str) -> None:
    page = read_html(text)
    item = Item("k", "", page, "r")
    for said in (as_data(text), as_data(page), quote(item.text)):
        assert list(read_links(said)) == []
        assert "<script" not in said and "\n" not in said and "`" not in said
    assert len(quote(text)) <= MOST_QUOTED


@given(
    st.text(max_size=60), st.sampled_from(["http://", "https://", "", "//", "HTTP:", "http://["])
)
def test_a_url_is_one_that_can_be_sent_or_none(text: str, scheme: str) -> None:
    from engrain.model.errors import UsageError

    with suppress(UsageError):
        target = read_url(scheme + text)
        target.url.encode("ascii")
        assert not any(char.isspace() or ord(char) < 32 for char in target.url)
        assert read_url(target.url).url == target.url
