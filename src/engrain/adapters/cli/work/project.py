"""`engrain project`: the phases, plan, features and progress of a project."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal

from engrain.adapters.cli.base import Answer, HereCommand, argument, count, option
from engrain.adapters.cli.reading import read_text
from engrain.adapters.present.jobs import request_lines
from engrain.adapters.present.outline import outline_lines, table_lines
from engrain.adapters.present.records import (
    Data,
    answer_outcome,
    describe_outcome,
    fields,
    list_fields,
)
from engrain.adapters.present.text import bold, clean, clean_line, style
from engrain.agents.continuity import Continuity
from engrain.agents.harness import Feature
from engrain.api.memory import Memory
from engrain.language.text.instants import format_local
from engrain.model.errors import UsageError
from engrain.model.note.entry import Entry


def note_lines(entry: Entry) -> Iterator[str]:
    """Yield a note's text as it stands."""
    yield from clean(entry.note.body).strip("\n").splitlines()
    yield style("dim", f"{clean_line(entry.id)}  {clean(entry.path)}")


def describe_phase(found: Continuity | None) -> Data:
    """Return the phase that is on."""
    if found is None:
        return {"phase": None, "began": None, "agent": None}
    return fields(found, "phase? began@ agent?")


def phase_lines(found: Continuity | None) -> Iterator[str]:
    """Yield the current phase, when it began, and the agent that began it."""
    if found is None or not found.phase:
        yield "no phase is on; `engrain project begin NAME` begins one"
        return
    since = "" if found.began is None else f" since {format_local(found.began)}"
    by = f", begun by {clean_line(found.agent)}" if found.agent else ""
    yield f"phase {bold(found.phase)}{since}{by}"


@dataclass(kw_only=True)
class BeginPhase(HereCommand):
    """Begin a phase of work: plan, work, review, release or document."""

    examples = 'engrain project begin work --goal "CRUD for todos"'
    name: str = argument("plan, work, review, release or document", "NAME")
    goal: str | None = option("the goal", "TEXT")

    def run_in(self, memory: Memory) -> Answer:
        begun = describe_outcome(memory.work.begin_phase(self.name, goal=self.goal))
        found = memory.work.read_continuity()
        return {**begun, **describe_phase(found)}, phase_lines(found)


@dataclass(kw_only=True)
class EndPhase(HereCommand):
    """End a phase of work and write its progress."""

    examples = 'engrain project end work --summary "All routes answer; the tests pass."'
    name: str = argument("plan, work, review, release or document", "NAME")
    summary: str | None = option("a summary; - reads input", "TEXT")

    def run_in(self, memory: Memory) -> Answer:
        ended, asked = memory.work.end_phase(self.name, summary=read_text(self.summary))
        data = {
            **fields(ended, "phase=name began@ episodes features"),
            "progress": fields(ended.outcome, "id path=locator"),
            "queued": [{"job": name, "known": True} for name in asked],
        }
        told = fields(ended, "ended=name began@ episodes features written=outcome.locator")
        return data, [*outline_lines(told), *request_lines(asked)]


@dataclass(kw_only=True)
class ProjectPlan(HereCommand):
    """Show the plan, or set it."""

    examples = """
engrain project plan
engrain project plan "1. Routes. 2. Tests. 3. Release."
engrain project plan - < PLAN.md
"""
    text: str | None = argument("the new plan; - reads input", "TEXT", default=None)

    def run_in(self, memory: Memory) -> Answer:
        if self.text is not None:
            return answer_outcome(memory.work.set_plan(read_text(self.text)))
        entry = memory.work.plan()
        if entry is None:
            line = "this project has no plan yet; `engrain project plan TEXT` makes one"
            return {"found": False}, [line]
        data = {"found": True, **fields(entry, "id path hash text=note.body")}
        return data, note_lines(entry)


_FEATURE = "id name status notes"


@dataclass(kw_only=True)
class SetFeature(HereCommand):
    """Add a feature, or set its status."""

    examples = 'engrain project feature "Login form" --status doing --note "waits for the design"'
    name: str = argument("its name or id", "NAME")
    status: Literal["todo", "doing", "done", "blocked"] | None = option("how far it is")
    note: str | None = option("a note", "TEXT")

    def run_in(self, memory: Memory) -> Answer:
        outcome, feature = memory.work.set_feature(self.name, status=self.status, note=self.note)
        data = fields(outcome, "id path=locator hash outcome")
        return {**data, "feature": fields(feature, _FEATURE)}, _lines([feature])


@dataclass(kw_only=True)
class ListFeatures(HereCommand):
    """List the features, all or those of a status."""

    examples = """
engrain project features
engrain project features --status blocked --json
"""
    status: Literal["todo", "doing", "done", "blocked"] | None = option("only these")

    def run_in(self, memory: Memory) -> Answer:
        shown = [one for one in memory.work.features() if self.status in (None, one.status)]
        return {"features": list_fields(shown, _FEATURE)}, _lines(shown)


def _lines(features: Sequence[Feature]) -> Iterator[str]:
    nothing = "no features; `engrain project feature NAME --status todo` adds one"
    return table_lines(list_fields(features, _FEATURE), "status id name notes", nothing)


_LATEST = 20


@dataclass(kw_only=True)
class ProjectProgress(HereCommand):
    """Show the latest progress notes, or add to them."""

    examples = """
engrain project progress "The login form validates its input."
engrain project progress -n 5
"""
    text: str | None = argument("what to add; - reads input", "TEXT", default=None)
    limit: int | None = option("show the last N", "N", type=count, short="-n")

    def check(self) -> None:
        if self.text is not None and self.limit is not None:
            raise UsageError("TEXT adds, and --limit shows", remedy="give one of the two")

    def run_in(self, memory: Memory) -> Answer:
        if self.text is not None:
            return answer_outcome(memory.work.add_progress(read_text(self.text)))
        data, lines = _show_progress(memory, self.limit or _LATEST)
        return data, lines or ["no progress yet; `engrain project progress TEXT` adds some"]


def _show_progress(memory: Memory, most: int) -> tuple[Data, list[str]]:
    pieces = memory.work.progress()
    latest = pieces[-most:]
    lines = []
    for when, text in latest:
        lines.append(style("dim", clean_line(when)))
        lines += [f"  {line}" for line in clean(text).splitlines()]
    return {
        "progress": [{"at": when, "text": text} for when, text in latest],
        "total": len(pieces),
    }, lines


@dataclass(kw_only=True)
class ShowProject(HereCommand):
    """Show the phase, the features and the latest progress."""

    examples = "engrain project show --json"

    def run_in(self, memory: Memory) -> Answer:
        found, features = memory.work.read_continuity(), memory.work.features()
        progress, lines = _show_progress(memory, 1)
        data = {**describe_phase(found), "features": list_fields(features, _FEATURE), **progress}
        return data, [*phase_lines(found), *_lines(features), *lines]


COMMAND = {
    "show": ShowProject,
    "begin": BeginPhase,
    "end": EndPhase,
    "plan": ProjectPlan,
    "feature": SetFeature,
    "features": ListFeatures,
    "progress": ProjectProgress,
}
