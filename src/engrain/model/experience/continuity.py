"""CONTINUITY.md: what an agent is doing right now, in sections, beside what a person writes there
(S2.1).

It references long-term memory and never repeats it: an entry is named by its id, with its title.
Whatever else stands in the file stays as it is, and so do the lines that a person adds to a
section.
"""

from __future__ import annotations

from engrain.language.text.blocks import join_outline, split_outline, tame
from engrain.language.text.lines import quote_links, shorten
from engrain.model.note.note import hash_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

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
"""The field that marks a goal that nobody set: the text with this digest came from a prompt, a
feature or the plan. Once a person edits the goal it is theirs."""

GOAL_LINE = "Goal: "
"""How the line of `progress.md` begins with the goal of a phase that ended."""

_SKILL = "procedural"
_LONGEST_TITLE = 120
_OPENS = "- ["
"""How a line begins that is a reference: those are written anew, all others are a person's."""


def start_body(project: str) -> str:
    """The text of a new file."""
    return f"# Continuity: {' '.join(project.split())}\n"


def read_section(body: str, name: str) -> str:
    """The text of a section, "" where there is none."""
    found = (under for line, under in split_outline(body)[1] if _is(line, name))
    return next(found, "").strip("\n").rstrip()


def mark_prompted(goal: str) -> str:
    """What the field `PROMPTED` says of a goal that nobody set."""
    return "prompt-" + hash_bytes(goal.encode())[:12]


def is_prompted(fields: Mapping[str, Value], goal: str) -> bool:
    """Whether nobody set or edited a goal."""
    return bool(goal) and fields.get(PROMPTED) == mark_prompted(goal)


def write_section(body: str, name: str, text: str) -> str:
    """The body with this text in a section, which is made in its place, and which goes where the
    text is empty. The same text leaves every byte as it is."""
    text = tame(text)
    if read_section(body, name) == text:
        return body
    head, sections = split_outline(body)
    place = next((at for at, (line, _) in enumerate(sections) if _is(line, name)), None)
    if place is None:
        place = _find_place([line for line, _ in sections], name)
        sections.insert(place, ("", ""))
    sections[place : place + 1] = [(f"## {name}\n", f"{text}\n")] if text else []
    return join_outline(head, sections)


def write_references(body: str, name: str, lines: Sequence[str]) -> str:
    """The body with these references in a section, behind what a person wrote there."""
    there = read_section(body, name).split("\n")
    kept = [line for line in there if not line.startswith(_OPENS)]
    return write_section(body, name, "\n".join([*kept, *lines]))


def drop_lines(body: str, name: str, openings: tuple[str, ...]) -> str:
    """The body without the lines of a section that begin so."""
    lines = read_section(body, name).split("\n")
    return write_section(body, name, "\n".join(o for o in lines if not o.startswith(openings)))


def list_references(body: str, name: str) -> list[str]:
    """The lines of a section that say something, each less its mark."""
    lines = read_section(body, name).split("\n")
    return [line.strip().removeprefix("- ") for line in lines if line.strip()]


def make_reference(id_: str, title: str, kind: str, slug: str = "") -> str:
    """The line that names an entry: a skill by its slug, as loki does, any other by its id."""
    title = quote_links(shorten(title, _LONGEST_TITLE))
    name = name_reference(id_, kind, slug)
    return f"{name} {title}" if kind == _SKILL and slug else f"{name} {title} ({kind})"


def name_reference(id_: str, kind: str = "", slug: str = "") -> str:
    """How the line begins that names an entry."""
    name = f"skill: {slug}" if kind == _SKILL and slug else id_
    return f"{_OPENS}{' '.join(name.split())}]"


def _is(line: str, name: str) -> bool:
    return line.rstrip() == f"## {name}"


def _find_place(lines: Sequence[str], name: str) -> int:
    """Where among the sections a new one belongs: behind those that come before it."""
    before = SECTIONS[: SECTIONS.index(name)]
    places = (at + 1 for at, line in enumerate(lines) if any(_is(line, one) for one in before))
    return max(places, default=0)
