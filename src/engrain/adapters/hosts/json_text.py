"""Change JSON text in place: additions are formatted like their neighbours, the rest stays.

Comments and trailing commas are accepted for hosts that read them (JSONC).
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Token: TypeAlias = "tuple[str, int, int]"
"""(kind, start, end)."""

_TOKEN = re.compile(
    r"(?P<space>[ \t\r\n\ufeff]++)"
    r"|(?P<comment>//[^\r\n]*+|/\*.*?\*/)"
    r'|(?P<string>"(?:[^"\\\x00-\x1f]++|\\.)*+")'
    r"|(?P<mark>[{}\[\]:,])"
    r"|(?P<word>-?[0-9][0-9.eE+-]*+|true|false|null)",
    re.DOTALL,
)
_CLOSING = {"{": "}", "[": "]"}


@dataclass(slots=True, eq=False)
class JsonItem:
    """A member of an object or an element of an array. `comma` is the end of the comma after it,
    None if there is none."""

    key: str | None
    start: int
    value: Node
    comma: int | None


@dataclass(slots=True, eq=False)
class Node:
    """A value and its span. `kind` is `{`, `[`, or empty for a plain value."""

    kind: str
    start: int
    end: int
    items: list[JsonItem]

    def find(self, key: str | None) -> JsonItem | None:
        """Return the member of this name; of several the last, as all parsers do."""
        return next((item for item in reversed(self.items) if item.key == key), None)

    def read(self, text: str) -> object:
        """Return the value."""
        if self.kind == "{":
            return {item.key: item.value.read(text) for item in self.items}
        if self.kind == "[":
            return [item.value.read(text) for item in self.items]
        value: object = json.loads(text[self.start : self.end])
        return value


def parse(text: str, *, comments: bool) -> Node:
    """Return the document's root. Raises ValueError, which names the line."""
    try:
        return _Parser(text, comments).read_document()
    except RecursionError:
        raise ValueError("nested too deep") from None


class _Parser:
    """Recursive descent over the tokens."""

    def __init__(self, text: str, comments: bool) -> None:
        self._text = text
        self._loose = comments
        self._tokens: Sequence[Token] = list(self._split())
        self._at = 0

    def read_document(self) -> Node:
        root = self._value()
        if self._tokens[self._at][0] != "end":
            raise self._error("more than one value")
        return root

    def _split(self) -> Iterator[Token]:
        at = 0
        while at < len(self._text):
            found = _TOKEN.match(self._text, at)
            kind = found.lastgroup if found else None
            if found is None or kind is None or (kind == "comment" and not self._loose):
                raise ValueError(f"{self._text[at : at + 12]!r} in line {self._line(at)}")
            if kind == "mark":
                yield found.group(), at, found.end()
            elif kind in ("string", "word"):
                try:
                    json.loads(found.group())
                except ValueError:
                    raise ValueError(f"{found.group()[:12]!r} in line {self._line(at)}") from None
                yield kind, at, found.end()
            at = found.end()
        yield "end", at, at

    def _value(self) -> Node:
        kind, start, end = self._next()
        if kind in ("string", "word"):
            return Node("", start, end, [])
        if kind not in _CLOSING:
            raise self._error("no value", start)
        items: list[JsonItem] = []
        closing = _CLOSING[kind]
        while self._tokens[self._at][0] != closing:
            if items and items[-1].comma is None:
                raise self._error("no comma")
            items.append(self._item(kind))
        if items and items[-1].comma is not None and not self._loose:
            raise self._error("a comma too many")
        return Node(kind, start, self._next()[2], items)

    def _item(self, kind: str) -> JsonItem:
        start = self._tokens[self._at][1]
        key = None
        if kind == "{":
            what, _, end = self._next()
            if what != "string" or self._next()[0] != ":":
                raise self._error("no member", start)
            key = json.loads(self._text[start:end])
        value = self._value()
        comma = None
        if self._tokens[self._at][0] == ",":
            comma = self._next()[2]
        return JsonItem(key, start, value, comma)

    def _next(self) -> Token:
        token = self._tokens[self._at]
        if token[0] == "end":
            raise self._error("it ends too early")
        self._at += 1
        return token

    def _error(self, what: str, at: int | None = None) -> ValueError:
        where = self._tokens[self._at][1] if at is None else at
        return ValueError(f"{what} in line {self._line(where)}")

    def _line(self, at: int) -> int:
        return self._text.count("\n", 0, at) + 1


_COMMENT = re.compile(r"//[^\r\n]*|/\*(?:[^*]++|\*(?!/))*+(?:\*/|\Z)")
_LINE_REST = re.compile(r"[ \t]{0,200}(?://[^\r\n]*|/\*[^\r\n]{0,2000}?\*/)")


def append(text: str, root: Node, box: Node, key: str | None, value: object) -> str:
    """Return `text` with a member, or without a key an element, added at the end of `box`."""
    style = _Style(text, root, box)
    label = "" if key is None else json.dumps(key, ensure_ascii=False) + ": "
    added = label + style.render(value)
    if not box.items:
        inner = text[box.start + 1 : box.end - 1].rstrip()
        body = inner + style.before + added + style.behind
        return text[: box.start + 1] + body + text[box.end - 1 :]
    last = box.items[-1]
    at = last.comma or last.value.end
    rest = _LINE_REST.match(text, at)
    note = rest.group() if rest else ""
    between = style.before or " "
    if note and not style.before:
        between = style.newline  # otherwise the comment would swallow the addition
    comma, trailing = ("", ",") if last.comma else (",", "")
    return text[:at] + comma + note + between + added + trailing + text[at + len(note) :]


def replace(text: str, root: Node, box: Node, item: JsonItem, value: object) -> str:
    """Return `text` with another value for an item of `box`."""
    written = _Style(text, root, box).render(value)
    return text[: item.value.start] + written + text[item.value.end :]


def remove(text: str, box: Node, item: JsonItem) -> str:
    """Return `text` without an item of `box`; comments around it stay."""
    at = box.items.index(item)
    end = item.value.end
    if at + 1 < len(box.items):
        behind = box.items[at + 1].start
        if item.comma and _COMMENT.search(text[end:behind]):
            # Only the item and its comma go: the comment is the user's.
            left = text[end : item.comma - 1] + text[item.comma :]
            return text[: item.start] + left.lstrip(" \t")
        return text[: item.start] + text[behind:]
    if not at:
        inner = text[box.start + 1 : item.start] + text[item.comma or end : box.end - 1]
        if not inner.strip():
            return text[: box.start + 1] + text[box.end - 1 :]
        return _close_up(text[: item.start], text[item.comma or end :])
    before = box.items[at - 1]
    gap = text[before.value.end : item.start]
    if not _COMMENT.search(gap):
        return text[: before.value.end] + text[end:]
    comma = (before.comma or before.value.end + 1) - before.value.end
    kept = gap if item.comma else gap[: comma - 1] + gap[comma:]
    return _close_up(text[: before.value.end] + kept, text[item.comma or end :])


def _close_up(left: str, right: str) -> str:
    """Join both without a blank line between them; the line end stays, for a comment may precede
    it."""
    if right.lstrip(" \t")[:1] in ("\r", "\n"):
        left = left.rstrip()
    return left + right


class _Style:
    """The format of the neighbours of an addition: line ends, indentation, all on one line."""

    def __init__(self, text: str, root: Node, box: Node) -> None:
        self.newline = "\r\n" if "\r\n" in text else "\n"
        self._unit = "  "
        if root.items and "\n" in text[root.start : root.items[0].start]:
            indent = _line_indent(text, root.items[0].start)
            self._unit = indent.removeprefix(_line_indent(text, root.start)) or "  "
        outer = _line_indent(text, box.start)
        if box.items:
            first = box.items[0].start
            self._indent = _line_indent(text, first)
            spread = "\n" in text[box.start : first]
        else:
            self._indent = outer + self._unit
            spread = not root.items or "\n" in text[root.start : root.end]
        self.before = self.newline + self._indent if spread else ""
        self.behind = self.newline + outer if spread else ""

    def render(self, value: object) -> str:
        if not self.before:
            return json.dumps(value, ensure_ascii=False)
        return _render(value, self._unit, self.newline + self._indent)


def _render(value: object, unit: str, line: str) -> str:
    """Return JSON with each member on its own line, but a list of plain values on one line."""
    deeper = line + unit
    if isinstance(value, dict) and value:
        members = (
            f"{json.dumps(key, ensure_ascii=False)}: {_render(item, unit, deeper)}"
            for key, item in value.items()
        )
        return "{" + deeper + f",{deeper}".join(members) + line + "}"
    if isinstance(value, list) and any(isinstance(item, (dict, list)) for item in value):
        elements = (_render(item, unit, deeper) for item in value)
        return "[" + deeper + f",{deeper}".join(elements) + line + "]"
    return json.dumps(value, ensure_ascii=False)


def _line_indent(text: str, at: int) -> str:
    start = text.rfind("\n", 0, at) + 1
    line = text[start:at]
    return line[: len(line) - len(line.lstrip(" \t"))]
