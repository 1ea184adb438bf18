"""skill: how things are done."""

from __future__ import annotations

import os
from contextlib import contextmanager

from engrain.adapters.cli.options import Command, open_from, read_text
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import describe_outcome, envelope
from engrain.adapters.present.skills import (
    describe_found,
    describe_listed,
    describe_taken,
    found_lines,
    listed_lines,
    shown_lines,
    taken_lines,
)
from engrain.adapters.present.text import clean_line, outcome_lines
from engrain.model.entry import ORIGINS
from engrain.model.errors import EngrainError, UsageError

TYPE_CHECKING = False
if TYPE_CHECKING:
    import argparse
    from collections.abc import Callable, Iterable, Iterator, Mapping
    from typing import TypeAlias

    from engrain.adapters.cli.console import Console
    from engrain.adapters.present.records import Data
    from engrain.face import Memory

    Answer: TypeAlias = "tuple[Data, Iterable[str]]"

_PARTS = {"needs": "prerequisites", "step": "steps", "error": "errors", "exit": "exit_criteria"}
_OWN = {
    "list": ("all_projects",),
    "show": ("words",),
    "find": ("words", "limit"),
    "add": ("words", "title", "tag", *_PARTS),
    "use": ("words", "outcome", "note"),
    "draft": ("dry_run",),
    "import": ("words",),
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
    parser.add_argument("--trust", choices=ORIGINS, help="who says so: agent; of import external")


def _skill(args: argparse.Namespace, console: Console) -> int:
    _check(args)
    args.trust = args.trust or ("external" if args.action == "import" else "agent")
    with open_from(args) as memory:
        data, lines = _ACTIONS[args.action](args, memory, console)
        if console.as_json:
            console.write_json(envelope("skill", data))
        else:
            console.write_lines(lines)
    return EXIT_OK


def _check(args: argparse.Namespace) -> None:
    """Raises UsageError for what the action does not take, and for what it lacks."""
    own = _OWN[args.action]
    for name in dict.fromkeys(name for names in _OWN.values() for name in names):
        if getattr(args, name) not in (None, False, []) and name not in own:
            said = "text" if name == "words" else "--" + name.replace("_", "-")
            raise UsageError(f"skill {args.action} takes no {said}")
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
    from engrain.engine.scope import Scope

    skills = memory.skills(scope=Scope(all_projects=args.all_projects))
    data: Data = {"skills": [describe_listed(skill) for skill in skills]}
    return data, listed_lines(skills, console.style)


def _show(args: argparse.Namespace, memory: Memory, console: Console) -> Answer:
    skill = memory.show_skill(args.words[0])
    return describe_listed(skill, full=True), shown_lines(skill, console.style)


def _find(args: argparse.Namespace, memory: Memory, console: Console) -> Answer:
    limit = 3 if args.limit is None else args.limit
    found = memory.find_skills(" ".join(args.words), limit, outside=True)
    return {"skills": describe_found(found)}, found_lines(found, console.style)


def _add(args: argparse.Namespace, memory: Memory, console: Console) -> Answer:
    from engrain.model.skills import parse_skill

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


def _import(args: argparse.Namespace, memory: Memory, console: Console) -> Answer:
    from engrain.adapters.cli.skill_folders import find_skill_folders, read_folder
    from engrain.model.skill_folder import read_skill_folder

    taken = []
    problems = _Problems()
    for folder in [folder for word in args.words for folder in find_skill_folders(word)]:
        with problems.of(folder):
            name = os.path.basename(os.path.abspath(folder))
            read = read_skill_folder(name, *read_folder(folder))
            taken.append((read, memory.import_skill(read, project=getattr(args, "project", None))))
    problems.refuse_all(bool(taken))
    data: Data = {
        "skills": [describe_taken(read, outcome) for read, outcome in taken],
        "problems": problems.described,
    }
    return data, [*taken_lines(taken, console.style), *problems.lines]


def _export(args: argparse.Namespace, memory: Memory, console: Console) -> Answer:
    from engrain.adapters.cli.skill_folders import write_folder
    from engrain.engine.scope import Scope

    *references, folder = args.words
    problems = _Problems()
    if args.all:
        for skill in memory.skills(scope=Scope(all_projects=args.all_projects)):
            if skill.origin == "external":
                problems.tell(skill.row.id, "it came from outside: `engrain review vouch` it first")
            else:
                references.append(skill.row.id)
    given: list[Data] = []
    lines: list[str] = []
    for reference in references:
        with problems.of(reference):
            out = memory.export_skill(reference)
            place = write_folder(folder, out.name, out.files, force=args.force)
            files = [path for path, _ in out.files]
            given.append({"name": out.name, "path": place, "files": files,
                          "left_out": list(out.left_out)})  # fmt: skip
            lines.append(f"{console.style('title', out.name)}  {clean_line(place)}")
            lines += [f"  left out: {clean_line(what)}" for what in out.left_out]
    problems.refuse_all(bool(given) or args.all)
    data: Data = {"skills": given, "problems": problems.described}
    return data, [*(lines or ["No skill was written."]), *problems.lines]


class _Problems:
    """What went wrong with some of several things, which stops none of the others."""

    def __init__(self) -> None:
        self._told: list[tuple[str, str]] = []
        self._first: EngrainError | None = None

    @contextmanager
    def of(self, about: str) -> Iterator[None]:
        """Tell of an error about one of them, in place of raising it."""
        try:
            yield
        except EngrainError as error:
            self._first = self._first or error
            self.tell(about, error.message)

    def tell(self, about: str, message: str) -> None:
        self._told.append((about, message))

    def refuse_all(self, any_done: bool) -> None:
        """Raise the first error where nothing else was done."""
        if self._first and not any_done:
            raise self._first

    @property
    def described(self) -> list[Mapping[str, str]]:
        return [{"about": about, "message": message} for about, message in self._told]

    @property
    def lines(self) -> list[str]:
        return [f"left out: {clean_line(about)}: {clean_line(why)}" for about, why in self._told]


_ACTIONS: Mapping[str, Callable[[argparse.Namespace, Memory, Console], Answer]] = {
    "list": _list,
    "show": _show,
    "find": _find,
    "add": _add,
    "use": _use,
    "draft": _draft,
    "import": _import,
    "export": _export,
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
