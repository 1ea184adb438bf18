"""`export --format loki`: writes what the vault learned from experience as loki's JSON files."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engrain.engine.core.store import Store
from engrain.interchange.exporting import Export, File
from engrain.language.text.instants import format_instant
from engrain.model.interchange.documents import stem_of
from engrain.model.interchange.loki.layout import (
    CONTINUITY,
    HANDOFFS,
    INDEX,
    LEDGERS,
    LINKS,
    LISTS,
    SKILLS,
    STATUSES,
    day_file,
    day_folder,
)
from engrain.model.interchange.loki.notes import (
    KINDS,
    describe_entry,
    describe_skill,
    skill_stem,
    write_skill,
)
from engrain.model.links.link import links_of_its_own
from engrain.model.note.documents import text_of, write_json
from engrain.model.note.entry import Entry
from engrain.model.note.tiers import ARCHIVE, LIVE, WORKING
from engrain.seam.derived import Progress
from engrain.seam.rows import Filter, Row


class LokiExport(Export):
    """An export that counts documents by kind."""

    only = Filter(kinds=KINDS, statuses=STATUSES, zones=(LIVE, WORKING, ARCHIVE))

    def __init__(
        self, store: Store, project: str | None = None, progress: Progress | None = None
    ) -> None:
        super().__init__(store, project, progress)
        self._lists: dict[str, list[dict[str, Any]]] = {kind: [] for kind in LISTS.values()}
        self._learned: dict[str, list[dict[str, Any]]] = {}
        self._continuity: list[Entry] = []
        self._links: list[dict[str, Any]] = []
        self._days: dict[str, list[dict[str, Any]]] = {}

    def order(self, row: Row) -> tuple[str, float, str]:
        """Sources before what cites them, each kind by time."""
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
    """The day under which an entry is filed, "" where that is unknown."""
    day = entry.path.split("/")[-2]
    digits = day.replace("-", "")
    if len(day) == 10 and digits.isascii() and digits.isdigit():
        return day
    return "" if entry.created is None else format_instant(entry.created)[:10]
