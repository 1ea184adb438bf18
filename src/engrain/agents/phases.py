"""Phases of work: one begins and ends in CONTINUITY.md, and at its end progress is written
(S1.22)."""

from __future__ import annotations

from collections import Counter

from engrain.agents.continuity import (
    Continuity,
    Turn,
    apply_turn,
    read_continuity,
    renew_continuity,
)
from engrain.agents.features import tell_changes
from engrain.agents.harness import find_harness
from engrain.agents.progress import plan_progress
from engrain.agents.rewriting import clean_given, rewrite_notes
from engrain.engine.recall.priors import check_phase
from engrain.model.episode import OUTCOMES
from engrain.model.errors import ConflictError, NotFoundError
from engrain.model.instants import format_instant
from engrain.model.tiers import ACTIVE
from engrain.seam.rows import Filter

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from engrain.engine.outcomes import Outcome
    from engrain.engine.store import Store
    from engrain.model.entry import Entry
    from engrain.model.note import Note

_LONGEST_SUMMARY = 4000


class PhaseEnd:
    """A phase that has ended: since when it was on (epoch seconds, None if nobody wrote it down),
    the episodes of that time by their outcome, a line for each feature that changed, and what
    became of progress.md."""

    __slots__ = ("began", "episodes", "features", "name", "outcome")

    def __init__(
        self,
        name: str,
        began: float | None,
        episodes: Mapping[str, int],
        features: Sequence[str],
        outcome: Outcome,
    ) -> None:
        self.name = name
        self.began = began
        self.episodes = dict(episodes)
        self.features = tuple(features)
        self.outcome = outcome


def begin_phase(
    store: Store, name: str, *, goal: str | None = None, project: str | None = None
) -> Outcome:
    """Begin a phase, by the agent that acts; the one that is on already is `unchanged`. Raises
    UsageError for none of PHASES; ConflictError where another is on."""
    check_phase(name)

    def check(found: Continuity) -> None:
        if found.phase not in ("", name):
            raise ConflictError(
                f"the phase {found.phase} is on{_since(found)}",
                path=found.entry.path,
                remedy=f"`engrain phase end {found.phase}` ends it",
            )

    outcome = renew_continuity(store, Turn(goal=goal, phase=name), project, check=check)
    assert outcome is not None, "a phase is something to say"
    return outcome


def end_phase(
    store: Store, name: str, *, summary: str = "", project: str | None = None
) -> PhaseEnd:
    """End a phase: in one commit it is taken out of CONTINUITY.md, and what was done in it is added
    to progress.md. The index is to be ready. Raises UsageError for none of PHASES; NotFoundError
    where none is on, ConflictError where another is."""
    check_phase(name)
    harness = find_harness(store, project)
    summary = clean_given(store, summary, "summary", _LONGEST_SUMMARY)
    found = _require(read_continuity(store, project), name)
    began = found.began if found.began is not None else found.entry.created
    episodes = _count_episodes(store, harness.project, began)
    features = [] if began is None else tell_changes(store, began, project)
    text = _tell(found, summary, episodes, features)

    def finish(entry: Entry | None) -> Note:
        now = None if entry is None else Continuity(harness.project, entry)
        return apply_turn(store, _require(now, name), Turn(phase=""))

    outcomes = rewrite_notes(
        store, {harness.continuity: finish, **plan_progress(store, harness, text)}
    )
    return PhaseEnd(name, found.began, episodes, features, outcomes[harness.progress])


def _require(found: Continuity | None, name: str) -> Continuity:
    if found is None or not found.phase:
        raise NotFoundError(
            f"the phase {name} has not begun", remedy=f"`engrain phase begin {name}` begins it"
        )
    if found.phase != name:
        raise ConflictError(
            f"the phase {name} has not begun: {found.phase} is on{_since(found)}",
            path=found.entry.path,
            remedy=f"`engrain phase end {found.phase}` ends that",
        )
    return found


def _since(found: Continuity) -> str:
    since = "" if found.began is None else f" since {format_instant(found.began)}"
    return since + (f", begun by {found.agent}" if found.agent else "")


def _count_episodes(store: Store, project: str, since: float | None) -> dict[str, int]:
    """The project's episodes since a moment, by their outcome."""
    only = Filter(kinds=("episode",), projects=(project,), statuses=(ACTIVE,), since=since)
    found = Counter(
        next((outcome for outcome in OUTCOMES if outcome in row.tags), OUTCOMES[-1])
        for row in store.index.find(only)
    )
    return {outcome: found[outcome] for outcome in OUTCOMES if found[outcome]}


def _tell(
    found: Continuity, summary: str, episodes: Mapping[str, int], features: Sequence[str]
) -> str:
    """What was done in a phase, in lines."""
    since = _since(found)
    lines = [f"Phase {found.phase} ended{f'; it was on{since}' if since else ''}."]
    if found.goal:
        lines.append(f"Goal: {' '.join(found.goal.split())}")
    if summary:
        lines.append(summary)
    count = sum(episodes.values())
    if count:
        each = ", ".join(f"{number} {outcome}" for outcome, number in episodes.items())
        lines.append(f"- Episodes: {count} ({each})")
    lines += [f"- Feature {line}" for line in features]
    return "\n".join(lines)
