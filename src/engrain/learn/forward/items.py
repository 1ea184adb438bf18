"""The items of a feed, and the text of HTML, a line for each block.

Python's own HTML parser takes time quadratic in a page that is made for it (CVE-2025-6069), so
expressions of linear time find the marks.
"""

from __future__ import annotations

import re
from email.utils import parsedate_to_datetime
from html import escape, unescape
from html.entities import html5
from urllib.parse import urljoin
from xml.etree.ElementTree import Element, ParseError, fromstring

from engrain.language.lexicons import vocabulary
from engrain.language.text.fences import shorten, without_fences
from engrain.language.text.instants import read_instant
from engrain.model.errors import MalformedError
from engrain.seam.sources import Fetched

_ITEMS = ("item", "entry")
# The elements of an item that are read, by name without namespace; the first that has text counts.
_FEED_TITLE, _WORDS = ("title",), ("encoded", "content", "description", "summary")
_ID, _AT = ("guid", "id"), ("published", "pubDate", "updated", "date", "issued", "modified")
_LATEST = 32_503_680_000.0  # the year 3000
_MEDIA = "{http://search.yahoo.com/mrss/}"
_FEED_HEAD = 2000
_ROOT = re.compile(r"<(?:\w+:)?(?:rss|feed|RDF)[\s>]")
_ENTITY = re.compile(r"<!ENTITY")
_NAMED = re.compile(r"&([A-Za-z][A-Za-z0-9]{1,31});")
_OF_XML = frozenset(("amp", "lt", "gt", "quot", "apos"))
_NO_CHARACTER = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ud800-\udfff\ufffe\uffff]")
"""Characters that XML does not allow (XML 1.0, 2.2) and careless feeds contain."""
_DECLARATION = re.compile(r"\s{0,40}<\?xml[^<>]{0,400}\?>")


def read_feed(fetched: Fetched, most: int) -> list[Item]:
    """Return the items of a feed, at most `most`. Raises MalformedError for anything else."""
    text = decode(fetched.body, fetched.charset)
    if not _ROOT.search(text[:_FEED_HEAD]):
        raise MalformedError("it is no feed: neither RSS nor Atom", reason="feed")
    if _ENTITY.search(text):
        raise MalformedError(
            "the feed declares XML entities, which Engrain does not read", reason="feed"
        )
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
        _plain(_first(found, _FEED_TITLE)).replace("\n", " "),
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
    return read_html(text) if looks_like_html(text) else unescape(text)


_LONGEST = 400_000
_LONGEST_TITLE = 200
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


class Item:
    """An entry of a feed. `key` identifies it in its feed, `ref` is where a person finds it; `text`
    is markdown or plain; `at` is its date in epoch seconds, None if unknown."""

    def __init__(self, key: str, title: str, text: str, ref: str, at: float | None = None) -> None:
        self.text = clean(text[:_LONGEST])
        self.title = shorten(clean(title[: 4 * _LONGEST_TITLE]), _LONGEST_TITLE)
        self.ref = " ".join(clean(ref).split())
        self.key = key or f"{self.title}\n{self.text}"
        self.at = at


def clean(text: str) -> str:
    """Return a text from outside without characters that hide or reverse it, and without recalled
    memory."""
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return without_fences(_UNSEEN.sub("", text))


_PICTURE = re.compile(r"!\[([^\]\n]{0,300})\](?:\([^()\n]{0,2000}\)|\[[^\]\n]{0,300}\])")
_LINK = re.compile(r"\[([^\]\[\n]{1,300})\]\([^()\n]{0,2000}\)")
_DEFINITION = re.compile(r"^\s{0,3}\[[^\]\n]{1,300}\]:\s.*$", re.MULTILINE)
_TAG = re.compile(r"(?<!\S)#(?=[^\W\d_])")
_MARKUP = re.compile(r"<(?=[^\s<])")
_FIELD = re.compile(r"::+")
_COMMENT = re.compile(r"%%+|\$\$+")
_HEADING = re.compile(r"^\s{0,3}#{1,6}\s+", re.MULTILINE)
_HEADING_LINE = re.compile(r"^\s{0,3}#{1,6}\s.*\n", re.MULTILINE)
MOST_QUOTED = 480
"""Characters of a quotation: a few sentences."""


def as_data(text: str) -> str:
    """Return a text from outside on one line, without anything that a reader of notes acts upon."""
    text = _PICTURE.sub(r"\1", _DEFINITION.sub("", text))
    text = _HEADING.sub("", _LINK.sub(r"\1", text))
    text = text.replace("[[", "[ [").replace("]]", "] ]").replace("`", "'")
    text = _FIELD.sub(":", _COMMENT.sub("", text))
    return _MARKUP.sub("&lt;", _TAG.sub("# ", " ".join(text.split())))


def quote(text: str) -> str:
    """Return the beginning of a text as data, without its headings if it has more than these; it is
    cut at a word."""
    return shorten(as_data(_HEADING_LINE.sub("", text)) or as_data(text), MOST_QUOTED)


_HEAD = 1024
_DECLARED = re.compile(
    rb"""(?:<\?xml[^>]{0,200}?encoding\s*=\s*|<meta[^>]{0,200}?charset\s*=\s*)["']?([\w.:-]{2,40})""",
    re.IGNORECASE,
)
# Encodings of text; Python has others, which unpack or compute.
_KNOWN = re.compile(
    r"(?:utf-?8|us-ascii|ascii|latin-?1|iso-?8859-?\d{1,2}|windows-?125\d|cp125\d)\Z", re.IGNORECASE
)


def decode(raw: bytes, charset: str = "") -> str:
    """Decode a text by the `charset` of its response, the encoding that it declares itself, or as
    UTF-8, with a sign for each invalid byte. Raises MalformedError for anything but text."""
    if b"\0" in raw[:_HEAD]:
        raise MalformedError("it is no text", reason="binary")
    declared = _DECLARED.search(raw[:_HEAD])
    for named in (charset, declared[1].decode("ascii", "replace") if declared else ""):
        if _KNOWN.match(named):
            try:
                return raw.decode(named)
            except (LookupError, UnicodeError):
                continue
    return raw.decode("utf-8-sig", "replace")


_LEFT_OUT = (
    "aside|button|canvas|dialog|footer|form|iframe|nav|noscript|object|script|select|style|svg"
    "|template|textarea|title|video|audio|xmp"
)
_INLINE = vocabulary("a abbr b cite code del em i img ins kbd mark q s small span strong sub sup u")
"""Elements within a line; every other begins a new one."""
_OPENING = re.compile(rf"<!--|<({_LEFT_OUT})(?=[\s/>])", re.IGNORECASE)
_CLOSING = {
    name: re.compile(rf"</{name}(?=[\s/>])[^<>]*>", re.IGNORECASE) for name in _LEFT_OUT.split("|")
}
_MARK = re.compile(r"<(?P<end>/?)(?P<tag>[A-Za-z][^\s/<>]{0,60}+)[^<>]*+>|<[!?/][^<>]*+>")
_HTML = re.compile(
    r"</?(?:p|div|br|a|li|h[1-6]|html|body|span|em|strong|b|i|code|pre|ul|ol|img|table|blockquote)"
    r"\b[^>]{0,500}>",
    re.IGNORECASE,
)
_LOOKED_AT = 20_000


def read_html(text: str) -> str:
    """Return the text of HTML, a line for each block; a heading has its mark."""
    shown = unescape(_MARK.sub(_write_mark, _without_unread(text).replace("\n", " ")))
    lines = (" ".join(line.split()) for line in shown.split("\n"))
    return "\n".join(filter(None, lines))


def looks_like_html(text: str) -> bool:
    """Return whether a text of unknown type contains markup."""
    return bool(_HTML.search(text[:_LOOKED_AT]))


def _without_unread(page: str) -> str:
    """Return a page without comments and the elements that have no text of their own; without its
    end, an element hides the rest of the page."""
    parts: list[str] = []
    at = 0
    while opening := _OPENING.search(page, at):
        parts.append(page[at : opening.start()])
        if opening[1]:
            closing = _CLOSING[opening[1].lower()].search(page, opening.end())
            at = closing.end() if closing else len(page)
        else:
            found = page.find("-->", opening.end())
            at = len(page) if found < 0 else found + 3
    return "".join([*parts, page[at:]])


def _write_mark(mark: re.Match[str]) -> str:
    """Return what stands for a mark of HTML in the text."""
    tag = (mark["tag"] or "i").lower()
    if re.fullmatch(r"h[1-6]", tag) and not mark["end"]:
        return "\n# "
    return "" if tag in _INLINE else "\n"
