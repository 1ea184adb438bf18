"""Import a `.loki/memory` folder, every document with its id, and export the vault's experience as
loki's JSON files."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from engrain.engine.core.moving import is_free
from engrain.engine.core.outcomes import CREATED
from engrain.engine.core.redaction import Redaction, clean_text
from engrain.engine.core.store import Store
from engrain.engine.indexes import write_episode_index
from engrain.engine.links.linking import link_entries
from engrain.engine.verbs.intake import DELETED, Telling
from engrain.engine.verbs.save import compose_new, stamp_source
from engrain.interchange.importing import DocumentImporter, Export, File
from engrain.interchange.loki_document import SOURCE, IncomingDocument
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_instant
from engrain.model.errors import ConflictError, MalformedError, UsageError
from engrain.model.experience.reading import read_episode
from engrain.model.interchange.documents import check_document, digest, stem_of
from engrain.model.interchange.loki import (
    CONTINUITY,
    HANDOFFS,
    INDEX,
    KINDS,
    LEDGERS,
    LINK,
    LINKS,
    LISTS,
    SKILLS,
    STATUSES,
    day_file,
    day_folder,
    describe_entry,
    describe_skill,
    kind_at,
    read_items,
    read_skill,
    skill_stem,
    spell,
    write_skill,
)
from engrain.model.links.link import links_of_its_own, written_links
from engrain.model.note.documents import text_of, write_json
from engrain.model.note.entry import Entry
from engrain.model.note.note import Note, split_note
from engrain.model.note.tiers import ARCHIVE, LIVE, OPERATOR, WORKING, kind_of
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Filter, Row
from engrain.seam.storage import Write


class LokiImporter(DocumentImporter[IncomingDocument]):
    """Imports the files of one `.loki/memory` folder."""

    layout = SOURCE
    kept = (
        "id", "slug", "created", "filed", "status", "always_load", "pinned", "recall_count",
        "last_recalled", "sessions_since_recall", "weight", "claimed_by", "claimed_at",
    )  # fmt: skip

    def prepare(self) -> None:
        super().prepare()
        self.links: dict[str, dict[tuple[str, str], dict[str, Any]]] = {}
        """The links of `links.json` by id, then by target and relation."""
        self.days: set[str] = set()

    def take_file(self, path: str, raw: bytes) -> None:
        if kind_at(path) != "continuity":
            super().take_file(path, raw)
            return
        with self.intake.telling(path):
            self._take_continuity(path, raw)

    def _take_continuity(self, path: str, raw: bytes) -> None:
        """Import working memory, which belongs to the operator and exists once in a project."""
        if self.actor.trust != OPERATOR or not self.project:
            self.done.withheld.append(path)
            raise UsageError("left where it is: only the operator takes it in, for one --project")
        folder = kind_of(kind_at(path)).folder.format(project=slugify(self.project, "project"))
        place = make_locator(f"{folder}/{CONTINUITY}")
        note = compose_new(
            self.store,
            {"kind": kind_at(path), "project": self.project},
            clean_text(self.store, split_note(raw).body),
            stamp_source(self.actor, SOURCE, f"{self.name}/{path}"),
        )
        if is_free(self.store, place):
            id_ = str(note.fields["id"])
            self.intake.batches.add(path, CREATED, Write(place, note.raw, id_))
            return
        there = self.store.read_entry(place)
        if self.intake.stays_deleted(path, there):
            return
        same = there.note.body == note.body
        if not same and there.status != DELETED:
            raise ConflictError("the project has one here, which stays as it is")
        self.intake.settle(path, there, None, came_by_it=True, same=same)

    def read(self, path: str, raw: bytes) -> Iterator[IncomingDocument]:
        kind, at = kind_at(path), self.intake.terms.date_of(path)
        path = clean_text(self.store, path)  # reports and entries contain it
        count = None if kind == LINK else self.done.count
        with Telling(self.done.tell, path, count):
            if kind == "procedural":
                document = check_document(self._clean(read_skill(raw)))
                yield IncomingDocument(kind, self.name, path, document, at)
                return
            for number, item in enumerate(read_items(path, raw), 1):
                with Telling(self.done.tell, f"{path}: item {number}", count):
                    document = self._clean(check_document(item))
                    if kind == LINK:
                        self._take_link(document)
                        continue
                    incoming = IncomingDocument(kind, self.name, path, document, at)
                    if kind == "episode":
                        self._mend_episode(incoming)
                    yield incoming

    def _clean(self, document: dict[str, Any]) -> dict[str, Any]:
        redaction = Redaction(self.store)
        cleaned = redaction.clean_values(document)
        self.done.redacted += bool(redaction.rules)
        return cleaned

    def _take_link(self, link: dict[str, Any]) -> None:
        start, to = link.get("from"), link.get("to")
        relation = link.get("relation", "related_to")
        if not (isinstance(start, str) and isinstance(to, str) and isinstance(relation, str)):
            raise MalformedError("a link has `from`, `to` and `relation`", reason="json")
        if not start or not to:
            raise MalformedError("a link from nothing or to nothing", reason="json")
        self.links.setdefault(start, {})[(to, relation)] = {"to": to, "relation": relation}

    def _mend_episode(self, incoming: IncomingDocument) -> None:
        """Keep the valid parts of an episode that is not as loki writes them."""
        reading = read_episode(incoming.document, self.store.clock.now())
        wrong = [line for line in reading.faults if "is no field of an episode" not in line]
        log = incoming.document.get("action_log") or []
        if not wrong and not reading.omitted:
            times = [action.get("t", 0) for action in log]
            if times == sorted(times):
                return
        if reading.omitted:
            incoming.own["omitted"] = {**reading.omitted}
        incoming.document |= reading.document
        if wrong:
            self.done.tell(incoming.label, "taken in, but " + "; ".join(wrong))

    def key_of(self, document: IncomingDocument) -> object:
        return document.kind, digest(document.document, 64)

    def spell(self, document: IncomingDocument) -> str:
        return spell(document.as_here())

    def spell_entry(self, _document: IncomingDocument, entry: Entry) -> str:
        return spell(describe_entry(entry))

    def is_same(self, there: Entry, document: IncomingDocument) -> bool:
        return there.kind == document.kind and super().is_same(there, document)

    def identify(self, document: IncomingDocument) -> Entry | None:
        """Choose the id; a ledger is identified by its agent, who has only one."""
        if document.kind != "ledger":
            return super().identify(document)
        place = make_locator(document.ledger_place)
        if place in self.ids:
            raise ConflictError("another ledger of its agent came before it")
        self.ids.add(place)
        if is_free(self.store, place):
            if self._knows(document.given):
                document.id = f"{document.given}-{document.digest}"
            self.ids.add(document.id)
            return None
        there = self.store.read_entry(place)
        if self.is_same(there, document):
            return there
        raise ConflictError("its agent has a ledger here, which stays as it is")

    def _knows(self, id_: str) -> bool:
        """Whether a document was imported with this id, or an entry has it."""
        return id_ in self.ids or self.store.find_exact(id_) is not None

    def repair(self, document: IncomingDocument, there: Entry) -> Note | None:
        if there.confidence == 0.0 and document.has_no_confidence:
            return there.note.patch({}, ["confidence"])  # an older version took none for 0
        return None

    def create(self, document: IncomingDocument) -> Locator | None:
        place = super().create(document)
        if place and document.kind == "episode":
            self.days.add(place.split("/")[-2])
        return place

    def places_of(self, document: IncomingDocument, note: Note) -> Sequence[str]:
        return document.places(note)

    def compose(self, document: IncomingDocument, there: Entry | None) -> Note:
        links = self._links_of(document, there)
        sources = [self.renamed.get(source, source) for source in document.sources]
        project = self.project
        if project is None and there is not None and there.project:
            project = there.project
        return document.compose(
            self.actor,
            self.store.clock.now(),
            project=project,
            derived_from=list(dict.fromkeys(filter(self._knows, sources))),
            links=links,
        )

    def _links_of(self, document: IncomingDocument, there: Entry | None) -> list[dict[str, Any]]:
        """Return the links of a document, its links in `links.json`, and those of the entry that it
        replaces."""
        links = {(str(link["to"]), str(link.get("relation"))): link for link in document.links}
        for (to, relation), link in self.links.pop(document.given, {}).items():
            to = self.renamed.get(to, to)
            links.setdefault((to, relation), {**link, "to": to})
        self.targets += [to for to, _ in links]
        for end, link in written_links(there.fields.get("links") if there else None).items():
            links.setdefault(end, link)
        return list(links.values())

    def add_links(self, store: Store) -> None:
        for start, links in self.links.items():
            for to, relation in links:
                with Telling(self.done.tell, f"link {start} {relation} {to}"):
                    one, other = (self.renamed.get(end, end) for end in (start, to))
                    link_entries(store, one, other, relation, mirrored=True)

    def finish(self) -> None:
        super().finish()
        if self.days:
            write_episode_index(self.store, self.days)


class LokiExport(Export):
    """An export that counts documents by kind."""

    only = Filter(kinds=KINDS, statuses=STATUSES, zones=(LIVE, WORKING, ARCHIVE))

    def prepare(self) -> None:
        self._lists: dict[str, list[dict[str, Any]]] = {kind: [] for kind in LISTS.values()}
        self._learned: dict[str, list[dict[str, Any]]] = {}
        self._continuity: list[Entry] = []
        self._links: list[dict[str, Any]] = []
        self._days: dict[str, list[dict[str, Any]]] = {}

    def order(self, row: Row) -> tuple[str, float, str]:
        """Sort by kind, which puts sources before entries that cite them, then by time."""
        return row.kind, row.created or 0.0, row.id

    def write(self, entry: Entry) -> Iterator[File]:
        if entry.status == "archived" and entry.path.endswith(".md"):
            why = f"archived as a summary: `engrain restore {entry.id}` brings it back"
            self.left_out.append((entry.path, why))
            return
        if entry.kind == "continuity":
            self._continuity.append(entry)
            return
        document = describe_entry(entry)
        self.count(entry.kind)
        links = [
            {"from": entry.id, "to": to, "relation": how}
            for to, how in links_of_its_own(entry.fields.get("links"))
        ]
        self._links += links
        if links:
            self.count("link", len(links))
        if entry.kind in self._lists:
            self._lists[entry.kind].append(document)
        elif entry.kind == "learning":
            self._learned.setdefault(day_file(_day(entry)), []).append(document)
        elif entry.kind == "procedural":
            name = self.names.take(SKILLS, skill_stem(entry), ".md")
            yield name, write_skill(describe_skill(entry, stem_of(name)))
        else:
            yield self._name_record(entry), write_json(document)

    def end(self) -> Iterator[File]:
        found = self._continuity
        wanted = self.project or (found[0].project if len(found) == 1 else self.store.project)
        for entry in found:
            if entry.project == wanted:
                self.counts["continuity"] = 1
                yield CONTINUITY, entry.note.body.encode()
            else:
                why = f"the layout has one {CONTINUITY}: name its project with --project"
                self.left_out.append((entry.path, why))
        yield from ((name, write_json(documents)) for name, documents in self._learned.items())
        yield from ((name, write_json(self._lists[kind])) for name, kind in LISTS.items())
        yield LINKS, write_json(self._links)
        yield INDEX, write_json({"_generated": "by engrain export", "days": self._days})

    def _name_record(self, entry: Entry) -> str:
        if entry.kind == "episode":
            day = _day(entry)
            name = self.names.take(day_folder(day), entry.id, ".json")
            outcome = text_of(getattr(entry.note, "document", {}).get("outcome"))
            said = {"id": entry.id, "goal": entry.title, "outcome": outcome, "file": name}
            self._days.setdefault(day or "undated", []).append(said)
            return name
        if entry.kind == "ledger":
            return self.names.take(LEDGERS, stem_of(entry.path), ".json")
        return self.names.take(HANDOFFS, entry.id, ".json")


def _day(entry: Entry) -> str:
    """Return the day of an entry's folder, else of its creation, "" if both are unknown."""
    day = entry.path.split("/")[-2]
    digits = day.replace("-", "")
    if len(day) == 10 and digits.isascii() and digits.isdigit():
        return day
    return "" if entry.created is None else format_instant(entry.created)[:10]
