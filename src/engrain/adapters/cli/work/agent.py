"""`engrain agent`: the working memory of an agent: its goal, sessions, ledger and checkpoints."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import chain

from engrain.adapters.cli.base import (
    AllProjects,
    Answer,
    HereCommand,
    MemoryCommand,
    argument,
    flag,
    option,
    options,
)
from engrain.adapters.cli.files import describe_git, read_commit, read_file
from engrain.adapters.cli.reading import list_here, read_text
from engrain.adapters.cli.work.project import describe_phase, note_lines, phase_lines
from engrain.adapters.present.outline import outline_lines, table_lines
from engrain.adapters.present.records import Data, answer_outcome, fields, list_fields
from engrain.adapters.present.text import counted, elsewhere_lines
from engrain.api.memory import Memory
from engrain.model.errors import UsageError


@dataclass(kw_only=True)
class AgentContinuity(HereCommand):
    """Show the goal, state and next step, or set them."""

    examples = """
engrain agent continuity
engrain agent continuity --goal "CRUD for todos" --next "validate the request body"
engrain agent continuity --state - < state.md
engrain agent continuity --refresh --json
"""
    goal: str | None = option("the goal; an empty text removes it", "TEXT")
    state: str | None = option("the state; - reads standard input", "TEXT")
    next: str | None = option("the next step", "TEXT")
    phase: str | None = option("the current phase", "NAME")
    refresh: bool = flag("look up the references to memories again")

    def run_in(self, memory: Memory) -> Answer:
        given = {
            "goal": self.goal,
            "state": None if self.state is None else read_text(self.state),
            "next_step": self.next,
            "phase": self.phase,
        }
        writes = self.refresh or any(text is not None for text in given.values())
        outcome = memory.work.write_continuity(**given) if writes else None
        found = memory.work.read_continuity()
        data: Data = {"found": found is not None, "outcome": outcome and outcome.outcome}
        if found is None:
            remedy = "`engrain agent continuity --goal TEXT` begins one"
            return data, [f"this project has no CONTINUITY.md yet; {remedy}"]
        data |= fields(
            found,
            "id=entry.id path=entry.path hash=entry.hash project goal goal_from_prompt=prompted"
            " asked state next_step relevant mistakes text=entry.note.body",
        )
        phase: Iterable[str] = phase_lines(found) if found.phase else ()
        return data | describe_phase(found), chain(note_lines(found.entry), phase)


@dataclass(kw_only=True)
class BeginSession(MemoryCommand):
    """Begin a session, the unit in which memories age."""

    examples = """
engrain agent begin   # what is recalled from here on counts for it
engrain agent begin ci-4711   # meant by ENGRAIN_SESSION=ci-4711, or --session
"""
    session: str | None = argument("the session; else a new one", "ID", default=None)

    def run_in(self, memory: Memory) -> Answer:
        session = memory.sessions.begin(self.session, current=self.session is None)
        return {"session": session, "project": memory.project}, [f"session {session} has begun"]


@dataclass(kw_only=True)
class EndSession(MemoryCommand):
    """End a session."""

    examples = "engrain agent end"
    session: str | None = argument(
        "the session; else ENGRAIN_SESSION, else the open one", "ID", default=None
    )

    def run_in(self, memory: Memory) -> Answer:
        session = self.session or os.environ.get("ENGRAIN_SESSION") or memory.journal.current()
        raised = list(memory.sessions.end(session or ""))
        count = f"{counted(len(raised), 'entry', 'entries')} recalled in it"
        data = {"session": session, "strengthened": raised}
        return data, [f"session {session} has ended; {count}"]


@dataclass(kw_only=True)
class AgentLedger(HereCommand):
    """Show an agent's working state, or save it; what is not given stays as it is."""

    examples = """
engrain agent ledger --agent eng-001 --task task-042 --file src/todos.ts --commit auto
engrain agent ledger --agent eng-001 --completed +1 --no-uncommitted
engrain agent ledger --agent eng-001 --json
"""
    task: str | None = option("the current task", "T")
    goal: str | None = option("the goal", "G")
    completed: str | None = option("number of tasks completed, or +N to add", "N")
    commit: str | None = option("its last commit; auto: read it from git", "C")
    uncommitted: bool | None = flag("whether there are uncommitted changes", default=None)
    file: list[str] = options("a changed file", "X")
    tech: list[str] = options("a technology used", "X")
    pattern: list[str] = options("the id of a learned pattern", "X")

    def run_in(self, memory: Memory) -> Answer:
        texts = (self.task, self.goal, self.completed, self.commit, self.uncommitted)
        if all(text is None for text in texts) and not (self.file or self.tech or self.pattern):
            ledger = memory.handoffs.show_ledger()
            return {"ledger": ledger}, outline_lines(ledger)
        completed, added = _read_count(self.completed)
        outcome = memory.handoffs.save_ledger(
            task=self.task,
            goal=self.goal,
            completed=completed,
            added=added,
            files=self.file,
            commit=read_commit(self.commit),
            uncommitted=self.uncommitted,
            tech=self.tech,
            patterns=self.pattern,
        )
        data, told = answer_outcome(outcome)
        return {**data, "ledger": memory.handoffs.show_ledger()}, told


@dataclass(kw_only=True)
class ListLedgers(HereCommand):
    """List the working states of all agents."""

    examples = "engrain agent ledgers"

    def run_in(self, memory: Memory) -> Answer:
        found = list(memory.handoffs.list_ledgers())
        columns = "agent_id last_checkpoint tasks_completed current_task"
        return {"ledgers": found}, table_lines(found, columns, "No ledgers.")


def _read_count(written: str | None) -> tuple[int | None, int]:
    """Read a count (`12`), or how much is added to it (`+1`)."""
    if written is None:
        return None, 0
    digits = written.removeprefix("+")
    if not (digits.isdecimal() and digits.isascii() and len(digits) < 10):
        raise UsageError(f"{written[:40]!r} is no count", remedy="give 12, or +1 to add one")
    return (None, int(digits)) if written.startswith("+") else (int(digits), 0)


_CHECKPOINT = "id=entry.id name path=entry.path hash=entry.hash timestamp@ agent project?"


@dataclass(kw_only=True)
class SaveCheckpoint(HereCommand):
    """Save a snapshot of a session's short-term memory."""

    examples = """
engrain agent checkpoint before-the-merge notes.md
engrain agent checkpoint noon - --bare < state.json
"""
    name: str = argument("its name", "NAME")
    file: str | None = argument("text or JSON; - for standard input", "FILE", default=None)
    from_session: str | None = option("the session; else the current one", "ID")
    bare: bool = flag("only the given text, without the session's state")

    def run_in(self, memory: Memory) -> Answer:
        outcome = memory.handoffs.save_checkpoint(
            self.name,
            read_given(self.file),
            session=self.from_session,
            git=None if self.bare else describe_git(),
            bare=self.bare,
        )
        return answer_outcome(outcome)


@dataclass(kw_only=True)
class LoadCheckpoint(HereCommand):
    """Load a checkpoint, else the latest."""

    examples = """
engrain agent load   # the project's latest
engrain agent load before-the-merge --json
"""
    name: str | None = argument("its name; else the latest", "NAME", default=None)

    def run_in(self, memory: Memory) -> Answer:
        checkpoint = memory.handoffs.load_checkpoint(self.name)
        return fields(checkpoint, f"{_CHECKPOINT} snapshot continuity_moved=moved")


@dataclass(kw_only=True)
class ListCheckpoints(AllProjects, HereCommand):
    """List the checkpoints."""

    examples = "engrain agent checkpoints"

    def run_in(self, memory: Memory) -> Answer:
        found, elsewhere = list_here(
            lambda everywhere: memory.handoffs.list_checkpoints(all_projects=everywhere),
            self.all_projects,
        )
        listed = list_fields(found, _CHECKPOINT)
        lines = table_lines(listed, "timestamp agent name", "No checkpoints.")
        data = {"checkpoints": listed, "elsewhere": elsewhere}
        return data, [*lines, *elsewhere_lines(elsewhere)]


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


COMMAND = {
    "continuity": AgentContinuity,
    "begin": BeginSession,
    "end": EndSession,
    "ledger": AgentLedger,
    "ledgers": ListLedgers,
    "checkpoint": SaveCheckpoint,
    "load": LoadCheckpoint,
    "checkpoints": ListCheckpoints,
}
