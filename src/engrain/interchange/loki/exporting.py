"""`export --format loki`: what the vault knows from experience, as loki's folders and JSON
files (DESIGN section 14)."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from engrain.engine.core.store import Store
from engrain.engine.verbs.exporting import Export
from engrain.language.text.instants import format_instant
from engrain.model.interchange.loki.entries import KINDS, describe_entry
from engrain.model.interchange.loki.layout import (
    CONTINUITY,
    HANDOFFS,
    INDEX,
    LEDGERS,
    LINKS,
    LISTS,
    SKILLS,
    day_file,
    day_folder,
    stem_of,
)
from engrain.model.interchange.loki.own import STATUSES
from engrain.model.interchange.loki.skills import describe_skill, skill_stem, write_skill
from engrain.model.links.link import links_of_its_own
from engrain.model.note.documents import text_of, write_json
from engrain.model.note.entry import Entry
from engrain.model.note.tiers import ARCHIVE, LIVE, WORKING
from engrain.seam.derived import Progress
from engrain.seam.rows import Filter, Row


class LokiExport(Export):
    """One export: its `files`, and when they were all taken, how many of what they hold (`counts`,
    by kind) and what is not among them and why (`left_out`)."""

    def __init__(
        self, store: Store, project: str | None = None, progress: Progress | None = None
    ) -> None:
        super().__init__(store, project, progress)
        self._links: list[dict[str, Any]] = []
        self._days: dict[str, list[dict[str, Any]]] = {}

    def files(self) -> Iterator[tuple[str, bytes]]:
        """Each file's name, with `/`, and its bytes. What can't be read is left out."""
        self._store.require_index(scan=True)
        rows = self._find()
        done = 0
        lists: dict[str, list[dict[str, Any]]] = {kind: [] for kind in LISTS.values()}
        learned: dict[str, list[dict[str, Any]]] = {}
        continuity: list[Entry] = []
        for row in rows:
            done += 1
            if self._progress:
                self._progress(done, len(rows))
            entry = self._read_whole(row)
            if entry is None:
                continue
            if entry.kind == "continuity":
                continuity.append(entry)
                continue
            document = describe_entry(entry)
            self._count_entry(entry)
            if entry.kind in lists:
                lists[entry.kind].append(document)
            elif entry.kind == "learning":
                learned.setdefault(day_file(_day(entry)), []).append(document)
            elif entry.kind == "procedural":
                name = self._names.take(SKILLS, skill_stem(entry), ".md")
                yield name, write_skill(describe_skill(entry, stem_of(name)))
            else:
                yield self._name_record(entry), write_json(document)
        yield from self._choose_continuity(continuity)
        yield from ((name, write_json(documents)) for name, documents in learned.items())
        yield from ((name, write_json(lists[kind])) for name, kind in LISTS.items())
        yield LINKS, write_json(self._links)
        yield INDEX, write_json({"_generated": "by engrain export", "days": self._days})

    def _find(self) -> list[Row]:
        """Sources before what cites them, each kind by time."""
        rows = self._store.index.find(
            Filter(
                kinds=KINDS,
                statuses=STATUSES,
                zones=(LIVE, WORKING, ARCHIVE),
                projects=self._projects,
            )
        )
        return sorted(rows, key=lambda row: (row.kind, row.created or 0.0, row.id))

    def _read_whole(self, row: Row) -> Entry | None:
        entry = self._read(row.locator)
        if entry and entry.status == "archived" and row.locator.endswith(".md"):
            why = f"archived as a summary: `engrain restore {row.id}` brings it back"
            self.left_out.append((row.locator, why))
            return None
        return entry

    def _count_entry(self, entry: Entry) -> None:
        self._count(entry.kind)
        links = [
            {"from": entry.id, "to": to, "relation": how}
            for to, how in links_of_its_own(entry.fields.get("links"))
        ]
        self._links += links
        if links:
            self._count("link", len(links))

    def _name_record(self, entry: Entry) -> str:
        if entry.kind == "episode":
            day = _day(entry)
            name = self._names.take(day_folder(day), entry.id, ".json")
            said = {"id": entry.id, "goal": entry.title, "outcome": _outcome(entry), "file": name}
            self._days.setdefault(day or "undated", []).append(said)
            return name
        if entry.kind == "ledger":
            return self._names.take(LEDGERS, stem_of(entry.path), ".json")
        return self._names.take(HANDOFFS, entry.id, ".json")

    def _choose_continuity(self, found: list[Entry]) -> Iterator[tuple[str, bytes]]:
        """The layout has one: that of the project that is named, else of the only one, else of the
        current one."""
        wanted = self._project or (found[0].project if len(found) == 1 else self._store.project)
        for entry in found:
            if entry.project == wanted:
                self.counts["continuity"] = 1
                yield CONTINUITY, entry.note.body.encode()
            else:
                why = f"the layout has one {CONTINUITY}: name its project with --project"
                self.left_out.append((entry.path, why))


def _day(entry: Entry) -> str:
    """The day under which an entry is filed, "" where it says none."""
    day = entry.path.split("/")[-2]
    digits = day.replace("-", "")
    if len(day) == 10 and digits.isascii() and digits.isdigit():
        return day
    return "" if entry.created is None else format_instant(entry.created)[:10]


def _outcome(entry: Entry) -> str:
    return text_of(getattr(entry.note, "document", {}).get("outcome"))
