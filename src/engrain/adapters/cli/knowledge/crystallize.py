"""`engrain crystallize`: write a digest of a finished phase or session."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, Command, open_vault, read_when
from engrain.adapters.present.records import fields
from engrain.adapters.present.text import Style, clean, clean_line, counted
from engrain.api.memory import Memory
from engrain.lifecycle.synthesizing.crystals import Crystallized

_TOLD = {
    "nothing": "nothing to say: nothing was done, found or left open in it",
    "forgotten": "its digest was forgotten, and stays so; `engrain restore {id}` takes it back",
    "own": "its digest was edited by you and is kept: {id}",
    "unchanged": "unchanged: {id} has it already",
}


def _crystallize(memory: Memory, args: Arguments, console: Console) -> Answer:
    done = memory.sessions.crystallize(
        phase=args.phase, session=args.session, since=read_when(args.since), dry_run=args.dry_run
    )
    data = {
        "dry_run": args.dry_run,
        **fields(done, "outcome id? path? form redacted text?"),
        **fields(done.span, "scope name? project? began@ ended@"),
        "lines": {name: len(lines) for name, lines in done.crystal.sections.items()},
        "derived_from": list(done.crystal.sources),
    }
    return data, _lines(done, console.style, dry_run=args.dry_run)


def _lines(done: Crystallized, style: Style, *, dry_run: bool) -> Iterator[str]:
    span = done.span
    if message := _TOLD.get(done.outcome):
        yield style("dim", clean_line(f"{span.heading}: {message.format(id=done.id)}"))
        return
    sources = counted(len(done.crystal.sources), "source")
    would = "would be " if dry_run else ""
    message = f"  {would}{done.outcome} of {sources}, {done.form}"
    yield style("title", clean_line(span.heading)) + style("dim", message)
    if dry_run:
        yield clean(done.text).rstrip("\n")
    else:
        yield f"  {clean_line(done.id)}  {style('dim', clean_line(done.path))}"


COMMAND = Command(
    _crystallize,
    """
| --phase P     the phase of that name that ended last; else the last phase
| --session ID  a session of this device
| --since WHEN  everything done since: a date, or 7d, 12h
--dry-run       show what would be written; write nothing
$ engrain crystallize --dry-run
$ engrain crystallize --phase work
$ engrain crystallize --since 7d --project billing
""",
    opens=open_vault,
)
