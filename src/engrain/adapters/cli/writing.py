"""save, edit, evolve, forget, restore, link."""

from __future__ import annotations

import argparse
import os
import shlex
import subprocess
import tempfile

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, read_text, read_when
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.records import Data, describe_outcome, envelope
from engrain.adapters.present.text import outcome_lines
from engrain.engine.core.outcomes import Outcome
from engrain.face.memory import Memory
from engrain.language.text.slugs import slugify
from engrain.model.errors import UsageError
from engrain.model.links.link import RELATIONS
from engrain.model.note.tiers import ORIGINS

_FACTORS = {
    "surprise": "it contradicted what was believed",
    "goal": "it serves the project's goals",
    "social": "it is about somebody who matters",
    "utility": "it proved useful",
}
"""What a weight is made of (S3.3)."""


def answer_outcome(command: str, outcome: Outcome, console: Console) -> int:
    """Tell what a write came to; the exit code."""
    if console.as_json:
        console.write_json(envelope(command, describe_outcome(outcome)))
    else:
        console.write_lines(outcome_lines(outcome, console.style))
    return EXIT_OK


def _save_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("text", nargs="?", metavar="TEXT", help="the text, or - for standard input")
    parser.add_argument("--title", metavar="T", help="the title; else the first heading or line")
    parser.add_argument("--kind", metavar="K", help="preference, fix, decision, …; else detected")
    parser.add_argument("--tag", action="append", metavar="T", help="a tag; may be repeated")
    parser.add_argument("--status", metavar="S", help="active (the default), inbox, …")
    parser.add_argument("--slug", metavar="S", help="the file's name; else made from the title")
    parser.add_argument("--created", metavar="WHEN", help="when it happened; else now")
    parser.add_argument("--confidence", type=float, metavar="C", help="from 0 to 1")
    parser.add_argument("--weight", type=float, metavar="W", help="from 0 to 1; else estimated")
    for name, meaning in _FACTORS.items():
        parser.add_argument(f"--{name}", type=float, metavar="F", help=f"from 0 to 1: {meaning}")
    parser.add_argument(
        "--derived-from", action="append", default=[], metavar="ID", help="what it was drawn from"
    )
    parser.add_argument(
        "--ref", metavar="REF", help="where it comes from: a session (else the current one), a URL"
    )
    parser.add_argument("--due", metavar="DATE", help="of a commitment: the day it is due")
    parser.add_argument("--trust", choices=ORIGINS, default="agent", help="who says so")


def _save(args: argparse.Namespace, console: Console) -> int:
    text = read_text(args.text, console)
    with open_from(args) as memory:
        outcome = memory.save(
            text,
            title=args.title,
            kind=args.kind,
            tags=args.tag,
            project=getattr(args, "project", None),
            status=args.status,
            slug=args.slug,
            created=read_when(args.created),
            confidence=args.confidence,
            weight=_read_weight(args),
            derived_from=args.derived_from,
            source="cli",
            ref=args.ref or memory.journal.current() or None,
            due=args.due,
        )
    return answer_outcome("save", outcome, console)


def _read_weight(args: argparse.Namespace) -> float | dict[str, float] | None:
    factors = {name: getattr(args, name) for name in _FACTORS if getattr(args, name) is not None}
    if factors and args.weight is not None:
        raise UsageError("--weight is what the factors make", remedy="give it, or factors")
    weight: float | None = args.weight
    return factors or weight


def _edit_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="an id, its beginning, a path or a slug")
    parser.add_argument("text", nargs="?", metavar="TEXT", help="the new text, or -")
    parser.add_argument("--expect", metavar="HASH", help="the hash of the version you read")
    parser.add_argument("--title", metavar="T", help="a new title")
    parser.add_argument("--tag", action="append", metavar="T", help="the new tags, all of them")


def _edit(args: argparse.Namespace, console: Console) -> int:
    given = args.text is not None or args.title is not None or args.tag is not None
    text = None if args.text is None else read_text(args.text, console)
    with open_from(args) as memory:
        if args.expect is None:
            if given:
                raise UsageError(
                    "an edit must name the version it changes",
                    remedy=f"give --expect HASH, from `engrain show {args.id}`",
                )
            return answer_outcome("edit", _edit_by_hand(memory, args.id), console)
        outcome = memory.edit(
            args.id, expect=args.expect, text=text, title=args.title, tags=args.tag
        )
    return answer_outcome("edit", outcome, console)


def _edit_by_hand(memory: Memory, reference: str) -> Outcome:
    """Open the text in the person's editor; what they leave is the new text."""
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        raise UsageError(
            "no editor is set", remedy="set EDITOR, or give the text and --expect HASH"
        )
    entry = memory.show(reference).entry
    with tempfile.TemporaryDirectory() as folder:
        # Never the entry's own slug as it stands: whoever wrote the file chose it.
        path = os.path.join(folder, f"{slugify(entry.slug, 'entry')[:60]}.md")
        with open(path, "w", encoding="utf-8", newline="") as file:  # noqa: PTH123
            file.write(entry.text)
        _run_editor(editor, path)
        try:
            with open(path, encoding="utf-8", newline="") as file:  # noqa: PTH123
                text = file.read()
        except (OSError, UnicodeDecodeError):
            raise UsageError(
                f"the editor {editor!r} left no UTF-8 text; nothing was changed"
            ) from None
    return memory.edit(reference, expect=entry.hash, text=text)


def _run_editor(editor: str, path: str) -> None:
    try:
        failed = subprocess.run([*shlex.split(editor), path], check=False).returncode
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the editor {editor!r} can't be run: {error}", remedy="set EDITOR to a command"
        ) from None
    if failed:
        raise UsageError(f"the editor {editor!r} failed; nothing was changed")


def _evolve_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="an id, its beginning, a path or a slug")
    parser.add_argument("text", metavar="TEXT", help="what is true now, or -")
    parser.add_argument("--title", metavar="T", help="a new title; else the old one")
    parser.add_argument("--tag", action="append", metavar="T", help="new tags; else the old ones")
    parser.add_argument("--reason", default="", metavar="WHY", help="kept in the history")
    parser.add_argument("--trust", choices=ORIGINS, default="agent", help="who says so")


def _evolve(args: argparse.Namespace, console: Console) -> int:
    text = read_text(args.text, console)
    with open_from(args) as memory:
        outcome = memory.evolve(args.id, text, title=args.title, tags=args.tag, reason=args.reason)
    return answer_outcome("evolve", outcome, console)


def _forget_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="an id, its beginning, a path or a slug")
    parser.add_argument("--reason", default="", metavar="WHY", help="kept in the history")


def _forget(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        return answer_outcome("forget", memory.forget(args.id, args.reason), console)


def _restore_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "id", nargs="?", metavar="ID", help="an id, its beginning, a path or a slug"
    )
    parser.add_argument("--all", action="store_true", help="everything that was forgotten")


def _restore(args: argparse.Namespace, console: Console) -> int:
    if bool(args.id) == args.all:
        raise UsageError("name an entry, or give --all", remedy="`engrain list --all` shows them")
    with open_from(args) as memory:
        if args.all:
            restored = memory.restore_all()
            data: Data = {"restored": [outcome.id for outcome in restored]}
            lines = [line for outcome in restored for line in outcome_lines(outcome, console.style)]
            return console.answer("restore", data, lines or ["Nothing was forgotten."])
        return answer_outcome("restore", memory.restore(args.id), console)


def _link_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("id", metavar="ID", help="the entry that gets the link")
    parser.add_argument("to", metavar="TO", help="the entry it points to")
    parser.add_argument("--relation", default="related_to", choices=RELATIONS)
    parser.add_argument("--remove", action="store_true", help="take the link away, at both ends")


def _link(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        outcome = memory.link(args.id, args.to, args.relation, remove=args.remove)
        return answer_outcome("link", outcome, console)


COMMANDS = {
    "save": Command(
        _save_arguments,
        _save,
        'engrain save --kind fix --title "Pooler drops prepared statements" --tag postgres -',
        'engrain save "Prefer small pull requests" --kind preference --trust operator',
        'engrain save --kind commitment --due 2026-10-01 "I will send the report."',
        'engrain save --kind decision --created 2026-09-01 "We round tax once per rate."',
    ),
    "edit": Command(
        _edit_arguments,
        _edit,
        "engrain edit pg-lock                      # in your editor",
        "engrain edit pg-lock --expect 9f2c… - < new.md",
        "engrain edit 01k8 --expect 9f2c… --tag postgres --tag locks",
    ),
    "evolve": Command(
        _evolve_arguments,
        _evolve,
        'engrain evolve round-tax "We round once per rate now." --reason "audit of September"',
        "engrain evolve 01k8 - < new.md",
    ),
    "forget": Command(
        _forget_arguments, _forget, 'engrain forget 01k8 --reason "was about the old service"'
    ),
    "restore": Command(
        _restore_arguments, _restore, "engrain restore 01k8", "engrain restore --all"
    ),
    "link": Command(
        _link_arguments,
        _link,
        "engrain link advisory-lock pooler --relation elaborates",
        "engrain link round-tax round-total --relation contradicts --remove",
    ),
}
