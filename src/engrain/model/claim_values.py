"""Whether two values of one relation are the same, may both be so, or exclude one another."""

from __future__ import annotations

import re

from engrain.model.claim_amounts import read_clock, read_day, read_number
from engrain.model.claim_lexicon import ROLES
from engrain.model.claim_places import lies_in, place_in
from engrain.model.claim_vocabulary import vocabulary
from engrain.model.claim_words import value_key

SAME, OTHER, COMPATIBLE = "same", "other", "compatible"

_DATED = vocabulary("""deadline release_date date birthday start_date meeting wake""")
_NUMBERED = vocabulary("""headcount age valuation price revenue budget founded capital""")
_ROUGH = re.compile(
    r"\b(?:about|around|roughly|some|nearly|almost|approx\w*|over|more than|"
    r"close to)\b|~|\+"
)
_SLACK = 0.02
_ROUGH_SLACK = 0.1
_RANK = vocabulary(
    """senior junior staff principal lead head chief associate assistant vice intern trainee"""
)
_TYPED = (
    "works_at",
    "partner",
    "reports_to",
    "ceo",
    "cto",
    "owner",
    "studies_at",
    "owned_by",
    "name",
)


def compare_values(predicate: str, one: str, other: str, *, changed: bool = False) -> str:
    """`SAME`, `OTHER` or `COMPATIBLE` for two values of a predicate. `changed`: a word of the later
    says that something is another than before."""
    if predicate.startswith("uses:") or predicate in _STATES:
        return _states(predicate, one, other, changed)
    if predicate == "lives_in":
        return _places(one, other, changed)
    if predicate in _DATED or (read_clock(one) is not None and read_clock(other) is not None):
        return _times(one, other, changed)
    if predicate in ("email", "phone_number", "username", "repository"):
        return SAME if "".join(one.lower().split()) == "".join(other.lower().split()) else OTHER
    periods = _periods(one), _periods(other)
    if predicate in _NUMBERED and all(periods) and periods[0] != periods[1]:
        return COMPATIBLE
    numbers = read_number(one), read_number(other)
    if predicate != "version" and numbers[0] is not None and numbers[1] is not None:
        return _numbers(one, other, predicate)
    if predicate in _NUMBERED:
        return COMPATIBLE
    if predicate == "job_title":
        return _roles(one, other, changed)
    keys = value_key(one), value_key(other)
    if keys[0] == keys[1]:
        return SAME
    if not keys[0] or not keys[1] or keys[0] <= keys[1] or keys[1] <= keys[0]:
        return COMPATIBLE
    days = read_day(one), read_day(other)
    if days[0] is not None and days[1] is not None and not predicate.startswith("works"):
        return _times(one, other, changed)
    if predicate in _TYPED:
        return OTHER if one[:1].isupper() and other[:1].isupper() else COMPATIBLE
    places = place_in(one), place_in(other)
    if places[0] and places[1]:
        return _places(one, other, changed)
    if bool(numbers[0] is None) != bool(numbers[1] is None) and not changed:
        return COMPATIBLE
    named = one[:1].isupper(), other[:1].isupper()
    if named[0] != named[1] and not changed:
        return COMPATIBLE
    return OTHER


_STATES = vocabulary(
    """diet marital_status smokes drinks employment hours work_mode chronotype status health
    opening switch source listing"""
)
_BOTH = frozenset(
    (
        ("diet", "vegan", "vegetarian"), ("diet", "gluten-free", "vegetarian"),
        ("diet", "gluten-free", "vegan"), ("diet", "gluten-free", "meat"),
        ("diet", "gluten-free", "keto"), ("diet", "gluten-free", "pescatarian"),
        ("diet", "keto", "meat"), ("diet", "keto", "vegetarian"), ("status", "fine", "going"),
        ("status", "going", "late"), ("status", "blocked", "late"), ("status", "blocked", "going"),
        ("status", "fine", "late!"), ("status", "done", "fine"),
        ("marital_status", "dating", "engaged"), ("marital_status", "dating", "married"),
        ("marital_status", "single", "widowed"), ("marital_status", "divorced", "single"),
        ("marital_status", "dating", "divorced"), ("marital_status", "dating", "separated"),
        ("employment", "employed", "self-employed"),
    )
)  # fmt: skip
_FORWARD = frozenset(
    (
        ("diet", "vegetarian", "vegan"), ("diet", "vegan", "vegetarian"),
        ("status", "going", "late"),
        ("marital_status", "dating", "engaged"), ("marital_status", "dating", "married"),
        ("status", "fine", "late"), ("status", "going", "blocked"),
    )
)  # fmt: skip


def _states(predicate: str, one: str, other: str, changed: bool) -> str:
    if one == other:
        return SAME
    both = (predicate, *sorted((one, other))) in _BOTH
    return COMPATIBLE if both and not (changed and (predicate, one, other) in _FORWARD) else OTHER


def _places(one: str, other: str, changed: bool) -> str:
    keys = value_key(one), value_key(other)
    if keys[0] == keys[1]:
        return SAME
    if keys[0] <= keys[1] or keys[1] <= keys[0] or keys[0] & keys[1]:
        return COMPATIBLE
    known = place_in(one), place_in(other)
    if known[0] and known[1]:
        if known[0] == known[1]:
            return SAME
        within = lies_in(known[0], known[1]) or lies_in(known[1], known[0])
        return COMPATIBLE if within else OTHER
    if known[0] or known[1]:
        # Of an unknown place and a country nobody here can tell whether the one lies in the other.
        wide = place_in(one if known[0] else other) or ""
        return OTHER if changed and _is_city(wide) else COMPATIBLE
    return OTHER


def _is_city(place: str) -> bool:
    from engrain.model.claim_places import places

    return bool(places().get(place)) and not any(place in areas for areas in places().values())


def _times(one: str, other: str, changed: bool) -> str:
    clocks = _clock(one), _clock(other)
    days = read_day(one), read_day(other)
    if days[0] is not None and days[1] is not None:
        if days[0].differs(days[1]):
            return OTHER
        if clocks[0] is not None and clocks[1] is not None and clocks[0] != clocks[1]:
            return OTHER
        return SAME if days[0].same(days[1]) else COMPATIBLE
    if clocks[0] is not None and clocks[1] is not None:
        return SAME if clocks[0] == clocks[1] else OTHER
    if days[0] is None and days[1] is None:
        keys = value_key(one), value_key(other)
        return SAME if keys[0] == keys[1] else (OTHER if changed else COMPATIBLE)
    return COMPATIBLE


def _periods(value: str) -> frozenset[str]:
    """The years and quarters that a value is said of."""
    return frozenset(re.findall(r"(?<![$€£\d.,])(?:19|20)\d\d\b|\bq[1-4]\b", value.lower()))


def _clock(text: str) -> int | None:
    """A time of day, also where only the hour is given."""
    at = read_clock(text)
    if at is None and re.fullmatch(r"\d{1,2}", text.strip()):
        return int(text) * 60
    return at


def _numbers(one: str, other: str, predicate: str) -> str:
    first, second = read_number(one), read_number(other)
    if first is None or second is None:
        return COMPATIBLE
    if first == second:
        return SAME
    rough = bool(_ROUGH.search(one) or _ROUGH.search(other)) or (
        predicate == "headcount" and (first % 50 == 0 or second % 50 == 0)
    )
    slack = _ROUGH_SLACK if rough else _SLACK
    if predicate in ("headcount", "price", "revenue", "valuation", "budget") and (
        abs(first - second) <= slack * max(first, second)
    ):
        return COMPATIBLE
    return OTHER


def _roles(one: str, other: str, changed: bool) -> str:
    keys = value_key(one), value_key(other)
    if keys[0] == keys[1]:
        return SAME
    if keys[0] <= keys[1] or keys[1] <= keys[0]:
        ranks = keys[0] & _RANK, keys[1] & _RANK
        return OTHER if changed and ranks[0] != ranks[1] else COMPATIBLE
    if keys[0] - _RANK == keys[1] - _RANK:
        return OTHER
    trades = keys[0] & ROLES, keys[1] & ROLES
    if trades[0] == trades[1] and keys[0] & keys[1] and not changed:
        return COMPATIBLE  # Of "backend engineer" and "payments engineer" both may be so.
    return OTHER
