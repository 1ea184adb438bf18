"""Whether two instructions say the same, or one takes the other back.

Only their words are compared. Words that merely ask are left out; the others say what to do. An
instruction is reversed by a negation, or by choosing what the other one rejects.
"""

from __future__ import annotations

import re

from engrain.language.lexicons import read_regexes
from engrain.language.statements.instructions.frames import Frame, is_change

SAME = "same"
TURNED = "turned"
DOUBTFUL = "doubtful"
OTHER = ""

_MOST_REST = 2
"""So few words a statement has beside what it chooses, for a choice against that to be its end."""
_PATTERNS = read_regexes("instructions", "comparing patterns")
_NEGATION = _PATTERNS["negation"]
_REJECTING = re.compile(r" (?:not|instead of|rather than|over|never) ", re.IGNORECASE)
_CHOICE = re.compile(
    rf"(?P<chosen>[^,;]+?),?(?: and)?{_REJECTING.pattern}(?P<rejected>[^,;]+)", re.IGNORECASE
)


class Claim:
    """What an instruction says: its `frame`, its content `words`, whether it is `negative`, and, if
    it is a choice, the words of what it has `chosen` and of what it has `rejected`."""

    __slots__ = ("chosen", "frame", "negative", "rejected", "words")

    def __init__(self, text: str) -> None:
        self.frame = Frame(text)
        self.words = self.frame.words - {"use"}
        choice = _CHOICE.search(text) if _REJECTING.search(text) else None
        self.chosen = content_words(choice["chosen"]) if choice else frozenset()
        self.rejected = content_words(choice["rejected"]) if choice else frozenset()
        if not self.chosen or not self.rejected:
            self.chosen = self.rejected = frozenset()
        self.negative = not self.rejected and bool(_NEGATION.search(text))

    @property
    def plain(self) -> bool:
        """Whether it asks for something, and neither forbids nor rejects anything."""
        return not self.negative and not self.rejected


def content_words(text: str) -> frozenset[str]:
    """The words that say what a statement is about, without inflection; code as it is."""
    return Frame(text).words - {"use"}


def count_words(text: str) -> int:
    """How many words of a text say what it is about; a digit by itself is none."""
    return sum(1 for word in content_words(text) if len(word) > 1 or word.isalpha())


def statement_key(text: str) -> str:
    """The same for statements that say the same, whatever asks for it."""
    claim = Claim(text)
    return "not " * claim.negative + claim.frame.key


def compare_claims(one: Claim, other: Claim) -> str:
    """What a new claim means for an old one: SAME, TURNED (the old one no longer holds), DOUBTFUL
    (they seem to differ) or OTHER."""
    if not one.words or not other.words:
        return OTHER
    if one.rejected and (told := _compare_choice(one, other)) is not None:
        return told
    if one.negative and one.words <= other.chosen:
        return TURNED
    if one.frame.key == other.frame.key:
        return SAME if one.negative == other.negative else TURNED
    return TURNED if one.plain and other.plain and is_change(one.frame, other.frame) else OTHER


def _compare_choice(one: Claim, other: Claim) -> str | None:
    """What a choice means for an old claim; None if it is no word against that."""
    if other.rejected:
        if one.rejected & other.chosen and one.chosen & other.rejected:
            return TURNED
        if one.rejected == other.rejected and one.chosen == other.chosen:
            return SAME
        return TURNED if one.rejected == other.chosen else OTHER
    if not one.rejected <= other.words or one.chosen & other.words:
        return None
    if other.negative:
        return OTHER  # it rejects the same
    return TURNED if len(other.words - one.rejected) <= _MOST_REST else DOUBTFUL
