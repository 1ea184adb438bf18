"""`save`: writes one memory once, and never alters an existing entry (S1.1, S1.22).

If an entry in the same folder has the same project, slug and substance, the outcome is `unchanged`,
or `restored` if it was forgotten. If only the slug is the same, a new entry is written beside it,
`similar`. Its name comes from its content, so that saving it again, also on another machine, finds
it. A draft passes through `STEPS`, and each step adds what it decides.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

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
from engrain.model.note.detection import EXPLICIT, detect_kind, detect_status, detect_tags
from engrain.model.note.entry import Entry
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


def save(
    store: Store,
    text: str,
    *,
    title: str | None = None,
    kind: str | None = None,
    tags: Sequence[str] | None = None,
    project: str | None = None,
    status: str | None = None,
    slug: str | None = None,
    created: float | None = None,
    valid_from: float | None = None,
    valid_to: float | None = None,
    confidence: float | None = None,
    weight: float | Mapping[str, float] | None = None,
    derived_from: Sequence[str] = (),
    source: str = "api",
    ref: str | None = None,
    due: str | None = None,
    op: str = "save",
    stated_by: str | None = None,
) -> Outcome:
    """Write one memory; the outcome is `created`, `unchanged`, `restored` or `similar` (S1.1).

    `Memory.save` explains the arguments; times are in epoch seconds here. Kind, status and tags
    that are not given are detected (S1.22), and a missing weight is estimated when first needed
    (S3.3). Raises UsageError if the text is empty or a field is invalid; ConflictError.
    """
    draft = Draft(**locals())
    for step in STEPS:
        step(draft)
    return draft.outcome


class Draft:
    """A memory on its way into the vault: the arguments of `save`, and what each step decides."""

    store: Store
    text: str
    title: str | None
    kind: str | None
    tags: Sequence[str] | None
    project: str | None
    status: str | None
    slug: str | None
    created: float | None
    valid_from: float | None
    valid_to: float | None
    confidence: float | None
    weight: float | Mapping[str, float] | None
    derived_from: Sequence[str]
    source: str
    ref: str | None
    due: str | None
    op: str
    stated_by: str | None

    redaction: Redaction
    body: str
    stem: str
    decided: dict[str, tuple[str, str]]
    """The kind, the status and the tags, each with the tier that decided it."""
    actor: Actor
    folder: str
    note: Note
    outcome: Outcome

    def __init__(self, **given: Any) -> None:
        self.__dict__.update(given)


def redact(draft: Draft) -> None:
    """Replace the secrets in every text, before title, slug and tags are made from it."""
    draft.redaction = redaction = Redaction(draft.store)
    names = ("text", "title", "slug", "project", "source", "ref")
    given = [getattr(draft, name) for name in names]
    if redaction.finds([*given, *(draft.tags or ()), *draft.derived_from]):
        for name, text in zip(names, given, strict=True):
            setattr(draft, name, redaction.clean_given(text))
        if draft.tags is not None:
            draft.tags = [redaction.clean(tag) for tag in draft.tags]
        draft.derived_from = [redaction.clean(source) for source in draft.derived_from]


def read_text(draft: Draft) -> None:
    """Separate the title from the body, and name the file after it. Raises UsageError."""
    draft.title, draft.body = compose_body(draft.title, draft.text)
    draft.stem = slugify(draft.slug or draft.title, "note-" + hash_bytes(draft.body.encode())[:8])


def check(draft: Draft) -> None:
    """Refuse values that no entry can have. Raises UsageError."""
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


def decide(draft: Draft) -> None:
    """Detect the kind, the status and the tags that were not given (S1.22)."""
    kind = detect_kind(draft.kind, draft.stem, draft.body, DEFAULT_KIND)
    status = detect_status(draft.status, draft.stem)
    draft.tags, tier = detect_tags(draft.tags, draft.stem, draft.body)
    draft.kind, draft.status = kind.value, status.value
    draft.decided = {
        "kind": (kind.value, kind.tier),
        "status": (status.value, status.tier),
        "tags": (", ".join(draft.tags), tier),
    }


def choose_folder(draft: Draft) -> None:
    """Choose the folder by kind, project, status and author. An external memory that would go to a
    folder of T2 goes to the inbox, since only the operator may put it there. Raises UsageError."""
    kind = kind_of(draft.decided["kind"][0])
    draft.project = draft.project or home_project(kind, draft.body, draft.store.project)
    draft.actor = _author(draft)
    draft.folder = _folder(draft)
    if draft.actor.trust == "external" and tier_of(f"{draft.folder}/") == "T2":
        draft.status = INBOX
        draft.decided["status"] = (INBOX, "origin")
        draft.folder = _folder(draft)


def compose(draft: Draft) -> None:
    """Compose the note, with a new id. Raises UsageError."""
    now = draft.store.clock.now()
    created = draft.created if draft.created is not None else now
    fields: dict[str, Value] = {
        "id": make_id(created, draft.store.entropy.draw(10)),
        "kind": draft.kind,
        "status": draft.status,
        "created": format_instant(created),
        "updated": format_instant(now),
        "tags": list(draft.tags or ()),
        "project": draft.project,
        "derived_from": list(draft.derived_from),
        "source": stamp_source(draft.actor, draft.source, draft.ref, draft.stated_by),
        "confidence": draft.confidence,
        "valid_from": None if draft.valid_from is None else format_instant(draft.valid_from),
        "valid_to": None if draft.valid_to is None else format_instant(draft.valid_to),
        **_promise(draft),
    }
    said = {key: value for key, value in fields.items() if value is not None and value != []}
    draft.note = compose_note(said, draft.body)


def weigh(draft: Draft) -> None:
    """Add the weight if the caller gave one. Raises UsageError."""
    if draft.weight is not None:
        entry = Entry(f"{draft.folder}/{draft.stem}.md", draft.note, "")
        weight = read_weight(draft.store, entry, draft.weight)
        draft.note = draft.note.patch({"weight": weight})


def file(draft: Draft) -> None:
    """Commit the note under the first free name, unless the same memory is there already. Raises
    UsageError if it is too large, ConflictError if no name is free."""
    check_size(draft.note)
    similar: str | None = None
    refused: EngrainError | None = None
    for stem in _stems(draft.stem, draft.note):
        locator = make_locator(f"{draft.folder}/{stem}.md")
        try:
            found = _look(draft.store, locator)
            if found is None:
                if entry := _create(draft, locator):
                    draft.outcome = _tell(draft, SIMILAR if similar else CREATED, entry, similar)
                    return
                found = _look(draft.store, locator)
        except (MalformedError, ForbiddenPathError) as error:
            # An unreadable file is left alone, and its name counts as taken.
            similar, refused = similar or locator, error
            continue
        if found and found.project == draft.project and _is_same(found.note, draft.note):
            draft.outcome = _meet_again(draft, found)
            return
        similar = similar or (found.id if found else None)
    raise refused or ConflictError(
        f"no free name for {draft.stem!r} in {draft.folder}", path=draft.folder
    )


STEPS: tuple[Callable[[Draft], None], ...] = (
    redact, read_text, check, decide, choose_folder, compose, weigh, file,
)  # fmt: skip
"""The steps that a draft passes through, in this order, each once."""


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


def say_stated(source: Value) -> str:
    """Return the reason of a change to an entry with this `source`: STATED, or ""."""
    return STATED if isinstance(source, dict) and "stated_by" in source else ""


def _author(draft: Draft) -> Actor:
    """Return the actor of the entry, trusted no more than the sources it is derived from."""
    if not draft.derived_from:
        return draft.store.actor
    return acting_from(draft.store, draft.derived_from)


def _folder(draft: Draft) -> str:
    row = kind_of(draft.decided["kind"][0])
    if draft.status == INBOX:
        return "Memory/_inbox"
    if draft.actor.trust == "operator" and row.operator_folder:
        return row.operator_folder
    if "{project}" in row.folder:
        if draft.project is None:
            raise UsageError(
                f"a {draft.kind} belongs to a project",
                remedy="name it with --project, or run inside it",
            )
        return row.folder.format(project=slugify(draft.project, "project"))
    return row.folder


def _promise(draft: Draft) -> dict[str, Value]:
    """Return the fields of a commitment. Raises UsageError if another kind has a due date."""
    if draft.kind == "commitment":
        return {"state": OPEN, "due": None if draft.due is None else read_due(draft.due)}
    if draft.due is not None:
        raise UsageError(f"a {draft.kind} is not due", remedy="save it as --kind commitment")
    return {}


def _stems(slug: str, note: Note) -> Iterator[str]:
    yield slug
    substance = note.substance(_INCIDENTAL)
    for length in _SUFFIXES:
        yield f"{slug}-{substance[:length]}"


def _is_same(one: Note, other: Note) -> bool:
    return one.substance(_INCIDENTAL) == other.substance(_INCIDENTAL)


def _look(store: Store, locator: Locator) -> Entry | None:
    """Return the entry at a place, None if it is free. Raises MalformedError,
    ForbiddenPathError."""
    try:
        return store.read_entry(locator)
    except NotFoundError:
        return None


def _create(draft: Draft, locator: Locator) -> Entry | None:
    """Write the new entry and return it, None if another writer took the place first."""
    raw = draft.note.raw
    entry = Entry(locator, draft.note, hash_bytes(raw))
    write = Write(locator, raw, entry.id)
    try:
        reason = say_stated(entry.source)
        draft.store.commit(draft.op, [write], reason=reason, actor=draft.actor, known=[entry])
    except ConflictError:
        return None
    return entry


def _meet_again(draft: Draft, found: Entry) -> Outcome:
    """Return the outcome of saving an existing entry again; restore it if it was forgotten."""
    redacted = draft.redaction.rules
    if found.status != "deleted":
        return Outcome(UNCHANGED, found, redacted=redacted)
    outcome = revive(draft.store, Locator(found.path))
    outcome.redacted = redacted
    return outcome


def _tell(draft: Draft, outcome: str, entry: Entry, similar: str | None) -> Outcome:
    shown = {key: value for key, value in draft.decided.items() if value[1] != EXPLICIT}
    redacted = draft.redaction.rules
    return Outcome(outcome, entry, decided=shown, other=similar, redacted=redacted)


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
