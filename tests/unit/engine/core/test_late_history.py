"""History that arrives late, in pieces or behind the notes: what was concluded without it goes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import ConflictError
from engrain.backends import segments
from engrain.engine.core.edits import Edits
from engrain.model.history.record import CANCEL
from support.synced import HISTORY, Device, false_conclusions, records


@pytest.fixture
def pair(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[Device, Device]]:
    """One device that has written a history of several segments, and one that got its first."""
    monkeypatch.setattr(segments, "SEGMENT_BYTES", 2500)
    one, other = Device(tmp_path, "one"), Device(tmp_path, "other")
    one.memory.save("The first of all.", title="First", kind="fix")
    for path, raw in one.files().items():
        other.put(path, raw)
    other.memory.scan()
    for number in range(9):
        one.memory.save(f"Text {number} " * 40, title=f"Note {number}", kind="fix")
    yield one, other
    one.close()
    other.close()


def logs(device: Device) -> list[str]:
    return [path for path in device.files() if path.startswith(HISTORY)]


def bring(one: Device, other: Device, *, history: bool) -> None:
    """Have all notes of one device reach the other, or all of its history."""
    for path, raw in one.files().items():
        if path.startswith(HISTORY) == history:
            other.put(path, raw)


def forget_index(device: Device) -> None:
    device.close()
    for path in device.state.rglob("index/*"):
        path.unlink()


def test_a_chain_is_read_up_to_its_gap_and_on_when_the_gap_is_filled(
    pair: tuple[Device, Device],
) -> None:
    one, other = pair
    first, *later = logs(one)
    assert len(later) > 1
    for path in later:
        other.put(path, one.files()[path])
    other.memory.recall("first")
    assert [change.n for change in other.memory.history()] == [1]
    wrong = [report.wrong for report in other.memory.trust.survey().chains]
    assert "changes from 2 to" in str(wrong[0])
    other.put(first, one.files()[first])
    other.memory.recall("first")
    assert len(other.memory.history()) == 10
    assert [report.wrong for report in other.memory.trust.survey().chains] == [None]


def test_a_segment_that_was_cut_short_hides_those_behind_it_until_it_is_whole(
    pair: tuple[Device, Device],
) -> None:
    one, other = pair
    whole = one.files()
    first, second, *later = logs(one)
    for path in (first, *later):
        other.put(path, whole[path])
    for size in range(0, len(whole[second]), 97):
        other.put(second, whole[second][:size])
        other.memory.recall("first")
        known = sorted(change.n for change in other.memory.history())
        assert known == list(range(1, len(known) + 1))
        assert len(known) < 10
    other.put(second, whole[second])
    other.memory.recall("first")
    assert len(other.memory.history()) == 10


def test_notes_that_come_before_their_history_are_the_operators_again_when_it_has_come(
    pair: tuple[Device, Device],
) -> None:
    one, other = pair
    bring(one, other, history=False)
    other.memory.scan()
    assert {row.source for row in other.memory.list(limit=100).rows} == {"operator", "external"}
    external = next(change for change in other.memory.history() if change.op == "external")
    bring(one, other, history=True)
    other.memory.recall("first")
    assert {row.source for row in other.memory.list(limit=100).rows} == {"operator"}
    assert {change.op for change in other.memory.history()} == {"save"}
    other.memory.scan()
    assert [record.op for _, record in records(other.files())].count(CANCEL) == 1
    assert false_conclusions(other.files()) == []
    assert "edited" not in other.memory.review.digest(everything=True).sections
    with pytest.raises(ConflictError, match="was cancelled"):
        other.memory.undo(external.change)
    cancelled = {report.device: report.cancelled for report in other.memory.trust.survey().chains}
    assert sorted(cancelled.values()) == [0, 1]
    before = len(list(records(other.files())))
    other.memory.scan()
    one.memory.scan()
    assert len(list(records(other.files()))) == before


@pytest.mark.parametrize("reader", ["one", "other"])
def test_false_records_that_a_vault_holds_already_are_cancelled_by_the_next_scan(
    pair: tuple[Device, Device], monkeypatch: pytest.MonkeyPatch, reader: str
) -> None:
    one, other = pair
    bring(one, other, history=False)
    with monkeypatch.context() as patched:
        patched.setattr(Edits, "cancel_mistaken", lambda _: None)
        other.memory.scan()
        bring(one, other, history=True)
        other.memory.scan()
    bring(other, one, history=True)
    assert false_conclusions(one.files())
    device = one if reader == "one" else other
    forget_index(device)
    device.memory.scan()
    assert false_conclusions(device.files()) == []
    assert {change.op for change in device.memory.history()} == {"save"}
    assert {row.source for row in device.memory.list(limit=100).rows} == {"operator"}


def test_what_another_program_wrote_stays_external_whatever_comes_later(
    pair: tuple[Device, Device],
) -> None:
    one, other = pair
    note = other.vault / "Memory/fix/first.md"
    note.write_text(note.read_text() + "\nA line by hand.\n")
    other.memory.scan()
    bring(one, other, history=True)
    entry = other.memory.show("Memory/fix/first.md").entry
    other.memory.forget(entry.id)
    other.memory.restore(entry.id)
    other.memory.scan()
    assert "external" in {change.op for change in other.memory.history(entry.id)}
    assert CANCEL not in {record.op for _, record in records(other.files())}


def test_of_a_record_that_was_mistaken_in_part_the_rest_can_be_undone(
    pair: tuple[Device, Device],
) -> None:
    one, other = pair
    bring(one, other, history=False)
    other.put("Memory/fix/by-hand.md", b"# By hand\n\nWritten in an editor.\n")
    other.memory.scan()
    bring(one, other, history=True)
    other.memory.scan()
    (external,) = [change for change in other.memory.history() if change.op == "external"]
    assert external.locator == "Memory/fix/by-hand.md"
    other.memory.undo(external.change)
    assert (other.vault / "Memory/fix/note-1.md").exists()
    assert other.memory.show(external.entry).entry.status == "deleted"


@pytest.mark.parametrize("lost", ["the end", "all of it"])
def test_what_a_device_writes_after_its_history_lost_something_is_read_by_others(
    pair: tuple[Device, Device], lost: str
) -> None:
    one, other = pair
    bring(one, other, history=False)
    bring(one, other, history=True)
    other.memory.scan()
    *kept, last = logs(one)
    for path in [last] if lost == "the end" else [*kept, last]:
        one.put(path, None)
        other.put(path, None)
    saved = one.memory.save("Said afterwards.", title="Afterwards", kind="fix")
    bring(one, other, history=False)
    bring(one, other, history=True)
    other.memory.scan()
    assert [change.op for change in other.memory.history(saved.id)] == ["save"]
    rows = {row.id: row.source for row in other.memory.list(limit=100).rows}
    assert rows[saved.id] == "operator"
    assert CANCEL not in {record.op for _, record in records(other.files())}
