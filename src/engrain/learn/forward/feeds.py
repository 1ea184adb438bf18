"""Reads the items of feeds: RSS 2.0 and 1.0, and Atom (RFC 4287).

A document that declares entities is refused before it is parsed, and nothing is ever loaded that it
points to.
"""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from html import escape, unescape
from html.entities import html5
from urllib.parse import urljoin
from xml.etree.ElementTree import Element, ParseError, fromstring

from engrain.language.text.instants import read_instant
from engrain.learn.forward.items import Item, decode, looks_like_html, read_html
from engrain.model.errors import MalformedError
from engrain.seam.sources import Fetched

_ITEMS = ("item", "entry")
# The elements of an item that are read, by name without namespace; the first that has text counts.
_TITLE, _WORDS = ("title",), ("encoded", "content", "description", "summary")
_ID, _AT = ("guid", "id"), ("published", "pubDate", "updated", "date", "issued", "modified")
_LATEST = 32_503_680_000.0  # the year 3000
_MEDIA = "{http://search.yahoo.com/mrss/}"
_HEAD = 2000
_ROOT = re.compile(r"<(?:\w+:)?(?:rss|feed|RDF)[\s>]")
_ENTITY = re.compile(r"<!ENTITY")
_NAMED = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")
_OF_XML = frozenset(("amp", "lt", "gt", "quot", "apos"))
_NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML does not allow (XML 1.0, 2.2) and careless feeds contain."""
_DECLARATION = re.compile(r"\s{0,40}<\?xml[^<>]{0,400}\?>")


def is_feed(fetched: Fetched) -> bool:
    """Return whether the content of a response is a feed."""
    try:
        return bool(_ROOT.search(decode(fetched.body[: 4 * _HEAD], fetched.charset)[:_HEAD]))
    except MalformedError:
        return False


def read_feed(fetched: Fetched, most: int) -> list[Item]:
    """Return the items of a feed, at most `most`. Raises MalformedError for anything else."""
    text = decode(fetched.body, fetched.charset)
    if not _ROOT.search(text[:_HEAD]):
        raise MalformedError("it is no feed: neither RSS nor Atom", reason="feed")
    if _ENTITY.search(text):
        raise MalformedError("it declares entities, which a feed has no use for", reason="feed")
    # The declaration names the encoding from which the text was decoded; XML does not know the
    # names of HTML's characters.
    text = _NAMED.sub(_spell, _NO_CHARACTER.sub("", _DECLARATION.sub("", text, count=1)))
    try:
        root = fromstring(text.encode())
    except ParseError as error:
        raise MalformedError(f"its XML breaks off: {error}", reason="feed") from None
    found = (_read_element(each, fetched.url) for each in root.iter() if _name_of(each) in _ITEMS)
    return [item for item in found if item.title or item.text][:most]


def _spell(found: re.Match[str]) -> str:
    """Replace a character's name in HTML by the character."""
    name = found[1]
    return found[0] if name in _OF_XML else escape(html5.get(f"{name};", found[0]))


def _read_element(element: Element, url: str) -> Item:
    found: dict[str, str] = {}
    for each in element:
        text = "\n".join(part for part in map(str.strip, each.itertext()) if part)
        name = _name_of(each)
        if name == "link" and each.get("rel", "alternate") == "alternate":
            text = each.get("href") or text
        if text and not str(each.tag).startswith(_MEDIA):
            found.setdefault(name, text)
    guid = found.get("guid", "")
    guid = guid if guid.startswith(("http://", "https://")) else ""
    link = resolve_link(url, found.get("link", "") or guid)
    return Item(
        _first(found, _ID) or link,
        _plain(_first(found, _TITLE)).replace("\n", " "),
        _plain(_first(found, _WORDS)),
        link or without_query(url),
        read_day(_first(found, _AT)),
    )


def _name_of(element: Element) -> str:
    """Return an element's name without its namespace."""
    return str(element.tag).rpartition("}")[2]


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
    """Return a feed's URL without the part from the question mark on, which may be a key."""
    return url.partition("?")[0]


def _first(found: dict[str, str], names: tuple[str, ...]) -> str:
    return next((found[name] for name in names if found.get(name)), "")


def _plain(text: str) -> str:
    """Return a text that may or may not be HTML (RSS 2.0 does not say) as plain text."""
    return read_html(text)[1] if looks_like_html(text) else unescape(text)
