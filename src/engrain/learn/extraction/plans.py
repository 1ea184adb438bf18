"""Commitments with a date: "I'm going to visit Oslo next month". Without a date, or for today and
tomorrow, a plan is talk."""

from __future__ import annotations

import re

from engrain.language.lexicons import read_regexes
from engrain.learn.extraction.patterns import unread
from engrain.learn.extraction.phrasing import drop_adverbs, trim_tail
from engrain.learn.extraction.statements import Statement, by_itself
from engrain.learn.extraction.third_person import to_they
from engrain.learn.extraction.timing import settle_times

_PATTERNS = read_regexes("extraction", "plans")
_PLAN = _PATTERNS["plan"]
_DATED = _PATTERNS["dated"]
PLAN = unread("plan", "I'm going to visit Oslo next month", sure=0.7)


def read_plan(speaker: str, clause: str, at: float | None) -> Statement | None:
    """What a clause says its speaker will do, and when."""
    found = _PLAN.match(drop_adverbs(clause))
    said = by_itself(trim_tail(found["said"])) if found else None
    if said is None or at is None or not _DATED.search(said) or len(said.split()) < 4:
        return None
    lead = "am " if re.match(r"\w+ing\b", said) else "am to "
    told = settle_times(lead + said, at).text.removeprefix(lead)
    verb = "is" if lead == "am " else "plans to"
    return Statement(f"{speaker} {verb} {to_they(told)}.", None, None, PLAN)
