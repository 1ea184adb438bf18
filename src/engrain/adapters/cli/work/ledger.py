"""`engrain ledger`: where each agent stands."""

from __future__ import annotations

from engrain.adapters.cli.git import read_commit
from engrain.adapters.cli.options import Answer, Arguments, Command, open_here
from engrain.adapters.cli.work.checkpoint import value_lines
from engrain.adapters.present.records import answer_outcome
from engrain.adapters.present.text import clean_line, style
from engrain.api.memory import Memory
from engrain.model.errors import UsageError


def _save(memory: Memory, args: Arguments) -> Answer:
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


def _list(memory: Memory, _: Arguments) -> Answer:
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


COMMAND = Command(
    [_save, _show, _list],
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
