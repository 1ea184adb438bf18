"""Finds mistakes to avoid (anti-patterns and learnings) for a task: by its words, by mistakes at
similar tasks, and by the type of action (S2.10, S2.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from engrain.engine.core.recalled import MISTAKEN
from engrain.engine.core.scope import admits, counted_origin
from engrain.engine.core.store import Store
from engrain.engine.recall.profiles import Collection, RecallRequest
from engrain.engine.recall.ranking import Ranked
from engrain.engine.recall.rejection import TAIL
from engrain.model.errors import EngrainError
from engrain.model.experience.patterns import ANTI_PATTERN
from engrain.model.note.json_note import LEARNING, parse_note
from engrain.model.note.note import Note
from engrain.seam.rows import Filter, Row

MISTAKES = Collection("avoid", MISTAKEN, 10)
MOST_MISTAKES = 5
"""The most mistakes shown, of twice as many that are found, since half may say the same."""
ACTION = 1.5
"""The factor for a mistake that was made at an action of the type that comes next."""
_MOST_SIMILAR = 10
"""The most similar episodes whose mistakes are shown."""
_LEAST_SURE = 0.1
_MOST_READ = 200
"""The number of newest anti-patterns that are read for their actions."""


def list_similar(episodes: Sequence[Ranked]) -> dict[str, float]:
    """Return the ids of the episodes most similar to a task, whatever their outcome, each with its
    likeness from 0 to 1."""
    if not episodes:
        return {}
    best = episodes[0].score
    return {
        item.row.id: item.score / best
        for item in episodes[:_MOST_SIMILAR]
        if item.score >= TAIL * best
    }


def widen(
    store: Store,
    ranked: Sequence[Ranked],
    request: RecallRequest,
    only: Filter,
    similar: Mapping[str, float],
) -> list[Ranked]:
    """Return the mistakes found by words, and with them mistakes made at similar tasks, the
    anti-patterns of learnings, and mistakes made at actions of the same type, best first."""
    mistakes = list(ranked)
    by_task = list_by_task(store, similar, only, MISTAKES.kinds)
    by_action = _list_by_action(store, request.action, only) if request.action else {}
    known = {item.row.id for item in mistakes} | set(request.loaded)
    least = TAIL * min((item.score for item in mistakes), default=1.0)
    for id_, (row, likeness) in by_task.items():
        if id_ not in known:
            mistakes.append(rank_alone(row, "similar task", least * likeness))
    for item in ranked:
        pattern = _find_pattern(store, item, only)
        if pattern is not None and pattern.id not in known:
            known.add(pattern.id)
            mistakes.append(rank_alone(pattern, LEARNING, item.score))
    for item in mistakes:
        if item.row.id in by_action:
            item.score *= ACTION
            item.priors["action"] = ACTION
    for id_, row in by_action.items():
        if id_ not in known and id_ not in by_task:
            mistakes.append(rank_alone(row, "action", TAIL * least))
    mistakes.sort(key=lambda item: (-item.score, item.row.id))
    return mistakes[: MISTAKES.limit]


def _list_by_action(store: Store, action: str, only: Filter) -> dict[str, Row]:
    """Return by id those of the newest anti-patterns that were met at this type of action."""
    wanted = action.strip().casefold()
    found = {}
    for row in store.index.find(replace(only, kinds=(ANTI_PATTERN,)), _MOST_READ):
        note = _read(store, row)
        actions = note.fields.get("actions") if note else None
        if isinstance(actions, list) and wanted in (str(one).casefold() for one in actions):
            row.source = counted_origin(row, store)
            found[row.id] = row
    return found


def list_by_task(
    store: Store, similar: Mapping[str, float], only: Filter, kinds: Sequence[str]
) -> dict[str, tuple[Row, float]]:
    """Return by id the entries of these kinds that were derived from the episodes in `similar`,
    each with the greatest likeness, from 0 to 1, of its own episodes."""
    found = {}
    for row in store.index.derived_from(list(similar)) if similar else ():
        if row.kind in kinds and admits(only, row):
            row.source = counted_origin(row, store)
            likeness = max(similar.get(source, 0.0) for source in store.index.sources_of(row.id))
            found[row.id] = (row, likeness)
    return found


def _find_pattern(store: Store, learning: Ranked, only: Filter) -> Row | None:
    """Return the anti-pattern that belongs to a learning, None if there is none in scope."""
    if name := _named_pattern(store, learning):
        for row in store.index.lookup(name)[:1]:
            if row.kind == ANTI_PATTERN and admits(only, row):
                row.source = counted_origin(row, store)
                return row
    return None


def _named_pattern(store: Store, item: Ranked) -> str:
    """Return the id of the anti-pattern that a learning names; "" if there is none."""
    note = _read(store, item.row) if item.row.kind == LEARNING else None
    return str(note.document.get("anti_pattern") or "") if note else ""


def drop_told(store: Store, ranked: list[Ranked], loaded: Sequence[str]) -> list[Ranked]:
    """Drop learnings whose anti-pattern is among the mistakes or already loaded."""
    shown = {item.row.id for item in ranked} | set(loaded)
    return [item for item in ranked if _named_pattern(store, item) not in shown]


def _read(store: Store, row: Row) -> Note | None:
    try:
        return parse_note(store.backend.read(row.locator).raw, row.locator)
    except EngrainError:
        return None  # gone or broken since: `Filler` notices it


def rank_alone(row: Row, why: str, worth: float) -> Ranked:
    """Return an entry found by something other than words, scored by `worth` and confidence."""
    score = worth * (1.0 if row.confidence is None else max(row.confidence, _LEAST_SURE))
    return Ranked(row, score, [], {why: score})
