"""The store that every verb works on: the files of a vault, its index, a clock and an actor."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, field, replace
from time import sleep
from typing import TYPE_CHECKING, TypeVar

from engrain.engine.core.freshness import Freshness
from engrain.language.text.instants import format_instant
from engrain.model.errors import (
    NOTHING_LEFT,
    ConflictError,
    EngrainError,
    ErasedError,
    IndexUnavailableError,
    MalformedError,
    NotFoundError,
)
from engrain.model.note.note import hash_bytes, split_note
from engrain.model.note.tiers import is_conflict_copy

if TYPE_CHECKING:
    from engrain.engine.core.edits import Edits
    from engrain.engine.core.outcomes import Outcome
    from engrain.engine.core.upkeep import IndexUpkeep
    from engrain.engine.core.vectors import Vectors
    from engrain.index.sqlite_index import SearchIndex
    from engrain.model.history.record import Record
    from engrain.model.note.entry import Entry
    from engrain.model.note.note import Note
    from engrain.resolution.fetching import ApprovedPlaces
    from engrain.resolution.sources import SourceStore
    from engrain.seam.changes import ChangeSet, Write
    from engrain.seam.clock import Clock, Entropy
    from engrain.seam.derived import Guard
    from engrain.seam.llm import LLM
    from engrain.seam.locator import Locator
    from engrain.seam.rows import Row
    from engrain.seam.storage import Attestor, StorageBackend, Stored
    from engrain.state.job_log import JobLog
    from engrain.state.journals import SessionJournal
    from engrain.state.local_state import LocalState

T = TypeVar("T")

UPDATE_ATTEMPTS = 16
_PAUSES = (0.01, 0.02, 0.04, 0.08, 0.16)
"""The most seconds that a writer waits after each lost attempt, growing, so that many writers don't
block each other."""
_REPLACING = (b"supersedes", b"superseded_by", b"superseded-by")
"""An entry that names a replaced entry or a successor contains one of these words."""
_SECRET = 20
"""The length in characters from which an agent's name is checked for secrets."""


def try_again(
    attempt: Callable[[], T],
    attempts: int = UPDATE_ATTEMPTS,
    after: Callable[[int], object] = lambda _: None,
) -> T:
    """Call `attempt` until it raises no ConflictError, and return its result. `after` is called
    after each failure with its number, from 0. Raises the last ConflictError."""
    for number in range(attempts - 1):
        try:
            return attempt()
        except ConflictError:
            after(number)
    return attempt()


def says_replaced(write: Write) -> bool:
    """Whether a write may name a replaced entry or a successor."""
    text = (write.after or b"").lower()
    return any(word in text for word in _REPLACING)


@dataclass(slots=True)
class Actor:
    """The name of the acting agent, and the origin that is recorded for what it writes."""

    agent: str = ""
    trust: str = "agent"


@dataclass(slots=True, eq=False)
class Operation:
    """Several commits that count as one change. `first` names the first of them, None before it."""

    first: str | None = None


EXTERNAL_EDIT = "external"
"""The op under which edits by other programs are recorded."""
_APART = (EXTERNAL_EDIT, "index")
"""Ops that never belong to an operation: nobody asked for them, and undoing it leaves them."""
JOBS = "engrain"
"""The agent recorded for the changes of jobs, which nobody asked for at that moment."""


@dataclass(slots=True, eq=False)
class Vault:
    """The files of a vault, the index of them, and who signs what is written. `make_guard` makes
    what keeps erased entries out of the index, `merge_copies` merges conflict copies."""

    backend: StorageBackend
    index: SearchIndex
    attestor: Attestor
    make_guard: Callable[[Store], Guard]
    merge_copies: Callable[[Store, Sequence[Locator]], set[Locator]]
    upkeep: IndexUpkeep | None = None


@dataclass(slots=True, eq=False)
class Device:
    """What this device keeps about a vault, in `folder`, and reaches outside of it; most of it is
    opened on demand. `open_folder` opens any folder of notes, by a backend's name and a path."""

    folder: str
    journal: SessionJournal
    open_folder: Callable[[str, str], StorageBackend]
    _open_sources: Callable[[], SourceStore]
    _open_outside: Callable[[], ApprovedPlaces]
    _local: LocalState | None = None

    @property
    def local(self) -> LocalState:
        """This device's state of the vault apart from the index."""
        if self._local is None:
            from engrain.state.local_state import LocalState

            self._local = LocalState(self.folder)
        return self._local

    @property
    def job_log(self) -> JobLog:
        """This device's log of jobs."""
        from engrain.state.job_log import JobLog

        return JobLog(f"{self.folder}/jobs")

    @property
    def sources(self) -> SourceStore:
        """The files outside the vault from which facts are learned."""
        return self._open_sources()

    @property
    def outside(self) -> ApprovedPlaces:
        """The approved places that forward learning reads."""
        return self._open_outside()

    def close(self) -> None:
        """Release what was opened."""
        if self._local is not None:
            self._local.close()


@dataclass(slots=True, eq=False)
class Models:
    """The models of a vault: its vectors; `llm`, which returns the configured language model, None
    for none, and counts its tokens under the given purpose; and `agent`, which returns that of the
    client of a host so. Both raise ConfigError."""

    vectors: Vectors
    llm: Callable[[str], LLM | None] = lambda _: None
    agent: Callable[[str, str], LLM | None] = lambda *_: None


@dataclass(slots=True, eq=False)
class Store:
    """One opened vault with its device and its models. `project` is the current project, None
    outside of any; `profile` and `budget` are the defaults of a recall; `settings` are the
    configured values as they are written."""

    vault: Vault
    device: Device
    models: Models
    clock: Clock
    entropy: Entropy
    actor: Actor
    project: str | None = None
    _: KW_ONLY
    settings: Mapping[str, str | None] = field(default_factory=dict)
    profile: str | None = None
    budget: int | None = None
    _operation: Operation | None = None

    def __post_init__(self) -> None:
        if len(self.actor.agent) >= _SECRET:
            self.actor = Actor(self._clean(self.actor.agent), self.actor.trust)

    @property
    def upkeep(self) -> IndexUpkeep:
        """The upkeep of the index, loaded on demand: prompts do without it."""
        if self.vault.upkeep is None:
            from engrain.engine.core.upkeep import IndexUpkeep

            self.vault.upkeep = IndexUpkeep(
                self.backend,
                self.index,
                self.clock,
                self._read_again,
                self._index_records,
                self._make_guard,
                self._load_edits,
                lambda met: self.vault.merge_copies(self, met),
            )
        return self.vault.upkeep

    def _load_edits(self, index: SearchIndex, clock: Clock, drain: Callable[[], object]) -> Edits:
        from engrain.engine.core.edits import Edits

        return Edits(self.backend, index, self.vault.attestor, clock, drain, self._clean_file)

    def _make_guard(self) -> Guard:
        return self.vault.make_guard(self)

    def _read_again(self, index: SearchIndex, locators: Iterable[Locator]) -> None:
        from engrain.engine.core.reading import read_again

        read_again(self.backend, index, locators)

    def _index_records(
        self,
        index: SearchIndex,
        parsed: dict[tuple[str, str], Entry],
        hurried: bool,
        may_rebuild: bool,
    ) -> int | None:
        from engrain.engine.core.replaying import Replay

        attestor, guard = self.vault.attestor, self._make_guard
        return Replay(self.backend, index, attestor, guard, parsed, hurried, may_rebuild).run()

    @property
    def freshness(self) -> Freshness:
        """The part of the upkeep that a reader needs."""
        return self.vault.upkeep or Freshness(
            self.backend, self.index, self._read_again, self._index_records
        )

    @property
    def backend(self) -> StorageBackend:
        """The files of the vault."""
        return self.vault.backend

    @property
    def index(self) -> SearchIndex:
        """The index of the vault."""
        return self.vault.index

    @property
    def now(self) -> str:
        """The present time, in the format of fields."""
        return format_instant(self.clock.now())

    def acting_as(self, actor: Actor) -> Store:
        """Return the store with another actor."""
        return replace(self, actor=actor)

    def within(self, project: str) -> Store:
        """Return the store with another current project."""
        return replace(self, project=project)

    def as_one_change(self, operation: Operation | None = None) -> Store:
        """Return the store with all its commits listed and undone as one change: as part of
        `operation`, else of the store's present operation, else of a new one. The commits of a
        process that dies midway stay: `undo` reverts them, and repeating the work completes it."""
        return replace(self, _operation=operation or self._operation or Operation())

    def commit(
        self,
        op: str,
        writes: Sequence[Write],
        *,
        reason: str = "",
        undoes: str | None = None,
        actor: Actor | None = None,
        known: Sequence[Entry] = (),
    ) -> Record:
        """Commit a change, and tell the index, whose failure spoils nothing. `known` are entries of
        the change that are parsed already. Raises UsageError if entries would then supersede one
        another in a circle, and ConflictError."""
        if undoes is None and op != EXTERNAL_EDIT:
            self._refuse_circles(writes)
        try:
            record = self.backend.commit(
                self._change(op, writes, reason=reason, undoes=undoes, actor=actor)
            )
        except ConflictError as error:
            self._note_conflict(error)
            raise
        self._note(op, record, known)
        self.upkeep.index_noted()
        return record

    def commit_all(
        self,
        op: str,
        parts: Sequence[Sequence[Write]],
        *,
        reasons: Sequence[str],
        actor: Actor | None = None,
    ) -> list[EngrainError | None]:
        """Commit changes of one op in which no entry names a replaced entry or a successor, each
        with its reason. Return for each change the error by which it was refused, None if it was
        committed."""
        outcomes: list[EngrainError | None] = []
        # The first change of an operation is committed alone, because the others name it.
        head = 1 if self._operation and self._operation.first is None else 0
        for some in (slice(head), slice(head, None)):
            changes = [
                self._change(op, writes, reason=reason, actor=actor)
                for writes, reason in zip(parts[some], reasons[some], strict=True)
            ]
            for outcome in self.backend.commit_all(changes) if changes else ():
                if isinstance(outcome, EngrainError):
                    if isinstance(outcome, ConflictError):
                        self._note_conflict(outcome)
                    outcomes.append(outcome)
                else:
                    self._note(op, outcome, ())
                    outcomes.append(None)
        self.upkeep.index_noted()
        return outcomes

    def _change(
        self,
        op: str,
        writes: Sequence[Write],
        *,
        reason: str,
        undoes: str | None = None,
        actor: Actor | None,
    ) -> ChangeSet:
        from engrain.seam.changes import ChangeSet

        actor = actor or self.actor
        change = ChangeSet(
            op,
            writes,
            at=self.clock.now(),
            agent=actor.agent,
            trust=actor.trust,
            reason=self._clean(reason),
            undoes=undoes,
        )
        if self._operation and op not in _APART:
            change.part_of = self._operation.first
        return change

    def _note_conflict(self, error: ConflictError) -> None:
        if error.copies:
            self.upkeep.index_copies(error.copies)

    def _note(self, op: str, record: Record, known: Sequence[Entry]) -> None:
        """Tell the upkeep and the operation about a committed change."""
        if self._operation and self._operation.first is None and op not in _APART:
            self._operation.first = record.change
        self.upkeep.note_change(known)

    def _refuse_circles(self, writes: Sequence[Write]) -> None:
        if saying := [one for one in writes if says_replaced(one)]:
            from engrain.engine.core.successions import refuse_circles

            written = {one.entry for one in writes}
            refuse_circles(self.index, self.upkeep.drain, saying, written)

    def _clean(self, text: str) -> str:
        """Return a text for the history: valid Unicode, without secrets."""
        if not text:
            return text
        from engrain.engine.core.redaction import clean_text

        return clean_text(self, text.encode(errors="replace").decode())

    def _clean_file(self, locator: Locator, raw: bytes) -> bytes:
        """Return a file's bytes for the history, without secrets."""
        from engrain.engine.core.redaction import clean_file

        return clean_file(self, locator, raw)

    def update(
        self,
        locator: Locator,
        change: Callable[[Entry], Note],
        op: str,
        *,
        expect: str | None = None,
        reason: str = "",
        actor: Actor | None = None,
    ) -> Outcome:
        """Read the entry at a place, change it, and write it if no other writer was faster; else
        try again.

        `change` returns the new note; if its bytes are unchanged, nothing is written and the
        outcome is UNCHANGED, else UPDATED. With `expect` the present bytes must have that hash, and
        a lost race raises ConflictError at once. Raises NotFoundError, MalformedError.
        """
        from engrain.engine.core.outcomes import UNCHANGED, UPDATED, Outcome
        from engrain.model.note.entry import Entry
        from engrain.seam.changes import Write

        def attempt() -> Outcome:
            stored = self.backend.read(locator)
            if expect is not None and stored.hash != expect:
                raise ConflictError(
                    f"{locator} is not the version that was expected",
                    path=locator,
                    remedy=f"its hash is now {stored.hash}: read it and decide again",
                )
            entry = _parse(locator, stored.raw)
            note = change(entry)
            if note.raw == stored.raw:
                return Outcome(UNCHANGED, entry)
            self.preserve(locator, stored, entry.id)
            write = Write(locator, note.raw, entry.id, stored.hash)
            self.commit(op, [write], reason=reason, actor=actor)
            return Outcome(UPDATED, Entry(locator, note, hash_bytes(note.raw)))

        return try_again(attempt, UPDATE_ATTEMPTS if expect is None else 1)

    def pause(self, attempt: int) -> None:
        """Wait a moment after an attempt (counted from 0) in which another writer was faster."""
        share = self.entropy.draw(1)[0] / 255
        sleep(share * _PAUSES[min(attempt, len(_PAUSES) - 1)])

    def preserve(self, locator: Locator, stored: Stored, entry: str) -> None:
        """Record bytes that no change in the history explains, before they are replaced."""
        from engrain.seam.changes import Write

        try:
            known = self.index.knows_bytes(locator, stored.hash)
            if not known:
                # Another writer may just have recorded a change that explains them.
                self.upkeep.drain()
                known = self.index.knows_bytes(locator, stored.hash)
        except IndexUnavailableError:
            known = False
        if not known:
            copy = is_conflict_copy(locator)
            recorded = self._clean_file(locator, stored.raw) if copy else None
            write = Write(locator, stored.raw, entry, stored.hash, recorded)
            self.commit(EXTERNAL_EDIT, [write], actor=Actor("", "external"))

    def read_entry(self, locator: Locator) -> Entry:
        """Return the present entry at a place. Raises NotFoundError, MalformedError."""
        return _parse(locator, self.backend.read(locator).raw)

    @staticmethod
    def parse(raw: bytes, locator: Locator) -> Note:
        """Return the note in the bytes of a file, without the fields of an entry. Raises
        MalformedError."""
        if not locator.endswith(".json"):
            return split_note(raw)
        from engrain.model.note.json_note import parse_note

        return parse_note(raw, locator)

    def find_entry(self, locator: Locator) -> Entry | None:
        """Return the entry at a place, None if there is no readable one (see `doctor`)."""
        try:
            return self.read_entry(locator)
        except EngrainError:
            return None

    def find_stored(self, locator: Locator) -> Stored | None:
        """Return the bytes at a place, None if there is no file. Raises what reading raises."""
        try:
            return self.backend.read(locator)
        except NotFoundError:
            return None

    def ensure_index(self, *, look: bool = False, hurried: bool = False) -> str | None:
        """Make the index able to answer, a reader in a hurry with as little as that takes. Return
        the reason if it can't answer, else None."""
        return self.freshness.ensure_quickly() if hurried else self.upkeep.ensure(look=look)

    def require_index(self, *, look: bool = False, scan: bool = False) -> None:
        """Make the index able to answer, see `IndexUpkeep.ensure`, or raise IndexUnavailableError;
        for verbs that need the index."""
        if reason := self.upkeep.ensure(look=look, scan=scan):
            raise IndexUnavailableError(reason, remedy="run `engrain jobs reindex`")

    def find_one(self, reference: str, prefer: str = "active") -> Row:
        """Return the entry that a reference means: an id or path, a slug, a title, an alias, or
        the beginning of an id, a title or a slug, in this order (`core/references`). Among several
        those whose status is `prefer` are meant.

        The index's answer is compared with the file; if they differ, a scan takes in edits by other
        programs first. Raises NotFoundError; UsageError if several entries are meant; ErasedError.
        """
        return self._find_stored(reference, prefer)[0]

    def read_one(self, reference: str) -> tuple[Row, Entry]:
        """Return the entry that a reference means, as `find_one` does, and what its file says."""
        row, stored = self._find_stored(reference, "active")
        stored = stored or self.backend.read(row.locator)
        return row, _parse(row.locator, stored.raw)

    def _find_stored(self, reference: str, prefer: str) -> tuple[Row, Stored | None]:
        """Find what `find_one` returns, and its file where no scan was needed."""
        try:
            row = self._look_up(reference, prefer)
            stored = self.backend.read(row.locator)
            if stored.hash == row.hash:
                return self._unless_erased(row), stored
        except (NotFoundError, MalformedError):
            pass
        self.upkeep.scan()
        try:
            row = self._look_up(reference, prefer)
        except NotFoundError:
            from engrain.engine.core.references import make_missing_error

            raise make_missing_error(self.index, reference, prefer) from None
        return self._unless_erased(row), None

    def find_exact(self, id_: str) -> Row | None:
        """Return the row of the entry with exactly this id, None if there is none."""
        rows = self.index.lookup(id_)
        return next((row for row in rows if row.primary and row.id == id_), None)

    def find_row(self, place: Locator, hash_: str) -> Row | None:
        """Return the row of a place, None if the index has other bytes there than of this hash."""
        rows = self.index.lookup(place)
        return next((row for row in rows if row.locator == place and row.hash == hash_), None)

    def _unless_erased(self, row: Row) -> Row:
        if row.status == "deleted" and row.locator.name.startswith("erased-"):
            from engrain.model.history.record import is_tombstone

            entry = self.read_entry(row.locator)
            if is_tombstone(entry):
                raise ErasedError(
                    f"{row.id} was erased on {entry.fields['erased']}",
                    entry=row.id,
                    path=row.locator,
                    remedy=NOTHING_LEFT,
                )
        return row

    def _look_up(self, reference: str, prefer: str) -> Row:
        rows = [row for row in self.index.lookup(reference) if row.primary]
        exact = [row for row in rows if reference in (row.id, row.locator)]
        exact = exact or [row for row in rows if (row.slug, row.status) == (reference, prefer)]
        if len(exact) == 1:
            return exact[0]
        from engrain.engine.core.references import find_named

        return find_named(self.index, reference, rows, prefer)


def _parse(locator: Locator, raw: bytes) -> Entry:
    from engrain.model.note.entry import read_entry

    return read_entry(locator, raw)
