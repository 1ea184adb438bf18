"""`commitments` and `settle_commitment`: promises and what became of them (S3.8)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.model.errors import UsageError
from support.vaults import make_memory
from unit.engine.core.vault_files import put


def promise(memory: Memory, title: str, due: str | None = None) -> str:
    return memory.save("I promised it.", title=title, kind="commitment", due=due).id


def states(memory: Memory, *only: str) -> list[tuple[str, str]]:
    return [(found.entry.title, found.state) for found in memory.work.commitments(only)]


def test_a_commitment_is_saved_open_among_what_never_fades(memory: Memory) -> None:
    entry = memory.show(promise(memory, "Send the report", "2026-10-01")).entry
    assert entry.path == "Memory/core/send-the-report.md"
    assert (entry.fields["state"], entry.fields["due"]) == ("open", "2026-10-01")


def test_it_is_kept_broken_and_opened_again_with_the_note_in_the_history(memory: Memory) -> None:
    entry = promise(memory, "Send the report")
    for state, note in (("kept", "sent"), ("broken", "it was empty"), ("open", "once more")):
        outcome = memory.work.settle_commitment(entry, state, note)
        assert (outcome.outcome, outcome.id) == ("updated", entry)
        assert memory.show(entry).entry.fields["state"] == state
    told = [(change.op, change.reason) for change in memory.history(entry)]
    assert told[:3] == [
        ("commitment", "once more"),
        ("commitment", "it was empty"),
        ("commitment", "sent"),
    ]


def test_saying_it_twice_changes_nothing(memory: Memory) -> None:
    entry = promise(memory, "Send the report")
    memory.work.settle_commitment(entry, "kept")
    changes = len(memory.history())
    assert memory.work.settle_commitment(entry, "kept").outcome == "unchanged"
    assert len(memory.history()) == changes


def test_settling_is_undone_like_any_change(memory: Memory, vault: Path) -> None:
    entry = memory.save("I promised it.", title="Send it", kind="commitment")
    before = (vault / entry.locator).read_bytes()
    memory.work.settle_commitment(entry.id, "broken")
    memory.undo()
    assert (vault / entry.locator).read_bytes() == before


def test_saving_a_kept_one_again_does_not_open_it(memory: Memory) -> None:
    entry = promise(memory, "Send the report")
    memory.work.settle_commitment(entry, "kept")
    assert memory.save("I promised it.", title="Send the report", kind="commitment").id == entry
    assert states(memory) == [("Send the report", "kept")]


def test_a_successor_keeps_state_and_date(memory: Memory) -> None:
    entry = promise(memory, "Send the report", "2026-10-01")
    memory.work.settle_commitment(entry, "kept")
    successor = memory.evolve(entry, "I promised it, and more.")
    fields = memory.show(successor.id).entry.fields
    assert (fields["state"], fields["due"]) == ("kept", "2026-10-01")
    assert states(memory) == [("Send the report", "kept")]


def test_they_are_listed_by_state_and_by_what_is_due(memory: Memory) -> None:
    late, soon = promise(memory, "Late", "2026-12-01"), promise(memory, "Soon", "2026-10-01")
    memory.work.settle_commitment(promise(memory, "Done"), "kept")
    memory.save("No promise.", title="A fix", kind="fix")
    assert states(memory) == [("Soon", "open"), ("Late", "open"), ("Done", "kept")]
    assert states(memory, "kept", "broken") == [("Done", "kept")]
    memory.forget(late)
    assert states(memory, "open") == [("Soon", "open")]
    assert memory.work.commitments(["open"])[0].entry.id == soon


def test_those_of_another_project_are_listed_when_asked_for(tmp_path: Path) -> None:
    with make_memory(tmp_path, project="billing") as memory:
        promise(memory, "Of billing")
    with make_memory(tmp_path, project="shop") as memory:
        assert states(memory) == []
        assert len(memory.work.commitments(all_projects=True)) == 1


def test_what_is_no_commitment_and_what_is_no_state_are_refused(memory: Memory) -> None:
    fix = memory.save("Text.", title="A fix", kind="fix").id
    with pytest.raises(UsageError, match="is a fix, not a commitment"):
        memory.work.settle_commitment(fix, "kept")
    with pytest.raises(UsageError, match="'done' is no state"):
        memory.work.settle_commitment(fix, "done")
    with pytest.raises(UsageError, match="'done' is no state"):
        memory.work.commitments(["done"])
    with pytest.raises(UsageError, match="a fix is not due"):
        memory.save("Text.", title="Another", kind="fix", due="2026-10-01")


def test_check_finds_a_state_that_is_none(memory: Memory, vault: Path) -> None:
    put(vault, "Memory/core/x.md", "---\nid: 01k8\nkind: commitment\nstate: done\n---\n# X\n")
    memory.scan()
    told = [(flaw.place, flaw.message) for flaw in memory.check(["field"]).found]
    assert ("Memory/core/x.md", "state is not one of open, kept, broken") in told
