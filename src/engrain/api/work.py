"""`memory.handoffs` and `memory.work`: the working memory of agents and projects."""

# Requirements: S2.1, S2.6.

from __future__ import annotations

import builtins
from collections.abc import Mapping, Sequence
from typing import Any

from engrain.agents.continuity import (
    Continuity,
    ContinuityChange,
    PhaseEnd,
    add_progress,
    begin_phase,
    end_phase,
    list_progress,
    read_continuity,
    renew_continuity,
)
from engrain.agents.handoffs import (
    Checkpoint,
    Handoff,
    claim_handoff,
    create_handoff,
    list_checkpoints,
    list_handoffs,
    list_ledgers,
    load_checkpoint,
    save_checkpoint,
    save_ledger,
    show_handoff,
    show_ledger,
)
from engrain.agents.harness import Feature, list_features, read_plan, set_feature, set_plan
from engrain.api.holder import Holder
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.store import JOBS, Actor
from engrain.engine.entities.daily import Noted, append_today, read_today
from engrain.engine.verbs.commitments import list_commitments, settle_commitment
from engrain.lifecycle.jobs.runner import AT_PHASE_END, request_jobs
from engrain.lifecycle.sessions.sessions import last_asked, list_given
from engrain.model.experience.commitments import Commitment
from engrain.model.note.entry import Entry


class Handoffs(Holder):
    """What one agent leaves to the next: hand-offs, ledgers, checkpoints.

    Without an `agent`, methods use the agent of the memory.
    """

    def create(
        self,
        to_agent: str,
        what_was_done: str,
        *,
        agent: str = "",
        artifacts: Sequence[str] = (),
        git_state: str = "",
        needs_testing: Sequence[str] = (),
        known_issues: Sequence[str] = (),
        relevant_patterns: Sequence[str] = (),
        id: str | None = None,  # noqa: A002
    ) -> Outcome:
        """Leave a hand-off to an agent, or to "any". Raises UsageError if the sender, the receiver
        or what was done is missing; ConflictError for an `id` that is taken."""
        return create_handoff(
            self._ready(),
            to_agent,
            what_was_done,
            agent=agent,
            artifacts=artifacts,
            git_state=git_state,
            needs_testing=needs_testing,
            known_issues=known_issues,
            relevant_patterns=relevant_patterns,
            id=id,
        )

    def list(
        self, *, to: str | None = None, taken: bool = False, all_projects: bool = False
    ) -> builtins.list[Handoff]:
        """List the hand-offs that nobody has claimed, the oldest first; with `taken` also claimed
        ones, after them. `to` keeps only those that this agent may take. Unless `all_projects`,
        lists those of the current project and of no project. The index must be ready."""
        return list_handoffs(self._ready(look=True), to=to, taken=taken, all_projects=all_projects)

    def show(self, reference: str) -> Handoff:
        """Read one hand-off, by id, beginning of an id or path. Raises NotFoundError."""
        return show_handoff(self._ready(look=True), reference)

    def claim(self, reference: str, agent: str = "", *, force: bool = False) -> Outcome:
        """Claim a hand-off for an agent; claiming it again is `unchanged`. `force`, which only the
        operator may use, ignores whom it is for.

        Raises ConflictError if another agent has it, naming which and since when; UsageError if it
        is for another; NotFoundError if there is none, or it was withdrawn.
        """
        return claim_handoff(self._ready(look=True), reference, agent, force=force)

    def save_ledger(self, /, agent: str = "", **progress: Any) -> Outcome:
        """Write an agent's state into its own ledger. `progress` has the arguments of
        `model.experience.ledger.Progress`; what it leaves out is kept. Raises UsageError, and
        ConflictError if other writers were faster at each attempt."""
        return save_ledger(self._ready(), agent, **progress)

    def show_ledger(self, agent: str = "") -> Mapping[str, Any]:
        """Return the document of an agent's ledger. Raises NotFoundError."""
        return show_ledger(self._ready(look=True), agent)

    def list_ledgers(self) -> builtins.list[Mapping[str, Any]]:
        """List every agent's ledger that can be read, the latest first. The index must be ready."""
        return list_ledgers(self._ready(look=True))

    def save_checkpoint(
        self,
        name: str,
        given: object = None,
        *,
        session: str | None = None,
        git: Mapping[str, str] | None = None,
        bare: bool = False,
    ) -> Outcome:
        """Save a snapshot of the short-term memory under a name: a text or a JSON value and, unless
        it is `bare`, the working memory around it. `session` defaults to the current one. Raises
        UsageError for too much, or nothing."""
        store = self._ready()
        session = session or store.device.journal.current()
        recalled = list_given(store.device.journal, session)
        return save_checkpoint(
            store, name, given, session=session, recalled=recalled, git=git, bare=bare
        )

    def load_checkpoint(self, name: str | None = None) -> Checkpoint:
        """Read a checkpoint by name, else the latest of the current project. The index must be
        ready. Raises NotFoundError."""
        return load_checkpoint(self._ready(look=True), name)

    def list_checkpoints(self, *, all_projects: bool = False) -> builtins.list[Checkpoint]:
        """List the checkpoints of the current project and of no project, newest first. The index
        must be ready."""
        return list_checkpoints(self._ready(look=True), all_projects=all_projects)


class Work(Holder):
    """Working memory of a project: CONTINUITY.md, plan, features, progress, phases, the day's note,
    promises.

    It is that of the current project; outside of any these raise UsageError.
    """

    def write_continuity(
        self,
        *,
        goal: str | None = None,
        state: str | None = None,
        next_step: str | None = None,
        phase: str | None = None,
    ) -> Outcome | None:
        """Rewrite the project's CONTINUITY.md: set what is given ("" removes it), look up the
        references again, and keep what a person wrote. Return None if there is no file and nothing
        to write. The index must be ready."""
        turn = ContinuityChange(goal=goal, state=state, next_step=next_step, phase=phase)
        return renew_continuity(self._ready(look=True), turn)

    def read_continuity(self) -> Continuity | None:
        """Read the project's CONTINUITY.md, None if there is none. Raises MalformedError."""
        return read_continuity(self._open_store())

    def plan(self) -> Entry | None:
        """Read the project's plan, None if there is none."""
        return read_plan(self._open_store())

    def set_plan(self, text: str) -> Outcome:
        """Replace the project's plan; the older one stays in the history. Raises UsageError for an
        empty text."""
        return set_plan(self._open_store(), text)

    def features(self) -> list[Feature]:
        """List the project's features, in the order of its file. Raises MalformedError."""
        return list_features(self._open_store())

    def set_feature(
        self, name: str, *, status: str | None = None, note: str | None = None
    ) -> tuple[Outcome, Feature]:
        """Set the status and note of a feature, by its id or name; an unknown one is added, as
        `todo` if no status is given. Raises UsageError."""
        return set_feature(self._open_store(), name, status=status, note=note)

    def progress(self) -> list[tuple[str, str]]:
        """List the pieces of progress, oldest first: the heading, which is the time (or anything a
        person wrote), and the text. Text before the first section has the heading "". Raises
        MalformedError."""
        return list_progress(self._open_store())

    def add_progress(self, text: str) -> Outcome:
        """Add a text with the time at the end of the file. Raises UsageError for an empty text."""
        return add_progress(self._open_store(), text)

    def begin_phase(self, name: str, *, goal: str | None = None) -> Outcome:
        """Begin a phase as the acting agent; a phase that is on already is `unchanged`. Raises
        UsageError for a name that is no phase; ConflictError if another phase is on."""
        return begin_phase(self._ready(look=True), name, goal=goal)

    def end_phase(self, name: str, *, summary: str = "") -> tuple[PhaseEnd, Sequence[str]]:
        """End a phase: write progress, then request consolidation and crystallisation; return the
        names of these jobs too. Raises NotFoundError if no phase has begun, ConflictError if
        another has."""
        store = self._ready(look=True)
        ended = end_phase(store, name, summary=summary)
        request_jobs(store, AT_PHASE_END)
        return ended, AT_PHASE_END

    def today(self, text: str) -> Noted:
        """Add a text to the note of the day, under the local time, with the current project before
        it. Raises UsageError for an empty or binary text, or one for which the note has no room;
        MalformedError where the note can't be read."""
        return append_today(self._open_store(), text)

    def read_today(self) -> tuple[str, Entry | None]:
        """Return the current day (YYYY-MM-DD) and its note, None where there is none. Raises
        MalformedError."""
        return read_today(self._open_store())

    def commitments(
        self, states: Sequence[str] = (), *, all_projects: bool = False
    ) -> list[Commitment]:
        """Return the promises in these states (by default in any), open ones first, by due date.
        Raises UsageError for an unknown state."""
        return list_commitments(self._ready(look=True), states, all_projects=all_projects)

    def settle_commitment(self, reference: str, state: str, note: str = "") -> Outcome:
        """Record that a promise is kept, broken, or open again, with `note` as the reason. Raises
        UsageError for an entry that is no commitment, or for an unknown state."""
        return settle_commitment(self._ready(), reference, state, note)

    def update_continuity(
        self, session: str, *, project: str | None = None, deadline: float | None = None
    ) -> Outcome | None:
        """Rewrite CONTINUITY.md at the end of a turn from the session's last prompt, whose task
        becomes the goal if nobody set one. Return None outside of a project, and after `deadline`
        (a moment of `time.monotonic`)."""
        store = self._open_store()
        # Written as a job, so that undoing "the last change" never means this one.
        store = store.acting_as(Actor(JOBS, store.actor.trust))
        if project is not None:
            store = store.within(project)
        if not store.project:
            return None
        turn = ContinuityChange(asked=last_asked(store.device.journal, session))
        return renew_continuity(store, turn, deadline)
