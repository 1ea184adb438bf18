"""The keys by which names and texts are compared: names of files on any file system and of notes
that links mean (S1.8, S1.11), the words of texts that may be near copies,
and file names that mean the same on every system (S1.10).

A slug is made from a title; a component is a name that came from elsewhere and is kept where it
can be.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256
from unicodedata import normalize

# Default_Ignorable_Code_Point of Unicode: without a shape of their own, and left out of the
# comparison of names by some file systems (ext4 with casefold, HFS+).
_INVISIBLE = (
    "[\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e"
    "\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)


def fold(name: str) -> str:
    """Return the key of `name`: two names with one key may be one file on some file system.

    Unicode's canonical caseless matching (definition D145) without invisible characters, in NFC.
    A fold is its own fold.
    """
    if name.isascii():
        return name.lower()
    while True:
        folded = normalize("NFC", drop_invisible(normalize("NFD", name)).casefold())
        if folded == name:
            return folded
        name = folded


def drop_invisible(text: str) -> str:
    """`text` without characters that have no shape of their own."""
    if text.isascii():
        return text
    return re.sub(_INVISIBLE, "", text)


def name_key(name: str) -> str:
    """Return the key of a name that is no path, such as an alias: a `/` in it is a letter like
    others."""
    return fold(name.strip().rstrip("/")).removesuffix(".md")


def tag_key(tag: str) -> str:
    """Return the key of a tag: case is no difference between two, as in Obsidian, nor is a `#`."""
    return fold(tag.strip().lstrip("#").strip("/ "))


def distinguishes(word: str) -> bool:
    """Whether a folded word is a number, an option of a command or a letter that names one of
    several: with another in its place a text says something else, however alike the rest is."""
    if word[0] == "-" or any(map(str.isdigit, word)):
        return True
    return len(word) == 1 and word.isascii() and word.isalpha() and word not in "ai"


NEAR_COPY = 0.9
"""Share of their words that two texts have in common from which one is a copy of the other, if
the numbers, options and letters are the same too: another port or date makes another memory."""
_COMPARED = 2000  # characters of a text
_WORD = re.compile(r"\w+|(?<![\w-])--?(?=[a-z])\w+")
_BLANKS = dict.fromkeys((n for n in range(128) if not (chr(n).isalnum() or chr(n) in "_-")), " ")
"""Turns the ASCII characters that end a word, except hyphens, into blanks."""


def words_of(text: str) -> frozenset[str]:
    """Return the words by which near copies are recognised."""
    head = text[:_COMPARED].casefold()
    if head.isascii():
        spaced = f" {head.translate(_BLANKS)}".replace("- ", " ")
        if " -" not in spaced:  # without options, splitting takes half the time of `_WORD`
            return frozenset(spaced.replace("-", " ").split())
    return frozenset(_WORD.findall(head))


def is_near_copy(one: frozenset[str], other: frozenset[str]) -> bool:
    """Whether two texts have nearly all of their words in common (Jaccard similarity)."""
    smaller, larger = sorted((len(one), len(other)))
    if not smaller or smaller < NEAR_COPY * larger:
        return False
    common = len(one & other)
    if common < NEAR_COPY * (len(one) + len(other) - common):
        return False
    return not any(map(distinguishes, one ^ other))


SLUG_BYTES = 80  # leaves room for an id, an extension and a conflict suffix within 255
COMPONENT_BYTES = 200  # likewise, for names that are kept

_DIGEST_DIGITS = 8

# Device names of Windows, in any case and before any extension (learn.microsoft.com, "Naming
# Files, Paths, and Namespaces"); the superscripts count as digits there.
_RESERVED = r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])"

_LONGER = 8
"""Characters that none of them has."""

_FORBIDDEN = (
    r'[<>:"/\\|?*'
    r"\x00-\x1f\x7f-\x9f"  # control characters
    r"\ud800-\udfff"  # bytes that were no UTF-8
    r"]|^\.+"
)


def slugify(title: str, fallback: str) -> str:
    """Return the slug of `title`: letters, digits and marks of any script, joined by single `-`.

    Lower case by Unicode's case folding, NFKC, at most `SLUG_BYTES` bytes of UTF-8, never a
    reserved device name, never beginning with `_` or `.`. Invisible characters (soft hyphen,
    zero-width joiner) are dropped without parting the word. A slug is its own slug. Where nothing
    is left the answer is `fallback` as it stands, so that has to be a slug already.
    """
    kept: list[str] = []
    for char in _compatible(title):
        category = unicodedata.category(char)[0]
        if category in "LN" or (category == "M" and kept and kept[-1] != "-"):
            kept.append(char)
        elif kept and kept[-1] != "-":
            kept.append("-")
    slug = _cut("".join(kept).strip("-"), SLUG_BYTES).rstrip("-")
    if len(slug) < _LONGER and re.fullmatch(_RESERVED, slug):
        slug += "-note"
    return slug or fallback


def safe_component(name: str) -> str:
    """`name` in NFC if every file system takes it, else its smallest repair.

    Repairs: `-` for a forbidden, control or leading `.` character; `-note` after a reserved device
    name; trailing dots and spaces dropped; a name over `COMPONENT_BYTES` cut, with a digest of the
    original, so that two long names stay apart. Names that only differ in what is repaired may
    meet: compare by `fold`. A safe component is its own safe component.
    """
    original = unicodedata.normalize("NFC", name)
    safe = re.sub(_FORBIDDEN, lambda found: "-" * len(found.group()), original).rstrip(" .")
    stem, dot, rest = safe.partition(".")
    if re.fullmatch(_RESERVED, stem.rstrip(" ").lower()):
        safe = f"{stem}-note{dot}{rest}"
    if not safe:
        return f"note-{_digest(original)}"
    if len(safe.encode()) <= COMPONENT_BYTES:
        return safe
    head = _cut(safe, COMPONENT_BYTES - _DIGEST_DIGITS - 1)
    return f"{head}-{_digest(original)}"


def _compatible(text: str) -> str:
    """`text` without case, compatibility variants and invisible characters, in NFKC."""
    while True:
        visible = drop_invisible(unicodedata.normalize("NFKC", text))
        folded = unicodedata.normalize("NFKC", visible.casefold())
        if folded == text:
            return folded
        text = folded


def _cut(text: str, limit: int) -> str:
    """Return the longest head of `text` within `limit` bytes that leaves no base without its marks.

    A single base with more marks than that is cut among them.
    """
    encoded = text.encode()
    if len(encoded) <= limit:
        return text
    end = whole = len(encoded[:limit].decode(errors="ignore"))
    while end and unicodedata.category(text[end])[0] == "M":
        end -= 1
    return text[: end or whole]


def _digest(name: str) -> str:
    return sha256(name.encode(errors="surrogatepass")).hexdigest()[:_DIGEST_DIGITS]
