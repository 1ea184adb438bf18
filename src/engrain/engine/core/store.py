"""What every verb stands on: one store, its index, the clock, and who is acting."""

from __future__ import annotations

from engrain.engine.core.outcomes import UNCHANGED, UPDATED, Outcome
from engrain.engine.core.upkeep import IndexUpkeep
from engrain.language.text.instants import format_instant
from engrain.model.errors import (
    NOTHING_LEFT,
    ConflictError,
    EngrainError,
    ErasedError,
    IndexUnavailableError,
    MalformedError,
    NotFoundError,
    UsageError,
)
from engrain.model.note.note import hash_bytes
from engrain.model.note.tiers import is_conflict_copy
from engrain.model.struct import Struct
from engrain.seam.storage import ChangeSet, Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence
    from dataclasses import KW_ONLY
    from typing import Any, TypeVar

    from engrain.engine.core.vectors import Vectors
    from engrain.model.history.record import Record
    from engrain.model.note.entry import Entry
    from engrain.model.note.note import Note
    from engrain.seam.attestor import Attestor
    from engrain.seam.clock import Clock, Entropy
    from engrain.seam.derived import Guard, Indexer, Readers
    from engrain.seam.embedder import Reranker
    from engrain.seam.journal import EpisodeJournal, SessionJournal
    from engrain.seam.llm import LLM, Summarizer
    from engrain.seam.local_state import JobLog, LocalState
    from engrain.seam.locator import Locator
    from engrain.seam.rows import Row
    from engrain.seam.search import SearchIndex
    from engrain.seam.sources import Outside, Sources
    from engrain.seam.storage import StorageBackend, Stored

    T = TypeVar("T")

UPDATE_ATTEMPTS = 16
_PAUSES = (0.01, 0.02, 0.04, 0.08, 0.16)
"""Seconds that one who lost waits at most, each time longer: so many writers do not wear each other
out."""
_REPLACING = (b"supersedes", b"superseded_by", b"superseded-by")
"""Words without which no entry says that it replaced another, or was replaced."""
_SECRET = 20
"""Characters from which on a name may be a secret by its looks alone."""


def try_again(
    attempt: Callable[[], T],
    attempts: int = UPDATE_ATTEMPTS,
    after: Callable[[int], object] = lambda _: None,
) -> T:
    """Return what `attempt` returns, made again as long as it raises ConflictError; `after` is
    called with the number of each that failed, from 0. Raises the last ConflictError."""
    for number in range(attempts - 1):
        try:
            return attempt()
        except ConflictError:
            after(number)
    return attempt()


def says_replaced(write: Write) -> bool:
    """Whether what is written may say of an entry that it replaced another, or was replaced."""
    text = (write.after or b"").lower()
    return any(word in text for word in _REPLACING)


class Actor(Struct):
    """Who is acting: the agent's name, and the origin the runtime stamps on what it writes."""

    agent: str = ""
    trust: str = "agent"


class Operation(Struct):
    """Commits that are one change: `first` is the name of the first of them, None before it."""

    first: str | None = None


EXTERNAL_EDIT = "external"
"""The op under which what another program wrote is recorded."""
_APART = (EXTERNAL_EDIT, "index")
"""Ops that are never part of an operation: nobody asked for them, and undoing it leaves them."""
JOBS = "engrain"
"""Who acts where a job does: nobody asked for it at that moment."""


class Other:
    """Another vault, by its name, that recalls ask too. While `is_late`, it has not answered an
    earlier recall, and is not asked again."""

    def __init__(self, name: str, open_: Callable[[], Store]) -> None:
        self.name = name
        self.open = open_
        self.is_late = False


_LATER: Any = None
"""Stands for what is set once the others are."""


class Store(Struct):
    """One opened vault. `project` is the current project, None outside of any; `profile` and
    `budget` are what a recall gets that names none; `settings` are the values that policies are
    read from, as they are written. `llm` makes the language model that is configured, None where
    none is, and counts under the purpose it is given what that costs; it raises ConfigError.
    `open_folder` reads any folder of notes, by a backend's name and a path. Imports may bring back
    what was erased where it `allows_erased`. A recall asks the vaults in `also` too."""

    backend: StorageBackend
    index: SearchIndex
    clock: Clock
    entropy: Entropy
    actor: Actor
    project: str | None
    vectors: Vectors
    journal: SessionJournal
    _open_local: Callable[[], LocalState]
    _open_job_log: Callable[[], JobLog]
    _open_recordings: Callable[[], EpisodeJournal]
    _open_sources: Callable[[], Sources]
    _open_outside: Callable[[], Outside]
    open_folder: Callable[[str, str], StorageBackend]
    _: KW_ONLY
    make_guard: Callable[[Store], Guard]
    merge_copies: Callable[[Store, Sequence[Locator]], set[Locator]]
    attestor: Attestor
    settings: Mapping[str, str | None] = {}
    profile: str | None = None
    budget: int | None = None
    reranker: Reranker | None = None
    summarizer: Summarizer | None = None
    llm: Callable[[str], LLM | None] = lambda _: None
    allows_erased: bool = False
    start_readers: Callable[[int | None], Readers | None] = lambda _: None
    start_indexer: Callable[[], Indexer | None] = lambda: None
    also: Sequence[Other] = ()
    upkeep: IndexUpkeep = _LATER
    _operation: Operation | None = None

    def __post_init__(self) -> None:
        if len(self.actor.agent) >= _SECRET:
            self.actor = Actor(self._clean(self.actor.agent), self.actor.trust)
        if self.upkeep is _LATER:
            self.upkeep = IndexUpkeep(
                self.backend,
                self.index,
                self.clock,
                self.attestor,
                lambda: self.make_guard(self),
                self._clean_file,
                lambda met: self.merge_copies(self, met),
                self.start_readers,
                self.start_indexer,
            )

    @property
    def now(self) -> str:
        """The time now, as fields have it."""
        return format_instant(self.clock.now())

    @property
    def local(self) -> LocalState:
        """What this device knows of the vault beside its index; opened when it is asked for."""
        return self._open_local()

    @property
    def job_log(self) -> JobLog:
        """What this device knows of its jobs; opened when it is asked for, which few calls do."""
        return self._open_job_log()

    @property
    def recordings(self) -> EpisodeJournal:
        """The episodes that are being recorded on this device; opened when they are asked for."""
        return self._open_recordings()

    @property
    def sources(self) -> Sources:
        """The files outside the vault that facts are learned from."""
        return self._open_sources()

    @property
    def outside(self) -> Outside:
        """The approved places that forward learning looks at."""
        return self._open_outside()

    def acting_as(self, actor: Actor) -> Store:
        """The same store with another acting in it."""
        return self.replace(actor=actor)

    def allowing_erased(self, allowed: bool = True) -> Store:
        """The same store, where imports may bring back what was erased if `allowed`."""
        return self.replace(allows_erased=allowed)

    def as_one_change(self, operation: Operation | None = None) -> Store:
        """The same store, whose commits are listed and undone as one change: part of `operation`,
        else of the operation it is already in, else of a new one. A process that dies midway leaves
        its commits: `undo` takes them back, and repeating the operation completes it."""
        return self.replace(_operation=operation or self._operation or Operation())

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
        """Commit, and let the index know; an index that fails spoils nothing. `known` are entries
        of the change that were parsed already. Raises UsageError where what the writes say of who
        replaced whom would lead round in a circle."""
        if undoes is None and op != EXTERNAL_EDIT:
            self._refuse_circles(writes)
        try:
            record = self.backend.commit(
                self._change(op, writes, reason=reason, undoes=undoes, actor=actor)
            )
        except ConflictError as error:
            self._meet_conflict(error)
            raise
        self._note(op, record, known)
        self.upkeep.index_noted()
        return record

    def commit_all(
        self, op: str, parts: Sequence[Sequence[Write]], *, reason: str, actor: Actor
    ) -> list[EngrainError | None]:
        """Commit changes of one op in which no entry says that it replaces another. Return the
        error of each change that was refused, None for one that was committed."""
        outcomes: list[EngrainError | None] = []
        # The first change of an operation is committed alone, because the others name it.
        head = 1 if self._operation and self._operation.first is None else 0
        for some in filter(None, (parts[:head], parts[head:])):
            changes = [self._change(op, writes, reason=reason, actor=actor) for writes in some]
            for outcome in self.backend.commit_all(changes):
                if isinstance(outcome, EngrainError):
                    if isinstance(outcome, ConflictError):
                        self._meet_conflict(outcome)
                    outcomes.append(outcome)
                else:
                    self._note(op, outcome, ())
                    outcomes.append(None)
        self.upkeep.index_noted(sum(map(len, parts)))
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

    def _meet_conflict(self, error: ConflictError) -> None:
        if error.copies:
            self.upkeep.take_in(error.copies)

    def _note(self, op: str, record: Record, known: Sequence[Entry]) -> None:
        """Tell the upkeep, and the operation, of a change that was made."""
        if self._operation and self._operation.first is None and op not in _APART:
            self._operation.first = record.change
        self.upkeep.note_change(known)

    def _refuse_circles(self, writes: Sequence[Write]) -> None:
        if saying := [one for one in writes if says_replaced(one)]:
            from engrain.engine.core.successions import refuse_circles

            written = {one.entry for one in writes}
            refuse_circles(self.index, self.upkeep.drain, saying, written)

    def _clean(self, text: str) -> str:
        """A text as it may stand in the history: valid, and without secrets."""
        if not text:
            return text
        from engrain.engine.core.redaction import clean_text

        return clean_text(self, text.encode(errors="replace").decode())

    def _clean_file(self, locator: Locator, raw: bytes) -> bytes:
        """A file's bytes as they may stand in the history."""
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
        """Change the entry at a place: read, change, compare and swap, and again if it lost.

        `change` makes the new note; where its bytes are those that it got, nothing is written and
        the outcome is UNCHANGED, else UPDATED. With `expect` the bytes must have that hash, and
        losing is a ConflictError at once. Raises NotFoundError, MalformedError.
        """
        from engrain.model.note.entry import Entry, read_entry

        def attempt() -> Outcome:
            stored = self.backend.read(locator)
            if expect is not None and stored.hash != expect:
                raise ConflictError(
                    f"{locator} is not the version that was expected",
                    path=locator,
                    remedy=f"its hash is now {stored.hash}: read it and decide again",
                )
            entry = read_entry(locator, stored.raw)
            note = change(entry)
            if note.raw == stored.raw:
                return Outcome(UNCHANGED, entry)
            self.preserve(locator, stored, entry.id)
            write = Write(locator, note.raw, entry.id, stored.hash)
            self.commit(op, [write], reason=reason, actor=actor)
            return Outcome(UPDATED, Entry(locator, note, hash_bytes(note.raw)))

        return try_again(attempt, UPDATE_ATTEMPTS if expect is None else 1)

    def pause(self, attempt: int) -> None:
        """Wait a moment, after an attempt (counted from 0) at which another writer was quicker."""
        from time import sleep

        share = self.entropy.draw(1)[0] / 255
        sleep(share * _PAUSES[min(attempt, len(_PAUSES) - 1)])

    def preserve(self, locator: Locator, stored: Stored, entry: str) -> None:
        """Put bytes that no recorded change explains into the history before they are replaced."""
        try:
            known = self.index.knows_bytes(locator, stored.hash)
            if not known:
                # A change that another writer recorded just now may explain them.
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
        """The entry at a place, as it is now. Raises NotFoundError, MalformedError."""
        from engrain.model.note.entry import read_entry

        return read_entry(locator, self.backend.read(locator).raw)

    def find_entry(self, locator: Locator) -> Entry | None:
        """The entry at a place; None where none can be read, which `doctor` reports."""
        try:
            return self.read_entry(locator)
        except EngrainError:
            return None

    def find_stored(self, locator: Locator) -> Stored | None:
        """The bytes at a place, None where no file is. Raises what reading them raises."""
        try:
            return self.backend.read(locator)
        except NotFoundError:
            return None

    def require_index(self, *, look: bool = False, scan: bool = False) -> None:
        """Make the index answer, see `IndexUpkeep.ensure`. Raises IndexUnavailableError, for verbs
        that can't do without it."""
        if reason := self.upkeep.ensure(look=look, scan=scan):
            raise IndexUnavailableError(reason, remedy="run `engrain reindex`")

    def find_one(self, reference: str, prefer: str = "active") -> Row:
        """The one entry a reference means: id, beginning of an id, path or slug; of several by
        that slug the one whose status is `prefer`.

        What the index says is checked against the store; where it does not hold, edits by other
        programs are taken in first. Raises NotFoundError; UsageError when several are meant;
        ErasedError.
        """
        try:
            row = self._look_up(reference, prefer)
            if self.backend.read(row.locator).hash == row.hash:
                return self._unless_erased(row)
        except (NotFoundError, MalformedError):
            pass
        self.upkeep.scan()
        return self._unless_erased(self._look_up(reference, prefer))

    def find_exact(self, id_: str) -> Row | None:
        """The entry of exactly this id, as the index has it; None where none is."""
        rows = self.index.lookup(id_)
        return next((row for row in rows if row.primary and row.id == id_), None)

    def find_row(self, place: Locator, hash_: str) -> Row | None:
        """The row of the bytes of this hash at a place, None where the index has others there."""
        rows = self.index.lookup(place)
        return next((row for row in rows if row.locator == place and row.hash == hash_), None)

    def _unless_erased(self, row: Row) -> Row:
        if row.status == "deleted" and row.locator.name.startswith("erased-"):
            from engrain.model.history.tombstone import is_tombstone

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
        rows = exact or [row for row in rows if row.status == prefer] or rows
        if not rows:
            raise NotFoundError(
                f"no entry {reference!r}",
                remedy="give an id, its beginning, a path or a slug; `engrain list` shows them",
            )
        if len(rows) > 1:
            names = ", ".join(f"{row.id} ({row.locator})" for row in rows[:5])
            raise UsageError(f"{reference!r} may mean {len(rows)} entries: {names}")
        return rows[0]
