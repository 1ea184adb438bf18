"""`engrain undo`: revert a change, or take back the last undo."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, MemoryCommand, argument, flag, option
from engrain.adapters.cli.deciding import ask, has_person
from engrain.adapters.present.records import Data, describe_row, fields
from engrain.adapters.present.text import bold, clean_line, counted, style
from engrain.api.memory import Memory
from engrain.engine.history.undo import Told, Undone
from engrain.model.errors import UsageError

_NAMED = 20
"""Entries that are named on one line; of more only the number is shown."""
_TITLES = 3
_UNITS = (("day", 86400), ("hour", 3600), ("minute", 60))


@dataclass(kw_only=True)
class UndoCommand(MemoryCommand):
    """Revert a change, or take back the last undo."""

    examples = """
engrain undo
engrain undo --yes
engrain undo k3v9x2mq-12 --cascade
engrain undo --redo
"""
    change: str | None = argument("a change's name; else your last change", "CHANGE", default=None)
    reason: str | None = option("kept in the history", "WHY")
    cascade: bool = flag("also revert what was derived from it")
    yes: bool = flag("do not ask before a second undo reaches an older change")
    redo: bool = flag("take back the last undo")

    def check(self) -> None:
        if self.redo and (self.change or self.cascade):
            raise UsageError(
                "--redo takes back the last undo, and no CHANGE or --cascade",
                remedy="`engrain undo CHANGE` of an undo repeats what it undid",
            )

    def run_in(self, memory: Memory) -> Answer:
        if self.redo:
            redone = memory.redo(self.reason or "")
            return describe_undone(redone), undone_lines(redone, "redid")
        if self.change is None and not self.yes:
            upcoming = memory.upcoming_undo()
            if upcoming.again and not _confirm(self, upcoming.what):
                return {"undone": None}, ["nothing was undone"], 1
        undone = memory.undo(self.change, self.reason or "", cascade=self.cascade)
        return describe_undone(undone), undone_lines(undone, "undid")


def _confirm(args: UndoCommand, what: Told) -> bool:
    """Ask whether to go on to an older change. Raises UsageError where nobody can be asked."""
    told = describe_change(what)
    if has_person(args.console):
        question = f"The last change is undone already. Undo an older one: {told}? [y/N]"
        return ask(args.console, question)
    raise UsageError(
        f"the last change is undone already; the next would be {told}",
        remedy=f"give --yes or its name ({what.change}); `engrain undo --redo` takes the last undo"
        " back",
    )


def describe_undone(undone: Undone) -> Data:
    return {
        "id": undone.entries[0] if undone.entries else None,
        **fields(undone, "undone change entries cascaded erased"),
        "what": fields(undone.what, "change op at@ entries titles"),
        "derived": [describe_row(row) for row in undone.derived],
    }


def describe_change(what: Told) -> str:
    """Return a change in words: "save of 'Kiln' (3 minutes ago)"."""
    titles = [f"'{clean_line(title)}'" for title in what.titles[:_TITLES]]
    if len(what.titles) > _TITLES:
        titles = [f"{counted(what.entries, 'entry', 'entries')}: {titles[0]}, …"]
    of = f" of {', '.join(titles)}" if titles else ""
    return f"{clean_line(what.op)}{of} ({_ago(time.time() - what.at)})"


def _ago(seconds: float) -> str:
    for unit, length in _UNITS:
        if seconds >= length:
            return f"{counted(int(seconds // length), unit)} ago"
    return "just now"


def undone_lines(undone: Undone, did: str) -> Iterator[str]:
    entries = ", ".join(map(clean_line, undone.entries))
    if len(undone.entries) > _NAMED:
        entries = f"{len(undone.entries)} entries"
    yield f"{did}: {bold(describe_change(undone.what))}"
    yield style("dim", f"  {undone.undone} by {undone.change}: {entries}")
    for change in undone.erased:
        yield style("warning", f"left: {clean_line(change)}, whose bytes were erased")
    if undone.derived:
        what = "taken back with it" if undone.cascaded else "derived from it, and still there"
        yield f"{what}:"
    for row in undone.derived:
        yield f"  {clean_line(row.title)}  {style('dim', clean_line(row.id))}"
    if undone.derived and not undone.cascaded:
        yield style("dim", f"`engrain undo {undone.change}`, then undo with --cascade to take all")


COMMAND = UndoCommand
