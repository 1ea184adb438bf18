"""`engrain progress`: show or add to a project's progress notes."""

from __future__ import annotations

from engrain.adapters.cli.answer import Answer, tell_outcome
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, Command, open_harness, read_text
from engrain.adapters.present.text import clean, clean_line
from engrain.api.memory import Memory
from engrain.model.errors import UsageError

_LATEST = 20


def _check(args: Arguments) -> None:
    if (args.action == "add") != (args.text is not None):
        raise UsageError(
            "add what?" if args.text is None else "`progress show` takes no text",
            remedy="see `engrain progress --help`",
        )
    if args.limit is not None and (args.action == "add" or args.limit < 1):
        raise UsageError("--limit is for `progress show`, and a number from 1 up")


def _add(memory: Memory, args: Arguments, console: Console) -> Answer:
    return tell_outcome(memory.work.add_progress(read_text(args.text, console)), console)


def _show(memory: Memory, args: Arguments, console: Console) -> Answer:
    pieces = memory.work.progress()
    latest = pieces[-(args.limit or _LATEST) :]
    lines = []
    for when, text in latest:
        lines.append(console.style("dim", clean_line(when)))
        lines += [f"  {line}" for line in clean(text).splitlines()]
    data = {"progress": [{"at": when, "text": text} for when, text in latest]}
    nothing = ["no progress yet; `engrain progress add TEXT` adds some"]
    return {**data, "total": len(pieces)}, lines or nothing


COMMAND = Command(
    [_add, _show],
    """
<add|show>        the action
text=TEXT?        add: the text; - reads input
--limit,-n N/int  show: the last N
$ engrain progress add "The login form validates its input."
$ engrain progress show -n 5
""",
    opens=open_harness,
    check=_check,
)
