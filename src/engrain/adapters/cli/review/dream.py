"""`engrain dream`: check the whole vault for duplicates and contradictions, and propose changes."""

from __future__ import annotations

import re

from engrain.adapters.cli.options import Answer, Arguments, Command, one_of
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.records import fields, list_fields
from engrain.adapters.present.text import clean_line, style
from engrain.api.memory import Memory
from engrain.lifecycle.dreaming.run import KINDS
from engrain.model.errors import UsageError

_PLACE = r"Memory/_dream-staging/[^\[\]|]{0,300}"
_LINK = re.compile(rf"\[\[(?:{_PLACE}\|([^\[\]|]{{0,300}})|([^\[\]|]{{0,300}})\|{_PLACE})\]\]")
"""A link to a proposal, in either order of a vault's links."""


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
        "digest": list(done.digest),
    }
    texts = [_LINK.sub(r"\1\2", clean_line(line)) for line in done.digest]
    lines = [style("title", text) if text.startswith("#") else text for text in texts]
    if done.unfinished:
        lines.append(style("warning", "It is not finished: the next dream goes on with it."))
    for name, why in done.problems:
        lines.append(style("bad", f"{clean_line(name)} failed: {clean_line(why)}"))
    return data, lines, bool(done.problems)


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
