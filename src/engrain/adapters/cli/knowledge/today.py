"""`engrain today`: the note of the day."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, TypedCommand, argument
from engrain.adapters.cli.reading import read_text
from engrain.adapters.present.records import fields
from engrain.adapters.present.text import bold, clean, redacted_lines, style
from engrain.api.memory import Memory
from engrain.engine.entities.daily import Noted


@dataclass(kw_only=True)
class TodayCommand(TypedCommand):
    """Add a line, with the time, to the daily note."""

    examples = """
engrain today "Called the printer: the proofs come on Friday."
git log -1 --format=%s | engrain today - --project billing
engrain today
"""
    text: str | None = argument(
        "the line, or -; without it the note is printed", "TEXT", default=None
    )

    def run_in(self, memory: Memory) -> Answer:
        if self.text is not None:
            noted = memory.work.today(read_text(self.text))
            names = "outcome id=entry.id path=entry.path hash=entry.hash day line bytes_left=left"
            return fields(noted, f"{names} redacted"), _lines(noted)
        day, entry = memory.work.read_today()
        if entry is None:
            data = {"day": day, "id": None, "path": None, "text": None}
            return data, [f"Nothing is noted for {day} yet."]
        title = bold(entry.title)
        return {"day": day, **fields(entry, "id path text")}, [
            title,
            *clean(entry.text).splitlines(),
        ]


def _lines(noted: Noted) -> Iterator[str]:
    yield from clean(noted.line).splitlines()
    yield style("dim", f"  {clean(noted.entry.path)}")
    yield from redacted_lines(noted.redacted)
    if noted.nearly_full:
        yield style("warning", f"  the note is nearly full: {noted.left} bytes are left")


COMMAND = TodayCommand
