"""How large an episode may be, and what is kept of one that is larger (S2.2).

The beginning and the end, the actions that failed and what followed each, as far as there is room.
"""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Mapping
from typing import Any

from engrain.model.experience.episode import is_failure

MOST_BYTES = 200_000
"""Of an episode's document, as it is written."""
MOST_ACTIONS = 500
_HEAD = 100
_TAIL = 200
_FAILING = 100
_LONGEST = 4000
# Actions, characters of one text, items of one other list: the first that fits is taken.
_BOUNDS = (
    (MOST_ACTIONS, _LONGEST, 200),
    (MOST_ACTIONS, 1000, 200),
    (MOST_ACTIONS, 250, 100),
    (240, 250, 60),
    (120, 250, 40),
    (60, 120, 20),
    (20, 120, 10),
)


class ActionLog:
    """A bounded log of actions: it keeps the first, the last, the failed ones and what followed
    each of these."""

    __slots__ = ("_failed", "_first", "_follows", "_last", "_late", "count")

    def __init__(self) -> None:
        self.count = 0
        self._first: list[tuple[int, dict[str, Any]]] = []
        self._last: deque[tuple[int, dict[str, Any]]] = deque(maxlen=MOST_ACTIONS)
        self._failed: list[tuple[int, dict[str, Any]]] = []
        self._late: deque[tuple[int, dict[str, Any]]] = deque(maxlen=_FAILING)
        self._follows = False

    def add(self, action: dict[str, Any]) -> None:
        numbered = (self.count, action)
        self.count += 1
        if len(self._first) < _HEAD:
            self._first.append(numbered)
        self._last.append(numbered)
        failed = is_failure(action)
        if failed or self._follows:
            (self._failed if len(self._failed) < _FAILING else self._late).append(numbered)
        self._follows = failed

    def kept(self, most: int = MOST_ACTIONS) -> list[dict[str, Any]]:
        """At most so many of them, by time; those at one moment as they came."""
        if self.count <= most:
            chosen = dict([*self._first, *self._last])
        else:
            share = most / MOST_ACTIONS
            head, tail, failing = (int(part * share) for part in (_HEAD, _TAIL, _FAILING))
            late = list(self._late)[-failing:]
            ends = [*self._first[:head], *list(self._last)[-tail:]]
            chosen = dict([*ends, *self._failed[:failing], *late])
        ordered = [chosen[number] for number in sorted(chosen)]
        return sorted(ordered, key=lambda action: action["t"])


def is_large(document: Mapping[str, Any]) -> bool:
    """Whether a document is over what one may take."""
    return len(json.dumps(document, indent=2, ensure_ascii=False).encode()) > MOST_BYTES


def bound(whole: dict[str, Any], log: ActionLog) -> tuple[dict[str, Any], dict[str, int]]:
    """An episode with the actions of a log, no larger than one may be, and what of it was left
    out: `actions`, `items` of other lists, and `characters` of long texts."""
    for most, longest, items in _BOUNDS:
        cutter = _Cutter(longest, items)
        document: dict[str, Any] = cutter.cut({**whole, "action_log": []})
        kept = log.kept(most)
        document["action_log"] = [
            {key: cutter.cut(value) for key, value in action.items()} for action in kept
        ]
        if not is_large(document):
            break
    counts = {
        "actions": log.count - len(kept),
        "items": cutter.items_cut,
        "characters": cutter.characters,
    }
    return document, {name: count for name, count in counts.items() if count}


class _Cutter:
    """Cuts texts and lists, and counts what it took away."""

    def __init__(self, longest: int, items: int) -> None:
        self._longest = longest
        self._items = items
        self.characters = 0
        self.items_cut = 0

    def cut(self, value: Any) -> Any:
        if isinstance(value, str) and len(value) > self._longest:
            head, tail = self._longest * 2 // 3, self._longest // 3
            self.characters += len(value) - head - tail
            return f"{value[:head]} […] {value[-tail:]}"
        if isinstance(value, list):
            self.items_cut += max(0, len(value) - self._items)
            return [self.cut(item) for item in value[: self._items]]
        if isinstance(value, dict):
            return {key: self.cut(item) for key, item in value.items()}
        return value
