"""Import a `.loki/memory` folder, every document with its id, and export the vault's experience as
loki's JSON files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engrain.engine.core.store import Store
from engrain.engine.indexes import write_episode_index
from engrain.engine.links.linking import link_entries
from engrain.engine.verbs.intake import Telling
from engrain.interchange.exporting import Export, File
from engrain.interchange.importing import Incoming, LayoutImporter
from engrain.model.errors import MalformedError
from engrain.model.experience.reading import read_episode
from engrain.model.interchange.documents import check_document
from engrain.model.interchange.loki import INDEX, LINK, LOKI
from engrain.model.interchange.table import STATUSES, LayoutRow, read_file
from engrain.model.links.link import links_of_its_own
from engrain.model.note.documents import text_of, write_json
from engrain.model.note.entry import Entry
from engrain.model.note.tiers import ARCHIVE, LIVE, WORKING
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator
from engrain.seam.rows import Filter, Row


class LokiImporter(LayoutImporter):
    """Imports the files of one `.loki/memory` folder."""

    layout = LOKI
    _links: dict[str, dict[tuple[str, str], dict[str, Any]]]
    """The links of `links.json` by id, then by target and relation."""
    _days: set[str]

    def take_file(self, row: LayoutRow, path: str, raw: bytes) -> None:
        if row.kind != LINK:
            super().take_file(row, path, raw)
            return
        with Telling(self.done.tell, path):
            for number, item in enumerate(read_file(row, raw)[0], 1):
                with Telling(self.done.tell, f"{path}: item {number}"):
                    self._take_link(self.clean(check_document(item)))

    def begin(self) -> None:
        self._links, self._days = {}, set()

    def _take_link(self, link: dict[str, Any]) -> None:
        start, to = link.get("from"), link.get("to")
        relation = link.get("relation", "related_to")
        if not (isinstance(start, str) and isinstance(to, str) and isinstance(relation, str)):
            raise MalformedError("a link has `from`, `to` and `relation`", reason="json")
        if not start or not to:
            raise MalformedError("a link from nothing or to nothing", reason="json")
        self._links.setdefault(start, {})[(to, relation)] = {"to": to, "relation": relation}

    def prepare(self, document: Incoming) -> Incoming:
        """Keep the valid parts of an episode that is not as loki writes them."""
        if document.kind != "episode":
            return document
        reading = read_episode(document.document, self.store.clock.now())
        wrong = [line for line in reading.faults if "is no field of an episode" not in line]
        times = [
            action.get("t", 0)
            for action in document.document.get("action_log") or []
            if isinstance(action, dict)
        ]
        if wrong or reading.omitted or times != sorted(times):
            if reading.omitted:
                document.own["omitted"] = {**reading.omitted}
            document.document |= reading.document
        if wrong:
            self.done.tell(document.label, "taken in, but " + "; ".join(wrong))
        return document

    def more_links(self, document: Incoming) -> dict[tuple[str, str], dict[str, Any]]:
        links = {}
        for (to, relation), link in self._links.pop(document.given, {}).items():
            to = self.renamed.get(to, to)
            links[to, relation] = {**link, "to": to}
        return links

    def create(self, document: Incoming) -> Locator | None:
        place = super().create(document)
        if place and document.kind == "episode":
            self._days.add(place.split("/")[-2])
        return place

    def add_links(self, store: Store) -> None:
        for start, links in self._links.items():
            for to, relation in links:
                with Telling(self.done.tell, f"link {start} {relation} {to}"):
                    one, other = (self.renamed.get(end, end) for end in (start, to))
                    link_entries(store, one, other, relation, mirrored=True)

    def finish(self) -> None:
        super().finish()
        if self._days:
            write_episode_index(self.store, self._days)


class LokiExport(Export):
    """An export that counts documents by kind."""

    layout = LOKI
    only = Filter(
        kinds=tuple(row.kind for row in LOKI.rows if row.kind != LINK),
        statuses=STATUSES,
        zones=(LIVE, WORKING, ARCHIVE),
    )

    def __init__(
        self, store: Store, project: str | None = None, progress: Progress | None = None
    ) -> None:
        super().__init__(store, project, progress)
        self._continuity: list[Entry] = []
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
        links = [
            {"from": entry.id, "to": to, "relation": how}
            for to, how in links_of_its_own(entry.fields.get("links"))
        ]
        if links:
            self.count(LINK, len(links))
            self._lists["semantic/links.json"][1].extend(links)
        yield from super().write(entry)

    def stem_of(self, entry: Entry) -> str:
        """Return the name of an entry's file; loki finds episodes by `task-` and their id."""
        stem = super().stem_of(entry)
        return f"task-{stem}" if entry.kind == "episode" else stem

    def name_of(self, row: LayoutRow, entry: Entry) -> str:
        name = super().name_of(row, entry)
        if row.kind == "episode":
            outcome = text_of(getattr(entry.note, "document", {}).get("outcome"))
            said = {"id": entry.id, "goal": entry.title, "outcome": outcome, "file": name}
            self._days.setdefault(name.split("/")[-2], []).append(said)
        return name

    def end(self) -> Iterator[File]:
        found = self._continuity
        wanted = self.project or (found[0].project if len(found) == 1 else self.store.project)
        for entry in found:
            if entry.project == wanted:
                yield from super().write(entry)
            else:
                why = "the layout has one CONTINUITY.md: name its project with --project"
                self.left_out.append((entry.path, why))
        yield INDEX, write_json({"_generated": "by engrain export", "days": self._days})
