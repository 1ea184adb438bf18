"""Merges two versions of a structured file: a record of JSON, a day's note, or a project's
progress; and of any other note, as far as that needs no person.

The merge of JSON is three-way: objects by key, lists by what identifies their items. Of two
versions `old` and `new` of a value, `base` is their last common version, MISSING if none is known.
A change of one side is taken. Additions of both sides stay; what one side removed stays removed,
even if the other changed it. If both changed the same value, a rule for its key decides, else
`new`.

The caller decides which version is `new` by something that every device sees alike. So every device
that merges the same three values gets the same result.
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from engrain.language.text.blocks import join_outline, split_outline
from engrain.language.text.instants import read_instant
from engrain.model.facts.daily import OFFSET, DailyItem, join_day, split_day
from engrain.model.facts.judging import FORGOTTEN, digest_of
from engrain.model.note.conflict_copies import is_day, is_structured
from engrain.model.note.documents import list_of, object_of, text_of, texts_of
from engrain.model.note.field import Value
from engrain.model.note.json_note import OWN, JsonNote
from engrain.model.note.note import COUNTERS, Note
from engrain.model.note.tiers import ORIGINS

Rule: TypeAlias = "Callable[[Any, Any, Any], Any]"
"""Chooses among base, old and new."""


class _Missing:
    def __repr__(self) -> str:
        return "MISSING"


MISSING = _Missing()
"""Stands for a value that is not there."""


def merge_values(base: Any, old: Any, new: Any, key: str = "") -> Any:
    """Return the merged value under `key`, MISSING if it is to be removed."""
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
    return _RULES[key](base, old, new) if key in _RULES else new


def _merge_removed(base: Any, left: Any, key: str) -> Any:
    """Return a value that one side lacks if the other has just added it, or retired the entry."""
    return left if base is MISSING or (key == "status" and left in _GONE) else MISSING


def merge_maps(
    base: Mapping[str, Any], old: Mapping[str, Any], new: Mapping[str, Any]
) -> dict[str, Any]:
    """Merge two objects key by key: the keys of `old` in its order, then those that `new` adds."""
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
    """Merge two lists item by item: those of `old` in its order, then those that `new` adds. Items
    with one `id`, else one `name`, else one value are the same; a repetition is another item."""
    sides = [_by_identity(side) for side in (base, old, new)]
    merged = [
        merge_values(*(side.get(key, MISSING) for side in sides))
        for key in {**sides[1], **sides[2]}
    ]
    return [item for item in merged if item is not MISSING]


def find_base(parents: Mapping[str, Iterable[str]], left: str, right: str) -> set[str]:
    """Return the nearest common ancestors of two versions; `parents` has, by version, those that it
    was made from. There are several if both versions were merged from the same two."""
    common = _ancestors(parents, left) & _ancestors(parents, right)
    older = {
        version
        for one in common
        for version in _ancestors(parents, one)
        if version != one and one not in _ancestors(parents, version)
    }
    return common - older


def _ancestors(parents: Mapping[str, Iterable[str]], version: str) -> set[str]:
    """Return a version and all its ancestors."""
    seen, todo = {version}, [version]
    while todo:
        for parent in parents.get(todo.pop(), ()):
            if parent not in seen:
                seen.add(parent)
                todo.append(parent)
    return seen


def _by_identity(items: Sequence[Any]) -> dict[tuple[str, str, int], Any]:
    found: dict[tuple[str, str, int], Any] = {}
    seen: Counter[tuple[str, str]] = Counter()
    for item in items:
        kind, name = _identity(item)
        found[kind, name, seen[kind, name]] = item
        seen[kind, name] += 1
    return found


def _identity(item: Any) -> tuple[str, str]:
    for key in ("id", "name"):
        if isinstance(item, dict) and isinstance(item.get(key), str) and item[key]:
            return key, item[key]
    return "", json.dumps(item, sort_keys=True, default=str)


def _equal(one: Any, other: Any) -> bool:
    return type(one) is type(other) and one == other


def _later(_: Any, old: Any, new: Any) -> Any:
    return max(old, new, key=_moment)


def _earlier(_: Any, old: Any, new: Any) -> Any:
    return min(old, new, key=_moment)


def _moment(value: Any) -> tuple[float, str]:
    at = read_instant(value)
    return float("-inf") if at is None else at, str(value)


def _add_up(base: Any, old: Any, new: Any) -> Any:
    """Return what both sides have counted since `base`, or the greater count without a base."""
    if not (_is_number(old) and _is_number(new)):
        return new
    return old + new - base if _is_number(base) and base <= min(old, new) else max(old, new)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


_GONE = ("deleted", "archived", "superseded", "historical", "proposed", "inbox")
"""States of what is not in force, the strongest first."""


def _rank(values: Sequence[str], value: Any) -> int:
    return values.index(value) if value in values else len(values)


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
        _add_up,
    ),
    "id": lambda _, old, new: min(old, new, key=str),
    "status": lambda _, old, new: min(new, old, key=lambda state: _rank(_GONE, state)),
    "trust": lambda _, old, new: max(new, old, key=lambda origin: _rank(ORIGINS, origin)),
}  # fmt: skip
"""By key, how to choose if both sides changed a value: of states the strongest, of origins the
least trusted."""
_TOGETHER = (("claimed_at", "claimed_by"),)
"""Keys that belong together: if both sides set them, those of the earlier moment are taken."""


def merge_notes(path: str, base: Note | None, old: Note, new: Note) -> Note | None:
    """Merge two versions of the structured file at `path`; `base` is their last common version, and
    `new` decides where nothing else does. Returns None if they can't be merged: only one is a
    record, or both texts of a note were edited."""
    if base is not None and new.raw == base.raw:
        return old
    if old.raw == new.raw or (base is not None and old.raw == base.raw):
        return new
    if isinstance(old, JsonNote) and isinstance(new, JsonNote):
        return _merge_records(base if isinstance(base, JsonNote) else None, old, new)
    if isinstance(old, JsonNote) or isinstance(new, JsonNote):
        return None
    if not is_structured(path):
        return merge_prose(base, old, new)
    return _merge_lists(is_day(path), base, old, new)


def _merge_lists(days: bool, base: Note | None, old: Note, new: Note) -> Note:
    """Merge notes that are a head and a list: the items of a day, or sections."""
    fields = merge_maps({} if base is None else base.fields, old.fields, new.fields)
    changed = {key: value for key, value in fields.items() if new.fields.get(key, MISSING) != value}
    removed = [key for key in new.fields if key not in fields]
    note = new.patch(changed, removed) if changed or removed else new
    body = _merge_days(base, old, new, fields) if days else _merge_sections(base, old, new)
    return note if body == new.body.replace("\r\n", "\n") else note.with_body(body)


def _merge_records(base: JsonNote | None, old: JsonNote, new: JsonNote) -> JsonNote:
    known, before, after = (
        {} if side is None else {**side.document, **({OWN: side.own} if side.own else {})}
        for side in (base, old, new)
    )
    merged = merge_maps(
        known, _without_forgotten(before, after, known), _without_forgotten(after, before, known)
    )
    for side, whole in ((new, after), (old, before)):
        if merged == whole:
            return side
    own = object_of(merged.pop(OWN, None))
    return JsonNote(new.kind, merged, own)


def _without_forgotten(
    side: Mapping[str, Any], other: Mapping[str, Any], base: Mapping[str, Any]
) -> Mapping[str, Any]:
    """Return a record without the facts that the other side forgot since, by their digests. What
    this side forgot and then stated again stays."""
    forgot = _forgotten(other) - _forgotten(base) - _forgotten(side)
    if not forgot:
        return side
    kept = [
        item
        for item in list_of(side.get("items"))
        if digest_of(text_of(object_of(item).get("content"))) not in forgot
    ]
    return {**side, "items": kept}


def _forgotten(whole: Mapping[str, Any]) -> set[str]:
    return set(texts_of(object_of(whole.get(OWN)).get(FORGOTTEN)))


def _merge_days(base: Note | None, old: Note, new: Note, fields: Mapping[str, Any]) -> str:
    """Merge the items of day's notes, and sort them if both sides are sorted."""
    heads, days = _split_sides(
        (base, old, new), lambda note: split_day(note.body, _offset(note.fields))
    )
    known, before, after = ([item.values() for item in day] for day in days)
    merged = [DailyItem(*one) for one in merge_values(known, before, after)]
    if all(day == sorted(day, key=DailyItem.moment) for day in days[1:]):
        merged.sort(key=DailyItem.moment)
    return join_day(_merge_heads(heads, base is not None), merged, _offset(fields))


def _merge_sections(base: Note | None, old: Note, new: Note) -> str:
    """Merge the sections of notes, and sort them by their headings if both sides are sorted."""
    heads, outlines = _split_sides((base, old, new), lambda note: split_outline(note.body))
    sides = [[[line, text.rstrip("\n")] for line, text in outline] for outline in outlines]
    merged = merge_values(sides[0], sides[1], sides[2])
    lines = [[line for line, _ in side] for side in sides[1:]]
    if all(side == sorted(side) for side in lines):
        merged.sort(key=lambda section: section[0])
    head = _merge_heads(heads, base is not None)
    return join_outline(head, [(line, f"{text}\n") for line, text in merged])


def _split_sides(
    sides: Iterable[Note | None], split: Callable[[Note], tuple[str, list[Any]]]
) -> tuple[list[str], list[list[Any]]]:
    """Return the heads and the lists of notes."""
    parts = [("", []) if side is None else split(side) for side in sides]
    return [head for head, _ in parts], [items for _, items in parts]


def _offset(fields: Mapping[str, Any]) -> str | None:
    noted = fields.get(OFFSET)
    return noted if isinstance(noted, str) else None


def _merge_heads(heads: Sequence[str], known: bool) -> str:
    """Merge the texts above lists: the one that changed, or the lines of both. Without `known`
    there is no common version."""
    base, old, new = heads
    if known and base in (old, new):
        return new if base == old else old
    there = new.splitlines()
    added = [line for line in old.splitlines() if line not in there]
    return new + "\n".join(["", *added, "", ""]) if added else new


def merge_prose(base: Note | None, old: Note, new: Note) -> Note | None:
    """Merge two versions of a note: the text that was edited since `base`, else that of `new`, and
    the counters of both. Returns None if both texts were edited, or nobody knows which."""
    said = [None if side is None else side.substance() for side in (base, old, new)]
    if said[1] == said[2] or said[1] == said[0]:
        return _with_counters(new, old)
    return _with_counters(old, new) if said[2] == said[0] else None


def _with_counters(note: Note, other: Note) -> Note:
    merged = merge_counters(note.fields, other.fields)
    changes = {key: value for key, value in merged.items() if note.fields.get(key) != value}
    return note.patch(changes) if changes else note


def merge_counters(one: Mapping[str, Value], other: Mapping[str, Value]) -> dict[str, Value]:
    """Merge the counters of two versions of a note: the greater count and weight, the later moment,
    the fewer sessions since a recall; a counter of one alone stays.

    That is the least upper bound of the two, so all devices end with the same, in whatever order
    and however often they get each other's versions. Counts are not added up, since a version that
    arrives twice would be counted twice.
    """
    merged = {}
    for key in COUNTERS:
        values = [side[key] for side in (one, other) if key in side]
        if values and key in _MOMENTS:
            merged[key] = max(values, key=_moment)
        elif values:
            choose = min if key == "sessions_since_recall" else max
            merged[key] = choose(values, key=_amount)
    return merged


_MOMENTS = ("last_recalled", "last_used", "updated")


def _amount(value: object) -> tuple[bool, float, str]:
    """Return the sort key of a counter; a value that is no number counts for less than any."""
    number = _is_number(value)
    return number, float(value) if number else 0.0, str(value)  # type: ignore[arg-type]
