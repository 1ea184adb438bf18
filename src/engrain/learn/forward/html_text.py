"""The text of an HTML page or fragment: headings, lists and paragraphs as markdown, without what
only moves about it.

Python's own parser takes time quadratic in a page that is made for it (CVE-2025-6069), so that the
marks are distinguished here, each once.
"""

from __future__ import annotations

import codecs
import re
from collections.abc import Iterator
from html import unescape

from engrain.model.errors import MalformedError

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
    """A text by its mark, the `charset` that was named for it, the encoding that it declares
    itself, or else as UTF-8, and what is none of these as Windows-1252. Raises MalformedError for
    what is no text."""
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
    r"""<!--.*?(?:-->|\Z)|<(?P<end>/?)(?P<tag>[A-Za-z][^\s/>]{0,60})"""
    r"""(?:[^>"']++|"[^"]{0,500}+"|'[^']{0,500}+'|["'])*+>|<[!?/][^>]*+>""",
    re.DOTALL,
)
_MARKUP = re.compile(
    r"</?(?:p|div|br|a|li|h[1-6]|html|body|span|em|strong|b|i|code|pre|ul|ol|img|table|blockquote)"
    r"\b[^>]{0,500}>",
    re.IGNORECASE,
)
_LOOKED_AT = 20_000


def read_html(text: str) -> tuple[str, str]:
    """The title of a page, "" for none, and its text."""
    reader = _Reader()
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
    """Whether a text of unknown type contains markup."""
    return bool(_MARKUP.search(text[:_LOOKED_AT]))


def _scan(text: str) -> Iterator[tuple[str, bool, str]]:
    """The marks and texts of a page in order: the tag, "" for a text, whether it ends one, and what
    is said; of what is raw a title alone."""
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


class _Reader:
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
