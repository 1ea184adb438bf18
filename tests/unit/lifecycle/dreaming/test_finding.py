"""The plan of a dream, and the stage that this device keeps of it."""

from __future__ import annotations

import pytest

from engrain import Memory
from engrain.lifecycle.dreaming.run import KINDS, note_stage, plan_dream
from unit.lifecycle.sessions.living import store_of


def test_a_dream_begins_with_the_stage_that_the_one_before_did_not_finish(memory: Memory) -> None:
    store = store_of(memory)
    first = plan_dream(store, [], 9)
    assert (first.stages, first.tried) == (KINDS, "")
    note_stage(store, first, "contradiction")
    second = plan_dream(store, [], 9)
    assert (second.stages, second.tried) == (("contradiction", "link"), "contradiction")
    assert (second.run, second.at) == (first.run, first.at)
    note_stage(store, second, "")
    assert plan_dream(store, [], 9).stages == KINDS


@pytest.mark.parametrize("options", [{"only": ["link"]}, {"only": [], "kept": False}])
def test_a_dream_of_some_stages_or_without_a_trace_notes_nothing(
    memory: Memory, options: dict[str, object]
) -> None:
    store = store_of(memory)
    note_stage(store, plan_dream(store, limit=9, **options), "link")  # type: ignore[arg-type]
    assert plan_dream(store, [], 9).stages == KINDS


@pytest.mark.parametrize(
    "note", [7, "x", [], {}, {"run": "r", "at": 2.0}, {"run": "r", "at": "now", "tried": "link"}]
)
def test_a_damaged_note_is_no_stage(memory: Memory, note: object) -> None:
    store = store_of(memory)
    store.device.local.write_note("dream", note)
    assert plan_dream(store, [], 9).stages == KINDS


def test_stages_have_one_order_however_they_are_named(memory: Memory) -> None:
    store = store_of(memory)
    assert plan_dream(store, ["link", "duplicate", "nothing"], 1).stages == ["duplicate", "link"]
