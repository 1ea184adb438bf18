"""personal: the operator's own notes."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterable
from typing import TypeAlias

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, read_text, read_when
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.personal import (
    changed_lines,
    describe_changed,
    describe_note,
    describe_uses,
    note_lines,
    use_lines,
)
from engrain.adapters.present.records import Data, describe_outcome, envelope
from engrain.adapters.present.text import clean_line, outcome_lines
from engrain.face.memory import Memory
from engrain.model.errors import UsageError
from engrain.model.links.link import RELATIONS

Answer: TypeAlias = "tuple[Data, Iterable[str]]"
"""An answer as data, and as lines for a person."""


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action", choices=tuple(_ACTIONS), help="archive only proposes; log takes no --authorize"
    )
    parser.add_argument(
        "words", nargs="*", metavar="WORD", help="what the action takes, as in the examples"
    )
    parser.add_argument(
        "--authorize", action="store_true", help="the operator asked for exactly this"
    )
    parser.add_argument(
        "--expect", metavar="HASH", help="write: the version that was read; else it must be new"
    )
    parser.add_argument("--relation", default="related_to", choices=RELATIONS, help="link: how")
    parser.add_argument("--reason", default="", metavar="WHY", help="archive: why")
    parser.add_argument("--since", metavar="WHEN", help="log: a date, or 7d, 12h, 2w")


def _personal(args: argparse.Namespace, console: Console) -> int:
    least, most, form, act = _ACTIONS[args.action]
    if not least <= len(args.words) <= most:
        raise UsageError(
            f"`personal {args.action}` takes {form or 'no words'}",
            remedy="see `engrain personal --help`",
        )
    with open_from(args) as memory:
        data, lines = act(memory, args, console)
        if console.as_json:
            console.write_json(envelope("personal", {"action": args.action, **data}))
        else:
            console.write_lines(lines)
    return EXIT_OK


def _list(memory: Memory, args: argparse.Namespace, _: Console) -> Answer:
    folder = "".join(args.words).rstrip("/")
    notes = memory.personal(authorize=args.authorize, verb="list", place=folder)
    places = notes.list(folder)
    lines = [clean_line(place) for place in places] or ["No notes here."]
    return {"folder": folder, "places": list(places)}, lines


def _read(memory: Memory, args: argparse.Namespace, console: Console) -> Answer:
    (place,) = args.words
    note = memory.personal(authorize=args.authorize, verb="read", place=place).read(place)
    return describe_note(place, note), note_lines(place, note, console.style)


def _write(memory: Memory, args: argparse.Namespace, console: Console) -> Answer:
    place, *given = args.words
    notes = memory.personal(authorize=args.authorize, verb="write", place=place)
    text = read_text(given[0] if given else "-", console)
    if given not in ([], ["-"]) and not text.endswith("\n"):
        text += "\n"
    changed = notes.write(place, text.encode(), args.expect)
    return describe_changed(changed), changed_lines(changed, console.style)


def _link(memory: Memory, args: argparse.Namespace, console: Console) -> Answer:
    entry, place = args.words
    outcome = memory.link_personal(entry, place, args.relation, authorize=args.authorize)
    return describe_outcome(outcome), outcome_lines(outcome, console.style)


def _archive(memory: Memory, args: argparse.Namespace, _: Console) -> Answer:
    (place,) = args.words
    made = memory.propose_personal_archive(place, args.reason, authorize=args.authorize)
    if made is None:
        line = "nothing new is proposed: the same is open, or the operator rejected it"
        return {"place": place, "proposal": None}, [line]
    line = f"proposed; it is done when the operator says `engrain review accept {made.id}`"
    return {"place": place, "proposal": made.id}, [line]


def _log(memory: Memory, args: argparse.Namespace, console: Console) -> Answer:
    uses = memory.personal_uses(read_when(args.since))
    return describe_uses(uses), use_lines(uses, console.style)


# Action -> (the fewest words behind it, the most, what they are, what it does).
_ACTIONS: dict[
    str, tuple[int, int, str, Callable[[Memory, argparse.Namespace, Console], Answer]]
] = {
    "list": (0, 1, "[FOLDER]", _list),
    "read": (1, 1, "PLACE", _read),
    "write": (1, 2, "PLACE [TEXT]; the text is read from standard input without one, or -", _write),
    "link": (2, 2, "ENTRY PLACE", _link),
    "archive": (1, 1, "PLACE", _archive),
    "log": (0, 0, "", _log),
}

COMMANDS = {
    "personal": Command(
        _arguments,
        _personal,
        "engrain personal list Journal --authorize",
        "engrain personal read Journal/2026-09-21.md --authorize",
        "engrain personal write Journal/idea.md --authorize - < idea.md",
        "engrain personal write Journal/idea.md --expect 9f2c… --authorize - < idea.md",
        "engrain personal link pg-lock Work/databases.md --relation elaborates --authorize",
        'engrain personal archive Work/old.md --reason "the service is gone" --authorize',
        "engrain personal log --since 7d",
    )
}
