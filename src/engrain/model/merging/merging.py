"""Merging two versions of a structured file: a record of JSON, a day's note, or a project's
progress; or of any other note, as far as a person need not."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any, TypeAlias

from engrain.language.text.blocks import join_outline, split_outline
from engrain.language.text.instants import read_instant
from engrain.model.facts.daily import OFFSET, Item, join_day, split_day
from engrain.model.facts.judging import FORGOTTEN, digest_of
from engrain.model.merging.conflict_copies import is_day, is_structured
from engrain.model.merging.three_way import MISSING, merge_maps, merge_values
from engrain.model.note.documents import list_of, object_of, text_of, texts_of
from engrain.model.note.field import Value
from engrain.model.note.json_note import OWN, JsonNote
from engrain.model.note.note import COUNTERS, Note

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
