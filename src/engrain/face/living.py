"""Memory that lives: sessions, jobs, review, the digest (S1.9, S1.16, S1.17, S1.23)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence
    from typing import Any

    from engrain.engine.core.outcomes import Outcome, Recall
    from engrain.lifecycle.jobs.runner import JobRun, JobState
    from engrain.lifecycle.reviewing.proposals import Decision, Proposal
    from engrain.lifecycle.sessions.open_session import OpenSession
    from engrain.lifecycle.upkeep.digest import Digest
    from engrain.model.experience.commitments import Commitment
    from engrain.seam.job_log import JobEvent
    from engrain.seam.personal import Personal, Use


class Living(Base):
    """What stands on the verbs so that memories strengthen, fade and are reviewed."""

    def session(self, *, project: str | None = None) -> OpenSession:
        """A session of the caller's own, for a `with` block: it ends with it (S3.4).

        with memory.session() as session:
            session.recall("nightly job lock")
        """
        from engrain.lifecycle.sessions.open_session import OpenSession

        session = self.begin_session(project=project, current=False)
        return OpenSession(self, self._open_store, session, self.end_session)

    def begin_session(
        self, session: str | None = None, *, project: str | None = None, current: bool = True
    ) -> str:
        """Begin a session, by an id of the caller's or a new one, which is returned; as the
        `current` one it is meant where none is named. Sessions that were left are closed."""
        from engrain.lifecycle.sessions.folding import fold_pending
        from engrain.lifecycle.sessions.sessions import begin_session, check_session, start_session
        from engrain.model.note.ids import make_id

        store = self._open_store()
        now = store.clock.now()
        session = check_session(session) if session else make_id(now, store.entropy.draw(10))
        project = (store.project if project is None else project) or ""
        if current:
            begin_session(store.journal, session, now, project=project)
        else:
            start_session(store.journal, session, now, source="startup", project=project)
        fold_pending(store)
        return session

    def end_session(self, session: str | None = None) -> Sequence[str]:
        """End a session, the current one if none is named, and fold what it recalled into the
        vault; the ids of the entries that gained by it. Raises NotFoundError."""
        from engrain.lifecycle.sessions.folding import end_session
        from engrain.lifecycle.sessions.sessions import check_session
        from engrain.model.errors import NotFoundError

        store = self._open_store()
        session = check_session(session) if session else store.journal.current()
        if not session or not store.journal.read(session):
            raise NotFoundError(
                f"no session {session!r} has begun" if session else "no session has begun",
                remedy="`engrain session begin` begins one",
            )
        return end_session(store, session)

    def fold_sessions(self, deadline: float | None = None) -> Sequence[str]:
        """Fold the sessions that have ended and were not folded yet, until `deadline` (a moment of
        `time.monotonic`); their ids."""
        from time import monotonic

        from engrain.lifecycle.jobs.job import Run
        from engrain.lifecycle.sessions.folding import fold_pending

        late = (lambda: False) if deadline is None else (lambda: monotonic() > deadline)
        return fold_pending(self._open_store(), Run(out_of_time=late))[0]

    def recall_in(
        self, session: str | None, query: str, *, repeat: bool = False, **options: Any
    ) -> Recall:
        """As `recall`, within a session: noted, bounded (S3.9), and but with `repeat` nothing
        twice. None means the current one, or the day's where none was begun."""
        from engrain.lifecycle.sessions.open_session import recall_in

        store = self._open_store()
        session = store.journal.current() if session is None else session
        return recall_in(self, store, session, query, repeat=repeat, **options)

    def note_recalled(self, session: str, recall: Recall) -> None:
        """Count a recall to a session, "" for the day's: its entries gain by it at the end."""
        from engrain.lifecycle.sessions.sessions import note_recalled

        store = self._open_store()
        ids = [found.row.id for found in recall.given]
        now, project = store.clock.now(), store.project or ""
        note_recalled(
            store.journal,
            session,
            now,
            ids,
            recall.again,
            leading=recall.leading,
            project=project,
        )

    def note_used(self, session: str | None, ids: Sequence[str]) -> None:
        """Count entries as used in a session, as `recall_in` means it."""
        from engrain.lifecycle.sessions.sessions import note_used

        store = self._open_store()
        session = store.journal.current() if session is None else session
        note_used(store.journal, session, store.clock.now(), ids)

    def run_jobs(
        self,
        names: Sequence[str] | None = None,
        *,
        due: bool | None = None,
        dry_run: bool = False,
        budget: float | None = None,
        stopped: Callable[[], bool] = lambda: False,
        tell: Callable[[JobRun], None] = lambda _: None,
    ) -> Sequence[JobRun]:
        """Run the jobs that are due, or those of these names at once (S1.23); `due` says otherwise.
        All together have `budget` seconds, and end between two steps where `stopped`; `tell` hears
        of each. With `dry_run` they only tell what they would do. Raises LockedError when another
        process runs them."""
        from engrain.lifecycle.jobs.runner import run_jobs

        return run_jobs(
            self._open_store(),
            names,
            due=due,
            dry_run=dry_run,
            budget=budget,
            stopped=stopped,
            tell=tell,
        )

    def job_status(self) -> Sequence[JobState]:
        """Each job, how it went last on this device, and whether it is due."""
        from engrain.lifecycle.jobs.runner import list_states

        return list_states(self._open_store())

    def job_log(self, limit: int = 20) -> Sequence[JobEvent]:
        """The latest runs of jobs on this device, oldest first."""
        return self._open_store().job_log.read_log(limit)

    def personal(self, *, authorize: bool = False, verb: str = "use", place: str = "") -> Personal:
        """The operator's own notes (S1.7), which no other method reaches. `authorize` says that the
        operator asked for it; `verb` and `place` name what for, in the log and in the error.
        Raises UsageError without; ConfigError where `personal.root` is not set or can't be used."""
        from engrain.lifecycle.reviewing.personal import require_say

        personal = self._open_personal()
        require_say(personal, authorize, verb, place)
        return personal

    def personal_uses(self, since: float | None = None) -> Sequence[Use]:
        """Every use of the operator's own notes from `since` on (epoch seconds), refused ones too,
        as this device logged them."""
        return self._open_personal().uses(since)

    def link_personal(
        self,
        reference: str,
        place: str,
        relation: str = "related_to",
        *,
        authorize: bool = False,
    ) -> Outcome:
        """Link an entry to one of the operator's own notes. Raises as `personal` does."""
        from engrain.lifecycle.reviewing.personal import link_note

        personal = self.personal(authorize=authorize, verb="link", place=place)
        return link_note(self._ready(), personal, reference, place, relation)

    def propose_personal_archive(
        self, place: str, reason: str = "", *, authorize: bool = False
    ) -> Outcome | None:
        """Propose to archive one of the operator's own notes, which nothing but their word to the
        proposal does. None where that is open, or was rejected. Raises as `personal` does."""
        from engrain.lifecycle.reviewing.staging import propose

        personal = self.personal(authorize=authorize, verb="archive", place=place)
        store = self._ready()
        return propose(store, "personal-archive", place, reason, open_personal=lambda: personal)

    def digest(self, *, since: float | None = None, everything: bool = False) -> Digest:
        """What changed since the operator last looked, since a moment (epoch seconds), or ever:
        S1.7, S1.23."""
        from engrain.lifecycle.upkeep.digest import PERSONAL, Item, make_digest

        digest = make_digest(self._open_store(), since=since, everything=everything)
        if self.settings.get("personal.root"):
            digest.add(
                PERSONAL,
                [
                    Item(
                        at=use.at, op=use.verb, path=use.place, agent=use.agent, reason=use.outcome
                    )
                    for use in self.personal_uses(digest.since)
                ],
            )
        return digest

    def note_look(self, digest: Digest) -> None:
        """The operator has seen a digest: the next one begins behind it."""
        from engrain.lifecycle.upkeep.digest import note_look

        note_look(self._open_store(), digest)

    def commitments(
        self, states: Sequence[str] = (), *, all_projects: bool = False
    ) -> Sequence[Commitment]:
        """Promises in these states (open, kept, broken; all where none is named), the open ones
        first and of those what is due first (S3.8)."""
        from engrain.engine.verbs.commitments import list_commitments

        return list_commitments(self._ready(scan=True), states, all_projects=all_projects)

    def settle_commitment(self, reference: str, state: str, note: str = "") -> Outcome:
        """Say that a promise is kept, broken or open again, with a note for the history."""
        from engrain.engine.verbs.commitments import settle_commitment

        return settle_commitment(self._ready(), reference, state, note)

    def export_history(
        self, reference: str | None = None, *, payloads: bool = True
    ) -> Iterator[bytes]:
        """The lines of a verifiable extract of the history (S3.8): every record of every device,
        with what was written where it is about one entry, or about any where none is named."""
        from engrain.engine.history.extract import make_extract

        return make_extract(self._ready(scan=True), reference, payloads=payloads)

    def proposals(
        self, action: str | None = None, *, decided: bool = False, run: str | None = None
    ) -> Sequence[Proposal]:
        """What waits for the operator's word, oldest first, of one action and of one dream's `run`
        if named; or what does no longer (S1.17)."""
        from engrain.lifecycle.reviewing.staging import list_proposals

        return list_proposals(self._ready(scan=True), action, decided=decided, run=run)

    def propose(self, action: str, target: str, reason: str = "") -> Outcome | None:
        """Propose what the operator shall decide: archive, promote or attest an entry. None where
        the same is open, or was rejected. Raises UsageError."""
        from engrain.lifecycle.reviewing.staging import propose

        return propose(self._ready(), action, target, reason)

    def show_proposal(self, reference: str) -> tuple[Proposal, Sequence[str]]:
        """A proposal, and the lines of a diff of what accepting it would change now."""
        from engrain.lifecycle.reviewing.review import preview
        from engrain.lifecycle.reviewing.staging import read_proposal

        store = self._ready(scan=True)
        proposal = read_proposal(store, reference)
        return proposal, preview(store, proposal, open_personal=self._open_personal)

    def accept(self, reference: str) -> Decision:
        """Do what is proposed; whoever calls this has the operator's word for it. It is a change of
        its own, that can be undone. Raises ConflictError for a proposal that was decided, has
        expired, or whose target is not what it was."""
        from engrain.lifecycle.reviewing.review import accept

        return accept(self._ready(scan=True), reference, open_personal=self._open_personal)

    def accept_all(
        self, action: str | None = None, *, run: str | None = None
    ) -> Sequence[Decision]:
        """Accept every open proposal, of one action and of one dream's `run` if named, but those
        that nobody attests; what was left open tells why."""
        from engrain.lifecycle.reviewing.review import accept_all

        return accept_all(
            self._ready(scan=True), action, run=run, open_personal=self._open_personal
        )

    def reject(self, reference: str, reason: str = "") -> Decision:
        """Turn a proposal down: the same is not proposed again of what is there now."""
        from engrain.lifecycle.reviewing.review import reject

        return reject(self._ready(scan=True), reference, reason)

    def expire_proposals(self) -> Sequence[str]:
        """Close the proposals whose time has run out; their ids."""
        from engrain.lifecycle.reviewing.staging import expire

        store = self._ready(scan=True)
        return expire(store, store.clock.now())
