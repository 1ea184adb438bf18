"""What states nothing that can be kept: questions, wishes, guesses, plans, jokes, requests, and
what others are said to have said. Precision comes before recall, so a doubt drops the clause."""

from __future__ import annotations

from engrain.language.lexicons import read_regexes

_PATTERNS = read_regexes("extraction", "screening")
_WHOLE = _PATTERNS["whole"]

_CLAUSE = _PATTERNS["clause"]

_REQUEST = _PATTERNS["request"]
_REPORTED = _PATTERNS["reported"]
_ENTREATY = _PATTERNS["entreaty"]


def asserts(sentence: str, mark: str) -> bool:
    """Whether a sentence states something as so."""
    return "?" not in mark and not _WHOLE.search(sentence) and not _REQUEST.match(sentence)


def asserts_clause(clause: str) -> bool:
    """Whether a clause does, of a sentence that may."""
    return not _CLAUSE.search(clause) and not _REPORTED.search(clause)


def told_to_remember(sentence: str) -> str | None:
    """What a sentence asks to be remembered, which is a statement; None where it asks nothing."""
    found = _ENTREATY.match(sentence)
    return sentence[found.end() :] if found else None
