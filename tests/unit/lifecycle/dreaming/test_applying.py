"""What a dream does by itself: only what can be taken back, and only where the operator said so."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.lifecycle.dreaming import applying
from engrain.lifecycle.dreaming.applying import why_not
from engrain.lifecycle.dreaming.run import dream
from unit.engine.core.vault_files import notes
from unit.lifecycle.dreaming.sleepers import put
from unit.lifecycle.sessions.living import store_of, with_settings

TEXT = "Restart the queue worker after every deploy, else it keeps the old code loaded."
ONLY = ["duplicate", "tidy"]


def put_copies(memory: Memory, *, by: str = "agent", folder: str = "Memory/fix") -> None:
    put(memory, f"{folder}/one.md", "Worker", TEXT, by=by)
    put(memory, f"{folder}/two.md", "Worker", TEXT, by=by)


def put_tags(memory: Memory, count: int = 1, *, by: str = "agent") -> None:
    put(memory, "Memory/fix/model-a.md", "Model A", "It rains in the hills.", tags=["pg"])
    put(memory, "Memory/fix/model-b.md", "Model B", "The kettle is in the hall.", tags=["pg"])
    for number in range(count):
        text = f"Desk {number} has the odd number {number * 7}."
        put(memory, f"Memory/fix/tag-{number}.md", f"Desk {number}", text, tags=["PG"], by=by)


def applied(memory: Memory, **options: object) -> dict[str, int]:
    return memory.jobs.dream(only=ONLY, auto=True, **options).applied  # type: ignore[arg-type]


def test_nothing_is_done_unless_the_operator_said_so(memory: Memory) -> None:
    put_copies(memory)
    put_tags(memory)
    assert memory.jobs.dream(only=ONLY).applied == {}
    assert len(memory.review.list()) == 2
    assert not [change for change in memory.history() if change.op == "dream"]


def test_each_is_a_change_of_its_own_that_can_be_undone(memory: Memory, vault: Path) -> None:
    put_copies(memory)
    put_tags(memory)
    before = {name: raw for name, raw in notes(vault).items() if "/fix/" in name}
    assert applied(memory) == {"duplicate": 1, "tidy": 1}
    assert memory.show("id-two").entry.status == "superseded"
    assert memory.show("id-tag-0").entry.tags == ("pg",)
    assert memory.review.list() == []
    assert {one.decision for one in memory.review.list(decided=True)} == {"applied"}
    changes = {change.change for change in memory.history() if change.op == "dream"}
    assert len(changes) == 2
    for change in changes:
        memory.undo(change)
    assert {name: raw for name, raw in notes(vault).items() if "/fix/" in name} == before
    assert applied(memory) == {}
    assert memory.review.list() == []


def test_the_setting_says_so_too(memory: Memory) -> None:
    put_copies(memory)
    store = with_settings(store_of(memory), {"dream.auto": "reversible"})
    assert dream(store, only=ONLY).applied == {"duplicate": 1}


@pytest.mark.parametrize(
    ("by", "folder"), [("operator", "Memory/fix"), ("external", "Memory/fix"), ("agent", "notes")]
)
def test_what_is_the_operators_or_came_from_outside_is_left_to_them(
    memory: Memory, by: str, folder: str
) -> None:
    put_copies(memory, by=by, folder=folder)
    assert applied(memory) == {}
    assert len(memory.review.list("merge")) == 1


def test_copies_of_different_hands_are_left_to_the_operator(memory: Memory) -> None:
    put(memory, "Memory/fix/one.md", "Worker", TEXT)
    put(memory, "Memory/fix/two.md", "Worker", TEXT, by="external")
    assert applied(memory) == {}


def test_what_only_says_nearly_the_same_is_left_to_the_operator(memory: Memory) -> None:
    put(memory, "Memory/fix/one.md", "Worker", TEXT)
    put(memory, "Memory/fix/two.md", "The worker", TEXT)
    assert applied(memory) == {}


def test_a_merge_that_would_change_a_note_of_the_operators_is_left_to_them(memory: Memory) -> None:
    put_copies(memory)
    put(memory, "notes/pointer.md", "Pointer", "As [[one]] says, and [[two]].", by="operator")
    assert applied(memory) == {}
    assert len(memory.review.list("merge")) == 1


def test_so_many_at_once_and_no_more(memory: Memory) -> None:
    put_copies(memory)
    put_tags(memory)
    store = with_settings(store_of(memory), {"dream.auto_limit": "1"})
    done = dream(store, only=ONLY, auto=True)
    assert done.applied == {"duplicate": 1}
    assert done.held == {"tidy": "it makes no more changes by itself at once"}
    assert any("it makes no more changes" in line for line in done.digest)


def test_an_odd_rate_stops_it_and_the_digest_says_why(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(applying, "FEW", 0)
    put_copies(memory)
    done = memory.jobs.dream(only=ONLY, auto=True)
    assert (done.applied, done.held) == ({}, {"duplicate": "1 found among 2 entries"})
    assert any("nothing was done without you: 1 found" in line for line in done.digest)
    assert len(memory.review.list("merge")) == 1


def test_what_was_turned_down_often_is_left_to_the_operator(memory: Memory) -> None:
    for number in range(6):
        text = f"Room {number} is heated by furnace {number}, and its key hangs on hook {number}."
        for twin in "ab":
            put(memory, f"Memory/fix/room-{number}-{twin}.md", f"Room {number}", text)
    memory.jobs.dream(only=["duplicate"])
    for one in memory.review.list()[:5]:
        memory.review.reject(one.id)
    for one in memory.review.list():
        memory.review.accept(one.id)
    put_copies(memory)
    done = memory.jobs.dream(only=["duplicate"], auto=True)
    assert done.held == {"duplicate": "5 of the last 6 were turned down or taken back"}


def test_one_who_died_before_it_was_written_down_does_it_once(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    put_copies(memory)

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(applying, "decide", die)
        with pytest.raises(KeyboardInterrupt):
            memory.jobs.dream(only=ONLY, auto=True)
    assert memory.show("id-two").entry.status == "superseded"
    done = memory.jobs.dream(only=ONLY, auto=True)
    assert done.applied == {"duplicate": 1}
    assert len({change.change for change in memory.history() if change.op == "dream"}) == 1


def test_without_time_the_rest_is_done_by_the_next(memory: Memory) -> None:
    put_copies(memory)
    put_tags(memory)

    def late() -> bool:
        return any(change.op == "dream" for change in memory.history())

    first = dream(store_of(memory), out_of_time=late, only=ONLY, auto=True)
    assert first.unfinished
    second = memory.jobs.dream(only=ONLY, auto=True)
    assert (second.run, second.applied) == (first.run, {"duplicate": 1, "tidy": 1})


@pytest.mark.parametrize(
    ("found", "entries", "past"),
    [(0, 0, []), (20, 20, [1, 1, 1]), (60, 2000, [20, 25, 30]), (60, 2000, [1, 1]), (50, 1000, [])],
)
def test_a_usual_rate_is_let_through(found: int, entries: int, past: list[int]) -> None:
    assert why_not(found, entries, past) == ""


def test_far_more_than_is_usual_is_not() -> None:
    assert why_not(76, 10_000, [20, 25, 30]) == "76 found, and 25 is usual"


def test_much_of_the_vault_is_not() -> None:
    assert why_not(51, 1000, []) == "51 found among 1000 entries"


def test_what_was_turned_down_often_is_not() -> None:
    assert why_not(3, 1000, [3, 3, 3], decided=10, refused=2) == ""
    told = why_not(3, 1000, [3, 3, 3], decided=10, refused=3)
    assert told == "3 of the last 10 were turned down or taken back"
    assert why_not(3, 1000, [], decided=4, refused=4) == ""
