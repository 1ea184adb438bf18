"""Chains of notes that replaced one another, and whose older members are still active (S1.15,
S1.17).

A replacement is stated by the frontmatter, by a typed link, or by the version in the title. A chain
is stale while an older member is active, or while an active entry points to one that is not.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import pairwise

from engrain.engine.core.active_notes import Memo
from engrain.engine.core.store import Store
from engrain.language.lexicons import read_regexes
from engrain.language.text.folding import fold
from engrain.language.text.words import NUMBERS, content_words
from engrain.lifecycle.dreaming.finding import CHAIN, LEFT_ALONE, DreamFinding
from engrain.model.errors import EngrainError
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.edges import LINKED
from engrain.seam.locator import Locator
from engrain.seam.rows import Row
from engrain.seam.view import IndexView

ACTION = "compact"

_SUPERSEDES, _SUPERSEDED_BY = "supersedes", "superseded_by"
_WRITTEN, _TITLED = 1.0, 0.8
"""Certainty of a replacement stated by a field or typed link, and by the version in a title."""
_LIKE = 0.25
"""Share of the shorter text's words that two versions of a note have in common."""
_AT_ONCE = 500


@dataclass(slots=True, eq=False)
class ReplacementStep:
    """A replacement: `newer` took the place of `older`, which is `sure` from 0 to 1."""

    older: str
    newer: str
    sure: float


@dataclass(slots=True, eq=False)
class Chain:
    """Members from the oldest to the newest, and how `sure` the least sure step between them is."""

    members: tuple[str, ...]
    sure: float


def find_chains(store: Store, memos: Iterable[Memo], _now: float) -> Iterator[DreamFinding]:
    """Yield a finding for each stale chain, with its members from the oldest to the newest."""
    known = {memo.id: _ActiveNote(memo) for memo in memos if memo.kind not in LEFT_ALONE}
    with store.index.view() as view:
        steps, rows = _read_written(view)
        said = {frozenset((step.older, step.newer)) for step in steps}
        versions = _read_versions(store, known)
        steps += [step for step in versions if frozenset((step.older, step.newer)) not in said]
        created = {id_: one.created for id_, one in known.items()}
        created |= {id_: row.created for id_, row in rows.items()}
        for chain in join_steps(steps, created):
            if finding := _judge(view, chain, known, rows):
                yield finding


class _ActiveNote:
    """The fields of an active note that the finder needs."""

    __slots__ = ("created", "locator", "project", "version")

    def __init__(self, memo: Memo) -> None:
        self.created = memo.created
        self.locator = Locator(memo.locator)
        self.project = memo.project
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
        ReplacementStep(rows[older].id, rows[newer].id, _WRITTEN)
        for older, newer in pairs
        if older in rows and newer in rows
    ]
    return steps, {row.id: row for row in rows.values()}


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
                steps.append(ReplacementStep(older, newer, _TITLED))
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
    evidence = [(by, f"[[{rows[id_].slug}]]") for id_, found in pointed.items() for by in found]
    sure = chain.sure
    counted = (
        (len(standing), "older version stands", "older versions stand"),
        (len(pointed), "replaced one is pointed at", "replaced ones are pointed at"),
    )
    reason = " and ".join(
        f"{count} {one if count == 1 else many}" for count, one, many in counted if count
    )
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


def join_steps(
    steps: Iterable[ReplacementStep], created: Mapping[str, float | None]
) -> Iterator[Chain]:
    """Yield the chains that steps make, in order. Of several that replaced the same, the one
    `created` last, in epoch seconds, continues its chain. What replaced one another in a circle is
    no chain: `link` finds and breaks it."""

    def age(id_: str) -> tuple[float, str]:
        return created.get(id_) or 0.0, id_

    best = _surest(steps)
    after: dict[str, str] = {}
    for older, newer in sorted(best):
        if older not in after or age(after[older]) < age(newer):
            after[older] = newer
    chains: dict[str, list[tuple[int, str]]] = {}
    for id_, (end, distance) in _find_ends(after).items():
        if end:
            chains.setdefault(end, []).append((-distance, id_))
    for end, found in sorted(chains.items()):
        members = [id_ for _, id_ in sorted(found, key=lambda one: (one[0], age(one[1])))]
        yield Chain(tuple(members), min(best[id_, after[id_]] for id_ in members if id_ != end))


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


def _surest(steps: Iterable[ReplacementStep]) -> dict[tuple[str, str], float]:
    """Return how sure each step is; of two that contradict each other only the surer one."""
    best: dict[tuple[str, str], float] = {}
    for step in steps:
        if step.older != step.newer:
            pair = step.older, step.newer
            best[pair] = max(step.sure, best.get(pair, 0.0))
    return {
        (older, newer): sure
        for (older, newer), sure in best.items()
        if best.get((newer, older), 0.0) <= sure
    }


_VERSIONS = read_regexes("words", "version patterns")
_ORDINALS = {"first": 1, "second": 2, "third": 3, "fourth": 4, "fifth": 5, "2nd": 2, "3rd": 3,
             "4th": 4, "5th": 5}  # fmt: skip


@dataclass(slots=True, eq=False)
class TitleVersion:
    """A title without the mark of its version, folded, and that `number`: 0 for none, below 0 for
    "old", above it for "new". `plain` is whether what has versions is a text, and not its
    subject."""

    base: str
    number: tuple[int, ...]
    plain: bool


def read_version(title: str) -> TitleVersion:
    """Return the version that a title names."""
    for pattern in (_VERSIONS["version"], _VERSIONS["ordinal"]):
        if found := pattern.search(title):
            written = found["number"].lower()
            number = _ORDINALS.get(written) or NUMBERS.get(written)
            parts = (number,) if number else tuple(int(part) for part in written.split("."))
            base = title[: found.start()].strip()
            bracketed = found[0].lstrip()[:1] in ("(", "[")
            return TitleVersion(
                _key(base), parts, bracketed or bool(_VERSIONS["texts"].search(base))
            )
    if found := _VERSIONS["word"].search(title):
        base = (title[: found.start()] + title[found.end() :]).strip()
        new = found["new"] or found["new2"]
        return TitleVersion(_key(base), (_NEW,) if new else (-1,), True)
    return TitleVersion(_key(title), (0,), True)


_NEW = 1_000_000


def _key(title: str) -> str:
    return " ".join(re.findall(r"\w+", fold(title)))
