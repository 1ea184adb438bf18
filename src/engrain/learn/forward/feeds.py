"""Feeds: RSS 2.0 and 1.0, Atom (RFC 4287) and JSON Feed 1.1, as items.

XML is read by expat as a stream: a document that declares entities is refused before any of them is
looked at, and nothing is ever loaded that it points to. What broken feeds have before they break is
kept.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from html import escape
from html.entities import html5
from xml.parsers.expat import ExpatError, ParserCreate

from engrain.learn.forward.decoding import decode
from engrain.learn.forward.feed_elements import Collector, read_json_feed
from engrain.learn.forward.items import Item
from engrain.model.errors import MalformedError
from engrain.seam.outside import Fetched

_HEAD = 2000
_ROOT = re.compile(r"<(?:\w+:)?(rss|feed|RDF)[\s>]")
_JSON = re.compile(r'\s*\{.{0,2000}?"(?:version|items)"', re.DOTALL)
_NAMED = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")
_OF_XML = frozenset(("amp", "lt", "gt", "quot", "apos"))
_NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What has no place in XML (XML 1.0, 2.2), and stands in careless feeds all the same."""
_DECLARATION = re.compile(r"\s*<\?xml[^>]*\?>")


@dataclass(slots=True, eq=False)
class Feed:
    """What a feed has: its items in its order, and what is wrong with it, "" for nothing."""

    items: list[Item]
    problem: str = ""


def is_feed(fetched: Fetched) -> bool:
    """Whether what a server gave is a feed, by what is in it."""
    try:
        head = decode(fetched.body[: 4 * _HEAD], fetched.charset)[:_HEAD]
    except MalformedError:
        return False
    return bool(_ROOT.search(head) or (fetched.type.endswith("json") and _JSON.match(head)))


def read_feed(fetched: Fetched, most: int) -> Feed:
    """The items of a feed, so many at most. Raises MalformedError for what is none."""
    text = decode(fetched.body, fetched.charset)
    if text.lstrip()[:1] == "{":
        return Feed(read_json_feed(text, fetched.url, most))
    if not _ROOT.search(text[:_HEAD]):
        raise MalformedError("it is no feed: neither RSS, Atom nor JSON Feed", reason="feed")
    return _read_xml(text, fetched.url, most)


def _read_xml(text: str, url: str, most: int) -> Feed:
    collector = Collector(url, most)
    parser = ParserCreate("utf-8", namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.take
    parser.EntityDeclHandler = _refuse_entity
    try:
        parser.Parse(_tidy(text).encode(), True)
    except ExpatError as error:
        collector.close()
        if not collector.items:
            raise MalformedError(
                f"its XML breaks off: {error}", reason="feed", line=error.lineno
            ) from None
        return Feed(collector.items, f"its XML breaks off in line {error.lineno}")
    collector.close()
    return Feed(collector.items)


def _tidy(text: str) -> str:
    """A feed without its declaration, which names the encoding that it was decoded from, and with
    what HTML alone calls by name spelt out."""
    return _NAMED.sub(_spell, _NO_CHARACTER.sub("", _DECLARATION.sub("", text, count=1)))


def _refuse_entity(*_: object) -> None:
    raise MalformedError("it declares entities, which a feed has no use for", reason="feed")


def _spell(found: re.Match[str]) -> str:
    name = found[1]
    return found[0] if name in _OF_XML else escape(html5.get(f"{name};", found[0]))
