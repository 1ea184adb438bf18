"""The digest: the changes of the memory since the operator last looked (S1.7, S1.23).

It is made from each device's chain of the history and not by the clock, so that no change is
reported twice or missed where clocks disagree. Every change has a name, by which it can be undone.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import KW_ONLY, dataclass

from engrain.engine.core.attesting import list_unattested
from engrain.engine.core.contradictions import CONTRADICTS, list_contradictions
from engrain.engine.core.scope import counted_origin, counted_successions
from engrain.engine.core.store import Store
from engrain.engine.history.removals import list_missing
from engrain.engine.verbs.save import STATED as _SAID
from engrain.lifecycle.reviewing.staging import list_proposals
from engrain.model.note.documents import object_of
from engrain.model.note.strength import DAY
from engrain.model.note.tiers import ACTIVE, INBOX, WORKING, tier_of, zone_of
from engrain.model.note.tiers import EXTERNAL as _EXTERNAL
from engrain.model.note.tiers import OPERATOR as _OPERATOR
from engrain.seam.batches import Change
from engrain.seam.personal import OpenPersonal
from engrain.seam.rows import Filter

STATED = "stated"
CURATED = "curated"
EDITED = "edited"
MISSING = "missing"
PROPOSED = "proposed"
EXPIRED = "expired"
ARCHIVED = "archived"
PROMOTED = "promoted"
LEARNED = "learned"
CONTRADICTED = "contradicted"
UNDONE = "undone"
ERASED = "erased"
FAILED = "failed"
LOST = "lost"
PERSONAL = "personal"

_NOTE = "digest"
_MOST_FIRST = 30 * DAY
"""Seconds that a first digest looks back."""
_UNREPORTED = ("fold", "attest", "map")


@dataclass(slots=True, eq=False, kw_only=True)
class DigestItem:
    """One line of a digest: what was done to which entry, by which change, when, by whom and why.
    `change` is "" for what is still open."""

    title: str = ""
    path: str = ""
    entry: str = ""
    change: str = ""
    op: str = ""
    at: float | None = None
    agent: str = ""
    trust: str = ""
    reason: str = ""


@dataclass(slots=True, eq=False)
class Digest:
    """The changes since `since` (epoch seconds, None for a first look), by section; how many
    entries wait in the inbox, since when the oldest does, and how many nobody attests."""

    since: float | None
    now: float
    sections: Mapping[str, Sequence[DigestItem]]
    _: KW_ONLY
    inbox: int
    inbox_since: float | None = None
    unattested: int
    heads: Mapping[str, int]

    def add(self, section: str, items: Sequence[DigestItem]) -> None:
        """Add items to a section."""
        if items:
            self.sections = {**self.sections, section: [*self.sections.get(section, ()), *items]}


def _is_curated(change: Change) -> bool:
    """Whether it is a change in T2 that the operator did not make (DESIGN section 10)."""
    place = change.locator
    # Working files, which an agent rewrites at each turn, are not reported.
    in_t2 = place is not None and tier_of(place) == "T2" and zone_of(place) != WORKING
    return in_t2 and change.op != "external" and change.trust != _OPERATOR


def _of(*ops: str) -> Callable[[Change], bool]:
    return lambda change: change.op in ops


SECTIONS: tuple[tuple[str, Callable[[Change], bool]], ...] = (
    (STATED, lambda change: change.reason == _SAID and change.trust != _OPERATOR),
    (CURATED, _is_curated),
    (EDITED, _of("external")),
    (UNDONE, _of("undo")),
    (EXPIRED, lambda change: change.op == "decide" and change.reason == EXPIRED),
    (ARCHIVED, _of("archive", "compact", "evolve", "forget", "restore")),
    (PROMOTED, _of("promote", "demote", "pin")),
    (LEARNED, _of("consolidate", "crystallize", "learn", "merge", "adopt", "dream", "tidy")),
    (ERASED, _of("erase")),
)
"""The sections and their changes; a change is reported once, in the first section that takes it."""


def make_digest(
    store: Store,
    open_personal: OpenPersonal,
    *,
    since: float | None = None,
    everything: bool = False,
) -> Digest:
    """Report what changed since the operator last looked, since a moment (epoch seconds), or ever
    (S1.7, S1.23), with every use of their own notes."""
    store.require_index(scan=True)
    now = store.clock.now()
    looked_at, looked = _read_look(store)
    heads, changes = _read_changes(store, {} if everything or since is not None else looked)
    if since is None and looked_at is None and not everything:
        since = now - _MOST_FIRST
    if since is not None:
        changes = [change for change in changes if change.at >= since]
    began = looked_at if since is None else since
    begun = None if everything else began
    uses = open_personal().uses(begun) if store.settings.get("personal.root") else ()
    sections = _sort_out(store, changes)
    sections[PROPOSED] = _proposals(store)
    sections[MISSING] = [
        DigestItem(entry=one.id, path=one.place, op=MISSING) for one in list_missing(store)
    ]
    sections[CONTRADICTED] = [
        DigestItem(
            entry=row.id,
            title=row.title,
            path=row.locator,
            op=CONTRADICTS,
            at=row.created,
            reason=f"contradicts {other.id} {other.title}",
        )
        for row, other in list_contradictions(store)
    ]
    sections[FAILED] = _list_failures(store, began)
    sections[PERSONAL] = [
        DigestItem(at=use.at, op=use.verb, path=use.place, agent=use.agent, reason=use.outcome)
        for use in uses
    ]
    waiting = store.index.find(Filter(statuses=(INBOX,)))
    return Digest(
        begun,
        now,
        {name: items for name, items in sections.items() if items},
        inbox=len(waiting),
        inbox_since=min((row.updated for row in waiting if row.updated is not None), default=None),
        unattested=sum(
            counted_origin(row, store) == _EXTERNAL for row in list_unattested(store, "T3")
        ),
        heads=heads,
    )


def _read_changes(store: Store, looked: Mapping[str, int]) -> tuple[dict[str, int], list[Change]]:
    """Return the last number of each device's chain, and the changes after those `looked` at."""
    heads: dict[str, int] = {}
    changes: list[Change] = []
    for device in store.backend.heads():
        known = looked.get(device, 0)
        behind = store.index.changes(device=device, after=known)
        heads[device] = max((change.n for change in behind), default=known)
        changes += behind
    return heads, changes


def note_look(store: Store, digest: Digest) -> None:
    """Note that the operator has seen a digest: the next one begins after it."""
    _, looked = _read_look(store)
    heads = {**looked, **{d: max(n, looked.get(d, 0)) for d, n in digest.heads.items()}}
    store.device.local.write_note(_NOTE, {"at": digest.now, "heads": heads})


def _read_look(store: Store) -> tuple[float | None, dict[str, int]]:
    note = object_of(store.device.local.read_note(_NOTE))
    at, heads = note.get("at"), object_of(note.get("heads"))
    known = {device: n for device, n in heads.items() if isinstance(n, int)}
    return float(at) if isinstance(at, int | float) else None, known


def _sort_out(store: Store, changes: Iterable[Change]) -> dict[str, list[DigestItem]]:
    sections: dict[str, list[DigestItem]] = {name: [] for name, _ in SECTIONS}
    reported: set[tuple[str, str]] = set()
    for change in changes:
        name = next((name for name, wants in SECTIONS if wants(change)), None)
        if name is None and change.op == "link" and _is_superseded(store, change.entry):
            name = ARCHIVED
        if name is None or change.op in _UNREPORTED or (change.change, change.entry) in reported:
            continue
        reported.add((change.change, change.entry))
        row = store.find_exact(change.entry)
        item = DigestItem(
            entry=change.entry,
            title=row.title if row else "",
            path=row.locator if row else change.locator or "",
            change=change.change,
            op=change.op,
            at=change.at,
            agent=change.agent,
            trust=change.trust,
            reason=change.reason,
        )
        sections[name].append(item)
    return sections


def _is_superseded(store: Store, entry: str) -> bool:
    row = store.find_exact(entry)
    counted = counted_successions(store.settings)
    return row is not None and row.status == ACTIVE and row.status_for(counted) != ACTIVE


def _proposals(store: Store) -> list[DigestItem]:
    """List the open proposals; those of one dream are one item."""
    items: list[DigestItem] = []
    dreams: dict[str, dict[str, int]] = {}
    since: dict[str, float | None] = {}
    for proposal in list_proposals(store):
        if proposal.run:
            found = dreams.setdefault(proposal.run, {})
            found[proposal.finder] = found.get(proposal.finder, 0) + 1
            since.setdefault(proposal.run, proposal.created)
            continue
        items.append(
            DigestItem(
                entry=proposal.id,
                title=proposal.title,
                path=proposal.path,
                at=proposal.created,
                reason=proposal.reason,
            )
        )
    for run, found in dreams.items():
        counts = ", ".join(f"{count} {kind}" for kind, count in found.items())
        how = f"engrain review list --run {run}"
        items.append(DigestItem(title=run, op="dream", at=since[run], reason=f"{counts}: {how}"))
    return items


def _list_failures(store: Store, since: float | None) -> list[DigestItem]:
    return [
        DigestItem(title=name, op="job", at=status.started, reason=status.error)
        for name, status in store.device.job_log.read_status().items()
        if status.error and status.started >= (since or 0.0)
    ]
