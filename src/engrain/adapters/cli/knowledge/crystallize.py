"""`engrain crystallize`: write a digest of a finished phase."""

from __future__ import annotations

from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.adapters.present.records import fields
from engrain.adapters.present.text import bold, clean, clean_line, counted, style
from engrain.api.memory import Memory

_TOLD = {
    "nothing": "nothing to say: nothing was done, found or left open in it",
    "unchanged": "unchanged: its digest is {id}",
}


def _crystallize(memory: Memory, args: Arguments) -> Answer:
    done = memory.sessions.crystallize(phase=args.phase, dry_run=args.dry_run)
    data = {
        "dry_run": args.dry_run,
        **fields(done, "outcome id? path? redacted text?"),
        "form": "rules",
        "scope": "phase",
        **fields(done.span, "name? project? began@ ended@"),
        "lines": {name: len(lines) for name, lines in done.sections.items()},
        "derived_from": list(done.sources),
    }
    if message := _TOLD.get(done.outcome):
        said = clean_line(f"{done.span.heading}: {message.format(id=done.id)}")
        return data, [style("dim", said)]
    sources = counted(len(done.sources), "source")
    would = "would be " if args.dry_run else ""
    message = f"  {would}{done.outcome} of {sources}"
    place = f"  {clean_line(done.id)}  {style('dim', clean_line(done.path))}"
    return data, [
        bold(done.span.heading) + style("dim", message),
        clean(done.text).rstrip("\n") if args.dry_run else place,
    ]


COMMAND = Command(
    _crystallize,
    """
--phase P  the phase of that name that ended last; else the last phase
--dry-run  show what would be written; write nothing
$ engrain crystallize --dry-run
$ engrain crystallize --phase work
""",
)
