"""Three-way merges of values of JSON: objects by key, lists by what identifies their items.

Of two versions `old` and `new` of a value, `base` is the last that both come from, MISSING where
nobody knows one. What one side alone changed is taken. What both added stays; what one removed
stays removed, also where the other changed it. Where both changed the same value, a rule by its
key decides, else `new`.

The caller says which of two versions is `new`, by something that every device sees alike. Then
every device that merges the same three values gets the same result.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from engrain.language.text.instants import read_instant
from engrain.model.note.tiers import ORIGINS

Rule: TypeAlias = "Callable[[Any, Any, Any], Any]"
"""Chooses among base, old and new."""


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()
"""Stands for a value that is not there."""


def merge_values(base: Any, old: Any, new: Any, key: str = "") -> Any:
    """The merged value, MISSING where it is to go; `key` is the one under which it stands."""
    if _equal(old, new) or _equal(old, base):
        return new
    if _equal(new, base):
        return old
    if MISSING in (old, new):
        return _merge_removed(base, new if old is MISSING else old, key)
    if isinstance(old, dict) and isinstance(new, dict):
        return merge_maps(base if isinstance(base, dict) else {}, old, new)
    if isinstance(old, list) and isinstance(new, list):
        return merge_lists(base if isinstance(base, list) else [], old, new)
    return _RULES.get(key, _take_new)(base, old, new)


def _merge_removed(base: Any, left: Any, key: str) -> Any:
    """A value that one side alone still has: it goes, unless it is new or retires a thing."""
    kept = base is MISSING or (key == "status" and left in _GONE)
    return left if kept else MISSING


def merge_maps(
    base: Mapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any]
) -> dict[str, Any]:
    """Two objects merged key by key: the keys of `old` in its order, then those that `new` adds."""
    merged = {}
    for key in {**old, **new}:
        there = [side.get(key, MISSING) for side in (base, old, new)]
        value = merge_values(there[0], there[1], there[2], key)
        if value is not MISSING:
            merged[key] = value
    for keys in _TOGETHER:
        changed = all(keys[0] in side and side[keys[0]] != base.get(keys[0]) for side in (old, new))
        if changed and old[keys[0]] != new[keys[0]]:
            first = old if _earlier(MISSING, old[keys[0]], new[keys[0]]) == old[keys[0]] else new
            merged |= {key: first[key] for key in keys if key in first}
    return merged


def merge_lists(base: Sequence[Any], old: Sequence[Any], new: Sequence[Any]) -> list[Any]:
    """Two lists merged item by item: those of `old` in its order, then those that `new` adds. Items
    are the same that have one `id`, else one `name`, else one value; the second of the same is
    another item."""
    sides = [_by_identity(side) for side in (base, old, new)]
    merged = [
        merge_values(*(side.get(key, MISSING) for side in sides))
        for key in {**sides[1], **sides[2]}
    ]
    return [item for item in merged if item is not MISSING]


def find_base(parents: Mapping[str, Iterable[str]], left: str, right: str) -> set[str]:
    """The nearest versions that two versions both come from; `parents` has, by version, those that
    it was made from. Several where both were merged from the same two."""
    common = _ancestors(parents, left) & _ancestors(parents, right)
    older = {
        version
        for one in common
        for version in _ancestors(parents, one)
        if version != one and one not in _ancestors(parents, version)
    }
    return common - older


def _ancestors(parents: Mapping[str, Iterable[str]], version: str) -> set[str]:
    """A version, and all that it comes from."""
    seen, todo = {version}, [version]
    while todo:
        for parent in parents.get(todo.pop(), ()):
            if parent not in seen:
                seen.add(parent)
                todo.append(parent)
    return seen


def _by_identity(items: Sequence[Any]) -> dict[tuple[str, str, int], Any]:
    found: dict[tuple[str, str, int], Any] = {}
    for item in items:
        kind, name = _identity(item)
        number = 0
        while (kind, name, number) in found:
            number += 1
        found[kind, name, number] = item
    return found


def _identity(item: Any) -> tuple[str, str]:
    for key in ("id", "name"):
        if isinstance(item, dict) and isinstance(item.get(key), str) and item[key]:
            return key, item[key]
    return "", json.dumps(item, sort_keys=True, default=str)


def _equal(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


def _take_new(_: Any, __: Any, new: Any) -> Any:
    return new


def _later(_: Any, old: Any, new: Any) -> Any:
    return max(old, new, key=_moment)


def _earlier(_: Any, old: Any, new: Any) -> Any:
    return min(old, new, key=_moment)


def _moment(value: Any) -> tuple[float, str]:
    at = read_instant(value)
    return float("-inf") if at is None else at, str(value)


def _smaller(_: Any, old: Any, new: Any) -> Any:
    return min(old, new, key=str)


def _counted(base: Any, old: Any, new: Any) -> Any:
    """What both sides counted since; the greater count where nobody knows since when."""
    if not all(_is_number(value) for value in (old, new)):
        return new
    return old + new - base if _is_number(base) and base <= min(old, new) else max(old, new)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _gone_first(_: Any, old: Any, new: Any) -> Any:
    """Of two states the one that takes out of force."""
    return min(new, old, key=lambda state: _GONE.index(state) if state in _GONE else len(_GONE))


def _least(_: Any, old: Any, new: Any) -> Any:
    """Of two origins the one that is trusted less."""
    return max(new, old, key=lambda origin: ORIGINS.index(origin) if origin in ORIGINS else 9)


_GONE = ("deleted", "archived", "superseded", "historical", "proposed", "inbox")
"""States that take out of force, the strongest first."""
_RULES: dict[str, Rule] = {
    **dict.fromkeys(
        ("updated", "last_recalled", "last_checkpoint", "last_used", "met", "deleted_at"), _later
    ),
    **dict.fromkeys(("created", "createdAt", "timestamp", "filed"), _earlier),
    **dict.fromkeys(
        (
            "recall_count", "usage_count", "success_count", "failure_count", "seen",
            "tasks_completed",
        ),
        _counted,
    ),
    "id": _smaller,
    "status": _gone_first,
    "trust": _least,
}  # fmt: skip
"""By key, what decides where both sides changed a value."""
_TOGETHER = (("claimed_at", "claimed_by"),)
"""Keys that belong together: where both sides set them, those of the earlier moment stand."""
