"""Codes that only holders of a vault's key can make: HMAC-SHA256 over the line of a history record
(FIPS 198-1; DESIGN section 6, "Origin").

A code is the last key of its line and covers every byte before it. Since the line contains the
hashes of the record's payload and of the record before it, the code covers those too. It begins
with the mark of its key, which distinguishes a forged code from one made with another key.
"""

from __future__ import annotations

import hmac
from collections.abc import Callable
from typing import TypeAlias

Sign: TypeAlias = "Callable[[bytes], str]"
"""Returns the code of a message, "" without a key."""

KEY_BYTES = 32
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
