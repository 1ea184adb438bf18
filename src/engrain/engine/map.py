"""Writes the maps of contents: `_index.md` at the vault's root, in `Memory/` and of each project,
with further pages where one would be too long (S1.8).

They are made from the active entries and written only when they would change. A map whose first
line a person removed is theirs.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from engrain.engine.core.store import Store, try_again
from engrain.language.text.lines import shorten
from engrain.language.text.slugs import slugify
from engrain.model.errors import EngrainError
from engrain.model.map_pages import (
    Item,
    Section,
    compose_link,
    compose_map,
    find_gist,
    is_generated_map,
    sections_of,
)
from engrain.model.note.ids import path_id
from engrain.model.note.tiers import (
    ACTIVE,
    LIVE,
    PROJECTS,
    SUPERSEDED,
    is_map,
    map_page,
    project_of,
)
from engrain.seam.locator import Locator
from engrain.seam.rows import COUNTED, Filter, Row
from engrain.seam.storage import Write, hash_of

_LISTED = Filter(statuses=(ACTIVE, SUPERSEDED), zones=(LIVE,), successions=COUNTED)
_GIST = 240
"""Characters of an entry's gist that are kept until its line is written."""
_BATCH = 64
"""Files that one commit writes, since they are held in memory."""
_MEMORY = "Memory"
_ROOT_HEADING, _MEMORY_HEADING = "Map of the vault", "Map of memory"
_ALL_PROJECTS = "_projects"
"""The key of the list of projects, which is no kind's slug."""


@dataclass(slots=True, eq=False)
class Maps:
    """The result of writing the maps: the number of `pages` and `entries`; the places `written` and
    `removed`, and those left alone: `kept`, which are not marked as generated, and `unreadable`."""

    entries: int
    pages: int = field(default=0, init=False)
    kept: list[str] = field(default_factory=list, init=False)
    unreadable: list[str] = field(default_factory=list, init=False)
    written: list[str] = field(default_factory=list, init=False)
    removed: list[str] = field(default_factory=list, init=False)

    @property
    def in_step(self) -> bool:
        """Whether nothing was, or would be, written or removed."""
        return not self.written and not self.removed


def write_maps(store: Store, *, begin: bool = True) -> Maps:
    """Update the maps, in one change unless they are very many. Without `begin` no first map is
    made. Raises IndexUnavailableError; ConflictError where others keep writing them."""

    def write() -> Maps:
        maps, writes = _plan(store, begin=begin)
        for start in range(0, len(writes), _BATCH):
            store.commit("map", writes[start : start + _BATCH])
        return maps

    return try_again(write, after=store.pause)


def list_maps(store: Store) -> list[Locator]:
    """List the maps that are still marked as generated, and their further pages."""
    found = []
    for place in sorted(filter(is_map, store.backend.others())):
        try:
            if is_generated_map(store.backend.read(place).raw):
                found.append(place)
        except EngrainError:
            continue  # it vanished just now, or can't be read
    return found


def check_maps(store: Store) -> Maps:
    """Return the result that `write_maps` would have; nothing is written. Raises
    IndexUnavailableError."""
    return _plan(store, begin=True)[0]


def _plan(store: Store, *, begin: bool) -> tuple[Maps, list[Write]]:
    store.require_index()
    before = {place for place in store.backend.others() if is_map(place)}
    if not begin and not before:
        return Maps(0), []
    listed = Listed(store)
    maps = Maps(listed.count)
    wanted: dict[Locator, bytes | None] = dict.fromkeys(before)
    wanted |= {place: text.encode() for place, text in _Composer(store, listed).compose()}
    writes: list[Write] = []
    for place, after in sorted(wanted.items(), key=lambda item: item[0]):
        maps.pages += after is not None
        try:
            stored = store.find_stored(place)
        except EngrainError:
            maps.unreadable.append(place)
            continue
        if stored is not None and not is_generated_map(stored.raw):
            maps.kept.append(place)
        elif (None if stored is None else stored.raw) != after:
            (maps.removed if after is None else maps.written).append(place)
            writes.append(Write(place, after, path_id(place), hash_of(stored)))
    return maps, writes


class _Composer:
    """Composes the pages, with links in this vault's order."""

    def __init__(self, store: Store, listed: Listed) -> None:
        self._listed = listed
        with store.index.view() as view:
            self._label_first = view.label_first

    def compose(self) -> Iterator[tuple[Locator, str]]:
        """Yield every page and its text."""
        if not self._listed.count and not self._listed.records:
            return
        yield from self._compose_root()
        if self._listed.own or self._listed.records:
            yield from self._compose_own()
        for folder, items in self._listed.projects.items():
            lead = [_count(len(items)), "", self._tell_whole()]
            sections = sections_of(items, label_first=self._label_first, projects=False)
            yield from self._pages(folder, _heading(folder), lead, sections)

    def _compose_root(self) -> Iterator[tuple[Locator, str]]:
        shared, own = self._listed.shared, self._listed.own
        lead = [_count(len(shared))]
        if own or self._listed.records:
            lead += ["", f"The agent's own: {self._link(_MEMORY, _MEMORY_HEADING)} ({len(own)})."]
        sections = sections_of(shared, label_first=self._label_first, projects=True)
        projects = [
            f"- {self._link(folder, _heading(folder))} ({len(items)})"
            for folder, items in sorted(self._listed.projects.items())
        ]
        if projects:
            sections.insert(0, Section(_ALL_PROJECTS, "Projects", projects))
        yield from self._pages("", _ROOT_HEADING, lead, sections)

    def _compose_own(self) -> Iterator[tuple[Locator, str]]:
        lead = [_count(len(self._listed.own)), "", self._tell_whole()]
        if self._listed.records:
            lead += ["", _tell_records(self._listed.records)]
        sections = sections_of(self._listed.own, label_first=self._label_first, projects=True)
        yield from self._pages(_MEMORY, _MEMORY_HEADING, lead, sections)

    def _pages(
        self, folder: str, heading: str, lead: Sequence[str], sections: Sequence[Section]
    ) -> Iterator[tuple[Locator, str]]:
        pages = compose_map(folder, heading, lead, sections, label_first=self._label_first)
        return ((Locator(place), text) for place, text in pages)

    def _tell_whole(self) -> str:
        return f"Part of {self._link('', _ROOT_HEADING)}."

    def _link(self, folder: str, heading: str) -> str:
        return compose_link(map_page(folder), heading, label_first=self._label_first)


def _heading(folder: str) -> str:
    return f"Map of {folder.partition('/')[2]}"


def _tell_records(records: Mapping[str, int]) -> str:
    kinds = ", ".join(f"{count} of kind {kind}" for kind, count in sorted(records.items()))
    return f"Records, which are no notes: {kinds}."


def _count(number: int) -> str:
    return "1 note." if number == 1 else f"{number} notes."


class Listed:
    """The entries that maps list, by tier and by project folder. Records of JSON are only
    counted."""

    def __init__(self, store: Store) -> None:
        self.count = 0
        self.shared: list[Item] = []
        self.own: list[Item] = []
        self.projects: dict[str, list[Item]] = {}
        self.records: dict[str, int] = {}
        rows = sorted(store.index.find(_LISTED), key=lambda row: row.locator)
        folders = _find_folders(rows)
        for row in rows:
            if row.locator.endswith(".json"):
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
    entry = store.find_entry(row.locator)
    gist = shorten(find_gist(entry.fields, entry.text), _GIST) if entry else ""
    status = row.status_for(COUNTED)
    return Item(row.locator, row.title, row.kind, status, row.project or "", row.tags, gist)
