"""The items of a large JSON file, one after the other: never more than one of them in memory.

An item is parsed by the standard library's scanner, which is compiled; a parser of events (`ijson`)
would cost a dependency, and without its compiled part is too slow for files of this size.
"""

from __future__ import annotations

import codecs
import json
from collections.abc import Iterable, Iterator
from typing import Any, NoReturn

from engrain.model.errors import MalformedError

_LARGEST = 64 << 20
"""Characters of one item."""
_PIECE = 1 << 20
_NEAR_END = 16
"""What is cut within an escape or a number is wrong so many characters before its end at most."""
_BLANK = " \t\n\r"


def read_items(chunks: Iterable[bytes]) -> Iterator[tuple[str, Any]]:
    """The values in a file of JSON: of a list each under "", of an object each under its key, and
    of a list that stands in that each under the key of the list. Raises MalformedError where it
    ends before its end, or is no JSON; what stands before that came by then."""
    buffer = _Buffer(chunks)
    opening = buffer.peek()
    if opening == "[":
        for item in _list(buffer):
            yield "", item
    elif opening == "{":
        yield from _object(buffer)
    else:
        buffer.fail("neither a list nor an object")
    if buffer.peek():
        buffer.fail("something stands behind its end")


def _list(buffer: _Buffer) -> Iterator[Any]:
    buffer.take("[")
    while buffer.peek() != "]":
        yield buffer.value()
        if buffer.peek() != "]":
            buffer.take(",")
    buffer.take("]")


def _object(buffer: _Buffer) -> Iterator[tuple[str, Any]]:
    buffer.take("{")
    while buffer.peek() != "}":
        key = buffer.value()
        if not isinstance(key, str):
            buffer.fail("a key is no text")
        buffer.take(":")
        if buffer.peek() == "[":
            for item in _list(buffer):
                yield key, item
        else:
            yield key, buffer.value()
        if buffer.peek() != "}":
            buffer.take(",")
    buffer.take("}")


class _Buffer:
    """What was read of a file and not yet taken."""

    def __init__(self, chunks: Iterable[bytes]) -> None:
        self._chunks = iter(chunks)
        self._decoder = codecs.getincrementaldecoder("utf-8")("replace")
        self._scan = json.JSONDecoder().raw_decode
        self._text = ""
        self._at = 0
        self._ended = False
        self._taken = 0

    def peek(self) -> str:
        """The next character that is no blank, "" at the end."""
        while True:
            text, at = self._text, self._at
            while at < len(text) and text[at] in _BLANK:
                at += 1
            self._at = at
            if at < len(text):
                return text[at]
            if not self._fill():
                return ""

    def take(self, wanted: str) -> None:
        """Pass over a sign that has to come."""
        if self.peek() != wanted:
            self.fail(f"{wanted} is missing")
        self._at += 1

    def value(self) -> Any:
        """The next value."""
        if not self.peek():
            self.fail("it ends before its end")
        while True:
            try:
                value, end = self._scan(self._text, self._at)
            except json.JSONDecodeError as error:
                cut = error.msg.startswith("Unterminated") or (
                    error.pos >= len(self._text) - _NEAR_END
                )
                if not (cut and self._fill()):
                    self.fail("it ends before its end" if cut else error.msg)
            except (ValueError, RecursionError):
                self.fail("a value that can't be kept")
            else:
                # A number may go on in what was not read yet.
                if end < len(self._text) or not self._fill():
                    self._at = end
                    return value

    def fail(self, why: str) -> NoReturn:
        place = self._taken + self._at
        raise MalformedError(f"not JSON at character {place}: {why}", reason="json")

    def _fill(self) -> bool:
        """Read as much again as there is, so that a long value is not scanned often."""
        if self._ended:
            return False
        rest = self._text[self._at :]
        if len(rest) > _LARGEST:
            self.fail("an item that is too large")
        parts, size = [rest], 0
        while size < max(_PIECE, len(rest)):
            chunk = next(self._chunks, None)
            if chunk is None:
                self._ended = True
                break
            parts.append(self._decoder.decode(chunk))
            size += len(parts[-1])
        self._taken += self._at
        self._text, self._at = "".join(parts), 0
        return size > 0
