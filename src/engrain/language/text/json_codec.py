"""JSON without the module `json`, which loads `re` and takes as long to load as a search.

The work is done by the same code in C, with the same results. What that refuses goes to `json`, for
the same errors.
"""

from __future__ import annotations

from _json import encode_basestring, encode_basestring_ascii, make_encoder, make_scanner

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any, NoReturn

_BLANKS = " \t\n\r"
_MARKS = b"\xef\xbb\xbf", b"\xff\xfe", b"\xfe\xff"
"""How bytes with a byte order mark begin."""
_CONSTANTS = {name: float(name) for name in ("NaN", "Infinity", "-Infinity")}


class _Settings:
    """What the scanner is made by: the arguments of `json.JSONDecoder`."""

    object_hook = object_pairs_hook = None
    parse_float, parse_int, parse_constant = float, int, _CONSTANTS.__getitem__

    def __init__(self, strict: bool) -> None:
        self.strict = strict


_SCANNERS = {
    strict: make_scanner(_Settings(strict))  # type: ignore[arg-type]  # its stub is wrong
    for strict in (True, False)
}


def loads(text: str | bytes, *, strict: bool = True) -> Any:
    """`json.loads`. Raises ValueError (`json.JSONDecodeError`), and RecursionError for a text that
    nests too deeply."""
    try:
        read = _decode(text) if isinstance(text, bytes) else text
        read = read.strip(_BLANKS)
        value, end = _SCANNERS[strict](read, 0)
        if end == len(read):
            return value
    except (StopIteration, ValueError, SystemError):
        pass  # SystemError: without `json` loaded, some versions find no class for an error
    import json

    return json.loads(text, strict=strict)


def _decode(raw: bytes) -> str:
    """Decode UTF-8. Raises ValueError for another encoding of JSON."""
    if b"\0" in raw[:4] or raw.startswith(_MARKS):
        raise ValueError
    return raw.decode("utf-8", "surrogatepass")


def dumps(
    value: object,
    *,
    ensure_ascii: bool = True,
    separators: tuple[str, str] = (", ", ": "),
    sort_keys: bool = False,
) -> str:
    """`json.dumps`. Raises TypeError for a value that JSON has no form for, and ValueError for one
    that contains itself."""
    encode = encode_basestring_ascii if ensure_ascii else encode_basestring
    comma, colon = separators
    write = make_encoder({}, _refuse, encode, None, colon, comma, sort_keys, False, True)
    return "".join(write(value, 0))


def _refuse(value: object) -> NoReturn:
    raise TypeError(f"Object of type {type(value).__name__} is not JSON serializable")
