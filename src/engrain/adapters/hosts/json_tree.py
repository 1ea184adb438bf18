"""JSON as a tree of spans in its text.

Comments and trailing commas are read where the host reads them (JSONC); strict JSON has neither.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

Token: TypeAlias = "tuple[str, int, int]"
"""(its kind, where it starts, where it ends)."""


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
class Item:
    """A member of an object or an element of an array. `comma` is the end of the comma behind it,
    None where there is none."""

    key: str | None
    start: int
    value: Node
    comma: int | None


@dataclass(slots=True, eq=False)
class Node:
    """A value and its span. `kind` is `{`, `[`, or empty for what holds nothing."""

    kind: str
    start: int
    end: int
    items: list[Item]

    def find(self, key: str | None) -> Item | None:
        """The member of this name; of several the last, as every parser has it."""
        return next((item for item in reversed(self.items) if item.key == key), None)

    def read(self, text: str) -> object:
        """The value itself."""
        if self.kind == "{":
            return {item.key: item.value.read(text) for item in self.items}
        if self.kind == "[":
            return [item.value.read(text) for item in self.items]
        value: object = json.loads(text[self.start : self.end])
        return value


def parse(text: str, *, comments: bool) -> Node:
    """The document's root. Raises ValueError, which names the line."""
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
        items: list[Item] = []
        closing = _CLOSING[kind]
        while self._tokens[self._at][0] != closing:
            if items and items[-1].comma is None:
                raise self._error("no comma")
            items.append(self._item(kind))
        if items and items[-1].comma is not None and not self._loose:
            raise self._error("a comma too many")
        return Node(kind, start, self._next()[2], items)

    def _item(self, kind: str) -> Item:
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
        return Item(key, start, value, comma)

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
