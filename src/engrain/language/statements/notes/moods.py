"""How a sentence of a note is meant: whether it states what holds, and what it denies."""

from __future__ import annotations

import re
from functools import lru_cache

from engrain.language.lexicons import read_regexes

_PATTERNS = read_regexes("notes", "moods patterns")
_LOOSE = _PATTERNS["loose"]
_CLAUSES = re.compile(r";\s+|,?\s+but\s+|,\s+(?:never|not|no longer|and not)\s[^,;]*")
_DENYING = _PATTERNS["denying"]
_FORBIDDING = re.compile(r"\b(?:forbidden|prohibited|banned|disallowed|not allowed)\b", re.I)
_TWICE = re.compile(r"\b(?:nothing|nobody|no one|no|never|not)\b([^,;]*)\bwithout\b", re.I)


@lru_cache(maxsize=256)
def read_clauses(text: str) -> tuple[str, ...]:
    """The clauses of a sentence, without what is set against what it says; none where it asks,
    plans, tells of what was, changed or held as of a date, or of a part. What is denied twice is
    said."""
    if _LOOSE.search(text):
        return ()
    return tuple(_CLAUSES.split(_TWICE.sub(r"\1 only with", text)))


def take_denials(text: str) -> tuple[int, str]:
    """How often a clause denies, and what it says without that, each word in its place."""
    denials = len(_DENYING.findall(text)) + len(_FORBIDDING.findall(text))
    return denials, _FORBIDDING.sub(_blank, _DENYING.sub(_blank, text)) if denials else text


def _blank(found: re.Match[str]) -> str:
    return " " * len(found[0])
