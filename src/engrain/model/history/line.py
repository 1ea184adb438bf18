"""The line of a record: its code, its chain, and the key that makes the code (S3.8)."""

from __future__ import annotations

import hmac
import json
from collections.abc import Callable, Mapping
from typing import Any, TypeAlias

Sign: TypeAlias = "Callable[[bytes], str]"
"""Returns the code of a message, "" without a key."""

_RECORD = b"engrain\0record\0"
"""The prefix of the message of a record's code. No text has a NUL, so that no code that was made
for some text is that of a record."""


_MARK = 8  # digits of the key's own hash


_CODE = _MARK + 64


_BEFORE, _BEHIND = b',"mac":"', b'"}'


class VaultKey:
    """A vault's key, ready for use."""

    __slots__ = ("_secret", "mark")

    def __init__(self, secret: bytes) -> None:
        self._secret = secret
        self.mark = self.hash(b"engrain key\n")[:_MARK]

    def hash(self, message: bytes) -> str:
        """Return the HMAC-SHA256 of a message, in hex."""
        return hmac.digest(self._secret, message, "sha256").hex()

    def sign(self, message: bytes) -> str:
        """Return the code of a message."""
        return self.mark + self.hash(message)

    def holds(self, message: bytes, code: str) -> bool:
        """Whether a code is that of the message under this key."""
        return code.isascii() and hmac.compare_digest(self.sign(message), code)

    def claims(self, code: str) -> bool:
        """Whether a code has the mark of this key."""
        return code.startswith(self.mark)


def seal_line(line: bytes, sign: Sign) -> bytes:
    """Return a record's line with its code as its last key; unchanged without a key."""
    code = sign(_RECORD + line)
    return line[:-1] + _BEFORE + code.encode() + _BEHIND if code else line


def open_line(line: bytes) -> tuple[bytes, str]:
    """Return the message that the code of a line covers, and the code, "" for none."""
    start = len(line) - len(_BEHIND) - _CODE
    end = start - len(_BEFORE)
    if end < 0 or line[end:start] != _BEFORE or not line.endswith(_BEHIND):
        return _RECORD + line, ""
    return _RECORD + line[:end] + b"}", line[start : -len(_BEHIND)].decode(errors="replace")


GENESIS = "0" * 64


BLANK = b"{}"
"""Replaces an erased payload, padded with blanks to its length."""


MOST_TOGETHER = 32
"""The most records that are flushed together."""


_MAX_DIGITS = 18


def split_change(change: str) -> tuple[str, int] | None:
    """Return the device and number in a change's name, None if it is no such name."""
    device, _, number = change.rpartition("-")
    counts = number.isascii() and number.isdigit() and len(number) <= _MAX_DIGITS
    return (device, int(number)) if device and counts else None


def count_together(line: bytes) -> int:
    """Return the `together` of the record in a line, 0 if it can't be read."""
    try:
        return read_together(json.loads(line))
    except (ValueError, KeyError, TypeError, AttributeError, RecursionError):
        return 0


def read_together(head: Mapping[str, Any]) -> int:
    """Return the number of records that were flushed with the one of this line before it."""
    said = head.get("together", 0)
    return said if type(said) is int and 0 <= said < min(head["n"], MOST_TOGETHER) else 0


def is_blank(payload: bytes) -> bool:
    """Whether a payload's line was erased."""
    return payload.startswith(BLANK) and payload.rstrip(b" ") == BLANK
