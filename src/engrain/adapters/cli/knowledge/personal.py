"""`engrain personal`: read and write the operator's personal notes, with authorization."""

from __future__ import annotations

from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, MemoryCommand, argument, flag, option
from engrain.adapters.cli.reading import read_text, read_when
from engrain.adapters.present.outline import table_lines
from engrain.adapters.present.records import fields, list_fields
from engrain.adapters.present.text import bold, clean_line, style
from engrain.api.memory import Memory


@dataclass(kw_only=True)
class ListPersonal(MemoryCommand):
    """List the operator's notes."""

    examples = "engrain personal list Journal --authorize"
    folder: str = argument("a folder of theirs", "FOLDER", default="")
    authorize: bool = flag("the operator asked for exactly this")

    def run_in(self, memory: Memory) -> Answer:
        folder = self.folder.rstrip("/")
        notes = memory.personal.open(authorize=self.authorize, verb="list", place=folder)
        places = notes.list(folder)
        lines = [clean_line(place) for place in places] or ["No notes here."]
        return {"action": "list", "folder": folder, "places": list(places)}, lines


@dataclass(kw_only=True)
class ReadPersonal(MemoryCommand):
    """Read a note of the operator's."""

    examples = "engrain personal read Journal/2026-09-21.md --authorize"
    place: str = argument("the path of a note", "PLACE")
    authorize: bool = flag("the operator asked for exactly this")

    def run_in(self, memory: Memory) -> Answer:
        place = self.place
        note = memory.personal.open(authorize=self.authorize, verb="read", place=place).read(place)
        text = note.raw.decode()
        lines = [bold(place), f"{style('dim', 'hash       ')}{note.hash}", "", *text.splitlines()]
        return {"action": "read", "place": place, "hash": note.hash, "text": text}, lines


@dataclass(kw_only=True)
class WritePersonal(MemoryCommand):
    """Write a note of the operator's."""

    examples = """
engrain personal write Journal/idea.md --authorize - < idea.md
engrain personal write Journal/idea.md --expect 9f2c… --authorize - < idea.md
"""
    place: str = argument("the path of a note", "PLACE")
    text: str = argument("the text; - or nothing reads standard input", "TEXT", default="-")
    authorize: bool = flag("the operator asked for exactly this")
    expect: str | None = option("the hash of the version read; else the note must be new", "HASH")

    def run_in(self, memory: Memory) -> Answer:
        notes = memory.personal.open(authorize=self.authorize, verb="write", place=self.place)
        text = read_text(self.text)
        if self.text != "-" and not text.endswith("\n"):
            text += "\n"
        changed = notes.write(self.place, text.encode(), self.expect)
        return {"action": "write", **fields(changed, "place hash=after before kept redacted")}


@dataclass(kw_only=True)
class LogPersonal(MemoryCommand):
    """Show the uses of the operator's notes."""

    examples = "engrain personal log --since 7d"
    since: str | None = option("a date, or 7d, 12h, 2w", "WHEN")

    def run_in(self, memory: Memory) -> Answer:
        names = "at@ agent verb place outcome before after"
        uses = list_fields(memory.personal.uses(read_when(self.since)), names)
        nothing = "The operator's own notes have not been used."
        lines = table_lines(uses, "at verb place agent outcome", nothing)
        return {"action": "log", "uses": uses}, lines


COMMAND = {"list": ListPersonal, "read": ReadPersonal, "write": WritePersonal, "log": LogPersonal}
