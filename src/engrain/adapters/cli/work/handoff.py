"""`engrain handoff`: pass work from one agent to another; each is claimed once."""

from __future__ import annotations

from dataclasses import dataclass

from engrain.adapters.cli.base import (
    AllProjects,
    Answer,
    HereCommand,
    argument,
    flag,
    option,
    options,
)
from engrain.adapters.cli.files import read_git
from engrain.adapters.cli.reading import list_here, read_text
from engrain.adapters.present.outline import outline_lines, table_lines
from engrain.adapters.present.records import Data, answer_outcome, fields
from engrain.adapters.present.text import clean_line, elsewhere_lines, style
from engrain.agents.handoffs import Handoff
from engrain.api.memory import Memory


@dataclass(kw_only=True)
class CreateHandoff(HereCommand):
    """Pass work to another agent."""

    examples = """
engrain handoff create --from eng-001 --to qa-001 --what "POST /todos is there" \
--artifact src/todos.ts --git-state auto --needs-testing "its validation"
engrain handoff create --to any --what "Half of the import is done" --agent eng-001
"""
    to: str | None = option("the receiving agent, or any", "B")
    from_agent: str | None = option("the sending agent; else --agent", "A", name="--from")
    what: str | None = option("what was done; - reads standard input", "TEXT")
    artifact: list[str] = options("a resulting file", "X")
    needs_testing: list[str] = options("something to test", "X")
    known_issue: list[str] = options("a known issue", "X")
    pattern: list[str] = options("the id of a helpful entry", "X")
    git_state: str | None = option("the repository's state; auto: read it now", "S")
    as_id: str | None = option("its id; else made", "ID", name="--id")

    def run_in(self, memory: Memory) -> Answer:
        outcome = memory.handoffs.create(
            self.to or "",
            read_text(self.what),
            agent=self.from_agent or "",
            artifacts=self.artifact,
            git_state=read_git(self.git_state),
            needs_testing=self.needs_testing,
            known_issues=self.known_issue,
            relevant_patterns=self.pattern,
            id=self.as_id,
        )
        return answer_outcome(outcome)


@dataclass(kw_only=True)
class ListHandoffs(AllProjects, HereCommand):
    """List the hand-offs that wait."""

    examples = """
engrain handoff list --to qa-001
engrain handoff list --all --json
"""
    to: str | None = option("only those B may claim", "B")
    unclaimed: bool = flag("unclaimed ones (the default)", name="--open", rivals="claimed")
    all: bool = flag("include claimed ones", rivals="claimed")

    def run_in(self, memory: Memory) -> Answer:
        found, elsewhere = list_here(
            lambda everywhere: memory.handoffs.list(
                to=self.to, taken=self.all, all_projects=everywhere
            ),
            self.all_projects,
        )
        described = [_describe(one) for one in found]
        columns = "id from_agent to_agent claimed_by project context.what_was_done"
        lines = table_lines(described, columns, "No hand-off waits.")
        data = {"handoffs": described, "elsewhere": elsewhere}
        return data, [*lines, *elsewhere_lines(elsewhere)]


@dataclass(kw_only=True)
class ShowHandoff(HereCommand):
    """Show a hand-off."""

    id: str = argument("which one", "ID")

    def run_in(self, memory: Memory) -> Answer:
        handoff = memory.handoffs.show(self.id)
        data = _describe(handoff)
        waits = f"it waits: engrain handoff claim {clean_line(handoff.id)} --agent NAME"
        return data, [*outline_lines(data), *([] if handoff.claimed_by else [waits])]


@dataclass(kw_only=True)
class ClaimHandoff(HereCommand):
    """Claim a hand-off; one agent gets it."""

    examples = """
engrain handoff claim 01k8 --agent qa-001   # one gets it; exit code 4 names who has it
"""
    id: str = argument("which one", "ID")
    force: bool = flag("even if it is for another agent")

    def run_in(self, memory: Memory) -> Answer:
        outcome = memory.handoffs.claim(self.id, force=self.force)
        handoff = memory.handoffs.show(outcome.id)
        already = " already" if outcome.outcome == "unchanged" else ""
        line = style("good", f"{clean_line(handoff.claimed_by)} has it{already}.")
        data = {**_describe(handoff), "outcome": outcome.outcome}
        return data, [line, *outline_lines(_describe(handoff))]


def _describe(handoff: Handoff) -> Data:
    names = "id path hash project source=origin claimed_by? claimed_at@"
    return {**handoff.document, **fields(handoff, names)}


COMMAND = {
    "list": ListHandoffs,
    "create": CreateHandoff,
    "show": ShowHandoff,
    "claim": ClaimHandoff,
}
