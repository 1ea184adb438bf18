"""How far a dream came, as this device keeps it."""

from __future__ import annotations

import json

import pytest

from engrain import Memory
from engrain.lifecycle.dreaming.finding import NAMES, Order, begin, find_unfinished, read_past
from support.vaults import FakeClock
from unit.lifecycle.sessions.living import DAY, store_of


def test_what_was_begun_is_found_with_what_is_done(memory: Memory) -> None:
    store = store_of(memory)
    journal = begin(store, Order(["tidy", "link"], 9, True))
    journal.finish("link", {"found": 3})
    found = find_unfinished(store)
    assert found is not None
    assert (found.run, found.at, found.done) == (journal.run, journal.at, {"link": {"found": 3}})
    assert found.order.describe() == {"only": ["link", "tidy"], "limit": 9, "auto": True}


def test_a_stage_that_was_begun_and_not_finished_is_known_as_such(memory: Memory) -> None:
    store = store_of(memory)
    journal = begin(store, Order())
    assert not journal.attempt("link")
    again = find_unfinished(store)
    assert again is not None and again.attempt("link") and not again.attempt("tidy")
    again.finish("tidy", {})
    last = find_unfinished(store)
    assert last is not None and last.tried == ""


def test_one_that_leaves_no_trace_is_not_found(memory: Memory) -> None:
    store = store_of(memory)
    journal = begin(store, Order(), kept=False)
    journal.finish("link", {"found": 3})
    journal.close(5)
    assert find_unfinished(store) is None
    assert read_past(store.device.local) == []


def test_one_of_last_week_is_not_gone_on_with(memory: Memory, clock: FakeClock) -> None:
    store = store_of(memory)
    begin(store, Order())
    clock.at += 8 * DAY
    assert find_unfinished(store) is None


def test_what_was_found_is_looked_back_on_for_a_dozen_dreams(memory: Memory) -> None:
    store = store_of(memory)
    for number in range(15):
        journal = begin(store, Order())
        journal.finish("link", {"found": number, "proposed": 1})
        journal.close(100)
    past = read_past(store.device.local)
    assert [one["found"] for one in past] == [{"link": number} for number in range(3, 15)]
    assert find_unfinished(store) is None


@pytest.mark.parametrize(
    "note", [None, 7, "x", [], {}, {"run": "r"}, {"run": "r", "at": "now"}, {"run": 1, "at": 2.0}]
)
def test_what_is_none_is_none(memory: Memory, note: object) -> None:
    store = store_of(memory)
    store.device.local.write_note("dream", note)
    store.device.local.write_note("dream.past", note)
    assert find_unfinished(store) is None
    assert all(one["run"] for one in read_past(store.device.local))


def test_no_word_of_any_note_is_kept_outside_the_vault(memory: Memory) -> None:
    memory.save("The crimson kettle sings.", title="Kettle", kind="fix")
    memory.save("The crimson kettle sings.", title="KETTLE", kind="fix")
    memory.jobs.dream(only=["duplicate"])
    local = store_of(memory).device.local
    kept = json.dumps([local.read_note("dream"), local.read_note("dream.past")])
    assert "duplicate" in kept and "ettle" not in kept


def test_stages_have_one_order_however_they_are_named() -> None:
    assert Order().only == NAMES
    assert Order(["insight", "tiers", "nothing"]).only == ("tiers", "insight")
