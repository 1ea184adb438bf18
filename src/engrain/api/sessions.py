"""`memory.sessions` and `memory.jobs`: sessions of work, and care between them."""

# Requirements: S1.23, S3.9.

from __future__ import annotations

from collections.abc import Callable, Sequence

from engrain.api.crystals import find_last_phase
from engrain.api.holder import Holder
from engrain.api.judging import JudgeRecord, survey_judge
from engrain.api.learning import read_unread
from engrain.api.transcripts import Learned, survey_learned
from engrain.engine.core.recalled import Recall
from engrain.learn.reflection.run import Reflected, reflect
from engrain.learn.sources.reading import ReadCounts, read_paths
from engrain.lifecycle.ageing.heat import count_since_recall
from engrain.lifecycle.dreaming.run import Dream, dream
from engrain.lifecycle.jobs.runner import JobState, claimed, list_states, request_jobs, run_jobs
from engrain.lifecycle.sessions.folding import OpenSession, begin, end, fold_ended, has_unlearned
from engrain.lifecycle.sessions.recall import note_recall, note_use
from engrain.lifecycle.synthesizing.crystals import Crystallized, crystallize
from engrain.seam.job_log import JobRun
from engrain.seam.rows import Row


class Sessions(Holder):
    """Sessions of work: recalls in one are counted, bounded and not repeated."""

    def open(self, *, project: str | None = None) -> OpenSession:
        """Return a session for a `with` block: it begins with the block and ends with it.

        with memory.sessions.open() as session:
            session.recall("nightly job lock")
        """
        return OpenSession(self._open_store, project=project)

    def begin(
        self, session: str | None = None, *, project: str | None = None, current: bool = True
    ) -> str:
        """Begin a session, by an id of the caller's or a new one, and return the id; the `current`
        one is meant where none is named. Abandoned sessions are closed. Raises UsageError."""
        return begin(self._open_store(), session, project=project, current=current)

    def end(self, session: str | None = None) -> list[str]:
        """End a session, the current one if none is named, and fold it and earlier ended ones;
        return the ids of the entries that gained by it. Raises NotFoundError."""
        return end(self._open_store(), session)

    def current(self) -> str:
        """Return the id of this device's current session, "" where none was begun."""
        return self._open_store().device.journal.current()

    def fold(self, deadline: float | None = None) -> list[str]:
        """Fold the sessions that have ended, until `deadline` (a moment of `time.monotonic`);
        return their ids."""
        return fold_ended(self._open_store(), deadline)

    def note_recalled(self, session: str, recall: Recall) -> None:
        """Count a recall to a session, "" for the day's: its entries gain by it at the end. Raises
        StorageError."""
        note_recall(self._open_store(), session, recall)

    def note_used(self, session: str | None, ids: Sequence[str]) -> None:
        """Count entries as used in a session: they gain more weight than those that only came. None
        means the current session, or the day's where none was begun, "" the day's."""
        note_use(self._open_store(), session, ids)

    def since_recall(self, rows: Sequence[Row]) -> dict[str, int]:
        """Count, by id, the sessions in an entry's scope since its last recall, or since it was
        made, with those that its file had counted on other devices. The index must be ready."""
        return count_since_recall(self._ready(), rows)

    def reflect(
        self,
        paths: Sequence[str] = (),
        *,
        source: str | None = None,
        project: str | None = None,
        trust: str = "",
        dry_run: bool = False,
        tell: Callable[[int], None] = lambda _: None,
    ) -> tuple[Reflected, ReadCounts]:
        """Reflect on the sessions in some files and folders, else on what is new in the named
        source, else on every session not reflected on yet; return what became of each candidate and
        how the reading went. `project` is the project of all, by default each session's own;
        `trust` is the origin of the content of `paths`, at most the agent's. `tell` gets the number
        of sessions read so far.

        With `dry_run` nothing is written. Raises NotFoundError, UsageError, ForbiddenPathError,
        ConfigError, IndexUnavailableError, LockedError, StorageError.
        """
        with claimed(self._open_store(), dry_run) as store:
            store.require_index(scan=True)
            read_counts = ReadCounts()
            if paths:
                readings = read_paths(store, paths, read_counts)
            else:
                readings = read_unread(store, read_counts, source, dry_run=dry_run)
            done = reflect(
                store, readings, project=project, trust=trust, dry_run=dry_run, tell=tell
            )
            return done, read_counts

    def learned(self) -> Learned:
        """Report what was learned from the sessions of this device."""
        return survey_learned(self._open_store())

    def judged(self) -> JudgeRecord:
        """Report what an agent or a model judged of the sessions of this device. Raises
        ConfigError."""
        return survey_judge(self._open_store())

    def has_unlearned(self) -> bool:
        """Whether a session waits to be learned from, where the operator agreed to that. Raises
        ConfigError."""
        return has_unlearned(self._open_store())

    def crystallize(self, *, phase: str | None = None, dry_run: bool = False) -> Crystallized:
        """Write the digest of the current project's last ended phase, of the name `phase` if given.

        A repetition changes nothing. With `dry_run` nothing is written. Raises NotFoundError if
        there was no such phase, UsageError, ConfigError, IndexUnavailableError, LockedError,
        ConflictError.
        """
        with claimed(self._open_store(), dry_run) as store:
            store.require_index(scan=True)
            return crystallize(store, find_last_phase(store, phase), dry_run=dry_run)


class Jobs(Holder):
    """Jobs, which keep the memory in order unasked."""

    def run(
        self,
        names: Sequence[str] | None = None,
        *,
        due: bool | None = None,
        dry_run: bool = False,
        budget: float | None = None,
        stopped: Callable[[], bool] = lambda: False,
        tell: Callable[[JobRun], None] = lambda _: None,
    ) -> list[JobRun]:
        """Run the jobs that are due, or the jobs of these `names`, due or not (`due` overrides
        both), and return their runs in order. `tell` is called with each run as it ends. Jobs that
        another device runs for the vault at this moment are left out.

        All together have `budget` seconds (by default 300), and end early if
        `stopped` returns true. A job that fails stops no other. With `dry_run` nothing is changed
        or noted. Raises LockedError if another runner is at work, or another device for jobs that
        were named; NotFoundError for an unknown name.
        """
        return run_jobs(
            self._open_store(),
            names,
            due=due,
            dry_run=dry_run,
            budget=budget,
            stopped=stopped,
            tell=tell,
        )

    def status(self) -> list[JobState]:
        """List each job with its last run; one whose runner has died counts as interrupted."""
        return list_states(self._open_store())

    def log(self, limit: int = 20) -> Sequence[JobRun]:
        """Read the latest runs of jobs on this device, oldest first."""
        return self._open_store().device.job_log.read_log(limit)

    def request(self, names: Sequence[str]) -> None:
        """Request jobs: each is due until it starts. Raises NotFoundError for an unknown name."""
        request_jobs(self._open_store(), names)

    def dream(
        self,
        *,
        only: Sequence[str] = (),
        dry_run: bool = False,
        out_of_time: Callable[[], bool] = lambda: False,
        tell: Callable[[str], None] = lambda _: None,
    ) -> Dream:
        """Find duplicates, contradictions and missing links, and propose what would mend them.

        An unfinished dream of all stages is continued by the next. `only` names stages. `tell` is
        called with each as it begins. With `dry_run` nothing is written.

        Raises ConfigError, IndexUnavailableError, LockedError.
        """
        with claimed(self._open_store(), dry_run) as store:
            return dream(store, only=only, dry_run=dry_run, out_of_time=out_of_time, tell=tell)
