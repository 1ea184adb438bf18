"""A project's features.json: what is to be built, and how far it is (S1.4)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from engrain.agents.harness import (
    clean_given,
    find_harness,
    read_live,
    read_note,
    rewrite_notes,
    wake_note,
)
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.store import Store
from engrain.engine.history.history import read_at
from engrain.engine.verbs.records import compose_record
from engrain.language.text.folding import fold, slugify
from engrain.model.errors import EngrainError, MalformedError, UsageError
from engrain.model.note.documents import trimmed_texts
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import Note

PASSES = "passes"
"""The key by which another tool says whether a feature is done."""
TODO, DOING, DONE, BLOCKED = "todo", "doing", "done", "blocked"
STATUSES = (TODO, DOING, DONE, BLOCKED)
_LONGEST_NAME = 200
_LONGEST_NOTE = 2000


class Feature:
    """One feature: its id, name, status and notes. Where another tool wrote it, its name is the
    `description`, its notes are the `steps`, and it is done if it `passes`."""

    def __init__(self, fields: Mapping[str, Any]) -> None:
        named = fields.get("name") or fields.get("description") or fields.get("id")
        self.name = " ".join(str(named or "").split())
        self.id = str(fields.get("id") or slugify(self.name, "feature"))
        self.status = str(fields.get("status") or (DONE if fields.get(PASSES) is True else TODO))
        self.notes = str(fields.get("notes") or "; ".join(trimmed_texts(fields.get("steps"))))


def list_features(store: Store) -> list[Feature]:
    """List the current project's features, in the order of its file. Raises MalformedError."""
    entry = read_live(store, find_harness(store).features)
    return [] if entry is None else _read(entry)


def set_feature(
    store: Store, name: str, *, status: str | None = None, note: str | None = None
) -> tuple[Outcome, Feature]:
    """Set the status and note of a feature, by its id or name; an unknown one is added, as `todo`
    if no status is given. Raises UsageError."""
    if status is not None and status not in STATUSES:
        raise UsageError(
            f"a feature is not {status[:40]!r}", remedy=f"it is one of {', '.join(STATUSES)}"
        )
    harness = find_harness(store)
    name = " ".join(clean_given(store, name, "feature's name", _LONGEST_NAME).split())
    if not name:
        raise UsageError("a feature needs a name")
    if note is not None:
        note = clean_given(store, note, "note", _LONGEST_NOTE)
    given = {"status": status, "notes": note}
    said = {key: value for key, value in given.items() if value is not None}

    def change(entry: Entry | None) -> Note | None:
        before = {} if entry is None else entry.note.document
        features = _features(before)
        place = _find([*map(Feature, features)], name)
        if place is None:
            taken = {Feature(one).id for one in features}
            slug = slugify(name, "feature")
            ids = (slug, *(f"{slug}-{number}" for number in range(2, len(taken) + 2)))
            id_ = next(one for one in ids if one not in taken)
            new = {"id": id_, "name": name, "status": TODO, "notes": ""}
            features = [*features, {**new, **said}]
        else:
            features = [*features]
            passes = {PASSES: status == DONE} if status and PASSES in features[place] else {}
            features[place] = {**features[place], **said, **passes}
        if entry is not None and entry.status != "deleted" and features == before.get("features"):
            return None
        changed = {"updated": store.now, "features": features}
        document = {"project": harness.project, **before, **changed}
        if entry is None:
            return compose_record(
                store, "features", document, project=harness.project, source="harness"
            )
        woken = wake_note(entry)
        assert isinstance(woken, JsonNote), "its name ends in .json"
        return woken.with_document(document)

    outcome = rewrite_notes(store, {harness.features: change})[harness.features]
    features = list_features(store)
    place = _find(features, name)
    assert place is not None, "it was set just now"
    return outcome, features[place]


def tell_changes(store: Store, since: float) -> list[str]:
    """Return a line for each feature that has changed since a moment (epoch seconds), by the
    history; none without an index."""
    entry = read_note(store, find_harness(store).features)
    if entry is None:
        return []
    before: dict[str, str] = {}
    try:
        raw = read_at(store, entry.id, since)
        before = {one.id: one.status for one in _read(read_entry(entry.path, raw))}
    except EngrainError:
        pass  # it did not exist yet, or the history no longer has it
    lines = []
    for one in _read(entry):
        was = before.get(one.id)
        if was is None:
            lines.append(f"{one.name}: {one.status}, new")
        elif was != one.status:
            lines.append(f"{one.name}: {one.status}, was {was}")
    return lines


def _features(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the features as objects; a text is the name of a feature. Raises MalformedError for
    anything else: only a person can correct it."""
    found = document.get("features", [])
    if not isinstance(found, list) or not all(isinstance(one, dict | str) for one in found):
        raise MalformedError(
            "`features` is not a list of objects or names",
            reason="json",
            remedy="correct features.json by hand; each has id, name, status and notes",
        )
    return [{"name": one} if isinstance(one, str) else one for one in found]


def _read(entry: Entry) -> list[Feature]:
    return [Feature(one) for one in _features(entry.note.document)]


def _find(features: Sequence[Feature], name: str) -> int | None:
    """Find the position of a feature by its id, else by its name, ignoring case."""
    for key in ("id", "name"):
        for place, one in enumerate(features):
            if fold(getattr(one, key)) == fold(name):
                return place
    return None
