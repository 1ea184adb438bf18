"""Patterns and anti-patterns, learned from episodes: with loki's fields, and as notes (S2.4, S2.7;
loki's "Semantic Memory Schema").

Their texts are a note's body, where people read and correct them. A value that the body can't give
back exactly (a condition of two lines, a heading in an approach) is in the frontmatter as well, and
that one counts.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING, Any, Generic, TypeVar

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


One = TypeVar("One", bound="Pattern | AntiPattern")


@dataclass(slots=True, frozen=True, eq=False)
class PatternForm(Generic[One]):
    """The form of one kind as a note: its fields that are texts, first the `title`, and lists,
    `sources` among these; the fields that the body says, by `sections`, and the section to which a
    text before the first belongs (`free`). A field is in the frontmatter where the body does not
    say its value."""

    kind: str
    create: Callable[..., One]
    texts: Sequence[str]
    lists: Sequence[str]
    sources: str
    sections: Mapping[str, str]
    free: str

    def make(
        self,
        id_: str,
        said: Mapping[str, Any],
        confidence: float | None,
        links: Sequence[tuple[str, str]] = (),
    ) -> One:
        """Return the pattern with these values by field; values of a wrong type are left out."""
        values: dict[str, Any] = {name: text_of(said.get(name)) for name in self.texts}
        return self.create(
            id_,
            **values,
            **{name: texts_of(said.get(name)) for name in self.lists},
            confidence=confidence,
            usage_count=count_of(said.get("usage_count")),
            last_used=text_of(said.get("last_used")) or None,
            links=links,
        )

    def read(self, entry: Entry) -> One:
        """Return the pattern in an entry; what a note written by hand lacks is empty."""
        body = f"# {entry.title}\n{entry.text}"
        said = {**self._read_body(entry.title, body), **entry.fields}
        said.setdefault(self.sources, list(entry.derived_from))
        return self.make(entry.id, said, entry.confidence, entry.links)

    def compose(self, one: One, derived_from: Sequence[str] = ()) -> tuple[dict[str, Value], str]:
        """Return the fields and body of a note; `derived_from` are its source episodes in the
        vault. The caller adds slug, times, project and origin."""
        said: dict[str, Any] = {name: getattr(one, name) for name in self.texts}
        said |= {name: list(getattr(one, name)) for name in self.lists}
        title = _title(said[self.texts[0]], one.id)
        body = f"# {title}\n"
        for heading, name in self.sections.items():
            text = (
                "\n".join(f"- {item}" for item in said[name]) if name in self.lists else said[name]
            )
            body += f"\n## {heading}\n{text}\n" if text else ""
        read = self._read_body(title, body)
        fields: dict[str, Value] = {"id": one.id, "kind": self.kind, "status": "active"}
        fields |= {name: said[name] for name in read if read[name] != said[name]}
        links: list[Value] = [{"to": to, "relation": relation} for to, relation in one.links]
        more = {
            "last_used": one.last_used,
            "links": links,
            **{name: value for name, value in said.items() if name not in read},
            "derived_from": list(derived_from),
        }
        if one.confidence is not None:
            fields["confidence"] = one.confidence
        fields["usage_count"] = one.usage_count
        return fields | {name: value for name, value in more.items() if value}, body

    def _read_body(self, title: str, body: str) -> dict[str, Value]:
        found = _read_sections(title, body)
        said: dict[str, Value] = {self.texts[0]: title}
        for heading, name in self.sections.items():
            text = found.get(heading, found.get("", "") if heading == self.free else "")
            lines = [line[2:].strip() for line in text.split("\n") if line[:2] in ("- ", "* ")]
            said[name] = [*lines] if name in self.lists else text
        return said


PATTERNS = PatternForm(
    PATTERN,
    Pattern,
    ("pattern", "category", "correct_approach", "incorrect_approach"),
    ("conditions", "source_episodes"),
    "source_episodes",
    {"When": "conditions", "Do": "correct_approach", "Avoid": "incorrect_approach"},
    "Do",
)
ANTI_PATTERNS = PatternForm(
    ANTI_PATTERN,
    AntiPattern,
    ("what_fails", "why", "prevention", "signature"),
    ("sources", "actions"),
    "sources",
    {"Why": "why", "Prevention": "prevention"},
    "Why",
)
compose_pattern, read_pattern = PATTERNS.compose, PATTERNS.read
compose_anti_pattern, read_anti_pattern = ANTI_PATTERNS.compose, ANTI_PATTERNS.read


def read_either(entry: Entry) -> Pattern | AntiPattern:
    """Return the pattern or anti-pattern in an entry, by its kind."""
    return read_anti_pattern(entry) if entry.kind == ANTI_PATTERN else read_pattern(entry)


def sources_of(one: Pattern | AntiPattern) -> Sequence[str]:
    """Return the episodes that a pattern or anti-pattern cites."""
    return one.source_episodes if isinstance(one, Pattern) else one.sources


def _read_sections(title: str, body: str) -> dict[str, str]:
    """Return the text under each heading, and under "" a text before the first."""
    head, *rest = _SECTION.split(body.replace("\r\n", "\n").removeprefix(f"# {title}\n"))
    found = {"": head.strip("\n")} if head.strip() else {}
    for name, text in zip(rest[::2], rest[1::2], strict=True):
        found.setdefault(name, text.strip("\n"))
    return found


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
