"""The files of a project's working memory and how they are changed; its plan, and features.json:
what is to be built, and how far it is (S1.4)."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from engrain.engine.core.attesting import least
from engrain.engine.core.outcomes import CREATED, UNCHANGED, UPDATED, Outcome
from engrain.engine.core.redaction import check_text, clean_text
from engrain.engine.core.scope import counted_origin
from engrain.engine.core.store import Actor, Store
from engrain.engine.history.history import read_at
from engrain.engine.verbs.records import compose_record
from engrain.engine.verbs.save import check_size, compose_body, compose_new, stamp_source
from engrain.language.text.folding import fold, slugify
from engrain.model.errors import (
    ConflictError,
    EngrainError,
    IndexUnavailableError,
    MalformedError,
    NotFoundError,
    UsageError,
)
from engrain.model.note.documents import trimmed_texts
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import Note, hash_bytes
from engrain.model.note.properties import split_heading
from engrain.model.note.tiers import ACTIVE, EXTERNAL
from engrain.seam.changes import Write
from engrain.seam.locator import make_locator
from engrain.seam.storage import hash_of

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.model.note.note import Note


Change: TypeAlias = "Callable[[Entry | None], Note | None]"
"""Makes the new note of a place from its present entry (None if there is none), or returns None for
no change. It is called again if another writer was faster, and may raise."""

_ATTEMPTS = 200


def rewrite_notes(store: Store, changes: Mapping[str, Change]) -> dict[str, Outcome]:
    """Change the notes at these places in one commit; return the outcome of each: `created`,
    `updated` or `unchanged`; none for a place that stays empty.

    Raises ConflictError if other writers were faster at each attempt; UsageError for an actor from
    outside, whose words can't stand among the operator's notes."""
    if store.actor.trust == EXTERNAL:
        raise UsageError(
            "what comes from outside can't write working memory", remedy="save it as an entry"
        )
    # Only an index knows which bytes records explain; without it, all count as another's.
    store.upkeep.ensure(scan=False)
    for attempt in range(_ATTEMPTS):
        outcomes, drafts = _draft(store, changes)  # errors of a change are not retried
        try:
            _commit(store, drafts)
        except ConflictError:
            if attempt == _ATTEMPTS - 1:
                raise
            store.pause(attempt)
        else:
            return outcomes
    raise AssertionError("the last attempt returns or raises")


def _draft(
    store: Store, changes: Mapping[str, Change]
) -> tuple[dict[str, Outcome], list[tuple[Entry | None, Entry]]]:
    """Make the changes once; return the outcomes, and each changed entry before and after."""
    outcomes: dict[str, Outcome] = {}
    drafts: list[tuple[Entry | None, Entry]] = []
    for place, change in changes.items():
        locator = make_locator(place)
        before = read_note(store, locator)
        note = change(before)
        if before is not None and (note is None or note.raw == before.note.raw):
            outcomes[place] = Outcome(UNCHANGED, before)
        elif note is not None:
            if before is not None:
                note = note.patch({"id": before.id, "updated": store.now})
            check_size(note)
            entry = Entry(locator, note, hash_bytes(note.raw))
            outcomes[locator] = Outcome(CREATED if before is None else UPDATED, entry)
            drafts.append((before, entry))
    return outcomes, drafts


def _commit(store: Store, drafts: Sequence[tuple[Entry | None, Entry]]) -> None:
    """Write the drafts, if there are any. Raises ConflictError."""
    if not drafts:
        return
    origins = [store.actor.trust]
    writes = []
    for before, entry in drafts:
        locator = make_locator(entry.path)
        if before is not None:
            store.preserve(locator, store.backend.read(locator), before.id)
            origins.append(_origin_of(store, before))
        writes.append(Write(locator, entry.note.raw, entry.id, hash_of(before)))
    actor = Actor(store.actor.agent, least(*origins))
    store.commit("work", writes, actor=actor, known=[entry for _, entry in drafts])


def read_note(store: Store, place: str) -> Entry | None:
    """Read the entry at a place, None if there is none. Raises MalformedError."""
    try:
        return store.read_entry(make_locator(place))
    except NotFoundError:
        return None


def read_live(store: Store, place: str) -> Entry | None:
    """Read the entry at a place, None if there is none or it was forgotten."""
    entry = read_note(store, place)
    return None if entry is None or entry.status == "deleted" else entry


def start_note(store: Store, kind: str, project: str, body: str) -> Note:
    """Make a new note of working memory, stamped with its origin."""
    fields = {"kind": kind, "slug": slugify(f"{kind} {project}", kind), "project": project}
    return compose_new(store, fields, body, stamp_source(store.actor, "harness", None))


def restore_note(entry: Entry) -> Note:
    """Return the note of an entry, in force again if it was forgotten."""
    if entry.status == ACTIVE:
        return entry.note
    return entry.note.patch({"status": ACTIVE}, removed=("deleted_at",))


def open_note(store: Store, entry: Entry | None, kind: str, project: str, body: str) -> Note:
    """Return the note of an entry, in force again; without an entry, a new note with `body`."""
    return start_note(store, kind, project, body) if entry is None else restore_note(entry)


def clean_given(store: Store, text: str, what: str, most: int) -> str:
    """Return a text without secrets. Raises UsageError if it is not a text, or has over `most`
    characters."""
    check_text(text, what)
    if len(text) > most:
        raise UsageError(
            f"a {what} of {len(text)} characters is over {most}",
            remedy="working memory is short: save the rest as an entry and name it",
        )
    return clean_text(store, text.replace("\r\n", "\n").replace("\r", "\n")).strip()


def _origin_of(store: Store, entry: Entry) -> str:
    """Return the origin of an entry's bytes, which an addition must not improve."""
    try:
        rows = store.index.lookup(entry.path)
    except IndexUnavailableError:
        return store.actor.trust
    found = (counted_origin(row, store) for row in rows if row.locator == entry.path)
    return next(found, store.actor.trust)


_LONGEST_PLAN = 100_000


class Harness:
    """The places of the files of one project's working memory."""

    __slots__ = ("continuity", "features", "plan", "progress", "project")

    def __init__(self, project: str) -> None:
        folder = f"projects/{slugify(project, 'project')}"
        self.project = project
        self.continuity = f"{folder}/_harness/CONTINUITY.md"
        self.plan = f"{folder}/_harness/plan.md"
        self.features = f"{folder}/_harness/features.json"
        self.progress = f"{folder}/progress.md"


def find_harness(store: Store) -> Harness:
    """Return the places of the current project. Raises UsageError outside of any, since working
    memory belongs to a project."""
    if not store.project:
        raise UsageError(
            "working memory belongs to a project", remedy="name it with --project, or run inside it"
        )
    return Harness(clean_given(store, store.project, "project's name", 200))


def read_plan(store: Store) -> Entry | None:
    """Read the project's plan, None if there is none. Other tools call the file PLAN.md."""
    place = find_harness(store).plan
    return read_live(store, place) or read_live(store, place.replace("plan.md", "PLAN.md"))


def make_title(project: str) -> str:
    """Return the title for a plan whose text has none."""
    return f"Plan: {project}"


def set_plan(store: Store, text: str) -> Outcome:
    """Replace the project's plan; the older one stays in the history. Raises UsageError for an
    empty text."""
    harness = find_harness(store)
    text = clean_given(store, text, "plan", _LONGEST_PLAN)
    if not text:
        raise UsageError("there is no plan in that", remedy="give its text")
    body = compose_body(split_heading(text)[0] or make_title(harness.project), text)[1]

    def change(entry: Entry | None) -> Note:
        note = open_note(store, entry, "plan", harness.project, body)
        same = note.body.replace("\r\n", "\n") == body
        return note if same else note.with_body(body)

    return rewrite_notes(store, {harness.plan: change})[harness.plan]


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
        woken = restore_note(entry)
        assert isinstance(woken, JsonNote), "its name ends in .json"
        return woken.with_document(document)

    outcome = rewrite_notes(store, {harness.features: change})[harness.features]
    features = list_features(store)
    place = _find(features, name)
    assert place is not None, "it was set just now"
    return outcome, features[place]


def describe_changes(store: Store, since: float) -> list[str]:
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
