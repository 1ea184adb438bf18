"""`engrain progress`: show or add to a project's progress notes."""

from __future__ import annotations

from engrain.adapters.cli.options import Answer, Arguments, Command, open_here, read_text
from engrain.adapters.present.records import answer_outcome
from engrain.adapters.present.text import clean, clean_line, style
from engrain.api.memory import Memory

_LATEST = 20


def _add(memory: Memory, args: Arguments) -> Answer:
    return answer_outcome(memory.work.add_progress(read_text(args.text)))


def _show(memory: Memory, args: Arguments) -> Answer:
    pieces = memory.work.progress()
    latest = pieces[-(args.limit or _LATEST) :]
    lines = []
    for when, text in latest:
        lines.append(style("dim", clean_line(when)))
        lines += [f"  {line}" for line in clean(text).splitlines()]
    data = {"progress": [{"at": when, "text": text} for when, text in latest]}
    nothing = ["no progress yet; `engrain progress add TEXT` adds some"]
    return {**data, "total": len(pieces)}, lines or nothing


COMMAND = Command(
    [_add, _show],
    """
<add|show>        the action
text=TEXT!        add: the text; - reads input
--limit,-n N/count  show: the last N
$ engrain progress add "The login form validates its input."
$ engrain progress show -n 5
""",
    opens=open_here,
    strict=True,
)
