"""Review: the operator's decisions on proposals (S1.17).

An accepted proposal is done in the operator's name, as one change that can be undone. The decision
is written afterwards: if the process dies between the two, the proposal can be accepted again
without harm.
"""

from __future__ import annotations

from collections.abc import Sequence

from engrain.engine.core.attesting import effective_trust
from engrain.engine.core.store import Actor, Store
from engrain.language.text.instants import format_instant
from engrain.lifecycle.reviewing.staging import (
    ACCEPTED,
    EXPIRED,
    REJECTED,
    STALE,
    Decision,
    Proposal,
    compose_diff,
    decide,
    list_proposals,
    read_proposal,
)
from engrain.lifecycle.reviewing.table import ACTIONS, find_action
from engrain.model.errors import ConflictError, EngrainError, ErasedError, NotFoundError
from engrain.model.note.tiers import EXTERNAL, OPERATOR, ORIGINS
from engrain.seam.batches import Change


def show_proposal(store: Store, reference: str) -> tuple[Proposal, Sequence[str]]:
    """Read a proposal, and the lines of a diff of what accepting it would change now."""
    store.require_index(look=True)
    proposal = read_proposal(store, reference)
    return proposal, preview(store, proposal)


def preview(store: Store, proposal: Proposal) -> list[str]:
    """Return the lines of a diff of what accepting it would change now, none where there is nothing
    to show. The diff in its note is of when it was proposed, by whoever wrote it."""
    try:
        row = find_action(proposal.action)
        subject = row.find(store, proposal.target)
        return compose_diff(row.preview(store, subject))
    except EngrainError:
        return []


def accept(store: Store, reference: str) -> Decision:
    """Do what is proposed in the operator's name, who agreed, and write the decision. Raises
    ConflictError for one that was decided or has expired, and for one whose target has changed,
    which is marked stale."""
    store.require_index(scan=True)
    return _accept(store, reference)


def _accept(store: Store, reference: str) -> Decision:
    proposal = read_proposal(store, reference)
    _refuse_closed(proposal)
    acting = store.acting_as(Actor(store.actor.agent, OPERATOR))
    if proposal.action not in ACTIONS:
        raise ConflictError(
            f"{proposal.action!r} is no action", path=proposal.path, remedy="reject it"
        )
    row = ACTIONS[proposal.action]
    try:
        subject = row.find(acting, proposal.target)
        unchanged = (subject.id, subject.base) == (proposal.target, proposal.base)
    except (NotFoundError, ErasedError):
        unchanged = False
    if unchanged:
        row.apply(acting, proposal.target, proposal.base, name_change(proposal))
    elif not list_done(store, proposal):
        decide(acting, proposal, STALE)
        raise ConflictError(
            f"{proposal.target} has changed since the proposal was made",
            path=proposal.path,
            remedy="the proposal is marked stale; a job may propose it again",
        )
    decide(acting, proposal, ACCEPTED)
    return Decision(proposal, ACCEPTED)


def reject(store: Store, reference: str, reason: str = "") -> Decision:
    """Reject a proposal: it is not made again while its target stays as it is. Raises ConflictError
    for one that was decided or has expired."""
    proposal = read_proposal(store, reference)
    _refuse_closed(proposal)
    decide(store.acting_as(Actor(store.actor.agent, OPERATOR)), proposal, REJECTED, reason)
    return Decision(proposal, REJECTED)


def accept_all(
    store: Store, action: str | None = None, *, run: str | None = None
) -> list[Decision]:
    """Accept every open proposal, of one action and of one run if named, and return each decision,
    or the reason why there is none: proposals from outside, those that would let in entries from
    outside, and those that would retire an entry in favour of a less trusted one have to be
    accepted one by one."""
    store.require_index(scan=True)
    if action is not None:
        find_action(action)
    decisions = []
    for proposal in list_proposals(store, action, run=run):
        if not proposal.trusted:
            decisions.append(Decision(proposal, "", "nobody attests it: accept it by its id"))
            continue
        if _raises_trust(store, proposal):
            why = "it is about what came from outside: accept it by its id"
            if proposal.action == "compact":
                why = "it puts a less trusted entry in the place of another: accept it by its id"
            decisions.append(Decision(proposal, "", why))
            continue
        try:
            decisions.append(_accept(store, proposal.id))
        except EngrainError as error:
            decisions.append(Decision(proposal, "", error.message))
    return decisions


def name_change(proposal: Proposal) -> str:
    """Return the history's reason for the change that does what was proposed."""
    reason = f": {proposal.reason}" if proposal.reason else ""
    return f"proposal {proposal.id}{reason}"


def list_done(store: Store, proposal: Proposal) -> list[Change]:
    """List the changes that have already done what is proposed: by the operator, or by a process
    that died before the decision was written."""
    name = f"proposal {proposal.id}"
    return [
        change
        for id_ in proposal.ids
        for change in store.index.changes(entry=id_)
        if change.reason == name or change.reason.startswith(name + ":")
    ]


def _raises_trust(store: Store, proposal: Proposal) -> bool:
    """Whether accepting it would let in an external entry, or put a less trusted entry in the place
    of another."""
    rows = [row for id_ in proposal.ids if (row := store.find_exact(id_))]
    if proposal.action == "compact" and rows:
        *older, newest = (ORIGINS.index(effective_trust(store, row)) for row in rows)
        return newest > min(older, default=newest)
    # Recall finds a new entry once it is filed.
    let_in = proposal.action == "file" or (
        proposal.action == "attest" and any(row.tier == "T3" for row in rows)
    )
    return let_in and any(effective_trust(store, row) == EXTERNAL for row in rows)


def _refuse_closed(proposal: Proposal) -> None:
    if proposal.open:
        return
    if proposal.decision == EXPIRED and proposal.expires is not None:
        when = f"expired on {format_instant(proposal.expires)}"
    else:
        on = "" if proposal.decided is None else f" on {format_instant(proposal.decided)}"
        when = f"was decided{on}: {proposal.decision or proposal.status}"
    raise ConflictError(
        f"proposal {proposal.id} {when}",
        path=proposal.path,
        remedy="`engrain review list` shows those that are open",
    )
