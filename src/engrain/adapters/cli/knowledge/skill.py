"""skill: how things are done."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Mapping
from itertools import chain

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.deciding import ask_by_code
from engrain.adapters.cli.knowledge.skill_folders import (
    Answer,
    count_deleted,
    export_skills,
    import_skills,
)
from engrain.adapters.cli.options import (
    ALLOW_ERASED,
    RESTORE_DELETED,
    Command,
    list_here,
    open_from,
    read_text,
    refuse_others,
)
from engrain.adapters.present.records import Data, describe_outcome
from engrain.adapters.present.skills import (
    describe_found,
    describe_listed,
    found_lines,
    listed_lines,
    shown_lines,
)
from engrain.adapters.present.text import clean_line, elsewhere_lines, outcome_lines
from engrain.engine.core.scope import Scope
from engrain.face.memory import Memory
from engrain.model.errors import UsageError
from engrain.model.experience.skills import parse_skill
from engrain.model.note.tiers import ORIGINS

_PARTS = {"needs": "prerequisites", "step": "steps", "error": "errors", "exit": "exit_criteria"}
_TRUST = {"import": "external"}
"""Whom what an action writes comes from, where nobody says so."""
_OWN = {
    "list": ("all_projects",),
    "show": ("words",),
    "find": ("words", "limit"),
    "add": ("words", "title", "tag", *_PARTS),
    "use": ("words", "outcome", "note"),
    "draft": ("dry_run",),
    "import": ("words", "allow_erased", "restore_deleted"),
    "export": ("words", "all", "force", "all_projects"),
}
"""What each action takes."""
_WORDS = {
    "show": "a skill",
    "find": "a task",
    "use": "a skill",
    "import": "a folder",
    "export": "a skill, or --all, and a folder",
}
"""What an action can't do without."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("action", choices=tuple(_OWN), help="what to do")
    parser.add_argument(
        "words",
        nargs="*",
        metavar="WORD",
        help="show, use: a skill; find: the task; add: the text, or -; import: folders; "
        "export: skills, and a folder at the end",
    )
    parser.add_argument("--limit", type=int, metavar="N", help="find: so many at most; 3")
    parser.add_argument("--title", metavar="T", help="add: what the skill is called")
    parser.add_argument("--needs", action="append", metavar="P", help="add: a prerequisite")
    parser.add_argument("--step", action="append", metavar="S", help="add: a step")
    parser.add_argument("--error", action="append", metavar="E: FIX", help="add: an error, its fix")
    parser.add_argument("--exit", action="append", metavar="C", help="add: an exit criterion")
    parser.add_argument("--tag", action="append", metavar="T", help="add: a tag; may be repeated")
    parser.add_argument("--outcome", choices=("success", "failure"), help="use: how it ended")
    parser.add_argument("--note", metavar="TEXT", help="use: kept in the history")
    parser.add_argument("--dry-run", action="store_true", help="draft: only tell")
    parser.add_argument("--all", action="store_true", help="export: all that somebody vouches for")
    parser.add_argument("--force", action="store_true", help="export: over what is there")
    parser.add_argument(
        "--all-projects", action="store_true", help="list, export --all: whatever the project"
    )
    parser.add_argument("--allow-erased", action="store_true", help=f"import: {ALLOW_ERASED}")
    parser.add_argument(
        "--restore-deleted",
        action=argparse.BooleanOptionalAction,
        help=f"import: {RESTORE_DELETED}",
    )
    parser.add_argument("--trust", choices=ORIGINS, help="who says so: agent; of import external")


def _skill(args: argparse.Namespace, console: Console) -> int:
    _check(args)
    args.asked, args.trust = args.trust, args.trust or _TRUST.get(args.action, "agent")
    with open_from(args) as memory:
        data, lines = _ACTIONS[args.action](args, memory, console)
        code = console.answer("skill", data, lines)
    if args.action == "import" and args.restore_deleted is None:
        return ask_by_code(console, count_deleted(data)) or code
    return code


def _check(args: argparse.Namespace) -> None:
    """Raises UsageError for what the action does not take, and for what it lacks."""
    refuse_others("skill", args, _OWN, {"words": "text"})
    if args.action in _WORDS and not args.words:
        raise UsageError(
            f"skill {args.action} needs {_WORDS[args.action]}",
            remedy="`engrain skill list` shows the skills",
        )
    if args.action in ("show", "use") and len(args.words) > 1:
        raise UsageError(f"skill {args.action} takes one skill")
    if args.action == "use" and args.outcome is None:
        raise UsageError("how did it end?", remedy="give --outcome success, or failure")
    if args.action == "export" and (len(args.words) == 1) != args.all:
        raise UsageError(
            "export takes skills and a folder, or --all and a folder",
            remedy="engrain skill export release ./skills",
        )


def _list(args: argparse.Namespace, memory: Memory, console: Console) -> Answer:
    skills, elsewhere = list_here(
        lambda everywhere: memory.skills(scope=Scope(all_projects=everywhere)), args.all_projects
    )
    data: Data = {"skills": [describe_listed(skill) for skill in skills], "elsewhere": elsewhere}
    return data, chain(listed_lines(skills, console.style), elsewhere_lines(elsewhere))


def _show(args: argparse.Namespace, memory: Memory, console: Console) -> Answer:
    skill = memory.show_skill(args.words[0])
    return describe_listed(skill, full=True), shown_lines(skill, console.style)


def _find(args: argparse.Namespace, memory: Memory, console: Console) -> Answer:
    limit = 3 if args.limit is None else args.limit
    found = memory.find_skills(" ".join(args.words), limit, outside=True)
    return {"skills": describe_found(found)}, found_lines(found, console.style)


def _add(args: argparse.Namespace, memory: Memory, console: Console) -> Answer:
    skill = parse_skill(read_text(" ".join(args.words), console))
    skill.name = args.title or skill.name
    for option, field in _PARTS.items():
        for text in getattr(args, option) or ():
            error, _, fix = text.partition(": ")
            getattr(skill, field).append((error, fix) if field == "errors" else text)
    outcome = memory.add_skill(
        skill, tags=args.tag, project=getattr(args, "project", None), source="cli"
    )
    return describe_outcome(outcome), outcome_lines(outcome, console.style)


def _use(args: argparse.Namespace, memory: Memory, console: Console) -> Answer:
    outcome = memory.note_skill_use(args.words[0], args.outcome, args.note or "")
    skill = memory.show_skill(outcome.id)
    return describe_listed(skill), listed_lines([skill], console.style)


def _draft(args: argparse.Namespace, memory: Memory, _: Console) -> Answer:
    report = memory.draft_skills(dry_run=args.dry_run)
    lines = list(report.lines) or ["Nothing to draft: no tasks succeeded alike often enough."]
    if report.counts["drafted"] and not args.dry_run:
        lines.append("`engrain review list --kind adopt` shows them")
    return {"counts": report.counts, "lines": list(report.lines)}, map(clean_line, lines)


_ACTIONS: Mapping[str, Callable[[argparse.Namespace, Memory, Console], Answer]] = {
    "list": _list,
    "show": _show,
    "find": _find,
    "add": _add,
    "use": _use,
    "draft": _draft,
    "import": import_skills,
    "export": export_skills,
}

COMMANDS = {
    "skill": Command(
        _arguments,
        _skill,
        "engrain skill list",
        'engrain skill find "add an endpoint for invoices"',
        'engrain skill add --title Release --needs "CI is green" --step "Tag the commit" '
        '--step "Run the pipeline" --error "Tag exists: delete it first" --exit "It is on PyPI"',
        "engrain skill add - < release.md",
        'engrain skill use release --outcome failure --note "the token had expired"',
        "engrain skill draft --dry-run",
        "engrain skill import ~/.claude/skills --trust operator",
        "engrain skill export release ./skills",
        "engrain skill export --all ~/.claude/skills",
    )
}
