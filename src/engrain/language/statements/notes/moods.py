"""How a sentence of a note is meant: whether it states what holds, and what it denies."""

from __future__ import annotations

import re
from functools import lru_cache

_LOOSE = re.compile(
    r"\?\s*$|^\W*(?:open|to do|todo|idea|compare|cf|see)\b|"
    r"\b(?:might|maybe|perhaps|could|would|should we|whether|propos\w+|consider\w*|plans?|planned|"
    r"planning to|used to|previously|formerly|originally|back then|at the time|was|were|had|did|"
    r"e\.g\.|the following|for example|for instance|such as|if|unless|yesterday|today|tomorrow|"
    r"ago|during|"
    r"last (?:week|month|year|quarter|spring|summer|autumn|winter|sprint|night)|while|when|for now|"
    r"temporar\w+|this (?:week|sprint|time)|will|going to|hopes?|wants? to|tbd|wip|experiment\w*|"
    r"try|tried|trial|pilot|draft|suggest\w*|discuss\w*|asks|asked|instead of|rather than|"
    r"moved from|changed|switched|migrated|went from|from .{1,30} to .{1,30} (?:in|on|since)|"
    r"as of|since|until|no longer|any ?more|not yet|almost|nearly|sometimes|mostly|often|usually|"
    r"some|part of|half of|one of|most of|other|another|also|too)\b",
    re.I,
)
_CLAUSES = re.compile(r";\s+|,?\s+but\s+|,\s+(?:never|not|no longer|and not)\s[^,;]*")
_DENYING = re.compile(
    r"\b(?:never|not|don['’]t|doesn['’]t|isn['’]t|aren['’]t|can['’]t|cannot|mustn['’]t|"
    r"shouldn['’]t|won['’]t|without|neither|nor|no)\b",
    re.I,
)
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
