"""Working memory of a project: CONTINUITY.md, plan, features, progress, phases (S1.4, S1.22, S2.1).

`project` is everywhere the current one where it is None; outside of any these raise UsageError.
"""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.agents.continuity import Continuity
    from engrain.agents.features import Feature
    from engrain.agents.phases import PhaseEnd
    from engrain.engine.core.outcomes import Outcome
    from engrain.lifecycle.jobs.runner import Request
    from engrain.model.note.entry import Entry


class Working(Base):
    """What an agent is doing right now, kept in the vault for the next one."""

    @property
    def where(self) -> str:
        """Where this memory lies: a folder or an address."""
        return self._open_store().backend.describe()

    def read_continuity(self, project: str | None = None) -> Continuity | None:
        """What the project's CONTINUITY.md says, None where there is none."""
        from engrain.agents.continuity import read_continuity

        return read_continuity(self._open_store(), project)

    def continuity(
        self,
        *,
        goal: str | None = None,
        state: str | None = None,
        next_step: str | None = None,
        phase: str | None = None,
        project: str | None = None,
    ) -> Outcome | None:
        """Rewrite the project's CONTINUITY.md: what is given is set ("" takes it out), the
        references to relevant memories and to mistakes are looked up anew, what a person wrote
        stays. None where there is none and nothing to say."""
        from engrain.agents.continuity import Turn, renew_continuity

        turn = Turn(goal=goal, state=state, next_step=next_step, phase=phase)
        return renew_continuity(self._ready(scan=True), turn, project)

    def keep_continuity(
        self, session: str, *, project: str | None = None, deadline: float | None = None
    ) -> Outcome | None:
        """The same at the end of a turn: where nobody set a goal, it is what was asked last in the
        session. None outside of a project, and behind `deadline` (a moment of `time.monotonic`)."""
        from engrain.agents.continuity import Turn, renew_continuity
        from engrain.engine.core.store import JOBS, Actor
        from engrain.lifecycle.sessions.sessions import last_asked

        store = self._open_store()
        # Nobody asked for it, so that "the last change" to be undone is never this one.
        store = store.acting_as(Actor(JOBS, store.actor.trust))
        if not (store.project if project is None else project):
            return None
        turn = Turn(asked=last_asked(store.journal, session))
        return renew_continuity(store, turn, project, deadline)

    def drop_references(self, ids: Sequence[str]) -> Sequence[str]:
        """Take entries that are to be erased out of every CONTINUITY.md; the places that changed.
        The next turn writes none of what is gone."""
        from engrain.agents.references import drop_references

        return drop_references(self._ready(scan=True), ids)

    def plan(self, project: str | None = None) -> Entry | None:
        """The project's plan, None where there is none."""
        from engrain.agents.harness import read_plan

        return read_plan(self._open_store(), project)

    def set_plan(self, text: str, project: str | None = None) -> Outcome:
        """Put a text in the place of the project's plan; the older one is in the history."""
        from engrain.agents.harness import set_plan

        return set_plan(self._open_store(), text, project)

    def features(self, project: str | None = None) -> Sequence[Feature]:
        """The project's features, in the order of its file."""
        from engrain.agents.features import list_features

        return list_features(self._open_store(), project)

    def set_feature(
        self,
        name: str,
        *,
        status: str | None = None,
        note: str | None = None,
        project: str | None = None,
    ) -> tuple[Outcome, Feature]:
        """Set how far a feature is (todo, doing, done, blocked) and what is noted of it, by its id
        or name; one that is not there is added. Raises UsageError."""
        from engrain.agents.features import set_feature

        return set_feature(self._open_store(), name, status=status, note=note, project=project)

    def progress(self, project: str | None = None) -> Sequence[tuple[str, str]]:
        """The pieces of progress, oldest first: when, and what."""
        from engrain.agents.progress import list_progress

        return list_progress(self._open_store(), project)

    def add_progress(self, text: str, project: str | None = None) -> Outcome:
        """Add a piece of progress with the time; of many at once none is lost."""
        from engrain.agents.progress import add_progress

        return add_progress(self._open_store(), text, project)

    def begin_phase(
        self, name: str, *, goal: str | None = None, project: str | None = None
    ) -> Outcome:
        """Begin a phase of work. Raises UsageError for a name that no phase has; ConflictError
        where another is on."""
        from engrain.agents.phases import begin_phase

        return begin_phase(self._ready(scan=True), name, goal=goal, project=project)

    def end_phase(
        self, name: str, *, summary: str = "", project: str | None = None
    ) -> tuple[PhaseEnd, Sequence[Request]]:
        """End a phase: progress is written, then consolidation and crystallisation are asked for.
        Raises NotFoundError where none is on, ConflictError where another is."""
        from engrain.agents.phases import end_phase
        from engrain.lifecycle.jobs.runner import AT_PHASE_END, request_jobs

        store = self._ready(scan=True)
        ended = end_phase(store, name, summary=summary, project=project)
        return ended, request_jobs(store, AT_PHASE_END)

    def request_jobs(self, names: Sequence[str]) -> Sequence[Request]:
        """Ask for jobs: they run in the next round, due or not."""
        from engrain.lifecycle.jobs.runner import request_jobs

        return request_jobs(self._open_store(), names)

    def job_requests(self) -> Sequence[Request]:
        """The jobs that were asked for and have not started since."""
        from engrain.lifecycle.jobs.runner import list_requests

        return list_requests(self._open_store())
