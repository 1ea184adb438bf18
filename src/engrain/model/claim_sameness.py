"""Whether two statements say the same.

Near duplicates by their words, and paraphrases by their claims; a statement says no more than
another where each of its words is that one's too.
"""

from __future__ import annotations

from engrain.model.claim_amounts import numbers_of
from engrain.model.claim_aspect import is_denied
from engrain.model.claim_lexicon import STATES, state_words
from engrain.model.claim_parts import ENDED, HOLDS, is_past
from engrain.model.claim_plain import plain_sentences
from engrain.model.claim_values import SAME, compare_values
from engrain.model.claim_vocabulary import vocabulary
from engrain.model.claim_words import content_words, fold_word, words_of

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.model.claim_conflicts import Statement
    from engrain.model.claim_parts import Claim, Clause

_FILLERS = vocabulary(
    """really very still just quite definitely honestly apparently absolutely certainly simply
    always regularly usually total totally much own himself herself"""
)
_TELLING = vocabulary(
    """work job employ employer employee liv bas resid home marri wif husband partner engag
    date report manager head lead run own name call us hold rol position titl occupation
    company person city speak fluent language born birthday cost pric deadlin due launch
    releas ship headquarter headquart offic written built host database drive car lik lov
    enjoy hat fan fond follow diet eat go is be hav team member staff headcount people
    favourit prefer allergy full tim time current situat locat found founder establish set
    start join hir take project schedul slat plan dat day live stud study student attend
    enrol"""
)
"""Words by which relations are told: of two that make one claim, one may have others."""


def same_words(a: str, b: str, names: Sequence[str] = ()) -> bool:
    """Whether two sentences have the same words, but for such as say nothing."""
    one, other = _words(a, names), _words(b, names)
    if not one or not other:
        return " ".join(a.lower().split()) == " ".join(b.lower().split())
    if set(one) != set(other) or numbers_of(a) != numbers_of(b):
        return False
    if _denials(a) != _denials(b) or ("?" in a) != ("?" in b):
        return False
    return [word for word in one if word in set(other)] == other or _in_order(one, other)


def _in_order(one: Sequence[str], other: Sequence[str]) -> bool:
    """Whether they begin alike: "A reports to B" is not "B reports to A"."""
    return one[0] == other[0] or len(one) <= 2


def _words(text: str, names: Sequence[str]) -> list[str]:
    sentences = plain_sentences(text, names)
    words = [word for each in sentences for word in content_words(each.text)]
    return [word for word in dict.fromkeys(words) if word not in _FILLERS]


def _denials(text: str) -> bool:
    return any(is_denied(sentence.text) for sentence in plain_sentences(text, ()))


def is_said_by(new: Statement, known: Statement) -> bool:
    """Whether what a new statement says is all said by a known one."""
    return all(
        any(_covers(clause, other) for other in known.clauses) for clause in new.clauses
    ) or _same_claims(new, known)


def _covers(clause: Clause, other: Clause) -> bool:
    words = [word for word in clause.words if word not in _FILLERS]
    if not words or _meant(clause) != _meant(other):
        return False
    if numbers_of(clause.text) - numbers_of(other.text):
        return False
    known = iter([word for word in other.words if word not in _FILLERS])
    if not all(word in known for word in words):
        return False
    if _subjects(clause) != _subjects(other):
        return False
    return clause.words == other.words or (len(words) >= 2 and 2 * len(words) >= len(other.words))


def _subjects(clause: Clause) -> bool:
    return "§'s" in words_of(clause.text)[:1]


def _meant(clause: Clause) -> tuple[bool, ...]:
    aspect = clause.aspect
    return is_denied(clause.text), aspect.hedged, aspect.ahead, aspect.held, is_past(clause.text)


def _same_claims(new: Statement, known: Statement) -> bool:
    ours = [claim for claim in new.claims if claim.own]
    if not ours or len(ours) != len(new.claims):
        return False
    for claim in ours:
        if claim.mode not in (HOLDS, ENDED) or not any(
            claim.predicate == other.predicate
            and claim.mode == other.mode
            and other.own
            and claim.scope == other.scope
            and compare_values(claim.predicate, other.value, claim.value) == SAME
            for other in known.claims
        ):
            return False
    said = {word for clause in new.clauses for word in clause.words}
    meant = {word for clause in known.clauses for word in clause.words}
    valued = {word for claim in (*ours, *known.claims) for word in claim.key}
    return not said - meant - valued - _TELLING - _FILLERS - _state_words(ours)


def _state_words(claims: Sequence[Claim]) -> set[str]:
    """The words that may tell a state, where a claim is of one."""
    if not any(claim.predicate in STATES for claim in claims):
        return set()
    return {fold_word(word) for phrase in state_words() for word in phrase.split()}
