"""Whether a later statement about the same subject means that an earlier one holds no longer.

What is not understood is let stand: to hide what is true is worse than to keep what is old.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engrain.language.lexicons import read_words
from engrain.language.statements.claims import ATTRIBUTE, ENDED, LOOSE, STATE_OF, Claim
from engrain.language.statements.predicates import find_predicate
from engrain.language.statements.reading import Statement
from engrain.language.statements.rest import CARRIERS, compare_clauses
from engrain.language.statements.values import OTHER, SAME, compare_values
from engrain.language.text.numbers import read_number
from engrain.language.text.vocabulary import vocabulary
from engrain.language.text.words import SUBJECT


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
_WORDS = read_words("statements", "conflicts")
_HABITS = _WORDS["habits"]
_PERSONAL = vocabulary("+os +browser +language +database +music +notes")
"""Tools of which one uses several, so that only a word of change tells of another."""
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
    """Whether a claim of the later says anything of what holds from then on."""
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
    """Whether both are told of the same part, kind or version of what the subject has."""
    if new.aspect == "=cadence":
        return bool(new.rest & old.rest) or not (new.rest or old.rest)
    if new.scope == old.scope:
        return True
    if new.aspect == "owner":
        roles = all(" " in word or word in ("lead", "dri") for word in new.scope)
        return roles and not (new.scope and old.scope)
    return "now" in new.marks and new.scope < old.scope


def _is_told_enough(new: Claim, old: Claim, earlier: Statement) -> bool:
    """Whether the later says by its wording that its value stands in the place of the other."""
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
    """What a claim's clause tells besides, of which the earlier says nothing."""
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
