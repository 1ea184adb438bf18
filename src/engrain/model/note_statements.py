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
    r"plan(?:s|ned|ning)?\b(?! is)|used to|previously|formerly|originally|back then|at the time|"
    r"was|were|had|did|until|e\.g\.|for example|for instance|such as|if|unless|once|yesterday|"
    r"today|last (?:week|month|year|quarter|spring|summer|autumn|winter|sprint|night)|ago|during|"
    r"temporar\w+|for now|this week|this sprint|will|going to|hope|want(?:s|ed)? to|todo|tbd|wip|"
    r"experiment\w*|tried|trial|pilot|draft|suggest\w*|discuss\w*|asked)\b",
    re.I,
)
_DENIED = re.compile(
    r"\b(?:never|not|no longer|don't|doesn't|isn't|aren't|can't|cannot|mustn't|shouldn't|won't|"
    r"without|no one|nobody|nothing|neither|nor|no)\b|n['’]t\b",
    re.I,
)
_AS_OF = re.compile(r"\b(?:as of|since|from|effective|starting|measured|checked|seen)\s*$", re.I)
_SINCE = frozenset(("date",))
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


class Subject:
    """What a note is about, as far as its title says it: its words, and which of several."""

    __slots__ = ("scope", "words")

    def __init__(self, title: str) -> None:
        sentence = next(read_sentences(title, 1), None)
        self.words = frozenset(sentence.words if sentence else ())
        self.scope = _scope(title)


def read_statements(text: str, most: int) -> Iterator[Statement]:
    """The sentences of a note's text that state what holds, in order, `most` at most."""
    for sentence in read_sentences(text, most):
        if statement := read_statement(sentence.text):
            yield statement


def read_statement(text: str) -> Statement | None:
    """What a sentence states; None where it says nothing of what holds."""
    if _LOOSE.search(text):
        return None
    values = find_values(text)
    if len(values) > 1 and any(_dates(text, value) for value in values):
        return None
    bare = list(text)
    for value in values:
        bare[value.start : value.end] = " " * (value.end - value.start)
    rest = "".join(bare)
    words = {
        said
        for found in WORD.finditer(rest)
        if (said := content_of(fold(found[0].rstrip(".:/-'")) or "the"))
    }
    by_type: dict[str, set[str]] = {}
    for value in values:
        by_type.setdefault(value.type, set()).add(value.key)
    return Statement(
        text,
        frozenset(words - _DENYING),
        {type_: frozenset(keys) for type_, keys in by_type.items()},
        len(_DENIED.findall(text)) % 2 == 1,
        _scope(text),
    )


_DENYING = vocabulary("not never no nor neither without nobody nothing cannot longer don't")


def _dates(text: str, value: Value) -> bool:
    """Whether a value tells as of when the others hold."""
    return value.type in _SINCE and _AS_OF.search(text[: value.start]) is not None


def _scope(text: str) -> frozenset[str]:
    return frozenset(
        low for found in WORD.finditer(text) if (low := fold(found[0]).rstrip(".")) in SCOPES
    )


class Odds:
    """That two statements can't both hold: by which `type` of value, "" for a denial, and how much
    of what either says is about the same thing, 0 to 1."""

    __slots__ = ("share", "type")

    def __init__(self, type_: str, share: float) -> None:
        self.type = type_
        self.share = share


class Weights:
    """How much a word tells: the rarer the more."""

    def __init__(self, counts: Mapping[str, int], many: int) -> None:
        self._counts = counts
        self._many = max(many, 50)

    def of(self, word: str) -> float:
        if word in _GENERIC:
            return 0.2
        return log(1 + self._many / (1 + self._counts.get(word, 0)))

    def sum(self, words: frozenset[str]) -> float:
        return sum(map(self.of, words))


def compare_statements(
    one: Statement, subject: Subject, other: Statement, about: Subject, weights: Weights
) -> Odds | None:
    """Why two statements of different notes can't both hold, None where they may."""
    if (one.scope | subject.scope) ^ (other.scope | about.scope):
        return None
    types = one.values.keys() & other.values.keys()
    differing = [type_ for type_ in types if not one.values[type_] & other.values[type_]]
    if len(differing) > 1 or (differing and one.denied != other.denied):
        return None
    if not differing and one.denied == other.denied:
        return None
    if differing and any(
        one.values[type_] != other.values[type_] for type_ in types if type_ != differing[0]
    ):
        return None
    ours, theirs = weights.sum(one.words), weights.sum(other.words)
    if not ours or not theirs:
        return None
    shared = one.words & other.words
    told = weights.sum(one.words & (other.words | about.words)) / ours
    back = weights.sum(other.words & (one.words | subject.words)) / theirs
    if not shared:
        return None
    return Odds(differing[0] if differing else "", min(told, back))
