"""`recall`: finds the entries that fit a query, within a session or outside of any (S1.18, S3.4,
S3.9).

A session gets no entry twice, and a limited number of them; they are noted, and gain weight when it
has ended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeAlias

from engrain.engine.core.recalled import Recall, TaskRecall
from engrain.engine.core.scope import Scope
from engrain.engine.recall.profiles import RecallRequest, choose_profile
from engrain.lifecycle.sessions.sessions import (
    describe_rest,
    list_given,
    note_recalled,
    note_used,
    room_left,
)
from engrain.model.errors import StorageError

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.engine.recall.profiles import Profile


Answer: TypeAlias = "Callable[[Store, RecallRequest], Recall]"
"""Answers a request; `pipeline.recall_entries` answers any."""


def recall(
    store: Store,
    query: str,
    answer: Answer,
    *,
    session: str | None = None,
    repeat: bool = False,
    profile: str | Profile | None = None,
    limit: int | None = None,
    budget: int | None = None,
    phase: str | None = None,
    action: str | None = None,
    half_life: float | None = None,
    scope: Scope | None = None,
    loaded: Sequence[str] = (),
    scan: bool = True,
    explain: bool = False,
    deadline: float | None = None,
) -> Recall:
    """Recall the few entries that fit `query` by `answer`, best first, and none when none fits
    (DESIGN section 9). Texts are read from the vault just now.

    `Memory.recall` explains the arguments. Within a `session` what it got is noted and not
    repeated, until it has got all that a session gets (`session.limit`, S3.9): then nothing.
    Raises UsageError, ConfigError, IndexUnavailableError.
    """
    chosen = choose_profile(
        profile or store.profile,
        limit=limit,
        budget=store.budget if budget is None else budget,
        half_life=half_life,
    )
    given = list_given(store.device.journal, session) if session else []
    if session and not room_left(store.settings, given):
        full = TaskRecall(exhausted=True) if chosen.collections else Recall((), exhausted=True)
        _note_quietly(store, session, full)
        return full
    request = RecallRequest(
        query,
        chosen,
        scope or Scope(),
        phase=phase,
        action=action,
        loaded=loaded if repeat else [*loaded, *given],
        scan=scan,
        explain=explain,
        deadline=deadline,
    )
    found = answer(store, request)
    if session:
        _bound(found, room_left(store.settings, given), given)
    if session is not None:
        _note_quietly(store, session, found)
    return found


def _note_quietly(store: Store, session: str, recall: Recall) -> None:
    try:  # contextlib would cost a cold process its import
        note_recall(store, session, recall)
    except StorageError:
        return  # the recall is only not counted


def recall_for_task(
    store: Store,
    task: str,
    answer: Answer,
    *,
    action: str | None,
    phase: str | None,
    limit: int,
    budget: int | None,
    project: str | None,
    loaded: Sequence[str],
) -> TaskRecall:
    """Recall what fits a task best, the mistakes to avoid and the skills that apply, in one budget
    of tokens: patterns, successful episodes and skills, weighed .5, .3 and .2 (S2.4)."""
    found = recall(
        store,
        task,
        answer,
        profile="task",
        action=action,
        phase=phase,
        limit=limit,
        budget=budget,
        scope=Scope(project=project),
        loaded=loaded,
    )
    assert isinstance(found, TaskRecall)
    return found


def note_recall(store: Store, session: str, recall: Recall) -> None:
    """Record in a session's journal what was recalled ("" is the day's session); the counts of the
    entries rise when the session ends. Raises StorageError."""
    note_recalled(
        store.device.journal,
        session,
        store.clock.now(),
        [found.row.id for found in recall.given],
        recall.again,
        leading=recall.leading,
        project=store.project or "",
        rest=describe_rest(recall),
    )


def note_use(store: Store, session: str | None, ids: Sequence[str]) -> None:
    """Count entries as used in a session: they gain more weight than those that only came. None
    means the current session, or the day's where none was begun, "" the day's."""
    session = store.device.journal.current() if session is None else session
    note_used(store.device.journal, session, store.clock.now(), ids)


def _bound(recall: Recall, room: int, given: Sequence[str]) -> None:
    """Keep in an answer the entries that the session has, and new ones as far as it has room."""
    kept = set()
    for found in recall.given:
        if found.row.id not in given:
            room -= 1
        if room >= 0 or found.row.id in given:
            kept.add(found.row.id)
    recall.retain(kept)
