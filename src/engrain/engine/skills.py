"""Skills: found for a task, counted by how they served, taken in and given out (S2.4)."""

from __future__ import annotations

from engrain.engine.attesting import EXTERNAL, effective_trust
from engrain.engine.outcomes import CREATED, RESTORED, SIMILAR, UNCHANGED, UPDATED, Outcome
from engrain.engine.redaction import Redaction, clean_text
from engrain.engine.save import check_size, stamp_source
from engrain.model.entry import Entry, read_entry
from engrain.model.episode_features import goal_words
from engrain.model.errors import ConflictError, EngrainError, NotFoundError, UsageError
from engrain.model.ids import make_id
from engrain.model.instants import format_instant, read_instant
from engrain.model.kinds import kind_of
from engrain.model.note import compose_note, hash_bytes
from engrain.model.skills import KIND
from engrain.model.tiers import ACTIVE
from engrain.seam.locator import make_locator
from engrain.seam.storage import Write

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

    from engrain.engine.outcomes import Recalled
    from engrain.engine.scope import Scope
    from engrain.engine.store import Store
    from engrain.model.field import Value
    from engrain.model.skill_folder import SkillFolder
    from engrain.seam.rows import Row
    from engrain.seam.storage import Stored

SUCCESS, FAILURE = "success", "failure"
OUTCOMES = (SUCCESS, FAILURE)
LEAST_RELIABLE = 0.5
"""What the score of a skill is multiplied with at least, however often it failed."""


class ServiceRecord:
    """How a skill served: `uses`, of which so many were a success and so many a failure, and when
    the last one was, in epoch seconds."""

    __slots__ = ("failures", "last_used", "successes", "uses")

    def __init__(self, uses: int, successes: int, failures: int, last_used: float | None) -> None:
        self.uses = uses
        self.successes = successes
        self.failures = failures
        self.last_used = last_used

    @property
    def doubtful(self) -> bool:
        """Whether it failed more often than it served."""
        return self.failures > self.successes

    @property
    def factor(self) -> float:
        """What its score is multiplied with: 1, but for a doubtful one a half and its rate of
        success, (successes + 1) / (successes + failures + 2), the rule of succession: one failure
        gives 0.83, four give 0.67."""
        rate = (self.successes + 1) / (self.successes + self.failures + 2)
        return LEAST_RELIABLE + rate if self.doubtful else 1.0


class ListedSkill:
    """A skill as it stands, how it served, and the origin that counts for it."""

    __slots__ = ("entry", "origin", "record", "row")

    def __init__(self, row: Row, entry: Entry, origin: str) -> None:
        self.row = row
        self.entry = entry
        self.origin = origin
        self.record = read_service(entry)


class GivenSkill:
    """A skill as a folder of the Agent Skills format: its `name`, its `files` as (path, bytes), and
    what was `left_out` of it."""

    __slots__ = ("files", "left_out", "name")

    def __init__(
        self, name: str, files: Sequence[tuple[str, bytes]], left_out: Sequence[str]
    ) -> None:
        self.name = name
        self.files = tuple(files)
        self.left_out = tuple(left_out)


def read_service(entry: Entry) -> ServiceRecord:
    """How the skill in an entry served; what is no count is none."""
    counts = [entry.fields.get(name) for name in ("usage_count", "success_count", "failure_count")]
    uses, successes, failures = (
        count if isinstance(count, int) and not isinstance(count, bool) and count > 0 else 0
        for count in counts
    )
    return ServiceRecord(uses, successes, failures, read_instant(entry.fields.get("last_used")))


def find_skills(
    store: Store,
    task: str,
    limit: int = 3,
    *,
    outside: bool = False,
    scan: bool = False,
    deadline: float | None = None,
) -> list[Recalled]:
    """The skills that apply to a task, by its words and by its meaning, the best first; none where
    none applies. `row.score` counts how each served. What came from outside, or from what did, is
    found only where `outside` is asked for: nobody vouches for what it tells to do.

    A skill is followed, so it takes more than a memory does: where no vectors take part, one that
    has a single word of the task does not apply (see `_shares_enough`)."""
    from engrain.engine.recall.pipeline import Request, choose_profile, recall_entries
    from engrain.engine.scope import Scope

    if limit < 1:
        raise UsageError(f"a limit of {limit} finds nothing", remedy="give --limit 1 or more")
    if not task.strip():
        return []
    # As many again, so that those that serve move up into the place of those that don't.
    profile = choose_profile("prompt", limit=2 * limit + 2).replace(budget=None)
    request = Request(task, profile, Scope(kinds=(KIND,)), scan=scan, deadline=deadline)
    recall = recall_entries(store, request)
    found: list[Recalled] = []
    for recalled in recall.results:
        row = recalled.row
        if not recall.model and not _shares_enough(task, recalled):
            continue
        if not outside and effective_trust(store, row) == EXTERNAL:
            continue
        try:
            row.score *= read_service(store.read_entry(row.locator)).factor
        except EngrainError:
            continue  # gone this very moment
        found.append(recalled)
    found.sort(key=lambda recalled: (-recalled.row.score, recalled.row.id))
    return found[:limit]


def _shares_enough(task: str, recalled: Recalled) -> bool:
    """Whether a task and a skill have two telling words in common, or half of the task's with one
    of them in the skill's title, or all of them."""
    asked = set(goal_words(task))
    titled = asked.intersection(goal_words(recalled.row.title))
    shared = titled | asked.intersection(goal_words(recalled.text))
    half = bool(titled) and 2 * len(shared) >= len(asked)
    return len(shared) >= 2 or half or shared == asked


def list_skills(store: Store, scope: Scope) -> list[ListedSkill]:
    """The skills of a scope that can be read, newest first. The index is to be ready."""
    from engrain.engine.scope import make_filter

    listed = []
    for row in store.index.find(make_filter(scope, store.project).replace(kinds=(KIND,))):
        try:
            entry = store.read_entry(row.locator)
        except EngrainError:
            continue  # `doctor` tells what can't be read
        listed.append(ListedSkill(row, entry, effective_trust(store, row)))
    return listed


def read_skill_entry(store: Store, reference: str) -> ListedSkill:
    """The skill that a reference means. Raises NotFoundError, UsageError for what is none."""
    row = store.find_one(reference)
    if row.kind != KIND:
        raise UsageError(
            f"{row.id} is a {row.kind}, no skill",
            path=row.locator,
            remedy="`engrain skill list` shows them",
        )
    return ListedSkill(row, store.read_entry(row.locator), effective_trust(store, row))


def note_skill_use(store: Store, reference: str, outcome: str, note: str = "") -> Outcome:
    """Count a use of a skill and how it ended; `note` is kept in the history. Its substance stays.

    Raises NotFoundError; UsageError for what is no skill or no outcome.
    """
    if outcome not in OUTCOMES:
        raise UsageError(
            f"{outcome[:40]!r} is no outcome of a use", remedy="use one of " + ", ".join(OUTCOMES)
        )
    row = read_skill_entry(store, reference).row

    def count(stored: Stored) -> bytes:
        entry = read_entry(row.locator, stored.raw)
        record = read_service(entry)
        fields: dict[str, Value] = {
            "usage_count": record.uses + 1,
            "success_count": record.successes + (outcome == SUCCESS),
            "failure_count": record.failures + (outcome == FAILURE),
            "last_used": format_instant(store.clock.now()),
        }
        return entry.note.patch({"id": entry.id, **fields}).raw

    reason = f"{outcome}: {clean_text(store, note)}" if note else outcome
    store.update(row.locator, count, "use", row.id, reason=reason)
    return Outcome(UPDATED, store.read_entry(row.locator), row.locator)


def take_in_skill(store: Store, folder: SkillFolder, project: str | None = None) -> Outcome:
    """File a skill that came from a folder. One that says the same is `unchanged`, a forgotten one
    `restored`; beside another of its name it is filed as `similar`. Raises UsageError for one that
    is too large."""
    redaction = Redaction(store)
    body = redaction.clean(folder.body)
    now = store.clock.now()
    said: dict[str, Value] = {
        "kind": KIND,
        "tags": [redaction.clean(tag) for tag in folder.tags],
        "project": project,
        "skill": redaction.clean_values(folder.extras),
    }
    actor = store.actor
    taken: Entry | None = None
    for stem in (folder.name, f"{folder.name}-{hash_bytes(body.encode())[:8]}"):
        place = make_locator(f"{kind_of(KIND).folder}/{stem}.md")
        try:
            there = store.read_entry(place)
        except NotFoundError:
            fields: dict[str, Value] = {
                "id": make_id(now, store.entropy.draw(10)),
                **said,
                "slug": stem,
                "status": ACTIVE,
                "created": format_instant(now),
                "updated": format_instant(now),
                "source": stamp_source(actor, "import", f"skill {folder.name}"),
            }
            note = compose_note({key: fields[key] for key in fields if fields[key]}, body)
            check_size(note)
            entry = Entry(place, note, hash_bytes(note.raw))
            store.commit("import", [Write(place, note.raw, entry.id)], {place: None}, known=[entry])
            outcome, other = (SIMILAR, taken.id) if taken else (CREATED, None)
            return Outcome(outcome, entry, place, other=other, redacted=redaction.rules)
        if there.note.body == body and _says(there, said):
            if there.status == "deleted":
                from engrain.engine.forget import revive

                return Outcome(RESTORED, revive(store, place, there.id), place)
            return Outcome(UNCHANGED, there, place, redacted=redaction.rules)
        taken = taken or there
    raise ConflictError(f"no free name for {folder.name!r}", path=kind_of(KIND).folder)


def give_out_skill(skill: ListedSkill) -> GivenSkill:
    """A skill as a folder. The tools that one from outside says are allowed are not told to the
    host, which would let it use them unasked."""
    from engrain.model.skill_folder import write_skill_folder

    entry = skill.entry
    given = entry.fields.get("skill")
    extras = dict(given) if isinstance(given, dict) else {}
    told = extras.get("left_out")
    left_out = [str(path) for path in told] if isinstance(told, list) else []
    held = skill.origin == EXTERNAL
    if held and extras.get("allowed-tools"):
        left_out.append("allowed-tools")
    name, files = write_skill_folder(entry.slug, entry.note.body, entry.tags, extras, hold=held)
    return GivenSkill(name, files, left_out)


def _says(entry: Entry, said: dict[str, Value]) -> bool:
    """Whether an entry says the same in these fields, nothing being as good as an empty one; what
    was left out of its folder once is not in the folder that was written from it."""

    def told(value: Value) -> Value:
        if isinstance(value, dict):
            value = {key: part for key, part in value.items() if key != "left_out"}
        return value or None

    return all(told(entry.fields.get(key)) == told(value) for key, value in said.items())
