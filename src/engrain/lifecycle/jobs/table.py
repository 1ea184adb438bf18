"""The table of jobs: what each is for, how often it is due and which function does it (S1.23).

A job maintains one vault by itself, in small steps, and reports them. Each is idempotent: a second
run changes nothing; after a kill the next run does the rest.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from importlib import import_module
from typing import Generic, TypeAlias, TypeVar

from engrain.engine.core.store import Store
from engrain.model.errors import ConflictError, NotFoundError
from engrain.model.run_result import RunResult


@dataclass(slots=True, eq=False)
class Run:
    """How a job runs: with `dry_run` it only reports what it would do; between two steps it calls
    `out_of_time`, and stops if that is true. If the store was `scanned` for this run, the job need
    not look for edits by other programs. `asked` says that a person named the job."""

    _: KW_ONLY
    dry_run: bool = False
    out_of_time: Callable[[], bool] = lambda: False
    scanned: bool = False
    asked: bool = False


@dataclass(slots=True, eq=False)
class JobStep:
    """One step of a job: the word for what it does, the entry (by id) and the reason, and the
    function that does it, which returns None if there was nothing to do. It is counted under
    `counted`, else under its word."""

    word: str
    about: str
    do: Callable[[], object]
    counted: str = ""


def do_steps(run: Run, steps: Iterable[JobStep | None], words: Sequence[str]) -> RunResult:
    """Do the steps, or only report them in a dry run, and count each under one of these words. A
    step whose entry has changed or gone meanwhile is left for the next run. None stands for an
    entry that needs no step; the time is checked after it too."""
    counts = dict.fromkeys(words, 0)
    lines: list[str] = []
    for step in steps:
        if run.out_of_time():
            return RunResult(counts, lines, unfinished=True)
        if step is None:
            continue
        try:
            done = run.dry_run or step.do() is not None
        except (ConflictError, NotFoundError):
            continue
        if done:
            counts[step.counted or step.word] += 1
            lines.append(f"{step.word} {step.about}")
    return RunResult(counts, lines)


Named = TypeVar("Named", bound=Callable[..., object])


@dataclass(slots=True, eq=False)
class Deferred(Generic[Named]):
    """A function by its place, written as `module:name`."""

    place: str

    def load(self) -> Named:
        """Import the module and return the function. Raises ImportError or AttributeError for a
        place that does not exist; a test resolves every table."""
        module, _, name = self.place.partition(":")
        function: Named = getattr(import_module(module), name)
        return function


Function: TypeAlias = "Callable[[Store, Run], RunResult]"

_HALF_HOUR, _HOUR, _DAY, _WEEK = 30, 60, 24 * 60, 7 * 24 * 60  # minutes


@dataclass(slots=True, frozen=True)
class Job:
    """One job: it is due every `every` minutes, or every number of days in the setting `days`.
    `place` is its function as `module:name`. One device does a `shared` job for the whole store,
    where a server can notify the others."""

    name: str
    meaning: str
    every: int
    place: str
    days: str = ""
    shared: bool = False

    def as_set(self, settings: Mapping[str, str | None]) -> Job:
        """Return the job with the operator's interval. A setting that is no number of days is
        ignored here; the job itself reports it."""
        days = settings.get(self.days) or ""
        if not self.days or not (days.isascii() and days.isdigit() and int(days[:6]) > 0):
            return self
        return replace(self, every=int(days[:6]) * _DAY)

    def load(self) -> Function:
        """Import the job's function."""
        return Deferred[Function](self.place).load()


_LIFE = "engrain.lifecycle"
_ROWS = (
    Job("scan", "take in what other programs changed, and erase again what came back", _HALF_HOUR,
        f"{_LIFE}.upkeep.indexes:run_scan"),
    Job("sessions", "end abandoned sessions, and add their recalls to the entries' counts",
        _HALF_HOUR, f"{_LIFE}.sessions.folding:run"),
    Job("transcripts", "learn from sessions: lessons, what you said, a line a day",
        _HALF_HOUR, "engrain.api.transcripts:run"),
    Job("extract", "extract facts from what is new in the sources", _HALF_HOUR,
        "engrain.api.learning:run_extraction"),
    Job("reflect", "save what the operator stated in the sources", _HALF_HOUR,
        "engrain.api.learning:run_reflection"),
    Job("consolidate", "derive patterns and mistakes to avoid from episodes", _HOUR,
        f"{_LIFE}.consolidating.running:run"),
    Job("crystallize", "write a digest of each phase of work that ended", _DAY,
        "engrain.api.crystals:run"),
    Job("episodes", "summarise and archive old episodes, and update their index", _DAY,
        f"{_LIFE}.ageing.decay:run_episodes"),
    Job("entities", "update the index of people, companies and projects", _DAY,
        f"{_LIFE}.upkeep.indexes:run_entities"),
    Job("decay", "archive or propose what has faded", _DAY, f"{_LIFE}.ageing.decay:run_decay"),
    Job("heat", "load in every session what is recalled often, and unload what no longer is", _DAY,
        f"{_LIFE}.ageing.heat:run"),
    Job("synthesize", "rewrite summaries of people and projects, and MEMORY.md, from current facts",
        _WEEK, f"{_LIFE}.synthesizing.running:run", "synthesis.days"),
    Job("learn", "fetch what is new in approved sources into the inbox", _DAY,
        "engrain.api.learning:run_learning"),
    Job("triage", "propose or retire entries of the inbox", _DAY,
        f"{_LIFE}.ageing.decay:run_triage"),
    Job("dream", "check the whole vault for duplicates and contradictions; propose changes", _WEEK,
        f"{_LIFE}.dreaming.run:run", "dream.days"),
    Job("calibrate", "calibrate when recall stays silent, as the vault grows", _HOUR,
        f"{_LIFE}.upkeep.indexes:run_calibration"),
    Job("staging", "let old proposals expire", _DAY, f"{_LIFE}.reviewing.staging:run"),
    Job("map", "update the tables of contents", _DAY, f"{_LIFE}.upkeep.indexes:run_maps"),
)  # fmt: skip
_OF_A_DEVICE = frozenset(
    ["scan", "sessions", "transcripts", "extract", "reflect", "learn", "calibrate"]
)
"""Jobs on a device's own sessions, sources, counters and index."""
JOBS: Mapping[str, Job] = {
    job.name: replace(job, shared=job.name not in _OF_A_DEVICE) for job in _ROWS
}
"""All jobs in the order of a round: each sees the results of those before it. What is derived from
episodes comes before they lose their details."""
