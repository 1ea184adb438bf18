"""`edit` and `evolve`: change an entry in place, or replace it by a successor (S1.1, S1.15)."""

from __future__ import annotations

from collections.abc import Sequence

from engrain.engine.core.attesting import acting_from
from engrain.engine.core.contradictions import CONTRADICTS
from engrain.engine.core.drawing import draw_links
from engrain.engine.core.moving import retire, slug_in_place
from engrain.engine.core.outcomes import CREATED, Outcome
from engrain.engine.core.redaction import Redaction
from engrain.engine.core.scope import counted_successions
from engrain.engine.core.store import Actor, Store
from engrain.engine.verbs.save import (
    check_size,
    compose_body,
    describe_stated,
    home_project,
    stamp_source,
)
from engrain.language.text.instants import format_instant
from engrain.model.errors import ConflictError, UsageError
from engrain.model.note.documents import list_of
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note, compose_note, make_id
from engrain.model.note.tiers import ACTIVE, EXTERNAL, SUPERSEDED, kind_of, split_ending
from engrain.seam.changes import Write
from engrain.seam.rows import Row

# The fields that a successor takes over from the entry it replaces.
_INHERITED = (
    "kind", "slug", "tags", "project", "always_load", "weight", "confidence", "state", "due",
)  # fmt: skip


def edit_entry(
    store: Store,
    reference: str,
    *,
    expect: str,
    text: str | None = None,
    title: str | None = None,
    tags: Sequence[str] | None = None,
) -> Outcome:
    """Change an entry in place. Raises ConflictError if its hash is not `expect`, UsageError if
    there is nothing to change."""
    if text is None and title is None and tags is None:
        raise UsageError("there is nothing to change", remedy="give text, --title or --tag")
    redaction = Redaction(store)
    text, title = redaction.clean_given(text), redaction.clean_given(title)
    tags = None if tags is None else [redaction.clean(tag) for tag in tags]
    row = store.find_one(reference)
    if text is not None or title is not None:
        _refuse_record(row)
    actor = _reviser(store, row, expect)

    def change(entry: Entry) -> Note:
        note = entry.note
        if text is not None or title is not None:
            note = note.with_body(
                compose_body(title or entry.title, entry.text if text is None else text)[1]
            )
        fields: dict[str, Value] = {"id": entry.id, "updated": store.now}
        if title is not None and "title" in entry.fields:
            fields["title"] = title
        if tags is not None:
            fields["tags"] = list(tags)
        revised = note.patch(fields)
        if revised.substance() == entry.note.substance():
            return entry.note
        if "trust" in entry.source:
            source = {**entry.source, "trust": actor.trust}
            source.pop("stated_by", None)
            revised = revised.patch({"source": source})
        check_size(revised)
        return revised

    outcome = store.update(row.locator, change, "edit", expect=expect, actor=actor)
    outcome.redacted = redaction.rules
    return outcome


def evolve_entry(
    store: Store,
    reference: str,
    text: str,
    *,
    title: str | None = None,
    tags: Sequence[str] | None = None,
    reason: str = "",
    said: float | None = None,
    expect: str | None = None,
    project: str | None = None,
    stated_by: str | None = None,
) -> Outcome:
    """Archive an entry and put a successor in its place, so that links by name lead to that.

    `Memory.evolve` explains the arguments. With `said`, in epoch seconds, the new one holds from
    then on and the old one until then. Both files change, or neither. Raises ConflictError if two
    callers evolve one entry at once (S1.15), and if `expect` is not the file's hash.
    """
    redaction = Redaction(store)
    text, title = redaction.clean(text), redaction.clean_given(title)
    project = redaction.clean_given(project)
    tags = None if tags is None else [redaction.clean(tag) for tag in tags]
    reason = redaction.clean(reason)
    row = store.find_one(reference)
    _refuse_record(row)
    stored = store.backend.read(row.locator)
    old = read_entry(row.locator, stored.raw)
    _require_active(store, row, old)
    if expect not in (None, stored.hash):
        raise ConflictError(f"{row.id} has changed since", path=row.locator, remedy="read it again")
    actor = _reviser(store, row, stored.hash)
    store.preserve(row.locator, stored, old.id)
    now = store.clock.now()
    new_id = make_id(now, store.entropy.draw(10))
    heading, body = compose_body(title or old.title, text)
    fields: dict[str, Value] = {
        "id": new_id,
        **_inherit(old),
        "status": "active",
        "created": format_instant(now if said is None else said),
        "updated": format_instant(now),
        "supersedes": old.id,
        "source": stamp_source(actor, "evolve", None, stated_by),
    }
    if said is not None:
        fields["valid_from"] = format_instant(said)
    if tags is not None:
        fields["tags"] = list(tags)
    if "title" in old.fields:
        fields["title"] = heading
    fields |= _find_home(store, old, body, project)
    over = {"status": "superseded", "updated": format_instant(now)}
    if said is not None:
        over["valid_to"] = format_instant(min(said, old.valid_to or said))
    retired = retire(old, over)
    known = {old.id: split_ending(retired.locator)[0]}
    reason = reason or describe_stated(fields["source"])
    successor = draw_links(store, compose_note(fields, body), names=known)
    check_size(successor)
    writes = [retired, Write(row.locator, successor.raw, new_id, stored.hash)]
    store.commit("evolve", writes, reason=reason, actor=actor)
    entry = store.read_entry(row.locator)
    return Outcome(CREATED, entry, other=old.id, redacted=redaction.rules)


def _find_home(store: Store, old: Entry, body: str, named: str | None) -> dict[str, Value]:
    """Return the field of a successor's project, if one is named, or if the old entry held in all
    projects and the text speaks of this one."""
    kind = kind_of(old.kind)
    if not named and kind.projectless and not old.project:
        named = home_project(kind, body, store.project)
    return {"project": named} if named else {}


def _reviser(store: Store, row: Row, hash_: str) -> Actor:
    """Return the actor to record for a revision of the bytes with that hash, trusted no more than
    these. Raises ConflictError if external text would replace a note in T2."""
    actor = acting_from(store, over=row, hash_=hash_)
    if store.actor.trust == EXTERNAL and row.tier == "T2":
        raise ConflictError(
            f"{row.id} is the operator's: what comes from outside does not replace it",
            path=row.locator,
            remedy="save it as an entry of its own: it waits in the inbox for the operator",
        )
    return actor


def _require_active(store: Store, row: Row, old: Entry) -> None:
    """Raise ConflictError unless the entry is active and still the one at its place."""
    status = row.status_for(counted_successions(store.settings))
    if old.id != row.id or status != ACTIVE or old.status != ACTIVE:
        now = SUPERSEDED if old.id != row.id or status == SUPERSEDED else old.status
        raise ConflictError(
            f"{row.id} is {now}: only an active entry evolves",
            path=row.locator,
            remedy=f"see `engrain show {slug_in_place(row)}` for the entry that stands there now",
        )


def _inherit(old: Entry) -> dict[str, Value]:
    """Return the fields that a successor takes over. Links of the relations `contradicts`, which
    the successor settles, and `superseded_by`, which concern the old entry only, are left out."""
    fields = {key: old.fields[key] for key in _INHERITED if key in old.fields}
    if old.slug == split_ending(old.path)[0]:
        fields.pop("slug", None)
    left = (CONTRADICTS, "superseded_by")
    links = [
        link
        for link in list_of(old.fields.get("links"))
        if not (isinstance(link, dict) and link.get("relation") in left)
    ]
    if links:
        fields["links"] = links
    fields.setdefault("kind", old.kind)
    return fields


def _refuse_record(row: Row) -> None:
    """Raise UsageError for a record, which has no text: a trace, a hand-off, a ledger."""
    if split_ending(row.locator)[1] != ".md":
        raise UsageError(
            f"{row.id} is a record of kind {row.kind}, which has no text of its own",
            path=row.locator,
            remedy="change its file, or forget it",
        )
