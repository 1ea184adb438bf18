"""Plain words for what pages show: who changed what and why, where an entry comes from, when."""

from __future__ import annotations

import re
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from itertools import groupby

from engrain.adapters.present.text import beyond_title, excerpt
from engrain.engine.history.history import ShownChange
from engrain.language.lexicons import read_pairs
from engrain.model.note.tiers import ARCHIVE, OPERATOR, zone_of
from engrain.seam.batches import Change
from engrain.seam.locator import make_locator

_VERBS = read_pairs("changes", "done")
"""What a change of each operation did, in words before and after the entry's title."""
_UPKEEP = (
    "fold", "session", "index", "map", "lint", "work", "use",
    "consolidate", "crystallize", "synthesize", "dream", "tidy", "compact", "today",
)  # fmt: skip
"""Operations that nobody asked for: their agent is Engrain unless one is named."""
_SILENT = ("propose", "fold", "session", "consolidate")
"""Operations whose reasons repeat what the sentence says, or hold ids and figures."""
_ENTITIES, _DEPTH = "Memory/entities/", 2
_TOGETHER = 900.0
_DAY = 86_400.0
_SPANS = ((60.0, 1, ""), (3600.0, 60, "min"), (_DAY, 3600, "h"), (8 * _DAY, _DAY, "d"))


@dataclass(slots=True, eq=False)
class ChangeSentence:
    """One or several like changes in words: who did (`verb`) what (`subject`, `rest`) and `why`.
    `change` is the last of them, `count` their number."""

    who: str
    verb: str
    subject: str
    rest: str
    why: str
    change: Change
    count: int = 1


def name_agent(agent: str, trust: str, op: str = "") -> str:
    """Return who did something: "You", an agent's name, or what is known instead."""
    if trust == OPERATOR:
        return f"You through {agent}" if agent else "You"
    if op == "external":
        return "Another program"
    if agent == "engrain" or (op in _UPKEEP and not agent):
        return "Engrain"
    return agent or ("An agent" if trust == "agent" else "Somebody else")


def describe_changes(changes: Iterable[Change], titles: Mapping[str, str]) -> list[ChangeSentence]:
    """Return changes as sentences; successive changes of one kind to one thing, by one agent within
    a quarter of an hour, are one sentence."""
    found: list[ChangeSentence] = []
    for one in (_describe(change, titles) for change in changes):
        last = found[-1] if found else None
        if last and _is_alike(last, one) and last.change.at - one.change.at < _TOGETHER:
            last.count += 1
        else:
            found.append(one)
    return found


def describe_change(shown: ShownChange, titles: Mapping[str, str]) -> ChangeSentence:
    """Return a whole change with its files as a sentence."""
    record, first = shown.record, (shown.record.files or (None,))[0]
    names = {name: getattr(record, name) for name in _SHARED}
    one = Change(
        **names,
        entry=first.entry if first else "",
        locator=make_locator(first.path) if first else None,
        before_hash=first.before_hash if first else None,
        after_hash=first.after_hash if first else None,
        files=max(len(shown.files), 1),
    )
    return _describe(one, titles)


_SHARED = ("change", "at", "op", "agent", "trust", "undoes", "reason", "attested")


def _is_alike(one: ChangeSentence, other: ChangeSentence) -> bool:
    return (one.who, one.verb, one.subject) == (other.who, other.verb, other.subject)


def _describe(one: Change, titles: Mapping[str, str]) -> ChangeSentence:
    verb, rest = _VERBS.get(one.op, (f"did “{one.op}” to", ""))
    subject = _name_subject(one, titles)
    if one.op in ("propose", "decide"):
        verb, subject = _describe_proposal(one, verb, subject)
    elif one.op == "evolve" and one.locator and zone_of(one.locator) == ARCHIVE:
        verb, rest = "archived", "as the older version"
    elif one.op == "external" and not (one.before_hash and one.after_hash):
        verb = "removed" if one.before_hash else "wrote"
    why = "" if one.op in _SILENT or one.reason in ("accepted", "rejected") else one.reason
    who = name_agent(one.agent, one.trust, one.op)
    return ChangeSentence(who, verb, subject, rest, why, one)


def _name_subject(one: Change, titles: Mapping[str, str]) -> str:
    """Return the title of what was changed: an entity's name for the files of its folder."""
    if one.files > 1:
        return f"{one.files} files"
    place, title = str(one.locator or ""), titles.get(one.entry, one.entry)
    if place.startswith(_ENTITIES) and place.count("/") > _DEPTH:
        return place.split("/")[_DEPTH].replace("-", " ").title()
    return title if title != one.entry else place.rpartition("/")[2] or "an entry that is erased"


def _describe_proposal(one: Change, verb: str, title: str) -> tuple[str, str]:
    action, _, subject = title.partition(": ")
    if one.op == "decide":
        verb = {"accepted": "agreed to", "rejected": "declined to"}.get(one.reason, verb)
    return (f"{verb} {action}", subject) if subject else (verb, title)


def group_by_day(told: Sequence[ChangeSentence]) -> list[tuple[str, list[ChangeSentence]]]:
    """Return sentences under the names of their local days."""
    days = groupby(told, lambda one: name_day(one.change.at))
    return [(day, list(of)) for day, of in days]


def name_day(at: float) -> str:
    """Return a local day as a heading: "Today", "Yesterday", "Monday, 3 November 2026"."""
    day = date.fromtimestamp(at)
    past = (date.fromtimestamp(time.time()) - day).days
    named = {0: "Today", 1: "Yesterday"}.get(past)
    return named or f"{day:%A}, {day.day} {day:%B %Y}"


def format_age(at: float) -> str:
    """Return how long ago a moment is, or its local day where that is more than a week."""
    past = time.time() - at
    for most, unit, word in _SPANS:
        if 0 <= past < most:
            return f"{int(past // unit)} {word} ago" if word else "just now"
    return format_short_day(at)


def format_short_day(at: float) -> str:
    """Return a local day: "3 Nov", with its year unless that is this year."""
    day = date.fromtimestamp(at)
    year = "" if day.year == date.fromtimestamp(time.time()).year else f" {day.year}"
    return f"{day.day} {day:%b}{year}"


def describe_origin(origin: str, agent: str, *, attested: bool) -> str:
    """Return where an entry comes from: "saved by claude-code", "written by hand"."""
    if origin == OPERATOR:
        through = f" through {agent}" if agent else ""
        return f"saved by you{through}" if attested else "written by hand"
    if origin == "agent":
        return f"saved by {agent or 'an agent'}"
    return f"came from outside{f' through {agent}' if agent else ''}"


_MARKS = re.compile(
    r"\[\[(?:[^\[\]|]*+\|)?+([^\[\]]*+)\]\]|!?\[([^\[\]]*+)\]\([^()]*+\)"
    r"|^[#>\-*\s]++|[*`_]{2,}+|`",
    re.MULTILINE,
)


def make_excerpt(text: str, title: str, length: int = 200) -> str:
    """Return the beginning of an entry's text behind its title on one line, without the marks of
    markdown."""
    plain = _MARKS.sub(lambda found: found[1] or found[2] or " ", text[: 8 * length])
    return excerpt(beyond_title(title, plain.strip()), length)
