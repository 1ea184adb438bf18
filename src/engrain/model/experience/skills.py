"""Skills: how something is done, step by step (S2.4), as a value and in loki's template.

Reading is lenient: headings by other names, bullets for numbers, missing sections. A skill that was
not changed is written as it was read. It can be written as `SKILL.md` too, the file that agents'
hosts load (Agent Skills, agentskills.io): name and description in the frontmatter, then the text.
"""

from __future__ import annotations

import json
import re
import unicodedata
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from itertools import count

from engrain.language.text.fences import shorten
from engrain.language.text.instants import read_instant
from engrain.model.note.documents import count_of
from engrain.model.note.entry import Entry
from engrain.model.note.note import hash_bytes, render_value

MAIN = "SKILL.md"
MOST_NAME, MOST_DESCRIPTION = 64, 1024
"""The most characters that the format allows."""
_TAGS = "engrain-tags"
"""The key of `metadata`, which hosts ignore, for the tags of the note."""


def write_skill(slug: str, body: str, tags: Sequence[str] = ()) -> tuple[str, bytes]:
    """Return the name of the skill's folder, and the bytes of `SKILL.md` in it."""
    name = skill_name(slug)
    said = shorten(describe_skill(parse_skill(body)), MOST_DESCRIPTION)
    lines = [f"name: {name}", f"description: {_scalar(said)}"]
    if tags:
        lines += ["metadata:", f"  {_TAGS}: {_scalar(' '.join(tags))}"]
    return name, "\n".join(["---", *lines, "---", "", body]).encode()


def _scalar(value: str) -> str:
    """Return a text as YAML on one line. Hosts end the frontmatter at three hyphens wherever they
    stand, so none are written."""
    rendered = render_value(value)
    if "---" not in rendered:
        return rendered
    return json.dumps(value, ensure_ascii=False).replace("---", "-\\u002d-")


def skill_name(slug: str) -> str:
    """Return a name that the format allows: a-z, 0-9 and single hyphens, 64 at most."""
    plain = unicodedata.normalize("NFKD", slug).encode("ascii", "ignore").decode().lower()
    name = re.sub("[^a-z0-9]+", "-", plain)[:MOST_NAME].strip("-")
    return name or "skill-" + hash_bytes(slug.encode())[:8]


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


@dataclass(slots=True)
class Skill:
    """One skill. `name` is its title without `Skill:`, `description` its first paragraph, `errors`
    are pairs of an error and its fix ("" for none), `rest` what the template has no place for, and
    `text` the body that it was read from, None for one that was made here."""

    name: str
    description: str = ""
    _: KW_ONLY
    prerequisites: list[str] = field(default_factory=list)
    steps: list[str] = field(default_factory=list)
    errors: list[tuple[str, str]] = field(default_factory=list)
    exit_criteria: list[str] = field(default_factory=list)
    rest: str = ""
    text: str | None = None


def parse_skill(body: str, name: str = "") -> Skill:
    """Read the skill in a note's body, called `name` if no heading names it."""
    skill = Skill(name, text=body)
    for heading, lines in _split(body):
        if heading is None:
            _read_head(skill, lines)
            continue
        field = _FIELDS.get(" ".join(heading.casefold().split()), "")
        opening, items = _read_items(lines)
        if not field or getattr(skill, field) or not items:
            skill.rest += "".join(lines)
            continue
        setattr(skill, field, list(map(_split_error, items)) if field == "errors" else items)
        said = opening.partition("\n")[2]
        skill.rest += said if said.strip() else ""
    return skill


def compose_skill(skill: Skill) -> str:
    """Return a skill as a note's body: the text it was read from, or by the template if it was
    changed since."""
    if skill.text is not None and parse_skill(skill.text, skill.name) == skill:
        return skill.text
    (_, head), *others = _split(skill.rest)
    parts = [f"# {_PREFIX}{skill.name}\n", f"{skill.description}\n", "".join(head)]
    for part, (heading, *_) in _HEADINGS.items():
        items = getattr(skill, part)
        if part == "errors":
            items = [f"{one}: {fix}" if fix else one for one, fix in items]
        marks = (f"{number}. " if part == "steps" else "- " for number in count(1))
        listed = "".join(map(_render_item, marks, items))
        parts.append(f"## {heading}\n{listed}" if listed else "")
    parts += ["".join(lines) for _, lines in others]
    return "\n".join(part.strip("\r\n") + "\n" for part in parts if part.strip())


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


def _read_head(skill: Skill, lines: Sequence[str]) -> None:
    """Read the text before the first section: the title, the description, the rest."""
    at = _skip_blank(lines, 0)
    if at < len(lines) and lines[at].lstrip("\ufeff \t").startswith("# "):
        title = lines[at].lstrip("\ufeff \t")[2:].strip()
        skill.name = title.removeprefix(_PREFIX).strip() or title
        at = _skip_blank(lines, at + 1)
    end = at
    while end < len(lines) and _is_prose(lines[end]):
        end += 1
    skill.description = "".join(lines[at:end]).strip()
    skill.rest = "".join(lines[_skip_blank(lines, end) :])


def _is_prose(line: str) -> bool:
    return bool(line.strip()) and not (
        _ITEM.match(line) or _FENCE.match(line) or line.lstrip()[:1] in "#>|<"
    )


def _skip_blank(lines: Sequence[str], at: int) -> int:
    while at < len(lines) and not lines[at].strip("\ufeff \t\r\n"):
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


def _render_item(mark: str, item: str) -> str:
    first, *more = item.split("\n")
    lines = [mark + first, *(" " * len(mark) + line if line else "" for line in more)]
    return "\n".join(lines) + "\n"
