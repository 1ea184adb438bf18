"""The jobs there are: what each is for, how often it is due, and where its function is (S1.23)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import TypeAlias

from engrain.engine.core.store import Store
from engrain.lifecycle.jobs.homes import load
from engrain.lifecycle.jobs.job import Report, Run

Function: TypeAlias = "Callable[[Store, Run], Report]"


_DAY = 24 * 60


@dataclass(slots=True, eq=False)
class Job:
    """One job: due `every` so many minutes at least, or so many days as the setting `days` says;
    `home` is where its function is, as `module:name`."""

    name: str
    meaning: str
    every: int
    home: str
    days: str = ""

    def as_set(self, settings: Mapping[str, str | None]) -> Job:
        """The same job, due as often as the operator set; a setting that is no number of days says
        nothing here, and is told by the job itself."""
        days = settings.get(self.days) or ""
        if not self.days or not (days.isascii() and days.isdigit() and int(days[:6]) > 0):
            return self
        return Job(self.name, self.meaning, int(days[:6]) * _DAY, self.home, self.days)

    def load(self) -> Function:
        """Its function, whose module is imported at the first use."""
        function: Function = load(self.home)
        return function


JOBS: Mapping[str, Job] = {
    job.name: job
    for job in (
        Job(
            "scan",
            "take in what other programs changed, and erase again what came back",
            30,
            "engrain.lifecycle.upkeep.scanning:run",
        ),
        Job(
            "sessions",
            "close sessions that were left, and fold what was recalled into the entries",
            30,
            "engrain.lifecycle.sessions.folding:run",
        ),
        Job(
            "recordings",
            "file the episodes that processes left when they died",
            30,
            "engrain.lifecycle.upkeep.episodes:run_recordings",
        ),
        Job(
            "extract",
            "draw facts out of what is new in the sources",
            30,
            "engrain.face.extraction:run",
        ),
        Job(
            "reflect",
            "keep what the operator said in sessions that have ended",
            30,
            "engrain.face.reflection:run",
        ),
        Job(
            "consolidate",
            "make patterns and mistakes to avoid out of episodes",
            60,
            "engrain.lifecycle.consolidating.running:run",
        ),
        Job(
            "episodes",
            "summarise and archive old episodes, and bring their index in step",
            _DAY,
            "engrain.lifecycle.upkeep.episodes:run",
        ),
        Job(
            "entities",
            "bring the index of people, companies and projects in step",
            _DAY,
            "engrain.lifecycle.upkeep.entities:run",
        ),
        Job(
            "patterns",
            "join patterns that say the same",
            _DAY,
            "engrain.lifecycle.consolidating.duplicates:run",
        ),
        Job(
            "crystallize",
            "make a digest of each phase of work that ended",
            _DAY,
            "engrain.face.crystallizing:run",
        ),
        Job(
            "decay", "archive or propose what has faded", _DAY, "engrain.lifecycle.ageing.decay:run"
        ),
        Job(
            "heat",
            "load what is recalled often in every session, and what is cold no more",
            _DAY,
            "engrain.lifecycle.ageing.heat:run",
        ),
        Job(
            "skills",
            "draft skills from tasks that succeeded alike, for your word",
            _DAY,
            "engrain.lifecycle.consolidating.skill_drafts:run",
        ),
        Job(
            "synthesize",
            "tell anew what is known of people and projects, and what holds over time",
            7 * _DAY,
            "engrain.lifecycle.synthesizing.running:run",
            days="synthesis.days",
        ),
        Job(
            "learn",
            "bring what is new in approved places outside to the inbox",
            _DAY,
            "engrain.face.learning:run",
        ),
        Job(
            "triage",
            "propose or retire what waits in the inbox",
            _DAY,
            "engrain.lifecycle.upkeep.triage:run",
        ),
        Job(
            "dream",
            "go over the whole vault, and propose what would put it in order",
            7 * _DAY,
            "engrain.lifecycle.dreaming.run:run",
            days="dream.days",
        ),
        Job(
            "calibrate",
            "learn when recall is to keep silent in this vault, as it grows",
            60,
            "engrain.lifecycle.upkeep.calibrating:run",
        ),
        Job("staging", "let old proposals expire", _DAY, "engrain.lifecycle.reviewing.staging:run"),
        Job(
            "map",
            "bring the maps of contents in step",
            _DAY,
            "engrain.lifecycle.upkeep.maps:run",
        ),
    )
}
"""In the order in which a round runs them: each sees what those before it did."""
