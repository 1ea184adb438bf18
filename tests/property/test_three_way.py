"""Three-way merges: nothing added is lost, what was taken out stays out, and order decides nothing
but ties."""

from __future__ import annotations

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from engrain.model.merging import MISSING, find_base, merge_lists, merge_maps, merge_values

scalars = st.none() | st.booleans() | st.integers(0, 9) | st.sampled_from("abc")
ids = st.sampled_from("abcdefgh")
records = st.dictionaries(
    ids,
    st.fixed_dictionaries(
        {"content": st.sampled_from(["x", "y", "z"])},
        optional={"status": st.sampled_from(["active", "historical", "deleted"])},
    ),
).map(lambda found: [{"id": id_, **rest} for id_, rest in found.items()])
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(ids, inner, max_size=4),
    max_leaves=12,
)
documents = st.dictionaries(
    st.sampled_from(["name", "status", "updated", "seen", "items", "rest"]), values, max_size=5
)


def by_id(items: list[Any]) -> dict[str, Any]:
    return {item["id"]: item for item in items}


@given(documents, documents)
def test_what_one_side_alone_changed_is_taken(base: dict[str, Any], side: dict[str, Any]) -> None:
    assert merge_maps(base, base, side) == side
    assert merge_maps(base, side, base) == side
    assert merge_maps({}, side, side) == side


@given(documents, documents, documents)
def test_merging_again_changes_nothing(
    base: dict[str, Any], old: dict[str, Any], new: dict[str, Any]
) -> None:
    merged = merge_maps(base, old, new)
    assert merge_maps(merged, merged, merged) == merged
    assert merge_values(old, merged, old) == merged
    assert merge_values(new, new, merged) == merged


@given(records, records, records)
def test_no_addition_is_lost_and_what_was_removed_stays_so(
    base: list[Any], old: list[Any], new: list[Any]
) -> None:
    merged = by_id(merge_lists(base, old, new))
    known, left, right = by_id(base), by_id(old), by_id(new)
    added = (left.keys() | right.keys()) - known.keys()
    kept = left.keys() & right.keys() & known.keys()
    assert merged.keys() == added | kept


@given(records, records, records)
def test_a_tombstone_wins_over_an_edit(base: list[Any], old: list[Any], new: list[Any]) -> None:
    merged, known = by_id(merge_lists(base, old, new)), by_id(base)
    for side in (by_id(old), by_id(new)):
        for id_, item in side.items():
            was = known.get(id_, {}).get("status")
            if id_ in merged and item.get("status") == "deleted" != was:
                assert merged[id_]["status"] == "deleted"


@given(records, records, records)
def test_either_order_keeps_the_same_items_and_states(
    base: list[Any], old: list[Any], new: list[Any]
) -> None:
    one, other = by_id(merge_lists(base, old, new)), by_id(merge_lists(base, new, old))
    assert one.keys() == other.keys()
    for id_, item in one.items():
        assert item.get("status") == other[id_].get("status")


@given(st.lists(st.sampled_from("abc")), st.lists(st.sampled_from("abc")))
def test_lines_that_are_there_twice_stay_twice(old: list[str], new: list[str]) -> None:
    merged = merge_lists([], old, new)
    for line in "abc":
        assert merged.count(line) == max(old.count(line), new.count(line))


def test_counts_add_up_and_moments_are_the_later() -> None:
    base = {"tasks_completed": 3, "updated": "2026-11-21T10:00:00Z", "created": "2026-11-02"}
    old = {"tasks_completed": 5, "updated": "2026-11-21T12:00:00Z", "created": "2026-11-01"}
    new = {"tasks_completed": 4, "updated": "2026-11-21T11:00:00Z", "created": "2026-11-03"}
    assert merge_maps(base, old, new) == {
        "tasks_completed": 6, "updated": "2026-11-21T12:00:00Z", "created": "2026-11-01",
    }  # fmt: skip


def test_of_two_claims_the_earlier_stands_whole() -> None:
    old = {"claimed_by": "bob", "claimed_at": "2026-11-21T10:00:01Z"}
    new = {"claimed_by": "ann", "claimed_at": "2026-11-21T10:00:00Z"}
    assert merge_maps({}, old, new) == new == merge_maps({}, new, old)


def test_trust_is_never_raised() -> None:
    assert merge_values(MISSING, "operator", "external", "trust") == "external"
    assert merge_values(MISSING, "external", "operator", "trust") == "external"


def test_the_nearest_common_version_is_found() -> None:
    parents = {"b": ["a"], "l": ["b"], "r": ["b"], "m": ["l", "r"], "l2": ["m"], "r2": ["r"]}
    assert find_base(parents, "l", "r") == {"b"}
    assert find_base(parents, "l2", "r2") == {"r"}
    assert find_base(parents, "m", "l") == {"l"}
    assert find_base(parents, "x", "r") == set()
