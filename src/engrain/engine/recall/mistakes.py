"""Finds mistakes to avoid: anti-patterns and learnings, by the task's words, by errors at similar
tasks, and by the type of action (S2.10, S2.7)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from engrain.engine.core.scope import admits, counted_origin
from engrain.engine.core.store import Store
from engrain.engine.recall.profiles import Collection, Request
from engrain.engine.recall.ranking import Ranked
from engrain.engine.recall.rejection import TAIL
from engrain.model.errors import EngrainError
from engrain.model.experience.patterns import ANTI_PATTERN
from engrain.model.note.entry import parse_note
from engrain.model.note.json_note import LEARNING, JsonNote
from engrain.model.note.note import Note
from engrain.seam.rows import Filter, Row

MISTAKES = Collection("avoid", (ANTI_PATTERN, LEARNING), 10)
MOST_MISTAKES = 5
"""At most so many are shown of those that are found: half of them may say the same."""
ACTION = 1.5
"""What it counts for that a mistake was met at the type of action that is at hand."""
_MOST_SIMILAR = 10
"""Episodes like a task whose mistakes are shown."""
_LEAST_SURE = 0.1
_MOST_READ = 200
"""Of the anti-patterns, so many of the newest are asked for their actions."""


def list_similar(episodes: Sequence[Ranked]) -> dict[str, float]:
    """The episodes that a task resembles, however they went, with the likeness from 0 to 1."""
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
    request: Request,
    only: Filter,
    similar: Mapping[str, float],
) -> list[Ranked]:
    """Add to the mistakes that fit by words: the anti-patterns of learnings among them, then
    mistakes made at similar tasks, then those that only the type of action speaks for."""
    mistakes = list(ranked)
    by_task = _list_by_task(store, similar, only)
    by_action = _list_by_action(store, request.action, only) if request.action else {}
    known = {item.row.id for item in mistakes} | set(request.loaded)
    least = TAIL * min((item.score for item in mistakes), default=1.0)
    for id_, (row, likeness) in by_task.items():
        if id_ not in known:
            mistakes.append(_rank_alone(row, "similar task", least * likeness))
    for item in ranked:
        pattern = _find_pattern(store, item, only)
        if pattern is not None and pattern.id not in known:
            known.add(pattern.id)
            mistakes.append(_rank_alone(pattern, LEARNING, item.score))
    for item in mistakes:
        if item.row.id in by_action:
            item.score *= ACTION
            item.priors["action"] = ACTION
    for id_, row in by_action.items():
        if id_ not in known and id_ not in by_task:
            mistakes.append(_rank_alone(row, "action", TAIL * least))
    mistakes.sort(key=lambda item: (-item.score, item.row.id))
    return mistakes[: MISTAKES.limit]


def _list_by_action(store: Store, action: str, only: Filter) -> dict[str, Row]:
    """The newest anti-patterns that were met at an action of this type, by id."""
    wanted = action.strip().casefold()
    found = {}
    for row in store.index.find(only.replace(kinds=(ANTI_PATTERN,)), _MOST_READ):
        note = _read(store, row)
        actions = note.fields.get("actions") if note else None
        if isinstance(actions, list) and wanted in (str(one).casefold() for one in actions):
            row.source = counted_origin(row, store.settings)
            found[row.id] = row
    return found


def _list_by_task(
    store: Store, similar: Mapping[str, float], only: Filter
) -> dict[str, tuple[Row, float]]:
    """The mistakes that were made in some episodes, by id, each with the greatest likeness, from 0
    to 1, that `similar` says of one of its own."""
    found = {}
    for row in store.index.derived_from(list(similar)) if similar else ():
        if row.kind in MISTAKES.kinds and admits(only, row):
            row.source = counted_origin(row, store.settings)
            likeness = max(similar.get(source, 0.0) for source in store.index.sources_of(row.id))
            found[row.id] = (row, likeness)
    return found


def _find_pattern(store: Store, learning: Ranked, only: Filter) -> Row | None:
    """The anti-pattern that was made of a learning."""
    if name := _named_pattern(store, learning):
        for row in store.index.lookup(name)[:1]:
            if row.kind == ANTI_PATTERN and admits(only, row):
                row.source = counted_origin(row, store.settings)
                return row
    return None


def _named_pattern(store: Store, item: Ranked) -> str:
    """The id of the anti-pattern that a learning says was made of it; "" if there is none."""
    note = _read(store, item.row) if item.row.kind == LEARNING else None
    return str(note.document.get("anti_pattern") or "") if isinstance(note, JsonNote) else ""


def drop_told(store: Store, ranked: list[Ranked], loaded: Sequence[str]) -> list[Ranked]:
    """Leave out learnings whose anti-pattern is among the mistakes or loaded already."""
    shown = {item.row.id for item in ranked} | set(loaded)
    return [item for item in ranked if _named_pattern(store, item) not in shown]


def _read(store: Store, row: Row) -> Note | None:
    try:
        return parse_note(store.backend.read(row.locator).raw, row.locator)
    except EngrainError:
        return None  # gone or broken since: who fills the answer notices


def _rank_alone(row: Row, why: str, worth: float) -> Ranked:
    """A mistake that something else than its words speaks for, by how sure it is."""
    score = worth * (1.0 if row.confidence is None else max(row.confidence, _LEAST_SURE))
    return Ranked(row, score, [], {why: score})
