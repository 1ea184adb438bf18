"""`engrain checkpoint`: save and load a snapshot of a session's short-term memory."""

from __future__ import annotations

import json
from collections.abc import Iterator

from engrain.adapters.cli.files import read_file
from engrain.adapters.cli.git import describe_git
from engrain.adapters.cli.options import Answer, Arguments, Command, list_here, open_here, read_text
from engrain.adapters.present.records import answer_outcome, fields, list_fields, local_of
from engrain.adapters.present.text import bold, clean, clean_line, elsewhere_lines, style
from engrain.agents.checkpoints import Checkpoint
from engrain.api.memory import Memory
from engrain.model.errors import UsageError

_CHECKPOINT = "id=entry.id name path=entry.path hash=entry.hash timestamp@ agent project?"


def _check(args: Arguments) -> None:
    if args.action == "save" and not args.name:
        raise UsageError("the checkpoint's name is missing", remedy="engrain checkpoint save NAME")
    if args.action == "list" and args.name:
        raise UsageError("checkpoint list takes no name", remedy="engrain checkpoint load NAME")


def _save(memory: Memory, args: Arguments) -> Answer:
    outcome = memory.handoffs.save_checkpoint(
        args.name,
        read_given(args.file),
        session=args.from_session,
        git=None if args.bare else describe_git(),
        bare=args.bare,
    )
    return answer_outcome(outcome)


def _load(memory: Memory, args: Arguments) -> Answer:
    checkpoint = memory.handoffs.load_checkpoint(args.name)
    data = fields(checkpoint, f"{_CHECKPOINT} snapshot continuity_moved=moved")
    return data, _lines(checkpoint)


def _list(memory: Memory, args: Arguments) -> Answer:
    found, elsewhere = list_here(
        lambda everywhere: memory.handoffs.list_checkpoints(all_projects=everywhere),
        args.all_projects,
    )
    lines = []
    for one in found:
        by = f"  {clean_line(one.agent)}" if one.agent else ""
        at = style("dim", local_of(one.timestamp) or "-")
        lines.append(f"{at}  {bold(one.name)}{by}")
    data = {"checkpoints": list_fields(found, _CHECKPOINT), "elsewhere": elsewhere}
    return data, [*(lines or ["No checkpoints."]), *elsewhere_lines(elsewhere)]


def _lines(checkpoint: Checkpoint) -> Iterator[str]:
    by = f" by {clean_line(checkpoint.agent)}" if checkpoint.agent else ""
    yield bold(checkpoint.name)
    yield style("dim", f"saved {local_of(checkpoint.timestamp)}{by}")
    for name, value in checkpoint.snapshot.items():
        if name == "given" and isinstance(value, str):
            yield from clean(value).splitlines()
        else:
            yield from value_lines(name, value)
    if checkpoint.moved:
        yield style("warning", "the working notes have changed since")


def value_lines(name: str, value: object, depth: int = 0) -> Iterator[str]:
    """Yield a JSON value as an outline."""
    blank = " " * 2 * depth
    if isinstance(value, dict) and value:
        yield f"{blank}{clean_line(name)}:"
        for key, part in value.items():
            yield from value_lines(str(key), part, depth + 1)
    elif isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        yield f"{blank}{clean_line(name)}:"
        for number, part in enumerate(value, 1):
            yield from value_lines(str(number), part, depth + 1)
    else:
        parts = value if isinstance(value, list) else [value]
        said = ", ".join(clean_line(str(part)) for part in parts if part not in (None, {}))
        yield f"{blank}{clean_line(name)}: {said}"


def read_given(file: str | None) -> object:
    """Read a file: a JSON object or list, else its text; None where no file is named. Raises
    UsageError."""
    if file is None:
        return None
    text = read_text("-") if file == "-" else read_file(file)
    if text.lstrip()[:1] in ("{", "["):
        try:
            return json.loads(text)
        except (ValueError, RecursionError):
            pass  # a text may begin so
    return text


COMMAND = Command(
    [_save, _load, _list],
    """
<save|load|list>   the action
name=NAME?         its name; when loading, else the latest
file=FILE?         save: text or JSON; - for standard input
--from-session ID  save: the session; else the current one
--bare             save: only the given text, without the session's state
--all-projects     list: of all projects
$ engrain checkpoint save before-the-merge notes.md
$ engrain checkpoint save noon - --bare < state.json
$ engrain checkpoint load   # the project's latest
$ engrain checkpoint load before-the-merge --json
$ engrain checkpoint list
""",
    opens=open_here,
    check=_check,
    strict=True,
)
