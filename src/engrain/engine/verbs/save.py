"""`save`: writes one memory once, and never alters an existing entry (S1.1, S1.22).

If an entry in the same folder has the same project, slug and substance, the outcome is `unchanged`,
or `restored` if it was forgotten. If only the slug is the same, a new entry is written beside it,
`similar`. Its name comes from its content, so that saving it again, also on another machine, finds
it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING

from engrain.engine.core.attesting import acting_from
from engrain.engine.core.outcomes import CREATED, RESTORED, SIMILAR, UNCHANGED, Outcome
from engrain.engine.core.redaction import Redaction, check_text
from engrain.engine.core.weighing import read_weight
from engrain.language.prompts import names_project
from engrain.language.text.fences import shorten
from engrain.language.text.folding import slugify
from engrain.language.text.instants import format_instant
from engrain.model.errors import (
    ConflictError,
    ForbiddenPathError,
    MalformedError,
    NotFoundError,
    UsageError,
)
from engrain.model.experience.commitments import OPEN, read_due
from engrain.model.note.entry import Entry
from engrain.model.note.foreign import EXPLICIT, detect_kind, detect_status, detect_tags
from engrain.model.note.note import MAX_NOTE_BYTES, compose_note, hash_bytes, make_id
from engrain.model.note.properties import split_heading
from engrain.model.note.tiers import (
    ACTIVE,
    DEFAULT_KIND,
    INBOX,
    OPERATOR,
    STATUSES,
    Kind,
    kind_of,
    tier_of,
)
from engrain.seam.changes import Write
from engrain.seam.locator import Locator, make_locator

if TYPE_CHECKING:
    from engrain.engine.core.store import Actor, Store
    from engrain.model.errors import EngrainError
    from engrain.model.note.field import Value
    from engrain.model.note.note import Note


_INBOX_FOLDER = "Memory/_inbox"
# Fields in which two saves of the same memory may differ.
_INCIDENTAL = (
    "id", "created", "source", "slug", "deleted_at", "status", "supersedes", "links", "always_load",
    "state",
)  # fmt: skip
_MAX_TITLE = 200
_CUT_TITLE = 80
"""The most characters of a title that is made of a text's first line."""
_FIRST, _LAST = -30_610_224_000, 253_402_300_799  # years of four digits, as ISO-8601 writes them
_SUFFIXES = (8, 16, 32)


@dataclass(frozen=True, slots=True, kw_only=True)
class SaveRequest:
    """What to save; `Memory.save` explains the fields. Times are in epoch seconds."""

    text: str = field(kw_only=False)
    title: str | None = None
    kind: str | None = None
    tags: Sequence[str] | None = None
    project: str | None = None
    status: str | None = None
    slug: str | None = None
    created: float | None = None
    valid_from: float | None = None
    valid_to: float | None = None
    confidence: float | None = None
    weight: float | Mapping[str, float] | None = None
    derived_from: Sequence[str] = ()
    source: str = "api"
    ref: str | None = None
    due: str | None = None
    op: str = "save"
    stated_by: str | None = None


@dataclass(slots=True)
class _Detected:
    """The kind, the status and the tags of a new entry, and which tier decided each (S1.22)."""

    kind: str
    status: str
    tags: Sequence[str]
    tiers: dict[str, str]

    def list_decided(self) -> dict[str, tuple[str, str]]:
        """Return what the caller did not say, each value with the tier that decided it."""
        values = {"kind": self.kind, "status": self.status, "tags": ", ".join(self.tags)}
        return {name: (values[name], at) for name, at in self.tiers.items() if at != EXPLICIT}


def save(store: Store, request: SaveRequest) -> Outcome:
    """Write one memory; the outcome is `created`, `unchanged`, `restored` or `similar` (S1.1).

    Kind, status and tags that are not given are detected (S1.22), and a missing weight is estimated
    when first needed (S3.3). Raises UsageError if the text is empty or a field is invalid;
    ConflictError.
    """
    request, redacted = _redact(store, request)
    title, body = compose_body(request.title, request.text)
    _check(request)
    stem = slugify(request.slug or title, "note-" + hash_bytes(body.encode())[:8])
    detected = _detect(request, stem, body)
    project = request.project or home_project(kind_of(detected.kind), body, store.project)
    actor = acting_from(store, request.derived_from) if request.derived_from else store.actor
    folder = _choose_folder(detected, project, actor)
    note = _compose(store, request, detected, project, actor, body)
    note = _weigh(store, request, note, f"{folder}/{stem}.md")
    check_size(note)
    outcome = _file(store, note, folder, stem, actor, request.op)
    outcome.redacted = redacted
    if outcome.outcome in (CREATED, SIMILAR):
        outcome.decided = detected.list_decided()
    return outcome


def _redact(store: Store, request: SaveRequest) -> tuple[SaveRequest, tuple[str, ...]]:
    """Return the request without secrets, from which title, slug and tags are made, and the rules
    that found one."""
    redaction = Redaction(store)
    texts = (request.text, request.title, request.slug, request.project, request.source)
    if not redaction.finds([*texts, request.ref, *(request.tags or ()), *request.derived_from]):
        return request, ()
    clean = replace(
        request,
        text=redaction.clean(request.text),
        title=redaction.clean_given(request.title),
        slug=redaction.clean_given(request.slug),
        project=redaction.clean_given(request.project),
        source=redaction.clean(request.source),
        ref=redaction.clean_given(request.ref),
        tags=None if request.tags is None else [redaction.clean(tag) for tag in request.tags],
        derived_from=[redaction.clean(source) for source in request.derived_from],
    )
    return clean, redaction.rules


def _check(request: SaveRequest) -> None:
    """Refuse values that no entry can have. Raises UsageError."""
    if request.status is not None and request.status not in STATUSES:
        raise UsageError(f"status {request.status!r} is not one of {', '.join(STATUSES)}")
    if request.confidence is not None and not 0 <= request.confidence <= 1:
        raise UsageError(f"confidence {request.confidence} is not between 0 and 1")
    for name in ("created", "valid_from", "valid_to"):
        at = getattr(request, name)
        if at is not None and not _FIRST <= at <= _LAST:
            raise UsageError(
                f"{name} {at} is in no year from 1000 to 9999",
                remedy="give a date, or seconds since the epoch",
            )
    if request.kind is not None and slugify(request.kind, "") != request.kind:
        raise UsageError(
            f"kind {request.kind!r} can't name a folder", remedy="use lower-case words and hyphens"
        )


def _detect(request: SaveRequest, stem: str, body: str) -> _Detected:
    """Detect the kind, the status and the tags that were not given (S1.22)."""
    kind = detect_kind(request.kind, stem, body, DEFAULT_KIND)
    status = detect_status(request.status, stem)
    tags, tier = detect_tags(request.tags, stem, body)
    tiers = {"kind": kind.tier, "status": status.tier, "tags": tier}
    return _Detected(kind.value, status.value, tags, tiers)


def _choose_folder(detected: _Detected, project: str | None, actor: Actor) -> str:
    """Return the folder by kind, project, status and author. An external memory that would go to a
    folder of T2 goes to the inbox, since only the operator may put it there: then the status says
    so. Raises UsageError."""
    if detected.status == INBOX:
        return _INBOX_FOLDER
    folder = _folder_of(detected.kind, project, actor)
    if actor.trust == "external" and tier_of(f"{folder}/") == "T2":
        detected.status, detected.tiers["status"] = INBOX, "origin"
        return _INBOX_FOLDER
    return folder


def _folder_of(kind: str, project: str | None, actor: Actor) -> str:
    """Return the folder of a kind. Raises UsageError if it needs a project and there is none."""
    row = kind_of(kind)
    if actor.trust == "operator" and row.operator_folder:
        return row.operator_folder
    if "{project}" not in row.folder:
        return row.folder
    if project is None:
        raise UsageError(
            f"a {kind} belongs to a project", remedy="name it with --project, or run inside it"
        )
    return row.folder.format(project=slugify(project, "project"))


def _compose(
    store: Store,
    request: SaveRequest,
    detected: _Detected,
    project: str | None,
    actor: Actor,
    body: str,
) -> Note:
    """Return the note, with a new id. Raises UsageError."""
    now = store.clock.now()
    created = request.created if request.created is not None else now
    fields: dict[str, Value] = {
        "id": make_id(created, store.entropy.draw(10)),
        "kind": detected.kind,
        "status": detected.status,
        "created": format_instant(created),
        "updated": format_instant(now),
        "tags": list(detected.tags),
        "project": project,
        "derived_from": list(request.derived_from),
        "source": stamp_source(actor, request.source, request.ref, request.stated_by),
        "confidence": request.confidence,
        "valid_from": None if request.valid_from is None else format_instant(request.valid_from),
        "valid_to": None if request.valid_to is None else format_instant(request.valid_to),
        **_promise(detected.kind, request.due),
    }
    said = {key: value for key, value in fields.items() if value is not None and value != []}
    return compose_note(said, body)


def _promise(kind: str, due: str | None) -> dict[str, Value]:
    """Return the fields of a commitment. Raises UsageError if another kind has a due date."""
    if kind == "commitment":
        return {"state": OPEN, "due": None if due is None else read_due(due)}
    if due is not None:
        raise UsageError(f"a {kind} is not due", remedy="save it as --kind commitment")
    return {}


def _weigh(store: Store, request: SaveRequest, note: Note, path: str) -> Note:
    """Return the note with the weight, if the caller gave one. Raises UsageError."""
    if request.weight is None:
        return note
    return note.patch({"weight": read_weight(store, Entry(path, note, ""), request.weight)})


def _file(store: Store, note: Note, folder: str, slug: str, actor: Actor, op: str) -> Outcome:
    """Write the note under the first free name, unless the same memory is there already: then it is
    restored if it was forgotten. Raises ConflictError if no name is free."""
    similar: str | None = None
    refused: EngrainError | None = None
    for stem in _list_stems(slug, note):
        locator = make_locator(f"{folder}/{stem}.md")
        entry = Entry(locator, note, hash_bytes(note.raw))
        try:
            found = _look(store, locator)
            if found is None:
                if _create(store, entry, actor, op):
                    return Outcome(SIMILAR if similar else CREATED, entry, other=similar)
                found = _look(store, locator)
        except (MalformedError, ForbiddenPathError) as error:
            # An unreadable file is left alone, and its name counts as taken.
            similar, refused = similar or locator, error
            continue
        if found and _is_same(found, entry):
            deleted = found.status == "deleted"
            return revive(store, Locator(found.path)) if deleted else Outcome(UNCHANGED, found)
        similar = similar or (found.id if found else None)
    raise refused or ConflictError(f"no free name for {slug!r} in {folder}", path=folder)


def _list_stems(slug: str, note: Note) -> Iterator[str]:
    """Yield the names to try: the slug, then the slug with more and more of the content's hash."""
    yield slug
    substance = note.substance(_INCIDENTAL)
    for length in _SUFFIXES:
        yield f"{slug}-{substance[:length]}"


def _is_same(one: Entry, other: Entry) -> bool:
    alike = one.note.substance(_INCIDENTAL) == other.note.substance(_INCIDENTAL)
    return alike and one.project == other.project


def _look(store: Store, locator: Locator) -> Entry | None:
    """Return the entry at a place, None if it is free. Raises MalformedError,
    ForbiddenPathError."""
    try:
        return store.read_entry(locator)
    except NotFoundError:
        return None


def _create(store: Store, entry: Entry, actor: Actor, op: str) -> bool:
    """Write the new entry; return False if another writer took the place first."""
    write = Write(Locator(entry.path), entry.note.raw, entry.id)
    reason = describe_stated(entry.source)
    try:
        store.commit(op, [write], reason=reason, actor=actor, known=[entry])
    except ConflictError:
        return False
    return True


def compose_body(title: str | None, text: str) -> tuple[str, str]:
    """Return the title and the body with that title as heading, from what a caller gave. Raises
    UsageError."""
    check_text(f"{title}{text}")
    text = text.replace("\r\n", "\n").strip("\n")
    heading, rest = split_heading(text)
    given = " ".join((title or heading or "").split())
    if not given:
        # A line that has only marks, such as a rule, is no title.
        lines = (" ".join(line.strip("#>*- \t").split()) for line in text.splitlines())
        given = shorten(next(filter(None, lines), ""), _CUT_TITLE)
    if not given:
        raise UsageError(
            "there is nothing to save: no title and no text", remedy="give --title or a text"
        )
    if len(given) > _MAX_TITLE:
        raise UsageError(f"a title of {len(given)} characters is over {_MAX_TITLE}")
    under = rest if heading == given else text
    return given, f"# {given}\n" + (f"{under.rstrip()}\n" if under.strip() else "")


def check_size(note: Note) -> None:
    """Raise UsageError for a note that is too large to be read back."""
    size = len(note.raw)
    if size > MAX_NOTE_BYTES:
        raise UsageError(
            f"an entry of {size} bytes is over the limit of {MAX_NOTE_BYTES}",
            remedy="split it: one note is one fragment",
        )


def compose_new(store: Store, fields: Mapping[str, Value], body: str, source: Value) -> Note:
    """Return a new note from `fields` and `body`: active by default, with its times, an id if
    `fields` have none, and `source` as `stamp_source` returns it. Fields that are None are left
    out. Raises UsageError if it is too large."""
    now = store.clock.now()
    whole: dict[str, Value] = {
        "id": fields.get("id") or make_id(now, store.entropy.draw(10)),
        "kind": fields["kind"],
        "status": ACTIVE,
        "created": format_instant(now),
        "updated": format_instant(now),
        **fields,
        "source": source,
    }
    note = compose_note({key: value for key, value in whole.items() if value is not None}, body)
    check_size(note)
    return note


USER = "user"
STATED = "the agent says that the user stated it"
"""The reason, in the history, of what an agent files as the user's words."""


def stamp_source(actor: Actor, kind: str, ref: str | None, stated_by: str | None = None) -> Value:
    """Return the field `source`: where an entry came from, the agent that wrote it, its origin as a
    copy for people, and whether an agent says that the user stated it. Nobody says so of what
    comes from a tool or from outside. Raises UsageError."""
    if stated_by not in (None, USER):
        raise UsageError(f"stated_by {stated_by!r} is not {USER!r}")
    source: dict[str, Value] = {"kind": kind}
    if ref:
        source["ref"] = ref
    if actor.agent:
        source["agent"] = actor.agent
    if stated_by and actor.trust in ("agent", OPERATOR):
        source["stated_by"] = stated_by
    source["trust"] = actor.trust
    return source


def describe_stated(source: Value) -> str:
    """Return the reason of a change to an entry with this `source`: STATED, or ""."""
    return STATED if isinstance(source, dict) and "stated_by" in source else ""


def home_project(kind: Kind, text: str, current: str | None) -> str | None:
    """Return the project that a new entry belongs to if none is named: the current one. A
    preference or feedback holds everywhere, unless its text says "in this project"."""
    if not current or not kind.projectless:
        return current
    return current if names_project(text, current) else None


def revive(store: Store, locator: Locator) -> Outcome:
    """Make a deleted entry active again; for any other return `unchanged`."""

    def undelete(entry: Entry) -> Note:
        if entry.status != "deleted":
            return entry.note
        now = store.now
        return entry.note.patch({"status": "active", "updated": now}, ["deleted_at"])

    outcome = store.update(locator, undelete, "restore")
    if outcome.outcome != UNCHANGED:
        outcome.outcome = RESTORED
    return outcome
