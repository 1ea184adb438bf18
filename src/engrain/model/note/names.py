"""Names that agents and snapshots go by, and the files they stand in (S2.5, S4.10)."""

from __future__ import annotations

from hashlib import sha256
from unicodedata import normalize

from engrain.language.text.folding import fold
from engrain.language.text.slugs import safe_component
from engrain.model.errors import UsageError
from engrain.model.note.tiers import Naming

_LONGEST = 200
_DIGEST_DIGITS = 8


def check_name(name: str, what: str) -> str:
    """A name in NFC, without blanks around it; `what` says whose in the error. Raises UsageError
    for none, and for what can't be one."""
    name = normalize("NFC", name).strip()
    if not name:
        raise UsageError(f"{what} has no name", remedy="give one, such as eng-001")
    if len(name) > _LONGEST or not name.isprintable():
        raise UsageError(
            f"{name[:40]!a} can't name {what}", remedy=f"give up to {_LONGEST} printable characters"
        )
    return name


def file_stem(name: str) -> str:
    """The name of a file, without its ending, that no other name gets on any file system.

    A name that every system keeps as it is stays; any other has a digest of itself, since what is
    repaired or folded might be another's name.
    """
    stem = safe_component(name)
    if stem == name == fold(name) and Naming("Memory/ledgers").admits(f"{stem}.json"):
        return stem
    digest = sha256(name.encode()).hexdigest()[:_DIGEST_DIGITS]
    return f"{safe_component(fold(stem))}--{digest}"
