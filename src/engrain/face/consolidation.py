"""Episodes that become patterns and mistakes to avoid (S2.4)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.lifecycle.job import Report


class Consolidation(Base):
    """What stands on the verbs so that experience is learned from."""

    def consolidate(
        self, *, since: float | None = None, project: str | None = None, dry_run: bool = False
    ) -> Report:
        """Make patterns of alike episodes, and anti-patterns and learnings of their errors: of the
        episodes from `since` on (epoch seconds, else `consolidate.hours` ago) and of those that no
        pattern refers to; of one project if named, "" for those of none. What dead processes left
        is filed first. With `dry_run` it only tells. Raises ConfigError, IndexUnavailableError."""
        from engrain.engine.recording import recover_episodes
        from engrain.lifecycle.consolidation import consolidate
        from engrain.lifecycle.job import Run

        store = self._ready(scan=True)
        if not dry_run:
            recover_episodes(store)
        return consolidate(store, Run(dry_run=dry_run), since=since, project=project)
