"""Merging two versions of a structured file: a record of JSON, a day's note, or a project's
progress; or of any other note, as far as a person need not."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from engrain.language.text.blocks import join_outline, split_outline
from engrain.language.text.instants import read_instant
from engrain.model.facts.daily import OFFSET, Item, join_day, split_day
from engrain.model.facts.judging import FORGOTTEN, digest_of
from engrain.model.note.conflict_copies import is_day, is_structured
from engrain.model.note.documents import list_of, object_of, text_of, texts_of
from engrain.model.note.field import Value
from engrain.model.note.json_note import OWN, JsonNote
from engrain.model.note.note import COUNTERS, Note
from engrain.model.note.tiers import ORIGINS

Choice: TypeAlias = "Callable[[Any, Any, Any], Any]"
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
    return _BY_KEY.get(key, _take_new)(base, old, new)


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


def _later_of(_: Any, old: Any, new: Any) -> Any:
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
_BY_KEY: dict[str, Choice] = {
    **dict.fromkeys(
        ("updated", "last_recalled", "last_checkpoint", "last_used", "met", "deleted_at"), _later_of
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


Rule: TypeAlias = "Callable[[Any, Any], Any]"
"""Chooses between the values of a counter."""


def merge_notes(path: str, base: Note | None, old: Note, new: Note) -> Note | None:
    """Two versions of the structured file at `path` merged; `base` is the last that both come from,
    `new` decides where nothing else does. None where they can't be merged: one is a
    record and the other is none, or both texts of a note were edited."""
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


def _merge_records(base: JsonNote | None, old: JsonNote, new: JsonNote) -> JsonNote:
    wholes = [{} if side is None else _whole(side) for side in (base, old, new)]
    _, before, after = wholes
    merged = merge_maps(
        wholes[0], _without(before, after, wholes[0]), _without(after, before, wholes[0])
    )
    for side, whole in ((new, after), (old, before)):
        if merged == whole:
            return side
    return JsonNote(
        new.kind, {k: v for k, v in merged.items() if k != OWN}, object_of(merged.get(OWN))
    )


def _whole(note: JsonNote) -> dict[str, Any]:
    return {**note.document, OWN: note.own} if note.own else dict(note.document)


def _without(
    side: Mapping[str, Any], other: Mapping[str, Any], base: Mapping[str, Any]
) -> Mapping[str, Any]:
    """A record less the facts that the other side forgot since: those are known by what they say.
    What its own side forgot and then stated anew stays."""
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


def _merge_lists(days: bool, base: Note | None, old: Note, new: Note) -> Note:
    """Notes that are a head and a list: of a day's items, or of sections."""
    fields = merge_maps({} if base is None else base.fields, old.fields, new.fields)
    changed = {key: value for key, value in fields.items() if new.fields.get(key, MISSING) != value}
    removed = [key for key in new.fields if key not in fields]
    note = new.patch(changed, removed) if changed or removed else new
    merge = _merge_days if days else _merge_sections
    body = merge(base, old, new, _offset(fields))
    return note if body == new.body.replace("\r\n", "\n") else note.with_body(body)


def _merge_days(base: Note | None, old: Note, new: Note, noted: str | None) -> str:
    heads, items = zip(*map(_split, (base, old, new)), strict=True)
    head = _merge_heads(None if base is None else heads[0], heads[1], heads[2])
    return join_day(head, _merge_items(*items), noted)


def _merge_sections(base: Note | None, old: Note, new: Note, _: str | None) -> str:
    """The sections of both; where all headings are times, in their order."""
    heads, sections = zip(
        *(("", []) if side is None else split_outline(side.body) for side in (base, old, new)),
        strict=True,
    )
    known, before, after = ([[line, text.rstrip("\n")] for line, text in side] for side in sections)
    merged = merge_values(known, before, after)
    if all(side == sorted(side, key=_heading) for side in (before, after)):
        merged.sort(key=_heading)
    head = _merge_heads(None if base is None else heads[0], heads[1], heads[2])
    return join_outline(head, [(line, f"{text}\n") for line, text in merged])


def _heading(section: Sequence[str]) -> str:
    return section[0]


def _split(note: Note | None) -> tuple[str, list[Item]]:
    return ("", []) if note is None else split_day(note.body, _offset(note.fields))


def _offset(fields: Mapping[str, Any]) -> str | None:
    noted = fields.get(OFFSET)
    return noted if isinstance(noted, str) else None


def _merge_items(base: Sequence[Item], old: Sequence[Item], new: Sequence[Item]) -> list[Item]:
    known, before, after = ([item.values() for item in side] for side in (base, old, new))
    merged = [Item(*one) for one in merge_values(known, before, after)]
    if all(side == sorted(side, key=Item.moment) for side in (old, new)):
        merged.sort(key=Item.moment)
    return merged


def _merge_heads(base: str | None, old: str, new: str) -> str:
    """What a person wrote above the list; where both sides changed it, the lines of both."""
    if base in (old, new):
        return new if base == old else old
    there = new.splitlines()
    added = [line for line in old.splitlines() if line not in there]
    return new + "\n".join(["", *added, "", ""]) if added else new


def merge_prose(base: Note | None, old: Note, new: Note) -> Note | None:
    """Two versions of a note with the text that was edited since `base`, else that of `new`, and
    the counters of both; None where both were edited, or nobody knows which."""
    said = [None if side is None else side.substance() for side in (base, old, new)]
    if said[1] == said[2] or said[1] == said[0]:
        return _with_counters(new, old)
    return _with_counters(old, new) if said[2] == said[0] else None


def merge_counters(one: Mapping[str, Value], other: Mapping[str, Value]) -> dict[str, Value]:
    """The counters of two versions of a note: the greater count and weight, the later moment, the
    fewer sessions since a recall; what one alone has stays.

    That is the least upper bound of the two: in whatever order and however often devices meet each
    other's versions, all end with the same. What both counted since they last met is not added up,
    since a version that arrives twice would be counted twice.
    """
    return {
        key: _RULES[key](one[key], other[key]) if key in one and key in other else side[key]
        for key in COUNTERS
        for side in (one if key in one else other,)
        if key in side
    }


def _with_counters(note: Note, other: Note) -> Note:
    merged = merge_counters(note.fields, other.fields)
    changes = {key: value for key, value in merged.items() if note.fields.get(key) != value}
    return note.patch(changes) if changes else note


def _later(one: Any, other: Any) -> Any:
    return max(one, other, key=lambda value: (read_instant(value) or float("-inf"), str(value)))


def _greater(one: Any, other: Any) -> Any:
    return max(one, other, key=_amount)


def _lesser(one: Any, other: Any) -> Any:
    return min(one, other, key=_amount)


def _amount(value: object) -> tuple[bool, float, str]:
    """What a counter amounts to; what is no number counts for less than any."""
    number = isinstance(value, int | float) and not isinstance(value, bool)
    return number, float(value) if number else 0.0, str(value)  # type: ignore[arg-type]


_RULES: dict[str, Rule] = {
    **dict.fromkeys(COUNTERS, _greater),
    **dict.fromkeys(("last_recalled", "last_used", "updated"), _later),
    "sessions_since_recall": _lesser,
}
