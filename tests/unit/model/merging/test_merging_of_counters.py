"""Counters of two versions of a note: commutative, associative and idempotent, whatever they are;
and the text of the one that was edited."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from engrain.model.merging.merging import merge_counters, merge_prose
from engrain.model.note.field import Value
from engrain.model.note.note import COUNTERS, Note, split_note

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
