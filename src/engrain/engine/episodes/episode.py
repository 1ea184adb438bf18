"""Files, lists and reads episodes, the traces of tasks, each in the folder of the day it began
(S2.2, S2.11).

If another episode has the id already, the id gets a suffix made from the content, so that filing
the same episode again finds it.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass, replace
from typing import Any

from engrain.engine.core.outcomes import RESTORED, SIMILAR, UNCHANGED, Outcome
from engrain.engine.core.scope import Scope
from engrain.engine.core.store import Actor, Store
from engrain.engine.verbs.listing import Listing, list_entries
from engrain.engine.verbs.records import compose_record, save_record
from engrain.engine.verbs.save import revive
from engrain.language.text.folding import safe_component
from engrain.language.text.instants import format_instant
from engrain.model.errors import (
    ConflictError,
    ForbiddenPathError,
    IndexUnavailableError,
    MalformedError,
    NotFoundError,
    UsageError,
)
from engrain.model.experience.episode import OUTCOMES
from engrain.model.experience.reading import read_episode
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import hash_bytes, make_id
from engrain.model.note.tiers import kind_of
from engrain.seam.locator import Locator, make_locator

KIND = "episode"
FOLDER = kind_of(KIND).folder
WHOLE = "whole"
"""The field of a summarised episode with the hash of the content that it summarises."""


@dataclass(slots=True, eq=False)
class FiledEpisode(Outcome):
    """The outcome of filing an episode, with a list of the faults in its document."""

    _: KW_ONLY
    told: Sequence[str] = ()


def save_episode(
    store: Store,
    document: Mapping[str, Any],
    *,
    project: str | None = None,
    source: str = "api",
    ref: str | None = None,
    actor: Actor | None = None,
    extra: Mapping[str, Value] | None = None,
    op: str = "save",
) -> FiledEpisode:
    """File an episode."""
    reading = read_episode(document, store.clock.now())
    given = reading.document
    given["agent"] = given["agent"] or (actor or store.actor).agent or None
    if "id" not in given:
        given = {"id": make_id(max(0.0, reading.at), store.entropy.draw(10)), **given}
    fields: dict[str, Value] = {"omitted": {**reading.omitted}} if reading.omitted else {}
    fields |= extra or {}

    def compose(id_: str) -> JsonNote:
        return compose_record(
            store,
            KIND,
            {**given, "id": id_},
            project=(store.project if project is None else project) or None,
            source=source,
            ref=ref,
            actor=actor,
            extra=fields,
        )

    folder = f"{FOLDER}/{format_instant(reading.at)[:10]}"
    return _file(store, folder, compose, str(given["id"]), reading.faults, actor, op)


def _file(
    store: Store,
    folder: str,
    compose: Callable[[str], JsonNote],
    first: str,
    told: Sequence[str],
    actor: Actor | None,
    op: str,
) -> FiledEpisode:
    """File an episode under the first of its possible ids that is free, or find it filed already.
    Raises ConflictError if other episodes have all of these ids."""
    note = compose(first)
    wanted = content_hash(note.document)
    other = None
    own = str(note.document["id"])
    for id_ in (own, *(f"{own}-{wanted[:length]}" for length in (8, 16, 32))):
        there = _find(store, id_)
        if there is None:
            if id_ != note.document["id"]:
                note = compose(id_)
            if done := _write(store, folder, note, actor, op):
                outcome = SIMILAR if other and done.outcome != UNCHANGED else done.outcome
                filed = Entry(done.locator, note, done.hash)
                return FiledEpisode(outcome, filed, told=told, other=other)
            there = _find(store, id_)  # another process was quicker
        if there is not None and wanted in _hashes_of(there):
            if there.status != "deleted":
                return FiledEpisode(UNCHANGED, there, told=told)
            place = revive(store, Locator(there.path)).locator
            return FiledEpisode(RESTORED, store.read_entry(place), told=told)
        other = other or id_
    raise ConflictError(f"the id {first!r} and its variants are taken", remedy="give it another id")


def content_hash(document: Mapping[str, Any]) -> str:
    """Hash an episode's content without its id."""
    said = {key: value for key, value in document.items() if key != "id"}
    return hash_bytes(json.dumps(said, sort_keys=True, ensure_ascii=True).encode())


def _write(
    store: Store, folder: str, note: JsonNote, actor: Actor | None, op: str
) -> Outcome | None:
    """Write a record to a file named after its id, with a digest if the id is not a valid name or
    the name is taken. Return None if a record with this id exists by now."""
    id_ = str(note.document["id"])
    safe = safe_component(id_)
    stems = [f"{safe}-{hash_bytes(id_.encode())[:8]}"]
    if safe == id_ and safe.lower() != "index":  # the name of the day's generated index
        stems.insert(0, safe)
    for stem in stems:
        place = make_locator(f"{folder}/{stem}.json")
        try:
            return save_record(store, place, note, op=op, actor=actor)
        except (ConflictError, ForbiddenPathError, MalformedError):
            there = store.find_entry(place)  # an unreadable file blocks the name too
            if there and there.id == id_:
                return None
    return None


def _find(store: Store, id_: str) -> Entry | None:
    try:
        store.require_index()
        row = store.find_exact(id_)
    except IndexUnavailableError:
        return None
    if row is None:
        return None
    if row.status == "deleted":
        row = store.find_one(id_, prefer="deleted")  # raises where it was erased
    return store.find_entry(row.locator)


def _hashes_of(entry: Entry) -> tuple[object, ...]:
    """Return the hash of an episode's content, and of its whole content if it is a summary."""
    return content_hash(entry.note.document), entry.note.own.get(WHOLE)


def list_episodes(
    store: Store,
    outcome: str | None = None,
    *,
    scope: Scope | None = None,
    limit: int | None = None,
) -> Listing:
    """List episodes, newest first, with one `outcome` if given. The kinds and tags of `scope` are
    replaced. Raises UsageError."""
    if outcome is not None and outcome not in OUTCOMES:
        raise UsageError(
            f"{outcome[:40]!r} is no outcome", remedy="use one of " + ", ".join(OUTCOMES)
        )
    wanted = (scope or Scope()).widened(archive=False, inbox=False)
    wanted = replace(wanted, kinds=(KIND,), tags=() if outcome is None else (outcome,))
    return list_entries(store, scope=wanted, limit=limit)


def read_filed(store: Store, reference: str) -> tuple[str, Mapping[str, Any], Mapping[str, Value]]:
    """Return an episode's id, its document with loki's fields, and its other fields, such as
    `omitted`, `metrics` and the source. Raises NotFoundError."""
    row = store.find_one(reference)
    entry = store.read_entry(row.locator)
    if not isinstance(entry.note, JsonNote) or entry.kind != KIND:
        raise NotFoundError(
            f"{row.id} is a {entry.kind}, no episode",
            path=row.locator,
            remedy="`engrain episode list` shows them",
        )
    return entry.id, entry.note.document, entry.note.own
