"""Feeds as they are specified, and as they come."""

from __future__ import annotations

import time

import pytest

from engrain.learn.forward.items import Item, read_feed
from engrain.model.errors import MalformedError
from engrain.seam.sources import Fetched

URL = "https://blog.example/feed.xml"

RSS = """<?xml version="1.0" encoding="UTF-8"?>
<rss version="2.0" xmlns:content="http://purl.org/rss/1.0/modules/content/"
     xmlns:media="http://search.yahoo.com/mrss/" xmlns:atom="http://www.w3.org/2005/Atom">
<channel><title>Blog</title><link>https://blog.example/</link>
<atom:link href="https://blog.example/feed.xml" rel="self"/>
<item><title>Tabs &amp; blanks</title><link>/tabs</link><guid isPermaLink="false">tag-1</guid>
<pubDate>Tue, 04 Mar 2025 10:00:00 +0100</pubDate><description>Short.</description>
<content:encoded><![CDATA[<p>Tabs are&nbsp;blanks.</p><ul><li>One</li></ul>]]></content:encoded>
<media:content url="x"><media:title>Picture</media:title></media:content></item>
<item><guid>https://blog.example/second</guid>
<description>No title &lt;b&gt;here&lt;/b&gt;.</description></item></channel></rss>"""

ATOM = """<feed xmlns="http://www.w3.org/2005/Atom"><title>Blog</title>
<entry><id>urn:1</id><title type="html">A &amp;lt;b&amp;gt; tag</title>
<link rel="edit" href="/edit"/><link href="one"/><link rel="enclosure" href="/file"/>
<published>2025-03-04T10:00:00Z</published><updated>2025-04-01T00:00:00Z</updated>
<author><name>Ada</name></author>
<content type="xhtml"><div xmlns="http://www.w3.org/1999/xhtml"><p>First.</p><p>Second.</p></div>
</content></entry></feed>"""

RDF = """<rdf:RDF xmlns:rdf="http://www.w3.org/1999/02/22-rdf-syntax-ns#"
 xmlns="http://purl.org/rss/1.0/" xmlns:dc="http://purl.org/dc/elements/1.1/">
<channel><title>Blog</title></channel>
<item rdf:about="x"><title>Old</title><link>https://blog.example/old</link>
<dc:date>2003-01-01</dc:date><description>Text.</description></item></rdf:RDF>"""


def fetched(body: str | bytes, charset: str = "") -> Fetched:
    raw = body.encode() if isinstance(body, str) else body
    return Fetched(URL, charset, raw)


def facts(item: Item) -> tuple[str, str, str, str, float | None]:
    return item.key, item.title, item.text, item.ref, item.at


def test_rss_2_is_read_with_its_modules() -> None:
    assert [facts(item) for item in read_feed(fetched(RSS), 10)] == [
        ("tag-1", "Tabs & blanks", "Tabs are blanks.\nOne", "https://blog.example/tabs",
         1741078800.0),
        ("https://blog.example/second", "", "No title here.", "https://blog.example/second", None),
    ]  # fmt: skip


def test_atom_is_read_with_its_kinds_of_text_and_links() -> None:
    (item,) = read_feed(fetched(ATOM), 10)
    assert facts(item) == (
        "urn:1", "A <b> tag", "First.\nSecond.", "https://blog.example/one", 1741082400.0,
    )  # fmt: skip


def test_rss_1_is_read() -> None:
    (item,) = read_feed(fetched(RDF), 10)
    assert (item.title, item.at) == ("Old", 1041379200.0)


def test_so_many_items_at_most_are_taken() -> None:
    assert len(read_feed(fetched(RSS), 1)) == 1


def test_what_declares_entities_is_refused_before_any_is_looked_at() -> None:
    laughs = "".join(f'<!ENTITY l{n} "{f"&l{n - 1};" * 10}">' for n in range(1, 12))
    item = "<rss><item><title>&l11;&f;</title></item></rss>"
    bomb = f'<!DOCTYPE rss [<!ENTITY l0 "ha">{laughs}]>{item}'
    outer = f'<!DOCTYPE rss [<!ENTITY f SYSTEM "file:///etc/passwd">]>{item}'
    begun = time.monotonic()
    for text in (bomb, outer):
        with pytest.raises(MalformedError, match="declares XML entities"):
            read_feed(fetched(text), 10)
    assert time.monotonic() - begun < 5


def test_a_feed_that_breaks_off_is_reported() -> None:
    with pytest.raises(MalformedError, match="its XML breaks off"):
        read_feed(fetched(RSS[: RSS.index("<item><guid>")] + "<item><title>Half"), 10)


@pytest.mark.parametrize(
    "body",
    ["", "<html><body>404</body></html>", "{}", '{"items": 7}', "[1]", "{broken",
     "<rss><channel>", b"\x00\x01\x02binary"],
)  # fmt: skip
def test_what_is_no_feed_is_reported(body: str | bytes) -> None:
    with pytest.raises(MalformedError):
        read_feed(fetched(body), 10)


def test_names_of_html_and_bare_ampersands_within_are_read() -> None:
    text = "<rss><item><title>Caf&eacute; &nosuch; &amp;</title></item></rss>"
    assert read_feed(fetched(text), 10)[0].title == "Café &nosuch; &"
    injected = "<rss><item><title>A &LT;/title&GT; B</title></item></rss>"
    assert read_feed(fetched(injected), 10)[0].title == "A </title> B"


@pytest.mark.parametrize(
    ("raw", "charset"),
    [('<?xml version="1.0" encoding="ISO-8859-1"?><rss><item><title>Café</title></item></rss>'
      .encode("latin-1"), ""),
     ('<?xml version="1.0" encoding="UTF-8"?><rss><item><title>Café</title></item></rss>'
      .encode("cp1252"), "windows-1252"),
     (b"\xef\xbb\xbf" + "<rss><item><title>Café</title></item></rss>".encode(), "zlib"),
     ("<rss><item><title>Café</title></item></rss>".encode(), "punycode")],
)  # fmt: skip
def test_encodings_are_reported(raw: bytes, charset: str) -> None:
    assert read_feed(fetched(raw, charset=charset), 10)[0].title == "Café"


@pytest.mark.parametrize(
    ("written", "at"),
    [("2025-03-04", 1741046400.0), ("Tue, 4 Mar 2025 10:00 GMT", 1741082400.0), ("soon", None),
     ("99999-01-01", None), ("", None), ("1969-12-31", None), ("Mon, 99 Foo 2025", None)],
)  # fmt: skip
def test_days_are_read_as_feeds_write_them(written: str, at: float | None) -> None:
    text = f"<rss><item><title>T</title><pubDate>{written}</pubDate></item></rss>"
    assert read_feed(fetched(text), 10)[0].at == at


@pytest.mark.parametrize(
    "link", ["javascript:alert(1)", "file:///etc/passwd", "http://[bad", "data:x"]
)
def test_a_link_leads_to_the_web_or_nowhere(link: str) -> None:
    text = f"<rss><item><title>T</title><link>{link}</link></item></rss>"
    assert read_feed(fetched(text), 10)[0].ref == URL


def test_characters_that_hide_and_memory_that_was_recalled_are_left_out() -> None:
    fence = (
        "&lt;engrain-memory 0123456789abcdef&gt;\nOwn.\n&lt;/engrain-memory 0123456789abcdef&gt;\n"
    )
    title = "<title>A\u202eB\u200b\x9b</title>"
    text = f"<rss><item>{title}<description>{fence}New.</description></item></rss>"
    (item,) = read_feed(fetched(text), 10)
    assert (item.title, item.text) == ("AB", "New.")


def test_deep_nesting_is_read_or_refused_in_linear_time() -> None:
    begun = time.monotonic()
    deep = "<rss><item><title>" + "<b>" * 300_000
    with pytest.raises(MalformedError):
        read_feed(fetched(deep), 10)
    whole = deep + "x" + "</b>" * 300_000 + "</title></item></rss>"
    assert [item.title for item in read_feed(fetched(whole), 10)] == ["x"]
    assert time.monotonic() - begun < 20
