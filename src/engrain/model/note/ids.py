"""Identifiers: time-ordered and stable for life (the layout of ULID, in lower case).

26 characters of Crockford's base 32: 48 bits of milliseconds, then 80 random bits, so ids sort
by creation and two devices never make the same one.
"""

from __future__ import annotations

from engrain.model.note.note import hash_bytes

BRANCH = "~"
"""Stands in a chain's name between the device and the mark of a branch: of records that another
installation with the same id wrote."""

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
ID_LENGTH = 26


def encode(number: int, length: int) -> str:
    """`number` in Crockford's base 32, most significant first, `length` characters."""
    digits = []
    for _ in range(length):
        number, digit = divmod(number, 32)
        digits.append(_ALPHABET[digit])
    return "".join(reversed(digits))


def make_id(at: float, entropy: bytes) -> str:
    """The id of something created at `at` (epoch seconds), from 10 random bytes."""
    milliseconds = max(0, int(at * 1000)) & ((1 << 48) - 1)
    return encode(milliseconds << 80 | int.from_bytes(entropy[:10], "big"), ID_LENGTH)


def path_id(path: str) -> str:
    """The id of a note that carries none: derived from its path, so it holds until it is moved.

    Begins with `z`, which no time-ordered id does before the year 10000.
    """
    digest = bytes.fromhex(hash_bytes(path.encode(errors="surrogatepass")))
    return "z" + encode(int.from_bytes(digest[:15], "big"), ID_LENGTH - 1)


def is_id(text: str) -> bool:
    """Whether `text` has the form of an id made here."""
    return len(text) == ID_LENGTH and not text.strip(_ALPHABET)


def is_branch(chain: str) -> bool:
    """Whether a chain left another one, because two installations wrote with one id."""
    return BRANCH in chain


def base_device(chain: str) -> str:
    """The device whose id the records of a chain bear: a branch bears that of its first chain."""
    return chain.partition(BRANCH)[0]
