"""What states nothing that can be kept: questions, wishes, guesses, plans, jokes, requests, and
what others are said to have said. Precision comes before recall, so a doubt drops the clause."""

from __future__ import annotations

import re

_WHOLE = re.compile(
    r"\b(?:(?<!asked )(?<!see )(?<!as )(?<!know )if|unless|suppose|supposing"
    r"|imagine|pretend|hypothetically|what if|in theory|for example"
    r"|e\.g|let's|let us|let me know|^let\b|just kidding|jk|kidding|joking"
    r"|sarcas\w+|april fool\w*|in a dream"
    r"|in my dreams?|according to|wanna bet|,? i (?:think|guess|suppose|hope)$)\b",
    re.IGNORECASE,
)
"""Where one of these stands, no clause of the sentence is asserted."""

_CLAUSE = re.compile(
    r"\b(?:maybe|perhaps|might|may have|probably|possibly|likely|i think|i guess"
    r"|i suppose|i believe"
    r"|i bet|i feel|i'd|i'll|we'll|we'd|would|could|should|shall|will|not sure"
    r"|unsure|seems?|seemed|feels?"
    r"|felt|like i was|wish\w*|hop(?:e|es|ed|ing)|fingers crossed|gonna|gotta"
    r"|wanna|going to (?!an? |the |(?-i:[A-Z]))"
    r"|plan(?:s|ned|ning)? (?:to|on)|planning(?! (?:an?|my|our|the)\b)"
    r"|thinking (?:of|about)|considering|want(?:s|ed)? to"
    r"|want(?:s|ed)?|need(?:s|ed)? to|have to|supposed to|about to|can't wait|almost|nearly|barely"
    r"|tr(?:y|ied|ying) to|as if|as though|whether|allegedly|apparently|supposedly"
    r"|rumou?r\w*|dream(?:ed|t) (?:of|that|about)|ought|must have|no idea"
    r"|don't know|wonder\w*|figuring)\b",
    re.IGNORECASE,
)
"""Where one of these stands, the clause is not asserted."""

_REQUEST = re.compile(
    r"^(?:please|pls|can you|could you|would you|will you|kindly|try|make sure|don't forget"
    r"|fix|add|run|write|check|look|look at|see|use|update|change|remove|delete|create|implement"
    r"|refactor|explain|show|tell|give|help|do|read|open|put|move|rename|commit|push)\b"
    r"(?! (?:my|his|her|their|our) \w+ (?:is|was))",
    re.IGNORECASE,
)
_REPORTED = re.compile(
    r"\b(?:said|says|told|tells|asked|claims?|claimed|thinks?|thought|believes?|heard|reckons?)\b"
    r"(?! (?:a|the|my|his|her|their) (?:story|stories|joke))",
    re.IGNORECASE,
)
_ENTREATY = re.compile(
    r"^(?:please |also |and )*(?:remember|note|keep in mind|don't forget"
    r"|for the record|fyi|for future"
    r" reference)(?:[:,]| that\b)\s*",
    re.IGNORECASE,
)


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
