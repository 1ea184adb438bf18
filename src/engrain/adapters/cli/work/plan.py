"""`engrain plan`: a project's plan."""

from __future__ import annotations

from engrain.adapters.cli.files import read_file
from engrain.adapters.cli.options import Answer, Arguments, Command, open_here, read_text
from engrain.adapters.cli.work.continuity import note_lines
from engrain.adapters.present.records import answer_outcome, fields
from engrain.api.memory import Memory
from engrain.model.errors import UsageError


def _check(args: Arguments) -> None:
    given = [one for one in (args.text, args.file) if one is not None]
    if len(given) != (args.action == "set"):
        raise UsageError(
            "`plan set` takes a text, - or --file" if args.action == "set" else "`show` takes none",
            remedy="see `engrain plan --help`",
        )


def _set(memory: Memory, args: Arguments) -> Answer:
    text = read_text(args.text) if args.file is None else read_file(args.file)
    return answer_outcome(memory.work.set_plan(text))


def _show(memory: Memory, _: Arguments) -> Answer:
    entry = memory.work.plan()
    if entry is None:
        line = "this project has no plan yet; `engrain plan set TEXT` makes one"
        return {"found": False}, [line]
    data = {"found": True, **fields(entry, "id path hash text=note.body")}
    return data, note_lines(entry)


COMMAND = Command(
    [_show, _set],
    """
<show|set>   the action
text=TEXT?   set: the plan; - reads input
--file PATH  set: a file with the plan
$ engrain plan show
$ engrain plan set "1. Routes. 2. Tests. 3. Release."
$ engrain plan set --file PLAN.md
$ engrain plan set - < PLAN.md
""",
    opens=open_here,
    check=_check,
)
