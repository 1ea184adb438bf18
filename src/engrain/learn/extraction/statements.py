"""One clause as one fact of whoever it is about: matched by the tables, trimmed to what stands by
itself, in the third person and dated."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import chain

from engrain.language.lexicons import expand, read_fragments, read_lines, read_regexes
from engrain.language.statements.predicates import find_predicate
from engrain.learn.extraction import phrasing

FRAGMENTS = read_fragments("extraction")
NAME, PET = FRAGMENTS["NAME"], FRAGMENTS["PET"]

_MY = re.compile(r"\bmy\b")
"""A pattern with "my" also reads "our"."""
SURE = 0.9


@dataclass(frozen=True, slots=True, eq=False)
class PredicatePattern:
    """A predicate: its `name`, an `example` sentence that it reads, and the `predicate` of the
    relation it states ("" for none). A `lasting` one may say since when it has been so; `sure` is
    the confidence of a fact read by it, from 0 to 1."""

    name: str
    example: str
    read: re.Pattern[str]
    predicate: str = ""
    lasting: bool = False
    sure: float = SURE


def _read_patterns(section: str) -> tuple[PredicatePattern, ...]:
    found = []
    for head, (example, *lines) in read_lines("extraction", section).items():
        name, *flags = head.split(" | ")
        sure = next((float(flag.split()[1]) for flag in flags if flag.startswith("sure ")), SURE)
        predicate = next((flag for flag in flags if flag != "lasting" and " " not in flag), "")
        read = re.compile(_MY.sub("(?:my|our)", expand("".join(lines), FRAGMENTS)))
        found.append(PredicatePattern(name, example, read, predicate, "lasting" in flags, sure))
    return tuple(found)


STATES, EVENTS, HABITS, COMPANIES, PROJECTS = map(
    _read_patterns, ("states", "events", "habits", "companies", "projects")
)


_FEWEST, _MOST = 3, 34
"""Words of a statement."""

_PATTERNS = read_regexes("extraction", "statements")
_POINTING = _PATTERNS["pointing"]
_THEM = re.compile(r"\b(?:they|them|their)\b", re.IGNORECASE)
_COMING = re.compile(r"am (?:moving|relocating|starting|switching|getting|opening)\b")
_NOT = re.compile(r"\b(?:not|never|no longer|neither)\b")
_DENIED = ("diet", "preference", "liking", "tools", "left", "no more")


WIDE = (STATES, EVENTS, HABITS)
NARROW = (STATES,)


@dataclass(slots=True, eq=False)
class ClauseDraft:
    """A fact that a clause states: its `content`, its relation or None, since when it holds in
    epoch seconds, how `sure` it is from 0 to 1, and the name of the `pattern` that read it."""

    content: str
    edge: tuple[str, str] | None = None
    begun: float | None = None
    sure: float = SURE
    pattern: str = ""


@dataclass(slots=True, eq=False)
class Attributed:
    """A statement, and the name and type ("" if unknown) of what it is about."""

    name: str
    type: str
    draft: ClauseDraft


def state(
    subject: str, predicate: str, at: float | None, *, tables: Sequence[Sequence[PredicatePattern]]
) -> ClauseDraft | None:
    """Return the fact about `subject` in a predicate of the first person ("moved to Berlin
    yesterday"), as some tables of patterns read it; None if there is none."""
    pattern = _find(predicate, tables)
    said = _core(predicate) if pattern else None
    if pattern is None or said is None or not (found := pattern.read.match(said)):
        return None
    timed = phrasing.settle_times(said, at, lasting=pattern.lasting)
    sentence = f"{subject} {phrasing.to_third(timed.text)}"
    if not _is_whole(sentence):
        return None
    edge, begun = _edge(pattern, found), timed.begun
    if _COMING.match(said) or (at is not None and begun is not None and begun > at):
        # What is to come does not hold yet and says nothing against what does; a deadline holds.
        row = find_predicate(pattern.predicate)
        edge, begun = edge if row and row.ahead else None, None
    content = f"{sentence[:1].upper()}{sentence[1:]}."
    return ClauseDraft(content, edge, begun, pattern.sure, pattern.name)


def _core(predicate: str) -> str | None:
    """Return a predicate without chatter, as far as it stands alone; None if it says too little."""
    if _PATTERNS["clash"].search(predicate):
        return None
    said = by_itself(phrasing.trim_tail(predicate))
    if said is None or _PATTERNS["bare"].search(said) or _PATTERNS["open_end"].search(said):
        return None
    return said


def state_other(
    subject: str, said: str, at: float | None, *, tables: Sequence[Sequence[PredicatePattern]]
) -> ClauseDraft | None:
    """Return the fact that a saying about somebody else ("moved to her flat yesterday") states."""
    predicate = phrasing.to_first(phrasing.drop_adverbs(said))
    if not predicate:
        return None
    statement = state(subject, phrasing.drop_adverbs(predicate), at, tables=tables)
    if statement:
        statement.content = phrasing.keep_pronoun(statement.content, said)
    return statement


def by_itself(text: str) -> str | None:
    """Return the text as far as it can be read alone; None for none of it."""
    while text:
        text = _trim_dangling(text)
        found = _POINTING.search(text) or _THEM.search(text)
        if found is None:
            return text
        joints = list(_PATTERNS["joint"].finditer(text, 0, found.start()))
        if not joints or len(text[: joints[-1].start()].split()) < _FEWEST:
            return None
        text = text[: joints[-1].start()]
    return None


def _trim_dangling(text: str) -> str:
    while True:
        shorter = _PATTERNS["dangling"].sub("", text).strip(" ,")
        if shorter == text:
            return text
        text = shorter


def _find(predicate: str, tables: Sequence[Sequence[PredicatePattern]]) -> PredicatePattern | None:
    if _PATTERNS["judged"].match(predicate):
        return None
    for pattern in chain.from_iterable(tables):
        if pattern.read.match(predicate):
            denied = _NOT.search(predicate)
            return None if denied and pattern.name not in _DENIED else pattern
    return None


def _edge(pattern: PredicatePattern, found: re.Match[str]) -> tuple[str, str] | None:
    if not pattern.predicate:
        return None
    named = found.groupdict()
    value = (named.get("o") or named.get("p") or "").strip(" ,.")
    if not value or (pattern.name == "moved" and "from" in found[0]):
        return None
    if pattern.name == "profession" and _PATTERNS["no_job"].search(value):
        return None
    return pattern.predicate, value


def _is_whole(text: str) -> bool:
    closed = text.count('"') % 2 == 0 and text.count("(") == text.count(")")
    return closed and _FEWEST <= len(text.split()) <= _MOST
