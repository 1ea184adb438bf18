"""`import --format living`: the notes of a living memory, each with its id, its use and its weight.

Importing again leaves what is the same and renews what only changed there; how often a memory was
used, and whether it faded, is this vault's affair from then on. An id that another entry has is
never taken from it. What can't be read is told and stops nothing.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from engrain.engine.core.attesting import OPERATOR
from engrain.engine.core.moving import is_free
from engrain.engine.core.outcomes import CREATED, SIMILAR, UNCHANGED, Imported
from engrain.engine.core.redaction import Redaction, clean_text
from engrain.engine.core.store import Store
from engrain.engine.links.linking import mend_inverses
from engrain.engine.verbs.intake import Intake, Terms
from engrain.engine.verbs.save import check_size, stamp_source
from engrain.interchange.layouts.renewal import last_taken_in
from engrain.language.text.folding import fold
from engrain.language.text.instants import format_instant
from engrain.language.text.slugs import safe_component, slugify
from engrain.model.errors import ConflictError, EngrainError
from engrain.model.interchange.layouts.living import (
    SOURCE,
    Incoming,
    folder_at,
    substance,
    write_document,
)
from engrain.model.interchange.loki.layout import digest
from engrain.model.links.link import written_links
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.field import Value
from engrain.model.note.kinds import kind_of
from engrain.model.note.note import COUNTERS, Note, compose_note, split_note
from engrain.model.note.tiers import ACTIVE, Naming, archive_folder
from engrain.seam.locator import Locator, make_locator
from engrain.seam.storage import Write

_USE = tuple(key for key in COUNTERS if key != "updated")
_KEPT = ("id", "slug", "kind", "status", "project", "always_load", "pinned", *_USE)
"""Fields that tell what became of an entry here; its tree has no say in them."""


def import_living(
    store: Store,
    files: Iterable[tuple[str, bytes]],
    name: str,
    project: str | None = None,
    terms: Terms | None = None,
) -> Imported:
    """Take in the files of one folder, by their names in it. `name` is what the folder is known by:
    under it importing again finds what came from it. `project` is that of every entry; None leaves
    it to each."""
    store.require_index(scan=True)
    return _Import(store, name, project, terms or Terms()).run(files)


class _Import:
    def __init__(self, store: Store, name: str, project: str | None, terms: Terms) -> None:
        self.store = store = store.as_one_change()
        self.name = clean_text(store, name)
        self.project = project
        self.intake = Intake(store, self.name, terms)
        self.actor = self.intake.actor
        self.done = self.intake.done
        self.renamed: dict[str, str] = {}
        self.ids: set[str] = set()
        self.said: set[tuple[str, str]] = set()
        self.places: set[str] = set()
        self.targets: list[str] = []

    def run(self, files: Iterable[tuple[str, bytes]]) -> Imported:
        # What links to others waits until it is known what those are called.
        held: list[tuple[Incoming, Entry | None]] = []
        for path, raw in files:
            label = clean_text(self.store, path)  # it is told, and names what came from it
            if folder_at(label):
                with self.intake.telling(label):
                    held += self._read(path, label, raw)
        for incoming, there in held:
            with self.intake.telling(incoming.name):
                self._take(incoming, there)
            self.intake.flush_full()
        self.intake.flush()
        self._join()
        return self.done

    def _read(self, path: str, label: str, raw: bytes) -> Iterator[tuple[Incoming, Entry | None]]:
        redaction = Redaction(self.store)
        note = redaction.clean_note(split_note(raw))
        self.done.redacted += bool(redaction.rules)
        incoming = Incoming(label, self.name, note, self.intake.terms.date_of(path))
        said = (incoming.given, self._substance(incoming, self._as_entry(incoming)))
        if said in self.said:
            self.done.count(UNCHANGED)  # the same note stands there twice
            return
        self.said.add(said)
        yield incoming, self._identify(incoming)

    def _identify(self, incoming: Incoming) -> Entry | None:
        """Decide the id that a note has here; the entry that is it already, if one is. Raises
        ConflictError where others have all that it could get."""
        given = incoming.given
        endings = (slugify(self.name, SOURCE), digest([incoming.name, incoming.body], 8))
        for id_ in (given, *(f"{given}-{ending}" for ending in endings)):
            if id_ in self.ids:
                continue
            row = self.store.find_exact(id_)
            there = None if row is None else self._read_there(row.locator, id_)
            incoming.id = id_
            if row is None or (there is not None and self._is(there, incoming)):
                self.ids.add(id_)
                self.renamed.setdefault(given, id_)
                return there
        raise ConflictError(f"other entries have its id {given!r} and all that it could get")

    def _read_there(self, place: Locator, id_: str) -> Entry | None:
        try:
            entry = self.store.read_entry(place)
        except EngrainError:
            return None
        return entry if entry.id == id_ else None

    def _is(self, there: Entry, incoming: Incoming) -> bool:
        """Whether an entry is this note: it came from it, or says the same."""
        if self._came_by_it(there, incoming):
            return True
        new = self._as_entry(incoming)
        return self._substance(incoming, there) == self._substance(incoming, new)

    def _take(self, incoming: Incoming, there: Entry | None) -> None:
        new = self._as_entry(incoming, there)
        self.targets += [to for to, _ in new.links]
        if there is None:
            self._create(incoming, new.note)
            return
        label = incoming.name
        if self.intake.stays_deleted(label, there):
            return

        def recall_before() -> str | None:
            last = last_taken_in(self.store, there)
            return None if last is None else self._substance(incoming, last)

        here, wanted = self._substance(incoming, there), self._substance(incoming, new)
        faded = incoming.status != ACTIVE == there.status
        note = None
        if not faded and self.intake.renews(label, there, here, wanted, recall_before):
            kept = {key: there.fields[key] for key in _KEPT if key in there.fields}
            gone = [key for key in _USE if key not in there.fields]
            note = new.note.patch(kept, gone)
        self.intake.settle(
            label,
            there,
            note,
            came_by_it=self._came_by_it(there, incoming),
            same=note is not None or here == wanted,
            status=incoming.status,
        )

    def _came_by_it(self, there: Entry, incoming: Incoming) -> bool:
        source = there.source
        return (source.get("kind"), source.get("ref")) == (SOURCE, self._ref(incoming))

    def _create(self, incoming: Incoming, note: Note) -> None:
        row = kind_of(incoming.kind)
        trusted = self.actor.trust == OPERATOR
        folder = (trusted and row.operator_folder) or row.folder
        if incoming.status != ACTIVE:
            folder = archive_folder(f"{folder}/file")
        stem = safe_component(incoming.stem)
        if not Naming(folder).admits(f"{stem}.md"):
            stem = slugify(stem, "memory")
        for name in (stem, f"{stem}--{digest(incoming.id, 8)}"):
            place = make_locator(f"{folder}/{name}.md")
            if fold(place) not in self.places and is_free(self.store, place):
                break
        else:
            raise ConflictError(f"no free name for {incoming.id}", path=place)
        read_entry(place, note.raw)
        self.places.add(fold(place))
        outcome = CREATED if incoming.id == incoming.given else SIMILAR
        write = Write(place, note.raw, incoming.id)
        if self.intake.batches.add(incoming.name, outcome, write, None) and outcome == SIMILAR:
            told = f"another entry is {incoming.given!r} here: taken in as {incoming.id!r}"
            self.done.tell(incoming.name, told)

    def _as_entry(self, incoming: Incoming, there: Entry | None = None) -> Entry:
        """The entry that a note makes, with the links of the one that it is to replace."""
        links: dict[tuple[str, str], dict[str, Value]] = {}
        for said, relation in incoming.links:
            to = self.renamed.get(said, said)
            links[to, relation] = {"to": to, "relation": relation}
        for end, link in written_links(there.fields.get("links") if there else None).items():
            links.setdefault(end, link)
        fields: dict[str, Value] = {
            "id": incoming.id,
            "kind": incoming.kind,
            "status": incoming.status,
            **incoming.fields,
            "updated": format_instant(self.store.clock.now()),
            "source": stamp_source(self.actor, SOURCE, self._ref(incoming)),
        }
        if self.project is not None:
            fields["project"] = self.project
        if links:
            fields["links"] = [*links.values()]
        note = compose_note(fields, incoming.body)
        check_size(note)
        return Entry(f"Memory/{incoming.stem}.md", note, "")

    def _ref(self, incoming: Incoming) -> str:
        return f"{self.name}#{incoming.given}"  # notes of that layout move from folder to folder

    def _substance(self, incoming: Incoming, entry: Entry) -> str:
        return substance(write_document(entry, incoming.name, None))

    def _join(self) -> None:
        """Put inverses of links in step."""
        self.store.upkeep.flush()
        mend_inverses(self.store.acting_as(self.actor), sorted(self.ids))
        there = {to: self.store.find_exact(to) is not None for to in set(self.targets)}
        self.done.links = len(self.targets)
        self.done.broken = sum(not there[to] for to in self.targets)
