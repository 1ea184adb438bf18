"""The items of an approved place (an entry of a feed, a page, a document, a commit), and the text
of HTML: headings, lists and paragraphs as markdown.

Python's own HTML parser takes time quadratic in a page that is made for it (CVE-2025-6069), so the
marks are found here, each once.
"""

from __future__ import annotations

import codecs
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
    """`key` is what it is known by in its place, `ref` where somebody finds it again; `text` is
    markdown or plain; `at` is when it says that it was made, in epoch seconds, None for unknown."""

    def __init__(self, key: str, title: str, text: str, ref: str, at: float | None = None) -> None:
        self.text = clean(text[:_LONGEST])
        self.title = shorten(clean(title[: 4 * _LONGEST_TITLE]), _LONGEST_TITLE)
        self.ref = " ".join(clean(ref).split())
        self.key = key or self.ref or self.title
        self.at = at


@dataclass(slots=True, eq=False)
class ItemPassage:
    """A part of an item that can be read by itself, under its headings in it. Its `item` is without
    its text, so that what is kept of many is small."""

    item: Item
    heading: str
    text: str


def read_passages(item: Item) -> Iterator[ItemPassage]:
    """Yield the passages of an item, in order; of one without text its title is one."""
    bare = Item(item.key, item.title, "", item.ref, item.at)
    chunks = split_chunks(item.text)[:_MOST_PASSAGES]
    for chunk in chunks:
        yield ItemPassage(bare, chunk.heading, item.text[chunk.start : chunk.end])
    if not chunks and item.title:
        yield ItemPassage(bare, "", item.title)


def clean(text: str) -> str:
    """Return a text from outside without characters that hide or turn it around, and without what
    was recalled from a memory."""
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
_SENTENCE = re.compile(
    r"(?<=[.!?…])[\"'”’)]*\s+|(?<=[。！？])|\n\s*\n|\n(?=\s*(?:[-*+]|\d{1,3}[.)])\s)"
)
_WORD = re.compile(r"[^\W_]+")
MOST_QUOTED = 480
"""Characters of a quotation: a few sentences."""


def as_data(text: str) -> str:
    """Return a text from outside on one line, without anything that a reader of notes acts upon."""
    text = _PICTURE.sub(r"\1", _DEFINITION.sub("", text))
    text = _HEADING.sub("", _LINK.sub(r"\1", text))
    text = text.replace("[[", "[ [").replace("]]", "] ]").replace("`", "'")
    text = _FIELD.sub(":", _COMMENT.sub("", text))
    return _MARKUP.sub("&lt;", _TAG.sub("# ", " ".join(text.split())))


def split_sentences(text: str) -> list[str]:
    """Return the sentences of a passage, each as data; headings only if there is nothing else."""
    parts = [part for part in _SENTENCE.split(text) if part and part.strip()]
    parts = [part for part in parts if not _HEADING.match(part)] or parts
    return [said for part in parts if (said := as_data(part))]


def quote(text: str, telling: frozenset[str]) -> str:
    """Return the few sentences of a passage that have most of the `telling` words, in order and
    without a gap; one that is too long is cut at a word."""
    sentences = split_sentences(text)
    best, best_share = (0, 0), -1.0
    for first in range(len(sentences)):
        size, last = 0, first
        while last < len(sentences) and (
            last == first or size + len(sentences[last]) < MOST_QUOTED
        ):
            size += len(sentences[last]) + 1
            last += 1
        words = set(words_of(" ".join(sentences[first:last])))
        share = len(words & telling)
        if share > best_share:
            best, best_share = (first, last), share
        if last == len(sentences):
            break
    return shorten(" ".join(sentences[best[0] : best[1]]), MOST_QUOTED)


def words_of(text: str) -> list[str]:
    """Return the words of a text, as they are compared."""
    return _WORD.findall(text.casefold())


_MARKS = ((codecs.BOM_UTF8, "utf-8-sig"), (codecs.BOM_UTF16_LE, "utf-16"),
          (codecs.BOM_UTF16_BE, "utf-16"))  # fmt: skip
_HEAD = 1024
_DECLARED = re.compile(
    rb"""(?:<\?xml[^>]{0,200}?encoding\s*=\s*|<meta[^>]{0,200}?charset\s*=\s*)["']?([\w.:-]{2,40})""",
    re.IGNORECASE,
)
# Encodings of text; Python has others, which unpack or compute.
_KNOWN = re.compile(
    r"(?:utf-?(?:8|16)(?:-?[lb]e)?|us-ascii|ascii|latin-?1|iso-?8859-?\d{1,2}|windows-?125\d|cp125\d"
    r"|koi8-?[ru]|big5|gb(?:2312|k|18030)|shift[_-]?jis|euc-?(?:jp|kr))\Z",
    re.IGNORECASE,
)
_FALLBACK = "cp1252"
_CUT = 1 << 20
"""Bytes from which on a text may have been cut short, and end in half a character."""


def decode(raw: bytes, charset: str = "") -> str:
    """Decode a text by its mark, the `charset` that was named for it, the encoding that it declares
    itself, or as UTF-8, and what is none of these as Windows-1252. Raises MalformedError for what
    is no text."""
    for mark, encoding in _MARKS:
        if raw.startswith(mark):
            return raw.decode(encoding, "replace")
    if b"\0" in raw[:_HEAD]:
        raise MalformedError("it is no text", reason="binary")
    declared = _DECLARED.search(raw[:_HEAD])
    for named in (charset, declared[1].decode("ascii") if declared else "", "utf-8"):
        if _KNOWN.match(named):
            try:
                return codecs.getincrementaldecoder(named)().decode(raw, len(raw) < _CUT)
            except (LookupError, UnicodeError):
                continue
    return raw.decode(_FALLBACK, "replace")


_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_BREAKS = frozenset(
    ("address", "article", "blockquote", "body", "br", "dd", "div", "dl", "dt", "figcaption",
     "figure", "hr", "li", "main", "ol", "p", "pre", "section", "table", "tr", "ul", *_HEADINGS)
)  # fmt: skip
_LEFT_OUT = frozenset(
    ("aside", "button", "canvas", "dialog", "footer", "form", "head", "iframe", "nav", "noscript",
     "object", "select", "svg", "template", "video", "audio")
)  # fmt: skip
_RAW = frozenset(("script", "style", "textarea", "title", "xmp"))
"""What has text and no elements in it, up to its own end (WHATWG HTML, 13.1.2)."""
_TITLE = "title"
_DEEPEST = 10_000
_BLANKS = re.compile(r"[^\S\n]+")
_GAPS = re.compile(r"\n{3,}")
# No two of its parts begin alike, and none looks at a character again, but for a quotation that is
# not closed, of which so many are looked at.
_MARK = re.compile(
    r"""<!--.*?(?:-->|\Z)|<(?P<end>/?)(?P<tag>[A-Za-z][^\s/<>"']{0,60}+)"""
    r"""(?:[^<>"']++|"[^"]{0,500}+"|'[^']{0,500}+'|["'])*+>|<[!?/][^<>]*+>""",
    re.DOTALL,
)
_HTML = re.compile(
    r"</?(?:p|div|br|a|li|h[1-6]|html|body|span|em|strong|b|i|code|pre|ul|ol|img|table|blockquote)"
    r"\b[^>]{0,500}>",
    re.IGNORECASE,
)
_LOOKED_AT = 20_000


def read_html(text: str) -> tuple[str, str]:
    """Return the title of a page, "" for none, and its text."""
    reader = _PageReader()
    for tag, ends, said in _scan(text):
        if tag == _TITLE:
            reader.title = reader.title or said
        elif not tag:
            reader.take(said)
        elif ends:
            reader.end(tag)
        else:
            reader.start(tag)
    lines = (_BLANKS.sub(" ", line).strip() for line in "".join(reader.parts).split("\n"))
    return " ".join(reader.title.split()), _GAPS.sub("\n\n", "\n".join(lines)).strip()


def looks_like_html(text: str) -> bool:
    """Return whether a text of unknown type contains markup."""
    return bool(_HTML.search(text[:_LOOKED_AT]))


def _scan(text: str) -> Iterator[tuple[str, bool, str]]:
    """Yield the marks and texts of a page in order: the tag, "" for a text, whether it ends one,
    and the text; of raw elements only a title's."""
    last = text.rfind(">") + 1  # behind it no mark ends, and each beginning would be looked for
    at = 0
    while found := _MARK.search(text, at, last):
        if found.start() > at:
            yield "", False, unescape(text[at : found.start()])
        at = found.end()
        tag = (found["tag"] or "").lower()
        if tag in _RAW and not found["end"]:
            closing = re.compile(rf"</{tag}(?=[\s/>])", re.IGNORECASE).search(text, at)
            if tag == _TITLE:
                yield tag, False, unescape(text[at : closing.start() if closing else at])
            at = closing.start() if closing else at if tag == _TITLE else len(text)
        elif tag and tag not in _RAW:
            yield tag, bool(found["end"]), ""
    if at < len(text):
        yield "", False, unescape(text[at:])


class _PageReader:
    def __init__(self) -> None:
        self.parts: list[str] = []
        self.title = ""
        self._left_out: list[str] = []

    def start(self, tag: str) -> None:
        if tag in _LEFT_OUT:
            if len(self._left_out) < _DEEPEST:
                self._left_out.append(tag)
        elif tag == "body":
            self._left_out.clear()  # of a head that never ends
        if self._left_out:
            return
        if tag in _HEADINGS:
            self.parts.append(f"\n\n{_HEADINGS[tag]} ")
        elif tag == "li":
            self.parts.append("\n- ")
        elif tag in ("td", "th"):
            self.parts.append(" ")
        elif tag in _BREAKS:
            self.parts.append("\n" if tag in ("br", "tr") else "\n\n")

    def end(self, tag: str) -> None:
        if tag in _LEFT_OUT and tag in self._left_out:
            while self._left_out.pop() != tag:
                pass
        elif tag in _BREAKS and not self._left_out:
            self.parts.append("\n" if tag == "li" else "\n\n")

    def take(self, said: str) -> None:
        if not self._left_out:
            # Line ends of the source are blanks here; blocks make their own.
            self.parts.append(said.replace("\n", " "))
