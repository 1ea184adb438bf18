"""Finds skills for a task, and counts how they served (S2.4)."""

from __future__ import annotations

from collections.abc import Sequence

from engrain.engine.core.attesting import EXTERNAL, effective_trust
from engrain.engine.core.outcomes import UPDATED, Outcome, Recalled
from engrain.engine.core.redaction import clean_text
from engrain.engine.core.scope import Scope, filter_for
from engrain.engine.core.store import Store
from engrain.engine.recall.pipeline import choose_profile, recall_entries
from engrain.engine.recall.rejection import ENOUGH
from engrain.engine.recall.request import Request
from engrain.engine.recall.task import service_factor
from engrain.engine.verbs.records import read_rows
from engrain.engine.verbs.save import save
from engrain.language.text.instants import format_instant
from engrain.model.errors import UsageError
from engrain.model.experience.episode import FAILURE, SUCCESS
from engrain.model.experience.features import goal_words
from engrain.model.experience.service import read_service
from engrain.model.experience.skills import KIND, Skill, compose_skill
from engrain.model.note.entry import Entry, read_entry
from engrain.model.note.field import Value
from engrain.seam.rows import Row
from engrain.seam.storage import Stored

OUTCOMES = (SUCCESS, FAILURE)


class ListedSkill:
    """A skill, how it served, and its effective origin."""

    __slots__ = ("entry", "origin", "row", "service")

    def __init__(self, row: Row, entry: Entry, origin: str) -> None:
        self.row = row
        self.entry = entry
        self.origin = origin
        self.service = read_service(entry)


def find_skills(
    store: Store,
    task: str,
    limit: int = 3,
    *,
    outside: bool = False,
    scan: bool = True,
    deadline: float | None = None,
) -> list[Recalled]:
    """The skills that apply to a task, by its words and by its meaning, best first. `row.score`
    counts how each served. Skills from outside are found only with `outside`: nobody vouches for
    them.

    A skill is followed, so it takes more than a memory does: without vectors a single shared word
    is not enough (see `shares_enough`).
    """
    if limit < 1:
        raise UsageError(f"a limit of {limit} finds nothing", remedy="give --limit 1 or more")
    if not task.strip():
        return []
    # As many again, so that those that serve move up into the place of those that don't.
    profile = choose_profile("prompt", limit=2 * limit + 2).replace(budget=None, reject=False)
    request = Request(task, profile, Scope(kinds=(KIND,)), scan=scan, deadline=deadline)
    recall = recall_entries(store, request)
    by_meaning = recall.model and recall.relevance >= ENOUGH
    found: list[Recalled] = []
    for recalled in recall.results:
        row = recalled.row
        if not (by_meaning or shares_enough(task, row.title, recalled.text)):
            continue
        if not outside and effective_trust(store, row) == EXTERNAL:
            continue
        row.score *= service_factor(store, row)
        found.append(recalled)
    found.sort(key=lambda recalled: (-recalled.row.score, recalled.row.id))
    return found[:limit]


def shares_enough(task: str, title: str, text: str) -> bool:
    """Whether a task and a skill share two significant words, half of the task's with one of them
    in the skill's title, or all of them."""
    asked = set(goal_words(task))
    titled = asked.intersection(goal_words(title))
    shared = titled | asked.intersection(goal_words(text))
    half = bool(titled) and 2 * len(shared) >= len(asked)
    return len(shared) >= 2 or half or shared == asked


def list_skills(store: Store, *, scope: Scope | None = None) -> list[ListedSkill]:
    """List the skills of a scope that can be read, newest first. The index must be ready."""
    rows = store.index.find(filter_for(store, scope or Scope()).replace(kinds=(KIND,)))
    return [
        ListedSkill(row, entry, effective_trust(store, row))
        for row, entry in read_rows(store, rows)
    ]


def read_skill_entry(store: Store, reference: str) -> ListedSkill:
    """Read one skill, by id, beginning of an id, path or slug. Raises NotFoundError, UsageError for
    what is no skill."""
    row = store.find_one(reference)
    if row.kind != KIND:
        raise UsageError(
            f"{row.id} is a {row.kind}, no skill",
            path=row.locator,
            remedy="`engrain skill list` shows them",
        )
    return ListedSkill(row, store.read_entry(row.locator), effective_trust(store, row))


def add_skill(
    store: Store,
    skill: Skill,
    *,
    tags: Sequence[str] | None = None,
    project: str | None = None,
    source: str = "api",
) -> Outcome:
    """File a skill, as `save` does: `memory.skills.add(Skill("Release", steps=[…]))`."""
    if not skill.name.strip():
        raise UsageError("a skill needs a name", remedy="give it a title")
    heading, _, text = compose_skill(skill).partition("\n")
    if not heading.startswith("# "):
        heading, text = f"# Skill: {skill.name}", f"\n{heading}\n{text}"
    return save(
        store, text, title=heading[2:], kind=KIND, slug=skill.name, tags=tags, project=project,
        source=source,
    )  # fmt: skip


def note_skill_use(store: Store, reference: str, outcome: str, note: str = "") -> Outcome:
    """Count a use of a skill and how it ended; `note` is kept in the history. Its substance stays.

    Raises NotFoundError; UsageError for an entry that is no skill, or an unknown outcome.
    """
    if outcome not in OUTCOMES:
        raise UsageError(
            f"{outcome[:40]!r} is no outcome of a use", remedy="use one of " + ", ".join(OUTCOMES)
        )
    row = read_skill_entry(store, reference).row

    def count(stored: Stored) -> bytes:
        entry = read_entry(row.locator, stored.raw)
        service = read_service(entry)
        fields: dict[str, Value] = {
            "usage_count": service.uses + 1,
            "success_count": service.successes + (outcome == SUCCESS),
            "failure_count": service.failures + (outcome == FAILURE),
            "last_used": format_instant(store.clock.now()),
        }
        return entry.note.patch({"id": entry.id, **fields}).raw

    reason = f"{outcome}: {clean_text(store, note)}" if note else outcome
    store.update(row.locator, count, "use", row.id, reason=reason)
    return Outcome(UPDATED, store.read_entry(row.locator), row.locator)
