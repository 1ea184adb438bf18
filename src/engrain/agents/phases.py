"""Phases of work and a project's progress.md (S1.4, S1.22).

A phase begins and ends in CONTINUITY.md; at its end a section is added to progress.md, which lists
what was done, the newest last.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from engrain.agents.continuity import (
    Continuity,
    ContinuityChange,
    apply_turn,
    read_continuity,
    renew_continuity,
)
from engrain.agents.harness import (
    Change,
    Harness,
    clean_given,
    find_harness,
    open_note,
    read_live,
    rewrite_notes,
    start_note,
    tell_changes,
)
from engrain.engine.core.outcomes import Outcome
from engrain.engine.core.store import Store
from engrain.engine.recall.profiles import check_phase
from engrain.language.text.blocks import join_outline, split_outline, tame
from engrain.language.text.instants import format_instant, read_instant
from engrain.model.errors import ConflictError, NotFoundError, UsageError
from engrain.model.experience.continuity import GOAL_LINE
from engrain.model.experience.episode import OUTCOMES
from engrain.model.note.entry import Entry
from engrain.model.note.note import Note, make_id
from engrain.model.note.properties import split_heading
from engrain.model.note.tiers import ACTIVE, archive_folder
from engrain.seam.rows import Filter

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
    features = [] if began is None else tell_changes(store, began)
    text = _tell(found, summary, episodes, features)

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


def _tell(
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
