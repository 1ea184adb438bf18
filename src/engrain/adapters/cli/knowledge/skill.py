"""`engrain skill`: find, add and export skills."""

from __future__ import annotations

import os
from collections.abc import Iterator

from engrain.adapters.cli.files import write_anew
from engrain.adapters.cli.options import (
    Answer,
    Arguments,
    Command,
    list_here,
    one_of,
    read_text,
    resolve_from,
)
from engrain.adapters.present.records import Data, answer_outcome, describe_row, fields
from engrain.adapters.present.text import (
    beyond_title,
    bold,
    clean,
    clean_line,
    day_of,
    elsewhere_lines,
    excerpt,
    style,
)
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.episodes.skills import ListedSkill
from engrain.model.errors import ConflictError, EngrainError, StorageError, UsageError
from engrain.model.experience.skills import MAIN, describe_skill, parse_skill
from engrain.model.note.tiers import ORIGINS

_PARTS = {"needs": "prerequisites", "step": "steps", "error": "errors", "exit": "exit_criteria"}
_WORDS = {
    "show": "a skill",
    "find": "a task",
    "use": "a skill",
    "export": "a skill, or --all, and a folder",
}
"""What an action can't do without."""


def _check(args: Arguments) -> None:
    if args.action in _WORDS and not args.words:
        raise UsageError(
            f"skill {args.action} needs {_WORDS[args.action]}",
            remedy="`engrain skill list` shows the skills",
        )
    if args.action in ("show", "use") and len(args.words) > 1:
        raise UsageError(f"skill {args.action} takes one skill")
    if args.action == "use" and args.outcome is None:
        raise UsageError("the outcome is missing", remedy="give --outcome success, or failure")
    if args.action == "export" and (len(args.words) == 1) != args.all:
        raise UsageError(
            "export takes skills and a folder, or --all and a folder",
            remedy="engrain skill export release ./skills",
        )
    args.trust = args.trust or "agent"


def _list(memory: Memory, args: Arguments) -> Answer:
    skills, elsewhere = list_here(
        lambda everywhere: memory.skills.list(scope=Scope(all_projects=everywhere)),
        args.all_projects,
    )
    lines = [line for skill in skills for line in _listed_lines(skill)]
    lines.append(style("dim", f"{len(skills)} in all") if skills else "No skills.")
    data = {"skills": [_describe(skill) for skill in skills], "elsewhere": elsewhere}
    return data, [*lines, *elsewhere_lines(elsewhere)]


def _show(memory: Memory, args: Arguments) -> Answer:
    skill = memory.skills.show(args.words[0])
    parsed = parse_skill(skill.entry.note.body, skill.entry.title)
    data = {
        **_describe(skill),
        **fields(parsed, "prerequisites steps exit_criteria"),
        "errors": [{"error": error, "fix": fix} for error, fix in parsed.errors],
        **fields(skill.entry, "derived_from text=note.body"),
    }
    lines = [f"{style('dim', clean_line(skill.row.id))}  {clean(skill.row.locator)}"]
    if skill.entry.status != "active":
        lines.append(style("warning", f"it is {clean_line(skill.entry.status)}"))
    return data, [*lines, *_facts(skill), "", *clean(skill.entry.note.body).splitlines()]


def _find(memory: Memory, args: Arguments) -> Answer:
    limit = 3 if args.limit is None else args.limit
    found = memory.skills.find(" ".join(args.words), limit, outside=True)
    data = []
    lines = [] if found else ["No skill applies."]
    for number, one in enumerate(found, 1):
        row = one.row
        data.append({**describe_row(row), "score": round(row.score, 6), "text": one.text})
        facts = style("dim", f"({clean_line(row.source)} said, {row.score:.2f})")
        lines += [
            f"{number}. {bold(row.title)}  {facts}",
            style("dim", f"   {clean_line(row.id)}  {clean(row.locator)}"),
            f"   {excerpt(beyond_title(row.title, one.text))}",
        ]
    return {"skills": data}, lines


def _add(memory: Memory, args: Arguments) -> Answer:
    skill = parse_skill(read_text(" ".join(args.words)))
    skill.name = args.title or skill.name
    for option, field in _PARTS.items():
        for text in getattr(args, option):
            error, _, fix = text.partition(": ")
            getattr(skill, field).append((error, fix) if field == "errors" else text)
    project = args.project
    outcome = memory.skills.add(skill, tags=args.tag or None, project=project, source="cli")
    return answer_outcome(outcome)


def _use(memory: Memory, args: Arguments) -> Answer:
    outcome = memory.skills.note_use(args.words[0], args.outcome, args.note or "")
    skill = memory.skills.show(outcome.id)
    total = style("dim", "1 in all")
    return _describe(skill), [*_listed_lines(skill), total]


def _export(memory: Memory, args: Arguments) -> Answer:
    """Write skills as folders; one that is in the way stops none of the others."""
    *references, folder = args.words
    vault = os.path.realpath(resolve_from(args).location)
    if f"{os.path.realpath(folder)}/".startswith(f"{vault}/"):
        raise UsageError("the folder lies in the vault", path=folder, remedy="name one outside")
    problems: list[tuple[str, str]] = []
    if args.all:
        for skill in memory.skills.list(scope=Scope(all_projects=args.all_projects)):
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
            given.append({"name": name, "path": write_folder(folder, name, raw, force=args.force)})
        except EngrainError as error:
            failed = failed or error
            problems.append((reference, error.message))
    if failed and not given and not args.all:
        raise failed
    lines = [f"{style('title', str(one['name']))}  {clean_line(str(one['path']))}" for one in given]
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
        os.makedirs(place, exist_ok=True)
        write_anew(os.path.join(place, MAIN), [raw], force=True, mode=0o666)
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


def _listed_lines(skill: ListedSkill) -> Iterator[str]:
    parsed = parse_skill(skill.entry.note.body, skill.entry.title)
    yield f"{style('dim', clean_line(skill.row.id))}  {bold(parsed.name)}"
    yield "  " + excerpt(describe_skill(parsed), 160)
    yield from (f"  {line}" for line in _facts(skill))


def _facts(skill: ListedSkill) -> Iterator[str]:
    service = skill.service
    if service.uses:
        doubt = "; it fails more often than it serves" if service.doubtful else ""
        yield style(
            "bad" if service.doubtful else "dim",
            f"uses {service.uses}: {service.successes} success, {service.failures} failure, "
            f"last on {day_of(service.last_used)}{doubt}",
        )
    if skill.origin == "external":
        yield style("warning", "external, not vouched for")


COMMAND = Command(
    [_list, _show, _find, _add, _use, _export],
    f"""
<list|show|find|add|use|export>  the action
words=WORD*       show, use: a skill; find: the task; add: the text, or -;
                  export: skills, and a folder at the end
--limit N/int     find: at most N; else 3
--title T         add: what the skill is called
--needs P*        add: a prerequisite
--step S*         add: a step
--error E: FIX*   add: an error, its fix
--exit C*         add: an exit criterion
--tag T*          add: a tag; may be repeated
--outcome <success|failure>  use: how it ended
--note TEXT       use: kept in the history
--all             export: all vouched skills
--force           export: overwrite existing files
--all-projects    list, export: of all projects
--trust {one_of(ORIGINS)}  its origin; else agent
$ engrain skill list
$ engrain skill find "add an endpoint for invoices"
$ engrain skill add --title Release --needs "CI is green" --step "Tag the commit" \
--step "Run the pipeline" --error "Tag exists: delete it first" --exit "It is on PyPI"
$ engrain skill add - < release.md
$ engrain skill use release --outcome failure --note "the token had expired"
$ engrain skill export release ./skills
$ engrain skill export --all ~/.claude/skills
""",
    check=_check,
    strict=True,
)
