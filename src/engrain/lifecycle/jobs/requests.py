"""Jobs that somebody asked for: due at once, and run in the next round (S1.22, S1.23)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engrain.engine.core.store import Store
from engrain.lifecycle.jobs.table import JOBS, Job
from engrain.model.errors import UsageError

AT_PHASE_END = ("consolidate", "crystallize")
"""What a phase's end asks for: episodes become patterns, and the phase a digest (DESIGN 10)."""

_LONGEST_NAME = 60
_LETTERS = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-")


@dataclass(slots=True, eq=False)
class Request:
    """A job that was asked for at a moment (epoch seconds), and whether there is such a job: one
    that there is not yet stays asked for until there is."""

    name: str
    at: float
    known: bool


def request_jobs(
    store: Store, names: Sequence[str], table: Mapping[str, Job] = JOBS
) -> list[Request]:
    """Ask for jobs: each is due until it starts. A name that no job has yet is noted all the same,
    for when one has. Raises UsageError for what can be no job's name."""
    for name in names:
        if not name or len(name) > _LONGEST_NAME or not _LETTERS.issuperset(name):
            raise UsageError(f"{name[:60]!r} can be no job's name")
    now = store.clock.now()
    for name in dict.fromkeys(names):
        store.job_log.request(name, now)
    return [Request(name, now, name in table) for name in dict.fromkeys(names)]


def list_requests(store: Store, table: Mapping[str, Job] = JOBS) -> list[Request]:
    """What was asked for and has not started since, by name."""
    asked = sorted(store.job_log.requests().items())
    return [Request(name, at, name in table) for name, at in asked]
