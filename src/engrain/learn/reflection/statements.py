"""Whether two statements say the same, or the one takes the other back.

Told from their words alone: what is done is in the words that are left when those are taken out
that only ask for it; a statement is turned around by a negation, or by choosing what the other
rejects.
"""

from __future__ import annotations

import re

from engrain.model.folding import fold

SAME = "same"
TURNED = "turned"
DOUBTFUL = "doubtful"
OTHER = ""

_ALIKE = 0.8
"""Share of their words that two have in common from which they say the same."""
_MOST_REST = 2
"""So few words a statement has beside what it chooses, for a choice against that to be its end."""
_WORD = re.compile(r"[^\W_][\w.'+#-]*")
_NEGATION = re.compile(
    r"\b(?:never|not|don't|do not|doesn't|stop|quit|avoid|no longer|no more|without|hate|dislike"
    r"|against|can't stand"
    r"|mustn't|shouldn't|skip)\b",
    re.IGNORECASE,
)
_CHOICE = re.compile(
    r"(?P<chosen>[^,;]+?),?(?: and)? (?:not|instead of|rather than|over"
    r"|never) (?P<rejected>[^,;]+)",
    re.IGNORECASE,
)
_FILLERS = frozenset(
    (
        "a", "about", "again", "against", "all", "also", "always", "am", "an", "and", "any",
        "are", "as", "at", "avoid", "be", "because", "been", "but", "by", "can", "decided",
        "dislike", "do", "don't", "each", "ever", "every", "everything", "for", "forward", "from",
        "go", "going", "hate", "have", "i", "i'd", "i'm", "i've", "if", "in", "instead", "into",
        "is", "it", "its", "just", "keep", "let's", "like", "make", "me", "more", "much", "must",
        "my", "need", "never", "next", "no", "not", "now", "of", "on", "or", "our", "over",
        "please", "prefer", "quit", "rather", "really", "remember", "should", "since", "skip",
        "so", "stick", "stop", "sure", "than", "that", "the", "them", "then", "there", "these",
        "they", "this", "those", "time", "to", "use", "using", "want", "was", "we", "we're",
        "what", "when", "whenever", "will", "with", "without", "would", "you", "you're", "your",
    )
)  # fmt: skip


class Claim:
    """What a statement says: its content `words`, whether it is `negative`, and, where it is a
    choice, what it `chosen` and what it `rejected`."""

    __slots__ = ("chosen", "negative", "rejected", "words")

    def __init__(self, text: str) -> None:
        self.words = content_words(text)
        choice = _CHOICE.search(text)
        self.chosen = content_words(choice["chosen"]) if choice else frozenset()
        self.rejected = content_words(choice["rejected"]) if choice else frozenset()
        if not self.chosen or not self.rejected:
            self.chosen = self.rejected = frozenset()
        self.negative = not self.rejected and bool(_NEGATION.search(text))


def content_words(text: str) -> frozenset[str]:
    """The words that say what a statement is about, without their plural."""
    words = (word.rstrip(".'-") for word in _WORD.findall(fold(text)))
    return frozenset(_singular(word) for word in words if len(word) > 1 and word not in _FILLERS)


def statement_key(text: str) -> str:
    """The same for statements of the same words, whatever asks for them."""
    claim = Claim(text)
    return " ".join(["not"] * claim.negative + sorted(claim.words))


def compare_claims(one: Claim, other: Claim) -> str:
    """What a new claim is to an old one: SAME, TURNED (the old one holds no longer), DOUBTFUL (it
    seems to say otherwise) or OTHER."""
    if not one.words or not other.words:
        return OTHER
    if one.rejected and other.rejected:
        if one.rejected & other.chosen and one.chosen & other.rejected:
            return TURNED
        if one.rejected == other.rejected and one.chosen == other.chosen:
            return SAME
        return TURNED if one.rejected == other.chosen else OTHER
    if one.rejected and one.rejected <= other.words and not one.chosen & other.words:
        if other.negative:
            return OTHER  # it rejects the same
        return TURNED if len(other.words - one.rejected) <= _MOST_REST else DOUBTFUL
    if other.rejected and other.chosen and one.negative and one.words <= other.chosen:
        return TURNED
    if not _alike(one.words, other.words):
        return OTHER
    return SAME if one.negative == other.negative else TURNED


def _alike(one: frozenset[str], other: frozenset[str]) -> bool:
    common = len(one & other)
    if common < _ALIKE * (len(one) + len(other) - common):
        return False
    # Another number, or another name with one, makes another statement.
    return not any(any(map(str.isdigit, word)) for word in one ^ other)


def _singular(word: str) -> str:
    return word[:-1] if len(word) > 3 and word[-1] == "s" and word[-2] not in "su'" else word
