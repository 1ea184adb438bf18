"""`engrain personal`: read and write the operator's personal notes, with authorization."""

from __future__ import annotations

from engrain.adapters.cli.options import (
    Answer,
    Arguments,
    Command,
    read_text,
    read_when,
    take_words,
)
from engrain.adapters.present.records import fields, list_fields
from engrain.adapters.present.text import bold, clean_line, style
from engrain.api.memory import Memory
from engrain.language.text.instants import format_local

_WORDS = {"list": "[FOLDER]", "read": "PLACE", "write": "PLACE [TEXT]", "log": ""}


def _list(memory: Memory, args: Arguments) -> Answer:
    folder = "".join(args.words).rstrip("/")
    notes = memory.personal.open(authorize=args.authorize, verb="list", place=folder)
    places = notes.list(folder)
    lines = [clean_line(place) for place in places] or ["No notes here."]
    return {"action": "list", "folder": folder, "places": list(places)}, lines


def _read(memory: Memory, args: Arguments) -> Answer:
    (place,) = args.words
    note = memory.personal.open(authorize=args.authorize, verb="read", place=place).read(place)
    text = note.raw.decode()
    lines = [bold(place), f"{style('dim', 'hash       ')}{note.hash}", "", *text.splitlines()]
    return {"action": "read", "place": place, "hash": note.hash, "text": text}, lines


def _write(memory: Memory, args: Arguments) -> Answer:
    place, *given = args.words
    notes = memory.personal.open(authorize=args.authorize, verb="write", place=place)
    text = read_text(given[0] if given else "-")
    if given not in ([], ["-"]) and not text.endswith("\n"):
        text += "\n"
    changed = notes.write(place, text.encode(), args.expect)
    outcome = "written" if changed.before else "created"
    lines = [f"{outcome}  {bold(changed.place)}", f"{style('dim', 'hash       ')}{changed.after}"]
    if changed.redacted:
        lines.append(style("warning", "secrets in it were replaced by placeholders"))
    if changed.kept:
        lines.append(style("dim", f"what was there is kept in {clean_line(changed.kept)}"))
    return {"action": "write", **fields(changed, "place hash=after before kept redacted")}, lines


def _log(memory: Memory, args: Arguments) -> Answer:
    uses = memory.personal.uses(read_when(args.since))
    lines = []
    for use in uses:
        by = f" by {clean_line(use.agent)}" if use.agent else ""
        outcome = use.outcome if use.outcome == "done" else style("warning", use.outcome)
        what = f"{clean_line(use.verb)} {clean_line(use.place) or '(the root)'}"
        lines.append(f"{format_local(use.at)}  {what}{by}: {outcome}")
    data = list_fields(uses, "at@ agent verb place outcome before after")
    nothing = ["The operator's own notes have not been used."]
    return {"action": "log", "uses": data}, lines or nothing


COMMAND = Command(
    [_list, _read, _write, _log],
    """
<list|read|write|log>  the action; log takes no --authorize
words=WORD*    arguments of the action, as in the examples
--authorize    the operator asked for exactly this
--expect HASH  write: the hash of the version read; else the note must be new
--since WHEN   log: a date, or 7d, 12h, 2w
$ engrain personal list Journal --authorize
$ engrain personal read Journal/2026-09-21.md --authorize
$ engrain personal write Journal/idea.md --authorize - < idea.md
$ engrain personal write Journal/idea.md --expect 9f2c… --authorize - < idea.md
$ engrain personal log --since 7d
""",
    check=take_words("personal", _WORDS),
)
