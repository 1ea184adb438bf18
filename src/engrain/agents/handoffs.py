"""What agents leave to each other and to their later selves: hand-offs, each left by one agent and
claimed by exactly one other (S2.6); each agent's ledger (S2.5); and checkpoints, snapshots of a
session's short-term memory, saved and loaded by name (S4.10).

Claiming is a compare-and-swap: if several agents try at once, one gets it and the others learn who.

A snapshot holds what was given, and refers to the rest: working notes by place and hash, hand-offs
and recalled entries by id. It copies nothing that is stored elsewhere, except the agent's ledger,
which keeps changing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from json import dumps
from typing import Any

from engrain.agents.harness import Harness
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.redaction import clean_name
from engrain.engine.core.scope import own_projects
from engrain.engine.core.store import Store
from engrain.engine.verbs.records import (
    compose_record,
    list_records,
    put_record,
    read_record,
    save_record,
    update_record,
)
from engrain.language.text.instants import format_instant, read_instant
from engrain.model.errors import ConflictError, EngrainError, NotFoundError, UsageError
from engrain.model.experience.handoff import CLAIMED, FOLDER, KIND, addressed_tag, tags_for
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
from engrain.model.note.documents import is_deeper, list_of, object_of, trimmed, trimmed_texts
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import make_id
from engrain.model.note.tiers import ACTIVE
from engrain.seam.locator import Locator, make_locator
from engrain.seam.rows import Filter, Row

_LIST_THEM = "`engrain handoff list` lists them"


class Handoff:
    """One hand-off; fields of the wrong form are left out. Times are in epoch seconds. `claimed_by`
    is "" until it is claimed; `origin` is the origin of the file, "" if unknown."""

    def __init__(self, entry: Entry, origin: str = "") -> None:
        document, own = entry.note.document, entry.note.own
        context = object_of(document.get("context"))
        self.id = entry.id
        self.path = entry.path
        self.hash = entry.hash
        self.title = entry.title
        self.project = entry.project
        self.status = entry.status
        self.origin = origin
        self.document = document
        self.from_agent = trimmed(document.get("from_agent"))
        self.to_agent = trimmed(document.get("to_agent"))
        self.timestamp = entry.created
        self.what_was_done = trimmed(context.get("what_was_done"))
        self.artifacts = trimmed_texts(context.get("artifacts"))
        self.git_state = trimmed(context.get("git_state"))
        self.needs_testing = trimmed_texts(context.get("needs_testing"))
        self.known_issues = trimmed_texts(context.get("known_issues"))
        self.relevant_patterns = trimmed_texts(context.get("relevant_patterns"))
        self.claimed_by = trimmed(own.get("claimed_by"))
        self.claimed_at = read_instant(own.get("claimed_at"))

    def is_for(self, agent: str) -> bool:
        """Whether it is addressed to this agent."""
        return addressed_tag(self.to_agent) in tags_for(agent)


def create_handoff(
    store: Store,
    to_agent: str,
    what_was_done: str,
    *,
    agent: str,
    artifacts: Sequence[str],
    git_state: str,
    needs_testing: Sequence[str],
    known_issues: Sequence[str],
    relevant_patterns: Sequence[str],
    id: str | None,  # noqa: A002 - the field's name everywhere
) -> Outcome:
    """Leave a hand-off to an agent, or to "any" (S2.6). Raises UsageError if the sender, the
    receiver or what was done is missing; ConflictError for an `id` that is taken."""
    from_agent = agent or store.actor.agent
    now = store.clock.now()
    for said, message, remedy in (
        (to_agent, "a hand-off to nobody", "name the agent with --to; `--to any` is for whoever"),
        (from_agent, "a hand-off from nobody", "name the agent with --from, or with --agent"),
        (what_was_done, "a hand-off says what was done", "say it with --what TEXT"),
    ):
        if not said.strip():
            raise UsageError(message, remedy=remedy)
    document = {
        "id": clean_name(store, id, "the hand-off") if id else make_id(now, store.entropy.draw(10)),
        "from_agent": clean_name(store, from_agent, "the agent that hands over"),
        "to_agent": clean_name(store, to_agent, "the agent it is for"),
        "timestamp": format_instant(now),
        "context": {
            "what_was_done": what_was_done.strip(),
            "artifacts": _said(artifacts),
            "git_state": git_state.strip(),
            "needs_testing": _said(needs_testing),
            "known_issues": _said(known_issues),
            "relevant_patterns": _said(relevant_patterns),
        },
    }
    return file_handoff(store, document)


def file_handoff(store: Store, document: Mapping[str, Any]) -> Outcome:
    """File a hand-off that has its id; an identical one is `unchanged`. Raises ConflictError if
    another entry has its id."""
    id_ = str(document["id"])
    place = f"{FOLDER}/{file_stem(id_)}.json"
    store.require_index()
    row = store.find_exact(id_)
    if row is not None and row.locator != place:
        raise ConflictError(
            f"another entry has the id {id_}", path=row.locator, remedy="give the hand-off another"
        )
    note = compose_record(store, KIND, document, project=store.project or None, source=KIND)
    return save_record(store, place, note)


def list_handoffs(
    store: Store, *, to: str | None = None, taken: bool = False, all_projects: bool = False
) -> list[Handoff]:
    """List the hand-offs that nobody has claimed, the oldest first."""
    only = Filter(
        kinds=(KIND,),
        tags=() if to is None else tags_for(to),
        statuses=(ACTIVE,),
        projects=None if all_projects else own_projects(store.project),
    )
    found: list[Handoff] = []
    for row in store.index.find(only):
        if taken or CLAIMED not in row.tags:
            with suppress(EngrainError):  # `doctor` reports what can't be read
                found.append(Handoff(read_record(store, row.locator), row.source))
    kept = [one for one in found if taken or not one.claimed_by]
    return sorted(kept, key=lambda one: (bool(one.claimed_by), one.timestamp or 0.0, one.id))


def show_handoff(store: Store, reference: str) -> Handoff:
    """Read one hand-off, by id, beginning of an id or path. Raises NotFoundError."""
    row = _find(store, reference)
    return Handoff(read_record(store, row.locator), row.source)


def claim_handoff(store: Store, reference: str, agent: str = "", *, force: bool = False) -> Outcome:
    """Claim a hand-off for an agent; claiming it again is `unchanged`."""
    agent = clean_name(store, agent or store.actor.agent, "the agent that takes it")
    row = _find(store, reference)
    since = store.now

    def claim(note: JsonNote) -> JsonNote:
        handoff = Handoff(Entry(row.locator, note, ""))
        if handoff.status != ACTIVE:
            raise NotFoundError(f"hand-off {row.id} was withdrawn", remedy=_LIST_THEM)
        if handoff.claimed_by == agent:
            return note
        if handoff.claimed_by:
            raise ConflictError(
                f"{handoff.claimed_by} has taken it, at {note.own.get('claimed_at')}",
                path=row.locator,
                remedy=f"{_LIST_THEM}; `engrain history {row.id}` names the claim, and undoing it"
                " lets it wait again",
            )
        if not force and not handoff.is_for(agent):
            raise UsageError(
                f"it is for {handoff.to_agent or 'nobody'}, and not for {agent}",
                remedy=f"--agent {handoff.to_agent or 'NAME'} says who you are;"
                " --force takes it where the operator says so",
            )
        tags = [*list_of(note.own.get("tags")), CLAIMED]
        return note.patch({"claimed_by": agent, "claimed_at": since, "tags": tags})

    return update_record(store, row.locator, claim, "claim", reason=f"taken by {agent}")


def _find(store: Store, reference: str) -> Row:
    row = store.find_one(reference)
    if row.kind != KIND:
        raise NotFoundError(f"{reference!r} is no hand-off", path=row.locator, remedy=_LIST_THEM)
    return row


def _said(texts: Sequence[str]) -> list[str]:
    return [text.strip() for text in texts if text.strip()]


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

    place = _find_ledger(store, agent) or _own_place(agent)
    return put_record(store, place, begin, change, f"the ledger of {agent}")


def show_ledger(store: Store, agent: str = "") -> Mapping[str, Any]:
    """Return the document of an agent's ledger. Raises NotFoundError."""
    agent = clean_name(store, agent or store.actor.agent, "the agent of a ledger")
    place = _find_ledger(store, agent)
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


def _find_ledger(store: Store, agent: str) -> Locator | None:
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
