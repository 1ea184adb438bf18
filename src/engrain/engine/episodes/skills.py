"""Files, finds and exports skills, and counts their uses (S2.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engrain.engine.core.attesting import effective_trust
from engrain.engine.core.moving import stamp_id
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.recalled import Recalled
from engrain.engine.core.redaction import clean_text
from engrain.engine.core.scope import Scope, filter_for
from engrain.engine.core.store import Store
from engrain.engine.recall.pipeline import recall_entries
from engrain.engine.recall.profiles import RecallRequest, choose_profile
from engrain.engine.recall.rejection import ENOUGH
from engrain.engine.recall.task import service_factor
from engrain.engine.verbs.records import read_rows
from engrain.engine.verbs.save import SaveRequest, save
from engrain.model.errors import UsageError
from engrain.model.experience.episode import FAILURE, SUCCESS
from engrain.model.experience.skills import (
    KIND,
    Service,
    Skill,
    compose_skill,
    read_service,
    write_skill,
)
from engrain.model.experience.traces import goal_words
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.note import Note
from engrain.model.note.tiers import EXTERNAL
from engrain.seam.rows import Row

OUTCOMES = (SUCCESS, FAILURE)


@dataclass(slots=True, eq=False)
class ListedSkill:
    """A skill with its effective origin."""

    row: Row
    entry: Entry
    origin: str

    @property
    def service(self) -> Service:
        """The counts of its uses, successes and failures."""
        return read_service(self.entry)


def find_skills(
    store: Store, task: str, limit: int = 3, *, outside: bool = False
) -> list[Recalled]:
    """Find the skills that apply to a task by words and meaning, best first."""
    if limit < 1:
        raise UsageError(f"a limit of {limit} finds nothing", remedy="give --limit 1 or more")
    if not task.strip():
        return []
    # Twice as many are recalled, so that successful skills can replace others.
    profile = replace(choose_profile("prompt", limit=2 * limit + 2), budget=None, reject=False)
    request = RecallRequest(task, profile, Scope(kinds=(KIND,)))
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
    """Whether a task and a skill share enough significant words: two, or half of the task's with at
    least one in the skill's title, or all of the task's."""
    asked = set(goal_words(task))
    titled = asked.intersection(goal_words(title))
    shared = titled | asked.intersection(goal_words(text))
    half = bool(titled) and 2 * len(shared) >= len(asked)
    return len(shared) >= 2 or half or shared == asked


def list_skills(store: Store, *, scope: Scope | None = None) -> list[ListedSkill]:
    """List the skills of a scope that can be read, newest first. The index must be ready."""
    rows = store.index.find(replace(filter_for(store, scope or Scope()), kinds=(KIND,)))
    return [
        ListedSkill(row, entry, effective_trust(store, row))
        for row, entry in read_rows(store, rows)
    ]


def read_skill_entry(store: Store, reference: str) -> ListedSkill:
    """Read one skill by id, beginning of an id, path or slug. Raises NotFoundError; UsageError if
    the entry is not a skill."""
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
    """Save a skill as an entry: `memory.skills.add(Skill("Release", steps=[…]))`."""
    if not skill.name.strip():
        raise UsageError("a skill needs a name", remedy="give it a title")
    heading, _, text = compose_skill(skill).partition("\n")
    if not heading.startswith("# "):
        heading, text = f"# Skill: {skill.name}", f"\n{heading}\n{text}"
    request = SaveRequest(
        text, title=heading[2:], kind=KIND, slug=skill.name, tags=tags, project=project,
        source=source,
    )  # fmt: skip
    return save(store, request)


def note_skill_use(store: Store, reference: str, outcome: str, note: str = "") -> Outcome:
    """Count a use of a skill with its outcome."""
    if outcome not in OUTCOMES:
        raise UsageError(
            f"{outcome[:40]!r} is no outcome of a use", remedy="use one of " + ", ".join(OUTCOMES)
        )
    row = read_skill_entry(store, reference).row

    def count(entry: Entry) -> Note:
        service = read_service(entry)
        fields: dict[str, Value] = {
            "usage_count": service.uses + 1,
            "success_count": service.successes + (outcome == SUCCESS),
            "failure_count": service.failures + (outcome == FAILURE),
            "last_used": store.now,
        }
        return stamp_id(entry, fields)

    reason = f"{outcome}: {clean_text(store, note)}" if note else outcome
    return store.update(row.locator, count, "use", reason=reason)


def export_skill(store: Store, reference: str) -> tuple[str, bytes]:
    """Return a skill as hosts load it: the name of its folder, and the bytes of `SKILL.md`."""
    entry = read_skill_entry(store, reference).entry
    return write_skill(entry.slug, entry.note.body, entry.tags)
