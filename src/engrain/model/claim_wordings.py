"""Claims in the wordings that a table lists (`engrain.model.claim_patterns`)."""

from __future__ import annotations

import re

from engrain.model.claim_amounts import WEEKDAYS, read_clock, read_day, read_number
from engrain.model.claim_lexicon import ROLES, kind_of_tool
from engrain.model.claim_meaning import EXCLUSIVE, is_own, mode_of, scope_of
from engrain.model.claim_parts import ENDED, HOLDS, UNSURE, Claim, Clause
from engrain.model.claim_patterns import CHANGE, wordings
from engrain.model.claim_places import place_in
from engrain.model.claim_vocabulary import vocabulary
from engrain.model.claim_words import SUBJECT, value_key
from engrain.model.predicates import find_predicate

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator

SAME_RELATION = {"headquarters": "lives_in", "dislikes": "likes"}
TAIL = re.compile(
    r"(?: |^)(?:now|these days|nowadays|currently|again|instead|as of .*|since "
    r".*|from now on|going forward|anymore|rather than .*|instead of .*|not .*)$"
)


def worded_claims(clause: Clause) -> Iterator[Claim]:
    text = clause.text
    for wording in wordings():
        match = wording.pattern.search(text)
        if match is None:
            continue
        value = wording.value or (match["v"] if "v" in match.re.groupindex else "")
        value = TAIL.sub("", value).strip(" ,.'\"").removesuffix("'s")
        if not _fits(wording.predicate, value, match, text):
            continue
        predicate = find_predicate(wording.predicate)
        before = text[: match.start()]
        mode = mode_of(wording.predicate, wording.how, clause, before, match.group())
        name = SAME_RELATION.get(wording.predicate, wording.predicate)
        if wording.predicate == "dislikes":
            mode = {HOLDS: ENDED, ENDED: UNSURE}.get(mode, mode)
        if wording.predicate == "marital_status" and mode == ENDED:
            continue
        yield Claim(
            name,
            value or "*",
            mode=mode,
            scope=scope_of(name, before, text[match.end() :]),
            functional=predicate.functional if predicate else name in EXCLUSIVE,
            marked=bool(predicate and predicate.marked) or _is_bare_role(name, match.group()),
            change=wording.how == CHANGE,
            now=clause.aspect.now,
            added=clause.aspect.added,
            own=is_own(name, before),
        )


def _is_bare_role(predicate: str, matched: str) -> bool:
    """Whether a trade is only said of somebody by the way, as one of several may be."""
    return predicate == "job_title" and matched.startswith(SUBJECT)


_POINTING = vocabulary("""that this it them something anything one these those all so there here""")
_SITES = vocabulary(
    """strava facebook instagram twitter linkedin tiktok mastodon bluesky reddit whatsapp
    youtube pinterest discord slack zoom github telegram signal goodreads letterboxd
    duolingo"""
)


def _fits(predicate: str, value: str, match: re.Match[str], text: str) -> bool:

    if value.lower() in _POINTING:
        return False
    if predicate == "works_at":
        head = value.partition(" ")[0].lower()
        if not value:
            return True
        if re.search(
            r"(?:some|any|of|freelance|charity|extra|pro bono|the|more|§'s|volunteer) "
            r"$",
            text[: match.start()],
        ) and (match.group().startswith("work")):
            return False
        if head in _SITES and "join" in match.group():
            return False
        month, place = read_day(value), place_in(value)
        if value[:1].isdigit() or head in WEEKDAYS or (month and month.month):
            return False
        if place and value_key(value) == value_key(place):
            return re.search(r"employ|hired|poached", match.group()) is not None
        return not value.startswith(SUBJECT) and head not in ("home", "hq")
    if predicate == "lives_in":
        if re.match(
            r" (?:district|area|neighbou?rhood|quarter|region|suburb|borough|"
            r"part)",
            text[match.end() :],
        ):
            return False
        if kind_of_tool().get(re.split("[ ,]", value.lower())[0]) and not place_in(value):
            return False
        return not value[:1].isdigit() and not (read_day(value) and not place_in(value))
    if predicate == "job_title":
        return value.lower() not in (
            "partner",
            "partners",
            "owner",
            "fellow",
            "head",
            "lead",
            "pilot",
        )
    if predicate in ("release_date", "deadline", "date", "birthday"):
        return read_day(value) is not None or read_clock(value) is not None
    if predicate == "wake":
        return read_clock(value) is not None or read_number(value) is not None
    if predicate == "age":
        number = read_number(value)
        return bool(number and 0 < number < 120 and re.fullmatch(r"\D{0,8}\d{1,3}\D{0,3}", value))
    if predicate in ("reports_to", "partner", "ceo", "cto", "owner"):
        head = value.lower().split()[-1] if value else ""
        return bool(value) and head not in ROLES and not value[:1].isdigit()
    if predicate == "owned_by":
        return bool(value)
    if predicate == "speaks":
        return value[:1].isupper()
    if predicate == "version":
        return re.search(
            r"[A-Za-z.]+ v?\d|v\d|version|"
            r"\d\.\d",
            value,
        ) is not None and not re.search(
            r"(?i)\b(?:am|pm|january|february|march|april|may|june|july|august|september|october|"
            r"november|december|jan|feb|mar|apr|jun|jul|aug|sep|oct|nov|dec|at|on|in|to|"
            r"with)\b",
            value,
        )
    return True
