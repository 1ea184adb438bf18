"""The bytes of a page, a feed or a file as text, by what says their encoding."""

from __future__ import annotations

import codecs
import re

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
