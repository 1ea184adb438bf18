"""Staging: what a job would do to what others wrote waits for the operator's word (S1.17).

A proposal is a note in `Memory/_dream-staging/`, where recall does not look. It names an action of
the table in `actions`, what it is about and the hash of what that was. `review` has what the
operator does with them.
"""

from __future__ import annotations

from engrain.engine.redaction import clean_text
from engrain.engine.save import check_size, stamp_source
from engrain.lifecycle.actions import ACTIONS, Desk
from engrain.lifecycle.job import Report
from engrain.lifecycle.policy import staging_days
from engrain.lifecycle.proposals import (
    EXPIRED,
    KIND,
    REJECTED,
    STALE,
    Proposal,
    compose_body,
    make_proposal,
)
from engrain.model.entry import read_entry
from engrain.model.errors import ConflictError, EngrainError, NotFoundError, UsageError
from engrain.model.ids import make_id
from engrain.model.instants import format_instant
from engrain.model.kinds import kind_of
from engrain.model.note import compose_note
from engrain.model.slugs import safe_component
from engrain.model.strength import DAY
from engrain.model.tiers import STAGING
from engrain.seam.locator import make_locator
from engrain.seam.rows import Filter
from engrain.seam.storage import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from engrain.engine.outcomes import Outcome
    from engrain.engine.store import Store
    from engrain.lifecycle.actions import Action, OpenPersonal, Subject
    from engrain.lifecycle.job import Run
    from engrain.model.field import Value
    from engrain.seam.rows import Row
    from engrain.seam.storage import Stored

FOLDER = kind_of(KIND).folder
_ATTEMPTS = 5
_ALL = Filter(kinds=(KIND,), zones=(STAGING,))


def propose(
    store: Store,
    action: str,
    target: str,
    reason: str = "",
    *,
    open_personal: OpenPersonal | None = None,
) -> Outcome | None:
    """Propose an action on a target; None where the same is open already, or was rejected of what
    the target still is. An open one of what it was before is stale.

    Raises UsageError for what is no action, NotFoundError for what is not there.
    """
    row = find_action(action)
    for attempt in range(_ATTEMPTS):
        store.require_index()
        desk = Desk(store, open_personal)
        subject = row.find(desk, target)
        for old in _about(store, action, subject.id):
            same = old.base == subject.base
            if same and (old.open or old.decision == REJECTED):
                return None
            if old.open:
                decide(store, old, STALE)
        try:
            return _write(desk, action, row, subject, reason)
        except ConflictError:
            if attempt == _ATTEMPTS - 1:
                raise  # others propose the same all the time
    raise AssertionError("the last attempt returns or raises")


def list_proposals(
    store: Store, action: str | None = None, *, decided: bool = False
) -> list[Proposal]:
    """The proposals that are open, or those that are not, oldest first; of one action if named."""
    store.require_index()
    return [
        proposal
        for proposal in _read_all(store)
        if proposal.open != decided and action in (None, proposal.action)
    ]


def read_proposal(store: Store, reference: str) -> Proposal:
    """A proposal, by its id, the beginning of that, or its file's name. Raises NotFoundError."""
    store.require_index()
    row = store.find_one(reference)
    entry = store.read_entry(row.locator)
    proposal = make_proposal(row, entry, store.clock.now()) if row.zone == STAGING else None
    if proposal is None:
        raise NotFoundError(
            f"{reference!r} is no proposal",
            path=row.locator,
            remedy="`engrain review list` shows them",
        )
    return proposal


def expire(store: Store, now: float) -> list[str]:
    """Close the proposals whose time has run out at `now`; their ids."""
    store.require_index()
    overdue = [proposal for proposal in _read_all(store) if proposal.overdue_at(now)]
    for proposal in overdue:
        decide(store, proposal, EXPIRED)
    return [proposal.id for proposal in overdue]


def run(store: Store, run: Run) -> Report:
    """The job: proposals that waited too long expire."""
    store.require_index(scan=True)
    now = store.clock.now()
    lines: list[str] = []
    for proposal in _read_all(store):
        if proposal.overdue_at(now):
            if run.out_of_time():
                return Report({"expired": len(lines)}, lines, unfinished=True)
            if not run.dry_run:
                decide(store, proposal, EXPIRED)
            lines.append(f"expired {proposal.id}: {proposal.action} {proposal.target}")
    return Report({"expired": len(lines)}, lines)


def find_action(name: str) -> Action:
    """An action of the table. Raises UsageError."""
    try:
        return ACTIONS[name]
    except KeyError:
        raise UsageError(
            f"{name!r} is no action", remedy="use one of " + ", ".join(ACTIONS)
        ) from None


def _read_all(store: Store) -> list[Proposal]:
    found = [proposal for row in store.index.find(_ALL) if (proposal := _read(store, row))]
    return sorted(found, key=lambda proposal: (proposal.created or 0.0, proposal.id))


def _read(store: Store, row: Row) -> Proposal | None:
    try:
        return make_proposal(row, store.read_entry(row.locator), store.clock.now())
    except EngrainError:
        return None  # what can't be read is for `doctor` to tell


def _about(store: Store, action: str, target: str) -> list[Proposal]:
    """The proposals of an action on a target, by the slug that they share."""
    found = [
        _read(store, row)
        for row in store.index.lookup(_slug(action, target))
        if row.zone == STAGING and row.kind == KIND
    ]
    return [one for one in found if one and (one.action, one.target) == (action, target)]


def _slug(action: str, target: str) -> str:
    return safe_component(f"{action}-{target}")


def _write(desk: Desk, action: str, row: Action, subject: Subject, reason: str) -> Outcome:
    from engrain.engine.moving import is_free
    from engrain.engine.outcomes import CREATED, Outcome

    store = desk.store
    now = store.clock.now()
    id_ = make_id(now, store.entropy.draw(10))
    slug = _slug(action, subject.id)
    places = [f"{FOLDER}/{name}.md" for name in (slug, f"{slug}--{id_[-8:]}")]
    place = next((at for at in map(make_locator, places) if is_free(store, at)), None)
    if place is None:
        raise ConflictError(f"no free name for a proposal about {subject.id}", path=FOLDER)
    fields: dict[str, Value] = {
        "id": id_,
        "kind": KIND,
        "slug": slug,
        "status": "proposed",
        "created": format_instant(now),
        "updated": format_instant(now),
        "expires": format_instant(now + staging_days(store.settings) * DAY),
        "proposal": {"action": action, "target": subject.id, "base": subject.base},
        "reason": clean_text(store, reason),
        "source": stamp_source(store.actor, KIND, None),
    }
    body = compose_body(f"{action}: {subject.title}", reason, row.preview(desk, subject))
    note = compose_note(fields, clean_text(store, body))
    check_size(note)
    store.commit(
        "propose", [Write(place, note.raw, id_)], {place: None}, reason=f"{action} {subject.id}"
    )
    return Outcome(CREATED, read_entry(place, note.raw), place, other=subject.id)


def decide(store: Store, proposal: Proposal, decision: str, reason: str = "") -> None:
    """Write a decision; one that another wrote meanwhile stands."""
    now = format_instant(store.clock.now())

    def close(stored: Stored) -> bytes:
        entry = read_entry(proposal.path, stored.raw)
        if entry.status != "proposed":
            return stored.raw
        fields = {"status": "archived", "decision": decision, "decided": now, "updated": now}
        return entry.note.patch({"id": entry.id, **fields}).raw

    told = f"{decision}: {reason}" if reason else decision
    store.update(proposal.path, close, "decide", proposal.id, reason=told)
