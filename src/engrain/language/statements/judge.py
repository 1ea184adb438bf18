"""Statements and their claims, and the judge: whether a later statement repeats an earlier one,
contradicts it, or agrees with it.

Three readers make statements: `reading` of facts about a subject, `note_reading` of the sentences
of notes, `instructions` of an operator's instructions. Two claims about the same compare by their
values and modes. Facts are also compared by the words of their clauses, since few of their wordings
are known. A statement that is not understood stays: hiding the truth is worse than keeping what is
old.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Collection, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TypeAlias

from engrain.language.lexicons import read_words
from engrain.language.statements.clauses import PARTNERS, PEOPLE, Clause
from engrain.language.statements.phrases import END, PLACE, TOOL, places_of
from engrain.language.text.words import content_of, contents_of, fold_word, numbers_of

HOLDS, ENDED, LOOSE = "holds", "ended", "loose"
"""Modes of a claim: it is asserted; denied or over; past, planned or only thought of."""
SAME, OTHER, COMPATIBLE, UNCLEAR = "same", "other", "compatible", "unclear"
"""How two values compare: they are one, exclude each other, can both be so, or that is unclear."""


@dataclass(slots=True, eq=False)
class Claim(ABC):
    """One thing that a statement says: the value of an `aspect` of its subject.

    `mode` is one of the three above; `scope` are words that narrow the claim to a part, a kind or
    a version of its subject.
    """

    aspect: str
    mode: str = HOLDS
    _: KW_ONLY
    scope: frozenset[str] = frozenset()

    @abstractmethod
    def match(self, older: Claim, earlier: Statement) -> str | None:
        """Compare the value of an `older` claim, of an `earlier` statement, with this one's: one of
        the above; None if the two are not about the same."""

    @property
    def is_express(self) -> bool:
        """Whether the statement says so expressly, so that a repetition must say it too."""
        return True

    @property
    def words(self) -> frozenset[str]:
        """The words of its value, where the statement has others besides."""
        return frozenset()

    def explain(self, _older: Claim) -> str:
        """Say in words how it contradicts an older claim."""
        return f"they differ in: {self.aspect}"


@dataclass(slots=True, eq=False)
class Statement:
    """A statement as it is compared: its `text` and `claims`. Of a fact also its `clauses` and
    their `words`; other statements say nothing beside their claims."""

    text: str
    claims: Sequence[Claim]
    clauses: Sequence[Clause] = ()
    words: frozenset[str] = frozenset()


AGREE, REPEAT, CONTRADICT, UNRELATED = "agree", "repeat", "contradict", "unrelated"


@dataclass(frozen=True, slots=True, eq=False)
class StatementVerdict:
    """What a later statement is to an earlier one, and the `reason` in words.

    REPEAT: it says nothing else. CONTRADICT: both can't hold; `ends` is set if the later one says
    itself that the earlier one is over, so that no date is needed, and `doubtful` if they may both
    hold after all. AGREE: they are about the same, and both can hold. UNRELATED: they are not.
    """

    relation: str
    reason: str = ""
    ends: bool = False
    doubtful: bool = False


_UNRELATED, _AGREE, _REPEAT = map(StatementVerdict, (UNRELATED, AGREE, REPEAT))


def compare(later: Statement, earlier: Statement) -> StatementVerdict:
    """Compare a later statement with an earlier one, both read from the same kind of text."""
    matches = [
        (new, old, values)
        for old in earlier.claims
        for new in later.claims
        if (values := new.match(old, earlier))
    ]
    found = [*_between_claims(matches)]
    for new in later.clauses:
        for old in earlier.clauses:
            found += _compare_clauses(new, old, later, earlier)
    if found:
        return max(found, key=lambda verdict: verdict.ends)
    if _covers(earlier, later) or _claims_nothing_else(later, earlier, matches):
        return _REPEAT
    return _AGREE if matches else _UNRELATED


_Match: TypeAlias = tuple[Claim, Claim, str]
"""A later claim, an earlier one about the same, and how their values compare."""


def _between_claims(matches: Sequence[_Match]) -> Iterator[StatementVerdict]:
    for new, old, values in matches:
        if (new.mode == ENDED) != (old.mode == ENDED):
            contradicts = values == SAME
        else:
            contradicts = new.mode != ENDED and values not in (SAME, COMPATIBLE)
        if contradicts:
            ends = new.mode == ENDED
            yield StatementVerdict(CONTRADICT, new.explain(old), ends, doubtful=values == UNCLEAR)


def _claims_nothing_else(later: Statement, earlier: Statement, matches: Sequence[_Match]) -> bool:
    """Return whether each claim is one of the earlier statement's too, and no words are left."""
    if any(claim.mode == LOOSE for claim in later.claims):
        return False
    repeated = {
        id(new)
        for new, old, values in matches
        if values == SAME and (new.aspect, new.mode, new.scope) == (old.aspect, old.mode, old.scope)
    }
    express = [claim for claim in later.claims if claim.is_express]
    if not express or not all(id(claim) in repeated for claim in express):
        return False
    known = earlier.words.union(_FILLERS, ("",), *(claim.words for claim in express))
    others = PEOPLE - PARTNERS
    for clause in later.clauses:
        tokens = clause.tokens
        places = places_of(clause.hits, PLACE, TOOL)
        named = {at for at, token in enumerate(tokens) if at in places or token.low in others}
        if not known.issuperset((*clause.rest, *(content_of(tokens[at].low) for at in named))):
            return False
    return True


_SUBJECT_WORDS = read_words("statements", "judging")
CARRIERS = frozenset(map(fold_word, _SUBJECT_WORDS["carriers"]))
"""Words that carry a sentence and say nothing by themselves."""
_TASTES = frozenset(("lik", "hat"))
_MOST_BESIDE = 2
_BESIDE = frozenset(("add", "part"))


def _compare_clauses(
    new: Clause, old: Clause, later: Statement, earlier: Statement
) -> Iterator[StatementVerdict]:
    """Yield the reasons why an older clause no longer holds."""
    if new.marks & {"hedge", "ahead"} or ("once" in new.marks and new.denied):
        return
    if "hedge" in old.marks or old.held or not old.words or "while" in new.marks:
        return
    for words in _over(new, old, later, earlier):
        yield StatementVerdict(CONTRADICT, "says that this is over: " + " ".join(words), ends=True)
    if new.held or "ahead" in old.marks:
        return
    for reason in (_came(new, old), _reversed(new, old), _affirmed(new, old), _swapped(new, old)):
        if reason:
            yield StatementVerdict(CONTRADICT, reason)


def _over(
    new: Clause, old: Clause, later: Statement, earlier: Statement
) -> Iterator[tuple[str, ...]]:
    """Yield what the later clause says is over, if the earlier one states that."""
    if old.denied or old.gone or any(hit.kind == END for hit in old.hits):
        return
    for words in (*new.gone, new.denied):
        named = set(words) - CARRIERS
        if not named and set(old.core) <= CARRIERS | set(words):
            named = set(words)
        if not named or set(new.topic) - named - earlier.words:
            continue
        known = CARRIERS | later.words | named
        beside = sum(word not in known and not word[0].isdigit() for word in old.core)
        if named & set(old.words) and named <= earlier.words and beside <= _MOST_BESIDE:
            yield words


def _came(new: Clause, old: Clause) -> str:
    """Return the reason if something that was wanted has come."""
    if not old.pending or "settled" not in new.marks or new.denied:
        return ""
    wanted, given = set(old.pending), set(new.words)
    fresh = set(new.core) - set(old.words) - CARRIERS
    met = wanted & given
    if not met or len(fresh) > _MOST_BESIDE or len(wanted - given) > _MOST_BESIDE:
        return ""
    return "says that it came: " + " ".join(sorted(met)) if 2 * len(met) >= len(wanted) else ""


def _reversed(new: Clause, old: Clause) -> str:
    """Return the reason if one clause likes what the other hates."""
    was, now = set(old.words), set(new.words)
    tastes = was & _TASTES, now & _TASTES
    if old.denied or new.denied or tastes[0] == tastes[1] or any(len(one) != 1 for one in tastes):
        return ""
    return "likes and hates the same" if was - _TASTES == now - _TASTES else ""


def _affirmed(new: Clause, old: Clause) -> str:
    """Return the reason if the later clause says what the earlier one denies."""
    if not old.denied or new.denied or new.gone:
        return ""
    denied, given = set(old.denied), set(new.words)
    fresh = given - denied - set(old.words) - CARRIERS
    whole = denied <= given and len(fresh) <= 1
    again = "now" in new.marks and old.denied[-1] in given and len(fresh) <= _MOST_BESIDE
    return "says what was denied" if whole or again else ""


def _swapped(new: Clause, old: Clause) -> str:
    """Return the reason if the later clause gives another value for the same thing, as of now."""
    if not new.turned or new.other or new.gone or set(new.topic) - set(old.words):
        return ""
    if old.denied or new.denied or "while" in old.marks or _BESIDE & (new.marks | old.marks):
        return ""
    later_words, earlier_words = (_without(one.core, CARRIERS) for one in (new, old))
    was, now = _without(earlier_words, new.words), _without(later_words, old.words)
    few = 0 < len(was) <= _MOST_BESIDE and 0 < len(now) <= _MOST_BESIDE
    if not few or later_words[0] != earlier_words[0]:
        return ""
    return f"{' '.join(was)} is {' '.join(now)} now"


def _without(words: Sequence[str], others: Collection[str]) -> list[str]:
    return [word for word in words if word not in others]


_FILLERS = contents_of(_SUBJECT_WORDS["fillers"])
_MEANING = frozenset(("hedge", "ahead", "while", "past"))


def _covers(known: Statement, new: Statement) -> bool:
    if not new.words or not new.words - _FILLERS <= known.words:
        return False
    return all(
        not clause.words or any(_says(other, clause) for other in known.clauses)
        for clause in new.clauses
    )


def _says(known: Clause, new: Clause) -> bool:
    words = [word for word in new.words if word not in _FILLERS]
    if not words or _meant(known) != _meant(new) or known.other != new.other:
        return False
    if not numbers_of(new.text) <= numbers_of(known.text):
        return False
    order = iter([word for word in known.words if word not in _FILLERS])
    inside = all(word in order for word in words)
    return inside and (len(words) > 1 or len(known.words) == len(new.words))


def _meant(clause: Clause) -> tuple[object, ...]:
    return clause.marks & _MEANING, bool(clause.denied), clause.held, bool(clause.gone)
