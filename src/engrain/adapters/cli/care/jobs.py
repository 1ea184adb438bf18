"""`engrain jobs`: list and run background jobs; show their log."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from time import monotonic
from typing import ClassVar

from engrain.adapters.cli.base import Answer, MemoryCommand, arguments, count, flag, option
from engrain.adapters.cli.care.schedule import InstallSchedule, RemoveSchedule
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.hooks.sending import send_learned
from engrain.adapters.present.jobs import (
    describe_interval,
    describe_job,
    describe_next,
    request_lines,
)
from engrain.adapters.present.outline import table_lines
from engrain.adapters.present.records import Data, fields, list_fields
from engrain.adapters.present.text import clean_line, style
from engrain.api.memory import Memory
from engrain.language.text.instants import format_local
from engrain.model.errors import EmbeddingError, LockedError, UsageError
from engrain.resolution.installation import compose_install
from engrain.seam.job_log import JobRun

_LATEST = 20
_COLOURS = {"ok": "good", "failed": "bad", "interrupted": "warning", "unfinished": "warning"}
_WIDTH = 11


@dataclass(kw_only=True)
class RunJobs(MemoryCommand):
    """Run jobs, by default those due."""

    examples = """
engrain jobs run
engrain jobs run decay --dry-run
"""
    names: list[str] = arguments("these jobs; else those due", "NAME")
    due: bool = flag("only those due")
    dry_run: bool = flag("show what would be done; change nothing")
    budget: float | None = option("at most S seconds in all", "S")

    def check(self) -> None:
        if self.budget is not None and not 0 < self.budget < 1e9:
            raise UsageError("--budget is a number of seconds above 0")

    def run_in(self, memory: Memory) -> Answer:
        def report(run: JobRun) -> None:
            if not self.console.as_json:
                self.console.write_lines(_run_lines(run, f"{run.name:<9}"))
                self.console.flush()  # at once: the next may take its time

        runs = memory.jobs.run(
            self.names or None,
            due=self.due or None,
            dry_run=self.dry_run,
            budget=self.budget,
            tell=report,
        )
        names = "job=name outcome counts lines error?"
        jobs = [{**fields(run, names), "seconds": round(run.seconds, 3)} for run in runs]
        lines = [] if runs else ["nothing is due; `engrain jobs list` shows when each is due"]
        data: Data = {"dry_run": self.dry_run, "jobs": jobs}
        if not self.dry_run and (sending := send_learned(memory)):
            data["remote"] = fields(sending, "sent withdrawn problems")
            lines.append(f"remote: {sending.sent} sent, {sending.withdrawn} withdrawn")
            lines += map(clean_line, sending.problems)
        code = any(run.outcome == "failed" for run in runs)
        return data, lines, code


@dataclass(kw_only=True)
class LogJobs(MemoryCommand):
    """Show the latest runs."""

    examples = "engrain jobs log -n 50"
    limit: int | None = option("at most N lines; else 20", "N", type=count, short="-n")

    def run_in(self, memory: Memory) -> Answer:
        events = memory.jobs.log(self.limit or _LATEST)
        runs = list_fields(events, "at=ended@ job=name outcome seconds counts lines error?")
        lines: list[str] = []
        for event in events:
            first, *rest = _run_lines(event, clean_line(event.name))
            lines += [f"{style('dim', format_local(event.ended or event.started))}  {first}", *rest]
        return {"runs": runs}, lines or ["No job has run on this device yet."]


@dataclass(kw_only=True)
class ListJobs(MemoryCommand):
    """List the jobs, how often they run and when each is due."""

    examples = "engrain jobs list"
    columns: ClassVar[str] = "job every next meaning"

    def run_in(self, memory: Memory) -> Answer:
        states = memory.jobs.status()
        jobs = [describe_job(state) for state in states]
        rows = [
            {**job, "every": describe_interval(state.job.every), "next": describe_next(state)}
            for job, state in zip(jobs, states, strict=True)
        ]
        lines = [*table_lines(rows, self.columns, "")]
        lines += request_lines(state.job.name for state in states if state.asked is not None)
        return {"jobs": jobs}, lines


@dataclass(kw_only=True)
class StatusJobs(ListJobs):
    """Show how each job went last."""

    examples = "engrain jobs status --json"
    columns = "job outcome ended next counts error"


@dataclass(kw_only=True)
class RebuildIndex(MemoryCommand):
    """Rebuild the index from the files."""

    examples = "engrain jobs reindex"

    def run_in(self, memory: Memory) -> Answer:
        with show_progress(self.console, "indexing") as progress:
            counts = memory.reindex(progress).counts
        unread = counts["unreadable"]
        left = f", {unread} files can't be read (see check)" if unread else ""
        data = {name: counts[name] for name in ("seen", "dropped")}
        data |= {"indexed": counts["changed"], "problems": unread}
        return data, [f"indexed {counts['changed']} entries{left}"]


@dataclass(kw_only=True)
class EmbedTexts(MemoryCommand):
    """Compute the embeddings that entries lack."""

    examples = """
engrain jobs embed
ENGRAIN_EMBEDDER=api,local engrain jobs embed --json
"""
    prune: bool = flag("drop the vectors of models that are not used now")

    def run_in(self, memory: Memory) -> Answer:
        began = monotonic()
        try:
            with show_progress(self.console, "embedding", " texts") as progress:
                outcomes = memory.embed(progress, prune=self.prune)
        except LockedError as error:
            lines = [f"{error.message}, so this command leaves it to that one; {error.remedy}"]
            return {"links": [], "busy": True}, lines
        if not any(outcome.model for outcome in outcomes):
            raise EmbeddingError(
                "; ".join(f"{outcome.link}: {outcome.lost}" for outcome in outcomes)
                or "no embedder is configured",
                remedy=f"{compose_install('local')}, or set embedder and what it needs",
            )
        lines = []
        for one in outcomes:
            added = f"{one.added} new vectors of {one.model}"
            lines.append(
                f"{one.link}: {added if one.model else f'not used: {clean_line(one.lost)}'}"
            )
        seconds = monotonic() - began
        texts = sum(one.added for one in outcomes)
        if texts:
            lines.append(f"{texts} texts in {seconds:.0f} s, {texts / seconds:.1f} a second")
        data = {"links": list_fields(outcomes, "link model added lost"), "busy": False}
        return {**data, "seconds": round(seconds, 1)}, lines


def _run_lines(run: JobRun, name: str) -> Iterator[str]:
    said = clean_line(run.error) or _count(run.counts)
    yield f"{_outcome(run.outcome)} {name}  {said}  {style('dim', f'{run.seconds:.1f} s')}"
    for line in run.lines:
        yield style("dim", f"{'':{_WIDTH}}   {clean_line(line)}")


def _outcome(outcome: str) -> str:
    padded = f"{clean_line(outcome):<{_WIDTH}}"
    return style(_COLOURS[outcome], padded) if outcome in _COLOURS else padded


def _count(counts: Mapping[str, int]) -> str:
    some = [f"{count} {clean_line(what)}" for what, count in counts.items() if count]
    return ", ".join(some) or ("nothing to do" if counts else "")


COMMAND = {
    "list": ListJobs,
    "run": RunJobs,
    "status": StatusJobs,
    "log": LogJobs,
    "embed": EmbedTexts,
    "reindex": RebuildIndex,
    "schedule": InstallSchedule,
    "unschedule": RemoveSchedule,
}
