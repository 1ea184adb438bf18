"""Two versions of a structured file made one."""

from __future__ import annotations

import json
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engrain.model.facts.judging import FORGOTTEN, digest_of
from engrain.model.merging import merge_counters, merge_notes, merge_prose
from engrain.model.note.field import Value
from engrain.model.note.json_note import JsonNote, parse_note
from engrain.model.note.note import COUNTERS, Note, split_note

DAY = "Memory/daily/2026-11-21.md"
PROGRESS = "projects/shop/progress.md"
ITEMS = "Memory/entities/acme/items.json"


def day(*lines: str, offset: str = "+00:00", head: str = "# 2026-11-21\n\n") -> Note:
    front = f'---\nkind: daily\nutc_offset: "{offset}"\n---\n'
    return parse_note((front + head + "".join(f"- {line}\n" for line in lines)).encode(), DAY)


def entity(*facts: dict[str, Any], **own: Any) -> Note:
    whole = {"name": "Acme", "items": list(facts), "engrain": {"id": "e", "kind": "entity", **own}}
    return parse_note(json.dumps(whole).encode(), ITEMS)


def lines_of(note: Note | None) -> list[str]:
    assert note is not None
    return [line[2:] for line in note.body.splitlines() if line.startswith("- ")]


def said(note: Note | None) -> list[str]:
    assert isinstance(note, JsonNote)
    return [item["content"] for item in note.document["items"]]


def fact(id_: str, content: str, **more: Any) -> dict[str, Any]:
    return {"id": id_, "content": content, **more}


def test_lines_of_both_stand_by_their_times() -> None:
    base = day("09:00 Begin.")
    merged = merge_notes(
        DAY,
        base,
        day("09:00 Begin.", "09:10 One."),
        day("09:00 Begin.", "09:05 Two.", "09:20 Three."),
    )
    assert lines_of(merged) == ["09:00 Begin.", "09:05 Two.", "09:10 One.", "09:20 Three."]


def test_a_line_written_elsewhere_keeps_its_moment() -> None:
    merged = merge_notes(DAY, None, day("09:00 Home."), day("18:30 Far.", offset="+09:00"))
    assert merged is not None
    assert merged.fields["utc_offset"] == "+09:00"
    assert lines_of(merged) == ["09:00 (+00:00) Home.", "18:30 Far."]


def test_lines_below_an_item_go_with_it() -> None:
    old, new = day("09:00 One.\n  and more"), day("09:01 Two.\n  and yet more")
    merged = merge_notes(DAY, None, old, new)
    assert merged is not None
    assert "- 09:00 One.\n  and more\n- 09:01 Two.\n  and yet more\n" in merged.body


def test_a_line_that_a_person_took_out_stays_out() -> None:
    base = day("09:00 One.", "09:01 Two.")
    merged = merge_notes(
        DAY, base, day("09:01 Two."), day("09:00 One.", "09:01 Two.", "09:02 Three.")
    )
    assert lines_of(merged) == ["09:01 Two.", "09:02 Three."]


def test_what_both_wrote_above_the_list_stays() -> None:
    old, new = (day(head=f"# 2026-11-21\n\n{text}\n\n") for text in ("Mine.", "Theirs."))
    merged = merge_notes(DAY, day(), old, new)
    assert merged is not None
    assert "Mine." in merged.body
    assert "Theirs." in merged.body


def test_a_forgotten_fact_stays_forgotten_whatever_its_id() -> None:
    forgot = entity(**{FORGOTTEN: [digest_of("It sells bolts.")]})
    merged = merge_notes(
        ITEMS, None, forgot, entity(fact("f1", "It sells bolts."), fact("f2", "Old."))
    )
    assert said(merged) == ["Old."]


def test_a_fact_that_was_stated_anew_stays() -> None:
    base = entity(**{FORGOTTEN: [digest_of("It sells bolts.")]})
    merged = merge_notes(ITEMS, base, base, entity(fact("f1", "It sells bolts.")))
    assert said(merged) == ["It sells bolts."]


def test_a_fact_that_one_side_ended_has_ended() -> None:
    base = entity(fact("f1", "It sells bolts.", status="active", valid_to=None))
    ended = entity(fact("f1", "It sells bolts.", status="historical", valid_to="2026-11-20"))
    edited = entity(fact("f1", "It sells steel bolts.", status="active", valid_to=None))
    for merged in (
        merge_notes(ITEMS, base, ended, edited),
        merge_notes(ITEMS, base, edited, ended),
    ):
        assert isinstance(merged, JsonNote)
        (item,) = merged.document["items"]
        assert (item["content"], item["status"]) == ("It sells steel bolts.", "historical")


def test_a_record_and_a_note_are_not_merged() -> None:
    assert merge_notes(ITEMS, None, entity(), day()) is None


def test_pieces_of_progress_of_both_stay_by_their_times() -> None:
    def progress(*at: str) -> Note:
        sections = "".join(f"\n## 2026-11-21T{one}Z\n\nDone at {one}.\n" for one in at)
        return parse_note(
            f"---\nkind: progress\n---\n# Progress: shop\n{sections}".encode(), PROGRESS
        )

    base, old = progress("09:00:00"), progress("09:00:00", "09:30:00")
    merged = merge_notes(PROGRESS, base, old, progress("09:00:00", "09:10:00", "09:40:00"))
    assert merged is not None
    assert merged.raw == progress("09:00:00", "09:10:00", "09:30:00", "09:40:00").raw


times = st.tuples(st.integers(0, 23), st.integers(0, 59)).map(lambda t: f"{t[0]:02}:{t[1]:02}")
entries = st.lists(st.tuples(times, st.sampled_from(["One.", "Two.\n  below", "Three (x)."])))


@given(entries, entries, entries)
def test_a_day_loses_no_addition_and_merging_again_changes_nothing(
    base: list[tuple[str, str]], old: list[tuple[str, str]], new: list[tuple[str, str]]
) -> None:
    sides = [
        day(*(f"{at} {text}" for at, text in side)) for side in (base, [*base, *old], [*base, *new])
    ]
    merged = merge_notes(DAY, *sides)
    assert merged is not None
    for side in sides[1:]:
        assert set(lines_of(side)) <= set(lines_of(merged))
        again = merge_notes(DAY, side, side, merged)
        assert again is not None
        assert again.raw == merged.raw
    same = merge_notes(DAY, None, merged, merged)
    assert same is not None
    assert same.raw == merged.raw


MOMENTS = st.sampled_from(["2026-01-02T03:04:05Z", "2026-01-02", "2025-12-31T23:00:00Z", "soon"])
NUMBERS = st.integers(0, 9) | st.floats(0, 1) | st.booleans() | st.text("ab", max_size=2)
SIDES = st.dictionaries(st.sampled_from(COUNTERS), MOMENTS | NUMBERS | st.none())


def same(one: dict[str, Value], other: dict[str, Value]) -> bool:
    return {key: repr(value) for key, value in one.items()} == {
        key: repr(value) for key, value in other.items()
    }


@given(SIDES, SIDES, SIDES)
def test_whoever_meets_whom_how_often_all_end_with_the_same(
    one: dict[str, Value], two: dict[str, Value], three: dict[str, Value]
) -> None:
    merged = merge_counters(one, two)
    assert same(merged, merge_counters(two, one))
    assert same(merge_counters(one, one), one)
    assert same(merge_counters(merged, two), merged)
    assert same(merge_counters(merged, three), merge_counters(one, merge_counters(two, three)))


def note(text: str = "Text.", **fields: object) -> Note:
    said = "".join(f"{key}: {value}\n" for key, value in fields.items())
    return split_note(f"---\nid: 1\n{said}mine: [1,2]  # odd\n---\n# One\n\n{text}\n".encode())


def test_the_greater_count_the_later_moment_and_the_fewer_sessions_stand() -> None:
    one = note(recall_count=5, weight=0.5, last_recalled="2026-01-03", sessions_since_recall=0)
    two = note(recall_count=3, weight=0.62, last_recalled="2026-01-02", sessions_since_recall=4)
    merged = merge_prose(None, one, two)
    assert merged is not None
    assert merged.substance() == one.substance()
    assert {key: merged.fields[key] for key in COUNTERS if key in merged.fields} == {
        "recall_count": 5, "weight": 0.62, "last_recalled": "2026-01-03",
        "sessions_since_recall": 0,
    }  # fmt: skip
    assert "mine: [1,2]  # odd\n" in merged.front


def test_the_text_is_that_of_whoever_edited_it() -> None:
    base, counted, edited = note(recall_count=1), note(recall_count=2), note("New.", recall_count=1)
    for old, new in ((counted, edited), (edited, counted)):
        merged = merge_prose(base, old, new)
        assert merged is not None
        assert merged.body == edited.body
        assert merged.fields["recall_count"] == 2


def test_two_edits_are_for_a_person() -> None:
    assert merge_prose(note(), note("One."), note("Other.")) is None
    assert merge_prose(None, note(), note("Other.")) is None
