"""`save`: file one memory, once, without ever altering an entry that is there (S1.1, S1.22).

Same folder, project, slug and substance: `unchanged`. Equal to a forgotten one: `restored`. Same
slug and other text: a new entry beside it, told as `similar`. The name of the one beside it comes
from its content, so that saving it again, here or on another machine, finds it again.
"""

from __future__ import annotations

from engrain.engine.core.outcomes import CREATED, RESTORED, SIMILAR, UNCHANGED, Outcome
from engrain.engine.core.redaction import Redaction
from engrain.engine.verbs.draft import Draft, clean_draft
from engrain.language.text.instants import format_instant
from engrain.language.text.slugs import slugify
from engrain.model.errors import (
    ConflictError,
    ForbiddenPathError,
    MalformedError,
    NotFoundError,
    UsageError,
)
from engrain.model.note.detection import detect_kind, detect_status, detect_tags
from engrain.model.note.entry import Entry, split_heading
from engrain.model.note.ids import make_id
from engrain.model.note.kinds import DEFAULT_KIND, kind_of
from engrain.model.note.note import MAX_NOTE_BYTES, compose_note, hash_bytes
from engrain.model.note.tiers import ACTIVE, INBOX, STATUSES, tier_of
from engrain.seam.locator import Locator, make_locator
from engrain.seam.storage import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from engrain.engine.core.store import Actor, Store
    from engrain.model.errors import EngrainError
    from engrain.model.note.field import Value
    from engrain.model.note.note import Note

# What a second saving of the same thing may differ in.
_INCIDENTAL = (
    "id", "created", "source", "slug", "deleted_at", "status", "supersedes", "links", "always_load",
    "state",
)  # fmt: skip
_MAX_TITLE = 200
_FIRST, _LAST = -30_610_224_000, 253_402_300_799  # years of four digits, as ISO-8601 writes them
_SUFFIXES = (8, 16, 32)


def save_draft(store: Store, draft: Draft, *, op: str = "save") -> Outcome:
    """File a draft; `op` is what the history calls that. Raises UsageError when it says nothing or
    says it wrong."""
    redaction = Redaction(store)
    clean_draft(redaction, draft)
    title, body = compose_body(draft.title, draft.text)
    slug = slugify(draft.slug or title, "note-" + hash_bytes(body.encode())[:8])
    decided, tags = _decide(draft, slug, body)
    kind = kind_of(decided["kind"][0])
    project = draft.project or (None if kind.projectless else store.project)
    actor = _author(store, draft)
    folder = _folder(kind.name, project, decided["status"][0], actor.trust)
    if actor.trust == "external" and tier_of(f"{folder}/") == "T2":
        # What comes from outside stands among the operator's notes by the operator's word alone.
        decided["status"] = (INBOX, "origin")
        folder = _folder(kind.name, project, INBOX, actor.trust)
    fields = _compose_fields(store, actor, draft, slug, project, decided, tags)
    note = compose_note(fields, body)
    if draft.weight is not None:
        from engrain.engine.core.weighing import read_weight  # which a plain save does without

        place = f"{folder}/{slug}.md"
        note = note.patch({"weight": read_weight(store, Entry(place, note, ""), draft.weight)})
    check_size(note)
    wanted = note.substance(_INCIDENTAL)
    similar: str | None = None
    refused: EngrainError | None = None
    for stem in _stems(slug, wanted):
        locator = make_locator(f"{folder}/{stem}.md")
        try:
            found = _look(store, locator)
            if found is None:
                if stem != slug:
                    note = note.patch({"slug": stem})
                outcome = SIMILAR if similar else CREATED
                if entry := _create(store, actor, locator, note, op):
                    shown = {key: value for key, value in decided.items() if value[1] != "explicit"}
                    return Outcome(
                        outcome,
                        entry,
                        locator,
                        decided=shown,
                        other=similar,
                        redacted=redaction.rules,
                    )
                found = _look(store, locator)
        except (MalformedError, ForbiddenPathError) as error:
            # What can't be read is in the way like any other: its name is taken, it is left alone.
            similar, refused = similar or locator, error
            continue
        if found and found.project == project and found.note.substance(_INCIDENTAL) == wanted:
            return _meet_again(store, found, locator, redaction.rules)
        similar = similar or (found.id if found else None)
    raise refused or ConflictError(f"no free name for {slug!r} in {folder}", path=folder)


def compose_body(title: str | None, text: str) -> tuple[str, str]:
    """A title and the body under it, from what a caller gave. Raises UsageError."""
    text = text.replace("\r\n", "\n").strip("\n")
    try:
        f"{text}{title}".encode()
    except UnicodeEncodeError:
        raise UsageError("the text is not valid Unicode", remedy="save UTF-8 text") from None
    if "\0" in text or "\0" in (title or ""):
        raise UsageError("the text holds a NUL character", remedy="save text, not binary data")
    heading, rest = split_heading(text)
    given = " ".join((title or heading or "").split())
    if not given:
        # A line of marks alone, such as a rule, says nothing.
        lines = (" ".join(line.strip("#>*- \t").split()) for line in text.splitlines())
        given = next(filter(None, lines), "")[:80].rstrip()
    if not given:
        raise UsageError(
            "there is nothing to save: no title and no text",
            remedy="give --title, or text as an argument or on standard input with -",
        )
    if len(given) > _MAX_TITLE:
        raise UsageError(f"a title of {len(given)} characters is over {_MAX_TITLE}")
    under = rest if heading == given else text
    return given, f"# {given}\n" + (f"{under.rstrip()}\n" if under.strip() else "")


def check_size(note: Note) -> None:
    """Refuse what could not be read back. Raises UsageError."""
    size = len(note.raw)
    if size > MAX_NOTE_BYTES:
        raise UsageError(
            f"an entry of {size} bytes is over the limit of {MAX_NOTE_BYTES}",
            remedy="split it: one note is one fragment",
        )


def compose_new(store: Store, fields: Mapping[str, Value], body: str, source: Value) -> Note:
    """A new note, active unless `fields` say otherwise, with its times, an id where they have none,
    and its origin as `stamp_source` has it; None says nothing. Raises UsageError for one that is
    too large."""
    now = store.clock.now()
    whole: dict[str, Value] = {
        "id": fields.get("id") or make_id(now, store.entropy.draw(10)),
        "kind": fields["kind"],
        "slug": fields.get("slug"),
        "status": ACTIVE,
        "created": format_instant(now),
        "updated": format_instant(now),
        **fields,
        "source": source,
    }
    note = compose_note({key: value for key, value in whole.items() if value is not None}, body)
    check_size(note)
    return note


def stamp_source(actor: Actor, kind: str, ref: str | None) -> Value:
    """The `source` field: where it came from, by whom, and the origin as a copy for people."""
    source: dict[str, Value] = {"kind": kind}
    if ref:
        source["ref"] = ref
    if actor.agent:
        source["agent"] = actor.agent
    source["trust"] = actor.trust
    return source


def _decide(
    draft: Draft, slug: str, body: str
) -> tuple[dict[str, tuple[str, str]], tuple[str, ...]]:
    """What was decided and by which tier, to be shown; and the tags themselves."""
    if draft.status is not None and draft.status not in STATUSES:
        raise UsageError(f"status {draft.status!r} is not one of {', '.join(STATUSES)}")
    if draft.confidence is not None and not 0 <= draft.confidence <= 1:
        raise UsageError(f"confidence {draft.confidence} is not between 0 and 1")
    for name in ("created", "valid_from", "valid_to"):
        at = getattr(draft, name)
        if at is not None and not _FIRST <= at <= _LAST:
            raise UsageError(
                f"{name} {at} is in no year from 1000 to 9999",
                remedy="give a date, or seconds since the epoch",
            )
    if draft.kind is not None and slugify(draft.kind, "") != draft.kind:
        raise UsageError(
            f"kind {draft.kind!r} can't name a folder", remedy="use lower-case words and hyphens"
        )
    kind = detect_kind(draft.kind, slug, body, DEFAULT_KIND)
    status = detect_status(draft.status, slug, body)
    tags, tier = detect_tags(draft.tags, slug, body)
    decided = {
        "kind": (kind.value, kind.tier),
        "status": (status.value, status.tier),
        "tags": (", ".join(tags), tier),
    }
    return decided, tags


def _author(store: Store, draft: Draft) -> Actor:
    """Whom the entry comes from: the actor, or what it is derived from, if that is trusted less."""
    if not draft.derived_from:
        return store.actor
    from engrain.engine.core.attesting import acting_from

    return acting_from(store, draft.derived_from)


def _compose_fields(
    store: Store,
    actor: Actor,
    draft: Draft,
    slug: str,
    project: str | None,
    decided: dict[str, tuple[str, str]],
    tags: tuple[str, ...],
) -> dict[str, Value]:
    now = store.clock.now()
    created = draft.created if draft.created is not None else now
    fields: dict[str, Value] = {
        "id": make_id(created, store.entropy.draw(10)),
        "kind": decided["kind"][0],
        "slug": slug,
        "status": decided["status"][0],
        "created": format_instant(created),
        "updated": format_instant(now),
        "tags": list(tags),
        "project": project,
        "derived_from": list(draft.derived_from),
        "source": stamp_source(actor, draft.source, draft.ref),
        "confidence": draft.confidence,
        "valid_from": None if draft.valid_from is None else format_instant(draft.valid_from),
        "valid_to": None if draft.valid_to is None else format_instant(draft.valid_to),
        **_promise(draft, decided["kind"][0]),
    }
    return {key: value for key, value in fields.items() if value is not None and value != []}


def _promise(draft: Draft, kind: str) -> dict[str, Value]:
    """The fields of a commitment. Raises UsageError where something else is said to be due."""
    if kind == "commitment":
        from engrain.model.experience.commitments import OPEN, read_due

        return {"state": OPEN, "due": None if draft.due is None else read_due(draft.due)}
    if draft.due is not None:
        raise UsageError(f"a {kind} is not due", remedy="save it as --kind commitment")
    return {}


def _folder(kind: str, project: str | None, status: str, trust: str) -> str:
    row = kind_of(kind)
    if status == INBOX:
        return "Memory/_inbox"
    if trust == "operator" and row.operator_folder:
        return row.operator_folder
    if "{project}" in row.folder:
        if project is None:
            raise UsageError(
                f"a {kind} belongs to a project", remedy="name it with --project, or run inside it"
            )
        return row.folder.format(project=slugify(project, "project"))
    return row.folder


def _stems(slug: str, substance: str) -> Iterator[str]:
    yield slug
    for length in _SUFFIXES:
        yield f"{slug}-{substance[:length]}"


def _look(store: Store, locator: Locator) -> Entry | None:
    """The entry at a place, None when it is free. Raises MalformedError, ForbiddenPathError."""
    try:
        return store.read_entry(locator)
    except NotFoundError:
        return None


def _create(store: Store, actor: Actor, locator: Locator, note: Note, op: str) -> Entry | None:
    """The new entry, or None when another writer took the place first."""
    raw = note.raw
    entry = Entry(locator, note, hash_bytes(raw))
    try:
        store.commit(
            op, [Write(locator, raw, entry.id)], {locator: None}, actor=actor, known=[entry]
        )
    except ConflictError:
        return None
    return entry


def _meet_again(store: Store, found: Entry, locator: Locator, redacted: Sequence[str]) -> Outcome:
    if found.status != "deleted":
        return Outcome(UNCHANGED, found, locator, redacted=redacted)
    from engrain.engine.verbs.forget import revive

    return Outcome(RESTORED, revive(store, locator, found.id), locator, redacted=redacted)
