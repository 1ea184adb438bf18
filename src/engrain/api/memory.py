"""`Memory`: the verbs over one vault, and namespaces for everything else (S1.1, S1.13)."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Self

from engrain.api.binding import Holder, Later, looked, opened, part, ready, scanned

if TYPE_CHECKING:
    import engrain.api.composed
    import engrain.api.namespaces
    import engrain.engine.core.moving
    import engrain.engine.diagnosis
    import engrain.engine.erasing.erase
    import engrain.engine.erasing.plan
    import engrain.engine.history.history
    import engrain.engine.history.migration
    import engrain.engine.history.removals
    import engrain.engine.history.undo
    import engrain.engine.history.verification
    import engrain.engine.links.renaming
    import engrain.engine.lint.run
    import engrain.engine.recall.briefing
    import engrain.engine.reindexing
    import engrain.engine.survey
    import engrain.engine.verbs.archive
    import engrain.engine.verbs.forget
    import engrain.engine.verbs.listing
    import engrain.engine.verbs.revise
    import engrain.engine.verbs.save
    import engrain.lifecycle.reviewing.joining
    import engrain.lifecycle.sessions.recall
    import engrain.lifecycle.upkeep.successions
    from engrain.engine.core.store import Store
    from engrain.lifecycle.reviewing.actions import OpenPersonal
    from engrain.seam.journal import SessionJournal
else:
    engrain = Later("engrain")


class Memory(Holder):
    """Durable memory over one vault.

    Made by `engrain.open_memory`. The vault is resolved at each call, so a vault that was moved,
    unmounted or put back is noticed; calls may come from several threads. Every method may raise
    the errors of `engrain.model.errors`; VaultUnavailableError if the vault can't be reached.

        with open_memory("~/memory", create=True) as memory:
            memory.save("Use advisory locks for the nightly job.", title="Nightly lock", kind="fix")
            for found in memory.recall("nightly job lock").results:
                print(found.row.title, found.text)
    """

    def __init__(
        self,
        open_store: Callable[[], Store],
        open_personal: OpenPersonal,
        close: Callable[[], None],
    ) -> None:
        super().__init__(open_store, open_personal)
        self._close = close

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self._close()

    def close(self) -> None:
        """Close files and connections. The next call opens them again."""
        self._close()

    @property
    def vault(self) -> str:
        """The vault's own id, the same on every device."""
        return self._open_store().backend.vault

    @property
    def where(self) -> str:
        """The vault's folder or address."""
        return self._open_store().backend.describe()

    @property
    def project(self) -> str | None:
        """The current project, None outside of any."""
        return self._open_store().project

    @property
    def journal(self) -> SessionJournal:
        """What happened in each session on this device."""
        return self._open_store().journal

    @property
    def heads(self) -> Mapping[str, str]:
        """The end of each device's history, which differs after each change. Cheap."""
        return self._open_store().backend.heads()

    @property
    def settings(self) -> Mapping[str, str | None]:
        """The settings by name, each value as it is written."""
        return self._open_store().settings

    def as_one_change(self) -> Self:
        """Return the same memory with all its changes from now on as one, for `history` and `undo`.
        Close the original, not this one."""
        from engrain.engine.core.store import Operation

        operation = Operation()
        return self._with(lambda store: store.as_one_change(operation))

    def acting_as(self, trust: str, agent: str | None = None) -> Self:
        """Return the same memory whose writes come from `trust` (operator, agent, tool or external)
        and, if given, from that agent. Close the original, not this one."""
        from engrain.engine.core.store import Actor

        return self._with(
            lambda store: store.acting_as(
                Actor(store.actor.agent if agent is None else agent, trust)
            )
        )

    def within(self, project: str) -> Self:
        """Return the same memory in another project. Close the original, not this one."""
        return self._with(lambda store: store.within(project))

    def _with(self, change: Callable[[Store], Store]) -> Self:
        from copy import copy

        open_store, other = self._open_store, copy(self)
        other._open_store = lambda: change(open_store())
        return other

    save = opened(engrain.engine.verbs.save.save)
    recall = opened(engrain.lifecycle.sessions.recall.recall)
    before_task = opened(engrain.lifecycle.sessions.recall.recall_for_task)
    brief = opened(engrain.engine.recall.briefing.brief_session)
    list = opened(engrain.engine.verbs.listing.list_entries)
    show = opened(engrain.engine.verbs.listing.show_entry)
    also_named = opened(engrain.engine.verbs.listing.also_named)
    newest = opened(engrain.engine.verbs.listing.list_newest)
    titles = opened(engrain.engine.verbs.listing.name_entries)
    sources_of = opened(engrain.engine.verbs.listing.name_sources)
    edit = ready(engrain.engine.verbs.revise.edit_entry)
    evolve = ready(engrain.engine.verbs.revise.evolve_entry)
    replace = ready(engrain.lifecycle.upkeep.successions.replace_entry)
    rename = opened(engrain.engine.links.renaming.rename_entry)
    link = ready(engrain.lifecycle.upkeep.successions.link_and_propose)
    pin = ready(engrain.engine.core.moving.pin_entry)
    forget = ready(engrain.engine.verbs.forget.forget_entry)
    forget_several = ready(engrain.engine.verbs.forget.forget_entries)
    matching = opened(engrain.engine.verbs.forget.list_matching)
    merge = looked(engrain.lifecycle.reviewing.joining.merge_entries)
    archive = ready(engrain.engine.verbs.archive.archive_entry)
    restore = ready(engrain.engine.verbs.forget.restore_entry)
    restore_all = scanned(engrain.engine.verbs.forget.restore_all)
    missing = scanned(engrain.engine.history.removals.list_missing)
    removed = scanned(engrain.engine.history.removals.list_removed)
    accept_missing = scanned(engrain.engine.history.removals.accept_missing)
    restore_missing = scanned(engrain.engine.verbs.forget.restore_missing)
    plan_erasure = scanned(engrain.engine.erasing.plan.plan_erasure)
    erase = ready(engrain.engine.erasing.erase.erase_entries)
    backup = opened(engrain.engine.history.migration.pack_store)
    erase_again = scanned(engrain.engine.erasing.erase.erase_again)
    history = looked(engrain.engine.history.history.list_changes)
    read_at = looked(engrain.engine.history.history.read_at)
    undo = ready(engrain.engine.history.undo.undo_change)
    redo = ready(engrain.engine.history.undo.redo_change)
    upcoming_undo = ready(engrain.engine.history.undo.find_upcoming)
    plan_undo = ready(engrain.engine.history.undo.plan_undo)
    show_change = looked(engrain.engine.history.history.show_change)
    verify = ready(engrain.engine.history.verification.verify_chains)
    scan = ready(engrain.engine.reindexing.scan)
    look = opened(engrain.engine.reindexing.look)
    follow = ready(engrain.engine.reindexing.follow)
    reindex = opened(engrain.engine.reindexing.reindex)
    compare_index = opened(engrain.engine.reindexing.compare_index)
    embed = looked(engrain.engine.reindexing.embed)
    diagnose = opened(engrain.engine.diagnosis.diagnose)
    survey = ready(engrain.api.composed.survey)
    growth = ready(engrain.engine.survey.count_growth)
    lint = opened(engrain.engine.lint.run.lint)
    import_folder = ready(engrain.api.composed.import_folder)

    facts = part(engrain.api.namespaces.Facts)
    sessions = part(engrain.api.namespaces.Sessions)
    jobs = part(engrain.api.namespaces.Jobs)
    graph = part(engrain.api.namespaces.Graph)
    links = part(engrain.api.namespaces.Links)
    skills = part(engrain.api.namespaces.Skills)
    episodes = part(engrain.api.namespaces.Episodes)
    handoffs = part(engrain.api.namespaces.Handoffs)
    work = part(engrain.api.namespaces.Work)
    sources = part(engrain.api.namespaces.Sources)
    exchange = part(engrain.api.namespaces.Exchange)
    review = part(engrain.api.namespaces.Review)
    trust = part(engrain.api.namespaces.Trust)
    personal = part(engrain.api.namespaces.PersonalNotes)
