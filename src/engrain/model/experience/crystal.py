"""A digest of a phase of work: what was asked, tried and found, what it taught, and what is left
open (S1.17, "phase-close crystallization digest").

Each line names its sources. The same lines always give the same text.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from engrain.language.text.fences import code_span, quote_links, shorten
from engrain.language.text.instants import format_day, format_instant
from engrain.model.experience.wording import quote
from engrain.model.links.link import UNLINKABLE

KIND = "crystallized"

QUESTION = "Question"
INVESTIGATION = "Investigation"
FINDINGS = "Findings"
LESSONS = "Lessons"
OPEN = "Open threads"
SECTIONS = (QUESTION, INVESTIGATION, FINDINGS, LESSONS, OPEN)

PHASE = "phase"

MOST_LINES: Mapping[str, int] = {
    QUESTION: 3, INVESTIGATION: 24, FINDINGS: 24, LESSONS: 16, OPEN: 16,
}  # fmt: skip
"""The most lines of each section, so that a digest can be read in a minute."""
LONGEST_LINE = 280
"""The most characters of a line, before its sources."""
_MOST_CITED = 4
_TITLE = 80


@dataclass(slots=True, eq=False)
class Line:
    """One line of a section: a text, the ids of its sources, and when it happened (epoch seconds,
    None if unknown)."""

    text: str
    sources: Sequence[str]
    at: float | None = None

    def __post_init__(self) -> None:
        self.sources = tuple(dict.fromkeys(self.sources))[:_MOST_CITED]


@dataclass(slots=True, eq=False)
class Span:
    """The phase called `name` of a project. `began` and `ended` are in epoch seconds; `given` has
    lines that are known already, by section."""

    name: str
    project: str
    began: float
    ended: float
    given: Mapping[str, Sequence[Line]] = field(default_factory=dict)

    @property
    def ref(self) -> str:
        """The reference that identifies it within the project."""
        return f"{PHASE} {self.name} {format_instant(self.ended)}"

    @property
    def heading(self) -> str:
        """Its heading: the phase, the project and the days."""
        first, last = format_day(self.began), format_day(self.ended)
        days = first if first == last else f"{first} to {last}"
        about = f" on {quote_links(self.project)}" if self.project else ""
        return f"{self.name.capitalize()}{about}, {days}"


class Crystal:
    """The digest's lines by section, at most MOST_LINES each; `left` counts the lines of each
    section that had no room."""

    def __init__(self, sections: Mapping[str, Sequence[Line]]) -> None:
        given = {name: tuple(sections.get(name, ())) for name in SECTIONS}
        self.sections = {name: lines[: MOST_LINES[name]] for name, lines in given.items()}
        self.left = {name: len(lines) - len(self.sections[name]) for name, lines in given.items()}

    @property
    def sources(self) -> tuple[str, ...]:
        """Every cited id, once, in the order of the lines."""
        lines = (line for name in SECTIONS for line in self.sections[name])
        return tuple(dict.fromkeys(source for line in lines for source in line.sources))

    @property
    def empty(self) -> bool:
        """Whether it has no line, or only the question, on which nobody worked."""
        return not any(self.sections[name] for name in SECTIONS[1:])


def compose_body(span: Span, crystal: Crystal, name_of: Callable[[str], str]) -> str:
    """Return the digest as a note's body. `name_of` gives the name by which to link to an id."""
    asked = crystal.sections[QUESTION]
    about = f": {quote_links(shorten(asked[0].text, _TITLE))}" if asked else ""
    parts = [f"# {span.heading}{about}"]
    for name in SECTIONS:
        lines = [
            " ".join(
                [f"- {quote(shorten(line.text, LONGEST_LINE))}"]
                + [_cite(name_of(source)) for source in line.sources]
            )
            for line in crystal.sections[name]
        ]
        if crystal.left[name]:
            lines.append(f"\nAnd {crystal.left[name]} more.")
        if lines:
            parts.append(f"## {name}\n\n" + "\n".join(lines))
    return "\n\n".join(parts) + "\n"


def _cite(name: str) -> str:
    """Return a link to a name, or the name as code if a link can't contain it."""
    return code_span(name) if UNLINKABLE.search(name) else f"[[{name}]]"
