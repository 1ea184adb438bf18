"""`Memory`: the verbs as one object, for Python and for every other way in (S1.1, S1.13)."""

from __future__ import annotations

from engrain.engine.core.scope import Scope

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping, Sequence
    from typing import Self

    from engrain.engine.core.outcomes import (
        ChainReport,
        Finding,
        Imported,
        Listing,
        Outcome,
        Recall,
        Shown,
        Undone,
    )
    from engrain.engine.core.store import Store
    from engrain.engine.erasing.erase import Erased
    from engrain.engine.erasing.plan import ErasurePlan
    from engrain.engine.history.devices import Attestation
    from engrain.engine.recall.briefing import Part
    from engrain.engine.recall.embedding import Embedded
    from engrain.engine.recall.profiles import Profile
    from engrain.engine.verbs.intake import Terms
    from engrain.seam.derived import MaintenanceReport, Progress
    from engrain.seam.journal import SessionJournal
    from engrain.seam.rows import Row
    from engrain.seam.search import Change
    from engrain.seam.storage import StorageBackend


class Memory:
    """The verbs over one vault; `engrain.face` has what its users hold.

    The vault is resolved at each call, so a vault that was moved, unmounted or put back is noticed;
    calls may come from several threads. Every method may raise the errors of
    `engrain.model.errors`; VaultUnavailableError when the vault can't be reached.
    """

    def __init__(
        self,
        open_store: Callable[[], Store],
        open_folder: Callable[[str, str], StorageBackend],
        close: Callable[[], None],
    ) -> None:
        self._open_store = open_store
        self._open_folder = open_folder
        self._close = close

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def vault(self) -> str:
        """The vault's own id, the same on every device."""
        return self._open_store().backend.vault

    @property
    def project(self) -> str | None:
        """The current project, None outside of any."""
        return self._open_store().project

    @property
    def journal(self) -> SessionJournal:
        """What happened in each session on this device."""
        return self._open_store().journal

    @property
    def settings(self) -> Mapping[str, str | None]:
        """What policies are read from, by name, as it is written."""
        return self._open_store().settings

    def close(self) -> None:
        """Give back what is held open. The next call opens it again."""
        self._close()

    def as_one_change(self) -> Self:
        """The same memory, whose changes from now on are one: `history` lists them as one, and
        `undo` takes all of them back. Close the memory that it was made of, not this one."""
        from copy import copy

        from engrain.engine.core.store import Operation

        operation, open_store = Operation(), self._open_store
        other = copy(self)
        other._open_store = lambda: open_store().as_one_change(operation)
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
        created: float | None = None,
        valid_from: float | None = None,
        valid_to: float | None = None,
        confidence: float | None = None,
        weight: float | Mapping[str, float] | None = None,
        derived_from: Sequence[str] = (),
        source: str = "api",
        ref: str | None = None,
        due: str | None = None,
    ) -> Outcome:
        """File one memory: `created`, `unchanged`, `restored` or `similar` (S1.1).

        Kind, status and tags that are not given are detected (S1.22). Times are seconds since the
        epoch. `weight` is from 0 to 1, or some of its factors surprise, goal, social and utility,
        whose others are estimated; without, it is estimated when it is first needed (S3.3). `due`,
        a date, is for commitments. An entry that is there is never altered: that is `edit` and
        `evolve`.
        """
        from engrain.engine.verbs.draft import Draft
        from engrain.engine.verbs.save import save_draft

        draft = Draft(
            text,
            title=title,
            kind=kind,
            tags=tags,
            project=project,
            status=status,
            slug=slug,
            created=created,
            valid_from=valid_from,
            valid_to=valid_to,
            confidence=confidence,
            weight=weight,
            derived_from=derived_from,
            source=source,
            ref=ref,
            due=due,
        )
        return save_draft(self._open_store(), draft)

    def recall(
        self,
        query: str,
        *,
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
        """The few entries that fit `query`, best first, and none when none fits (DESIGN section 9).

        `profile` says how to look: `prompt`, `task`, `associative`, `deep`, or one of your own
        making; `limit` results and `budget` tokens override it. `phase` (plan, work, review,
        release, document) asks for the kinds that it needs; `action` is the type of action at hand,
        by which `task` finds mistakes to avoid. An entry `half_life` days old counts half as much.
        `loaded` are ids of
        entries that the reader has already: they and copies of them are left out. Texts are read
        from the vault just now. The scan finds what other programs wrote since the last one;
        without it only writes of Engrain's own are sure to be found, never stale text. `deadline`
        is a moment of `time.monotonic` after which no embedder is waited for.
        """
        from engrain.engine.recall.pipeline import Request, choose_profile, recall_entries

        store = self._open_store()
        request = Request(
            query,
            choose_profile(
                profile or store.profile,
                limit=limit,
                budget=store.budget if budget is None else budget,
                half_life=half_life,
            ),
            scope or Scope(),
            phase=phase,
            action=action,
            loaded=loaded,
            scan=scan,
            explain=explain,
            deadline=deadline,
        )
        return recall_entries(store, request)

    def brief(
        self,
        *,
        phase: str | None = None,
        project: str | None = None,
        budget: int | None = None,
        deadline: float | None = None,
    ) -> Iterator[Part]:
        """What a session starts with, part by part, the most important first (S1.18, S2.1):
        directives, MEMORY.md, what heat promoted, the project's working notes, and the newest that
        the `phase` of work asks for, in `budget` tokens. `deadline` as in `recall`."""
        from engrain.engine.recall.briefing import BUDGET, brief_session

        return brief_session(
            self._open_store(),
            phase=phase,
            project=project,
            budget=budget or BUDGET,
            deadline=deadline,
        )

    def list(self, *, scope: Scope | None = None, limit: int | None = None) -> Listing:
        """Entries by filter alone, newest first."""
        from engrain.engine.verbs.listing import list_entries

        return list_entries(self._open_store(), scope or Scope(), limit)

    def show(self, reference: str) -> Shown:
        """One entry whole, by id, beginning of an id, path or slug. Raises NotFoundError."""
        from engrain.engine.verbs.show import show_entry

        return show_entry(self._open_store(), reference)

    def edit(
        self,
        reference: str,
        *,
        expect: str,
        text: str | None = None,
        title: str | None = None,
        tags: Sequence[str] | None = None,
    ) -> Outcome:
        """Change an entry in place if its hash still is `expect`. Raises ConflictError."""
        from engrain.engine.verbs.revise import edit_entry

        store = self._ready()
        return edit_entry(store, reference, expect=expect, text=text, title=title, tags=tags)

    def evolve(
        self,
        reference: str,
        text: str,
        *,
        title: str | None = None,
        tags: Sequence[str] | None = None,
        reason: str = "",
    ) -> Outcome:
        """Archive an entry as superseded and put a successor in its place (S1.15)."""
        from engrain.engine.verbs.revise import evolve_entry

        store = self._ready()
        return evolve_entry(store, reference, text, title=title, tags=tags, reason=reason)

    def forget(self, reference: str, reason: str = "") -> Outcome:
        """Mark an entry deleted; the file stays, and `restore` takes it back."""
        from engrain.engine.verbs.forget import forget_entry

        return forget_entry(self._ready(), reference, reason)

    def archive(self, reference: str, reason: str = "") -> Outcome:
        """Retire an entry into its tier's archive: a summary with its metadata stays, the original
        is in the history, and `restore` brings it back (S1.9)."""
        from engrain.engine.verbs.archive import archive_entry

        return archive_entry(self._ready(), reference, reason=reason)

    def restore(self, reference: str) -> Outcome:
        """Take a forgotten entry back, an archived one as it was before, or one whose file was
        removed by another program."""
        from engrain.engine.verbs.forget import restore_entry

        return restore_entry(self._ready(), reference)

    def restore_all(self) -> Sequence[Outcome]:
        """Take back every entry that was forgotten, in one change."""
        from engrain.engine.verbs.forget import restore_all

        return restore_all(self._ready(scan=True))

    def pin(self, reference: str, on: bool = True, reason: str = "") -> Outcome:
        """Load an entry in every session, whatever its use; or no longer keep it there (S1.16)."""
        from engrain.engine.core.moving import pin_entry

        return pin_entry(self._ready(), reference, on, reason)

    def link(
        self, reference: str, target: str, relation: str = "related_to", *, remove: bool = False
    ) -> Outcome:
        """Add a typed link from one entry to another, and its inverse to the other where the
        relation has one, or remove both (S2.9)."""
        from engrain.engine.links.linking import link_entries

        return link_entries(self._ready(), reference, target, relation, remove=remove)

    def plan_erasure(
        self, references: Sequence[str], progress: Progress | None = None
    ) -> ErasurePlan:
        """What erasing some entries would destroy, and what it would change; nothing is done."""
        from engrain.engine.erasing.plan import plan_erasure

        return plan_erasure(self._ready(scan=True), references, progress)

    def erase(self, plan: ErasurePlan, progress: Progress | None = None) -> Erased:
        """Destroy what a plan names, for good: in the vault, its history and all that is derived.

        There is no way back. Raises StorageError, LockedError; what has begun then the next scan
        completes.
        """
        from engrain.engine.erasing.erase import erase_entries

        return erase_entries(self._ready(), plan, progress)

    def history(self, reference: str | None = None, limit: int | None = None) -> Sequence[Change]:
        """Changes, newest first, of one entry or of all."""
        from engrain.engine.history.history import list_changes

        return list_changes(self._ready(scan=True), reference, limit)

    def read_at(self, reference: str, at: float) -> bytes:
        """An entry's bytes as they stood at `at`, in seconds since the epoch."""
        from engrain.engine.history.history import read_at

        return read_at(self._ready(scan=True), reference, at)

    def undo(self, change: str | None = None, reason: str = "", *, cascade: bool = False) -> Undone:
        """Take one change back; without a name, this device's last that still stands.

        What was derived from it is named, and with `cascade` taken back with it (S1.17).
        """
        from engrain.engine.history.undo import undo_change

        return undo_change(self._ready(), change, reason, cascade=cascade)

    def verify(self) -> Sequence[ChainReport]:
        """Check the history of every device, link by link."""
        from engrain.engine.history.verification import verify_chains

        return verify_chains(self._ready())

    def attest(self, reference: str, reason: str = "") -> Outcome:
        """Have the operator vouch for an entry as it stands; its bytes stay."""
        from engrain.engine.core.attesting import attest_entry

        return attest_entry(self._ready(scan=True), reference, reason)

    def outside(self) -> Sequence[Row]:
        """The active entries that come from outside, and for which nobody vouches."""
        from engrain.engine.verbs.vouching import list_outside

        return list_outside(self._ready(scan=True))

    def attest_all(self, reason: str = "") -> tuple[Sequence[str], Sequence[tuple[str, str]]]:
        """Have the operator vouch for every active entry from outside as it stands, in one change;
        the ids, and for what can't be read its place and why."""
        from engrain.engine.verbs.vouching import attest_all

        return attest_all(self._ready(scan=True), reason)

    def survey_attestation(self) -> Attestation:
        """Whether this device has the vault's key, and what is attested with it."""
        from engrain.engine.history.devices import survey_attestation

        return survey_attestation(self._ready(scan=True))

    def recognise_key(self, holds: Callable[[bytes, str], bool]) -> bool | None:
        """Whether `holds` knows a code of the history; None where nothing bears one."""
        from engrain.engine.history.devices import recognise_key

        return recognise_key(self._open_store(), holds)

    def attest_again(self, progress: Progress | None = None) -> int:
        """Attest every entry anew, as its records tell, for a vault whose key was lost."""
        from engrain.engine.history.devices import attest_again

        return attest_again(self._ready(scan=True), progress)

    def import_folder(
        self,
        folder: str,
        *,
        name: str | None = None,
        kind: str | None = None,
        tags: Sequence[str] | None = None,
        project: str | None = None,
        backend: str = "obsidian-vault",
        allow_erased: bool = False,
        terms: Terms | None = None,
        progress: Progress | None = None,
    ) -> Imported:
        """Take in a folder of markdown or an Obsidian vault, so that its links still resolve. With
        `allow_erased` what was erased here comes in again; `terms` say whom it comes from here, and
        whether what was deleted comes back."""
        from engrain.engine.verbs.importing import ImportOptions, import_folder

        source = self._open_folder(backend, folder)
        name = name or source.describe().rstrip("/\\").replace("\\", "/").rpartition("/")[2]
        options = ImportOptions(
            name, kind=kind, tags=tuple(tags) if tags else None, project=project
        )
        store = self._ready().allowing_erased(allow_erased)
        return import_folder(store, source, options, progress, terms)

    def import_claude_memory(
        self,
        folder: str,
        *,
        name: str,
        project: str | None = None,
        allow_erased: bool = False,
        terms: Terms | None = None,
        progress: Progress | None = None,
    ) -> Imported:
        """Take in one folder of Claude Code's own memory, as candidates in the inbox.

        `name` is what the folder is known by: under it importing again finds what came from it.
        `allow_erased` and `terms` as of `import_folder`.
        """
        from engrain.engine.verbs.bridging import import_claude_memory

        source = self._open_folder("device-local", folder)
        store = self._ready(scan=True).allowing_erased(allow_erased)
        return import_claude_memory(store, source, name, project, progress, terms)

    def reindex(self, progress: Progress | None = None) -> MaintenanceReport:
        """Rebuild the index from the files alone."""
        store = self._open_store()
        store.backend.recover()
        return store.upkeep.rebuild(progress)

    def embed(self, progress: Progress | None = None, *, prune: bool = False) -> Sequence[Embedded]:
        """Give every entry the vectors that it lacks, of each link of the chain that is used;
        `prune` drops the vectors of every other model."""
        from engrain.engine.recall.embedding import embed_everything
        from engrain.engine.recall.silence.calibrating import calibrate_first

        store = self._ready(scan=True)
        outcomes = embed_everything(store, progress, prune=prune)
        if any(one.added for one in outcomes):
            calibrate_first(store, words_alone=False)
        return outcomes

    def scan(self, progress: Progress | None = None) -> MaintenanceReport:
        """Take in what other programs changed in the vault."""
        self._ready()
        return self._open_store().upkeep.scan(progress)

    def diagnose(self) -> Sequence[Finding]:
        """Look at the vault, its index and its history, file by file."""
        from engrain.engine.diagnosis import diagnose

        return diagnose(self._open_store())

    def _ready(self, *, scan: bool = False) -> Store:
        """The store with an index that answers; with `scan`, also of edits by other programs."""
        store = self._open_store()
        store.require_index(scan=scan)
        return store
