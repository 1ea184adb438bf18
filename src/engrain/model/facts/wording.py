"""Words facts for a reader: dates as people write them, former facts in the past tense, short
sentences about one subject joined (S4.5). It knows English; other sentences stay as they are.
"""

from __future__ import annotations

import re
import time
from collections.abc import Sequence

from engrain.language.text.fences import quote_links
from engrain.language.text.instants import read_instant
from engrain.model.facts.fact import Fact

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September",
    "October", "November", "December",
)  # fmt: skip
_VERBS = """
is>was are>were has>had does>did goes>went works>worked lives>lived leads>led runs>ran owns>owned
uses>used likes>liked loves>loved hates>hated prefers>preferred plays>played speaks>spoke
studies>studied teaches>taught drives>drove plans>planned wants>wanted reports>reported
manages>managed volunteers>volunteered shares>shared keeps>kept wears>wore eats>ate drinks>drank
rents>rented dates>dated attends>attended belongs>belonged holds>held maintains>maintained
needs>needed trains>trained writes>wrote sells>sold makes>made offers>offered employs>employed
serves>served costs>cost depends>depended stores>stored supports>supported targets>targeted
ships>shipped releases>released hosts>hosted collects>collected enjoys>enjoyed hopes>hoped
knows>knew takes>took gets>got stays>stayed resides>resided practises>practised practices>practiced
dislikes>disliked avoids>avoided follows>followed rides>rode commutes>commuted
freelances>freelanced
"""
_PRESENT_TO_PAST = dict(pair.split(">") for pair in _VERBS.split())
_PAST_ALONE = """
went began became left got met bought sold won took made gave wrote came saw found lost built broke
chose fell grew
"""
_PAST = frozenset((*_PAST_ALONE.split(), *_PRESENT_TO_PAST.values()))
_DATED = re.compile(
    r"\b(?:1[89]|2[01])\d\d\b|\b(?:since|until|" + "|".join(MONTHS) + r")\b", re.IGNORECASE
)
_END = re.compile(r"[.!?…][\"')\]]*\Z")
_MARKUP = "#>*+-=|~ \t"
_JOINED = 90
"""The most characters of a sentence that is joined with another."""


def write_date(written: str | None) -> str:
    """Return a date as people write it, "" for none: a month for its first day at midnight, else a
    day."""
    at = read_instant(written)
    if at is None:
        return ""
    year, month, day, hour, minute, second, *_ = time.gmtime(at)
    whole = (hour, minute, second) == (0, 0, 0)
    named = f"{MONTHS[month - 1]} {year}"
    return named if whole and day == 1 else f"{day} {named}"


def write_sentence(text: str) -> str:
    """Return a fact's text as one sentence that is no markup."""
    text = quote_links(text.lstrip(_MARKUP).strip()) or "…"
    return text if _END.search(text) else f"{text}."


def word_active(fact: Fact, names: Sequence[str]) -> str:
    """Return a fact that holds, with its beginning unless the text has a date. Without a known
    beginning, a state that replaced another gets the month in which it was stated."""
    said = write_sentence(fact.content)
    if _DATED.search(said):
        return said
    rest = _after(said, names)
    since = write_date(fact.valid_from)
    if not since and fact.supersedes and _tense(rest) == "present":
        since = write_date(fact.created_at[:7] + "-01") if fact.created_at else ""
    verb = rest.split(" ", 1)[0]
    if not since:
        return said
    if _tense(verb) == "past":
        return _add(said, say_when(since))
    return _add(said, f"since {since}" if verb in _PRESENT_TO_PAST else f"(since {since})")


def word_planned(fact: Fact) -> str:
    """Return a fact that will begin, and when."""
    said = write_sentence(fact.content)
    return said if _DATED.search(said) else _add(said, f"(from {write_date(fact.valid_from)})")


def word_historical(fact: Fact, names: Sequence[str]) -> str:
    """Return a former fact, and until when it held."""
    said = write_sentence(fact.content)
    until = write_date(fact.valid_to)
    rest = _after(said, names)
    verb, _, more = rest.partition(" ")
    if more and verb in _PRESENT_TO_PAST:
        when = f"Until {until}" if until else "Once"
        subject = said[: len(said) - len(rest)].strip()
        subject = f"the {subject[4:]}" if subject.startswith("The ") else subject
        return f"{when} {subject} {_PRESENT_TO_PAST[verb]} {more}"
    if _tense(rest) == "past":
        return said
    return _add(said, f"(until {until})" if until else "(no longer so)")


def join_sentences(sentences: Sequence[str], names: Sequence[str], pronoun: str = "") -> str:
    """Join sentences about one subject to a paragraph: a known pronoun replaces the repeated name,
    and two short sentences of one tense become one."""
    joint: list[str] = []
    spoken_of = joined = False
    for sentence in sentences:
        rest = _after(sentence, names)
        if not rest or not _tense(rest):
            joint.append(sentence)
            spoken_of = joined = False
        elif spoken_of and not joined and _can_take(joint[-1], rest, (*names, pronoun)):
            joint[-1] = f"{joint[-1][:-1]} and {rest}"
            joined = True
        else:
            joint.append(f"{pronoun} {rest}" if pronoun and spoken_of else sentence)
            spoken_of, joined = True, False
    return " ".join(joint)


def say_when(date: str, before: str = "") -> str:
    """Return a date with its preposition."""
    return f"{before}on {date}" if date[:1].isdigit() else f"{before}in {date}"


def _add(sentence: str, words: str) -> str:
    end = _END.search(sentence)
    at = end.start() if end else len(sentence)
    return f"{sentence[:at]} {words}{sentence[at:]}"


def _after(sentence: str, names: Sequence[str]) -> str:
    """Return a sentence without its subject, "" if it does not begin with one of the names."""
    for name in names:
        if sentence.startswith(f"{name} "):
            return sentence[len(name) + 1 :]
    return ""


def _tense(rest: str) -> str:
    """Return the tense of a leading verb, before which a pronoun or `and` may stand; "" if the
    first word is no known verb."""
    verb = rest.split(" ", 1)[0].rstrip(".")
    if verb in _PRESENT_TO_PAST:
        return "present"
    return "past" if verb in _PAST or verb.endswith("ed") else ""


def _can_take(sentence: str, more: str, names: Sequence[str]) -> bool:
    """Whether `more` can be joined to a sentence without confusing the reader."""
    rest = _after(sentence, names)
    short = len(sentence) < _JOINED and len(more) < _JOINED
    if not short or not rest or sentence[-1] != "." or _tense(rest) != _tense(more):
        return False
    return not re.search(r"[,;:()`]| and | but | because | that | which | who ", sentence)
