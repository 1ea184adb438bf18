"""Every live, active note in a stream."""

from __future__ import annotations

from pathlib import Path

from engrain import Memory
from engrain.engine.core.active_notes import ActiveNotes
from support.vaults import write_as


def ids(stream: ActiveNotes) -> list[str]:
    return [memo.id for memo in stream]


def test_they_come_in_the_order_of_their_ids_as_often_as_they_are_asked_for(memory: Memory) -> None:
    saved = [memory.save(f"Text {number}.", title=f"N {number}", kind="fix") for number in range(4)]
    stream = ActiveNotes(memory._ready())
    assert ids(stream) == ids(stream) == sorted(one.id for one in saved)
    (first, *_) = stream
    assert (first.text, first.kind, first.tier, first.trust) == ("Text 0.\n", "fix", "T3", "agent")


def test_records_and_what_is_not_live_are_left_out(memory: Memory, vault: Path) -> None:
    kept = memory.save("Kept.", title="Kept", kind="fix")
    gone = memory.save("Gone.", title="Gone", kind="fix")
    memory.archive(gone.id)
    memory.review.propose("archive", kept.id)
    memory.exchange.import_layout("loki", [("semantic/patterns.json", b"[]")], name="tree")
    assert ids(ActiveNotes(memory._ready())) == [kept.id]


def test_what_went_or_broke_since_is_passed_over(memory: Memory, vault: Path) -> None:
    one = memory.save("One.", title="One", kind="fix")
    two = memory.save("Two.", title="Two", kind="fix")
    three = memory.save("Three.", title="Three", kind="fix")
    stream = ActiveNotes(memory._ready())
    (vault / one.locator).unlink()
    (vault / two.locator).write_bytes(b"---\nid: [\n---\n")
    assert ids(stream) == [three.id]


def test_whom_a_note_comes_from_is_told(memory: Memory) -> None:
    write_as(memory, "external", "Memory/fix/a.md", "---\nid: a-1\n---\n# A\nText.\n")
    write_as(memory, "operator", "b.md", "---\nid: b-1\n---\n# B\nText.\n")
    assert {memo.id: memo.trust for memo in ActiveNotes(memory._ready())} == {
        "a-1": "external", "b-1": "operator",
    }  # fmt: skip
