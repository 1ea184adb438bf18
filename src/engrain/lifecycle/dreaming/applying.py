"""Plans what a dream's findings change once they are accepted, and applies without the operator,
where they allow it, what can be taken back and loses nothing (S1.17).

Applied without the operator are a link, a tag's form, and the merge of two notes of the agent's own
that are the same. Each is a change of its own in the history. Notes of the operator, and notes that
came from outside, are left alone.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median

from engrain.engine.core.attesting import effective_trust
from engrain.engine.core.contradictions import CONTRADICTS
from engrain.engine.core.moving import free_place, kind_folder, settle
from engrain.engine.core.store import Store
from engrain.language.text.folding import fold
from engrain.lifecycle.dreaming.finding import Dream, Journal, read_past
from engrain.lifecycle.dreaming.tidying import fold_tag
from engrain.lifecycle.jobs.job import Run
from engrain.lifecycle.policy import dream_auto_limit
from engrain.lifecycle.reviewing.actions import (
    ACTIONS,
    Context,
    FileRewrite,
    commit_rewrites,
    require_active,
    revise,
    stamp,
)
from engrain.lifecycle.reviewing.merging import (
    SUPERSEDES,
    given_links,
    plan_redirects,
    plan_retirements,
)
from engrain.lifecycle.reviewing.proposals import ACCEPTED, APPLIED, REJECTED, Proposal
from engrain.lifecycle.reviewing.review import list_done, name_change
from engrain.lifecycle.reviewing.staging import decide, list_proposals
from engrain.model.errors import ConflictError, EngrainError
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import ACTIVE, ARCHIVE

OP = "dream"
OWN = ("agent", "tool")
"""Origins of what is the agent's own."""
_LATELY = 90 * DAY


def apply_reversible(store: Store, run: Run, journal: Journal, entries: int, result: Dream) -> bool:
    """Apply those of this dream's proposals that need no operator; return whether the time ran out
    first. The reasons why nothing of a kind was applied go into the result."""
    waiting = [one for one in list_proposals(store, run=journal.run) if one.action in _REVERSIBLE]
    waiting.sort(key=lambda one: (one.finder, one.target))
    decided = list_proposals(store, decided=True)
    room = dream_auto_limit(store.settings)
    room -= sum(one.run == journal.run and one.decision == APPLIED for one in decided)
    for kind in dict.fromkeys(one.finder for one in waiting):
        if why := _judge(store, journal, kind, entries, decided):
            result.held[kind] = why
    for proposal in waiting:
        if proposal.finder in result.held:
            continue
        if room <= 0:
            result.held[proposal.finder] = "it makes no more changes by itself at once"
            continue
        if run.out_of_time():
            return True
        try:
            room -= _apply(store, proposal)
        except EngrainError:
            continue  # it changed just now, or can't be done: the operator decides
    return False


def _judge(
    store: Store, journal: Journal, kind: str, entries: int, decided: Sequence[Proposal]
) -> str:
    """Return the reason why nothing of a kind may be applied, "" if it may."""
    past = [
        count
        for one in read_past(store.device.local)
        if isinstance(count := one.get("found", {}).get(kind), int)
    ]
    since = journal.at - _LATELY
    lately = [
        one
        for one in decided
        if one.finder == kind
        and one.decision in (ACCEPTED, APPLIED, REJECTED)
        and (one.decided or 0.0) >= since
    ]
    undone = {change.undoes for change in store.index.changes(op="undo")}
    refused = sum(
        one.decision == REJECTED or any(change.change in undone for change in list_done(store, one))
        for one in lately
    )
    found = journal.done.get(kind, {}).get("found", 0)
    return why_not(found, entries, past, decided=len(lately), refused=refused)


def _apply(store: Store, proposal: Proposal) -> bool:
    """Apply a proposal if it may be; return whether it was applied. Raises ConflictError."""
    if list_done(store, proposal):  # a process died before it wrote the decision
        decide(store, proposal, APPLIED)
        return True
    action = ACTIONS[proposal.action]
    subject = action.find(Context(store), proposal.target)
    if subject.base != proposal.base or action.planner is None:
        return False
    rewrites = action.planner.load()(store, subject.entries)
    if not _are_own(store, rewrites) or not _is_reversible(proposal.action, subject.entries):
        return False
    commit_rewrites(store, OP, rewrites, name_change(proposal))
    decide(store, proposal, APPLIED)
    return True


def _are_own(store: Store, rewrites: Sequence[FileRewrite]) -> bool:
    origins = set()
    for rewrite in rewrites:
        row = None if rewrite.entry is None else store.find_exact(rewrite.entry.id)
        if row is None or row.tier != "T3":
            return False
        origins.add(effective_trust(store, row))
    return len(origins) == 1 and origins.issubset(OWN)


def _is_reversible(action: str, entries: Sequence[Entry]) -> bool:
    """Whether an action may be applied to entries without the operator: a merge only of entries
    that differ in nothing but tags, links and times."""
    contents = {
        (
            " ".join(fold(entry.title).split()),
            " ".join(entry.text.split()),
            entry.kind,
            entry.project,
        )
        for entry in entries
    }
    return action in _REVERSIBLE and (action != "merge" or len(contents) == 1)


_REVERSIBLE = ("merge", "link", "retag")
"""The actions that may be applied without the operator."""

FEW = 20
"""Up to this number of findings is never unusual."""
TIMES = 3
"""More findings than this multiple of the median of earlier dreams are unusual,"""
SHARE = 0.05
"""and more than this share of the vault's entries."""
REFUSED = 0.2
"""The share of recent decisions that may be rejections or undone changes,"""
_LEAST_DECIDED = 5
"""if there were at least this many decisions."""
_LEAST_PAST = 3
"""Earlier dreams that are needed for a median."""


def why_not(
    found: int, entries: int, past: Sequence[int], *, decided: int = 0, refused: int = 0
) -> str:
    """Return the reason why nothing of a kind may be applied without the operator, "" if it may.

    `found` are this dream's findings among `entries` entries, `past` the numbers of earlier dreams;
    the operator refused or undid `refused` of `decided` recent proposals."""
    if found > FEW:
        if len(past) >= _LEAST_PAST and found > TIMES * median(past):
            return f"{found} found, and {median(past):g} is usual"
        if found > SHARE * entries:
            return f"{found} found among {entries} entries"
    if decided >= _LEAST_DECIDED and refused > REFUSED * decided:
        return f"{refused} of the last {decided} were turned down or taken back"
    return ""


def plan_contradiction(store: Store, entries: Sequence[Entry]) -> list[FileRewrite]:
    """Plan that each of two entries says that it contradicts the other. Raises ConflictError where
    they say so already, or one is not active."""
    if len(entries) != 2:
        raise ConflictError("two entries contradict each other")
    one, other = entries
    require_active(entries)
    rewrites = []
    for entry, to in ((one, other.id), (other, one.id)):
        if (to, CONTRADICTS) not in entry.links:
            said: Value = {"to": to, "relation": CONTRADICTS}
            rewrites.append(revise(store, entry, {"links": [*given_links(entry), said]}))
    if not rewrites:
        raise ConflictError(f"{one.id} says that it contradicts {other.id}", path=one.path)
    return rewrites


def plan_compaction(store: Store, entries: Sequence[Entry]) -> list[FileRewrite]:
    """Plan the retirement of all entries of a chain but the last, which then names them; links to
    them lead to it. Raises ConflictError where the last is not active, or nothing is left to do."""
    *older, newest = entries
    require_active([newest])
    for entry in entries:
        if isinstance(entry.note, JsonNote):
            raise ConflictError(f"{entry.id} is a record", path=entry.path)
    gone = [entry for entry in older if entry.zone != ARCHIVE or entry.status == ACTIVE]
    led_on = plan_redirects(store, older, newest)
    if not gone and not led_on:
        raise ConflictError(f"what {newest.id} replaces is retired", path=newest.path)
    known = {*newest.links, (newest.supersedes or "", SUPERSEDES)}
    named: list[Value] = [*given_links(newest)]
    named += [
        {"to": entry.id, "relation": SUPERSEDES}
        for entry in older
        if (entry.id, SUPERSEDES) not in known
    ]
    stays = [revise(store, newest, {"links": named})] if len(named) > len(newest.links) else []
    return [*stays, *plan_retirements(store, gone, newest.id), *led_on]


def plan_retagging(store: Store, entries: Sequence[Entry]) -> list[FileRewrite]:
    """Plan that tags of all entries get the form that they have in the last one. Raises
    ConflictError where they have it."""
    *changed, model = entries
    forms = {fold_tag(tag): tag for tag in model.tags}
    rewrites = []
    for entry in changed:
        tags = [*dict.fromkeys(forms.get(fold_tag(tag), tag) for tag in entry.tags)]
        if tags != list(entry.tags) and entry.status == ACTIVE:
            rewrites.append(revise(store, entry, {"tags": [*tags]}))
    if not rewrites:
        raise ConflictError(f"no tag has another form than in {model.id}", path=model.path)
    return rewrites


def plan_refiling(store: Store, entries: Sequence[Entry]) -> list[FileRewrite]:
    """Plan the move of the agent's own entries to the folders of their kinds. Raises ConflictError
    where one is there, or is not the agent's own."""
    require_active(entries)
    rewrites = []
    for entry in entries:
        folder = kind_folder(entry)
        if entry.tier != "T3" or entry.path.startswith(folder + "/"):
            raise ConflictError(f"{entry.id} is filed correctly already", path=entry.path)
        place = free_place(store, folder, entry)
        rewrites.append(FileRewrite(entry, settle(entry, stamp(store, entry, {}), place), place))
    return rewrites
