"""Whether a later statement about a subject repeats an earlier one, or ends it.

Two clauses conflict by their words (`compare_clauses`), two claims by their values. Statements say
the same if their words do, or all their claims. What is not understood is left to stand: hiding
what is true is worse than keeping what is old.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass

from engrain.language.lexicons import read_words, vocabulary
from engrain.language.statements.claims import ATTRIBUTE, ENDED, LOOSE, STATE_OF, Claim
from engrain.language.statements.clauses import Clause
from engrain.language.statements.phrases import END, PLACE, TOOL
from engrain.language.statements.predicates import find_predicate
from engrain.language.statements.reading import Statement
from engrain.language.statements.subject import PARTNERS, PEOPLE
from engrain.language.statements.values import OTHER, SAME, compare_values
from engrain.language.text.numbers import numbers_of, read_number
from engrain.language.text.words import SUBJECT, content_of, fold_word, value_key

_WORDS = read_words("statements", "judging")
CARRIERS = frozenset(fold_word(word) for word in _WORDS["carriers"])
_TASTES = frozenset(("lik", "hat"))
_MOST_BESIDE = 2
_BESIDE = frozenset(("add", "part"))


def compare_clauses(
    new: Clause, old: Clause, later: Statement, earlier: Statement
) -> Iterator[tuple[str, bool]]:
    """The reasons why an older clause no longer holds, each with whether the newer one says so."""
    if new.marks & {"hedge", "ahead"} or ("once" in new.marks and new.denied):
        return
    if "hedge" in old.marks or old.held or not old.words or "while" in new.marks:
        return
    for words in _over(new, old, later, earlier):
        yield "says that this is over: " + " ".join(words), True
    if new.held or "ahead" in old.marks:
        return
    for reason in (_came(new, old), _reversed(new, old), _affirmed(new, old), _swapped(new, old)):
        if reason:
            yield reason, False


def _over(
    new: Clause, old: Clause, later: Statement, earlier: Statement
) -> Iterator[tuple[str, ...]]:
    """What the later clause says is over, if the earlier one states that."""
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
    """The reason if something that was wanted has come."""
    if not old.pending or "settled" not in new.marks or new.denied:
        return ""
    wanted, said = set(old.pending), set(new.words)
    fresh = set(new.core) - set(old.words) - CARRIERS
    met = wanted & said
    if not met or len(fresh) > _MOST_BESIDE or len(wanted - said) > _MOST_BESIDE:
        return ""
    return "says that it came: " + " ".join(sorted(met)) if 2 * len(met) >= len(wanted) else ""


def _reversed(new: Clause, old: Clause) -> str:
    """The reason if one clause likes what the other hates."""
    was, now = set(old.words), set(new.words)
    tastes = was & _TASTES, now & _TASTES
    if old.denied or new.denied or tastes[0] == tastes[1] or any(len(one) != 1 for one in tastes):
        return ""
    return "likes and hates the same" if was - _TASTES == now - _TASTES else ""


def _affirmed(new: Clause, old: Clause) -> str:
    """The reason if the later clause says what the earlier one denies."""
    if not old.denied or new.denied or new.gone:
        return ""
    denied, said = set(old.denied), set(new.words)
    fresh = said - denied - set(old.words) - CARRIERS
    whole = denied <= said and len(fresh) <= 1
    again = "now" in new.marks and old.denied[-1] in said and len(fresh) <= _MOST_BESIDE
    return "says what was denied" if whole or again else ""


def _swapped(new: Clause, old: Clause) -> str:
    """The reason if the later clause gives another value for the same thing, as it is now."""
    if not new.turned or new.other or new.gone or set(new.topic) - set(old.words):
        return ""
    if old.denied or new.denied or "while" in old.marks or _BESIDE & (new.marks | old.marks):
        return ""
    ours, theirs = (_without(one.core, CARRIERS) for one in (new, old))
    was, now = _without(theirs, new.words), _without(ours, old.words)
    few = 0 < len(was) <= _MOST_BESIDE and 0 < len(now) <= _MOST_BESIDE
    return f"{' '.join(was)} is {' '.join(now)} now" if few and ours[0] == theirs[0] else ""


def _without(words: Sequence[str], others: Collection[str]) -> list[str]:
    return [word for word in words if word not in others]


@dataclass(slots=True, eq=False)
class Conflict:
    """That two can't both hold: why, and whether the later one says itself that the other is over
    (`told`), so that it came after it whatever their dates say."""

    reason: str
    told: bool


def find_conflict(later: Statement, earlier: Statement) -> Conflict | None:
    """Why `earlier` holds no longer once `later` is known; None where it may still hold."""
    found = list(_between_claims(later, earlier))
    for new in later.clauses:
        for old in earlier.clauses:
            found += (Conflict(*each) for each in compare_clauses(new, old, later, earlier))
    return max(found, key=lambda one: one.told, default=None)


_DATES = frozenset(("release_date", "deadline", "date", "start_date"))
_HABITS = _WORDS["habits"]
_PERSONAL = vocabulary("+os +browser +language +database +music +notes")
"""Tools that people use several of: another one replaces it only with a word of change."""
_FUNCTIONAL = vocabulary("coverage port size date")
_LASTING = ("=", "date", "deadline", "release")
_MOST_NUMBER = 12
_MOST_NAME = 3


def _between_claims(later: Statement, earlier: Statement) -> Iterator[Conflict]:
    for old in earlier.claims:
        if old.mode == LOOSE or "hedge" in old.marks:
            continue
        for new in later.claims:
            alike = new.aspect == old.aspect or {new.aspect, old.aspect} <= _DATES
            if not alike or new.mode == LOOSE or not _may_tell(new, earlier):
                continue
            if found := _between(new, old, earlier):
                yield found


def _may_tell(new: Claim, earlier: Statement) -> bool:
    """Whether a later claim says something about the time from then on."""
    if "while" in new.marks and not new.aspect.startswith(_LASTING):
        return False
    if new.marks & {"once", "while"} and new.aspect in _HABITS:
        return False
    if "pending" in new.marks and new.aspect[0] != STATE_OF and "now" not in new.marks:
        return False
    if "deny" in new.marks and _beside(new, earlier):
        return False
    return new.gone <= earlier.words


def _between(new: Claim, old: Claim, earlier: Statement) -> Conflict | None:
    name = new.aspect.lstrip("=+#~^@").replace("_", " ").replace("favourit ", "favourite ")
    alike = compare_values(new.aspect, old.value, new.value)
    if new.mode == ENDED or old.mode == ENDED:
        if alike != SAME or new.mode == old.mode:
            return None
        if new.mode == ENDED:
            return Conflict(f"{name} is no longer {_told(old)}", True)
        return Conflict(f"{name} is {_told(new)} after all", False)
    if alike != OTHER or "add" in new.marks or "part" in new.marks | old.marks:
        return None
    if not _is_functional(new.aspect) or not _is_of_the_same(new, old):
        return None
    if not _is_told_enough(new, old, earlier):
        return None
    return Conflict(f"{name} was {_told(old)} and is {_told(new)}", False)


def _told(claim: Claim) -> str:
    """A value in the words of a reason: of a whole clause what stands behind its verb."""
    return claim.value.rpartition(" is ")[2] if SUBJECT in claim.value else claim.value


def _is_functional(aspect: str) -> bool:
    if aspect[0] == ATTRIBUTE and (known := find_predicate(aspect[1:])) is not None:
        return known.functional
    if aspect[0] in "=+#~^@" or aspect.startswith("meeting:") or aspect in _FUNCTIONAL:
        return True
    predicate = find_predicate(aspect)
    return predicate is not None and predicate.functional


def _is_of_the_same(new: Claim, old: Claim) -> bool:
    """Whether both claims are about the same part, kind or version of the thing."""
    if new.aspect == "=cadence":
        return bool(new.rest & old.rest) or not (new.rest or old.rest)
    if new.scope == old.scope:
        return True
    if new.aspect == "owner":
        roles = all(" " in word or word in ("lead", "dri") for word in new.scope)
        return roles and not (new.scope and old.scope)
    return "now" in new.marks and new.scope < old.scope


def _is_told_enough(new: Claim, old: Claim, earlier: Statement) -> bool:
    """Whether the wording of the later claim says that its value replaces the other."""
    if "now" in new.marks:
        return new.aspect[0] != "~" or bool((new.rest - CARRIERS) & earlier.words)
    kind = new.aspect[0]
    if not (new.strong and old.strong) or kind in "^~" or new.aspect in _PERSONAL:
        return False
    if (kind in "+#" or new.aspect in _HABITS) and _beside(new, earlier):
        return False
    if new.aspect == "job_title":
        return new.value.split()[-1] == old.value.split()[-1]
    return kind != "@" or "favourit" in new.aspect or _is_plain(new, old)


def _beside(new: Claim, earlier: Statement) -> set[str]:
    """The words of a claim's clause that neither the claim nor the earlier statement has."""
    rest = new.rest - earlier.words - CARRIERS
    return {word for word in rest if not word[0].isdigit()}


def _is_plain(new: Claim, old: Claim) -> bool:
    """Whether two values of an attribute are numbers, or names or single words, each the one."""
    numbers = read_number(new.value), read_number(old.value)
    if len(new.value) < _MOST_NUMBER and None not in numbers:
        return True
    sizes = len(new.value.split()), len(old.value.split())
    named = new.value[:1].isupper() and old.value[:1].isupper()
    one = named or sizes == (1, 1)
    return max(sizes) <= _MOST_NAME and one and new.definite and old.definite


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
