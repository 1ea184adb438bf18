"""The text of an HTML page or fragment: headings, lists and paragraphs as markdown, without what
only moves about it."""

from __future__ import annotations

import re
from html.parser import HTMLParser

from engrain.model.errors import MalformedError

_HEADINGS = {f"h{level}": "#" * level for level in range(1, 7)}
_BREAKS = frozenset(
    ("address", "article", "blockquote", "body", "br", "dd", "div", "dl", "dt", "figcaption",
     "figure", "hr", "li", "main", "ol", "p", "pre", "section", "table", "tr", "ul", *_HEADINGS)
)  # fmt: skip
# Void elements never end, so that one of these could swallow what follows; none is among them.
_LEFT_OUT = frozenset(
    ("aside", "button", "canvas", "dialog", "footer", "form", "head", "iframe", "nav", "noscript",
     "object", "script", "select", "style", "svg", "template", "textarea", "video", "audio")
)  # fmt: skip
_KEPT_IN_HEAD = "title"
_DEEPEST = 10_000
_BLANKS = re.compile(r"[^\S\n]+")
_GAPS = re.compile(r"\n{3,}")


def read_html(text: str) -> tuple[str, str]:
    """The title of a page, "" for none, and its text. Raises MalformedError for what can't be
    read."""
    reader = _Reader()
    try:
        reader.feed(text)
        reader.close()
    except AssertionError:  # what the standard library has for some broken declarations
        raise MalformedError("its HTML can't be read", reason="html") from None
    whole = "".join(reader.parts)
    lines = (_BLANKS.sub(" ", line).strip() for line in whole.split("\n"))
    return " ".join("".join(reader.title).split()), _GAPS.sub("\n\n", "\n".join(lines)).strip()


def looks_like_html(text: str) -> bool:
    """Whether a text of no known type has markup in it."""
    return bool(re.search(r"</?(?:p|div|br|a|li|h[1-6]|html|body|span|em|strong)\b[^>]{0,500}>",
                          text[:20_000], re.IGNORECASE))  # fmt: skip


class _Reader(HTMLParser):
    def __init__(self) -> None:
        super().__init__(convert_charrefs=True)
        self.parts: list[str] = []
        self.title: list[str] = []
        self._left_out: list[str] = []
        self._in_title = False

    def handle_starttag(self, tag: str, _: list[tuple[str, str | None]]) -> None:
        if tag == _KEPT_IN_HEAD and not self.title:
            self._in_title = True
        elif tag in _LEFT_OUT and len(self._left_out) < _DEEPEST:
            # A page that never ends its head begins its body all the same.
            self._left_out.append(tag)
        elif tag == "body":
            self._left_out.clear()
        if self._left_out or self._in_title:
            return
        if tag in _HEADINGS:
            self.parts.append(f"\n\n{_HEADINGS[tag]} ")
        elif tag == "li":
            self.parts.append("\n- ")
        elif tag in ("td", "th"):
            self.parts.append(" ")
        elif tag in _BREAKS:
            self.parts.append("\n" if tag in ("br", "tr") else "\n\n")

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag not in _LEFT_OUT:
            self.handle_starttag(tag, attrs)

    def handle_endtag(self, tag: str) -> None:
        if tag == _KEPT_IN_HEAD:
            self._in_title = False
        elif tag in self._left_out:
            while self._left_out.pop() != tag:
                pass
        elif tag in _BREAKS and not self._left_out:
            self.parts.append("\n" if tag == "li" else "\n\n")

    def handle_data(self, data: str) -> None:
        if self._in_title:
            self.title.append(data)
        elif not self._left_out:
            # Line ends of the source are blanks here; blocks make their own.
            self.parts.append(data.replace("\n", " "))
