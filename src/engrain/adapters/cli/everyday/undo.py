"""`engrain undo`: take a change back."""

from __future__ import annotations

from collections.abc import Iterator

from engrain.adapters.cli.options import Answer, Arguments, Command
from engrain.adapters.present.records import describe_row, fields
from engrain.adapters.present.text import clean_line, style
from engrain.api.memory import Memory
from engrain.engine.history.undo import Undone

_NAMED = 20
"""Entries that are named on one line; of more only the number is shown."""


def _undo(memory: Memory, args: Arguments) -> Answer:
    undone = memory.undo(args.change, args.reason or "", cascade=args.cascade)
    data = {
        "id": undone.entries[0] if undone.entries else None,
        **fields(undone, "undone change entries cascaded erased"),
        "derived": [describe_row(row) for row in undone.derived],
    }
    return data, _lines(undone)


def _lines(undone: Undone) -> Iterator[str]:
    entries = ", ".join(map(clean_line, undone.entries))
    if len(undone.entries) > _NAMED:
        entries = f"{len(undone.entries)} entries"
    yield f"undone {undone.undone} by {undone.change}: {entries}"
    for change in undone.erased:
        yield style("warning", f"left: {clean_line(change)}, whose bytes were erased")
    if undone.derived:
        what = "taken back with it" if undone.cascaded else "derived from it, and still there"
        yield f"{what}:"
    for row in undone.derived:
        yield f"  {clean_line(row.title)}  {style('dim', clean_line(row.id))}"
    if undone.derived and not undone.cascaded:
        yield style("dim", f"`engrain undo {undone.change}`, then undo with --cascade to take all")


COMMAND = Command(
    _undo,
    """
change=CHANGE?  a change's name; else your last change
--reason WHY    kept in the history
--cascade       also revert what was derived from it
$ engrain undo
$ engrain undo k3v9x2mq-12 --cascade
""",
)
