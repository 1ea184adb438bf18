"""Feeds: RSS 2.0 and 1.0, Atom (RFC 4287) and JSON Feed 1.1, as items.

XML is read by expat as a stream: a document that declares entities is refused before any of them is
looked at, and nothing is ever loaded that it points to. What broken feeds have before they break is
kept.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from email.utils import parsedate_to_datetime
from html import escape, unescape
from html.entities import html5
from urllib.parse import urljoin
from xml.parsers.expat import ExpatError, ParserCreate

from engrain.language.text.instants import read_instant
from engrain.learn.forward.items import Item, decode, looks_like_html, read_html
from engrain.model.errors import MalformedError
from engrain.model.note.documents import object_of, objects_of, read_json, text_of
from engrain.seam.sources import Fetched

_ITEMS = ("item", "entry")
# What of an item is taken, by the element's name without its namespace; of several the first of
# these that is there.
_TITLE, _WORDS = ("title",), ("encoded", "content", "description", "summary")
_ID, _AT = ("guid", "id"), ("published", "pubDate", "updated", "date", "issued", "modified")
_TAKEN = frozenset((*_TITLE, *_WORDS, *_ID, *_AT, "link"))
_MOST_CHARACTERS = 400_000
_LATEST = 32_503_680_000.0  # the year 3000
_MEDIA = "http://search.yahoo.com/mrss/"


class Collector:
    """Takes the elements of a feed of XML, and has its items; an item that is not whole is none."""

    def __init__(self, url: str, most: int) -> None:
        self.items: list[Item] = []
        self._base = url
        self._most = most
        self._found: dict[str, str] | None = None
        self._taking = ""
        self._depth = 0
        self._parts: list[str] = []
        self._size = 0

    def start(self, name: str, attributes: dict[str, str]) -> None:
        space, _, tag = name.rpartition(" ")
        if self._taking:
            self._depth += 1
            if tag in ("p", "div", "br", "li"):  # XHTML within
                self.take("\n")
        elif tag in _ITEMS and self._found is None:
            self._found = {}
        elif self._found is not None and tag in _TAKEN and space != _MEDIA:
            if tag == "link" and attributes.get("href"):
                if attributes.get("rel", "alternate") == "alternate":
                    self._found.setdefault("link", attributes["href"])
                return
            self._taking, self._depth, self._parts, self._size = tag, 0, [], 0

    def end(self, name: str) -> None:
        tag = name.rpartition(" ")[2]
        if self._taking and self._depth:
            self._depth -= 1
        elif self._taking:
            if self._found is not None and tag == self._taking:
                self._found.setdefault(tag, "".join(self._parts).strip())
            self._taking = ""
        elif tag in _ITEMS and self._found is not None:
            self._keep(self._found)
            self._found = None

    def take(self, text: str) -> None:
        if self._taking and self._size < _MOST_CHARACTERS:
            self._parts.append(text)
            self._size += len(text)

    def _keep(self, found: Mapping[str, str]) -> None:
        if len(self.items) >= self._most:
            return
        guid = found.get("guid", "")
        guid = guid if guid.startswith(("http://", "https://")) else ""
        link = resolve_link(self._base, found.get("link", "") or guid)
        item = Item(
            _first(found, _ID) or link,
            _plain(_first(found, _TITLE)).replace("\n", " "),
            _plain(_first(found, _WORDS)),
            link or without_query(self._base),
            read_day(_first(found, _AT)),
        )
        if item.title or item.text:
            self.items.append(item)


def read_json_feed(text: str, url: str, most: int) -> list[Item]:
    """Return the items of a JSON Feed. Raises MalformedError for what is none."""
    try:
        feed = object_of(read_json(text))
    except MalformedError as error:
        raise MalformedError(
            f"it is no feed: {error.message}", reason="feed", line=error.line
        ) from None
    if not isinstance(feed.get("items"), list):
        raise MalformedError("it is no feed: it has no items", reason="feed")
    items = []
    for found in objects_of(feed["items"])[:most]:
        link = resolve_link(url, text_of(found.get("url")) or text_of(found.get("external_url")))
        words = text_of(found.get("content_text")) or _plain(text_of(found.get("content_html")))
        item = Item(
            str(found.get("id") or link),
            text_of(found.get("title")),
            words or text_of(found.get("summary")),
            link or without_query(url),
            read_day(text_of(found.get("date_published")) or text_of(found.get("date_modified"))),
        )
        if item.title or item.text:
            items.append(item)
    return items


def read_day(text: str) -> float | None:
    """Read an instant as feeds write it: ISO 8601 (RFC 3339), or as in mail (RFC 5322)."""
    at = read_instant(text) if text else None
    if at is None and text:
        try:
            at = parsedate_to_datetime(text).timestamp()
        except (ValueError, OverflowError, TypeError):
            return None
    return at if at is not None and 0 < at < _LATEST else None


def resolve_link(base: str, link: str) -> str:
    """Return a link as a whole URL of http or https; "" for any other."""
    try:
        whole = urljoin(base, link.strip()) if link.strip() else ""
    except ValueError:
        return ""
    return whole[:2000] if whole.startswith(("http://", "https://")) else ""


def without_query(url: str) -> str:
    """Return a feed's URL without what follows the question mark, which may be a key."""
    return url.partition("?")[0]


def _first(found: Mapping[str, str], names: tuple[str, ...]) -> str:
    return next((found[name] for name in names if found.get(name)), "")


def _plain(text: str) -> str:
    """Return a text that may or may not be HTML (RSS 2.0 does not say) as plain text."""
    return read_html(text)[1] if looks_like_html(text) else unescape(text)


_HEAD = 2000
_ROOT = re.compile(r"<(?:\w+:)?(rss|feed|RDF)[\s>]")
_JSON = re.compile(r'\A\s*+\{.{0,2000}?"(?:version|items)"', re.DOTALL)
_NAMED = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")
_OF_XML = frozenset(("amp", "lt", "gt", "quot", "apos"))
_NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""What has no place in XML (XML 1.0, 2.2), and stands in careless feeds all the same."""
_DECLARATION = re.compile(r"\s{0,40}<\?xml[^<>]{0,400}\?>")


@dataclass(slots=True, eq=False)
class Feed:
    """The items of a feed in its order, and its problem, "" for none."""

    items: list[Item]
    problem: str = ""


def is_feed(fetched: Fetched) -> bool:
    """Return whether the contents of a response are a feed."""
    try:
        head = decode(fetched.body[: 4 * _HEAD], fetched.charset)[:_HEAD]
    except MalformedError:
        return False
    return bool(_ROOT.search(head) or (fetched.type.endswith("json") and _JSON.match(head)))


def read_feed(fetched: Fetched, most: int) -> Feed:
    """Return the items of a feed, `most` at most. Raises MalformedError for what is none."""
    text = decode(fetched.body, fetched.charset)
    if text.lstrip()[:1] == "{":
        return Feed(read_json_feed(text, fetched.url, most))
    if not _ROOT.search(text[:_HEAD]):
        raise MalformedError("it is no feed: neither RSS, Atom nor JSON Feed", reason="feed")
    return _read_xml(text, fetched.url, most)


def _read_xml(text: str, url: str, most: int) -> Feed:
    def refuse(*_: object) -> None:
        raise MalformedError("it declares entities, which a feed has no use for", reason="feed")

    def spell(found: re.Match[str]) -> str:
        name = found[1]
        return found[0] if name in _OF_XML else escape(html5.get(f"{name};", found[0]))

    # Its declaration names the encoding that it was decoded from; what HTML alone calls by name is
    # spelt out.
    text = _NAMED.sub(spell, _NO_CHARACTER.sub("", _DECLARATION.sub("", text, count=1)))
    collector = Collector(url, most)
    parser = ParserCreate("utf-8", namespace_separator=" ")
    parser.buffer_text = True
    parser.StartElementHandler = collector.start
    parser.EndElementHandler = collector.end
    parser.CharacterDataHandler = collector.take
    parser.EntityDeclHandler = refuse
    try:
        parser.Parse(text.encode(), True)
    except ExpatError as error:
        broken = f"its XML breaks off: {error}"
        if not collector.items:
            raise MalformedError(broken, reason="feed", line=error.lineno) from None
        return Feed(collector.items, f"its XML breaks off in line {error.lineno}")
    return Feed(collector.items)
