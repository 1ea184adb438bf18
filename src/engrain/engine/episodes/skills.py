"""Files, finds, imports and exports skills, and counts their uses (S2.4)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from engrain.engine.core.attesting import effective_trust
from engrain.engine.core.batches import ErasedContents
from engrain.engine.core.moving import stamp_id
from engrain.engine.core.outcomes import CREATED, SIMILAR, Outcome, Recalled
from engrain.engine.core.redaction import Redaction, clean_text
from engrain.engine.core.scope import Scope, filter_for
from engrain.engine.core.store import Store
from engrain.engine.recall.pipeline import choose_profile, recall_entries
from engrain.engine.recall.profiles import Request
from engrain.engine.recall.rejection import ENOUGH
from engrain.engine.recall.task import service_factor
from engrain.engine.verbs.intake import Intake, Terms
from engrain.engine.verbs.records import read_rows
from engrain.engine.verbs.save import compose_new, save, stamp_source
from engrain.model.errors import ConflictError, NotFoundError, UsageError
from engrain.model.experience.episode import FAILURE, SUCCESS
from engrain.model.experience.folders import SkillFolder, write_skill_folder
from engrain.model.experience.skills import KIND, Service, Skill, compose_skill, read_service
from engrain.model.experience.traces import goal_words
from engrain.model.note.documents import object_of, texts_of
from engrain.model.note.entry import Entry
from engrain.model.note.field import Value
from engrain.model.note.kinds import kind_of
from engrain.model.note.note import Note, hash_bytes
from engrain.model.note.tiers import EXTERNAL
from engrain.seam.locator import make_locator
from engrain.seam.rows import Row
from engrain.seam.storage import Write

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
    store: Store,
    task: str,
    limit: int = 3,
    *,
    outside: bool = False,
    scan: bool = True,
    deadline: float | None = None,
) -> list[Recalled]:
    """Find the skills that apply to a task by words and meaning, best first. `row.score` includes
    how they served. Skills from outside, which nobody vouches for, are returned only with
    `outside`. Since agents follow skills, one shared word is not enough if vectors don't find
    it relevant (see `shares_enough`)."""
    if limit < 1:
        raise UsageError(f"a limit of {limit} finds nothing", remedy="give --limit 1 or more")
    if not task.strip():
        return []
    # Twice as many are recalled, so that successful skills can replace others.
    profile = replace(choose_profile("prompt", limit=2 * limit + 2), budget=None, reject=False)
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
    return save(
        store, text, title=heading[2:], kind=KIND, slug=skill.name, tags=tags, project=project,
        source=source,
    )  # fmt: skip


def note_skill_use(store: Store, reference: str, outcome: str, note: str = "") -> Outcome:
    """Count a use of a skill with its outcome; `note` is kept in the history. The skill's substance
    does not change. Raises NotFoundError; UsageError for an entry that is not a skill, or an
    unknown outcome."""
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


@dataclass(slots=True, eq=False)
class GivenSkill:
    """A skill as a folder: its `name`, its `files` as (path, bytes), and what was `left_out`."""

    name: str
    files: tuple[tuple[str, bytes], ...]
    left_out: tuple[str, ...]


def take_in_skill(
    store: Store,
    folder: SkillFolder,
    *,
    project: str | None = None,
    allow_erased: bool = False,
    terms: Terms | None = None,
) -> Outcome:
    """File a skill from an Agent Skills folder that `read_skill_folder` read. It is as trusted as
    the actor; a folder from elsewhere is `external`.

    A known skill is `unchanged`, or treated by the `terms` of the import (see `import_folder`). If
    another skill has its name, it is filed beside it as `similar`. Raises UsageError if it is too
    large; ErasedError if it was erased here, unless `allow_erased`; ConflictError if both of its
    possible names are taken.
    """
    store = store.allowing_erased(allow_erased)
    redaction = Redaction(store)
    body = redaction.clean(folder.body)
    said: dict[str, Value] = {
        "kind": KIND,
        "tags": [redaction.clean(tag) for tag in folder.tags] or None,
        "project": project or None,
        "skill": redaction.clean_values(folder.extras) or None,
    }
    taken: Entry | None = None
    for stem in (folder.name, f"{folder.name}-{hash_bytes(body.encode())[:8]}"):
        place = make_locator(f"{kind_of(KIND).folder}/{stem}.md")
        try:
            there = store.read_entry(place)
        except NotFoundError:
            source = stamp_source(store.actor, "import", f"skill {folder.name}")
            note = compose_new(store, said, body, source)
            entry = Entry(place, note, hash_bytes(note.raw))
            write = Write(place, note.raw, entry.id)
            ErasedContents(store).check(write)
            store.commit("import", [write], known=[entry])
            outcome, other = (SIMILAR, taken.id) if taken else (CREATED, None)
            return Outcome(outcome, entry, other=other, redacted=redaction.rules)
        if there.note.body == body and _says(there, said):
            ref = f"skill {folder.name}"
            intake = Intake(store, ref, terms or Terms())
            if not intake.stays_deleted(folder.name, there):
                came_by_it = there.source.get("ref") == ref
                intake.settle(folder.name, there, None, came_by_it=came_by_it, same=True)
                intake.flush()
            outcome = next(iter(intake.done.counts))
            return Outcome(outcome, store.read_entry(place), redacted=redaction.rules)
        taken = taken or there
    raise ConflictError(f"no free name for {folder.name!r}", path=kind_of(KIND).folder)


def give_out_skill(store: Store, reference: str) -> GivenSkill:
    """Make an Agent Skills folder from a skill. The allowed tools of an external one are left out,
    since a host would use them without asking."""
    skill = read_skill_entry(store, reference)
    entry = skill.entry
    extras = object_of(entry.fields.get("skill"))
    left_out = texts_of(extras.get("left_out"))
    held = skill.origin == EXTERNAL
    if held and extras.get("allowed-tools"):
        left_out.append("allowed-tools")
    name, files = write_skill_folder(entry.slug, entry.note.body, entry.tags, extras, hold=held)
    return GivenSkill(name, tuple(files), tuple(left_out))


def _says(entry: Entry, said: dict[str, Value]) -> bool:
    """Whether an entry has these fields. Empty and missing fields are equal; `left_out` is ignored,
    since it is not in the written folder."""

    def normal(value: Value) -> Value:
        if isinstance(value, dict):
            value = {key: part for key, part in value.items() if key != "left_out"}
        return value or None

    return all(normal(entry.fields.get(key)) == normal(value) for key, value in said.items())
