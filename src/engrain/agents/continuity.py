"""The project's CONTINUITY.md: read, and rewritten each turn (S2.1, S1.4)."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from time import monotonic
from typing import TYPE_CHECKING

from engrain.agents.harness import (
    DOING,
    clean_given,
    find_harness,
    list_features,
    make_title,
    open_note,
    read_live,
    rewrite_notes,
)
from engrain.engine.core.recalled import TaskRecall
from engrain.engine.core.scope import Scope
from engrain.engine.recall.meaning import CHATTER
from engrain.engine.recall.pipeline import recall_entries
from engrain.engine.recall.profiles import RecallRequest, check_phase, choose_profile
from engrain.language.prompts import find_task, is_go_ahead
from engrain.language.text.blocks import tame
from engrain.language.text.fences import shorten
from engrain.language.text.instants import read_instant
from engrain.language.text.tokens import estimate_tokens
from engrain.model.errors import EngrainError, IndexUnavailableError
from engrain.model.experience.continuity import (
    GOAL,
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
from engrain.model.note.documents import text_of
from engrain.model.note.entry import Entry
from engrain.model.note.properties import split_heading

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


def set_continuity(
    store: Store,
    *,
    goal: str | None = None,
    state: str | None = None,
    next_step: str | None = None,
    phase: str | None = None,
) -> Outcome | None:
    """Rewrite the project's CONTINUITY.md."""
    turn = ContinuityChange(goal=goal, state=state, next_step=next_step, phase=phase)
    return renew_continuity(store, turn)


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
