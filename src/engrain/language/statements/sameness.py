"""Whether two statements say the same: near duplicates by their words, paraphrases by their
claims. A statement says no more than another where each of its words is that one's too."""

from __future__ import annotations

from engrain.language.lexicons import read_words
from engrain.language.statements.claims import ATTRIBUTE, LOOSE, Claim
from engrain.language.statements.clauses import Clause
from engrain.language.statements.phrases import PLACE, TOOL
from engrain.language.statements.reading import Statement
from engrain.language.statements.subject import PARTNERS, PEOPLE
from engrain.language.statements.values import SAME, compare_values
from engrain.language.text.numbers import numbers_of
from engrain.language.text.words import content_of, value_key

_WORDS = read_words("statements", "sameness")
_FILLERS = frozenset(content_of(word) or word for word in _WORDS["fillers"])
_MEANING = frozenset(("hedge", "ahead", "while", "past"))


def same_words(a: str, b: str) -> bool:
    """Whether two sentences have the same words, but for such as say nothing."""
    one, other = Statement(a, ()), Statement(b, ())
    return _covers(one, other) and _covers(other, one)


def is_said_by(new: Statement, known: Statement) -> bool:
    """Whether what a new statement says is all said by a known one."""
    return _covers(known, new) or _same_claims(new, known)


def _covers(known: Statement, new: Statement) -> bool:
    return (
        bool(new.words)
        and new.words - _FILLERS <= known.words
        and all(
            not clause.words or any(_says(other, clause) for other in known.clauses)
            for clause in new.clauses
        )
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


def _same_claims(new: Statement, known: Statement) -> bool:
    """Whether each claim is one of the other's too, and nothing is left that those do not tell."""
    if any(claim.mode == LOOSE for claim in new.claims):
        return False
    ours = [claim for claim in new.claims if claim.strong and claim.aspect[0] != ATTRIBUTE]
    if not ours or not all(any(_same(one, other) for other in known.claims) for one in ours):
        return False
    told = {word for claim in ours for word in value_key(claim.value)}
    rest = {word for clause in new.clauses for word in (*clause.rest, *_named(clause))}
    return rest <= known.words | _FILLERS | told


def _named(clause: Clause) -> set[str]:
    places = {at for hit in clause.hits if hit.kind in (PLACE, TOOL) for at in hit.places()}
    people = {at for at, token in enumerate(clause.tokens) if token.low in PEOPLE - PARTNERS}
    return {word for at in places | people if (word := content_of(clause.tokens[at].low))}


def _same(one: Claim, other: Claim) -> bool:
    meant = (one.aspect, one.mode, one.scope) == (other.aspect, other.mode, other.scope)
    return meant and compare_values(one.aspect, other.value, one.value) == SAME
