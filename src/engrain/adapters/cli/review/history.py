"""`engrain history`: show who changed what, or an entry as it was on a date."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from engrain.adapters.cli.base import ENTRY, Answer, MemoryCommand, argument, option
from engrain.adapters.cli.reading import read_when
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import list_fields
from engrain.adapters.present.text import bold, clean, clean_line, counted, style
from engrain.api.memory import Memory
from engrain.language.text.instants import format_local
from engrain.model.errors import UsageError
from engrain.seam.batches import Change


@dataclass(kw_only=True)
class HistoryCommand(MemoryCommand):
    """Show who changed what, or an entry as it was on a date."""

    examples = """
engrain history --limit 20
engrain history pg-lock
engrain history pg-lock --at 2026-09-01 > as-it-was.md
"""
    id: str | None = argument(f"{ENTRY}; without one the whole vault", "ID", default=None)
    at: str | None = option("print the entry's bytes as of then", "WHEN")
    limit: int | None = option("at most so many", "N", short="-n")

    def run_in(self, memory: Memory) -> Answer | int:
        at = read_when(self.at)
        if at is None:
            changes = memory.history(self.id, self.limit)
            names = (
                "change at@ op id=entry path=locator before=before_hash after=after_hash agent"
                " trust attested undoes part_of files reason"
            )
            data = {"changes": list_fields(changes, names)}
            return data, _lines(changes)
        if self.id is None:
            raise UsageError("--at needs an entry", remedy="engrain history ID --at WHEN")
        raw = memory.read_at(self.id, at)
        if not self.console.as_json:
            self.console.write_bytes(raw)
            return EXIT_OK
        return {"id": self.id, "at": self.at, "text": raw.decode(errors="replace")}, []


def _lines(changes: Sequence[Change]) -> Iterator[str]:
    for change in changes:
        by = f" by {clean_line(change.agent)}" if change.agent else ""
        what = f" of {clean_line(change.undoes)}" if change.undoes else ""
        place = change.locator or "(erased)"
        if change.files > 1:
            place = counted(change.files, "file")
        yield (
            f"{bold(change.change)}  {format_local(change.at)}  "
            f"{clean_line(change.op)}{what}{by}  {style('dim', clean(place))}"
        )
        if change.reason:
            yield style("dim", f"  {clean_line(change.reason)}")
    if not changes:
        yield "No changes yet."


COMMAND = HistoryCommand
