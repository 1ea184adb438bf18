"""The importer of every layout: it reads files by the rows of a layout's table (DESIGN 14).

A repeated import leaves equal entries and renews those that changed only in the source. A document
whose id another entry has gets a new id with its source's name. A document that can't be read is
reported, and the others are imported nevertheless. Files that no row reads are named.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any, ClassVar, TypeAlias

from engrain.engine.core.moving import drop_slug, is_free
from engrain.engine.core.outcomes import CREATED, SIMILAR, UNCHANGED, Imported
from engrain.engine.core.redaction import Redaction, clean_text
from engrain.engine.core.store import Actor, Store
from engrain.engine.links.linking import draw_entries, link_entries, mend_inverses
from engrain.engine.verbs.intake import ImportIntake, Telling, Terms, last_taken_in
from engrain.engine.verbs.save import check_size, stamp_source
from engrain.interchange.table import (
    BODY,
    IMPORTED,
    KEPT,
    LINK,
    Layout,
    LayoutRow,
    as_entry,
    check_document,
    compose_document,
    compose_plain,
    day_in,
    describe_entry,
    digest,
    follow,
    read_file,
    stem_of,
)
from engrain.language.text.folding import fold, safe_component, slugify
from engrain.language.text.instants import format_instant, read_instant
from engrain.model.errors import ConflictError, EngrainError, NotFoundError, UsageError
from engrain.model.experience.ledger import file_stem
from engrain.model.links.link import written_links
from engrain.model.note.documents import list_of, object_of, texts_of
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import OWN, JsonNote
from engrain.model.note.note import Note, compose_note, make_id
from engrain.model.note.tiers import ACTIVE, OPERATOR, Naming, archive_folder, kind_of
from engrain.seam.changes import Write
from engrain.seam.locator import make_locator

Links: TypeAlias = "dict[tuple[str, str], dict[str, Any]]"
"""Links by target and relation."""
NO_PART = "no part of the layout"
"""Why a file is passed over."""


@dataclass(eq=False)
class Incoming:
    """A document to import, from the file `path` of a folder that is named `tree`: `given` is its
    id there, `id` its id here; `own` are its further fields; `at` is the date of its file in epoch
    seconds, None if unknown; `ref` is the source that its entry records, `label` its name in
    reports, `status` what it states or its place means, `day` that of its file or folder, and
    `place` the only path that it can have here, "" for any."""

    layout: Layout
    row: LayoutRow
    tree: str
    path: str
    document: dict[str, Any]
    at: float | None = None

    def __post_init__(self) -> None:
        row, path = self.row, self.path
        self.stem = stem_of(path)
        self.own = row.read_own(self.document)
        self.kind = row.kind
        if row.find_kind:
            self.kind = row.find_kind(object_of(self.document.get(OWN)), path)
            self.own.pop("kind", None)
        self.given = row.find_id(self.document, path)
        if not self.given and row.is_markdown:
            self.given = f"{slugify(self.stem, 'memory')}-{digest([self.tree, path], 8)}"
        elif not self.given:
            content = {key: value for key, value in self.document.items() if key != OWN}
            self.given = f"{self.kind}-{digest(content)}"
        self.id, self.place = self.given, ""
        ref = self.layout.ref if row.ids else "{tree}/{path}"
        self.ref = ref.format(tree=self.tree, path=path, given=self.given)
        named = path.endswith((".md", f"{self.given}.json"))
        self.label = path if named else f"{path}: {self.given}"
        self.status = str(self.own.get("status") or row.defaults(path)["status"])
        self.day = (day_in(self.stem) or day_in(path.split("/")[-2])) if row.has_day else ""

    @property
    def links(self) -> list[dict[str, Any]]:
        """The typed links in the document."""
        form = self.row.form
        return form.links(form.flatten(self.document)) if form else []

    @property
    def sources(self) -> Sequence[str]:
        """The episodes that the document cites."""
        flat = self.row.form.flatten(self.document) if self.row.form else {}
        said = (flat.get(key) for key in ("source_episodes", "source", "sources"))
        return [text for value in said for text in texts_of([value, *list_of(value)]) if text]

    def rename(self, renamed: Mapping[str, str]) -> None:
        """Follow the new ids of other documents of the same folder."""
        names = {name: id_ for name, id_ in renamed.items() if name != id_}
        if names and self.row.form:
            self.document = follow(self.document, names)

    def compose(self, actor: Actor, now: float, more: Mapping[str, Value]) -> Note:
        """Return its note with `more` fields. Raises UsageError, MalformedError."""
        if self.row.blank is not None:
            front = {key: value for key, value in self.document.items() if key != BODY}
            aside = {IMPORTED: front} if front else {}
            return compose_plain({**aside, BODY: self.document[BODY]})
        source = stamp_source(actor, self.layout.name, self.ref)
        more = {"updated": format_instant(now), "source": source, **more}
        own: dict[str, Value] = {**self.own, "status": self.status}
        own.pop("id", None)
        day = f"{self.day}T00:00:00Z" if self.day else ""
        date = day or format_instant(now if self.at is None else self.at)
        form = self.row.form
        if form is None:
            return self._compose_record(date, {"filed": format_instant(now), **own, **more})
        fields, body = compose_document(form, self.document, self.id)
        undated = self.at is None and "created" in form.fields
        if not undated and "created" not in (*own, *fields):
            own["created"] = date
        if "slug" not in own:
            named = slugify(as_entry(fields, body).title, f"{self.kind}-{digest(self.id, 8)}")
            own["slug"] = named if self.row.many else self.stem
        return compose_note({**fields, "id": self.id, "kind": self.kind, **own, **more}, body)

    def _compose_record(self, date: str, more: Mapping[str, Value]) -> JsonNote:
        document = {key: value for key, value in self.document.items() if key != OWN}
        renamed = {} if document.get("id") == self.id else {"id": self.id}
        note = JsonNote(self.kind, document, {"kind": self.kind, **more, **renamed})
        return note if "created" in note.fields else note.patch({"created": date})

    def places(self, note: Note, trusted: bool) -> list[str]:
        """Return the possible paths of its note, the best first."""
        if self.place:
            return [self.place]
        row = kind_of(self.kind)
        folder = (trusted and row.operator_folder) or row.folder
        if self.row.has_day:
            folder = f"{folder}/{self._day_here(note)}"
        if self.status != ACTIVE:
            folder = archive_folder(f"{folder}/file")
        if self.row.form is None:
            return [f"{folder}/{file_stem(self.id)}.json"]
        stem = safe_component(str(note.fields["slug"]) if self.row.many else self.stem)
        if not Naming(folder).admits(f"{stem}.md"):
            stem = slugify(stem, "memory")
        return [f"{folder}/{name}.md" for name in (stem, f"{stem}--{digest(self.id, 8)}")]

    def _day_here(self, note: Note) -> str:
        """Return the day of its folder here: of its time, else of its name, else of its date."""
        at = read_instant(self.document.get("timestamp"))
        if self.day and (at is None or self.row.many):
            return self.day
        return str(note.fields["created"] if at is None else format_instant(at))[:10]


class LayoutImporter:
    """Imports the files of one folder. By its `name` a repeated import finds the entries that came
    from it. `project` is that of every entry; with None each keeps its own. `links` are those that
    are in a file of links, by the id from which they lead; `places` those of new entries, by the
    key by which names are compared."""

    layout: ClassVar[Layout]

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
        self.ids: set[str] = set()
        self.renamed: dict[str, str] = {}
        self.targets: list[str] = []
        self.links: dict[str, Links] = {}
        self._met: set[object] = set()
        self._seen: list[str] = []
        self.places: dict[str, str] = {}
        self._held: list[tuple[Incoming, Entry | None]] = []

    def run(self, files: Iterable[tuple[str, bytes]]) -> Imported:
        """Import files by their names in the folder, in the layout's reading order."""
        for path, raw in files:
            row = self.layout.row_at(path)
            if row is not None:
                self.import_file(row, path, raw)
            elif self.layout.passes_over(path):
                self.done.passed_over.append((clean_text(self.store, path), NO_PART, 1))
            self.intake.flush_full()
        self.finish()
        return self.done

    def import_file(self, row: LayoutRow, path: str, raw: bytes) -> None:
        """Import the documents of one file, those that may cite others at the end."""
        for document in self.read(row, path, raw):
            with self.intake.telling(document.label):
                key = (document.given, digest(document.document, 64))
                if key in self._met:
                    self.done.count(UNCHANGED)
                    continue
                self._met.add(key)
                there = self.identify(document)
                if document.row.form:  # it may cite others, whose ids are not known yet
                    self._held.append((document, there))
                else:
                    self.import_document(document, there)
            self.intake.flush_full()

    def read(self, row: LayoutRow, path: str, raw: bytes) -> Iterator[Incoming]:
        """Yield the documents of a file, without secrets, and the shape of a file of many if that
        of a new file is another; report what can't be read."""
        at = self.intake.terms.date_of(path)
        path = clean_text(self.store, path)  # reports and entries contain it
        with self.open_block(row, path):
            if row.operator_only and self.actor.trust != OPERATOR:
                self.done.withheld.append(path)
                raise UsageError("left where it is: only the operator takes it in")
            for number, item in enumerate(read_file(row, raw), 1):
                label = path if row.is_markdown or row.kind == KEPT else f"{path}: item {number}"
                with self.open_block(row, label):
                    document = self.open_document(row, path, item, at)
                    if row.prepare is None or row.prepare(self, document):
                        yield document
        with suppress(EngrainError):  # it was reported when the documents were read
            if (shape := row.find_shape(raw)) is not None:
                with self.intake.telling(path):
                    yield self.open_document(self.layout.row_of(KEPT), path, {"shape": shape}, at)

    def open_document(self, row: LayoutRow, path: str, item: object, at: float | None) -> Incoming:
        """Return an item of a file as a document, without secrets. Raises MalformedError."""
        document = check_document(item)
        if row.kind == KEPT:
            row = self.layout.row_of(KEPT)
            document = {"layout": self.layout.name, "path": path, **document}
        redaction = Redaction(self.store)
        cleaned = redaction.clean_values(document)
        self.done.redacted += bool(redaction.rules)
        return Incoming(self.layout, row, self.name, path, cleaned, at)

    def open_block(self, row: LayoutRow, label: str) -> Telling:
        """Return a block in which what a label names is read; a document of entries is counted."""
        return Telling(self.done.report, label, None if row.kind == LINK else self.done.count)

    def finish(self) -> None:
        """Import the documents that waited for ids, and update what depends on the entries."""
        for document, there in self._held:
            with self.intake.telling(document.label):
                document.rename(self.renamed)
                self.import_document(document, there)
            self.intake.flush_full()
        self.intake.flush()
        self.store.upkeep.flush()
        acting = self.store.acting_as(self.actor)
        for start, links in self.links.items():
            for to, relation in links:
                with Telling(self.done.report, f"link {start} {relation} {to}"):
                    one, other = (self.renamed.get(end, end) for end in (start, to))
                    link_entries(acting, one, other, relation, mirrored=True)
        mend_inverses(acting, self._seen)
        draw_entries(acting, self._seen)
        known = {to: self.store.find_exact(to) is not None for to in set(self.targets)}
        self.done.links = len(self.targets)
        self.done.broken = sum(not known[to] for to in self.targets)

    def knows(self, id_: str) -> bool:
        """Whether a document was imported with this id, or an entry has it."""
        return id_ in self.ids or self.store.find_exact(id_) is not None

    def identify(self, document: Incoming) -> Entry | None:
        """Choose the id of a document here, and return the entry that it already is, if any. Raises
        ConflictError if other entries have every id that it could get."""
        if fixed := document.row.fixed:
            document.place = fixed(document.document, document.path, self.project)
            return self._identify_by_place(document)
        given = document.given
        endings = (slugify(self.name, self.layout.name), digest(document.document, 8))
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

    def _identify_by_place(self, document: Incoming) -> Entry | None:
        place = make_locator(document.place)
        if place in self.ids:
            raise ConflictError("another file came to its place before it")
        self.ids.add(place)
        try:
            there = self.store.read_entry(place)
        except NotFoundError:
            if not document.row.ids:
                document.id = make_id(self.store.clock.now(), self.store.entropy.draw(10))
            elif self.knows(document.given):
                document.id = f"{document.given}-{digest(document.document, 8)}"
            self.ids.add(document.id)
            return None
        document.id = there.id
        return there

    def came_by(self, there: Entry, document: Incoming) -> bool:
        """Whether an earlier import of the same source created this entry."""
        source = (there.source.get("kind"), there.source.get("ref"))
        return source == (self.layout.name, document.ref)

    def is_same(self, there: Entry, document: Incoming) -> bool:
        """Whether an entry came from this document, or has the same content."""
        if document.row.find_kind is None and there.kind != document.kind:
            return False
        same = self.came_by(there, document)
        return same or self.spell(document, there) == self.spell(document)

    def spell(self, document: Incoming, entry: Entry | None = None) -> str:
        """Return the content of a document, or of the entry that it may be, without links and use,
        in a normal form."""
        form, said = document.row.form, document.document
        if entry is None and form:
            entry = as_entry(*compose_document(form, said, document.id))
        if entry is not None:
            dated = "created" in said
            said = describe_entry(self.layout, document.row, entry)
            if not dated:
                said.pop("created", None)  # the import dates what has no date
        return self.layout.spell(said)

    def import_document(self, document: Incoming, there: Entry | None) -> None:
        """Create the entry of a document, or update the entry that was found for it."""
        self._seen.append(document.id)
        label = document.label
        written = written_links(there.fields.get("links") if there else None)
        said = ((str(link["to"]), str(link.get("relation"))) for link in document.links)
        self.targets += [to for to, _ in dict.fromkeys((*said, *written))]
        if there is None:
            self.create(document)
            return
        if self.intake.stays_deleted(label, there):
            return

        def recall_before() -> str | None:
            last = last_taken_in(self.store, there)
            return None if last is None else self.spell(document, last)

        here, wanted = self.spell(document, there), self.spell(document)
        faded = document.status != ACTIVE == there.status  # it has faded there, but is used here
        renews = not faded and (
            there.note.body == document.row.blank
            or self.intake.renews(label, there, here, wanted, recall_before)
        )
        note = None
        if renews:
            dated = {"created"} & document.document.keys()
            kept = {key: there.fields[key] for key in _KEPT if key in there.fields.keys() - dated}
            gone = [key for key in _COUNTED if key not in there.fields]
            note = self.compose(document, there)
            if document.row.blank is None:
                note = drop_slug(note.patch(kept, gone), there.path)
        self.intake.update_existing(
            label,
            there,
            note,
            came_by_it=self.came_by(there, document),
            same=renews or here == wanted,
            status=document.status,
        )

    def compose(self, document: Incoming, there: Entry | None) -> Note:
        """Return the note of a document, with the links of the entry that it replaces. Raises
        UsageError, MalformedError."""
        links = {(str(link["to"]), str(link.get("relation"))): link for link in document.links}
        further = {}
        for (to, relation), link in self.links.pop(document.given, {}).items():
            to = self.renamed.get(to, to)
            further[to, relation] = {**link, "to": to}
        self.targets += [to for to, _ in further.keys() - links.keys()]
        links = further | links
        links = links | written_links(there.fields.get("links") if there else None) | links
        more: dict[str, Value] = {
            "links": [dict(link) for link in links.values()],
            "derived_from": [*dict.fromkeys(one for one in document.sources if self.knows(one))],
            "project": self.project or (there.project if there and there.project else None),
        }
        more = {key: value for key, value in more.items() if value}
        note = document.compose(self.actor, self.store.clock.now(), more)
        check_size(note)
        return note

    def create(self, document: Incoming) -> None:
        """Create a document's entry at the first of its paths that is free. Raises ConflictError if
        none is."""
        note = self.compose(document, None)
        for path in document.places(note, self.actor.trust == OPERATOR):
            place = make_locator(path)
            if fold(place) not in self.places and is_free(self.store, place):
                break
        else:
            raise ConflictError(f"no free name for {document.id}", path=path)
        note = drop_slug(note, place)
        entry = read_entry(place, note.raw)
        self.places[fold(place)] = place
        renamed = not document.place and document.id != document.given
        write = Write(place, note.raw, entry.id)
        added = self.intake.batches.add(document.label, SIMILAR if renamed else CREATED, write)
        if added and renamed:
            notice = f"another entry is {document.given!r} here: taken in as {document.id!r}"
            self.done.report(document.label, notice)


_COUNTED = ("recall_count", "last_recalled", "sessions_since_recall", "weight")
_KEPT = (
    "id", "slug", "kind", "status", "project", "created", "filed", "always_load", "pinned",
    "claimed_by", "claimed_at", *_COUNTED,
)  # fmt: skip
"""Fields of an entry here that its document never changes, but for a date that it says."""
