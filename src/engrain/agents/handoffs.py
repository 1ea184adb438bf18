"""Hand-offs between agents: one agent leaves it, and exactly one other claims it (S2.6).

Claiming is a compare-and-swap: if several agents try at once, one gets it and the others learn who.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.redaction import clean_name
from engrain.engine.core.scope import own_projects
from engrain.engine.core.store import Store
from engrain.engine.verbs.records import compose_record, read_record, save_record, update_record
from engrain.language.text.instants import format_instant, read_instant
from engrain.model.errors import ConflictError, EngrainError, NotFoundError, UsageError
from engrain.model.experience.handoff import CLAIMED, FOLDER, KIND, addressed_tag, tags_for
from engrain.model.experience.ledger import file_stem
from engrain.model.note.documents import list_of, object_of, trimmed, trimmed_texts
from engrain.model.note.entry import Entry
from engrain.model.note.json_note import JsonNote
from engrain.model.note.note import make_id
from engrain.model.note.tiers import ACTIVE
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
    agent: str = "",
    artifacts: Sequence[str] = (),
    git_state: str = "",
    needs_testing: Sequence[str] = (),
    known_issues: Sequence[str] = (),
    relevant_patterns: Sequence[str] = (),
    id: str | None = None,  # noqa: A002 - the field's name everywhere
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
