"""Chains of notes that replaced one another, and whose older members are still active (S1.15,
S1.17).

A replacement is stated by the frontmatter, by a typed link, by the text, or by the version in the
title. A chain is stale while an older member is active, or while an active entry
points to one that is not.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import pairwise

from engrain.engine.core.active_notes import Memo
from engrain.engine.core.contradictions import find_target
from engrain.engine.core.store import Store
from engrain.language.replacements import (
    OLDER,
    Chain,
    Replacement,
    ReplacementStep,
    TitleVersion,
    read_replacements,
    read_version,
)
from engrain.language.replacements import find_chains as put_together
from engrain.language.text.fences import shorten
from engrain.language.text.folding import fold
from engrain.language.text.words import content_words
from engrain.lifecycle.dreaming.finding import CHAIN, LEFT_ALONE, DreamFinding
from engrain.model.errors import EngrainError
from engrain.model.links.link import note_name
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.locator import Locator
from engrain.seam.rows import Row
from engrain.seam.view import LINKED, IndexView

ACTION = "compact"

_SUPERSEDES, _SUPERSEDED_BY = "supersedes", "superseded_by"
_WRITTEN, _STATED, _TITLED = 1.0, 0.9, 0.8
"""Certainty of a replacement stated by a field or typed link, by a text, by a title,"""
_CIRCULAR = 0.5
"""and of a circle of replacements, where only dates give the order."""
_LIKE = 0.25
"""Share of the shorter text's words that two versions of a note have in common."""
_QUOTE = 160
_AT_ONCE = 500


def find_chains(store: Store, memos: Iterable[Memo], _now: float) -> Iterator[DreamFinding]:
    """Yield a finding for each stale chain, with its members from the oldest to the newest."""
    known: dict[str, _ActiveNote] = {}
    replacements: list[tuple[str, Replacement]] = []
    for memo in memos:
        if memo.kind not in LEFT_ALONE:
            known[memo.id] = _ActiveNote(memo)
            replacements += [(memo.id, each) for each in read_replacements(memo.text, memo.title)]
    with store.index.view() as view:
        steps, rows = _read_written(view)
        steps += _read_stated(store, view.label_first, replacements, known, rows)
        said = {frozenset((step.older, step.newer)) for step in steps}
        versions = _read_versions(store, known)
        steps += [step for step in versions if frozenset((step.older, step.newer)) not in said]
        created = {id_: one.created for id_, one in known.items()}
        created |= {id_: row.created for id_, row in rows.items()}
        for chain in put_together(steps, created):
            if finding := _judge(view, chain, known, rows):
                yield finding


class _ActiveNote:
    """The fields of an active note that the finder needs."""

    __slots__ = ("created", "locator", "project", "title", "version")

    def __init__(self, memo: Memo) -> None:
        self.created = memo.created
        self.locator = Locator(memo.locator)
        self.project = memo.project
        self.title = fold(memo.title)
        self.version: TitleVersion = read_version(memo.title)


def _read_written(view: IndexView) -> tuple[list[ReplacementStep], dict[str, Row]]:
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
        ReplacementStep(rows[older].id, rows[newer].id, _WRITTEN, rows[newer].id)
        for older, newer in pairs
        if older in rows and newer in rows
    ]
    return steps, {row.id: row for row in rows.values()}


def _read_stated(
    store: Store,
    label_first: bool,
    replacements: Iterable[tuple[str, Replacement]],
    known: dict[str, _ActiveNote],
    rows: dict[str, Row],
) -> list[ReplacementStep]:
    """Read the replacements that texts state; add entries that they name to `rows`."""
    titled: dict[tuple[str, str | None], list[str]] = {}
    for id_, one in known.items():
        titled.setdefault((one.title, one.project), []).append(id_)
    steps = []
    for id_, each in replacements:
        if each.linked:
            row = find_target(store, note_name(_target(each, label_first)))
            other = row.id if row else ""
            if row and other not in known:
                rows[other] = row
        else:
            found = titled.get((fold(each.target), known[id_].project), [])
            other = found[0] if len(found) == 1 else ""
        if other and other != id_ and (each.plain or _are_kin(store, id_, other, known, rows)):
            older, newer = (other, id_) if each.role == OLDER else (id_, other)
            steps.append(ReplacementStep(older, newer, _STATED, id_, each.quote))
    return steps


def _target(one: Replacement, label_first: bool) -> str:
    return one.label if label_first and one.label else one.target


def _are_kin(
    store: Store, one: str, other: str, known: dict[str, _ActiveNote], rows: dict[str, Row]
) -> bool:
    """Whether two entries may be versions of one note, by their titles or else by their texts."""
    titles = [known[id_].title if id_ in known else rows[id_].title for id_ in (one, other)]
    ours, theirs = map(content_words, titles)
    if 2 * len(ours & theirs) >= max(1, min(len(ours), len(theirs))):
        return True
    return one in known and other in known and _are_like(store, known[one], known[other])


def _read_versions(store: Store, known: dict[str, _ActiveNote]) -> list[ReplacementStep]:
    """Read the versions in the titles of similar notes of one project."""
    groups: dict[tuple[str, str], list[str]] = {}
    for id_, one in known.items():
        groups.setdefault((one.project or "", one.version.base), []).append(id_)
    steps = []
    for ids in groups.values():
        by_number = {known[id_].version.number: id_ for id_ in ids}
        if len(by_number) != len(ids):
            continue
        for (_, older), (_, newer) in pairwise(sorted(by_number.items())):
            one, other = known[older], known[newer]
            backward = one.created and other.created and other.created < one.created
            plain = one.version.plain and other.version.plain
            if plain and not backward and _are_like(store, one, other):
                steps.append(ReplacementStep(older, newer, _TITLED, newer))
    return steps


def _are_like(store: Store, one: _ActiveNote, other: _ActiveNote) -> bool:
    try:
        texts = [store.read_entry(each.locator).text for each in (one, other)]
    except EngrainError:
        return False
    ours, theirs = map(content_words, texts)
    return len(ours & theirs) >= _LIKE * min(len(ours), len(theirs))


def _judge(
    view: IndexView, chain: Chain, known: dict[str, _ActiveNote], rows: dict[str, Row]
) -> DreamFinding | None:
    """Return the finding about a chain, None where it is not stale."""
    *older, newest = chain.members
    if newest not in known:
        return None
    standing = [id_ for id_ in older if id_ in known]
    pointed = {
        id_: by
        for id_ in older
        if id_ not in known and id_ in rows and (by := _pointers(view, rows[id_], chain))
    }
    if not standing and not pointed:
        return None
    evidence = [(step.by, shorten(step.quote, _QUOTE)) for step in chain.steps if step.quote]
    evidence += [(by, f"[[{rows[id_].slug}]]") for id_, found in pointed.items() for by in found]
    sure = min((step.sure for step in chain.steps), default=_WRITTEN)
    counted = (
        (len(standing), "older version stands", "older versions stand"),
        (len(pointed), "replaced one is pointed at", "replaced ones are pointed at"),
    )
    reason = " and ".join(
        f"{count} {one if count == 1 else many}" for count, one, many in counted if count
    )
    if chain.circular:
        sure = min(sure, _CIRCULAR)
        reason += "; each is said to replace the next in turn"
    return DreamFinding(CHAIN, chain.members, ACTION, sure, reason, evidence)


def _pointers(view: IndexView, row: Row, chain: Chain) -> list[str]:
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
        and other.id not in chain.members
    )


_POINTING = frozenset(("", "related_to", "elaborates", "example_of"))
