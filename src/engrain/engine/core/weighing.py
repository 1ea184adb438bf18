"""Estimates the weight of an entry that was given none, from four factors from 0 to 1 (S3.3).

surprise    1 if it contradicts or replaces another entry; else the share of its words that the
            nearest older entry lacks.
goal        1 if 8 of its significant words (or all, if fewer) are in the project's goals (roadmap,
            plan, progress) or the operator's values, else the share; 0.5 without written goals.
social      1 if it names a known person (an identity, a relationship, an entity that is a person
            or has no type) or its kind is about people; else 0.
utility     its recalls, as a share of those from which an entry does not fade.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from typing import TYPE_CHECKING

from engrain.language.text.folding import fold, words_of
from engrain.model.errors import UsageError
from engrain.model.note.strength import FACTORS, weigh
from engrain.model.note.tiers import ENTITY
from engrain.seam.rows import CURRENT, Filter

if TYPE_CHECKING:
    from engrain.engine.core.store import Store
    from engrain.model.note.entry import Entry
    from engrain.seam.rows import Row


NO_GOALS = 0.5
"""The factor `goal` if no goals are written down, so that it is unknown."""
_ABOUT_GOALS = ("roadmap", "plan", "progress")
_ABOUT_PEOPLE = ("identity", "relationship", "commitment", "preference", "feedback")
_NAMED = ("identity", "relationship", ENTITY)
_PERSON = "person"
"""The type of the entities that are people; an entity has its type as a tag."""
_ENOUGH = 8
"""The number of words of the goals that make an entry wholly relevant."""
_RECALLS = 5
_NEAREST = 4
_HEAD = 400  # characters of the text with which the nearest entries are searched
_MOST_GOALS = 20
_TELLING = 4  # letters from which a word counts as significant
_WORD = re.compile(r"\w+")
_CONTRADICTS = "contradicts"


class Weighing:
    """Weighs entries of one store, reading its goals and people once."""

    def __init__(self, store: Store) -> None:
        self._store = store
        self._goals: dict[str, frozenset[str]] = {}
        self._people: list[re.Pattern[str]] | None = None

    def weight_of(self, entry: Entry) -> float:
        """Return the weight in the entry's file, or an estimate if it has none."""
        return weigh(self.estimate(entry)) if entry.weight is None else entry.weight

    def estimate(self, entry: Entry, given: Mapping[str, float] | None = None) -> dict[str, float]:
        """Return the four factors; those in `given` are not estimated."""
        rules: dict[str, Callable[[Entry], float]] = {
            "surprise": self._surprise,
            "goal": self._goal,
            "social": self._social,
            "utility": lambda entry: min(1.0, entry.recall_count / _RECALLS),
        }
        given = given or {}
        return {
            name: given[name] if name in given else round(rules[name](entry), 4) for name in FACTORS
        }

    def _surprise(self, entry: Entry) -> float:
        if entry.supersedes or any(relation == _CONTRADICTS for _, relation in entry.links):
            return 1.0
        words = words_of(f"{entry.title}\n{entry.text}")
        if not words:
            return 0.0
        text = f"{entry.title} {entry.text[:_HEAD]}"
        nearest = 0
        for row in self._store.index.search(text, Filter(), _NEAREST):
            if row.id != entry.id and _is_older(row, entry):
                other = self._store.find_entry(row.locator)
                if other is not None:
                    nearest = max(nearest, len(words & words_of(f"{other.title}\n{other.text}")))
        return 1.0 - nearest / len(words)

    def _goal(self, entry: Entry) -> float:
        goals = self._goals_of(entry.project or "")
        if not goals:
            return NO_GOALS
        words = _telling(f"{entry.title} {' '.join(entry.tags)} {entry.text}")
        return min(1.0, len(words & goals) / min(_ENOUGH, max(1, len(words))))

    def _goals_of(self, project: str) -> frozenset[str]:
        if project not in self._goals:
            wanted = [replace(CURRENT, kinds=("value",))]
            if project:
                wanted.append(replace(CURRENT, kinds=_ABOUT_GOALS, projects=(project,)))
            words: set[str] = set()
            for one in wanted:
                for row in self._store.index.find(one, _MOST_GOALS):
                    if entry := self._store.find_entry(row.locator):
                        words |= _telling(entry.text)
            self._goals[project] = frozenset(words)
        return self._goals[project]

    def _social(self, entry: Entry) -> float:
        if entry.kind in _ABOUT_PEOPLE:
            return 1.0
        if self._people is None:
            self._people = list(_known_people(self._store))
        text = fold(f"{entry.title}\n{entry.text}")
        return float(any(names.search(text) for names in self._people))


def _known_people(store: Store) -> Iterator[re.Pattern[str]]:
    """Yield one pattern of the names of all known people; nothing if nobody is known."""
    names: set[str] = set()
    for row in store.index.find(replace(CURRENT, kinds=_NAMED)):
        if row.kind == ENTITY and row.tags and _PERSON not in row.tags:
            continue
        if entry := store.find_entry(row.locator):
            aliases = entry.fields.get("aliases")
            others = aliases if isinstance(aliases, list) else []
            names.update(fold(str(name)).strip() for name in (entry.title, *others))
    if longest := sorted(names - {""}, key=len, reverse=True):
        yield re.compile(rf"\b(?:{'|'.join(map(re.escape, longest))})\b")


def _is_older(row: Row, entry: Entry) -> bool:
    """Whether `row` was created before `entry`; the ids decide if the times are equal or
    unknown."""
    if row.created is None or entry.created is None:
        return row.id < entry.id
    return (row.created, row.id) < (entry.created, entry.id)


def read_weight(store: Store, entry: Entry, given: float | Mapping[str, float]) -> float:
    """Return the weight that a caller gave as one number, or as some of the four factors, whose
    others are estimated. Raises UsageError if a number is not from 0 to 1."""
    try:
        if isinstance(given, int | float):
            if not 0 <= given <= 1:
                raise ValueError(f"weight {given} is not between 0 and 1")
            return float(given)
        weigh(given)
    except ValueError as error:
        raise UsageError(str(error), remedy="weights and factors go from 0 to 1") from None
    store.require_index()
    return weigh(Weighing(store).estimate(entry, given))


def _telling(text: str) -> frozenset[str]:
    return frozenset(word for word in _WORD.findall(fold(text)) if len(word) >= _TELLING)
