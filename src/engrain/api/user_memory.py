"""`UserMemory`: what one of many people in a vault sees and writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from engrain.api.holder import Holder
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.recalled import Recall
from engrain.engine.core.scope import Scope, When, check_user, read_date, user_project
from engrain.engine.core.store import Store
from engrain.engine.history.history import list_changes
from engrain.engine.recall.pipeline import recall_entries
from engrain.engine.verbs.forget import forget_entry, restore_entry
from engrain.engine.verbs.listing import Listing, list_entries
from engrain.engine.verbs.revise import edit_entry, evolve_entry
from engrain.engine.verbs.save import SaveRequest, save
from engrain.lifecycle.sessions.recall import recall
from engrain.model.errors import NotFoundError, UsageError
from engrain.model.note.entry import Entry
from engrain.model.note.tiers import kind_of
from engrain.seam.batches import Change
from engrain.seam.personal import OpenPersonal
from engrain.seam.rows import Row


class UserMemory(Holder):
    """The memory of one user in a vault of many. Made by `Memory.for_user`.

    What is saved here belongs to the user. What is read is the user's, or shared: entries of the
    current project and entries without a project, which belong to no user. Entries of another user
    are never returned, and the user can't change shared ones. Raises the errors of `Memory`.

        ada = memory.for_user("ada")
        ada.save("I am allergic to nuts.")
        print([found.text for found in ada.recall("which food to avoid").results])
    """

    def __init__(
        self, open_store: Callable[[], Store], open_personal: OpenPersonal, user: str
    ) -> None:
        super().__init__(open_store, open_personal)
        self._user = check_user(user)

    @property
    def user(self) -> str:
        """The name of the user."""
        return self._user

    def save(
        self,
        text: str,
        *,
        title: str | None = None,
        kind: str | None = None,
        tags: Sequence[str] | None = None,
        created: When | None = None,
        valid_from: When | None = None,
        valid_to: When | None = None,
        confidence: float | None = None,
        weight: float | Mapping[str, float] | None = None,
        source: str = "api",
        ref: str | None = None,
        due: str | None = None,
    ) -> Outcome:
        """Write one memory of the user. The arguments are those of `Memory.save`. Raises UsageError
        also for a kind that belongs to a project."""
        if kind is not None and "{project}" in kind_of(kind).folder:
            raise UsageError(
                f"a {kind} belongs to a project, not to a user",
                remedy="save it with the memory that `for_user` was called on",
            )
        store = self._open_store()
        outcome = save(
            store,
            SaveRequest(
                text,
                title=title,
                kind=kind,
                tags=tags,
                project=user_project(self._user),
                created=read_date(created),
                valid_from=read_date(valid_from),
                valid_to=read_date(valid_to),
                confidence=confidence,
                weight=weight,
                source=source,
                ref=ref,
                due=due,
            ),
        )
        if outcome.other and (
            store.upkeep.ensure(scan=False)
            or not self._sees(store, store.find_exact(outcome.other))
        ):
            outcome.other = None  # it may be another user's entry with the same title
        return outcome

    def recall(
        self,
        query: str,
        *,
        session: str | None = None,
        repeat: bool = False,
        profile: str | None = None,
        limit: int | None = None,
        budget: int | None = None,
        phase: str | None = None,
        scope: Scope | None = None,
        loaded: Sequence[str] = (),
        explain: bool = False,
        deadline: float | None = None,
    ) -> Recall:
        """Return the few entries of the user and shared ones that fit `query`, best first. The
        arguments are those of `Memory.recall`. Raises UsageError for a scope of all projects."""
        store = self._open_store()
        recalled = recall(
            store,
            query,
            recall_entries,
            session=session,
            repeat=repeat,
            profile=profile,
            limit=limit,
            budget=budget,
            phase=phase,
            scope=self._own(scope),
            loaded=loaded,
            explain=explain,
            deadline=deadline,
        )
        for found in (*recalled.results, *recalled.nearest):
            found.contradicts = tuple(
                id_ for id_ in found.contradicts if self._sees(store, store.find_exact(id_))
            )
        return recalled

    def list(self, *, scope: Scope | None = None, limit: int | None = None) -> Listing:
        """List the entries of the user and shared ones by filter, newest first. Raises UsageError
        for a scope of all projects."""
        return list_entries(self._open_store(), scope=self._own(scope), limit=limit)

    def read(self, reference: str) -> Entry:
        """Read one entry of the user or a shared one, by id, path, slug, title or alias. Raises
        NotFoundError; UsageError if several are meant."""
        store = self._ready()
        return store.read_one(self._find(store, reference).id)[1]

    def edit(
        self,
        reference: str,
        *,
        expect: str,
        text: str | None = None,
        title: str | None = None,
        tags: Sequence[str] | None = None,
    ) -> Outcome:
        """Change one of the user's entries in place, as `Memory.edit` does."""
        store = self._ready()
        id_ = self._find_own(store, reference)
        return edit_entry(store, id_, expect=expect, text=text, title=title, tags=tags)

    def evolve(
        self,
        reference: str,
        text: str,
        *,
        title: str | None = None,
        tags: Sequence[str] | None = None,
        reason: str = "",
    ) -> Outcome:
        """Put a successor in the place of one of the user's entries, as `Memory.evolve` does."""
        store = self._ready()
        return evolve_entry(
            store,
            self._find_own(store, reference),
            text,
            title=title,
            tags=tags,
            reason=reason,
            project=user_project(self._user),
        )

    def forget(self, reference: str, reason: str = "") -> Outcome:
        """Mark one of the user's entries as deleted; `restore` brings it back."""
        store = self._ready()
        return forget_entry(store, self._find_own(store, reference), reason)

    def restore(self, reference: str) -> Outcome:
        """Restore one of the user's entries that was forgotten or archived."""
        store = self._ready()
        return restore_entry(store, self._find_own(store, reference))

    def history(self, reference: str, limit: int | None = None) -> Sequence[Change]:
        """List the changes of an entry of the user or a shared one, newest first."""
        store = self._ready(look=True)
        return list_changes(store, self._find(store, reference).id, limit)

    def _own(self, scope: Scope | None) -> Scope:
        return replace(scope or Scope(), user=self._user)

    def _sees(self, store: Store, row: Row | None) -> bool:
        return row is not None and (row.project or "") in {
            "",
            store.project or "",
            user_project(self._user),
        }

    def _find(self, store: Store, reference: str) -> Row:
        """Return the entry that a reference means to this user, their own before shared ones."""
        rows = self._list_seen(store, reference)
        if not rows:
            store.upkeep.scan()
            rows = self._list_seen(store, reference)
        if not rows:
            raise NotFoundError(
                f"{self._user} has no entry {reference[:80]!r}, and none is shared",
                remedy="`list` shows the entries",
            )
        own = [row for row in rows if row.project == user_project(self._user)] or rows
        live = [row for row in own if row.status == "active"] or own
        if len(live) > 1:
            ids = ", ".join(row.id for row in live)
            raise UsageError(f"{reference[:80]!r} means several entries: {ids}")
        return live[0]

    def _list_seen(self, store: Store, reference: str) -> Sequence[Row]:
        """List the entries that a reference names and the user may see, as their files are now."""
        named = [*store.index.lookup(reference), *store.index.resolve([reference])]
        ids = {row.id for row in named if row.primary and self._sees(store, row)}
        present = [store.find_one(id_) for id_ in sorted(ids)]
        return [row for row in present if self._sees(store, row)]

    def _find_own(self, store: Store, reference: str) -> str:
        """Return the id of the user's entry that a reference means. Raises UsageError for a shared
        one."""
        row = self._find(store, reference)
        if row.project != user_project(self._user):
            raise UsageError(
                f"{row.id} is shared: {self._user} can't change it",
                remedy="change it with the memory that `for_user` was called on",
            )
        return row.id
