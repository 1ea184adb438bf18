"""today: a line more in the note of the day."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, read_text
from engrain.adapters.present.text import Style, clean, clean_line
from engrain.engine.entities.daily import Noted
from engrain.face.memory import Memory
from engrain.model.note.tiers import ORIGINS


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "text", nargs="?", metavar="TEXT", help="what to note, or -; without, the note is shown"
    )
    parser.add_argument("--trust", choices=ORIGINS, default="agent", help="who says so")


def _today(args: argparse.Namespace, console: Console) -> int:
    text = None if args.text is None else read_text(args.text, console)
    with open_from(args) as memory:
        if text is None:
            return _show(memory, console)
        noted = memory.today(text)
    data = {
        "outcome": noted.outcome,
        "id": noted.entry.id,
        "path": noted.entry.path,
        "hash": noted.entry.hash,
        "day": noted.day,
        "line": noted.line,
        "bytes_left": noted.left,
        "redacted": list(noted.redacted),
    }
    return console.answer("today", data, _noted_lines(noted, console.style))


def _show(memory: Memory, console: Console) -> int:
    day, entry = memory.read_today()
    data: dict[str, object] = {"day": day, "id": None, "path": None, "text": None}
    lines = [f"Nothing is noted for {day} yet."]
    if entry is not None:
        data |= {"id": entry.id, "path": entry.path, "text": entry.text}
        lines = [console.style("title", clean_line(entry.title)), *clean(entry.text).splitlines()]
    return console.answer("today", data, lines)


def _noted_lines(noted: Noted, style: Style) -> Iterator[str]:
    yield from clean(noted.line).splitlines()
    yield style("dim", f"  {clean(noted.entry.path)}")
    if noted.redacted:
        rules = ", ".join(noted.redacted)
        yield style("warning", f"  redacted: {rules}; set redact = off to keep such text")
    if noted.nearly_full:
        yield style("warning", f"  the note is nearly full: {noted.left} bytes are left")


COMMANDS = {
    "today": Command(
        _arguments,
        _today,
        'engrain today "Called the printer: the proofs come on Friday."',
        "git log -1 --format=%s | engrain today - --project billing",
        "engrain today",
    )
}
