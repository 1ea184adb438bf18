"""The project's CONTINUITY.md: read, and rewritten each turn (S2.1, S1.4); phases of work, and the
project's progress.md (S1.22).

A phase begins and ends in CONTINUITY.md; at its end a section is added to progress.md, which lists
what was done, the newest last.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING

from engrain.agents.harness import (
    DOING,
    Change,
    Harness,
    clean_given,
    describe_changes,
    find_harness,
    list_features,
    make_title,
    open_note,
    read_live,
    rewrite_notes,
    start_note,
)
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.recalled import TaskRecall
from engrain.engine.core.scope import Scope
from engrain.engine.core.store import Store
from engrain.engine.recall.meaning import CHATTER
from engrain.engine.recall.pipeline import recall_entries
from engrain.engine.recall.profiles import RecallRequest, check_phase, choose_profile
from engrain.language.prompts import find_task, is_go_ahead
from engrain.language.text.blocks import join_outline, split_outline, tame
from engrain.language.text.fences import shorten
from engrain.language.text.instants import format_instant, read_instant
from engrain.language.text.tokens import estimate_tokens
from engrain.model.errors import (
    ConflictError,
    EngrainError,
    IndexUnavailableError,
    NotFoundError,
    UsageError,
)
from engrain.model.experience.continuity import (
    GOAL,
    GOAL_LINE,
    LAST_ASKED,
    MISTAKES,
    NEXT_STEP,
    PROMPTED,
    RELEVANT,
    STATE,
    is_prompted,
    list_references,
    make_reference,
    mark_prompted,
    read_section,
    start_body,
    write_references,
    write_section,
)
from engrain.model.experience.episode import OUTCOMES
from engrain.model.note.documents import text_of
from engrain.model.note.entry import Entry
from engrain.model.note.note import Note, make_id
from engrain.model.note.properties import split_heading
from engrain.model.note.tiers import ACTIVE, archive_folder
from engrain.seam.rows import Filter

if TYPE_CHECKING:
    from engrain.engine.core.outcomes import Outcome
    from engrain.engine.core.recalled import Recalled
    from engrain.engine.core.store import Store
    from engrain.model.note.field import Value
    from engrain.model.note.note import Note


PHASE, BEGAN, BY = "phase", "phase_began", "phase_agent"
"""Fields of its frontmatter: which phase of work is on, since when, and who began it."""
LONGEST = {GOAL: 500, STATE: 2000, NEXT_STEP: 1000}
"""The most characters of each section."""
ASKED = 300
"""The most characters kept of a prompt, as the goal or as what was last asked."""
_READ = 4 * ASKED
_WORD = re.compile(r"[^\W_]+")
_SHORT = 3
"""The fewest letters of a word that is no small talk."""
_TOKENS = {RELEVANT: 400, MISTAKES: 200}
"""The most tokens of the references in each section."""


class Continuity:
    """The contents of CONTINUITY.md. `prompted` says that the goal comes from a prompt; `asked` is
    the last prompt, if it set none. `began` is in epoch seconds; `phase` and `agent` are "" for
    none; `relevant` and `mistakes` are lines that name entries, and what a person added."""

    __slots__ = (
        "agent", "asked", "began", "entry", "goal", "mistakes", "next_step", "phase", "project",
        "prompted", "relevant", "state",
    )  # fmt: skip

    def __init__(self, project: str, entry: Entry) -> None:
        body = entry.note.body
        self.entry = entry
        self.project = project
        self.phase = text_of(entry.fields.get(PHASE))
        self.began = read_instant(entry.fields.get(BEGAN)) if self.phase else None
        self.agent = text_of(entry.fields.get(BY)) if self.phase else ""
        self.goal = read_section(body, GOAL)
        self.prompted = is_prompted(entry.fields, self.goal)
        self.asked = read_section(body, LAST_ASKED)
        self.state = read_section(body, STATE)
        self.next_step = read_section(body, NEXT_STEP)
        self.relevant = tuple(list_references(body, RELEVANT))
        self.mistakes = tuple(list_references(body, MISTAKES))


@dataclass(slots=True, eq=False, kw_only=True)
class ContinuityChange:
    """A change of CONTINUITY.md: None keeps a part, "" removes it. `asked` is a prompt ("" for
    small talk), `task` its part that sets a task, and `pending` the open work of the project:
    features in progress, or its plan. The goal comes from `task` or `pending` if nobody set one.
    `relevant` and `avoid` are the entries to reference, None if none were looked up."""

    goal: str | None = None
    state: str | None = None
    next_step: str | None = None
    phase: str | None = None
    asked: str = ""
    pending: str = ""
    relevant: Sequence[Recalled] | None = None
    avoid: Sequence[Recalled] | None = None
    task: str = field(default="", init=False)

    def __post_init__(self) -> None:
        self.asked = self.asked if self.asked and not _is_small_talk(self.asked) else ""
        self.task = find_task(self.asked) if self.asked else ""


def read_continuity(store: Store) -> Continuity | None:
    """Read the project's CONTINUITY.md, None if there is none. Raises MalformedError."""
    harness = find_harness(store)
    entry = read_live(store, harness.continuity)
    return None if entry is None else Continuity(harness.project, entry)


def find_work(found: Continuity | None, turn: ContinuityChange) -> str:
    """Return what the work is about, as a query for recall; "" if that is unknown."""
    goal = choose_goal(found, turn) or turn.asked or (found.asked if found else "")
    next_step = turn.next_step if turn.next_step is not None else found.next_step if found else ""
    return "\n".join(part for part in (goal, next_step) if part.strip())


def choose_goal(found: Continuity | None, turn: ContinuityChange) -> str:
    """Return the goal after a turn: what somebody set, else the task of the last prompt with a
    task, else what is pending; "" for none."""
    if turn.goal is not None:
        return turn.goal
    goal = found.goal if found is not None else ""
    if goal and found is not None and not found.prompted:
        return goal
    # Older versions took any prompt as the goal.
    kept = goal if not goal or goal == turn.pending or find_task(goal) else ""
    return turn.task or kept or turn.pending


def write_continuity(
    store: Store, turn: ContinuityChange, *, check: Callable[[Continuity], None] | None = None
) -> Outcome | None:
    """Rewrite the project's CONTINUITY.md if anything changes; return None if there is no file and
    nothing to write. `check` gets its contents and may refuse by raising. Raises UsageError for an
    unknown phase, and for a text that is too long."""
    check_phase(turn.phase or None)
    harness = find_harness(store)
    turn = _clean(store, turn)

    def change(entry: Entry | None) -> Note | None:
        body = start_body(harness.project)
        note = open_note(store, entry, "continuity", harness.project, body)
        now = Continuity(harness.project, Entry(harness.continuity, note, ""))
        if check:
            check(now)
        written = apply_turn(store, now, turn)
        return None if entry is None and written is note else written

    return rewrite_notes(store, {harness.continuity: change}).get(harness.continuity)


def apply_turn(store: Store, found: Continuity, turn: ContinuityChange) -> Note:
    """Return the note after a turn; the same object if the turn changes nothing."""
    note, goal = found.entry.note, choose_goal(found, turn)
    fields: dict[str, Value] = {}
    removed: list[str] = []
    if turn.goal is None and (found.prompted or not found.goal):
        goal = shorten(goal, ASKED)
        if goal:
            fields[PROMPTED] = mark_prompted(tame(goal))
    if not fields:
        removed.append(PROMPTED)
    _apply_phase(store, found, turn, fields, removed)
    body = _write_body(note.body, turn, goal)
    if body != note.body:
        note = note.with_body(body)
    known = note.fields
    fields = {key: value for key, value in fields.items() if known.get(key) != value}
    removed = [key for key in removed if key in known]
    return note.patch(fields, removed) if fields or removed else note


def _write_body(body: str, turn: ContinuityChange, goal: str) -> str:
    asked = None
    if turn.asked:
        asked = shorten(turn.asked, ASKED)
        asked = "" if turn.task and goal == shorten(turn.task, ASKED) else asked
    for name, text in (
        (GOAL, goal),
        (LAST_ASKED, asked),
        (STATE, turn.state),
        (NEXT_STEP, turn.next_step),
    ):
        if text is not None:
            body = write_section(body, name, text)
    for name, entries in ((RELEVANT, turn.relevant), (MISTAKES, turn.avoid)):
        if entries is not None:
            body = write_references(body, name, refer(entries, _TOKENS[name]))
    return body


def _apply_phase(
    store: Store,
    found: Continuity,
    turn: ContinuityChange,
    fields: dict[str, Value],
    removed: list[str],
) -> None:
    """Begin another phase or end the current one, in the `fields` to set and to be `removed`."""
    if turn.phase == "":
        removed += (PHASE, BEGAN, BY)
    elif turn.phase is not None and turn.phase != found.phase:
        fields |= {PHASE: turn.phase, BEGAN: store.now}
        if store.actor.agent:
            fields[BY] = store.actor.agent
        else:
            removed.append(BY)


def _clean(store: Store, turn: ContinuityChange) -> ContinuityChange:
    """Return the turn without secrets. Raises UsageError for a text that is too long."""

    def given(text: str | None, name: str) -> str | None:
        return None if text is None else clean_given(store, text, name.lower(), LONGEST[name])

    goal = given(turn.goal, GOAL)
    return replace(
        turn,
        goal=None if goal is None else " ".join(goal.split()),
        state=given(turn.state, STATE),
        next_step=given(turn.next_step, NEXT_STEP),
        asked=clean_given(store, turn.asked[:_READ], "prompt", _READ),
        pending=shorten(clean_given(store, turn.pending[:_READ], "plan", _READ), ASKED),
    )


def _is_small_talk(text: str) -> bool:
    """Whether a prompt asks for nothing, or only to go on."""
    words = _WORD.findall(text.casefold())
    telling = (word for word in words if word not in CHATTER and not word.isdigit())
    return is_go_ahead(text) or all(len(word) < _SHORT and word.isascii() for word in telling)


def _find_pending(store: Store) -> str:
    """Return the names of a project's features in progress, else the title of its plan; "" if there
    is neither, or they can't be read."""
    harness = find_harness(store)
    try:
        if read_live(store, harness.features) is not None:
            doing = [one.name for one in list_features(store) if one.status == DOING]
            if doing:
                return "; ".join(doing)
        plan = read_live(store, harness.plan)
    except EngrainError:
        return ""
    title = "" if plan is None else split_heading(plan.note.body)[0] or ""
    return "" if title == make_title(harness.project) else title


def renew_continuity(
    store: Store,
    turn: ContinuityChange,
    deadline: float | None = None,
    *,
    check: Callable[[Continuity], None] | None = None,
) -> Outcome | None:
    """Look up the references for a turn, and write it with `write_continuity`. After `deadline` (a
    moment of `time.monotonic`) write nothing and return None."""
    found = read_continuity(store)
    turn.pending = _find_pending(store)
    work = find_work(found, turn)
    if found is None and not (work or turn.state or turn.phase or check):
        return None  # as for most turns, without loading more
    if memories := find_memories(store, work, deadline):
        turn.relevant, turn.avoid = memories
    if deadline is not None and monotonic() > deadline:
        return None
    return write_continuity(store, turn, check=check)


_WITHHELD = "from outside; read it by its id"
"""Replaces a title from outside, since CONTINUITY.md is read as the agent's own words."""
_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_.")
_LONGEST_ID = 64
"""The most characters of an id from outside, so that it can't carry a message either."""


def find_memories(
    store: Store, work: str, deadline: float | None = None
) -> tuple[Sequence[Recalled], Sequence[Recalled]] | None:
    """Return the memories and skills for the work, without episodes, and the mistakes to avoid;
    None if the index can't answer now. This strengthens no entry, since nobody has read it yet.
    Imported entries are left out until somebody has used them."""
    if not work.strip():
        return (), ()
    scope = Scope(known=True)
    request = RecallRequest(work, choose_profile("task"), scope, scan=False, deadline=deadline)
    try:
        found = recall_entries(store, request)
    except IndexUnavailableError:
        return None
    assert isinstance(found, TaskRecall), "the profile's own answer"
    told = [one for one in (*found.results, *found.skills) if one.row.kind != "episode"]
    return told, found.avoid_these


def refer(entries: Iterable[Recalled], most: int) -> list[str]:
    """Return references to entries, each once, within `most` tokens."""
    lines: dict[str, None] = {}
    for found in entries:
        row = found.row
        if row.source != "external":
            line = make_reference(row.id, row.title, row.kind, row.slug)
        elif len(row.id) <= _LONGEST_ID and _PLAIN.issuperset(row.id):
            line = make_reference(row.id, _WITHHELD, row.kind)
        else:
            continue
        most -= 0 if line in lines else estimate_tokens(line)
        if most < 0:
            break
        lines[line] = None
    return list(lines)


_LONGEST = 8000
"""The most characters of one piece of progress."""
_MOST_BYTES = 128 * 1024
"""The most bytes of the whole file; beyond that, its older half is archived."""


def add_progress(store: Store, text: str) -> Outcome:
    """Add progress, with the time, at the end of the file. Raises UsageError for an empty text."""
    harness = find_harness(store)
    text = clean_given(store, text, "piece of progress", _LONGEST)
    if not text:
        raise UsageError("there is no progress in that", remedy="say what was done")
    outcomes = rewrite_notes(store, plan_progress(store, harness, text))
    return outcomes[harness.progress]


def plan_progress(store: Store, harness: Harness, text: str) -> dict[str, Change]:
    """Return the changes that add a piece of progress: to progress.md, and to an archive file for
    what no longer fits."""
    title = f"# Progress: {harness.project}\n"
    section = (
        f"## {store.now}\n",
        "\n".join(line for line in tame(text).split("\n") if line.strip()),
    )
    dropped = ""

    def add(entry: Entry | None) -> Note:
        nonlocal dropped
        note = open_note(store, entry, "progress", harness.project, title)
        head, sections = split_outline(note.body)
        sections = [*sections, (section[0], section[1] + "\n")]
        kept, dropped = join_outline(head, sections), ""
        if len(kept.encode()) > _MOST_BYTES:
            half = len(sections) // 2
            kept = join_outline(head, sections[half:])
            dropped = join_outline("", sections[:half])
        return note.with_body(kept)

    def archive(_: Entry | None) -> Note | None:
        if not dropped:
            return None
        note = start_note(store, "progress", harness.project, title + "\n" + dropped)
        return note.patch({"status": "archived"})

    old = f"progress-{make_id(store.clock.now(), store.entropy.draw(10))}.md"
    return {harness.progress: add, f"{archive_folder(harness.progress)}/{old}": archive}


def list_progress(store: Store) -> list[tuple[str, str]]:
    """List the pieces of progress, oldest first."""
    entry = read_live(store, find_harness(store).progress)
    if entry is None:
        return []
    head, sections = split_outline(entry.note.body)
    before = split_heading(head)[1].strip()
    pieces = [(line.lstrip("#").strip(), text.strip()) for line, text in sections]
    return [("", before), *pieces] if before else pieces


_LONGEST_SUMMARY = 4000
_NEXT, _FEATURE, _EPISODES = "Next: ", "- Feature ", "- Episodes: "
_ENDED = re.compile(
    r"Phase (?P<name>\w+) ended"
    r"(?:; it was on(?: since (?P<since>[0-9TZ:-]+))?(?:, begun by .*)?)?\."
)


@dataclass(slots=True, eq=False)
class PhaseEnd:
    """A phase that has ended: when it began (epoch seconds, None if unknown), the number of
    episodes since then by outcome, a line for each feature that changed, and the outcome of
    progress.md."""

    name: str
    began: float | None
    episodes: Mapping[str, int]
    features: Sequence[str]
    outcome: Outcome


class PastPhase:
    """A phase that ended, read from progress.md: its beginning (None if unknown) and end in epoch
    seconds, its goal, the next step, the summary, and a line for each feature that changed."""

    def __init__(self, name: str, began: float | None, ended: float, lines: Sequence[str]) -> None:
        self.name = name
        self.began = began
        self.ended = ended
        self.goal = _said(lines, GOAL_LINE)
        self.next_step = _said(lines, _NEXT)
        self.features = tuple(
            line.removeprefix(_FEATURE) for line in lines if line.startswith(_FEATURE)
        )
        known = (GOAL_LINE, _NEXT, _FEATURE, _EPISODES)
        self.summary = "\n".join(line for line in lines if not line.startswith(known))


def begin_phase(store: Store, name: str, *, goal: str | None = None) -> Outcome:
    """Begin a phase as the acting agent; a phase that is on already is `unchanged`. Raises
    UsageError for a name that is no phase; ConflictError if another phase is on."""
    check_phase(name)

    def check(found: Continuity) -> None:
        if found.phase not in ("", name):
            raise ConflictError(
                f"the phase {found.phase} is on{_since(found)}",
                path=found.entry.path,
                remedy=f"`engrain project end {found.phase}` ends it",
            )

    outcome = renew_continuity(store, ContinuityChange(goal=goal, phase=name), check=check)
    assert outcome is not None, "a phase is something to say"
    return outcome


def end_phase(store: Store, name: str, *, summary: str = "") -> PhaseEnd:
    """End a phase: one commit takes it out of CONTINUITY.md and adds what was done to progress.md.
    The index must be ready. Raises UsageError for an unknown phase, NotFoundError if none has
    begun, ConflictError if another has."""
    check_phase(name)
    harness = find_harness(store)
    summary = clean_given(store, summary, "summary", _LONGEST_SUMMARY)
    found = _require(read_continuity(store), name)
    began = found.began if found.began is not None else found.entry.created
    only = Filter(kinds=("episode",), projects=(harness.project,), statuses=(ACTIVE,), since=began)
    counts = Counter(
        next((outcome for outcome in OUTCOMES if outcome in row.tags), OUTCOMES[-1])
        for row in store.index.find(only)
    )
    episodes = {outcome: counts[outcome] for outcome in OUTCOMES if counts[outcome]}
    features = [] if began is None else describe_changes(store, began)
    text = _describe_phase_end(found, summary, episodes, features)

    def finish(entry: Entry | None) -> Note:
        now = None if entry is None else Continuity(harness.project, entry)
        return apply_turn(store, _require(now, name), ContinuityChange(phase=""))

    outcomes = rewrite_notes(
        store, {harness.continuity: finish, **plan_progress(store, harness, text)}
    )
    return PhaseEnd(name, found.began, episodes, tuple(features), outcomes[harness.progress])


def list_past_phases(store: Store) -> list[PastPhase]:
    """List the phases of a project that ended, oldest first, as far back as progress.md goes.
    Raises MalformedError."""
    found: list[PastPhase] = []
    for heading, text in list_progress(store):
        first, *lines = text.split("\n")
        named, ended = _ENDED.fullmatch(first), read_instant(heading)
        if named is not None and ended is not None:
            found.append(PastPhase(named["name"], read_instant(named["since"]), ended, lines))
    return found


def _said(lines: Sequence[str], opening: str) -> str:
    return next((line.removeprefix(opening) for line in lines if line.startswith(opening)), "")


def _require(found: Continuity | None, name: str) -> Continuity:
    if found is None or not found.phase:
        raise NotFoundError(
            f"the phase {name} has not begun", remedy=f"`engrain project begin {name}` begins it"
        )
    if found.phase != name:
        raise ConflictError(
            f"the phase {name} has not begun: {found.phase} is on{_since(found)}",
            path=found.entry.path,
            remedy=f"`engrain project end {found.phase}` ends that",
        )
    return found


def _since(found: Continuity) -> str:
    since = "" if found.began is None else f" since {format_instant(found.began)}"
    return since + (f", begun by {found.agent}" if found.agent else "")


def _describe_phase_end(
    found: Continuity, summary: str, episodes: Mapping[str, int], features: Sequence[str]
) -> str:
    since = _since(found)
    lines = [f"Phase {found.phase} ended{f'; it was on{since}' if since else ''}."]
    if found.goal:
        lines.append(GOAL_LINE + " ".join(found.goal.split()))
    if summary:
        lines.append(summary)
    if found.next_step:
        lines.append(_NEXT + " ".join(found.next_step.split()))
    count = sum(episodes.values())
    if count:
        each = ", ".join(f"{number} {outcome}" for outcome, number in episodes.items())
        lines.append(f"{_EPISODES}{count} ({each})")
    lines += [_FEATURE + line for line in features]
    return "\n".join(lines)
