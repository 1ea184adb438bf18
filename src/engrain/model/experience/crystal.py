"""A digest of a stretch of work: what was asked, tried and found, what it taught, and what is left
open (S1.17, "phase-close crystallization digest").

Each line names its source. The same lines always give the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from engrain.language.text.instants import format_instant
from engrain.language.text.lines import code_span, quote_links, shorten
from engrain.model.experience.wording import quote
from engrain.model.links.link import UNLINKABLE

KIND = "crystallized"

QUESTION = "Question"
INVESTIGATION = "Investigation"
FINDINGS = "Findings"
LESSONS = "Lessons"
OPEN = "Open threads"
SECTIONS = (QUESTION, INVESTIGATION, FINDINGS, LESSONS, OPEN)

PHASE, SESSION, SINCE = "phase", "session", "since"

MOST_LINES: Mapping[str, int] = {
    QUESTION: 3,
    INVESTIGATION: 24,
    FINDINGS: 24,
    LESSONS: 16,
    OPEN: 16,
}
"""So many lines a section has: a digest is to be read in a minute, and cites a bounded number."""
LONGEST_LINE = 280
"""Characters of one line, before its sources."""
_MOST_CITED = 4
_TITLE = 80


@dataclass(slots=True, eq=False)
class Line:
    """One line of a section: a text, the ids that it stands on, and when it happened (epoch
    seconds, None where nobody said)."""

    text: str
    sources: Sequence[str]
    at: float | None = None

    def __post_init__(self) -> None:
        self.sources = tuple(dict.fromkeys(self.sources))[:_MOST_CITED]


@dataclass(slots=True, eq=False)
class Span:
    """The stretch of work: a phase or session by its `name`, or whatever was since a moment.
    `began` and `ended` are in epoch seconds; `given` has lines that are known, by section."""

    scope: str
    name: str
    project: str
    began: float
    ended: float
    given: Mapping[str, Sequence[Line]] = field(default_factory=dict)

    @property
    def ref(self) -> str:
        """What names it, and nothing else of the project."""
        if self.scope == SESSION:
            return f"{SESSION} {self.name}"
        at = self.ended if self.scope == PHASE else self.began
        return " ".join(filter(None, (self.scope, self.name, format_instant(at))))

    @property
    def heading(self) -> str:
        """What it is called: what was worked on, and when."""
        first, last = format_instant(self.began)[:10], format_instant(self.ended)[:10]
        days = first if first == last else f"{first} to {last}"
        what = self.name.capitalize() if self.scope == PHASE else "Session"
        what = "Work" if self.scope == SINCE else what
        about = f" on {quote_links(self.project)}" if self.project else ""
        return f"{what}{about}, {days}"


class Crystal:
    """What a stretch of work came to: lines by section, at most MOST_LINES each; `left` counts by
    section the lines that there was no room for."""

    def __init__(self, sections: Mapping[str, Sequence[Line]]) -> None:
        self.sections = {
            name: tuple(sections.get(name, ()))[: MOST_LINES[name]] for name in SECTIONS
        }
        self.left = {
            name: max(0, len(sections.get(name, ())) - MOST_LINES[name]) for name in SECTIONS
        }

    @property
    def sources(self) -> tuple[str, ...]:
        """Every id that is cited, once, in the order of the lines."""
        lines = (line for name in SECTIONS for line in self.sections[name])
        return tuple(dict.fromkeys(source for line in lines for source in line.sources))

    @property
    def empty(self) -> bool:
        """Whether there is nothing to report: a question that nobody worked on is no digest."""
        return not any(self.sections[name] for name in SECTIONS[1:])


def compose_body(span: Span, crystal: Crystal, name_of: Callable[[str], str]) -> str:
    """The digest as a note's body. `name_of` gives the name by which a link means an id."""
    asked = crystal.sections[QUESTION]
    about = f": {quote_links(shorten(asked[0].text, _TITLE))}" if asked else ""
    parts = [f"# {span.heading}{about}"]
    for name in SECTIONS:
        lines = [_write(line, name_of) for line in crystal.sections[name]]
        if crystal.left[name]:
            lines.append(f"\nAnd {crystal.left[name]} more.")
        if lines:
            parts.append(f"## {name}\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _write(line: Line, name_of: Callable[[str], str]) -> str:
    said = quote(shorten(line.text, LONGEST_LINE))
    return " ".join([f"- {said}", *(_cite(name_of(source)) for source in line.sources)])


def _cite(name: str) -> str:
    """A link to what has a name; one that no link can have, which somebody wrote, is only shown."""
    return code_span(name) if UNLINKABLE.search(name) else f"[[{name}]]"
