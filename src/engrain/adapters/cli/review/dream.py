"""`engrain dream`: check the whole vault for duplicates and contradictions, and propose changes."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.cli.options import Answer, Arguments, Command, one_of
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.records import fields, list_fields
from engrain.adapters.present.text import clean_line, counted, some_lines, style
from engrain.api.memory import Memory
from engrain.lifecycle.dreaming.run import KINDS, STAGES, Dream, DreamFinding
from engrain.model.errors import UsageError

_MOST = 200
"""Findings of a stage that are listed."""


def _check(args: Arguments) -> None:
    if args.limit is not None and args.limit < 0:
        raise UsageError("--limit is a number from 0 up")


def _dream(memory: Memory, args: Arguments) -> Answer:
    with show_progress(args.console, "dreaming") as progress:
        begun: list[str] = []

        def tell(stage: str) -> None:
            begun.append(stage)
            if progress:
                progress(len(begun) - 1, len(args.only or KINDS))

        done = memory.jobs.dream(only=args.only, limit=args.limit, dry_run=args.dry_run, tell=tell)
    data = {
        **fields(done, "run dry_run unfinished"),
        **{what: done.count(what) for what in ("found", "proposed")},
        "skipped": done.count("known", "covered", "skipped"),
        "capped": done.count("capped"),
        "stages": done.stages,
        "errors": dict(done.problems),
        "proposals": [one.id for one in done.proposals if one.open],
        "findings": list_fields(done.findings, "kind action entries score reason"),
    }
    lines = list(_lines(memory, done))
    if done.unfinished:
        lines.append(style("warning", "It is not finished: the next dream goes on with it."))
    for name, why in done.problems:
        lines.append(style("bad", f"{clean_line(name)} failed: {clean_line(why)}"))
    return data, lines, bool(done.problems)


def _lines(memory: Memory, done: Dream) -> Iterator[str]:
    """Yield what was found, stage by stage, and how it is decided."""
    for stage in STAGES:
        made = [one for one in done.proposals if one.finder == stage.kind]
        found = [one for one in done.findings if one.kind == stage.kind]
        said = [f"{one.title}: {one.reason}" for one in made]
        said += [f"{one.action}: {_name(memory, one)}: {one.reason}" for one in found]
        if said:
            yield style("title", f"{stage.meaning.capitalize()} ({len(said)})")
            yield from (f"- {clean_line(line)}" for line in some_lines(said, _MOST, "{} more"))
    if done.dry_run:
        yield f"{len(done.findings)} would be proposed. Nothing was written."
    elif done.proposals:
        yield f"{counted(len(done.proposals), 'proposal')} for your decision:"
        yield f"`engrain review list --run {done.run}`, `engrain review show ID`,"
        yield f"`engrain review accept --all --run {done.run}`."
    else:
        yield "Nothing new needs your decision."
    if capped := sum(done.count("capped").values()):
        yield f"{capped} more than a dream proposes: the next one has them."


def _name(memory: Memory, finding: DreamFinding) -> str:
    return " and ".join(memory.show(id_).entry.title for id_ in finding.entries)


COMMAND = Command(
    _dream,
    f"""
--dry-run      show what would be proposed; write nothing
--only {one_of(KINDS)}*  only this stage, or several
--limit N/int  at most N proposals of each kind; else the setting dream.limit
$ engrain dream --dry-run
$ engrain dream
$ engrain dream --only duplicate --only contradiction --limit 20
""",
    check=_check,
)
