"""The job `skills`: draft skills from similar tasks that succeeded, for the operator to decide
(S2.4, S1.17).

A draft is an entry of kind `procedural` in the staging folder, with a proposal to adopt it. It
names its episodes. A group that shares an episode, or goal and steps, with any earlier draft is not
drafted again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import chain, islice

from engrain.engine.core.attesting import acting_from
from engrain.engine.core.redaction import clean_text
from engrain.engine.core.store import JOBS, Actor, Store
from engrain.engine.verbs.inbox import PROPOSED
from engrain.engine.verbs.records import list_records, read_record, read_rows
from engrain.engine.verbs.save import compose_new, stamp_source
from engrain.language.text.clustering import ClusterItem, find_clusters
from engrain.language.text.folding import slugify
from engrain.lifecycle.jobs.job import Report, Run
from engrain.lifecycle.policy import skill_repeats
from engrain.lifecycle.reviewing.proposals import STALE
from engrain.lifecycle.reviewing.staging import FOLDER, list_proposals, propose
from engrain.model.errors import ConflictError, EngrainError
from engrain.model.experience.drafts import draft_skill
from engrain.model.experience.episode import SUCCESS
from engrain.model.experience.skills import KIND, Skill, compose_skill
from engrain.model.experience.traces import WEIGHTS, Trace, features_of, goal_words
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note, hash_bytes
from engrain.model.note.tiers import ACTIVE, LIVE, STAGING
from engrain.seam.changes import Write
from engrain.seam.locator import make_locator
from engrain.seam.rows import Filter, Row

SIGNATURE = "drafted"
"""The field of a drafted skill with the hash of its goal and steps."""
ADOPT = "adopt"

_MOST_EPISODES = 5000
"""The newest episodes that are compared."""
_ALIKE = 0.3
"""The least average likeness of a group: less than a pattern's, because similar tasks differ in
their objects, and the operator looks at a draft. Among 600 generated tasks it put 97 % of the pairs
right and found 98 % of them; at 0.4 a family of tasks on other objects is no longer found."""
_MOST_MEMBERS = 20
"""The newest episodes of a group that a draft is made from."""
MOST_WAITING = 10
"""Drafts that wait at most: nobody looks at more. The most frequent tasks come first."""
_SUCCEEDED = Filter(statuses=(ACTIVE,), zones=(LIVE,), tags=(SUCCESS,))
_SKILLS = Filter(kinds=(KIND,))


class _Group:
    """`count` similar episodes, the `ids` of those that the skill is drafted from."""

    def __init__(self, ids: Sequence[str], count: int, project: str, skill: Skill) -> None:
        self.ids = ids
        self.count = count
        self.project = project
        self.skill = skill
        said = [project, *sorted(goal_words(skill.name)), *skill.steps]
        self.signature = hash_bytes("\n".join(said).encode())[:16]


def draft_skills(store: Store, *, dry_run: bool = False) -> Report:
    """Draft skills from similar tasks that succeeded, for the operator to decide. With `dry_run`
    nothing is written."""
    return run(store, Run(dry_run=dry_run))


def run(store: Store, run: Run) -> Report:
    """Run the job; `engrain skill draft` does the same."""
    store.require_index(scan=not run.scanned)
    store = store.acting_as(Actor(JOBS))
    counts = {"drafted": 0, "expired": 0}
    lines: list[str] = []
    for row in _settle(store, dry_run=run.dry_run):
        counts["expired"] += 1
        lines.append(f"expired {row.id}: the proposal to adopt it was not accepted")
    repeats = skill_repeats(store.settings)
    for group in _draw(store, _find_new(store, repeats)):
        if run.out_of_time():
            return Report(counts, lines, unfinished=True)
        reason = f"{group.count} tasks succeeded alike"
        if run.dry_run:
            lines.append(f"would draft: {reason}: {', '.join(group.ids)}")
        else:
            entry = _write(store, group)
            propose(store, ADOPT, entry.id, reason)
            lines.append(f"drafted {entry.id}: {reason}: {', '.join(group.ids)}")
        counts["drafted"] += 1
    return Report(counts, lines)


def _draw(store: Store, groups: Iterator[_Group]) -> Iterator[_Group]:
    """Yield as many groups as there is room for their drafts beside those that wait."""
    first = next(groups, None)
    if first is not None:
        room = MOST_WAITING - len(list_proposals(store, ADOPT))
        yield from islice(chain((first,), groups), max(0, room))


def _find_new(store: Store, repeats: int) -> Iterator[_Group]:
    """Yield groups that succeeded often enough and were never drafted, the largest first."""
    by_project: dict[str, list[ClusterItem]] = {}
    places: dict[str, Row] = {}
    for row, note in islice(list_records(store, "episode", _SUCCEEDED), _MOST_EPISODES):
        item = ClusterItem(row.id, features_of(Trace(row.id, note.document)))
        by_project.setdefault(row.project or "", []).append(item)
        places[row.id] = row
    clusters = [
        (project, ids)
        for project, items in by_project.items()
        for ids in find_clusters(items, WEIGHTS, _ALIKE)
        if len(ids) >= repeats
    ]
    signatures, behind = _read_drafted(store) if clusters else (set[str](), set[str]())
    for project, ids in sorted(clusters, key=lambda one: (-len(one[1]), one)):
        if not behind.isdisjoint(ids):
            continue
        newest = sorted(ids, key=lambda id_: (-(places[id_].created or 0.0), id_))
        drawn = newest[:_MOST_MEMBERS]
        try:
            found = [read_record(store, places[id_].locator)[1].document for id_ in drawn]
            skill = draft_skill(found)
        except EngrainError:
            continue  # an episode vanished just now: the next run sees the others
        if skill is None:
            continue
        group = _Group(drawn, len(ids), project, skill)
        if group.signature not in signatures:
            signatures.add(group.signature)
            yield group


def _read_drafted(store: Store) -> tuple[set[str], set[str]]:
    """Return the signatures of the skills that were drafted, and the episodes behind them."""
    signatures: set[str] = set()
    behind: set[str] = set()
    # A draft is derived from its episodes; the files of other skills need not be read.
    derived = (row for row in store.index.find(_SKILLS) if store.index.sources_of(row.id))
    for _, entry in read_rows(store, derived):
        if isinstance(signature := entry.fields.get(SIGNATURE), str):
            signatures.add(signature)
            behind.update(entry.derived_from)
    return signatures, behind


def _settle(store: Store, *, dry_run: bool) -> list[Row]:
    """Propose the drafts that have no proposal, and retire those that were not adopted; return the
    rows of the retired."""
    rows = store.index.find(Filter(kinds=(KIND,), statuses=(PROPOSED,), zones=(STAGING,)))
    if not rows:
        return []
    asked = {proposal.target for proposal in list_proposals(store, ADOPT)}
    closed = list_proposals(store, ADOPT, decided=True)
    answered = {proposal.target for proposal in closed if proposal.decision != STALE}
    retired = [row for row in rows if row.id in answered - asked]
    if not dry_run:
        for row in rows:
            if row.id not in asked | answered:
                propose(store, ADOPT, row.id)
        for row in retired:
            _retire(store, row)
    return retired


def _retire(store: Store, row: Row) -> None:
    now = store.now

    def close(entry: Entry) -> Note:
        if entry.status != PROPOSED:
            return entry.note
        return entry.note.patch({"id": entry.id, "status": "archived", "updated": now})

    store.update(row.locator, close, "decide", reason="not adopted")


def _write(store: Store, group: _Group) -> Entry:
    """File a draft. Raises ConflictError where all its names are taken."""
    actor = acting_from(store, group.ids)
    slug = slugify(group.skill.name, "skill-" + group.signature[:8])
    fields: dict[str, Value] = {
        "kind": KIND,
        "status": PROPOSED,
        "project": group.project or None,
        "derived_from": list(group.ids),
        SIGNATURE: group.signature,
    }
    body = clean_text(store, compose_skill(group.skill))
    note = compose_new(store, fields, body, stamp_source(actor, "episodes", None))
    id_ = str(note.fields["id"])
    for name in (slug, f"{slug}--{id_[-8:]}"):
        place = make_locator(f"{FOLDER}/{name}.md")
        entry = Entry(place, note, hash_bytes(note.raw))
        try:
            writes = [Write(place, note.raw, id_)]
            store.commit("consolidate", writes, actor=actor, known=[entry])
        except ConflictError:
            continue
        return entry
    raise ConflictError(f"no free name for a draft of {slug!r}", path=FOLDER)
