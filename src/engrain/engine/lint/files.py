"""Rules about files and about what is made of others: listed as `doctor` lists them, and brought in
step."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from engrain.engine.core.store import Store
from engrain.engine.diagnosis import list_copies, list_problems
from engrain.engine.entities.files import ACTIVE_ENTITIES, read_summary, try_filed
from engrain.engine.entities.index import write_entity_index
from engrain.engine.episodes.index import write_episode_index
from engrain.engine.lint.flaw import Flaw
from engrain.engine.lint.rehearsal import Rehearsal
from engrain.engine.lint.repairs import Generator, Repairs
from engrain.engine.maps.map import write_maps
from engrain.model.facts.summaries import read_stamp, stamp_of

UNREADABLE, COPY, GENERATED = "unreadable", "copy", "generated"
_GENERATORS: tuple[Generator, ...] = (
    write_episode_index,
    write_entity_index,
    partial(write_maps, begin=False),
)


def find_unreadable(store: Store) -> Iterator[Flaw]:
    """Files that can't be read as entries."""
    for told in list_problems(store):
        if told.subject == "file":
            yield Flaw(
                UNREADABLE, told.path or "", told.message, line=told.line, remedy=told.remedy
            )


def find_copies(store: Store) -> Iterator[Flaw]:
    """Files whose id another file has."""
    for told in list_copies(store):
        yield Flaw(COPY, told.path or "", told.message, remedy=told.remedy)


def find_stale(store: Store) -> Iterator[Flaw]:
    """Generated files that are no longer what their sources would make them, and summaries of
    entities whose facts have changed since."""
    for generate in _GENERATORS:
        rehearsal = Rehearsal(store)
        generate(rehearsal)
        if not rehearsal.replaces:
            continue  # they were never made, which a job will do
        for write in rehearsal.writes:
            yield Flaw(
                GENERATED,
                write.locator,
                "is not what its sources make it",
                mend=partial(_generate, generate),
            )
    now = store.clock.now()
    for row in store.index.find(ACTIVE_ENTITIES):
        filed = try_filed(store, row.locator)
        summary = None if filed is None else read_summary(store, row.locator.folder)
        if filed is None or summary is None:
            continue
        stamp = read_stamp(summary.raw.decode(errors="replace"))
        if stamp is not None and stamp != stamp_of(filed.entity, now):
            yield Flaw(
                GENERATED,
                f"{row.locator.folder}/summary.md",
                f"was made before the facts of {filed.entity.name} changed",
                remedy=f"`engrain synthesize --entity {filed.slug}` writes it anew",
            )


def _generate(generate: Generator, repairs: Repairs) -> None:
    repairs.generate(generate)
