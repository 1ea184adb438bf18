"""`engrain dream`: check the whole vault for duplicates and contradictions, and propose changes."""

from __future__ import annotations

import re
from collections.abc import Iterator

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, Command, one_of, open_from
from engrain.adapters.present.failures import EXIT_ERROR, EXIT_OK
from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import Style, clean_line
from engrain.lifecycle.dreaming.finding import NAMES, Dream
from engrain.model.errors import UsageError

_PLACE = r"Memory/_dream-staging/[^\]|]*"
_LINK = re.compile(rf"\[\[(?:{_PLACE}\|([^\]|]*)|([^\]|]*)\|{_PLACE})\]\]")
"""A link to a proposal, in either order of a vault's links."""


def _check(args: Arguments) -> None:
    if args.limit is not None and args.limit < 0:
        raise UsageError("--limit is a number from 0 up")
    if args.dry_run and (args.auto or args.resume):
        raise UsageError("--dry-run writes nothing, so it takes no --auto and no --resume")


def _dream(args: Arguments, console: Console) -> Answer:
    with open_from(args) as memory, console.progress("dreaming") as progress:
        begun: list[str] = []

        def tell(stage: str) -> None:
            begun.append(stage)
            if progress:
                progress(len(begun) - 1, len(args.only or NAMES))

        done = memory.jobs.dream(
            only=args.only,
            limit=args.limit,
            auto=args.auto or None,
            resume=args.resume,
            dry_run=args.dry_run,
            tell=tell,
        )
    return _describe(done), _lines(done, console.style), EXIT_ERROR if done.errors else EXIT_OK


def _describe(dream: Dream) -> Data:
    return {
        **fields(dream, "run dry_run unfinished"),
        **dream.counts(),
        **fields(dream, "stages held errors"),
        "proposals": [one.id for one in dream.proposals if one.open],
        "findings": [fields(one, "kind action entries score reason") for one in dream.findings],
        "digest": list(dream.digest),
    }


def _lines(dream: Dream, style: Style) -> Iterator[str]:
    for line in dream.digest:
        text = _LINK.sub(r"\1\2", clean_line(line))
        yield style("title", text) if text.startswith("#") else text
    if dream.unfinished:
        yield style("warning", "It is not finished: the next dream goes on with it.")
    for name, why in dream.errors.items():
        yield style("bad", f"{clean_line(name)} failed: {clean_line(why)}")


COMMAND = Command(
    _dream,
    f"""
--dry-run      show what would be proposed; write nothing
--only {one_of(NAMES)}*  only this stage, or several
--resume       resume the unfinished run; fail if there is none
--limit N/int  at most N proposals of each kind; else the setting dream.limit
--auto         apply reversible changes at once, as the setting dream.auto does
$ engrain dream --dry-run
$ engrain dream
$ engrain dream --only duplicate --only contradiction --limit 20
$ engrain dream --auto   # what can be taken back is done at once
""",
    check=_check,
)
