"""Erases entries for good: the one exception to soft deletion (DESIGN section 7).

Each step is whole or absent, and the history verifies after each:

1. `erasing`, one change: tombstones replace the entries' files.
2. What working memory copied from prompts about them is removed, and entries that lose records are
   recorded again under their origin.
3. `erase`: a change that names the changes whose payloads are erased.
4. Those payloads are blanked.
5. This device's index is cleaned.

After the first step, the next scan on any device of the vault does the rest.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from engrain.engine.core.store import Actor, Store, try_again
from engrain.engine.erasing.names import ErasedNames, goal_lines
from engrain.engine.erasing.plan import NoteSurvey, survey_notes, trim_note
from engrain.engine.history.verification import first_number
from engrain.engine.indexes import NAME, list_maps
from engrain.model.errors import ConflictError, HistoryError, MalformedError
from engrain.model.facts.entity import FOLDER as ENTITIES
from engrain.model.facts.entity import INDEX, SUMMARY
from engrain.model.facts.memory_page import PLACE
from engrain.model.history.line import is_blank
from engrain.model.history.record import (
    FileChange,
    Record,
    body_digest,
    compose_tombstone,
    decode_record,
    stem_of,
)
from engrain.model.note.json_note import parse_note
from engrain.model.note.note import path_id
from engrain.model.note.tiers import EXTERNAL, STAGING, is_generated, record_kind, zone_of
from engrain.seam.changes import Write
from engrain.seam.derived import Progress
from engrain.seam.locator import Locator, make_locator
from engrain.seam.storage import StorageBackend, hash_of

ERASING = "erasing"
"""The change that puts tombstones in the places of entries."""
ERASE = "erase"
"""The change that names, in `undoes`, every change whose payload is erased for good."""

_PROGRESS = "/progress.md"
_REFERRING = "/_harness/CONTINUITY.md"
"""The working memory of a project, which names entries by their titles and quotes prompts."""


@dataclass(slots=True, eq=False)
class Traces:
    """The names of the changes to erase, and the entries that stay but lose versions with them."""

    changes: list[str] = field(default_factory=list, init=False)
    losing: set[str] = field(default_factory=set, init=False)


def find_traces(
    backend: StorageBackend, names: ErasedNames, progress: Progress | None = None
) -> Traces:
    """Find the changes of this device's chain and branches that must be erased, and the entries
    that lose versions with them.

    A payload is erased where one of its files is an erased entry (by id or text; by name if the
    file has no id), or is a proposal that mentions one; where its reason mentions one; where its
    change erased one; or where it can't be read and its record names one."""
    traces = Traces()
    for chain in backend.erasable():
        for n, link in enumerate(backend.chain(chain), first_number(backend, chain)):
            if progress:
                progress(n, None)
            if is_blank(link.payload):
                continue
            try:
                record = decode_record(link.line, link.payload)
            except HistoryError:
                if any(id_.encode() in link.line for id_ in names.ids):
                    traces.changes.append(f"{chain}-{n}")
                continue
            record.device = chain  # names of changes are by chain
            if _tells(record, names):
                traces.changes.append(record.change)
                traces.losing.update(record.entries)
    traces.losing.difference_update(names.ids)
    return traces


def _tells(record: Record, names: ErasedNames) -> bool:
    if record.op == ERASE:
        return False  # it has only tombstones and names of changes
    if record.op == ERASING and not names.ids.keys().isdisjoint(record.entries):
        return True
    if record.reason and names.mentioned_in(record.reason):
        return True
    return any(_file_tells(file, names) for file in record.files or ())


def _file_tells(file: FileChange, names: ErasedNames) -> bool:
    if file.entry in names.ids:
        return True
    # Other entries may have had the path before: predecessors, renamed or removed ones.
    nameless = file.entry == path_id(file.path)
    if nameless and (names.names_one(file.path) or names.is_beside(file.path)):
        return True
    if file.after is None:
        return False
    text = file.after.decode(errors="replace")
    if is_generated(file.path):
        return names.mentioned_in(text)
    if file.path.endswith(_REFERRING):
        return names.tells(text)
    return _copies_words(file.path, text, names) or _has_text(file.path, file.after, names)


def _copies_words(path: str, text: str, names: ErasedNames) -> bool:
    """Whether a page has lines that were drawn from an erased entry, or a prompt about it."""
    if path == PLACE:
        return names.trim_page(text) != text
    return path.endswith(_PROGRESS) and any(map(names.tells, goal_lines(text)))


def _has_text(path: str, raw: bytes, names: ErasedNames) -> bool:
    """Whether a note is a proposal about an erased entry, or has its text."""
    text = raw.decode(errors="replace")
    try:
        note = parse_note(raw, path)
    except MalformedError:
        return names.mentioned_in(text)
    if zone_of(path) == STAGING and names.proposed_in(path, text, note.fields):
        return True
    return names.had(body_digest(note.body))


_ATTEMPTS = 8
_AT_ONCE = 64
"""Files of one change at most, so that few are lost if one of them must be erased later."""
_NAMED_AT_ONCE = 1000


def destroy(
    store: Store,
    ids: Iterable[str],
    progress: Progress | None = None,
    known: NoteSurvey | None = None,
) -> list[str]:
    """Erase entries from the vault and from this device's history: steps 1 to 4. Repeating it
    completes it. A survey that is `known` is only renewed. Return the names of the erased changes.
    Raises ConflictError where others keep changing the same notes, LockedError, StorageError."""
    ids = list(ids)

    def attempt() -> list[str]:
        survey = survey_notes(store, ids, progress, known)
        places = _write_tombstones(store, survey)
        _trim(store, survey)
        traces = find_traces(store.backend, survey.names, progress)
        if traces.losing:
            _record_anew(store, survey, traces)
        _name(store, places, traces.changes)
        return traces.changes

    changes = try_again(attempt, _ATTEMPTS)
    store.backend.erase(changes)
    return changes


def _write_tombstones(store: Store, survey: NoteSurvey) -> dict[str, Locator]:
    """Put tombstones beside the entries that they replace; return the place of each id's."""
    names, met = survey.names, survey.met.values()
    survey.exempt_names()
    buried = {note.id: note.locator for note in met if note.buried and note.id in names.ids}
    live = [note for note in met if not note.buried and note.id in names.ids]
    if live:
        at = store.clock.now()
        writes = {note.locator: Write(note.locator, None, note.id, note.hash) for note in live}
        places: dict[str, Locator] = {}
        for note in live:
            if note.id not in buried:
                folder = f"{note.locator.folder}/" if note.locator.folder else ""
                places.setdefault(note.id, make_locator(f"{folder}{stem_of(note.id)}.md"))
        for id_, place in places.items():
            raw = compose_tombstone(id_, at)
            there = store.find_stored(place)
            before = writes[place].before if place in writes else hash_of(there)
            writes[place] = Write(place, raw, id_, before)
            buried[id_] = place
        folders = dict.fromkeys(note.locator.folder for note in live)
        made = [place for folder in folders for place in _made_of(folder)]
        for place in dict.fromkeys((*made, *list_maps(store))):
            # It names erased entries, and is generated again from the others.
            if found := store.find_stored(place):
                writes[place] = Write(place, None, path_id(place), found.hash)
        store.commit(ERASING, list(writes.values()))
    nowhere = {id_: make_locator(f"Memory/{stem_of(id_)}.md") for id_ in names.ids}
    return nowhere | buried


def _made_of(folder: str) -> list[Locator]:
    """List the generated files about the records in a folder: the list of a day's episodes, the
    summary of an entity and the index of all entities."""
    if folder.startswith(f"{ENTITIES}/"):
        return [Locator(f"{folder}/{SUMMARY}"), Locator(INDEX)]
    return [Locator(f"{folder}/{NAME}")] if record_kind(folder) else []


def _trim(store: Store, survey: NoteSurvey) -> None:
    """Remove what working memory copied from prompts about the erased entries."""
    for _ in range(_ATTEMPTS):
        survey.renew()
        trimmed = ((entry, trim_note(survey.names, entry)) for entry in survey.near)
        found = [
            Write(Locator(entry.path), raw, entry.id, entry.hash)
            for entry, raw in trimmed
            if raw != entry.note.raw
        ]
        if not found:
            return
        _attest(store, found, "what it was about was erased")
    raise ConflictError("working memory changes all the time", remedy="try again")


def _record_anew(store: Store, survey: NoteSurvey, traces: Traces) -> None:
    """Record entries again whose changes are about to be erased, or their bytes would count as
    another program's. Unexplained bytes are left to the scan."""
    store.upkeep.drain()
    survey.renew()
    going = set(traces.changes)
    found = []
    for note in survey.met.values():
        if note.id in traces.losing and store.index.knows_bytes(note.locator, note.hash):
            left = [
                change
                for change in store.index.changes(entry=note.id, locator=note.locator)
                if change.after_hash == note.hash and change.change not in going
            ]
            # A change that gives its content an origin of its own is enough.
            stored = store.find_stored(note.locator)
            if stored and not any(change.op in ("attest", "external") for change in left):
                found.append(Write(note.locator, stored.raw, note.id, note.hash))
    _attest(store, found, "what it was recorded with was erased")


def _attest(store: Store, found: Sequence[Write], reason: str) -> None:
    """Commit files under the origin that they have in the index."""
    store.upkeep.drain()
    by_origin: dict[str, list[Write]] = {}
    for write in found:
        row = store.find_row(write.locator, write.before or "")
        origin = row.source if row and row.attested else ""
        by_origin.setdefault(origin, []).append(write)
    for origin, writes in by_origin.items():
        op, actor = "attest" if origin else "external", Actor(store.actor.agent, origin or EXTERNAL)
        for start in range(0, len(writes), _AT_ONCE):
            store.commit(op, writes[start : start + _AT_ONCE], reason=reason, actor=actor)


def _name(store: Store, places: dict[str, Locator], changes: Sequence[str]) -> None:
    """Commit the changes that name the erased payloads; their files are the tombstones."""
    writes = []
    for id_, place in places.items():
        stored = store.find_stored(place)
        writes.append(Write(place, stored.raw if stored else None, id_, hash_of(stored)))
    for start in range(0, max(len(changes), 1), _NAMED_AT_ONCE):
        part = changes[start : start + _NAMED_AT_ONCE]
        store.commit(ERASE, writes, undoes=" ".join(part))
