"""The items of an approved place (an entry of a feed, a page), and the text of HTML: headings,
lists and paragraphs as markdown.

Python's own HTML parser takes time quadratic in a page that is made for it (CVE-2025-6069), so
expressions of linear time find the marks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

from engrain.language.text.chunks import split_chunks
from engrain.language.text.fences import shorten, without_fences
from engrain.model.errors import MalformedError

_LONGEST = 400_000
_LONGEST_TITLE = 200
_MOST_PASSAGES = 200
_UNSEEN = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u180e\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff"
    "\ufff9-\ufffb\ud800-\udfff\U000e0000-\U000e007f]"
)


class Item:
    """`key` identifies it in its place, `ref` is where a person finds it; `text` is markdown or
    plain; `at` is its date in epoch seconds, None if unknown."""

    def __init__(self, key: str, title: str, text: str, ref: str, at: float | None = None) -> None:
        self.text = clean(text[:_LONGEST])
        self.title = shorten(clean(title[: 4 * _LONGEST_TITLE]), _LONGEST_TITLE)
        self.ref = " ".join(clean(ref).split())
        self.key = key or self.ref or self.title
        self.at = at


@dataclass(slots=True, eq=False)
class ItemPassage:
    """A part of an item that can be read by itself, under its headings in it."""

    item: Item
    heading: str
    text: str


def read_passages(item: Item) -> Iterator[ItemPassage]:
    """Yield the passages of an item, in order; the title of an item without text is one."""
    chunks = split_chunks(item.text)[:_MOST_PASSAGES]
    for chunk in chunks:
        yield ItemPassage(item, chunk.heading, item.text[chunk.start : chunk.end])
    if not chunks and item.title:
        yield ItemPassage(item, "", item.title)


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
    """Return the beginning of a passage as data, without its headings if it has more than these; it
    is cut at a word."""
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
    "|template|textarea|video|audio|xmp"
)
_BREAKS = frozenset(
    ("address", "article", "blockquote", "body", "dd", "div", "dl", "dt", "figcaption", "figure",
     "hr", "main", "ol", "p", "pre", "section", "table", "ul")
)  # fmt: skip
_TITLE = re.compile(r"<title\b[^<>]*>([^<]*)", re.IGNORECASE)
_BODY = re.compile(r"<body\b[^<>]*>", re.IGNORECASE)
_BLANKS = re.compile(r"[^\S\n]+")
_GAPS = re.compile(r"\n{3,}")
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


def read_html(text: str) -> tuple[str, str]:
    """Return the title of a page, "" for none, and its text."""
    title, body = _TITLE.search(text), _BODY.search(text)
    begin = body.end() if body else title.end() if title else 0
    shown = _MARK.sub(_write_mark, _without_unread(text[begin:]).replace("\n", " "))
    lines = (_BLANKS.sub(" ", line).strip() for line in unescape(shown).split("\n"))
    said = _GAPS.sub("\n\n", "\n".join(lines)).strip()
    return " ".join(unescape(title[1]).split()) if title else "", said


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
    """Return the markdown for a mark of HTML, "" for one that shows nothing."""
    tag, ends = (mark["tag"] or "").lower(), bool(mark["end"])
    if len(tag) == 2 and tag[0] == "h" and tag[1] in "123456":
        return "\n\n" if ends else f"\n\n{'#' * int(tag[1])} "
    if tag == "li":
        return "\n" if ends else "\n- "
    if tag in ("br", "tr"):
        return "\n"
    if tag in ("td", "th"):
        return " "
    return "\n\n" if tag in _BREAKS else ""
