"""`Memory`: the verbs over one vault, and namespaces for everything else.

A hook is a cold process that needs few verbs, so each method imports its own.
"""

# Requirements: S1.1, S1.13.

from __future__ import annotations

import builtins
from contextlib import suppress
from copy import copy
from typing import TYPE_CHECKING

from engrain.api.holder import Holder
from engrain.engine.core.scope import read_date, read_moment, read_when
from engrain.model.errors import IndexUnavailableError
from engrain.model.note.tiers import COMMITMENT

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
    from typing import Self

    from engrain.api.episodes import Episodes, Skills
    from engrain.api.facts import Facts, Graphs, Links
    from engrain.api.review import PersonalNotes, Review, Trust
    from engrain.api.sessions import Jobs, Sessions
    from engrain.api.sources import Exchange, Sources
    from engrain.api.user_memory import UserMemory
    from engrain.api.work import Handoffs, Work
    from engrain.check.run import CheckResult
    from engrain.engine.core.outcomes import Imported, Outcome
    from engrain.engine.core.recalled import Recall, TaskRecall
    from engrain.engine.core.scope import Scope, When
    from engrain.engine.core.store import Store
    from engrain.engine.diagnosis import Finding
    from engrain.engine.erasing.erase import Erased
    from engrain.engine.erasing.plan import ErasurePlan
    from engrain.engine.history.history import ShownChange
    from engrain.engine.history.removals import Removed
    from engrain.engine.history.undo import Undone, Upcoming
    from engrain.engine.links.renaming import Renamed
    from engrain.engine.recall.briefing import BriefPart
    from engrain.engine.recall.embedding import Embedded
    from engrain.engine.recall.profiles import Profile, RecallRequest
    from engrain.engine.recall.tool_moment import ToolCall
    from engrain.engine.survey import Survey
    from engrain.engine.verbs.intake import Terms
    from engrain.engine.verbs.listing import Listing, ShownEntry
    from engrain.engine.verbs.source_notes import LeaveOut
    from engrain.lifecycle.reviewing.joining import Merged
    from engrain.model.run_result import RunResult
    from engrain.seam.batches import Change
    from engrain.seam.derived import Progress
    from engrain.seam.personal import OpenPersonal
    from engrain.seam.rows import Row
    from engrain.state.journals import SessionJournal


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
        return self._open_store().device.journal

    @property
    def heads(self) -> Mapping[str, str]:
        """The end of each device's history, which differs after each change. Cheap."""
        return self._open_store().backend.heads()

    @property
    def settings(self) -> Mapping[str, str | None]:
        """The settings by name, each value as it is written."""
        return self._open_store().settings

    def clean(self, text: str) -> str:
        """Return a text as it would be written, with placeholders for secrets."""
        from engrain.engine.core.redaction import clean_text

        return clean_text(self, text)

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

    def for_user(self, user: str) -> UserMemory:
        """Return the memory of one user of this vault, for programs that keep many people apart:
        what it saves belongs to the user, and it never shows another user's entries. `user` is a
        name of lower-case letters, digits and hyphens. Close the original, not this one. Raises
        UsageError for another name.

            memory.for_user("ada").save("I am allergic to nuts.")
        """
        from engrain.api.user_memory import UserMemory

        return UserMemory(self._open_store, self._open_personal, user)

    def within(self, project: str) -> Self:
        """Return the same memory in another project. Close the original, not this one."""
        return self._with(lambda store: store.within(project))

    def _with(self, change: Callable[[Store], Store]) -> Self:
        open_store, other = self._open_store, copy(self)
        other._open_store = lambda: change(open_store())
        return other

    def save(
        self,
        text: str,
        *,
        title: str | None = None,
        kind: str | None = None,
        tags: Sequence[str] | None = None,
        project: str | None = None,
        status: str | None = None,
        slug: str | None = None,
        created: When | None = None,
        valid_from: When | None = None,
        valid_to: When | None = None,
        confidence: float | None = None,
        weight: float | Mapping[str, float] | None = None,
        derived_from: Sequence[str] = (),
        source: str = "api",
        ref: str | None = None,
        due: str | None = None,
        stated_by: str | None = None,
    ) -> Outcome:
        """Write one memory and return what became of it: the outcome is `created`, `unchanged`,
        `restored` or `similar`. An existing entry is never altered: `edit` and `evolve` do that.

        `kind`, `status` and `tags` are detected from the text if they are not given. `weight` is
        from 0 to 1, or has some of the factors surprise, goal, social and utility; by default it is
        estimated. `due` is the date of a commitment. `source` and `ref` say where the text comes
        from, `derived_from` has the ids of the entries it was made of. With
        `stated_by="user"` an agent says that these are the user's own words. Raises UsageError if
        the text is empty or a field is invalid; ConflictError.

            saved = memory.save("The nightly job takes an advisory lock.", kind="fix")
            print(saved.outcome, saved.id)
        """
        from engrain.engine.verbs.save import SaveRequest, save

        return save(
            self._open_store(),
            SaveRequest(
                text,
                title=title,
                kind=kind,
                tags=tags,
                project=project,
                status=status,
                slug=slug,
                created=read_date(created),
                valid_from=read_date(valid_from),
                valid_to=read_date(valid_to),
                confidence=confidence,
                weight=weight,
                derived_from=derived_from,
                source=source,
                ref=ref,
                due=due,
                stated_by=stated_by,
            ),
        )

    def find_older(self, saved: Outcome) -> Row | None:
        """Return the current entry that looks most like an older statement of what was saved, None
        if none does, if nothing was created, or if no index can answer. It costs the same in a
        large vault as in a small one."""
        from engrain.engine.recall.newer import find_older
        from engrain.model.errors import NotFoundError

        if saved.outcome != "created":
            return None
        try:
            return find_older(self._ready(), saved.id)
        except (IndexUnavailableError, NotFoundError):
            return None

    def recall(
        self,
        query: str,
        *,
        session: str | None = None,
        repeat: bool = False,
        profile: str | Profile | None = None,
        limit: int | None = None,
        budget: int | None = None,
        phase: str | None = None,
        action: str | None = None,
        half_life: float | None = None,
        scope: Scope | None = None,
        loaded: Sequence[str] = (),
        scan: bool = True,
        explain: bool = False,
        deadline: float | None = None,
    ) -> Recall:
        """Return the few entries that fit `query`, best first, and none if none fits. Their texts
        are read from the vault now.

        `profile` says how to look: `prompt`, `task`, `associative`, `deep` or your own; `limit`
        (results) and `budget` (tokens) override it. `phase` (plan, work, review, release or
        document) prefers the kinds of entries that it needs. `action` is the type of action at
        hand, by which the profile `task` finds mistakes to avoid. An entry that is `half_life` days
        old counts half as much. `scope` says which entries may answer. Entries whose ids are in
        `loaded` are left out, and copies of them.

        Within a `session`, given by its id, results are noted and not repeated (unless `repeat`),
        until the session got `session.limit` entries. The id "" means this day's recalls outside of
        any session; None notes nothing. With `scan` the recall first takes in what other programs
        wrote. `deadline` is a moment of `time.monotonic`, after which no model is waited for.
        `explain` adds how each result was ranked. Raises UsageError, ConfigError,
        IndexUnavailableError.

            for found in memory.recall("nightly job lock", limit=3).results:
                print(found.row.title, found.text)
        """
        from engrain.lifecycle.sessions.recall import recall

        return recall(
            self._open_store(),
            query,
            _answer,
            session=session,
            repeat=repeat,
            profile=profile,
            limit=limit,
            budget=budget,
            phase=phase,
            action=action,
            half_life=half_life,
            scope=scope,
            loaded=loaded,
            scan=scan,
            explain=explain,
            deadline=deadline,
        )

    def before_task(
        self,
        task: str,
        *,
        action: str | None = None,
        phase: str | None = None,
        limit: int = 5,
        budget: int | None = None,
        project: str | None = None,
        loaded: Sequence[str] = (),
    ) -> TaskRecall:
        """Recall what fits a task best, the mistakes to avoid and the skills that apply, in one
        budget of tokens. Patterns weigh .5, successful episodes .3 and skills .2.

        `action` is the type of the action at hand, such as `run_test`: mistakes met at such an
        action are returned whatever the task says. The other arguments are those of `recall`.
        """
        from engrain.lifecycle.sessions.recall import recall_for_task

        return recall_for_task(
            self._open_store(),
            task,
            _answer,
            action=action,
            phase=phase,
            limit=limit,
            budget=budget,
            project=project,
            loaded=loaded,
        )

    def brief(
        self,
        *,
        phase: str | None = None,
        project: str | None = None,
        budget: int | None = None,
        deadline: float | None = None,
    ) -> Iterator[BriefPart]:
        """Yield the parts of a brief for the start of a session: the operator's directives and
        preferences, MEMORY.md, the project's working notes, waiting hand-offs, open commitments,
        pinned and promoted entries, and the entries that the project used or made last. Empty parts
        are left out.

        `phase` defaults to the phase in the working notes, else to `work`. `budget` is in tokens;
        `deadline` is a moment of `time.monotonic`. Raises UsageError for an unknown phase. If the
        index can't answer, IndexUnavailableError is raised after the parts that don't need it.
        """
        from engrain.engine.recall.briefing import brief_session

        return brief_session(
            self._open_store(), phase=phase, project=project, budget=budget, deadline=deadline
        )

    def count_proposals(self) -> tuple[int, int]:
        """Count the proposals that wait for the operator's decision, and those that expired within
        a week without one. Raises IndexUnavailableError."""
        from engrain.engine.recall.briefing import count_proposals

        return count_proposals(self._open_store())

    def at_tool(
        self,
        call: ToolCall,
        *,
        project: str | None = None,
        loaded: Sequence[str] = (),
        limit: int = 2,
        deadline: float | None = None,
    ) -> Recall:
        """Return the few entries for a call of a tool: for a failure those that know its error,
        and those that name a file which the call touches; none where none surely fits. Nothing is
        noted. Raises IndexUnavailableError.

            call = ToolCall("npm ci", "npm error code ERESOLVE", failed=True)
            for found in memory.at_tool(call).results:
                print(found.row.title)
        """
        from engrain.engine.recall.tool_moment import recall_for_call

        store = self._open_store()
        return recall_for_call(
            store, call, project=project, loaded=loaded, limit=limit, deadline=deadline
        )

    def list(self, *, scope: Scope | None = None, limit: int | None = None) -> Listing:
        """List entries by filter, newest first. An active entry that another replaced is
        included, with the status superseded.

            memory.list(scope=Scope(kinds=["fix"], since="2026-11-01"), limit=20).rows
        """
        from engrain.engine.verbs.listing import list_entries

        return list_entries(self._open_store(), scope=scope, limit=limit)

    def show(self, reference: str) -> ShownEntry:
        """Read one entry from the vault, with its links. `reference` is an id or its beginning, a
        path, a slug, a title or an alias. Raises NotFoundError; UsageError if it means several
        entries; ErasedError."""
        from engrain.engine.verbs.listing import show_entry

        return show_entry(self._open_store(), reference)

    def also_named(self, reference: str, *meant: str) -> builtins.list[Row]:
        """List the other active entries that a reference could mean, as their slug, title or
        alias, besides the entries whose ids are `meant`."""
        from engrain.engine.verbs.listing import also_named

        return also_named(self._open_store(), reference, *meant)

    def newest(self, kinds: Iterable[str], limit: int | None = None) -> dict[str, tuple[Row, ...]]:
        """Return the newest active entries of each kind, of all projects. Nothing is counted, so
        this takes no longer in a large vault."""
        from engrain.engine.verbs.listing import list_newest

        return list_newest(self._open_store(), kinds, limit)

    def titles(self, ids: Iterable[str]) -> dict[str, str]:
        """Return the titles of entries by id; for an entry that no longer exists, the id."""
        from engrain.engine.verbs.listing import name_entries

        return name_entries(self._open_store(), ids)

    def texts(self, rows: Iterable[Row]) -> dict[str, str]:
        """Read the texts of entries by their places, in one pass; a file that can't be read is left
        out."""
        from engrain.engine.verbs.listing import read_texts

        return read_texts(self._open_store(), rows)

    def sources_of(self, ids: Iterable[str]) -> dict[str, dict[str, str]]:
        """Return for each entry its sources that still exist, as titles by id."""
        from engrain.engine.verbs.listing import name_sources

        return name_sources(self._open_store(), ids)

    def edit(
        self,
        reference: str,
        *,
        expect: str,
        text: str | None = None,
        title: str | None = None,
        tags: Sequence[str] | None = None,
    ) -> Outcome:
        """Change an entry in place. `expect` is the hash of the bytes that you read, as
        `memory.show(…).entry.hash` has it. Raises ConflictError if the entry has another hash by
        now, UsageError if there is nothing to change."""
        from engrain.engine.verbs.revise import edit_entry

        return edit_entry(
            self._ready(), reference, expect=expect, text=text, title=title, tags=tags
        )

    def evolve(
        self,
        reference: str,
        text: str,
        *,
        title: str | None = None,
        tags: Sequence[str] | None = None,
        reason: str = "",
        expect: str | None = None,
        project: str | None = None,
    ) -> Outcome:
        """Archive an entry and put a successor in its place, so that links by name lead to the
        successor, which names the old entry in `supersedes`.

        The successor stays in the old one's project, unless `project` names another or its text
        says "in this project". Both files change, or neither. Raises ConflictError if another
        caller evolved the entry first, or if `expect` is given and is not the file's hash.
        """
        from engrain.engine.verbs.revise import evolve_entry

        return evolve_entry(
            self._ready(),
            reference,
            text,
            title=title,
            tags=tags,
            reason=reason,
            expect=expect,
            project=project,
        )

    def replace(
        self,
        reference: str,
        text: str,
        *,
        expect: str,
        title: str | None = None,
        kind: str | None = None,
        tags: Sequence[str] | None = None,
        project: str | None = None,
        source: str = "api",
        ref: str | None = None,
        stated_by: str | None = None,
    ) -> Outcome:
        """Replace the text of an entry whose file's hash begins with `expect`; fields that are not
        given stay. If the entry comes from a more trusted origin than the actor, the new text is
        saved beside it and the operator is asked: `proposals` of the outcome has the ids. Repeating
        the call changes nothing.

        Raises ConflictError if the entry says something else by now; UsageError for another kind.
        """
        from engrain.lifecycle.upkeep.successions import replace_entry

        return replace_entry(
            self._ready(),
            reference,
            text,
            expect=expect,
            title=title,
            kind=kind,
            tags=tags,
            project=project,
            source=source,
            ref=ref,
            stated_by=stated_by,
        )

    def rename(
        self, reference: str, title: str, *, alias: bool = False, dry_run: bool = False
    ) -> Renamed:
        """Give a note another title. With `alias` the old one stays as an alias; `dry_run` only
        reports.

        Raises UsageError for an entry without a title of its own, or that is found by its file's
        name; ConflictError for a title that another note has, and where an external actor would
        change others' notes.
        """
        from engrain.engine.links.renaming import rename_entry

        return rename_entry(self._open_store(), reference, title, alias=alias, dry_run=dry_run)

    def link(
        self, reference: str, target: str, relation: str = "related_to", *, remove: bool = False
    ) -> Outcome:
        """Add a typed link to an entry, or remove it; in both entries if the relation has an
        inverse. A link which says that one entry replaced another of a more trusted origin waits
        for the operator: `proposals` of the outcome has the ids. Raises UsageError, also for a
        circle."""
        from engrain.lifecycle.upkeep.successions import link_and_propose

        return link_and_propose(self._ready(), reference, target, relation, remove=remove)

    def pin(self, reference: str, on: bool = True, reason: str = "") -> Outcome:
        """Load an entry in every session whatever its heat, or, with `on` False, only until it is
        cold. The agent's own entries move to the folder of promoted ones; the operator's stay in
        place, and only the operator may pin them. Raises ConflictError."""
        from engrain.engine.core.moving import pin_entry

        return pin_entry(self._ready(), reference, on, reason)

    def forget(self, reference: str, reason: str = "") -> Outcome:
        """Mark an entry as deleted. Its file stays, and `restore` brings it back. The outcome is
        `unchanged` for an entry that is deleted already. Raises NotFoundError."""
        from engrain.engine.verbs.forget import forget_entry

        return forget_entry(self._ready(), reference, reason)

    def forget_several(self, references: Iterable[str], reason: str = "") -> builtins.list[Outcome]:
        """Mark several entries as deleted, in one change that one `undo` takes back. All of them
        are found before the first is marked."""
        from engrain.engine.verbs.forget import forget_entries

        return forget_entries(self._ready(), references, reason)

    def matching(
        self, scope: Scope, *, query: str = "", project: str | None = None
    ) -> tuple[builtins.list[Row], bool]:
        """Return the entries to forget by filter, newest first, and whether they are all that the
        vault lists. `query` selects those with all of its words in the title or the text, `project`
        those of that project alone."""
        from engrain.engine.verbs.forget import list_matching

        return list_matching(self._open_store(), scope, query=query, project=project)

    def merge(self, one: str, other: str, reason: str = "", *, dry_run: bool = False) -> Merged:
        """Make one note of two, in one change: the newer text first, then what the older one adds.
        Tags, aliases and links are united, links of other notes follow, and the other entry is
        superseded. The kind is that of the newer note.

        Raises UsageError for one entry named twice and for records; ConflictError for an entry that
        is not active, and where what comes from outside would take the place of what does not,
        unless the operator asks for it.
        """
        from engrain.lifecycle.reviewing.joining import merge_entries

        return merge_entries(self._ready(look=True), one, other, reason, dry_run=dry_run)

    def archive(self, reference: str, reason: str = "") -> Outcome:
        """Move an entry into the archive as a summary with its metadata. The original stays in
        the history, and `restore` brings it back. The outcome is `unchanged` for an archived entry.

        Raises ConflictError for a superseded or forgotten entry, and for one that only the operator
        may archive: outside `Memory/`, or of a kind that is kept.
        """
        from engrain.engine.verbs.archive import archive_entry

        return archive_entry(self._ready(), reference, reason)

    def restore(self, reference: str) -> Outcome:
        """Restore an entry that was forgotten or archived, or whose file another program removed.
        An archived one gets its original bytes back. The restored entry does not fade at once.
        Raises ConflictError for a superseded entry, whose change has to be undone."""
        from engrain.engine.verbs.forget import restore_entry

        return restore_entry(self._ready(), reference)

    def restore_all(self) -> builtins.list[Outcome]:
        """Restore all forgotten entries in one change; archived entries stay archived."""
        from engrain.engine.verbs.forget import restore_all

        return restore_all(self._ready(scan=True))

    def missing(self) -> builtins.list[Removed]:
        """List the notes whose files are gone, and that no record calls removed: too many went at
        once. Raises IndexUnavailableError."""
        from engrain.engine.history.removals import list_missing

        return list_missing(self._ready(scan=True))

    def removed(self) -> builtins.list[Removed]:
        """List the notes that another program removed by a record and that are still gone, newest
        first. Raises IndexUnavailableError."""
        from engrain.engine.history.removals import list_removed

        return list_removed(self._ready(scan=True))

    def accept_missing(self) -> int:
        """Record that the missing notes were removed on purpose; return their number. Each can
        still be restored. Raises StorageError."""
        from engrain.engine.history.removals import accept_missing

        return accept_missing(self._ready(scan=True))

    def restore_missing(self) -> builtins.list[Outcome]:
        """Write all missing notes again as the history has them, in one change."""
        from engrain.engine.verbs.forget import restore_missing

        return restore_missing(self._ready(scan=True))

    def plan_erasure(
        self, references: Iterable[str], progress: Progress | None = None
    ) -> ErasurePlan:
        """Plan the erasure of entries and of all that must be erased with them; nothing is changed.
        Raises NotFoundError, UsageError for a reference that means several."""
        from engrain.engine.erasing.plan import plan_erasure

        return plan_erasure(self._ready(scan=True), references, progress)

    def erase(self, plan: ErasurePlan, progress: Progress | None = None) -> Erased:
        """Carry out a plan, whatever was edited since it was made. An interrupted erasure is
        completed by the next scan. Raises StorageError if a file can't be written."""
        from engrain.engine.erasing.erase import erase_entries

        return erase_entries(self._ready(), plan, progress)

    def backup(self, beside: Mapping[str, bytes] | None = None) -> Iterator[bytes]:
        """Pack the vault's folder as it is now, and private files `beside` it, by name; return the
        bytes of a tar file. Raises NotFoundError where the vault is no folder, LockedError,
        StorageError."""
        from engrain.engine.history.packing import pack_store

        return pack_store(self._open_store(), beside)

    def erase_again(
        self, ids: Iterable[str], progress: Progress | None = None
    ) -> builtins.list[str]:
        """Erase the entries of these ids that a backup brought back with a history that lacks
        their erasure; return their ids. Raises StorageError if a file can't be written."""
        from engrain.engine.erasing.erase import erase_again

        return erase_again(self._ready(scan=True), ids, progress)

    def history(
        self,
        reference: str | None = None,
        limit: int | None = None,
        *,
        since: When | None = None,
        until: When | None = None,
    ) -> builtins.list[Change]:
        """List the changes of one entry or of all, newest first. In the list of all, an operation
        of several commits and an import are one row; `since` and `until` bound the time, both
        included."""
        from engrain.engine.history.history import list_changes

        return list_changes(
            self._ready(look=True), reference, limit, since=read_when(since), until=read_when(until)
        )

    def read_at(self, reference: str, at: When) -> bytes:
        """Return the bytes that an entry had at a time. Raises NotFoundError."""
        from engrain.engine.history.history import read_at

        return read_at(self._ready(look=True), reference, read_moment(at))

    def undo(self, change: str | None = None, reason: str = "", *, cascade: bool = False) -> Undone:
        """Take one change back, as a change of its own: by default this device's last change.

        An operation of several commits is undone whole. Nothing is written until all of it was
        found possible, and after a crash the same call completes it. Entries derived from the
        change are named, and undone too with `cascade`. Commits whose bytes were erased stay, and
        are named. Raises ConflictError if a later change of substance depends on this one.
        """
        from engrain.engine.history.undo import undo_change

        return undo_change(self._ready(), change, reason, cascade=cascade)

    def redo(self, reason: str = "") -> Undone:
        """Take back this device's last undo that still stands, as a change of its own. Raises
        NotFoundError where there is none; ConflictError when a later change of substance touched
        the same entries."""
        from engrain.engine.history.undo import redo_change

        return redo_change(self._ready(), reason)

    def upcoming_undo(self) -> Upcoming:
        """Find the change that `undo` without a name would take back. Raises NotFoundError."""
        from engrain.engine.history.undo import find_upcoming

        return find_upcoming(self._ready())

    def plan_undo(self, change: str) -> builtins.list[Row]:
        """List the entries derived from those of a change, which `undo` with `cascade` would
        undo too. Raises ConflictError if the change can't be undone."""
        from engrain.engine.history.undo import plan_undo

        return plan_undo(self._ready(), change)

    def show_change(self, change: str) -> ShownChange:
        """Load a whole change, whichever of its commits is named. Raises UsageError, NotFoundError,
        HistoryError."""
        from engrain.engine.history.history import show_change

        return show_change(self._ready(look=True), change)

    def scan(self, progress: Progress | None = None) -> RunResult:
        """Index all changes by other programs in the vault, and embed some, as far as a hook has
        the time."""
        from engrain.engine.reindexing import scan

        return scan(self._ready(), progress)

    def look(self) -> None:
        """Index the changes by other programs that a look finds: no more than a hook has the time
        for, whatever the vault's size. Embed new entries likewise."""
        from engrain.engine.reindexing import look

        look(self._open_store())

    def follow(self, ended: Callable[[], bool]) -> None:
        """Index the changes of other devices soon after they are made, until `ended` returns true.
        It returns at once if the vault's backend can't report them."""
        from engrain.engine.reindexing import follow

        follow(self._ready(), ended)

    def reindex(self, progress: Progress | None = None) -> RunResult:
        """Rebuild the index from the files alone, and vectors that are damaged."""
        from engrain.engine.reindexing import reindex

        return reindex(self._open_store(), progress)

    def embed(
        self, progress: Progress | None = None, *, prune: bool = False
    ) -> builtins.list[Embedded]:
        """Embed every entry that lacks vectors, with each used embedder of the chain, and calibrate
        the silence of a vault that had no vectors; `prune` drops the vectors of all other models.
        """
        from engrain.engine.reindexing import embed

        return embed(self._ready(look=True), progress, prune=prune)

    def diagnose(self) -> builtins.list[Finding]:
        """Check the vault, its index and its key on this device. A damaged index is rebuilt before
        everything is checked once more. See `check` for the vault's contents."""
        from engrain.engine.diagnosis import diagnose

        return diagnose(self._open_store())

    def survey(self) -> Survey:
        """Count what the index knows, and the open proposals: the figures of `engrain status`.
        Raises IndexUnavailableError."""
        from engrain.engine.survey import survey
        from engrain.lifecycle.reviewing.staging import list_proposals

        store = self._ready()
        found = survey(store)
        found.proposals = len(list_proposals(store))
        return found

    def check(
        self,
        only: Collection[str] = (),
        *,
        fix: bool = False,
        deep: bool = False,
        progress: Progress | None = None,
    ) -> CheckResult:
        """Find flaws of the vault by some rules, or by all but the slow ones, which `deep` adds:
        `history` verifies every device's chain, `index` compares every table with an index built
        from the files. With `fix` fix what can be fixed, in one change. Raises UsageError for an
        unknown rule, ConflictError where others keep writing the same files,
        IndexUnavailableError."""
        from engrain.check.run import check

        return check(self._open_store(), only, fix=fix, deep=deep, progress=progress)

    def import_folder(
        self,
        folder: str,
        *,
        name: str | None = None,
        kind: str | None = None,
        tags: Sequence[str] | None = None,
        project: str | None = None,
        backend: str = "obsidian-vault",
        terms: Terms | None = None,
        leave_out: LeaveOut | None = None,
        progress: Progress | None = None,
    ) -> Imported:
        """Import a folder of markdown or an Obsidian vault, so that its links still resolve.

        `name` identifies the folder when it is imported again. `terms` decide the origin of the
        notes and whether deleted ones come back. `leave_out` says which files to skip. An
        unreadable file is reported and stops no other. Raises UsageError if the folder contains the
        vault or is inside of it.
        """
        from engrain.engine.links.checking import count_links
        from engrain.engine.verbs.importing import FolderImport, ImportOptions, refuse_own
        from engrain.engine.verbs.intake import Terms
        from engrain.engine.verbs.source_notes import include_all
        from engrain.seam.rows import AMBIGUOUS, BROKEN, STATES

        store = self._ready()
        source = store.device.open_folder(backend, folder)
        name = name or source.describe().rstrip("/\\").replace("\\", "/").rpartition("/")[2]
        options = ImportOptions(
            name,
            kind=kind,
            tags=tuple(tags) if tags else None,
            project=project,
            leave_out=leave_out or include_all,
        )
        refuse_own(store, source)
        work = FolderImport(store, source, options, terms or Terms())
        done = work.run(progress)
        store.upkeep.flush()
        with suppress(IndexUnavailableError):  # the notes are there all the same
            counts = count_links(store, work.places)
            done.links = sum(counts[state] for state in STATES)
            done.ambiguous, done.broken = counts[AMBIGUOUS], counts[BROKEN]
        return done

    @property
    def facts(self) -> Facts:
        """People, companies and projects, and what is known of them."""
        from engrain.api.facts import Facts

        return Facts(self._open_store, self._open_personal)

    @property
    def sessions(self) -> Sessions:
        """Sessions of work: recalls in one are counted, bounded and not repeated."""
        from engrain.api.sessions import Sessions

        return Sessions(self._open_store, self._open_personal)

    @property
    def jobs(self) -> Jobs:
        """Jobs, which keep the memory in order unasked."""
        from engrain.api.sessions import Jobs

        return Jobs(self._open_store, self._open_personal)

    @property
    def graph(self) -> Graphs:
        """How entries are joined: by links, relations, facts, chains, sources and use."""
        from engrain.api.facts import Graphs

        return Graphs(self._open_store, self._open_personal)

    @property
    def links(self) -> Links:
        """Links between notes, and the maps of contents."""
        from engrain.api.facts import Links

        return Links(self._open_store, self._open_personal)

    @property
    def skills(self) -> Skills:
        """Skills that do a task."""
        from engrain.api.episodes import Skills

        return Skills(self._open_store, self._open_personal)

    @property
    def episodes(self) -> Episodes:
        """The traces of tasks, and the patterns that are made of them."""
        from engrain.api.episodes import Episodes

        return Episodes(self._open_store, self._open_personal)

    @property
    def handoffs(self) -> Handoffs:
        """What one agent leaves to the next: hand-offs, ledgers, checkpoints."""
        from engrain.api.work import Handoffs

        return Handoffs(self._open_store, self._open_personal)

    @property
    def work(self) -> Work:
        """Working memory of a project: CONTINUITY.md, plan, features, progress, phases, the
        day's note, promises."""
        from engrain.api.work import Work

        return Work(self._open_store, self._open_personal)

    @property
    def sources(self) -> Sources:
        """The sources of learning: files on this device, and approved places outside."""
        from engrain.api.sources import Sources

        return Sources(self._open_store, self._open_personal)

    @property
    def exchange(self) -> Exchange:
        """Imports from other memories and agents, and exports for them."""
        from engrain.api.sources import Exchange

        return Exchange(self._open_store, self._open_personal)

    @property
    def review(self) -> Review:
        """What waits for the operator, and what happened since they last looked."""
        from engrain.api.review import Review

        return Review(self._open_store, self._open_personal)

    @property
    def trust(self) -> Trust:
        """Vouching for entries, and the vault's key."""
        from engrain.api.review import Trust

        return Trust(self._open_store, self._open_personal)

    @property
    def personal(self) -> PersonalNotes:
        """The operator's own notes, which nothing else reaches."""
        from engrain.api.review import PersonalNotes

        return PersonalNotes(self._open_store, self._open_personal)


def _answer(store: Store, request: RecallRequest) -> Recall:
    """Answer a request, without loading what only few requests need."""
    from engrain.engine.recall.answering import answer_plainly, is_plain

    found = answer_plainly(store, request, _embed) if is_plain(request) else None
    if found is None:
        from engrain.engine.recall.pipeline import recall_entries

        return recall_entries(store, request)
    if any(one.row.kind == COMMITMENT for one in found.given):
        from engrain.engine.recall.commitments import mark_standing

        mark_standing(store, found.given)
    return found


def _embed(store: Store) -> None:
    from engrain.engine.recall.embedding import RECALL_S, embed_within

    embed_within(store, RECALL_S)
