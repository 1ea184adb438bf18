"""What accepting proposals about several entries changes."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import ConflictError, Memory, NotFoundError
from engrain.lifecycle.reviewing import staging
from engrain.lifecycle.reviewing.actions import MOST, join_ids
from unit.engine.core.vault_files import notes
from unit.lifecycle.dreaming.sleepers import put


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


def test_a_contradiction_is_reported_by_both_and_left_to_the_operator(
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


def test_nobody_is_trusted_more_for_it(memory: Memory) -> None:
    outside = put(memory, "Memory/fix/outside.md", "Outside", "Text.", by="external")
    own = put(memory, "Memory/fix/own.md", "Own", "Text.")
    accept(memory, "merge", own, outside)
    row = memory._ready().find_exact(outside)
    assert row is not None and row.source == "external"


def test_one_who_died_before_the_decision_does_no_harm_by_doing_it_again(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:

    one = put(memory, "Memory/fix/one.md", "One", "The port is 8080.")
    other = put(memory, "Memory/fix/other.md", "Other", "The port is 9090.")
    memory.review.propose("contradict", join_ids([one, other]))
    (proposal,) = memory.review.list()

    def die(*_: object) -> None:
        raise KeyboardInterrupt

    with monkeypatch.context() as patch:
        patch.setattr(staging, "decide", die)
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
