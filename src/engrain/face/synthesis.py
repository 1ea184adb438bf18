"""Synthesis: what is known told anew, week by week (S4.5)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.lifecycle.jobs.job import Report


class Synthesis(Base):
    """Summaries of entities, and MEMORY.md."""

    def synthesize(self, entity: str | None = None, *, dry_run: bool = False) -> Report:
        """Mark contradictions among facts, cut old ones short, write the summaries of entities and
        what holds over time into MEMORY.md; or of one entity alone, by any name of it. With
        `dry_run` it only tells; else it waits for whoever runs jobs on this device. Raises
        ConfigError, NotFoundError, IndexUnavailableError, LockedError."""
        from contextlib import nullcontext

        from engrain.lifecycle.jobs.job import Run
        from engrain.lifecycle.jobs.runner import wait_for_claim
        from engrain.lifecycle.synthesizing.running import synthesize

        store = self._ready(scan=True)
        with nullcontext() if dry_run else wait_for_claim(store.job_log):
            return synthesize(store, Run(dry_run=dry_run), entity)
