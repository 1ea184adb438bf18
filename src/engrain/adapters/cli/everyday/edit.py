"""`engrain edit`: change an entry in place."""

from __future__ import annotations

import os
import shlex
import subprocess
import tempfile
from dataclasses import dataclass

from engrain.adapters.cli.base import ENTRY, Answer, TypedCommand, argument, flag, option, options
from engrain.adapters.cli.reading import read_text
from engrain.adapters.present.records import answer_outcome
from engrain.api.memory import Memory
from engrain.engine.core.outcomes import Outcome
from engrain.language.text.folding import slugify
from engrain.model.errors import UsageError


@dataclass(kw_only=True)
class EditCommand(TypedCommand):
    """Change an entry in place, unless it changed since you read it."""

    examples = """
engrain edit pg-lock                      # in your editor
engrain edit pg-lock --expect 9f2c… - < new.md
engrain edit 01k8 --expect 9f2c… --tag postgres --tag locks
engrain edit release-steps --pin
"""
    id: str = argument(ENTRY, "ID")
    text: str | None = argument("the new text, or -", "TEXT", default=None)
    expect: str | None = option("the hash of the version you read", "HASH")
    title: str | None = option("a new title", "T")
    tag: list[str] = options("the new tags, all of them", "T")
    pin: bool = flag("load it in every session, even if it is rarely used", rivals="pin")
    unpin: bool = flag("load it by its use again", rivals="pin")
    reason: str | None = option("of a pin: kept in the history", "WHY")

    def run_in(self, memory: Memory) -> Answer:
        text = None if self.text is None else read_text(self.text)
        given = text is not None or self.title is not None or bool(self.tag)
        if self.pin or self.unpin:
            if given or self.expect:
                raise UsageError("--pin and --unpin change nothing else", remedy="edit it apart")
            outcome = memory.pin(self.id, self.pin, self.reason or "")
        elif self.expect is not None:
            outcome = memory.edit(
                self.id, expect=self.expect, text=text, title=self.title, tags=self.tag or None
            )
        elif given:
            raise UsageError(
                "an edit needs the hash of the version it changes",
                remedy=f"give --expect HASH, from `engrain show {self.id}`",
            )
        else:
            outcome = _edit_by_hand(memory, self.id)
        self.warn_of_others(memory, self.id, outcome.id)
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


COMMAND = EditCommand
