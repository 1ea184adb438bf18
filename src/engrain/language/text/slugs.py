"""File names that mean the same on Linux, macOS and Windows (S1.8, S1.10).

A slug is made from a title; a component is a name that came from elsewhere and is kept where it
can be.
"""

from __future__ import annotations

import re
import unicodedata
from hashlib import sha256

from engrain.language.text.folding import drop_invisible

SLUG_BYTES = 80  # leaves room for an id, an extension and a conflict suffix within 255
COMPONENT_BYTES = 200  # likewise, for names that are kept

_DIGEST_DIGITS = 8

# Device names of Windows, in any case and before any extension (learn.microsoft.com, "Naming
# Files, Paths, and Namespaces"); the superscripts count as digits there.
_RESERVED = re.compile(r"(?:con|prn|aux|nul|conin\$|conout\$|(?:com|lpt)[0-9\u00b9\u00b2\u00b3])")

_LONGER = 8
"""Characters that none of them has."""

_FORBIDDEN = re.compile(
    r'[<>:"/\\|?*'
    r"\x00-\x1f\x7f-\x9f"  # control characters
    r"\ud800-\udfff"  # bytes that were no UTF-8
    r"]|^\.+"
)


def slugify(title: str, fallback: str) -> str:
    """The slug of `title`: letters, digits and marks of any script, joined by single `-`.

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
    if len(slug) < _LONGER and _RESERVED.fullmatch(slug):
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
    safe = _FORBIDDEN.sub(lambda found: "-" * len(found.group()), original).rstrip(" .")
    stem, dot, rest = safe.partition(".")
    if _RESERVED.fullmatch(stem.rstrip(" ").lower()):
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
    """The longest head of `text` within `limit` bytes that leaves no base without its marks.

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
