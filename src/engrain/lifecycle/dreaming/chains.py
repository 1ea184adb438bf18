"""Chains of notes that replaced one another, and whose older members are still active (S1.15,
S1.17).

A replacement is stated by the frontmatter or by a typed link. A chain is stale while an older
member is active, or while an active entry points to one that is not.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from engrain.engine.core.active_notes import Memo
from engrain.engine.core.store import Store
from engrain.lifecycle.dreaming.finding import CHAIN, LEFT_ALONE, DreamFinding
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.edges import LINKED
from engrain.seam.rows import Row
from engrain.seam.view import IndexView

ACTION = "compact"

_SUPERSEDES, _SUPERSEDED_BY = "supersedes", "superseded_by"
_AT_ONCE = 500


Step: TypeAlias = "tuple[str, str]"
"""A replacement: the id of the older entry, and of the newer one that took its place."""


def find_chains(store: Store, memos: Iterable[Memo], _now: float) -> Iterator[DreamFinding]:
    """Yield a finding for each stale chain, with its members from the oldest to the newest."""
    known = {memo.id: memo.created for memo in memos if memo.kind not in LEFT_ALONE}
    with store.index.view() as view:
        steps, rows = _read_written(view)
        created = known | {id_: row.created for id_, row in rows.items()}
        for members in join_steps(steps, created):
            if finding := _judge(view, members, known, rows):
                yield finding


def _read_written(view: IndexView) -> tuple[list[Step], dict[str, Row]]:
    """Read the replacements in frontmatter and typed links; return them and their entries."""
    pairs = [
        (edge.target, edge.source) if edge.relation == _SUPERSEDES else (edge.source, edge.target)
        for edge in view.edges()
        if edge.relation in (_SUPERSEDES, _SUPERSEDED_BY)
    ]
    numbers = sorted({number for pair in pairs for number in pair})
    rows: dict[int, Row] = {}
    for at in range(0, len(numbers), _AT_ONCE):
        rows |= view.rows(numbers[at : at + _AT_ONCE])
    steps = [
        (rows[older].id, rows[newer].id)
        for older, newer in pairs
        if older in rows and newer in rows
    ]
    return steps, {row.id: row for row in rows.values()}


def _judge(
    view: IndexView, members: Sequence[str], known: Container[str], rows: Mapping[str, Row]
) -> DreamFinding | None:
    """Return the finding about a chain, None where it is not stale."""
    *older, newest = members
    if newest not in known:
        return None
    standing = [id_ for id_ in older if id_ in known]
    pointed = {
        id_: by
        for id_ in older
        if id_ not in known and id_ in rows and (by := _pointers(view, rows[id_], members))
    }
    if not standing and not pointed:
        return None
    evidence = [(by, f"[[{rows[id_].slug}]]") for id_, found in pointed.items() for by in found]
    counted = (
        (len(standing), "older version stands", "older versions stand"),
        (len(pointed), "replaced one is pointed at", "replaced ones are pointed at"),
    )
    reason = " and ".join(
        f"{count} {one if count == 1 else many}" for count, one, many in counted if count
    )
    return DreamFinding(CHAIN, tuple(members), ACTION, 1.0, reason, evidence)


def _pointers(view: IndexView, row: Row, members: Sequence[str]) -> list[str]:
    """List the active notes outside a chain that still point to a replaced member."""
    number = view.number(row.locator)
    if number is None or row.status == ACTIVE:
        return []
    sources = [
        edge.source
        for edge in view.edges_to([number])
        if edge.origin in LINKED and edge.relation in _POINTING
    ]
    found = view.rows(sorted(set(sources))[:_AT_ONCE]).values()
    return sorted(
        other.id
        for other in found
        if other.status == ACTIVE
        and other.zone == LIVE
        and other.kind not in LEFT_ALONE
        and other.id not in members
    )


_POINTING = frozenset(("", "related_to", "elaborates", "example_of"))


def join_steps(
    steps: Iterable[Step], created: Mapping[str, float | None]
) -> Iterator[tuple[str, ...]]:
    """Yield the members of each chain that steps make, from the oldest to the newest.

    Of several that replaced the same, the one `created` last, in epoch seconds, continues its
    chain. What replaced one another in a circle is no chain: `link` finds and breaks it.
    """

    def age(id_: str) -> tuple[float, str]:
        return created.get(id_) or 0.0, id_

    after: dict[str, str] = {}
    for older, newer in sorted(set(steps)):
        if older != newer and (older not in after or age(after[older]) < age(newer)):
            after[older] = newer
    chains: dict[str, list[tuple[int, str]]] = {}
    for id_, (end, distance) in _find_ends(after).items():
        if end:
            chains.setdefault(end, []).append((-distance, id_))
    for _, found in sorted(chains.items()):
        yield tuple(id_ for _, id_ in sorted(found, key=lambda one: (one[0], age(one[1]))))


def _find_ends(after: Mapping[str, str]) -> dict[str, tuple[str, int]]:
    """Return the end of each member's chain and how many steps it is away; "" for one that leads
    into a circle."""
    ends: dict[str, tuple[str, int]] = {id_: (id_, 0) for id_ in after.values() if id_ not in after}
    for first in after:
        path: dict[str, None] = {}
        id_ = first
        while id_ not in ends and id_ not in path:
            path[id_] = None
            id_ = after[id_]
        end, distance = ("", 0) if id_ in path else ends[id_]
        for back, member in enumerate(reversed(path), 1):
            ends[member] = end, distance + back
    return ends
