"""Import the notes of a living memory, and export memories as its notes.

After the import only this vault decides how often a memory was used, and whether it has faded."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence

from engrain.engine.core.redaction import clean_text
from engrain.engine.core.store import Store
from engrain.engine.core.weighing import Weighing
from engrain.engine.verbs.save import check_size, stamp_source
from engrain.interchange.importing import DocumentImporter, Export, File
from engrain.language.text.folding import safe_component, slugify
from engrain.model.interchange.documents import digest
from engrain.model.interchange.living import (
    SOURCE,
    IncomingNote,
    folder_at,
    folder_of,
    has_place,
    substance,
    write_document,
)
from engrain.model.links.link import written_links
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import COUNTERS, Note, compose_note
from engrain.model.note.tiers import (
    ACTIVE,
    ARCHIVE,
    LIVE,
    OPERATOR,
    Naming,
    archive_folder,
    kind_of,
    split_ending,
)
from engrain.seam.derived import Progress
from engrain.seam.rows import Filter, Row


class LivingImporter(DocumentImporter[IncomingNote]):
    """Imports the notes of one living memory."""

    layout = SOURCE
    counted = tuple(key for key in COUNTERS if key != "updated")
    kept = ("id", "slug", "kind", "status", "project", "always_load", "pinned", *counted)

    def read(self, path: str, raw: bytes) -> Iterator[IncomingNote]:
        label = clean_text(self.store, path)  # reports and entries contain it
        if folder_at(label):
            with self.intake.telling(label):
                at = self.intake.terms.date_of(path)
                yield IncomingNote(label, self.name, self.clean_note(raw), at)

    def key_of(self, document: IncomingNote) -> object:
        return document.given, self.spell(document)

    def spell(self, document: IncomingNote) -> str:
        note = self.compose(document, None)
        return self.spell_entry(document, Entry(f"Memory/{document.stem}.md", note, ""))

    def spell_entry(self, document: IncomingNote, entry: Entry) -> str:
        return substance(write_document(entry, document.label, None))

    def is_settled(self, document: IncomingNote, there: Entry) -> bool:
        return document.status != ACTIVE == there.status  # it has faded there, but is used here

    def take(self, document: IncomingNote, there: Entry | None) -> None:
        links = written_links(there.fields.get("links") if there else None)
        self.targets += [to for to, _ in dict.fromkeys((*document.links, *links))]
        super().take(document, there)

    def places_of(self, document: IncomingNote, _note: Note) -> Sequence[str]:
        row = kind_of(document.kind)
        trusted = self.actor.trust == OPERATOR
        folder = (trusted and row.operator_folder) or row.folder
        if document.status != ACTIVE:
            folder = archive_folder(f"{folder}/file")
        stem = safe_component(document.stem)
        if not Naming(folder).admits(f"{stem}.md"):
            stem = slugify(stem, "memory")
        return [f"{folder}/{name}.md" for name in (stem, f"{stem}--{digest(document.id, 8)}")]

    def compose(self, document: IncomingNote, there: Entry | None) -> Note:
        links: dict[tuple[str, str], dict[str, Value]] = {
            end: {"to": end[0], "relation": end[1]} for end in document.links
        }
        for end, link in written_links(there.fields.get("links") if there else None).items():
            links.setdefault(end, link)
        fields: dict[str, Value] = {
            "id": document.id,
            "kind": document.kind,
            "status": document.status,
            **document.fields,
            "updated": self.store.now,
            "source": stamp_source(self.actor, SOURCE, document.ref),
        }
        if self.project is not None:
            fields["project"] = self.project
        if links:
            fields["links"] = [*links.values()]
        note = compose_note(fields, document.body)
        check_size(note)
        return note


class LivingExport(Export):
    """An export that counts its notes by folder."""

    only = Filter(statuses=("active", "superseded", "archived"), zones=(LIVE, ARCHIVE))

    def __init__(
        self,
        store: Store,
        count_sessions: Callable[[Entry], int],
        project: str | None = None,
        progress: Progress | None = None,
    ) -> None:
        """`count_sessions` returns the number of sessions since an entry was recalled."""
        super().__init__(store, project, progress)
        self._count_sessions = count_sessions

    def prepare(self) -> None:
        self._weighing = Weighing(self.store)

    def has_place(self, row: Row) -> bool:
        return has_place(row.kind, row.locator)

    def order(self, row: Row) -> tuple[str, str]:
        return row.id, row.locator

    def write(self, entry: Entry) -> Iterable[File]:
        if not isinstance(entry.note, JsonNote):
            folder = folder_of(entry)
            name = self.names.take(folder, split_ending(entry.path)[0], ".md")
            weight = self._weighing.weight_of(entry)
            self.count(folder)
            yield name, write_document(entry, name, weight, self._count_sessions(entry)).raw
