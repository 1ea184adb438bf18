"""CONTINUITY.md: what an agent is doing right now, in sections, beside what a person writes there
(S2.1).

It refers to long-term memory and never repeats it: a reference is an entry's id with its title.
All other text of the file stays, and so do the lines that a person adds to a section.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from engrain.language.text.blocks import join_outline, split_outline, tame
from engrain.language.text.fences import quote_links, shorten
from engrain.model.note.note import hash_bytes

if TYPE_CHECKING:
    from engrain.model.note.field import Value


GOAL = "Goal"
LAST_ASKED = "Last Asked"
STATE = "State"
NEXT_STEP = "Next Step"
RELEVANT = "Relevant Memories (Auto-Retrieved)"
MISTAKES = "Mistakes to Avoid (From Learnings)"
SECTIONS = (GOAL, LAST_ASKED, STATE, NEXT_STEP, RELEVANT, MISTAKES)
"""In the order in which they are written."""

PROMPTED = "goal_from"
"""The field with the digest of a goal that nobody set, but that came from a prompt, a feature or
the plan. Once a person edits the goal it is theirs."""

GOAL_LINE = "Goal: "
"""Begins the line of `progress.md` with the goal of a phase that ended."""

_SKILL = "procedural"
_LONGEST_TITLE = 120
_BY_SLUG = "skill: "
_OPENS = "- ["
"""Begins the line of a reference: those are written anew, all others are a person's."""


def start_body(project: str) -> str:
    """Return the text of a new file."""
    return f"# Continuity: {' '.join(project.split())}\n"


def read_section(body: str, name: str) -> str:
    """Return the text of a section, "" if there is none."""
    found = (under for line, under in split_outline(body)[1] if line.rstrip() == f"## {name}")
    return next(found, "").strip("\n").rstrip()


def mark_prompted(goal: str) -> str:
    """Return the value of the field `PROMPTED` for a goal that nobody set."""
    return "prompt-" + hash_bytes(goal.encode())[:12]


def is_prompted(fields: Mapping[str, Value], goal: str) -> bool:
    """Whether the goal was neither set nor edited by anybody."""
    return bool(goal) and fields.get(PROMPTED) == mark_prompted(goal)


def write_section(body: str, name: str, text: str) -> str:
    """Return the body with this text in a section. A missing section is added at its place in
    SECTIONS, an empty text removes it, and the same text leaves every byte as it is."""
    text = tame(text)
    if read_section(body, name) == text:
        return body
    head, sections = split_outline(body)
    lines = [line.rstrip() for line, _ in sections]
    if f"## {name}" in lines:
        place = lines.index(f"## {name}")
    else:
        before = [f"## {one}" for one in SECTIONS[: SECTIONS.index(name)]]
        place = max((at + 1 for at, line in enumerate(lines) if line in before), default=0)
        sections.insert(place, ("", ""))
    sections[place : place + 1] = [(f"## {name}\n", f"{text}\n")] if text else []
    return join_outline(head, sections)


def write_references(body: str, name: str, lines: Sequence[str]) -> str:
    """Return the body with these references in a section, behind what a person wrote there."""
    there = read_section(body, name).split("\n")
    kept = [line for line in there if not line.startswith(_OPENS)]
    return write_section(body, name, "\n".join([*kept, *lines]))


def list_references(body: str, name: str) -> list[str]:
    """Return the lines of a section that are not blank, each without its `- `."""
    lines = read_section(body, name).split("\n")
    return [line.strip().removeprefix("- ") for line in lines if line.strip()]


def make_reference(id_: str, title: str, kind: str, slug: str = "") -> str:
    """Return the reference to an entry: a skill by its slug, as loki does, any other by its id."""
    title = quote_links(shorten(title, _LONGEST_TITLE))
    if kind == _SKILL and slug:
        return f"{_OPENS}{_BY_SLUG}{slug}] {title}"
    return f"{_OPENS}{' '.join(id_.split())}] {title} ({kind})"


def name_referred(line: str) -> str:
    """Return the id or slug in the line of a reference, "" in any other line."""
    if not line.startswith(_OPENS):
        return ""
    return line.removeprefix(_OPENS).partition("]")[0].removeprefix(_BY_SLUG)
