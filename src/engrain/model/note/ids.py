"""Identifiers: time-ordered and stable for life (the layout of ULID, in lower case).

They are 26 characters of Crockford's base 32: 48 bits of milliseconds, then 80 random bits, so that
ids sort by creation and two devices never make the same one.
"""

from __future__ import annotations

from engrain.model.note.note import hash_bytes

BRANCH = "~"
"""Separates, in a chain's name, the device from the mark of a branch: the records of another
installation with the same id."""

_ALPHABET = "0123456789abcdefghjkmnpqrstvwxyz"
ID_LENGTH = 26


def encode(number: int, length: int) -> str:
    """Return `number` in Crockford's base 32, most significant first, in `length` characters."""
    return "".join(_ALPHABET[number >> 5 * at & 31] for at in reversed(range(length)))


def make_id(at: float, entropy: bytes) -> str:
    """Return the id of something created at `at` (epoch seconds), from 10 random bytes."""
    milliseconds = max(0, int(at * 1000)) & ((1 << 48) - 1)
    return encode(milliseconds << 80 | int.from_bytes(entropy[:10], "big"), ID_LENGTH)


def path_id(path: str) -> str:
    """Return the id of a note without one, derived from its path, so that it changes with a move.
    It begins with `z`, as no time-ordered id does before the year 10000."""
    digest = bytes.fromhex(hash_bytes(path.encode(errors="surrogatepass")))
    return "z" + encode(int.from_bytes(digest[:15], "big"), ID_LENGTH - 1)


def is_id(text: str) -> bool:
    """Whether `text` has the form of an id made here."""
    return len(text) == ID_LENGTH and not text.strip(_ALPHABET)


def is_branch(chain: str) -> bool:
    """Whether a chain branches off another one, because two installations wrote with one id."""
    return BRANCH in chain


def base_device(chain: str) -> str:
    """Return the device whose id is in the records of a chain: a branch has that of its chain."""
    return chain.partition(BRANCH)[0]
