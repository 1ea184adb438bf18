"""What a dream applies by itself, and what accepting its proposals changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import ConflictError, Memory, NotFoundError
from engrain.lifecycle.dreaming import applying
from engrain.lifecycle.dreaming.applying import why_not
from engrain.lifecycle.dreaming.run import dream
from engrain.lifecycle.reviewing.actions import MOST, join_ids
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


def accept(memory: Memory, action: str, *ids: str) -> list[str]:
    """Propose it and accept it; the lines that were shown before."""
    assert memory.review.propose(action, join_ids(ids), "it is so") is not None
    (proposal,) = memory.review.list(action)
    _, shown = memory.review.show(proposal.id)
    assert memory.review.accept(proposal.id).decision == "accepted"
    return list(shown)


def undo(memory: Memory, op: str) -> None:
    (change,) = {change.change for change in memory.history() if change.op == op}
    memory.undo(change)


def without_proposals(vault: Path) -> dict[str, bytes]:
    return {name: raw for name, raw in notes(vault).items() if "_dream-staging" not in name}


def test_copies_become_one_that_has_what_both_had(memory: Memory, vault: Path) -> None:
    old = put(memory, "Memory/fix/old.md", "Old", "The text.", tags=["pg", "ha"],
              more=["derived_from: [src]"])  # fmt: skip
    kept = put(memory, "Memory/fix/kept.md", "Kept", "The text.", tags=["pg"])
    pointer = put(memory, "Memory/fix/pointer.md", "Pointer", "See [[old]] and [[Old|that]].")
    before = without_proposals(vault)
    shown = accept(memory, "merge", old, kept)
    one, other = memory.show(kept).entry, memory.show(old).entry
    assert (one.tags, one.derived_from) == (("pg", "ha"), ("src",))
    assert one.fields["aliases"] == ["Old"]
    assert (old, "supersedes") in one.links
    assert (other.status, other.path) == ("superseded", "Memory/_archive/fix/old.md")
    assert (kept, "superseded_by") in other.links
    assert other.text == "The text.\n"
    assert memory.show(pointer).entry.text == "See [[kept]] and [[Kept|that]].\n"
    assert "+status: superseded" in shown and "+See [[kept]] and [[Kept|that]]." in shown
    undo(memory, "merge")
    assert without_proposals(vault) == before


def test_only_active_notes_are_merged_and_records_never(memory: Memory) -> None:
    one = put(memory, "Memory/fix/one.md", "One", "The text.")
    gone = put(memory, "Memory/fix/gone.md", "Gone", "The text.")
    memory.forget(gone)
    with pytest.raises(ConflictError, match="deleted"):
        memory.review.propose("merge", join_ids([gone, one]))
    with pytest.raises(ConflictError, match="alone"):
        memory.review.propose("merge", one)
    with pytest.raises(NotFoundError):
        memory.review.propose("merge", join_ids([one, one]))
    with pytest.raises(NotFoundError):
        memory.review.propose("merge", join_ids([f"id-{number}" for number in range(MOST + 1)]))


def test_a_contradiction_is_told_by_both_and_left_to_the_operator(
    memory: Memory, vault: Path
) -> None:
    one = put(memory, "Memory/fix/one.md", "One", "The port is 8080.")
    other = put(memory, "Memory/fix/other.md", "Other", "The port is 9090.")
    before = without_proposals(vault)
    accept(memory, "contradict", one, other)
    assert memory.show(one).entry.links == ((other, "contradicts"),)
    assert memory.show(other).entry.links == ((one, "contradicts"),)
    with pytest.raises(ConflictError, match="says that it contradicts"):
        memory.review.propose("contradict", join_ids([one, other]))
    undo(memory, "link")
    assert without_proposals(vault) == before


def test_a_chain_is_compacted_and_what_pointed_to_its_past_points_to_its_end(
    memory: Memory, vault: Path
) -> None:
    first = put(memory, "Memory/fix/plan.md", "Plan", "First.")
    second = put(memory, "Memory/fix/plan-2.md", "Plan 2", "Second.", more=[f"supersedes: {first}"])
    third = put(memory, "Memory/fix/plan-3.md", "Plan 3", "Third.", more=[f"supersedes: {second}"])
    pointer = put(
        memory, "Memory/fix/pointer.md", "Pointer", "As [[plan]] says.",
        more=[f"links: [{{to: {second}, relation: elaborates}}]"],
    )  # fmt: skip
    before = without_proposals(vault)
    accept(memory, "compact", first, second, third)
    for id_ in (first, second):
        entry = memory.show(id_).entry
        assert (entry.status, entry.zone) == ("superseded", "archive")
        assert (third, "superseded_by") in entry.links
    newest = memory.show(third).entry
    assert newest.status == "active"
    assert newest.links == ((first, "supersedes"),)
    assert memory.show(pointer).entry.text == "As [[plan-3]] says.\n"
    assert memory.show(pointer).entry.links == ((third, "elaborates"),)
    with pytest.raises(ConflictError, match="retired"):
        memory.review.propose("compact", join_ids([first, second, third]))
    undo(memory, "compact")
    assert without_proposals(vault) == before


def test_two_of_one_name_find_room_in_the_archive(memory: Memory) -> None:
    ids = [
        put(memory, f"Memory/{folder}/plan-{folder}.md", "Plan", f"In {folder}.", kind=folder)
        for folder in ("fix", "workflow")
    ]
    newest = put(memory, "Memory/fix/newest.md", "Newest", "Now.")
    accept(memory, "compact", *ids, newest)
    assert {memory.show(id_).entry.zone for id_ in ids} == {"archive"}


def test_tags_get_the_form_of_the_last_one(memory: Memory) -> None:
    one = put(memory, "Memory/fix/one.md", "One", "Text.", tags=["Locks", "pg", "lock"])
    model = put(memory, "Memory/fix/model.md", "Model", "Text.", tags=["lock", "other"])
    accept(memory, "retag", one, model)
    assert memory.show(one).entry.tags == ("lock", "pg")
    assert memory.show(model).entry.tags == ("lock", "other")
    with pytest.raises(ConflictError, match="no tag has another form"):
        memory.review.propose("retag", join_ids([one, model]))


def test_tags_are_led_to_one_form_whatever_became_of_the_text(memory: Memory) -> None:
    one = put(memory, "Memory/fix/one.md", "One", "Text.", tags=["Locks"])
    model = put(memory, "Memory/fix/model.md", "Model", "Text.", tags=["lock"])
    memory.review.propose("retag", join_ids([one, model]))
    (proposal,) = memory.review.list()
    shown = memory.show(one).entry
    memory.edit(one, expect=shown.hash, text="Other text.")
    memory.review.accept(proposal.id)
    entry = memory.show(one).entry
    assert (entry.tags, entry.text) == (("lock",), "Other text.\n")


def test_tags_that_changed_since_make_it_stale(memory: Memory) -> None:
    one = put(memory, "Memory/fix/one.md", "One", "Text.", tags=["Locks"])
    model = put(memory, "Memory/fix/model.md", "Model", "Text.", tags=["lock"])
    memory.review.propose("retag", join_ids([one, model]))
    (proposal,) = memory.review.list()
    shown = memory.show(one).entry
    memory.edit(one, expect=shown.hash, tags=["Locks", "Doors"])
    with pytest.raises(ConflictError, match="has changed since the proposal"):
        memory.review.accept(proposal.id)


def test_a_note_moves_to_the_folder_of_its_kind(memory: Memory, vault: Path) -> None:
    astray = put(memory, "Memory/fix/astray.md", "Astray", "Text.", kind="decision")
    before = without_proposals(vault)
    accept(memory, "refile", astray)
    assert memory.show(astray).entry.path == "Memory/decision/astray.md"
    with pytest.raises(ConflictError, match="filed correctly"):
        memory.review.propose("refile", astray)
    undo(memory, "tidy")
    assert without_proposals(vault) == before


def test_nobody_is_trusted_more_for_it(memory: Memory) -> None:
    outside = put(memory, "Memory/fix/outside.md", "Outside", "Text.", tags=["Lock"], by="external")
    model = put(memory, "Memory/fix/model.md", "Model", "Text.", tags=["lock"])
    accept(memory, "retag", outside, model)
    accept(memory, "merge", model, outside)
    row = memory._ready().find_exact(outside)
    assert row is not None and row.source == "external"


def test_one_who_died_before_the_decision_does_no_harm_by_doing_it_again(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    from engrain.lifecycle.reviewing import review

    one = put(memory, "Memory/fix/one.md", "One", "The port is 8080.")
    other = put(memory, "Memory/fix/other.md", "Other", "The port is 9090.")
    memory.review.propose("contradict", join_ids([one, other]))
    (proposal,) = memory.review.list()

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(review, "decide", die)
        with pytest.raises(KeyboardInterrupt):
            memory.review.accept(proposal.id)
    count = len(memory.history(one))
    assert memory.review.accept(proposal.id).decision == "accepted"
    assert len(memory.history(one)) == count


def test_a_change_of_any_of_them_makes_the_proposal_stale(memory: Memory) -> None:
    one = put(memory, "Memory/fix/one.md", "One", "The port is 8080.")
    other = put(memory, "Memory/fix/other.md", "Other", "The port is 9090.")
    memory.review.propose("contradict", join_ids([one, other]))
    (proposal,) = memory.review.list()
    shown = memory.show(other).entry
    memory.edit(other, expect=shown.hash, text="The port is 8080.")
    with pytest.raises(ConflictError, match="has changed since the proposal"):
        memory.review.accept(proposal.id)
    assert memory.show(one).entry.links == ()
