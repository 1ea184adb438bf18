"""How far a dream came, as this device keeps it."""

from __future__ import annotations

import json

import pytest

from engrain import Memory
from engrain.lifecycle.dreaming.finding import KINDS, Journal, begin
from support.vaults import FakeClock
from unit.lifecycle.sessions.living import DAY, store_of


def begin_some(memory: Memory, *, kept: bool = True) -> Journal:
    return begin(store_of(memory), ["link", "chain"], 9, kept=kept)


def test_one_that_was_begun_is_continued_with_what_is_done(memory: Memory) -> None:
    journal = begin_some(memory)
    journal.finish("chain", {"found": 3})
    found = begin_some(memory)
    assert (found.run, found.at, found.done) == (journal.run, journal.at, {"chain": {"found": 3}})
    assert (found.only, found.limit) == (["chain", "link"], 9)


def test_a_stage_that_was_begun_and_not_finished_is_known_as_such(memory: Memory) -> None:
    assert not begin_some(memory).attempt("link")
    again = begin_some(memory)
    assert again.attempt("link") and not again.attempt("chain")
    again.finish("chain", {})
    assert begin_some(memory).tried == ""


def test_one_of_other_stages_or_another_limit_is_another(memory: Memory) -> None:
    journal = begin_some(memory)
    store = store_of(memory)
    assert begin(store, [], 9).run != journal.run
    assert begin(store, ["link", "chain"], 8).run != journal.run


def test_one_that_ended_or_leaves_no_trace_is_not_continued(memory: Memory) -> None:
    ended = begin_some(memory)
    ended.close()
    silent = begin_some(memory, kept=False)
    silent.finish("link", {"found": 3})
    later = begin_some(memory)
    assert later.run not in (ended.run, silent.run) and later.done == {}


def test_one_of_last_week_is_not_continued(memory: Memory, clock: FakeClock) -> None:
    run = begin_some(memory).run
    clock.at += 8 * DAY
    assert begin_some(memory).run != run


@pytest.mark.parametrize(
    "note", [None, 7, "x", [], {}, {"run": "r"}, {"run": "r", "at": "now"}, {"run": 1, "at": 2.0}]
)
def test_a_damaged_note_is_no_dream(memory: Memory, note: object) -> None:
    if isinstance(note, dict):
        note |= {"only": ["chain", "link"], "limit": 9}
    store_of(memory).device.local.write_note("dream", note)
    assert begin_some(memory).run not in ("r", "1")


def test_no_word_of_any_note_is_kept_outside_the_vault(memory: Memory) -> None:
    journal = begin_some(memory)
    memory.save("The crimson kettle sings.", title="Kettle", kind="fix")
    journal.finish("chain", {"found": 1})
    kept = json.dumps(store_of(memory).device.local.read_note("dream"))
    assert "chain" in kept and "ettle" not in kept


def test_stages_have_one_order_however_they_are_named(memory: Memory) -> None:
    store = store_of(memory)
    assert tuple(begin(store, [], 1).only) == KINDS
    assert begin(store, ["link", "duplicate", "nothing"], 1).only == ["duplicate", "link"]
