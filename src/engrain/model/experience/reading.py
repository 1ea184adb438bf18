"""Turns an episode as somebody gave it into one that can be stored (S2.2): loki's fields in their
order, actions by time, and no larger than a note may be.

A wrong part is reported and left out, so that one bad line costs no other. Only an episode without
a goal is refused, because nothing could ever find it again.
"""

from __future__ import annotations

import json
import math
from collections import Counter, deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engrain.language.text.instants import format_instant, read_instant
from engrain.model.errors import UsageError
from engrain.model.experience.episode import OUTCOMES, UNKNOWN, is_failure
from engrain.model.note.documents import object_of

MOST_BYTES = 200_000
"""The most bytes of an episode's document in its file."""
MOST_ACTIONS = 500
_HEAD = 100
_TAIL = 200
_FAILING = 100
_LONGEST = 4000
# Most actions, characters of a text, and items of another list: the first row that fits counts.
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
    these."""

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
        """Return at most `most` of the actions, by time; those at one moment as they came."""
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
    """Whether a document is larger than MOST_BYTES."""
    return len(json.dumps(document, indent=2, ensure_ascii=False).encode()) > MOST_BYTES


def bound(whole: dict[str, Any], log: ActionLog) -> tuple[dict[str, Any], dict[str, int]]:
    """Return an episode with the actions of a log, cut to MOST_BYTES, and how many `actions`,
    `items` of other lists and `characters` of long texts were left out."""
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
    """Cuts texts and lists, and counts what it removed."""

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


_MOST_GIVEN = 10_000
"""Items of another list that are looked at."""
_FIRST, _LAST = -30_610_224_000, 253_402_300_799  # years of four digits
_FIELDS = (
    "id", "task_id", "timestamp", "duration_seconds", "agent", "context", "action_log", "outcome",
    "errors_encountered", "artifacts_produced", "git_commit",
)  # fmt: skip
_CONTEXT = ("phase", "goal", "constraints", "files_involved")
_ACTION = ("t", "action", "target", "result", "error")
_ERROR = ("type", "message", "resolution")


@dataclass(slots=True, eq=False)
class EpisodeReading:
    """An episode that can be stored: its `document`, when it began (epoch seconds), how many
    `actions`, `items` and `characters` were left out, and in words what was wrong. The document
    has an `id` only if one was given."""

    document: dict[str, Any]
    at: float
    omitted: dict[str, int]
    faults: tuple[str, ...]


def read_episode(given: Mapping[str, Any], now: float) -> EpisodeReading:
    """Return what can be stored of an episode. One without a time began at `now`. The `action_log`
    may be any iterable, and is never held as a whole. Raises UsageError if the episode is no object
    or has no goal."""
    if not isinstance(given, dict):
        raise UsageError(
            "an episode is a JSON object", remedy="give one with context.goal and an outcome"
        )
    return _EpisodeReader(given, now).read()


class _EpisodeReader:
    def __init__(self, given: Mapping[str, Any], now: float) -> None:
        self._given = given
        self._now = now
        self._wrong: Counter[str] = Counter()

    def read(self) -> EpisodeReading:
        given, context = self._given, object_of(self._given.get("context"))
        goal = " ".join(_text(context.get("goal")).split())
        if not goal:
            raise UsageError(
                "an episode needs a goal, to be found again",
                remedy="say in context.goal what was tried",
            )
        at, timestamp = self._read_time(given.get("timestamp"))
        log = ActionLog()
        for action in self._read_actions(given.get("action_log")):
            log.add(action)
        actions = log.kept()
        last = actions[-1]["t"] if actions else 0
        whole: dict[str, Any] = {
            "task_id": self._optional(given, "task_id"),
            "timestamp": timestamp,
            "duration_seconds": self._duration(given.get("duration_seconds"), last),
            "agent": self._optional(given, "agent"),
            "context": {
                "phase": _text(context.get("phase")),
                "goal": goal,
                "constraints": self._texts(context, "constraints"),
                "files_involved": self._texts(context, "files_involved"),
            },
            "action_log": actions,
            "outcome": self._outcome(given.get("outcome")),
            "errors_encountered": self._errors(given.get("errors_encountered")),
            "artifacts_produced": self._texts(given, "artifacts_produced"),
            "git_commit": self._optional(given, "git_commit"),
        }
        id_ = given.get("id")
        if id_ is not None and not isinstance(id_, list | dict | bool):
            id_ = " ".join(_text(id_).split())[:200]
            whole = {"id": id_, **whole} if id_ else whole
        elif id_ is not None:
            self._wrong["id was no text and is a new one"] += 1
        for where, keys, known in (("", given, _FIELDS), ("context.", context, _CONTEXT)):
            for key in [key for key in keys if key not in known][:20]:
                self._wrong[f"{where}{str(key)[:40]} is no field of an episode"] += 1
        document, omitted = bound(whole, log)
        faults = [line if n == 1 else f"{line} ({n} times)" for line, n in self._wrong.items()]
        return EpisodeReading(document, at, omitted, tuple(faults))

    def _read_time(self, value: object) -> tuple[float, str]:
        at = read_instant(value)
        if at is None or not _FIRST <= at <= _LAST:
            if value is not None:
                self._wrong["timestamp was no time and is now"] += 1
            at, value = self._now, None
        elif isinstance(value, str):
            return at, value.strip()
        return float(at // 1), format_instant(at)

    def _duration(self, value: object, last: float) -> float:
        if value is None:
            return last
        number = _number(value)
        if number is None:
            self._wrong["duration_seconds was no number and is the last action's time"] += 1
            return last
        return max(0, number)

    def _outcome(self, value: object) -> str:
        said = value.strip().lower() if isinstance(value, str) else ""
        if said in OUTCOMES:
            return said
        if value is not None and value != "":
            self._wrong[f"outcome {_text(value)[:40]!r} is {UNKNOWN}"] += 1
        return UNKNOWN

    def _optional(self, given: Mapping[str, Any], key: str) -> str | None:
        value = given.get(key)
        if isinstance(value, list | dict):
            self._wrong[f"{key} was no text"] += 1
            return None
        return _text(value) or None

    def _texts(self, given: Mapping[str, Any], key: str) -> list[str]:
        value = given.get(key)
        if isinstance(value, str):
            return [_text(value)] if value.strip() else []
        items = self._list(key, value)
        return [text for item in items[:_MOST_GIVEN] if (text := _text(item))]

    def _list(self, key: str, value: object) -> Sequence[Any]:
        if isinstance(value, list | tuple):
            return value
        if value is not None:
            self._wrong[f"{key} was no list"] += 1
        return ()

    def _errors(self, value: object) -> list[dict[str, str]]:
        errors = []
        for item in self._list("errors_encountered", value)[:_MOST_GIVEN]:
            if isinstance(item, str) and item.strip():
                item = {"type": "error", "message": item}
            error = {key: _text(object_of(item).get(key)) for key in _ERROR}
            if error["type"] or error["message"]:
                errors.append(error)
            else:
                self._wrong["an error that says nothing"] += 1
        return errors

    def _read_actions(self, value: object) -> Iterator[dict[str, Any]]:
        if value is None:
            return
        if isinstance(value, str | bytes | dict) or not hasattr(value, "__iter__"):
            self._wrong["action_log was no list"] += 1
            return
        last: float = 0
        for item in _by_time(value) if isinstance(value, list | tuple) else value:
            name = _text(item.get("action")).strip() if isinstance(item, dict) else ""
            if not name:
                self._wrong["an action that names none"] += 1
                continue
            time = _number(item.get("t"))
            if time is None and item.get("t") is not None:
                self._wrong["an action's t was no number and is that of the one before"] += 1
            last = max(0, time) if time is not None else last
            action = {"t": last, "action": name}
            action |= {key: text for key in _ACTION[2:] if (text := _text(item.get(key)))}
            yield action


def _by_time(items: Sequence[Any]) -> Iterator[Any]:
    """Yield actions by their time; one without a time stays behind the one before it."""
    times: list[float] = []
    last: float = 0
    for item in items:
        time = _number(object_of(item).get("t"))
        last = last if time is None else time
        times.append(last)
    yield from (items[at] for at in sorted(range(len(items)), key=times.__getitem__))


def _number(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    return value if abs(value) <= _LAST and not math.isnan(value) else None


def _text(value: object) -> str:
    """Return a value as text that a file can hold."""
    if value is None:
        return ""
    if not isinstance(value, str):
        value = json.dumps(value, ensure_ascii=False, default=str)
    return value.encode(errors="replace").decode().replace("\0", "")
