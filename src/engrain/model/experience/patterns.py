"""Patterns and anti-patterns, learned from episodes: with loki's fields, and as notes (S2.4, S2.7;
loki's "Semantic Memory Schema").

Their texts are a note's body, where people read and correct them. A value that the body can't give
back exactly (a condition of two lines, a heading in an approach) is in the frontmatter as well, and
that one counts.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any

from engrain.language.text.fences import quote_links, shorten
from engrain.language.text.instants import read_instant
from engrain.model.note.documents import count_of, text_of, texts_of

if TYPE_CHECKING:
    from engrain.model.note.entry import Entry
    from engrain.model.note.field import Value


PATTERN = "pattern"
ANTI_PATTERN = "anti-pattern"

_MAX_TITLE = 200
_SECTION = re.compile(r"^## (When|Do|Avoid|Why|Prevention)[ \t]*$", re.MULTILINE)


@dataclass(slots=True)
class Pattern:
    """What works, learned from episodes. `links` are (target, relation); `last_used` is ISO-8601,
    None for never; `confidence` is from 0 to 1, None if unknown."""

    id: str
    pattern: str
    _: KW_ONLY
    category: str = ""
    conditions: Sequence[str] = ()
    correct_approach: str = ""
    incorrect_approach: str = ""
    confidence: float | None = None
    source_episodes: Sequence[str] = ()
    usage_count: int = 0
    last_used: str | None = None
    links: Sequence[tuple[str, str]] = ()

    def __post_init__(self) -> None:
        self.conditions = tuple(self.conditions)
        self.source_episodes = tuple(self.source_episodes)
        self.links = tuple(self.links)


@dataclass(slots=True)
class AntiPattern:
    """What fails, learned from errors. `actions` are the types of action in which the error
    occurred, `signature` is that of `traces.error_signature`; the rest is as in a pattern."""

    id: str
    what_fails: str
    _: KW_ONLY
    why: str = ""
    prevention: str = ""
    sources: Sequence[str] = ()
    confidence: float | None = None
    actions: Sequence[str] = ()
    signature: str = ""
    usage_count: int = 0
    last_used: str | None = None
    links: Sequence[tuple[str, str]] = ()

    def __post_init__(self) -> None:
        self.sources = tuple(self.sources)
        self.actions = tuple(self.actions)
        self.links = tuple(self.links)


def compose_pattern(
    pattern: Pattern, derived_from: Sequence[str] = ()
) -> tuple[dict[str, Value], str]:
    """Return the fields and body of a pattern's note; `derived_from` are its source episodes in the
    vault. The caller adds slug, times, project and origin."""
    said: dict[str, Value] = {
        "pattern": pattern.pattern,
        "conditions": list(pattern.conditions),
        "correct_approach": pattern.correct_approach,
        "incorrect_approach": pattern.incorrect_approach,
    }
    title = _title(pattern.pattern, pattern.id)
    when = "\n".join(f"- {condition}" for condition in pattern.conditions)
    body = _compose_body(
        title, {"When": when, "Do": pattern.correct_approach, "Avoid": pattern.incorrect_approach}
    )
    fields = _compose_fields(PATTERN, pattern, said, _read_pattern_body(title, body))
    if pattern.category:
        fields["category"] = pattern.category
    if pattern.source_episodes:
        fields["source_episodes"] = list(pattern.source_episodes)
    if derived_from:
        fields["derived_from"] = list(derived_from)
    return fields, body


def read_pattern(entry: Entry) -> Pattern:
    """Return the pattern in an entry; what a note written by hand lacks is empty."""
    said = {**_read_pattern_body(entry.title, _body(entry)), **entry.fields}
    said.setdefault("source_episodes", list(entry.derived_from))
    return make_pattern(entry.id, said, entry.confidence, entry.links)


def make_pattern(
    id_: str,
    said: Mapping[str, Any],
    confidence: float | None,
    links: Sequence[tuple[str, str]] = (),
) -> Pattern:
    """Return the pattern with these values by field; values of a wrong type are left out."""
    return Pattern(
        id_,
        text_of(said.get("pattern")),
        category=text_of(said.get("category")),
        conditions=texts_of(said.get("conditions")),
        correct_approach=text_of(said.get("correct_approach")),
        incorrect_approach=text_of(said.get("incorrect_approach")),
        confidence=confidence,
        source_episodes=texts_of(said.get("source_episodes")),
        usage_count=count_of(said.get("usage_count")),
        last_used=text_of(said.get("last_used")) or None,
        links=links,
    )


def compose_anti_pattern(
    anti: AntiPattern, derived_from: Sequence[str] = ()
) -> tuple[dict[str, Value], str]:
    """Return the fields and body of an anti-pattern's note, as `compose_pattern` does."""
    said: dict[str, Value] = {
        "what_fails": anti.what_fails, "why": anti.why, "prevention": anti.prevention,
    }  # fmt: skip
    title = _title(anti.what_fails, anti.id)
    body = _compose_body(title, {"Why": anti.why, "Prevention": anti.prevention})
    fields = _compose_fields(ANTI_PATTERN, anti, said, _read_anti_pattern_body(title, body))
    lists = {"sources": anti.sources, "actions": anti.actions, "derived_from": tuple(derived_from)}
    fields.update({name: list(values) for name, values in lists.items() if values})
    if anti.signature:
        fields["signature"] = anti.signature
    return fields, body


def read_anti_pattern(entry: Entry) -> AntiPattern:
    """Return the anti-pattern in an entry, as `read_pattern` does a pattern."""
    said = {**_read_anti_pattern_body(entry.title, _body(entry)), **entry.fields}
    said.setdefault("sources", list(entry.derived_from))
    return make_anti_pattern(entry.id, said, entry.confidence, entry.links)


def make_anti_pattern(
    id_: str,
    said: Mapping[str, Any],
    confidence: float | None,
    links: Sequence[tuple[str, str]] = (),
) -> AntiPattern:
    """Return the anti-pattern with these values, as `make_pattern` does a pattern."""
    return AntiPattern(
        id_,
        text_of(said.get("what_fails")),
        why=text_of(said.get("why")),
        prevention=text_of(said.get("prevention")),
        sources=texts_of(said.get("sources")),
        confidence=confidence,
        actions=texts_of(said.get("actions")),
        signature=text_of(said.get("signature")),
        usage_count=count_of(said.get("usage_count")),
        last_used=text_of(said.get("last_used")) or None,
        links=links,
    )


def read_either(entry: Entry) -> Pattern | AntiPattern:
    """Return the pattern or anti-pattern in an entry, by its kind."""
    return read_anti_pattern(entry) if entry.kind == ANTI_PATTERN else read_pattern(entry)


def sources_of(one: Pattern | AntiPattern) -> Sequence[str]:
    """Return the episodes that a pattern or anti-pattern cites."""
    return one.source_episodes if isinstance(one, Pattern) else one.sources


def _compose_fields(
    kind: str, one: Pattern | AntiPattern, said: Mapping[str, Value], read: Mapping[str, Value]
) -> dict[str, Value]:
    """Return the fields of both, with the values of `said` that `read` from the body differ."""
    fields: dict[str, Value] = {"id": one.id, "kind": kind, "status": "active"}
    fields.update({name: value for name, value in said.items() if read[name] != value})
    if one.confidence is not None:
        fields["confidence"] = one.confidence
    fields["usage_count"] = one.usage_count
    if one.last_used:
        fields["last_used"] = one.last_used
    if one.links:
        fields["links"] = [{"to": to, "relation": relation} for to, relation in one.links]
    return fields


def _compose_body(title: str, sections: Mapping[str, str]) -> str:
    parts = [f"# {title}\n"]
    parts += [f"\n## {name}\n{text}\n" for name, text in sections.items() if text]
    return "".join(parts)


def _read_pattern_body(title: str, body: str) -> dict[str, Value]:
    found = _read_sections(title, body)
    conditions = found.get("When", "").split("\n")
    return {
        "pattern": title,
        "conditions": [line[2:].strip() for line in conditions if line[:2] in ("- ", "* ")],
        "correct_approach": found.get("Do", found.get("", "")),
        "incorrect_approach": found.get("Avoid", ""),
    }


def _read_anti_pattern_body(title: str, body: str) -> dict[str, Value]:
    found = _read_sections(title, body)
    return {
        "what_fails": title,
        "why": found.get("Why", found.get("", "")),
        "prevention": found.get("Prevention", ""),
    }


def _read_sections(title: str, body: str) -> dict[str, str]:
    """Return the text under each heading, and under "" a text before the first."""
    head, *rest = _SECTION.split(body.replace("\r\n", "\n").removeprefix(f"# {title}\n"))
    found = {"": head.strip("\n")} if head.strip() else {}
    for name, text in zip(rest[::2], rest[1::2], strict=True):
        found.setdefault(name, text.strip("\n"))
    return found


def _body(entry: Entry) -> str:
    return f"# {entry.title}\n{entry.text}"


def _title(text: str, fallback: str) -> str:
    """Return a text as a title on one line, the fallback if it is empty."""
    line = shorten(text, _MAX_TITLE)
    if line != " ".join(text.split()):
        line = quote_links(line)  # the cut may have left a code span open
    return line or fallback


def last_use(*times: str | None) -> str | None:
    """Return the latest of some times (ISO-8601), None for none; a text that is no time is
    first."""
    return max(filter(None, times), key=lambda at: read_instant(at) or float("-inf"), default=None)
