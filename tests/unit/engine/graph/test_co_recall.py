"""Entries that this device recalled together."""

from __future__ import annotations

from engrain import Memory
from engrain.engine.graph.co_recall import list_companions
from support.vaults import START


def test_what_sessions_recalled_together_is_told_the_most_often_first(memory: Memory) -> None:
    ids = [memory.save(f"Text {n}.", title=f"Note {n}", kind="fix").id for n in range(4)]
    local = memory._open_store().local
    for number in range(3):
        local.end_session(f"s{number}", "", START, ids[:2])
    local.end_session("more", "", START, [ids[0], ids[2], "nobody"])
    found = list_companions(memory._open_store(), ids[0])
    assert [(one.row.title, one.sessions) for one in found] == [("Note 1", 3), ("Note 2", 1)]
    assert list_companions(memory._open_store(), ids[3]) == []


def test_what_is_forgotten_is_no_companion(memory: Memory) -> None:
    one, other = (memory.save(f"Text {n}.", title=f"Note {n}", kind="fix").id for n in range(2))
    memory._open_store().local.end_session("s1", "", START, [one, other])
    memory.forget(other)
    assert list_companions(memory._open_store(), one) == []


def test_what_is_erased_was_recalled_with_nothing(memory: Memory) -> None:
    one, other = (memory.save(f"Text {n}.", title=f"Note {n}", kind="fix").id for n in range(2))
    memory._open_store().local.end_session("s1", "", START, [one, other])
    memory.erase(memory.plan_erasure([other]))
    assert list(memory._open_store().local.recalled_with(one, 9)) == []
