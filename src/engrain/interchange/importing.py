"""The importer and the exporter that all foreign layouts share; each layout is a subclass with its
differences (DESIGN 14).

A repeated import leaves equal entries and renews those that changed only in the source. A document
whose id another entry has gets a new id with its source's name. A document that can't be read is
reported, and the others are imported nevertheless.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any, ClassVar, Generic, Protocol, TypeVar

from engrain.engine.core.moving import drop_slug, is_free
from engrain.engine.core.outcomes import CREATED, SIMILAR, UNCHANGED, Imported
from engrain.engine.core.redaction import Redaction, clean_text
from engrain.engine.core.store import Store
from engrain.engine.history.history import bytes_after
from engrain.engine.links.linking import draw_entries, mend_inverses
from engrain.engine.verbs.intake import OP, ImportIntake, Terms
from engrain.language.text.folding import fold, slugify
from engrain.model.errors import ConflictError, EngrainError
from engrain.model.interchange.documents import ExportNames
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.note import Note, split_note
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Filter, Row
from engrain.seam.storage import Write


class ImportDocument(Protocol):
    """A document to import: `given` is its id in the source, `id` its id here, `label` its name in
    reports, `ref` the source that its entry records, `digest` the hash of its content, `status` its
    status. With `cites` it names other documents, so it waits until their ids here are known."""

    given: str
    id: str

    @property
    def kind(self) -> str: ...
    @property
    def label(self) -> str: ...
    @property
    def ref(self) -> str: ...
    @property
    def digest(self) -> str: ...
    @property
    def status(self) -> str: ...
    @property
    def cites(self) -> bool: ...

    def rename(self, renamed: dict[str, str]) -> None:
        """Follow the new ids of other documents of the same source."""


D = TypeVar("D", bound=ImportDocument)


class Importer(ABC):
    """Imports the files of one folder. By its `name` a repeated import finds the entries that came
    from it. `project` is that of every entry; with None each keeps its own."""

    layout: ClassVar[str]
    """The kind of source that imported entries record."""

    def __init__(
        self, store: Store, name: str, project: str | None = None, terms: Terms | None = None
    ) -> None:
        store.require_index(scan=True)
        self.store = store = store.as_one_change()
        self.name = clean_text(store, name)
        self.project = project
        self.intake = ImportIntake(store, self.name, terms or Terms())
        self.actor = self.intake.actor
        self.done = self.intake.done
        self.prepare()

    @abstractmethod
    def prepare(self) -> None:
        """Set up the state of this import."""

    def run(self, files: Iterable[tuple[str, bytes]]) -> Imported:
        """Import files by their names in the folder, in the layout's reading order."""
        for path, raw in files:
            self.take_file(path, raw)
            self.intake.flush_full()
        self.finish()
        return self.done

    @abstractmethod
    def take_file(self, path: str, raw: bytes) -> None:
        """Import the documents of one file."""

    def finish(self) -> None:
        """Write the remaining entries and update what depends on them."""
        self.intake.flush()
        self.store.upkeep.flush()

    def clean_note(self, raw: bytes) -> Note:
        """Return a note without secrets. Raises MalformedError."""
        redaction = Redaction(self.store)
        note = redaction.clean_note(split_note(raw))
        self.done.redacted += bool(redaction.rules)
        return note

    def came_by(self, there: Entry, ref: str) -> bool:
        """Whether an earlier import of the same source created this entry."""
        return (there.source.get("kind"), there.source.get("ref")) == (self.layout, ref)


class DocumentImporter(Importer, Generic[D]):
    """Imports documents that have ids and links."""

    kept: ClassVar[tuple[str, ...]]
    """Fields of an entry here that its document never changes."""
    counted: ClassVar[tuple[str, ...]] = ()
    """Fields of `kept` that a document does not add to an entry without them."""

    def prepare(self) -> None:
        self.ids: set[str] = set()
        self.renamed: dict[str, str] = {}
        self.targets: list[str] = []
        self._met: set[object] = set()
        self._seen: list[str] = []
        self._places: set[str] = set()
        self._held: list[tuple[D, Entry | None]] = []

    @abstractmethod
    def read(self, path: str, raw: bytes) -> Iterator[D]:
        """Yield the documents of a file, without secrets; report those that can't be read."""

    @abstractmethod
    def key_of(self, document: D) -> object:
        """Return a key that is equal for equal documents of one source."""

    @abstractmethod
    def spell(self, document: D) -> str:
        """Return the content of a document, without links and use, in a normal form."""

    @abstractmethod
    def spell_entry(self, document: D, entry: Entry) -> str:
        """Return the content of an entry that the document may be, in the same form."""

    @abstractmethod
    def compose(self, document: D, there: Entry | None) -> Note:
        """Return the note of a document, with the links of the entry that it replaces. Raises
        UsageError, MalformedError."""

    @abstractmethod
    def places_of(self, document: D, note: Note) -> Sequence[str]:
        """Return the possible paths of a new note, the best first. Raises UsageError."""

    def take_file(self, path: str, raw: bytes) -> None:
        for document in self.read(path, raw):
            with self.intake.telling(document.label):
                if (key := self.key_of(document)) in self._met:
                    self.done.count(UNCHANGED)
                    continue
                self._met.add(key)
                there = self.identify(document)
                if document.cites:
                    self._held.append((document, there))
                else:
                    self.take(document, there)
            self.intake.flush_full()

    def finish(self) -> None:
        for document, there in self._held:
            with self.intake.telling(document.label):
                document.rename(self.renamed)
                self.take(document, there)
            self.intake.flush_full()
        super().finish()
        acting = self.store.acting_as(self.actor)
        self.add_links(acting)
        mend_inverses(acting, self._seen)
        draw_entries(acting, self._seen)
        known = {to: self.store.find_exact(to) is not None for to in set(self.targets)}
        self.done.links = len(self.targets)
        self.done.broken = sum(not known[to] for to in self.targets)

    def add_links(self, store: Store) -> None:
        """Add the links that are in no document."""

    def identify(self, document: D) -> Entry | None:
        """Choose the id of a document here, and return the entry that it already is, if any. Raises
        ConflictError if other entries have every id that it could get."""
        given = document.given
        endings = (slugify(self.name, self.layout), document.digest)
        for id_ in (given, *(f"{given}-{ending}" for ending in endings)):
            if id_ in self.ids:
                continue
            row = self.store.find_exact(id_)
            there = None
            if row is not None:
                with suppress(EngrainError):  # an unreadable file counts as another entry
                    there = self.store.read_entry(row.locator)
            document.id = id_
            if row is None or (there and there.id == id_ and self.is_same(there, document)):
                self.ids.add(id_)
                self.renamed.setdefault(given, id_)
                return there
        raise ConflictError(f"other entries have its id {given!r} and all that it could get")

    def is_same(self, there: Entry, document: D) -> bool:
        """Whether an entry came from this document, or has the same content."""
        return self.came_by(there, document.ref) or (
            self.spell_entry(document, there) == self.spell(document)
        )

    def take(self, document: D, there: Entry | None) -> None:
        """Create the entry of a document, or update the entry that was found for it."""
        self._seen.append(document.id)
        label = document.label
        if there is None:
            self.create(document)
            return
        if self.intake.stays_deleted(label, there):
            return

        def recall_before() -> str | None:
            last = last_taken_in(self.store, there)
            return None if last is None else self.spell_entry(document, last)

        here, wanted = self.spell_entry(document, there), self.spell(document)
        renews = not self.is_settled(document, there) and self.intake.renews(
            label, there, here, wanted, recall_before
        )
        note = None
        if renews:
            kept = {key: there.fields[key] for key in self.kept if key in there.fields}
            gone = [key for key in self.counted if key not in there.fields]
            note = drop_slug(self.compose(document, there).patch(kept, gone), there.path)
        elif here == wanted:
            note = self.repair(document, there)
        self.intake.settle(
            label,
            there,
            note,
            came_by_it=self.came_by(there, document.ref),
            same=renews or here == wanted,
            status=document.status,
        )

    def is_settled(self, _document: D, _there: Entry) -> bool:
        """Whether an entry is never updated from this document."""
        return False

    def repair(self, _document: D, _there: Entry) -> Note | None:
        """Return the note without an error of an older version, None if there is none."""
        return None

    def create(self, document: D) -> Locator | None:
        """Create a document's entry at the first of its paths that is free, and return that; None
        for an erased document. Raises ConflictError if no path is free."""
        note = self.compose(document, None)
        for path in self.places_of(document, note):
            place = make_locator(path)
            if fold(place) not in self._places and is_free(self.store, place):
                break
        else:
            raise ConflictError(f"no free name for {document.id}", path=path)
        note = drop_slug(note, place)
        read_entry(place, note.raw)
        self._places.add(fold(place))
        outcome = CREATED if document.id == document.given else SIMILAR
        write = Write(place, note.raw, document.id)
        if not self.intake.batches.add(document.label, outcome, write):
            return None
        if outcome == SIMILAR:
            notice = f"another entry is {document.given!r} here: taken in as {document.id!r}"
            self.done.tell(document.label, notice)
        return place


def last_taken_in(store: Store, there: Entry) -> Entry | None:
    """Return an entry as an import last wrote it, None if the history no longer has that."""
    for change in store.index.changes(entry=there.id, op=OP):
        if change.locator is None or change.after_hash is None:
            continue
        try:
            return read_entry(change.locator, bytes_after(store, change))
        except EngrainError:
            return None
    return None


File = tuple[str, bytes]
"""A file's name in the layout, with `/`, and its bytes."""


class Export(ABC):
    """One export: its `files`, and after these the numbers of their entries by sort (`counts`) and
    the paths that were `left_out` with the reasons."""

    only: ClassVar[Filter]
    """The entries that the layout can hold."""

    def __init__(
        self, store: Store, project: str | None = None, progress: Progress | None = None
    ) -> None:
        """With `project` only entries of that project and of no project are exported."""
        self.store = store
        self.project = project
        self.names = ExportNames()
        self.counts: dict[str, int] = {}
        self.left_out: list[tuple[str, str]] = []
        self._progress = progress
        self.prepare()

    @abstractmethod
    def prepare(self) -> None:
        """Set up the state of this export."""

    def files(self) -> Iterator[File]:
        """Yield every file; entries that can't be read are left out."""
        self.store.require_index(scan=True)
        projects = None if self.project is None else (self.project, "")
        rows = self.store.index.find(replace(self.only, projects=projects))
        rows = sorted(filter(self.has_place, rows), key=self.order)
        yield from self.begin()
        for done, row in enumerate(rows, 1):
            if (entry := self.read(row.locator)) is not None:
                yield from self.write(entry)
            if self._progress:
                self._progress(done, len(rows))
        yield from self.end()

    @abstractmethod
    def write(self, entry: Entry) -> Iterable[File]:
        """Yield the files of one entry."""

    def begin(self) -> Iterable[File]:
        """Yield the files before those of the entries."""
        return ()

    def end(self) -> Iterable[File]:
        """Yield the files made of all entries together."""
        return ()

    def has_place(self, _row: Row) -> bool:
        """Whether the layout can hold an entry."""
        return True

    def order(self, row: Row) -> Any:
        """Return the key by which the entries are sorted."""
        return row.locator

    def read(self, place: Locator) -> Entry | None:
        """Return the entry at a path, None for one that can't be read, which is left out."""
        try:
            return self.store.read_entry(place)
        except EngrainError as error:
            self.left_out.append((place, error.message))
            return None

    def count(self, what: str, number: int = 1) -> None:
        """Count written entries."""
        self.counts[what] = self.counts.get(what, 0) + number
