"""Whether two values of one aspect are the same, may both be so, or exclude one another."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from engrain.language.lexicons import vocabulary
from engrain.language.statements.claims import NEW, UNKNOWN
from engrain.language.statements.measures import NUMBERED
from engrain.language.statements.places import lies_in, place_in
from engrain.language.statements.statement import COMPATIBLE, OTHER, SAME
from engrain.language.text.numbers import numbers_of, read_clock, read_day, read_number
from engrain.language.text.words import value_key

_TIMES = vocabulary("deadline release_date date birthday start_date")
_EXACT = vocabulary("email phone_number repository version")
_NUMBERS = NUMBERED - {"version"}
_SLACK = 0.05
"""Of two numbers of people so near to one another both may be rounded ones of the same."""
_BOTH = frozenset(
    (
        ("=diet", "vegan", "vegetarian"),
        ("=stage", "beta", "building"),
        ("=stage", "alpha", "building"),
        ("=stage", "design", "idea"),
        ("=stage", "building", "design"),
        ("=employment", "seeking", "self"),
        ("=employment", "employed", "self"),
        ("=employment", "employed", "leave"),
        ("=employment", "back", "employed"),
        ("=employment", "back", "self"),
        ("=employment", "back", "seeking"),
    )
)
"""States of an aspect that do not exclude one another, by their names in order."""


def compare_values(aspect: str, one: str, other: str) -> str:
    """`SAME`, `OTHER` or `COMPATIBLE` for an earlier and a later value of an aspect."""
    if UNKNOWN in (one, other) or one == NEW:
        return COMPATIBLE
    if other == NEW:
        return OTHER
    if one.lower() == other.lower():
        return SAME
    kind = "".join(aspect.partition(":")[:2])
    compare = _BY_SIGN.get(aspect[0]) or _BY_ASPECT.get(kind, _names)
    return compare(aspect, one, other)


def _states(aspect: str, one: str, other: str) -> str:
    return COMPATIBLE if (aspect, *sorted((one, other))) in _BOTH else OTHER


def _codes(_aspect: str, one: str, other: str) -> str:
    return COMPATIBLE if one.endswith(other) or other.endswith(one) else OTHER


def _names(_aspect: str, one: str, other: str) -> str:
    ours, theirs = value_key(one), value_key(other)
    if ours == theirs:
        return SAME
    return COMPATIBLE if ours <= theirs or theirs <= ours else OTHER


def _attributes(_aspect: str, one: str, other: str) -> str:
    ours, theirs = value_key(one), value_key(other)
    if ours == theirs:
        return SAME
    alike = ours & theirs and numbers_of(one) == numbers_of(other)
    return COMPATIBLE if alike or not ours or not theirs else OTHER


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
