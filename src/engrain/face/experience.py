"""Experience: the traces of tasks, and what is learned from them (S2.2, S2.3, S2.8)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
    from typing import Any

    from engrain.engine.core.outcomes import Imported, Listing
    from engrain.engine.core.scope import Scope
    from engrain.engine.episodes.episode import Filed
    from engrain.engine.episodes.recording import Recorder
    from engrain.engine.verbs.intake import Terms
    from engrain.interchange.loki.exporting import LokiExport
    from engrain.learn.transcripts.filing import TranscriptRead
    from engrain.lifecycle.jobs.job import Report
    from engrain.seam.derived import Progress


class Experience(Base):
    """What was tried, what happened, and what follows from it."""

    def episode(
        self,
        goal: str,
        *,
        task: str | None = None,
        phase: str = "",
        constraints: Sequence[str] = (),
        files: Sequence[str] = (),
        agent: str | None = None,
        project: str | None = None,
    ) -> Recorder:
        """Record an episode as it happens, for a `with` block. What was noted outlives the process:
        one that dies leaves an episode whose outcome is "interrupted".

        with memory.episode("Add POST /todos", files=["src/todos.ts"]) as episode:
            episode.action("run_test", target="todos", result="fail", error="no return type")
            episode.error("TypeScript", "no return type", "added `: void` to the handler")
            episode.action("run_test", target="todos", result="pass")
        """
        from engrain.engine.episodes.recording import begin_episode

        return begin_episode(
            self._open_store,
            goal,
            task=task,
            phase=phase,
            constraints=constraints,
            files=files,
            agent=agent,
            project=project,
        )

    def save_episode(
        self,
        document: Mapping[str, Any],
        *,
        project: str | None = None,
        source: str = "api",
        ref: str | None = None,
    ) -> Filed:
        """File an episode of loki's fields; what is wrong in a part is told and left out.
        `project` None is the current one, "" is none. Raises UsageError for one without a goal."""
        from engrain.engine.episodes.episode import save_episode

        return save_episode(self._ready(), document, project=project, source=source, ref=ref)

    def episodes(
        self, outcome: str | None = None, *, scope: Scope | None = None, limit: int | None = None
    ) -> Listing:
        """Episodes newest first, those that were left included; with one outcome if that is named.
        Of `scope` the kinds and tags are set here. Raises UsageError."""
        from engrain.engine.episodes.listing import list_episodes

        return list_episodes(self._ready(scan=True), outcome, scope, limit)

    def read_episode(self, reference: str) -> tuple[str, Mapping[str, Any], Mapping[str, Any]]:
        """An episode's id, its document with loki's fields, and what stands beside those:
        `omitted`, `metrics`, where it came from. Raises NotFoundError."""
        from engrain.engine.episodes.listing import read_filed

        return read_filed(self._ready(), reference)

    def recover_episodes(self) -> Sequence[Filed]:
        """File the episodes that dead processes left on this device."""
        from engrain.engine.episodes.recording import recover_episodes

        return recover_episodes(self._ready())

    def write_episode_index(self, days: Collection[str] | None = None) -> int:
        """Bring the generated temporal index in step, of some days if named; how many files were
        written or removed."""
        from engrain.engine.episodes.index import write_episode_index

        return write_episode_index(self._ready(scan=True), days)

    def import_transcript(
        self,
        lines: Iterable[bytes | None],
        name: str,
        *,
        project: str | None = None,
        find_project: Callable[[str], str | None] = lambda _: None,
        allow_erased: bool = False,
    ) -> TranscriptRead:
        """Take in one transcript by its lines, each with its end, None for one too long to read.

        An episode is made of each request that ran a tool; taking the same in again changes
        nothing, and one that has gone on is brought up to date. `name` stands for a session that
        names itself nowhere; without a `project` it is what `find_project` has for the session's
        folder, else the current one. Raises MalformedError for what is no transcript of a host that
        is known. With `allow_erased` episodes that were erased here come in again.
        """
        from engrain.learn.transcripts.filing import import_transcript

        store = self._ready().allowing_erased(allow_erased)
        return import_transcript(store, lines, name, project=project, find_project=find_project)

    def consolidate(
        self, *, since: float | None = None, project: str | None = None, dry_run: bool = False
    ) -> Report:
        """Make patterns of alike episodes, and anti-patterns and learnings of their errors: of the
        episodes from `since` on (epoch seconds, else `consolidate.hours` ago) and of those that no
        pattern refers to; of one project if named, "" for those of none. What dead processes left
        is filed first. With `dry_run` it only tells; else it waits for whoever runs jobs on this
        device, lest two make the same. Raises ConfigError, IndexUnavailableError, LockedError."""
        from engrain.engine.episodes.recording import recover_episodes
        from engrain.lifecycle.consolidating.running import consolidate
        from engrain.lifecycle.jobs.job import Run
        from engrain.lifecycle.jobs.runner import wait_for_claim

        store = self._ready(scan=True)
        if dry_run:
            return consolidate(store, Run(dry_run=True), since=since, project=project)
        recover_episodes(store)
        with wait_for_claim(store.job_log):
            return consolidate(store, Run(), since=since, project=project)

    def import_loki(
        self,
        files: Iterable[tuple[str, bytes]],
        *,
        name: str,
        project: str | None = None,
        allow_erased: bool = False,
        terms: Terms | None = None,
    ) -> Imported:
        """Take in the files of one `.loki/memory` folder: their names in it, with `/`, and their
        bytes, in the order of `in_reading_order` there. `name` is what the
        folder is known by: under it importing again finds what came from it.
        `allow_erased` and `terms` as of `import_folder`."""
        from engrain.interchange.layouts import import_layout

        store = self._open_store().allowing_erased(allow_erased)
        return import_layout("loki", store, files, name, project, terms)

    def export_loki(
        self, *, project: str | None = None, progress: Progress | None = None
    ) -> LokiExport:
        """An export whose `files` are those of a `.loki/memory` folder: of one project and of none
        where one is named, else all."""
        from engrain.interchange.loki.exporting import LokiExport

        return LokiExport(self._open_store(), project, progress)
