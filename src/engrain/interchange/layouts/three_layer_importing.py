"""`import --format three-layer`: facts of entities, daily notes and what is known of the operator.

Every fact comes in as it is, with its id, among those of the entity of its folder. Importing again
leaves what is the same and renews what only changed there. Summaries and the architecture are not
read: they are made from facts. What can't be read is told and stops nothing.
"""

from __future__ import annotations

from collections.abc import Iterable

from engrain.engine.core.attesting import OPERATOR
from engrain.engine.core.outcomes import Imported
from engrain.engine.core.redaction import clean_text
from engrain.engine.core.store import Store
from engrain.engine.entities.index import write_entity_index
from engrain.engine.verbs.intake import Intake, Telling, Terms
from engrain.interchange.layouts.entity_folders import Folders
from engrain.interchange.layouts.notes import take_note
from engrain.language.text.instants import format_instant
from engrain.model.errors import UsageError
from engrain.model.facts.daily import KIND as DAILY
from engrain.model.facts.daily import place_of as place_of_day
from engrain.model.interchange.layouts.three_layer import (
    INDEX,
    ITEMS,
    MEMORY,
    Listed,
    day_in,
    folder_of,
    part_at,
    read_index,
)
from engrain.model.note.field import Value
from engrain.seam.locator import Locator, make_locator

SOURCE = "three-layer"


def import_three_layer(
    store: Store,
    files: Iterable[tuple[str, bytes]],
    name: str,
    project: str | None = None,
    terms: Terms | None = None,
) -> Imported:
    """Take in the files of one workspace, by their names in it, in the order of
    `model.layouts.three_layer.in_reading_order`. `name` is what the workspace is known by;
    `project` is that of every new entry."""
    store.require_index(scan=True)
    return _Import(store, name, project, terms or Terms()).run(files)


class _Import:
    def __init__(self, store: Store, name: str, project: str | None, terms: Terms) -> None:
        self.store = store = store.as_one_change()
        self.name = clean_text(store, name)
        self.project = project
        self.intake = Intake(store, self.name, terms)
        self.done = self.intake.done
        self.listed: dict[str, Listed] = {}
        self.folders = Folders(store, self.intake, (SOURCE, self.name), project)

    def run(self, files: Iterable[tuple[str, bytes]]) -> Imported:
        for path, raw in files:
            part = part_at(path)
            label = clean_text(self.store, path)  # it is told, and names what came from it
            with Telling(self.done.tell, label, None if part in ("", INDEX) else self.done.count):
                self._take(part, path, label, raw)
            self.intake.flush_full()
        self.intake.flush()
        self.store.upkeep.flush()
        write_entity_index(self.store)
        return self.done

    def _take(self, part: str, path: str, label: str, raw: bytes) -> None:
        at = self.intake.terms.date_of(path)
        if part == INDEX:
            listed = read_index(raw)
            self.listed = {clean_text(self.store, slug): listed[slug] for slug in listed}
        elif part == ITEMS:
            folder = clean_text(self.store, folder_of(path))
            self.folders.take(folder, label, raw, self.listed.get(folder, Listed()), at)
        elif part == MEMORY:
            self._take_memory(label, raw)
        elif part:
            day = day_in(path.rpartition("/")[2])
            fields: dict[str, Value] = {"kind": DAILY, "slug": day, "project": self.project}
            if at is not None:
                fields["created"] = format_instant(at)
            self._take_note(make_locator(place_of_day(day)), label, raw, fields)

    def _take_memory(self, label: str, raw: bytes) -> None:
        """It stands among the operator's notes, and is read in every session."""
        if self.intake.actor.trust != OPERATOR:
            self.done.withheld.append(label)
            raise UsageError("left where it is: only the operator takes it in")
        self._take_note(make_locator(MEMORY), label, raw, None)

    def _take_note(
        self, place: Locator, label: str, raw: bytes, fields: dict[str, Value] | None
    ) -> None:
        source = (SOURCE, f"{self.name}/{label}")
        take_note(self.store, self.intake, place, label, raw, fields, source)
