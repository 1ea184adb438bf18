"""Agents that work after one another: hand-offs, ledgers, checkpoints, and what their tasks cost
(S2.5, S2.6, S2.12, S4.10)."""

from __future__ import annotations

from engrain.face.base import Base

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import Any

    from engrain.agents.checkpoints import Checkpoint
    from engrain.agents.handoffs import Handoff
    from engrain.engine.core.outcomes import Outcome
    from engrain.lifecycle.sessions.statistics import Statistics
    from engrain.seam.local_state import Signal


class Handing(Base):
    """What one agent leaves to the next. Where `agent` is left out, the one is meant that the
    memory was opened for."""

    def create_handoff(
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
        id: str | None = None,  # noqa: A002 - the field's name everywhere
    ) -> Outcome:
        """Hand over to an agent, or to "any" (S2.6). Raises UsageError for a hand-off to nobody,
        ConflictError for an id that is taken."""
        from engrain.agents.handoffs import create_handoff

        store = self._ready()
        return create_handoff(
            store,
            agent or store.actor.agent,
            to_agent,
            what_was_done,
            artifacts=artifacts,
            git_state=git_state,
            needs_testing=needs_testing,
            known_issues=known_issues,
            relevant_patterns=relevant_patterns,
            id=id,
        )

    def handoffs(
        self, *, to: str | None = None, taken: bool = False, all_projects: bool = False
    ) -> Sequence[Handoff]:
        """The hand-offs that wait, what waits longest first; with `taken` those behind them that
        were, and with `to` only what that agent may take."""
        from engrain.agents.handoffs import list_handoffs

        return list_handoffs(self._ready(scan=True), to=to, taken=taken, all_projects=all_projects)

    def handoff(self, reference: str) -> Handoff:
        """One hand-off, by id, beginning of an id or path. Raises NotFoundError."""
        from engrain.agents.handoffs import show_handoff

        return show_handoff(self._ready(scan=True), reference)

    def claim_handoff(self, reference: str, agent: str = "", *, force: bool = False) -> Outcome:
        """Take a hand-off: of many that try, one has it. Raises ConflictError naming who has it,
        UsageError where it is for another and `force` does not say the operator wants it."""
        from engrain.agents.handoffs import claim_handoff

        store = self._ready(scan=True)
        return claim_handoff(store, reference, agent or store.actor.agent, force=force)

    def save_ledger(self, agent: str = "", **progress: Any) -> Outcome:
        """Write down where an agent stands (S2.5); `progress` is what `model.ledger.Progress`
        takes, and what it does not say stays. Raises UsageError."""
        from engrain.agents.ledgers import save_ledger
        from engrain.model.experience.ledger import Progress

        store = self._ready()
        return save_ledger(store, agent or store.actor.agent, Progress(**progress))

    def ledger(self, agent: str = "") -> Mapping[str, Any]:
        """An agent's ledger, as the document it is. Raises NotFoundError."""
        from engrain.agents.ledgers import show_ledger

        store = self._ready(scan=True)
        return show_ledger(store, agent or store.actor.agent)[1].document

    def ledgers(self) -> Sequence[Mapping[str, Any]]:
        """Every agent's ledger, the latest first."""
        from engrain.agents.ledgers import list_ledgers

        return [note.document for note in list_ledgers(self._ready(scan=True))]

    def save_checkpoint(
        self,
        name: str,
        given: object = None,
        *,
        session: str | None = None,
        git: Mapping[str, str] | None = None,
        bare: bool = False,
    ) -> Outcome:
        """Save a snapshot of the short-term memory under a name (S4.10): a text or a value of JSON,
        and but for a `bare` one what stands around it. `session` is else the current one."""
        from engrain.agents.checkpoints import save_checkpoint
        from engrain.lifecycle.sessions.sessions import list_given

        store = self._ready()
        session = session or store.journal.current()
        return save_checkpoint(
            store,
            name,
            given,
            session=session,
            recalled=list_given(store.journal, session),
            git=git,
            bare=bare,
        )

    def load_checkpoint(self, name: str | None = None) -> Checkpoint:
        """A checkpoint by name, else the project's latest. Raises NotFoundError."""
        from engrain.agents.checkpoints import load_checkpoint

        return load_checkpoint(self._ready(scan=True), name)

    def checkpoints(self, *, all_projects: bool = False) -> Sequence[Checkpoint]:
        """The checkpoints there are, the latest first."""
        from engrain.agents.checkpoints import list_checkpoints

        return list_checkpoints(self._ready(scan=True), all_projects=all_projects)

    def statistics(self, *, days: int = 7, all_projects: bool = False) -> Statistics:
        """What the tasks of the last days cost and how they went, and what of the memory was of
        use (S2.12)."""
        from engrain.lifecycle.sessions.statistics import make_statistics

        return make_statistics(self._open_store(), days=days, all_projects=all_projects)

    def add_signals(
        self,
        task: str,
        *,
        outcome: str | None = None,
        efficiency: str | None = None,
        preference: str | None = None,
        note: str = "",
    ) -> Sequence[Signal]:
        """Keep on this device how a task went, in words or numbers. Raises UsageError."""
        from engrain.lifecycle.sessions.statistics import add_signals

        judged = {"outcome": outcome, "efficiency": efficiency, "preference": preference}
        return add_signals(self._open_store(), task, judged, note)
