"""The working memory of an agent: its sessions, ledger and checkpoints."""

from __future__ import annotations

import json
from collections.abc import Iterator

from engrain.adapters.cli.files import describe_git, read_commit, read_file
from engrain.adapters.cli.options import (
    Answer,
    Arguments,
    Command,
    list_here,
    open_here,
    read_session,
    read_text,
)
from engrain.adapters.present.records import answer_outcome, fields, list_fields, local_of
from engrain.adapters.present.text import bold, clean, clean_line, counted, elsewhere_lines, style
from engrain.agents.checkpoints import Checkpoint
from engrain.api.memory import Memory
from engrain.model.errors import UsageError


def _begin(memory: Memory, args: Arguments) -> Answer:
    session = memory.sessions.begin(args.session, current=args.session is None)
    return {"session": session, "project": memory.project}, [f"session {session} has begun"]


def _end(memory: Memory, args: Arguments) -> Answer:
    session = read_session(args, memory.journal.current()) or ""
    raised = list(memory.sessions.end(session))
    count = f"{counted(len(raised), 'entry', 'entries')} recalled in it"
    data = {"session": session, "strengthened": raised}
    return data, [f"session {session} has ended; {count}"]


SESSION = Command(
    {"begin": _begin, "end": _end},
    """
<begin|end>  what happens
session=ID?  the session; begin: else a new one; end: else the open one
$ engrain session begin   # what is recalled from here on counts for it
$ engrain session end
$ engrain session begin ci-4711   # meant by ENGRAIN_SESSION=ci-4711, or --session
""",
)


def _save_ledger(memory: Memory, args: Arguments) -> Answer:
    completed, added = _read_count(args.completed)
    outcome = memory.handoffs.save_ledger(
        task=args.task,
        goal=args.goal,
        completed=completed,
        added=added,
        files=args.file,
        commit=read_commit(args.commit),
        uncommitted=args.uncommitted,
        tech=args.tech,
        patterns=args.pattern,
    )
    data, lines = answer_outcome(outcome)
    return {**data, "ledger": memory.handoffs.show_ledger()}, lines


def _show(memory: Memory, _: Arguments) -> Answer:
    ledger = memory.handoffs.show_ledger()
    lines = [style("title", clean_line(str(ledger.get("agent_id"))))]
    for key, value in ledger.items():
        lines += value_lines(key, value) if key != "agent_id" else ()
    return {"ledger": ledger}, lines


def _list_ledger(memory: Memory, _: Arguments) -> Answer:
    found = memory.handoffs.list_ledgers()
    lines = []
    for ledger in found:
        agent, at, task = (
            clean_line(str(ledger.get(key) or "-"))
            for key in ("agent_id", "last_checkpoint", "current_task")
        )
        done = clean_line(str(ledger.get("tasks_completed") or 0))
        who, when = style("title", agent), style("dim", at)
        lines.append(f"{who}  {when}  {done} done, now at {task}")
    return {"ledgers": list(found)}, lines or ["No ledgers."]


def _read_count(written: str | None) -> tuple[int | None, int]:
    """Read a count (`12`), or how much is added to it (`+1`)."""
    if written is None:
        return None, 0
    digits = written.removeprefix("+")
    if not (digits.isdecimal() and digits.isascii() and len(digits) < 10):
        raise UsageError(f"{written[:40]!r} is no count", remedy="give 12, or +1 to add one")
    return (None, int(digits)) if written.startswith("+") else (int(digits), 0)


LEDGER = Command(
    {"save": _save_ledger, "show": _show, "list": _list_ledger},
    """
<save|show|list>  the action
# save: what is not said stays as it is
--task T         save: the current task
--goal G         save: the goal
--completed N    save: number of tasks completed, or +N to add
--commit C       save: its last commit; auto: read it from git
--[no-]uncommitted  save: whether there are uncommitted changes
--file X*        save: a changed file
--tech X*        save: a technology used
--pattern X*     save: the id of a learned pattern
$ engrain ledger save --agent eng-001 --task task-042 --file src/todos.ts --commit auto
$ engrain ledger save --agent eng-001 --completed +1 --no-uncommitted
$ engrain ledger show --agent eng-001 --json
$ engrain ledger list
""",
    opens=open_here,
    strict=True,
)


_CHECKPOINT = "id=entry.id name path=entry.path hash=entry.hash timestamp@ agent project?"


def _check(args: Arguments) -> None:
    if args.action == "save" and not args.name:
        raise UsageError("the checkpoint's name is missing", remedy="engrain checkpoint save NAME")
    if args.action == "list" and args.name:
        raise UsageError("checkpoint list takes no name", remedy="engrain checkpoint load NAME")


def _save_checkpoint(memory: Memory, args: Arguments) -> Answer:
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


def _list_checkpoint(memory: Memory, args: Arguments) -> Answer:
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


CHECKPOINT = Command(
    {"save": _save_checkpoint, "load": _load, "list": _list_checkpoint},
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
