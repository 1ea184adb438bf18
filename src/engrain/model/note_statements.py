"""What the sentences of notes state, and whether two can't both hold (S2.9, S4.9).

A sentence states something of what its words name; where it leaves that out, the note's title says
it. Two are at odds where both speak of the same thing in the same place, and one type of value
differs and nothing else, or the one denies what the other says. What is asked, thought of, planned,
was so once or is told as of a date says nothing of what holds, and stands beside all else.
"""

from __future__ import annotations

import re
from math import log

from engrain.model.claim_vocabulary import vocabulary
from engrain.model.claim_words import content_of
from engrain.model.folding import fold
from engrain.model.note_sentences import SCOPES, WORD, read_sentences
from engrain.model.note_values import find_values

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from engrain.model.note_values import Value

_LOOSE = re.compile(
    r"\?\s*$|\b(?:might|maybe|perhaps|could|would|should we|whether|propos\w+|consider\w*|idea|"
    r"plan(?:s|ned|ning)?\b(?! is)|used to|previously|formerly|originally|back then|at the time|was|"
    r"were|had|did|until|e\.g\.|for example|for instance|such as|if|unless|once|yesterday|today|"
    r"last (?:week|month|year|quarter|spring|summer|autumn|winter|sprint|night)|ago|during|"
    r"temporar\w+|for now|this week|this sprint|will|going to|hope|want(?:s|ed)? to|todo|tbd|wip|"
    r"experiment\w*|tried|trial|pilot|draft|suggest\w*|discuss\w*|asked)\b",
    re.I,
)
_DENIED = re.compile(
    r"\b(?:never|not|no longer|don't|doesn't|isn't|aren't|can't|cannot|mustn't|shouldn't|won't|"
    r"without|no one|nobody|nothing|neither|nor|no)\b|n['’]t\b",
    re.I,
)
_AS_OF = re.compile(
    r"\b(?:as of|since|from|effective|starting|until|in|on|by|per)\b[^.]{0,12}$", re.I
)
_GENERIC = vocabulary(
    """service app application system tool thing way use used using run set setup setting value
    default always must need keep make take put do go get have say note rule team people everyone
    anyone please remember only just per every each all new current exact exactly"""
)


class Statement:
    """One sentence of a note: `words` that name what it is about, the `values` it gives by type,
    `denied` where it denies, `scope` which of several is meant."""

    __slots__ = ("denied", "scope", "text", "values", "words")

    def __init__(
        self,
        text: str,
        words: frozenset[str],
        values: Mapping[str, frozenset[str]],
        denied: bool,
        scope: frozenset[str],
    ) -> None:
        self.text = text
        self.words = words
        self.values = values
        self.denied = denied
        self.scope = scope
