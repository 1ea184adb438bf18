"""Skills: how something is done, step by step (S2.4), as a value and in loki's template.

Reading is lenient: headings by other names, bullets for numbers, missing sections. Writing keeps
every unchanged part byte for byte.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from typing import Any

from engrain.language.text.instants import read_instant
from engrain.model.note.documents import count_of
from engrain.model.note.entry import Entry

LEAST_RELIABLE = 0.5
"""The least factor of a skill's score, however often it failed."""


@dataclass(slots=True, eq=False)
class Service:
    """How often a skill was used, succeeded and failed, and when it was used last (epoch
    seconds)."""

    uses: int
    successes: int
    failures: int
    last_used: float | None

    @property
    def doubtful(self) -> bool:
        """Whether it failed more often than it succeeded."""
        return self.failures > self.successes

    @property
    def factor(self) -> float:
        """The factor of its score: 1, for a doubtful skill a half plus its rate of success by the
        rule of succession, (successes + 1) / (successes + failures + 2). One failure gives 0.83,
        four give 0.67."""
        rate = (self.successes + 1) / (self.successes + self.failures + 2)
        return LEAST_RELIABLE + rate if self.doubtful else 1.0


def read_service(entry: Entry) -> Service:
    """Read the use of the skill in an entry; a value that is no count is 0."""
    uses, successes, failures = (
        count_of(entry.fields.get(name))
        for name in ("usage_count", "success_count", "failure_count")
    )
    return Service(uses, successes, failures, read_instant(entry.fields.get("last_used")))


KIND = "procedural"
_PREFIX = "Skill: "

# Field -> the template's heading, and other names that people give it.
_HEADINGS = {
    "prerequisites": ("Prerequisites", "requirements", "before you start"),
    "steps": ("Steps", "procedure"),
    "errors": (
        "Common Errors & Fixes", "common errors and fixes", "common errors", "errors and fixes",
        "troubleshooting",
    ),
    "exit_criteria": ("Exit Criteria", "done when", "definition of done"),
}  # fmt: skip
_FIELDS = {name.casefold(): field for field, names in _HEADINGS.items() for name in names}

_FENCE = re.compile(r"[ \t]*(`{3,}|~{3,})")
_SECTION = re.compile(r"\A##[ \t]++(.+?)(?<![ \t#])[ \t#]*+\Z")
_ITEM = re.compile(r"( {0,3}(?:[-*+]|[0-9]{1,9}[.)])[ \t]+)(.*)\Z", re.DOTALL)
_CODE = re.compile(r"(?<!`)(`{1,3})(?!`)[^\n]{1,400}?(?<!`)\1(?!`)")


@dataclass(slots=True, eq=False)
class Skill:
    """One skill. `name` is its title without `Skill:`, `description` its first paragraph, `errors`
    are pairs of an error and its fix ("" for none). A changed list or text is written anew by
    `compose_skill`, which leaves the other parts."""

    name: str
    description: str = ""
    _: KW_ONLY
    prerequisites: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)
    exit_criteria: list[str] = field(default_factory=list)
    parts: Sequence[SkillPart] = ()

    def __post_init__(self) -> None:
        for name in _HEADINGS:  # copies, so that a changed list differs from the part it came from
            setattr(self, name, list(getattr(self, name)))

    @property
    def rest(self) -> str:
        """The text that the template has no place for, as it was written."""
        return "".join(part.text for part in self.parts if not part.field)


@dataclass(slots=True, eq=False)
class SkillPart:
    """A part of a skill's text: its `field` ("" for none), the `value` read from it, and the
    `opening` before its first item."""

    field: str
    text: str
    value: Any = None
    opening: str = ""


def parse_skill(body: str, name: str = "") -> Skill:
    """Read the skill in a note's body, called `name` if no heading names it."""
    parts: list[SkillPart] = []
    for heading, lines in _split(body):
        if heading is None:
            parts += _read_head(lines)
            continue
        field = _FIELDS.get(" ".join(heading.casefold().split()), "")
        if not field or any(part.field == field for part in parts):
            parts.append(SkillPart("", "".join(lines)))
            continue
        opening, items = _read_items(lines)
        value = [_split_error(item) for item in items] if field == "errors" else items
        parts.append(SkillPart(field, "".join(lines), value, opening))
    if not any(part.field == "name" for part in parts):
        parts.insert(0, SkillPart("name", "", name))
    said = {part.field: part.value for part in parts if part.field}
    return Skill(said.pop("name", name), said.pop("description", ""), parts=parts, **said)


def compose_skill(skill: Skill) -> str:
    """Return a skill as a note's body: the text it was read from, with changed parts written
    anew."""
    parts = list(skill.parts) or [SkillPart("name", "")]
    if not any(part.field == "description" for part in parts):
        at = next(n for n, part in enumerate(parts) if part.field == "name")
        parts.insert(at + 1, SkillPart("description", "", ""))
    said = {part.field for part in parts}
    parts += [SkillPart(field, "", []) for field in _HEADINGS if field not in said]
    out, anew = "", False
    for part in parts:
        value = getattr(skill, part.field) if part.field else part.value
        if value != part.value:
            if part.field in _HEADINGS:
                out = out.rstrip("\n") + "\n\n" if out.strip() else ""
            out += _render(part.field, value, part.opening)
            anew = True
        elif part.text:
            out += part.text
            anew = False
    return out.rstrip("\n") + "\n" if anew else out


def describe_skill(skill: Skill) -> str:
    """Return on one line what a skill is for: its description, else its name and first steps."""
    if said := " ".join(skill.description.split()):
        return said
    steps = "; ".join(" ".join(step.split()) for step in skill.steps[:3])
    return f"{skill.name}: {steps}" if skill.steps else skill.name


def split_fenced(lines: Iterable[str]) -> Iterator[tuple[str, bool]]:
    """Yield lines, each with whether it belongs to a fenced block of code, fences included."""
    mark = ""
    for line in lines:
        found = _FENCE.match(line)
        if mark:
            yield line, True
            if found and found[1].startswith(mark) and not line[found.end() :].strip():
                mark = ""
        else:
            mark = found[1] if found else ""
            yield line, bool(mark)


def _split(body: str) -> Iterator[tuple[str | None, list[str]]]:
    """Yield the body's sections as (heading, lines with it), first the text before any heading."""
    heading: str | None = None
    lines: list[str] = []
    for line, fenced in split_fenced(body.splitlines(keepends=True)):
        found = None if fenced else _SECTION.match(line.rstrip())
        if found:
            yield heading, lines
            heading, lines = found[1], []
        lines.append(line)
    yield heading, lines


def _read_head(lines: Sequence[str]) -> Iterator[SkillPart]:
    """Yield the parts before the first section: the title, the description, the rest."""
    at = next((n for n, line in enumerate(lines) if line.strip("\ufeff \t\r\n")), len(lines))
    if at < len(lines) and lines[at].lstrip("\ufeff \t").startswith("# "):
        title = lines[at].lstrip("\ufeff \t")[2:].strip()
        name = title.removeprefix(_PREFIX).strip() or title
        prefix = "# " + (_PREFIX if title != name else "")
        end = _skip_blank(lines, at + 1)
        yield SkillPart("name", "".join(lines[:end]), name, prefix)
        at = end
    elif at:
        yield SkillPart("", "".join(lines[:at]))
    end = at
    while end < len(lines) and _is_prose(lines[end]):
        end += 1
    if end > at:
        behind = _skip_blank(lines, end)
        said = "".join(lines[at:end]).strip()
        yield SkillPart("description", "".join(lines[at:behind]), said)
        end = behind
    if end < len(lines):
        yield SkillPart("", "".join(lines[end:]))


def _is_prose(line: str) -> bool:
    return bool(line.strip()) and not (
        _ITEM.match(line) or _FENCE.match(line) or line.lstrip()[:1] in "#>|<"
    )


def _skip_blank(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and not lines[at].strip():
        at += 1
    return at


def _read_items(lines: Sequence[str]) -> tuple[str, list[str]]:
    """Return the text before a section's list, and its items with the lines behind each."""
    opening = ""
    items: list[list[str]] = []
    width = 0
    for line, fenced in split_fenced(lines):
        found = None if fenced else _ITEM.match(line)
        if found:
            width = len(found[1])
            items.append([found[2]])
        elif items:
            blank = len(line) - len(line.lstrip(" "))
            items[-1].append(line[min(blank, width) :])
        else:
            opening += line
    return opening, ["\n".join(line.rstrip() for line in item).strip() for item in items]


def _split_error(item: str) -> tuple[str, str]:
    """Split an item into an error and its fix, at the first colon outside of code."""
    hidden = _CODE.sub(lambda found: "x" * len(found[0]), item)
    at = hidden.find(": ")
    return (item[:at].strip(), item[at + 2 :].strip()) if at > 0 else (item, "")


def _render(field: str, value: Any, opening: str) -> str:
    if field == "name":
        return f"{opening or '# ' + _PREFIX}{value}\n\n"
    if field == "description":
        return f"{value}\n\n" if value else ""
    if not value and not opening:
        return ""
    items = [f"{one}: {fix}" if fix else one for one, fix in value] if field == "errors" else value
    out = opening or f"## {_HEADINGS[field][0]}\n"
    out += "" if out.endswith("\n") else "\n"
    for number, item in enumerate(items, 1):
        out += _render_item(f"{number}. " if field == "steps" else "- ", item)
    return out + "\n"


def _render_item(mark: str, item: str) -> str:
    first, *more = item.split("\n")
    lines = [mark + first, *(" " * len(mark) + line if line else "" for line in more)]
    return "\n".join(lines) + "\n"
