"""Dreaming: the whole vault gone over, and what could be put in order proposed (S1.17)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from engrain.lifecycle.dreaming.result import Dream


class Dreaming(Base):
    """A pass over the whole vault."""

    def dream(
        self,
        *,
        only: Sequence[str] = (),
        limit: int | None = None,
        auto: bool | None = None,
        resume: bool = False,
        dry_run: bool = False,
        tell: Callable[[str], None] = lambda _: None,
    ) -> Dream:
        """Find what says the same, contradicts, is replaced, could be linked, is out of order or is
        said by many, and propose what would put it in order; a dream that was not finished is gone
        on with. `only` names stages; `limit` is how many findings of each are proposed at most;
        with `auto` what can be taken back and loses nothing is done at once; both are else as the
        settings say. `resume` goes on with an unfinished one or raises NotFoundError. `tell` hears
        of each stage.

        With `dry_run` nothing is written; else it waits for whoever runs jobs on this device.
        Raises ConfigError, IndexUnavailableError, LockedError."""
        from contextlib import nullcontext

        from engrain.lifecycle.dreaming.run import dream
        from engrain.lifecycle.jobs.job import Run
        from engrain.lifecycle.jobs.runner import wait_for_claim

        store = self._open_store()
        with nullcontext() if dry_run else wait_for_claim(store.job_log):
            return dream(
                store,
                Run(dry_run=dry_run),
                only=only,
                limit=limit,
                auto=auto,
                resume=resume,
                tell=tell,
            )
