"""Whether two values of one aspect are the same, may both be so, or exclude one another."""

from __future__ import annotations

from engrain.language.statements.claims import NEW, UNKNOWN
from engrain.language.statements.measures import NUMBERED
from engrain.language.statements.places import lies_in, place_in
from engrain.language.text.numbers import numbers_of, read_clock, read_day, read_number
from engrain.language.text.vocabulary import vocabulary
from engrain.language.text.words import value_key

SAME, OTHER, COMPATIBLE = "same", "other", "compatible"

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
    if aspect[0] in "=+":
        return COMPATIBLE if (aspect, *sorted((one, other))) in _BOTH else OTHER
    if aspect == "lives_in":
        return _places(one.lower(), other.lower())
    if aspect in _TIMES or aspect.startswith("meeting:"):
        return _times(one, other)
    if aspect in _EXACT:
        return COMPATIBLE if one.endswith(other) or other.endswith(one) else OTHER
    if aspect in _NUMBERS or aspect[0] in "#~":
        return _numbers(one, other, aspect)
    keys = value_key(one), value_key(other)
    if keys[0] == keys[1]:
        return SAME
    if not keys[0] or not keys[1]:
        return COMPATIBLE
    if aspect[0] == "@":
        alike = keys[0] & keys[1] and numbers_of(one) == numbers_of(other)
        return COMPATIBLE if alike else OTHER
    return COMPATIBLE if keys[0] <= keys[1] or keys[1] <= keys[0] else OTHER


def _numbers(one: str, other: str, aspect: str) -> str:
    first, second = read_number(one), read_number(other)
    if first is None or second is None:
        return COMPATIBLE
    if first == second:
        return SAME
    near = aspect == "headcount" and abs(first - second) <= _SLACK * max(first, second)
    return COMPATIBLE if near else OTHER


def _places(one: str, other: str) -> str:
    named = place_in(one), place_in(other)
    if named[0] and named[1]:
        if named[0] == named[1]:
            return SAME
        within = lies_in(named[0], named[1]) or lies_in(named[1], named[0])
        return COMPATIBLE if within else OTHER
    return COMPATIBLE if value_key(one) & value_key(other) else OTHER


def _times(one: str, other: str) -> str:
    days = read_day(one), read_day(other)
    clocks = read_clock(one), read_clock(other)
    if days[0] is not None and days[1] is not None:
        if days[0].differs(days[1]):
            return OTHER
        if clocks[0] is not None and clocks[1] is not None and clocks[0] != clocks[1]:
            return OTHER
        return SAME if days[0].same(days[1]) else COMPATIBLE
    if clocks[0] is not None and clocks[1] is not None:
        return SAME if clocks[0] == clocks[1] else OTHER
    return COMPATIBLE
