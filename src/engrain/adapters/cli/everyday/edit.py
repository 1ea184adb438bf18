"""`engrain edit` and `engrain evolve`: change an entry in place, or replace it by a newer one."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile

from engrain.adapters.cli.options import (
    ENTRY,
    TRUST,
    Answer,
    Arguments,
    Command,
    open_typed,
    read_text,
    tell_others,
)
from engrain.adapters.present.records import answer_outcome
from engrain.api.memory import Memory
from engrain.engine.core.outcomes import Outcome
from engrain.language.text.folding import slugify
from engrain.model.errors import UsageError


def _edit(args: Arguments) -> Answer:
    given = args.text is not None or args.title is not None or args.tag
    text = None if args.text is None else read_text(args.text)
    with open_typed(args) as memory:
        if args.expect is not None:
            outcome = memory.edit(
                args.id, expect=args.expect, text=text, title=args.title, tags=args.tag or None
            )
        elif given:
            raise UsageError(
                "an edit needs the hash of the version it changes",
                remedy=f"give --expect HASH, from `engrain show {args.id}`",
            )
        else:
            outcome = _edit_by_hand(memory, args.id)
        tell_others(memory, args, args.id, outcome.id)
    return answer_outcome(outcome)


def _edit_by_hand(memory: Memory, reference: str) -> Outcome:
    editor = os.environ.get("VISUAL") or os.environ.get("EDITOR")
    if not editor:
        raise UsageError(
            "EDITOR is not set", remedy="set EDITOR, or give the text and --expect HASH"
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
    return memory.edit(entry.id, expect=entry.hash, text=text)


def _run_editor(editor: str, path: str) -> None:
    try:
        failed = subprocess.run([*shlex.split(editor), path], check=False).returncode
    except (OSError, ValueError) as error:
        raise UsageError(
            f"the editor {editor!r} can't be run: {error}", remedy="set EDITOR to a command"
        ) from None
    if failed:
        raise UsageError(f"the editor {editor!r} failed; nothing was changed")


EDIT = Command(
    _edit,
    f"""
id=ID          {ENTRY}
text=TEXT?     the new text, or -
--expect HASH  the hash of the version you read
--title T      a new title
--tag T*       the new tags, all of them
$ engrain edit pg-lock                      # in your editor
$ engrain edit pg-lock --expect 9f2c… - < new.md
$ engrain edit 01k8 --expect 9f2c… --tag postgres --tag locks
""",
    opens=None,
)


def _evolve(memory: Memory, args: Arguments) -> Answer:
    text, reason = read_text(args.text), args.reason or ""
    outcome = memory.evolve(args.id, text, title=args.title, tags=args.tag or None, reason=reason)
    tell_others(memory, args, args.id, outcome.other or "", outcome.id)
    return answer_outcome(outcome)


EVOLVE = Command(
    _evolve,
    f"""
id=ID         {ENTRY}
text=TEXT     the new text, or -
--title T     a new title; else the old one
--tag T*      new tags; else the old ones
--reason WHY   kept in the history
{TRUST}
$ engrain evolve round-tax "We round once per rate now." --reason "audit of September"
$ engrain evolve 01k8 - < new.md
""",
    opens=open_typed,
)
