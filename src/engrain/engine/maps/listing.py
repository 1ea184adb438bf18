"""What the maps of contents list: the entries of each tier and of each project (S1.8)."""

from __future__ import annotations

from collections.abc import Iterable

from engrain.engine.core.store import Store
from engrain.language.text.lines import shorten
from engrain.language.text.slugs import slugify
from engrain.model.errors import EngrainError
from engrain.model.graph.pages import Item, find_gist
from engrain.model.note.tiers import ACTIVE, LIVE, PROJECTS, SUPERSEDED, project_of
from engrain.seam.rows import COUNTED, Filter, Row

_LISTED = Filter(statuses=(ACTIVE, SUPERSEDED), zones=(LIVE,), successions=COUNTED)
_GIST = 240
"""Characters of what an entry is about that are held till its line is written."""
_RECORDS = ".json"


class Listed:
    """The entries that maps list: those of each tier, and those of each project by the folder of
    its map. What a record of JSON is, is only counted."""

    def __init__(self, store: Store) -> None:
        self.count = 0
        self.shared: list[Item] = []
        self.own: list[Item] = []
        self.projects: dict[str, list[Item]] = {}
        self.records: dict[str, int] = {}
        rows = sorted(store.index.find(_LISTED), key=lambda row: row.locator)
        folders = _find_folders(rows)
        for row in rows:
            if row.locator.endswith(_RECORDS):
                self.records[row.kind] = self.records.get(row.kind, 0) + 1
                continue
            item = _read(store, row)
            self.count += 1
            if row.project:
                self.projects.setdefault(folders[_key(row.project)], []).append(item)
            if row.tier == "T3":
                self.own.append(item)
            elif project_of(row.locator) is None:
                self.shared.append(item)


def _find_folders(rows: Iterable[Row]) -> dict[str, str]:
    """The folder of each project's map, by the project's slug: the one that it has, if any."""
    folders: dict[str, str] = {}
    for row in rows:
        if row.project:
            key = _key(row.project)
            folders.setdefault(key, f"{PROJECTS}/{key}")
            if row.locator.startswith(f"{PROJECTS}/{row.project}/"):
                folders[key] = f"{PROJECTS}/{row.project}"
    return folders


def _key(project: str) -> str:
    return slugify(project, "project")


def _read(store: Store, row: Row) -> Item:
    """An entry as a map tells it; one that can't be read just now, as the index has it."""
    gist = ""
    try:
        entry = store.read_entry(row.locator)
        gist = shorten(find_gist(entry.fields, entry.text), _GIST)
    except EngrainError:
        pass  # `doctor` tells what can't be read
    status = row.status_for(COUNTED)
    return Item(row.locator, row.title, row.kind, status, row.project or "", row.tags, gist)
