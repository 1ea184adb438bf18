"""Checkpoints: a snapshot of a session's short-term memory, saved and loaded by name (S4.10).

A snapshot holds what was given, and refers to the rest: working notes by place and hash, hand-offs
and recalled entries by id. It copies nothing that is stored elsewhere, except the agent's ledger,
which keeps changing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from json import dumps
from typing import Any

from engrain.agents.handoffs import list_handoffs
from engrain.agents.harness import Harness
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.redaction import clean_name
from engrain.engine.core.scope import own_projects
from engrain.engine.core.store import Store
from engrain.engine.verbs.records import compose_record, list_records, put_record, read_record
from engrain.language.text.instants import format_instant, read_instant
from engrain.model.errors import ConflictError, EngrainError, NotFoundError, UsageError
from engrain.model.experience.ledger import (
    CHECKPOINT,
    Progress,
    advance,
    file_stem,
    fresh_ledger,
    place_of_checkpoint,
)
from engrain.model.experience.ledger import FOLDER as LEDGERS
from engrain.model.experience.ledger import KIND as LEDGER
from engrain.model.note.documents import is_deeper, object_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import make_id
from engrain.model.note.tiers import ACTIVE
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Filter


def save_ledger(store: Store, /, agent: str = "", **progress: Any) -> Outcome:
    """Write an agent's state into its own ledger (S2.5)."""
    agent = clean_name(store, agent or store.actor.agent, "the agent of a ledger")
    news = Progress(**progress)

    def change(note: JsonNote) -> JsonNote:
        now = store.now
        after = note.with_document(advance(note.document, news, now))
        return after.patch({"status": ACTIVE}, ("deleted_at",))

    def begin() -> JsonNote:
        document = advance(fresh_ledger(agent), news, store.now)
        return compose_record(store, LEDGER, document, project=store.project, source=LEDGER)

    place = _find(store, agent) or _own_place(agent)
    return put_record(store, place, begin, change, f"the ledger of {agent}")


def show_ledger(store: Store, agent: str = "") -> Mapping[str, Any]:
    """Return the document of an agent's ledger. Raises NotFoundError."""
    agent = clean_name(store, agent or store.actor.agent, "the agent of a ledger")
    place = _find(store, agent)
    if place is None:
        raise NotFoundError(f"{agent} has no ledger", remedy="`engrain agent ledgers` lists them")
    return read_record(store, place).note.document


def list_ledgers(store: Store) -> list[Mapping[str, Any]]:
    """List every agent's ledger that can be read, the latest first. The index must be ready."""
    found = sorted(
        list_records(store, LEDGER), key=lambda pair: (-(pair[0].created or 0.0), pair[0].locator)
    )
    return [entry.note.document for _, entry in found]


def _own_place(agent: str) -> Locator:
    return make_locator(f"{LEDGERS}/{file_stem(agent)}.json")


def _find(store: Store, agent: str) -> Locator | None:
    """Return the place of an agent's ledger, None if it has none. Raises ConflictError for a file
    that is another agent's."""
    own = _own_place(agent)
    try:
        there = read_record(store, own)
    except NotFoundError:
        return None
    if there.note.document.get("agent_id") != agent:
        raise ConflictError(f"{own} is the ledger of another agent", path=own)
    return own


MOST_GIVEN = 256 * 1024
"""The most bytes of given content, since an agent reads a whole snapshot into its context."""
_MOST_DEPTH = 32
_MOST_WAITING = 50
_RENEWED = ("status", "project", "source")
"""The fields of a checkpoint that a newer one with its name replaces."""


class Checkpoint:
    """One checkpoint; a document without a `snapshot` is one itself. `moved` says whether the
    working notes have changed since, None if unknown."""

    def __init__(self, entry: Entry) -> None:
        document = entry.note.document
        self.entry = entry
        self.name = str(document.get("name") or entry.slug)
        self.timestamp = read_instant(document.get("timestamp"))
        self.agent = str(document.get("agent") or "")
        self.project = str(document.get("project") or "")
        kept = document.get("snapshot", {"given": dict(document)})
        self.snapshot: Mapping[str, Any] = object_of(kept)
        self.moved: bool | None = None


def save_checkpoint(
    store: Store,
    name: str,
    given: object = None,
    *,
    session: str = "",
    recalled: Sequence[str] = (),
    git: Mapping[str, str] | None = None,
    bare: bool = False,
) -> Outcome:
    """Save a snapshot under a name, in place of an older one of that name. `given` is a text or a
    value of JSON; `bare` leaves out the working memory around it: the ids that the `session`
    `recalled`, the state of `git`, hand-offs, the ledger. Raises UsageError for too much, or
    nothing."""
    name = clean_name(store, name, "the checkpoint")
    _check(given)
    snapshot: dict[str, Any] = {} if given is None else {"given": given}
    if not bare:
        snapshot |= _surroundings(store, session, recalled, git)
    if not snapshot:
        raise UsageError("nothing is given to keep", remedy="name a file, or leave out --bare")
    place = _place_of(name)
    now = store.clock.now()
    document = {
        "id": make_id(now, store.entropy.draw(10)),
        "name": name,
        "timestamp": format_instant(now),
        "agent": store.actor.agent,
        "project": store.project or "",
        "snapshot": snapshot,
    }
    note = compose_record(
        store, CHECKPOINT, document, project=store.project, source=CHECKPOINT, ref=session
    )

    def replace(before: JsonNote) -> JsonNote:
        if before.document.get("name") != name:
            raise ConflictError(f"{place} is a checkpoint of another name", path=place)
        kept = {"id": before.document.get("id") or document["id"]}
        own: dict[str, Value] = {key: note.own[key] for key in _RENEWED if key in note.own}
        return before.with_document({**note.document, **kept}).patch(own, ("deleted_at",))

    return put_record(store, place, lambda: note, replace, f"checkpoint {name}")


def _place_of(name: str) -> Locator:
    return make_locator(place_of_checkpoint(name))


def load_checkpoint(store: Store, name: str | None = None) -> Checkpoint:
    """Read a checkpoint by name, else the latest of the current project. The index must be ready.
    Raises NotFoundError."""
    place = None
    if name is not None:
        place = _place_of(clean_name(store, name, "the checkpoint"))
    elif found := list_checkpoints(store):
        place = make_locator(found[0].entry.path)
    try:
        if place is None:
            raise NotFoundError("no checkpoint")
        entry = read_record(store, place)
        if entry.status != ACTIVE:
            raise NotFoundError("it was forgotten")
    except NotFoundError:
        raise NotFoundError(
            f"no checkpoint {name!r}" if name else "there is no checkpoint yet",
            remedy="`engrain agent checkpoints` shows them, `engrain agent checkpoint NAME` makes"
            " one",
        ) from None
    checkpoint = Checkpoint(entry)
    notes = checkpoint.snapshot.get("continuity")
    if isinstance(notes, dict):
        checkpoint.moved = _hash_at(store, str(notes.get("path"))) != notes.get("hash")
    return checkpoint


def list_checkpoints(store: Store, *, all_projects: bool = False) -> list[Checkpoint]:
    """List the checkpoints of the current project and of no project, newest first. The index must
    be ready."""
    projects = None if all_projects else own_projects(store.project)
    only = Filter(statuses=(ACTIVE,), projects=projects)
    found = [Checkpoint(entry) for _, entry in list_records(store, CHECKPOINT, only)]
    return sorted(found, key=lambda one: (one.timestamp or 0.0, one.entry.id), reverse=True)


def _surroundings(
    store: Store, session: str, recalled: Sequence[str], git: Mapping[str, str] | None
) -> dict[str, Any]:
    found: dict[str, Any] = {}
    if session:
        found["session"] = {"id": session, "recalled": list(recalled)}
    if store.project:
        place = Harness(store.project).continuity
        if hash_ := _hash_at(store, place):
            found["continuity"] = {"path": place, "hash": hash_}
    with suppress(EngrainError):  # a snapshot may be without them
        store.require_index()
        waiting = list_handoffs(store)[:_MOST_WAITING]
        found["handoffs"] = [{"id": one.id} for one in waiting]
    if store.actor.agent:
        with suppress(EngrainError):
            found["ledger"] = show_ledger(store)
    if git:
        found["git"] = dict(git)
    return found


def _check(given: object) -> None:
    """Raise UsageError for a value that is too deep or too long, or is not JSON."""
    if is_deeper(given, _MOST_DEPTH):
        raise UsageError(f"a snapshot can't be nested deeper than {_MOST_DEPTH}")
    try:
        size = len(dumps(given, ensure_ascii=False).encode(errors="replace"))
    except (TypeError, ValueError) as error:
        raise UsageError(f"that can't be kept as JSON: {error}") from None
    if size > MOST_GIVEN:
        raise UsageError(
            f"a snapshot of {size} bytes is over the limit of {MOST_GIVEN}",
            remedy="keep what the next session has to know, and refer to the rest",
        )


def _hash_at(store: Store, place: str) -> str:
    try:
        return store.backend.read(make_locator(place)).hash
    except EngrainError:
        return ""
