"""A claim of a fact: one relation of its subject, and when another value of it excludes this one.

What is not understood is left to stand: hiding what is true is worse than keeping what is old.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from engrain.language.lexicons import read_words
from engrain.language.statements.attributes import NUMBERED
from engrain.language.statements.clauses import ATTRIBUTE, NEW, SIGNS, STATE_OF, UNKNOWN
from engrain.language.statements.judge import (
    CARRIERS,
    COMPATIBLE,
    ENDED,
    LOOSE,
    OTHER,
    SAME,
    Claim,
    Statement,
)
from engrain.language.statements.phrases import find_predicate, lies_in, place_in
from engrain.language.text.words import (
    SUBJECT,
    numbers_of,
    read_clock,
    read_day,
    read_number,
    value_key,
)

_SUBJECT_WORDS = read_words("statements", "judging")
_TIMES = _SUBJECT_WORDS["times"]
_EXACT = _SUBJECT_WORDS["exact"]
_NUMBERS = NUMBERED - {"version"}
_SLACK = 0.05
"""Of two numbers of people so near to one another both may be rounded ones of the same."""
_BOTH = read_words("statements", "compatible states")
"""By aspect, the pairs of states that do not exclude one another, each in order."""


def _compare_values(aspect: str, one: str, other: str) -> str:
    """Return `SAME`, `OTHER` or `COMPATIBLE` for an earlier and a later value of an aspect."""
    if UNKNOWN in (one, other) or one == NEW:
        return COMPATIBLE
    if other == NEW:
        return OTHER
    if one.lower() == other.lower():
        return SAME
    compare = _BY_SIGN.get(aspect[0]) or _BY_ASPECT.get("".join(aspect.partition(":")[:2]), _names)
    return compare(aspect, one, other)


def _states(aspect: str, one: str, other: str) -> str:
    return COMPATIBLE if "/".join(sorted((one, other))) in _BOTH.get(aspect, ()) else OTHER


def _codes(_aspect: str, one: str, other: str) -> str:
    return COMPATIBLE if one.endswith(other) or other.endswith(one) else OTHER


def _names(_aspect: str, one: str, other: str) -> str:
    first, second = value_key(one), value_key(other)
    if first == second:
        return SAME
    return COMPATIBLE if first <= second or second <= first else OTHER


def _attributes(_aspect: str, one: str, other: str) -> str:
    first, second = value_key(one), value_key(other)
    if first == second:
        return SAME
    alike = first & second and numbers_of(one) == numbers_of(other)
    return COMPATIBLE if alike or not first or not second else OTHER


def _numbers(aspect: str, one: str, other: str) -> str:
    first, second = read_number(one), read_number(other)
    if first is None or second is None:
        return COMPATIBLE
    if first == second:
        return SAME
    near = aspect == "headcount" and abs(first - second) <= _SLACK * max(first, second)
    return COMPATIBLE if near else OTHER


def _places(_aspect: str, one: str, other: str) -> str:
    named = place_in(one.lower()), place_in(other.lower())
    if not named[0] or not named[1]:
        return COMPATIBLE if value_key(one.lower()) & value_key(other.lower()) else OTHER
    if named[0] == named[1]:
        return SAME
    within = lies_in(named[0], named[1]) or lies_in(named[1], named[0])
    return COMPATIBLE if within else OTHER


def _times(_aspect: str, one: str, other: str) -> str:
    days = read_day(one), read_day(other)
    clocks = read_clock(one), read_clock(other)
    clock = SAME if clocks[0] == clocks[1] else COMPATIBLE if None in clocks else OTHER
    if days[0] is None or days[1] is None:
        return COMPATIBLE if None in clocks else clock
    if days[0].differs(days[1]) or clock == OTHER:
        return OTHER
    return SAME if days[0].same(days[1]) else COMPATIBLE


_Comparer: TypeAlias = "Callable[[str, str, str], str]"
_BY_SIGN: dict[str, _Comparer] = {
    "=": _states, "+": _states, "#": _numbers, "~": _numbers, "@": _attributes,
}  # fmt: skip
_BY_ASPECT: dict[str, _Comparer] = {
    "lives_in": _places,
    **dict.fromkeys((*_TIMES, "meeting:"), _times),
    **dict.fromkeys(_EXACT, _codes),
    **dict.fromkeys(_NUMBERS, _numbers),
}


_HABITS = _SUBJECT_WORDS["habits"]
_PREDICATES = {"love": "marital_status", "car_model": "car"}
_DATES = frozenset(("release_date", "deadline", "date", "start_date"))
_PERSONAL = _SUBJECT_WORDS["personal"]
"""Tools that people use several of: another one replaces it only with a word of change."""
_LASTING = ("=", "date", "deadline", "release")
_MOST_NUMBER = 12
_MOST_NAME = 3


@dataclass(slots=True, eq=False, kw_only=True)
class FactClaim(Claim):
    """One relation with its `value`; the `aspect` is a predicate or begins with one of `SIGNS`.

    `marks` say how its clause is meant, `rest` are the words of the clause that no known phrase
    has, `gone` the words of what is said to be over if the value is a part of that. `strong` is set
    if the statement says it of the subject expressly, `definite` if it is of the one thing of that
    kind which the subject has.
    """

    value: str
    marks: frozenset[str] = frozenset()
    strong: bool = True
    rest: frozenset[str] = frozenset()
    gone: frozenset[str] = frozenset()
    definite: bool = False

    @property
    def predicate(self) -> str:
        """The predicate of its aspect; the aspect's name if there is none."""
        name = self.aspect.lstrip(SIGNS).partition("/")[0].partition(":")[0]
        name = _PREDICATES.get(name, name)
        known = find_predicate(name)
        return known.name if known else name

    @property
    def is_express(self) -> bool:
        return self.strong and self.aspect[0] != ATTRIBUTE

    @property
    def words(self) -> frozenset[str]:
        return value_key(self.value)

    def match(self, older: Claim, earlier: Statement) -> str | None:
        if not isinstance(older, FactClaim) or older.mode == LOOSE:
            return None
        if self.aspect != older.aspect and not {self.aspect, older.aspect} <= _DATES:
            return None
        values = _compare_values(self.aspect, older.value, self.value)
        if values == SAME and self.mode == older.mode:
            return SAME
        if self.mode == LOOSE or "hedge" in older.marks or not self._is_of_now(earlier):
            return None
        if values != OTHER or ENDED in (self.mode, older.mode):
            return values
        return OTHER if self._replaces(older, earlier) else COMPATIBLE

    def explain(self, older: Claim) -> str:
        name = self.aspect.lstrip(SIGNS).replace("_", " ").replace("favourit ", "favourite ")
        before = older._shown if isinstance(older, FactClaim) else ""
        if self.mode == ENDED:
            return f"{name} is no longer {before}"
        if older.mode == ENDED:
            return f"{name} is {self._shown} after all"
        return f"{name} was {before} and is {self._shown}"

    @property
    def _shown(self) -> str:
        """Return its value as a reason shows it: of a whole clause only the part behind the
        verb."""
        return self.value.rpartition(" is ")[2] if SUBJECT in self.value else self.value

    def _is_of_now(self, earlier: Statement) -> bool:
        """Whether it says something about the time since an earlier statement."""
        if "while" in self.marks and not self.aspect.startswith(_LASTING):
            return False
        if self.marks & {"once", "while"} and self.aspect in _HABITS:
            return False
        if "pending" in self.marks and self.aspect[0] != STATE_OF and "now" not in self.marks:
            return False
        if "deny" in self.marks and self._beside(earlier):
            return False
        return self.gone <= earlier.words

    def _replaces(self, older: FactClaim, earlier: Statement) -> bool:
        """Return whether its value leaves no room for the other value of an older claim."""
        if "add" in self.marks or "part" in self.marks | older.marks:
            return False
        functional = _is_functional(self.aspect) and self._is_of_the_same(older)
        return functional and self._is_plain_enough(older, earlier)

    def _is_of_the_same(self, older: FactClaim) -> bool:
        if self.aspect == "=cadence":
            return bool(self.rest & older.rest) or not (self.rest or older.rest)
        if self.scope == older.scope:
            return True
        if self.aspect == "owner":
            roles = all(" " in word or word in ("lead", "dri") for word in self.scope)
            return roles and not (self.scope and older.scope)
        return "now" in self.marks and self.scope < older.scope

    def _is_plain_enough(self, older: FactClaim, earlier: Statement) -> bool:
        """Whether its wording says that its value replaces the other."""
        kind = self.aspect[0]
        if "now" in self.marks:
            return kind != "~" or bool((self.rest - CARRIERS) & earlier.words)
        if not (self.strong and older.strong) or kind in "^~" or self.aspect in _PERSONAL:
            return False
        if (kind in "+#" or self.aspect in _HABITS) and self._beside(earlier):
            return False
        if self.aspect == "job_title":
            return self.value.split()[-1] == older.value.split()[-1]
        return kind != "@" or "favourit" in self.aspect or self._is_single(older)

    def _beside(self, earlier: Statement) -> set[str]:
        rest = self.rest - earlier.words - CARRIERS
        return {word for word in rest if not word[0].isdigit()}

    def _is_single(self, older: FactClaim) -> bool:
        """Whether the two values are numbers, names or single words of the one thing."""
        numbers = read_number(self.value), read_number(older.value)
        if len(self.value) < _MOST_NUMBER and None not in numbers:
            return True
        sizes = len(self.value.split()), len(older.value.split())
        named = self.value[:1].isupper() and older.value[:1].isupper()
        short = max(sizes) <= _MOST_NAME and (named or sizes == (1, 1))
        return short and self.definite and older.definite


def _is_functional(aspect: str) -> bool:
    known = find_predicate(aspect[1:]) if aspect[0] == ATTRIBUTE else None
    if known is None:
        if aspect[0] in SIGNS or aspect.startswith("meeting:"):
            return True
        known = find_predicate(aspect)
    return aspect in _SUBJECT_WORDS["functional"] or (known is not None and known.functional)
