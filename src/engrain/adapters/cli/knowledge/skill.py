"""`engrain skill`: find, add and export skills."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Literal

from engrain.adapters.cli.base import (
    AllProjects,
    Answer,
    MemoryCommand,
    argument,
    arguments,
    flag,
    option,
    options,
)
from engrain.adapters.cli.reading import list_here, read_text
from engrain.adapters.present.outline import outline_lines, table_lines
from engrain.adapters.present.records import Data, answer_outcome, describe_row, fields
from engrain.adapters.present.text import clean, clean_line, elsewhere_lines, style
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.episodes.skills import ListedSkill
from engrain.model.errors import ConflictError, EngrainError, StorageError, UsageError
from engrain.model.experience.skills import MAIN, describe_skill, parse_skill
from engrain.model.note.tiers import ORIGINS
from engrain.resolution.files import replace_file

_SHOWN = (
    "id", "path", "status", "origin", "usage_count", "success_count", "failure_count", "last_used",
    "doubtful",
)  # fmt: skip
_PARTS = {"needs": "prerequisites", "step": "steps", "error": "errors", "exit": "exit_criteria"}


@dataclass(kw_only=True)
class ListSkills(AllProjects, MemoryCommand):
    """List the skills."""

    examples = "engrain skill list"

    def run_in(self, memory: Memory) -> Answer:
        skills, elsewhere = list_here(
            lambda everywhere: memory.skills.list(scope=Scope(all_projects=everywhere)),
            self.all_projects,
        )
        listed = [_describe(skill) for skill in skills]
        columns = "id usage_count success_count failure_count doubtful origin name description"
        lines = table_lines(listed, columns, "No skills.")
        data = {"skills": listed, "elsewhere": elsewhere}
        return data, [*lines, *elsewhere_lines(elsewhere)]


@dataclass(kw_only=True)
class ShowSkill(MemoryCommand):
    """Show a skill."""

    skill: str = argument("a skill, by its id, slug or title", "SKILL")

    def run_in(self, memory: Memory) -> Answer:
        skill = memory.skills.show(self.skill)
        parsed = parse_skill(skill.entry.note.body, skill.entry.title)
        data = {
            **_describe(skill),
            **fields(parsed, "prerequisites steps exit_criteria"),
            "errors": [{"error": error, "fix": fix} for error, fix in parsed.errors],
            **fields(skill.entry, "derived_from text=note.body"),
        }
        facts = outline_lines({name: data[name] for name in _SHOWN})
        return data, [*facts, "", *clean(skill.entry.note.body).splitlines()]


@dataclass(kw_only=True)
class FindSkills(MemoryCommand):
    """Find skills for a task."""

    examples = 'engrain skill find "add an endpoint for invoices"'
    words: list[str] = arguments("the task", "WORD", required=True)
    limit: int | None = option("at most N; else 3", "N")

    def run_in(self, memory: Memory) -> Answer:
        limit = 3 if self.limit is None else self.limit
        found = memory.skills.find(" ".join(self.words), limit, outside=True)
        listed = [
            {**describe_row(one.row), "score": round(one.row.score, 6), "text": one.text}
            for one in found
        ]
        lines = table_lines(listed, "id source score title", "No skill applies.")
        return {"skills": listed}, lines


@dataclass(kw_only=True)
class AddSkill(MemoryCommand):
    """Add a skill."""

    examples = """
engrain skill add --title Release --needs "CI is green" --step "Tag the commit" \
--step "Run the pipeline" --error "Tag exists: delete it first" --exit "It is on PyPI"
engrain skill add - < release.md
"""
    words: list[str] = arguments("the text, or -", "WORD")
    title: str | None = option("what the skill is called", "T")
    needs: list[str] = options("a prerequisite", "P")
    step: list[str] = options("a step", "S")
    error: list[str] = options("an error, its fix", "E: FIX")
    exit: list[str] = options("an exit criterion", "C")
    tag: list[str] = options("a tag; may be repeated", "T")
    trust: str | None = option("its origin; else agent", choices=ORIGINS)

    def run_in(self, memory: Memory) -> Answer:
        skill = parse_skill(read_text(" ".join(self.words)))
        skill.name = self.title or skill.name
        for part, field in _PARTS.items():
            for text in getattr(self, part):
                error, _, fix = text.partition(": ")
                getattr(skill, field).append((error, fix) if field == "errors" else text)
        project = self.project
        outcome = memory.skills.add(skill, tags=self.tag or None, project=project, source="cli")
        return answer_outcome(outcome)


@dataclass(kw_only=True)
class UseSkill(MemoryCommand):
    """Record a use of a skill and how it ended."""

    examples = 'engrain skill use release --outcome failure --note "the token had expired"'
    skill: str = argument("a skill, by its id, slug or title", "SKILL")
    outcome: Literal["success", "failure"] = option("how it ended", required=True)
    note: str | None = option("kept in the history", "TEXT")

    def run_in(self, memory: Memory) -> Answer:
        outcome = memory.skills.note_use(self.skill, self.outcome, self.note or "")
        return _describe(memory.skills.show(outcome.id))


@dataclass(kw_only=True)
class ExportSkills(AllProjects, MemoryCommand):
    """Write skills as folders. One that is in the way stops none of the others."""

    examples = """
engrain skill export release ./skills
engrain skill export --all ~/.claude/skills
"""
    words: list[str] = arguments("skills, and a folder at the end", "WORD")
    all: bool = flag("all vouched skills")
    force: bool = flag("overwrite existing files")

    def check(self) -> None:
        if not self.words or (len(self.words) == 1) != self.all:
            raise UsageError(
                "export takes skills and a folder, or --all and a folder",
                remedy="engrain skill export release ./skills",
            )

    def run_in(self, memory: Memory) -> Answer:
        *references, folder = self.words
        vault = os.path.realpath(self.resolve().location)
        if f"{os.path.realpath(folder)}/".startswith(f"{vault}/"):
            raise UsageError("the folder lies in the vault", path=folder, remedy="name one outside")
        problems: list[tuple[str, str]] = []
        if self.all:
            for skill in memory.skills.list(scope=Scope(all_projects=self.all_projects)):
                if skill.origin == "external":
                    why = "its origin is external: `engrain review vouch` it first"
                    problems.append((skill.row.id, why))
                else:
                    references.append(skill.row.id)
        given: list[Data] = []
        failed: EngrainError | None = None
        for reference in references:
            try:
                name, raw = memory.skills.export(reference)
                given.append(
                    {"name": name, "path": write_folder(folder, name, raw, force=self.force)}
                )
            except EngrainError as error:
                failed = failed or error
                problems.append((reference, error.message))
        if failed and not given and not self.all:
            raise failed
        lines = [
            f"{style('title', str(one['name']))}  {clean_line(str(one['path']))}" for one in given
        ]
        lines = lines or ["No skill was written."]
        lines += [f"left out: {clean_line(about)}: {clean_line(why)}" for about, why in problems]
        described = [{"about": about, "message": why} for about, why in problems]
        return {"skills": given, "problems": described}, lines


def write_folder(folder: str, name: str, raw: bytes, *, force: bool = False) -> str:
    """Write `SKILL.md` into the skill's own folder below `folder`; return that. An existing one is
    refused without `force`, and keeps its other files with it. Raises ConflictError,
    StorageError."""
    place = os.path.join(folder, name)
    if os.path.lexists(place) and not force:
        raise ConflictError(
            f"{place} is there already", path=place, remedy="--force writes over its file"
        )
    if os.path.islink(place):
        raise ConflictError(f"{place} is a link", path=place, remedy="remove it first")
    try:
        replace_file(os.path.join(place, MAIN), raw)
    except OSError as error:
        raise StorageError(f"can't write: {error.strerror}", path=place) from None
    return place


def _describe(skill: ListedSkill) -> Data:
    parsed = parse_skill(skill.entry.note.body, skill.entry.title)
    return {
        **describe_row(skill.row),
        "name": parsed.name,
        "description": describe_skill(parsed),
        "origin": skill.origin,
        **fields(
            skill.service,
            "usage_count=uses success_count=successes failure_count=failures last_used@ doubtful",
        ),
    }


COMMAND = {
    "list": ListSkills,
    "show": ShowSkill,
    "find": FindSkills,
    "add": AddSkill,
    "use": UseSkill,
    "export": ExportSkills,
}
