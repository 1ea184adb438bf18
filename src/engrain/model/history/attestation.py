"""Codes that only holders of a vault's key can make: HMAC-SHA256 over the line of a history record
(FIPS 198-1; DESIGN section 6, "Origin").

A code stands at the end of the line, as its last key, and is over every byte before it; the line
binds the record's payload and the record before it by hash, so the code vouches for those too. It
begins with the mark of its key, which distinguishes a forged code from one made with another key.
"""

from __future__ import annotations

from _operator import _compare_digest  # hmac's own, without what hmac imports

from engrain.model.note.note import _sha256

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import TypeAlias

Sign: TypeAlias = "Callable[[bytes], str]"
"""Makes the code of a message, "" where there is no key."""

KEY_BYTES = 32
_BLOCK = 64
_OUTER = bytes(byte ^ 0x5C for byte in range(256))
_INNER = bytes(byte ^ 0x36 for byte in range(256))
_RECORD = b"engrain\0record\0"
"""Before what a record's code is over. No text has a NUL, so that no code which is made for
anything with a text in it is that of a record."""
_MARK = 8  # digits of the key's own hash
_CODE = _MARK + 64
_BEFORE, _BEHIND = b',"mac":"', b'"}'


class Key:
    """A vault's key, ready for use."""

    __slots__ = ("_inner", "_outer", "mark")

    def __init__(self, secret: bytes) -> None:
        block = (_sha256(secret).digest() if len(secret) > _BLOCK else secret).ljust(_BLOCK, b"\0")
        self._inner = _sha256(block.translate(_INNER))
        self._outer = _sha256(block.translate(_OUTER))
        self.mark = self.hash(b"engrain key\n")[:_MARK]

    def hash(self, message: bytes) -> str:
        """The HMAC-SHA256 of a message, in hex."""
        inner, outer = self._inner.copy(), self._outer.copy()
        inner.update(message)
        outer.update(inner.digest())
        return outer.hexdigest()

    def sign(self, message: bytes) -> str:
        """The code of a message."""
        return self.mark + self.hash(message)

    def holds(self, message: bytes, code: str) -> bool:
        """Whether a code is that of the message, under this key."""
        return code.isascii() and _compare_digest(self.sign(message), code)

    def claims(self, code: str) -> bool:
        """Whether a code says that it was made with this key."""
        return code.startswith(self.mark)


def seal_line(line: bytes, sign: Sign) -> bytes:
    """A record's line with its code as its last key; as it is where there is no key."""
    code = sign(_RECORD + line)
    return line[:-1] + _BEFORE + code.encode() + _BEHIND if code else line


def open_line(line: bytes) -> tuple[bytes, str]:
    """The message that the code of a sealed line is of, and the code; "" where it bears none."""
    start = len(line) - len(_BEHIND) - _CODE
    end = start - len(_BEFORE)
    if end < 0 or line[end:start] != _BEFORE or not line.endswith(_BEHIND):
        return _RECORD + line, ""
    return _RECORD + line[:end] + b"}", line[start : -len(_BEHIND)].decode(errors="replace")
