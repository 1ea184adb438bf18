"""`history`, `read_at`, `undo` and `verify`: who changed what, taken back, unbroken (S3.8)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engrain import ConflictError, EngrainError, Memory, NotFoundError, UsageError
from engrain.engine.history.verification import ChainReport
from engrain.model.history.line import BLANK
from engrain.seam.changes import Write
from support.vaults import START, FakeClock, make_memory
from unit.engine.core.vault_files import delete_index, find, last_change, log_of, notes, put

YEAR = 365 * 86400.0


# history


def test_changes_are_told_newest_first_with_verb_time_and_origin(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="tool") as memory:
        saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
        memory.edit(saved.id, expect=saved.hash, text="Take it last.")
        memory.forget(saved.id)
        changes = memory.history(saved.id)
    assert [change.op for change in changes] == ["forget", "edit", "save"]
    assert [change.trust for change in changes] == ["tool"] * 3
    assert [change.entry for change in changes] == [saved.id] * 3
    assert START < changes[2].at < changes[1].at < changes[0].at
    assert [change.before_hash for change in changes] == [
        changes[1].after_hash,
        changes[2].after_hash,
        None,
    ]


def test_the_history_of_one_entry_leaves_the_others_out(memory: Memory) -> None:
    saved = memory.save("x", title="One", kind="fix")
    memory.save("y", title="Two", kind="fix")
    assert [change.entry for change in memory.history("one")] == [saved.id]
    assert len(memory.history()) == 2
    assert len(memory.history(limit=1)) == 1
    with pytest.raises(NotFoundError):
        memory.history("three")


def test_the_history_of_all_is_bound_by_when_changes_were_made(memory: Memory) -> None:
    for title in ("One", "Two", "Three", "Four"):
        memory.save("x", title=title)
    four, three, two, one = memory.history()
    within = memory.history(since=two.at, until=three.at)
    assert [change.change for change in within] == [three.change, two.change]
    assert [change.change for change in memory.history(since=three.at)] == [
        four.change,
        three.change,
    ]
    assert [change.change for change in memory.history(limit=1, until=two.at)] == [two.change]
    assert memory.history(until=one.at - 1) == []


def test_the_history_of_a_removed_file_is_still_there(memory: Memory, vault: Path) -> None:
    saved = memory.save("x", title="One", kind="fix")
    (vault / saved.locator).unlink()
    assert [change.op for change in memory.history(saved.id)] == ["external", "save"]


# read_at


def test_the_bytes_of_any_instant_can_be_read(memory: Memory, vault: Path) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    path = vault / saved.locator
    first = path.read_bytes()
    memory.edit(saved.id, expect=saved.hash, text="Take it last.")
    second = path.read_bytes()
    path.write_bytes(second.replace(b"last", b"never"))
    memory.scan()
    at = [change.at for change in reversed(memory.history(saved.id))]
    assert memory.read_at(saved.id, at[0]) == memory.read_at(saved.id, at[1] - 0.5) == first
    assert memory.read_at(saved.id, at[1]) == second
    assert memory.read_at(saved.id, at[2] + YEAR) == path.read_bytes()
    with pytest.raises(NotFoundError, match="was not there"):
        memory.read_at(saved.id, at[0] - 1)
    with pytest.raises(NotFoundError):
        memory.read_at("zebra", at[0])


def test_bytes_of_before_an_evolution_are_those_of_the_old_entry(
    memory: Memory, vault: Path
) -> None:
    old = memory.save("Take it first.", title="Nightly lock", kind="fix")
    raw = (vault / old.locator).read_bytes()
    at = memory.history(limit=1)[0].at
    new = memory.evolve(old.id, "Take it last.")
    assert memory.read_at(old.id, at) == raw
    with pytest.raises(NotFoundError):
        memory.read_at(new.id, at)


# undo


def change_by_edit(memory: Memory, id_: str) -> None:
    memory.edit(id_, expect=memory.show(id_).entry.hash, text="Edited.", tags=["new"])


def change_by_evolving(memory: Memory, id_: str) -> None:
    memory.evolve(id_, "Evolved.", title="Another title")


def change_by_forgetting(memory: Memory, id_: str) -> None:
    memory.forget(id_)


def change_by_linking(memory: Memory, id_: str) -> None:
    memory.link(id_, "other", "elaborates")


def change_by_restoring(memory: Memory, id_: str) -> None:
    memory.restore(id_)


CHANGES = [change_by_edit, change_by_evolving, change_by_forgetting, change_by_linking]


@pytest.mark.parametrize("change", [*CHANGES, change_by_restoring])
def test_an_undone_change_leaves_every_byte_as_it_was_before(
    memory: Memory, vault: Path, change: Callable[[Memory, str], None]
) -> None:
    memory.save("x", title="Other", kind="fix")
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    if change is change_by_restoring:
        memory.forget(saved.id)
    before = notes(vault)
    change(memory, saved.id)
    after = notes(vault)
    assert after != before
    name = last_change(memory)
    undone = memory.undo(name, "by mistake")
    assert undone.undone == name
    assert saved.id in undone.entries
    assert notes(vault) == before
    assert memory.show(saved.id).entry.id == saved.id
    again = memory.undo(undone.change)
    assert again.undone == undone.change
    assert notes(vault) == after
    memory.undo(again.change)
    assert notes(vault) == before
    assert all(report.wrong is None for report in memory.trust.survey().chains)


def test_an_undone_save_is_a_forgotten_entry_and_undone_again_is_the_same_bytes(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    before = notes(vault)
    undone = memory.undo()
    assert undone.entries == (saved.id,)
    assert memory.show(saved.id).entry.status == "deleted"
    assert find(memory, "lock") == []
    memory.undo(undone.change)
    assert notes(vault) == before
    assert find(memory, "lock") == ["Nightly lock"]


def test_an_undone_evolution_leaves_one_active_entry(memory: Memory, vault: Path) -> None:
    old = memory.save("Take it first.", title="Nightly lock", kind="fix")
    new = memory.evolve(old.id, "Take it last.")
    assert set(memory.undo().entries) >= {old.id}
    assert list(notes(vault)) == [old.locator]
    assert memory.show("nightly-lock").entry.id == old.id
    with pytest.raises(NotFoundError):
        memory.show(new.id)


def test_an_undone_import_forgets_all_that_it_brought(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    for number in range(3):
        put(tmp_path, f"source/note{number}.md", f"# Note {number}\nlock\n")
    memory.import_folder(str(tmp_path / "source"))
    before = notes(vault)
    undone = memory.undo()
    assert len(undone.entries) == 3
    assert find(memory, "lock") == []
    assert set(notes(vault)) == set(before)
    memory.undo(undone.change)
    assert notes(vault) == before


def test_an_undone_save_keeps_what_was_written_by_hand_beside_it(
    memory: Memory, vault: Path
) -> None:
    put(vault, "Memory/fix/by-hand.md", "# By hand\n")
    memory.save("x", title="One", kind="fix")
    memory.undo()
    assert notes(vault)["Memory/fix/by-hand.md"] == b"# By hand\n"


@pytest.mark.parametrize("later", CHANGES)
def test_an_undo_under_a_later_change_is_refused_and_names_it(
    memory: Memory, vault: Path, later: Callable[[Memory, str], None]
) -> None:
    memory.save("x", title="Other", kind="fix")
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    first = last_change(memory)
    later(memory, saved.id)
    second = last_change(memory)
    before = notes(vault)
    with pytest.raises(ConflictError) as caught:
        memory.undo(first)
    assert second in caught.value.message
    assert second in (caught.value.remedy or "")
    assert notes(vault) == before
    memory.undo(second)
    memory.undo(first)
    assert memory.show(saved.id).entry.status == "deleted"


def test_an_undo_under_an_edit_by_another_program_is_refused(memory: Memory, vault: Path) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    first = last_change(memory)
    path = vault / saved.locator
    path.write_bytes(path.read_bytes().replace(b"first", b"by hand"))
    with pytest.raises(ConflictError, match="another program"):
        memory.undo(first)
    memory.scan()
    with pytest.raises(ConflictError, match="external"):
        memory.undo(first)
    assert b"by hand" in path.read_bytes()


def test_an_undo_passes_over_a_later_change_of_mere_counters(memory: Memory, vault: Path) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    before = notes(vault)
    edited = memory.edit(saved.id, expect=saved.hash, text="Take it last.")
    change = last_change(memory)
    path = vault / saved.locator
    path.write_bytes(
        path.read_bytes().replace(
            b"\n---\n# ",
            b"\nrecall_count: 4\nsessions_since_recall: 2\nlast_recalled: 2026-10-01\n---\n# ",
        )
    )
    memory.scan()
    assert memory.show(saved.id).entry.recall_count == 4
    assert memory.show(saved.id).entry.hash != edited.hash
    memory.undo(change)
    assert notes(vault) == before


def test_an_undo_keeps_in_the_history_what_it_replaces(memory: Memory, vault: Path) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    memory.edit(saved.id, expect=saved.hash, text="Take it last.")
    change = last_change(memory)
    path = vault / saved.locator
    by_hand = path.read_bytes().replace(b"\n---\n# ", b"\nrecall_count: 4\n---\n# ")
    path.write_bytes(by_hand)
    memory.undo(change)
    undone = memory.history(saved.id)[0]
    assert undone.op == "undo"
    assert memory.read_at(saved.id, undone.at - 0.5) == by_hand


def test_without_a_name_the_undo_walks_back_change_by_change(memory: Memory, vault: Path) -> None:
    one = memory.save("x", title="One", kind="fix")
    two = memory.save("y", title="Two", kind="fix")
    memory.link(one.id, two.id)
    # The link is told of at both ends, and is one change.
    wanted = list(dict.fromkeys(change.change for change in memory.history()))
    assert [memory.undo().undone for _ in wanted] == wanted
    assert memory.list().total == 0
    with pytest.raises(NotFoundError, match="no change"):
        memory.undo()


def test_without_a_name_what_was_brought_back_by_an_undo_is_undone_again(memory: Memory) -> None:
    memory.save("x", title="One", kind="fix")
    saved = last_change(memory)
    memory.undo(memory.undo(saved).change)
    assert memory.undo().undone == saved


def test_without_a_name_edits_by_other_programs_are_not_undone(memory: Memory, vault: Path) -> None:
    memory.save("x", title="One", kind="fix")
    saved = last_change(memory)
    path = put(vault, "Memory/fix/by-hand.md", "# By hand\n")
    memory.scan()
    assert memory.history(limit=1)[0].op == "external"
    assert memory.undo().undone == saved
    assert path.read_text() == "# By hand\n"


def test_a_change_is_undone_only_once(memory: Memory, vault: Path) -> None:
    memory.save("x", title="One", kind="fix")
    saved = last_change(memory)
    undone = memory.undo(saved)
    before = notes(vault)
    with pytest.raises(ConflictError, match="undone already") as caught:
        memory.undo(saved)
    assert undone.change in (caught.value.remedy or "")
    assert notes(vault) == before
    again = memory.undo(undone.change)
    with pytest.raises(ConflictError, match="undone already"):
        memory.undo(undone.change)
    memory.undo(again.change)
    with pytest.raises(ConflictError, match="undone already") as caught:
        memory.undo(saved)
    assert undone.change in caught.value.message


@pytest.mark.parametrize(
    "name", ["nonsense", "abcdefgh-", "-1", "abcdefgh-1", "abcdefgh-x", "a/b-1"]
)
def test_an_undo_of_what_is_no_change_is_refused(memory: Memory, vault: Path, name: str) -> None:
    memory.save("x", title="One", kind="fix")
    before = notes(vault)
    with pytest.raises((UsageError, NotFoundError)):
        memory.undo(name)
    with pytest.raises(NotFoundError):
        memory.undo(last_change(memory).replace("-1", "-999"))
    with pytest.raises(EngrainError):
        memory.undo("../../outside-1")
    assert notes(vault) == before


def test_an_undo_says_why(memory: Memory) -> None:
    memory.save("x", title="One", kind="fix")
    change = memory.undo(reason="by mistake \udcff").change
    assert memory.history(limit=1)[0].change == change


# Edits by other programs


def test_an_edit_by_another_program_is_recorded_at_the_next_look(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    path = vault / saved.locator
    path.write_bytes(path.read_bytes().replace(b"first", b"by hand"))
    memory.recall("lock")
    changes = memory.history(saved.id)
    assert [change.op for change in changes] == ["external", "save"]
    assert (changes[0].trust, changes[0].agent) == ("external", "")
    memory.scan()
    memory.recall("lock")
    assert len(memory.history()) == 2


def test_an_edit_by_another_program_is_undone_to_the_bytes_before_it(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    memory.edit(saved.id, expect=saved.hash, text="Take it last.")
    before = notes(vault)
    path = vault / saved.locator
    path.write_bytes(path.read_bytes().replace(b"last", b"by hand"))
    edited = notes(vault)
    memory.scan()
    undone = memory.undo(last_change(memory))
    assert notes(vault) == before
    memory.undo(undone.change)
    assert notes(vault) == edited


def test_each_of_two_edits_by_hand_is_undone_to_the_one_before(memory: Memory, vault: Path) -> None:
    path = put(vault, "Memory/fix/by-hand.md", "# By hand\nOne.\n")
    memory.scan()
    path.write_text("# By hand\nTwo.\n")
    memory.scan()
    path.write_text("# By hand\nThree.\n")
    memory.scan()
    three, two, one = [change.change for change in memory.history()]
    with pytest.raises(ConflictError):
        memory.undo(two)
    memory.undo(three)
    assert path.read_text() == "# By hand\nTwo.\n"
    memory.undo(two)
    assert path.read_text() == "# By hand\nOne.\n"
    memory.undo(one)
    assert memory.show("by-hand").entry.status == "deleted"
    assert path.read_text().endswith("# By hand\nOne.\n")


def test_a_note_that_another_program_moved_is_not_forgotten_by_an_undo_of_the_move(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save("Take it first.", title="Nightly lock", kind="fix")
    (vault / saved.locator).rename(vault / "Memory" / "moved.md")
    memory.scan()
    before = notes(vault)
    with pytest.raises(ConflictError, match="moved"):
        memory.undo(last_change(memory))
    assert notes(vault) == before
    assert find(memory, "lock") == ["Nightly lock"]


def test_an_edit_over_bytes_that_nobody_recorded_keeps_them(memory: Memory, vault: Path) -> None:
    path = put(vault, "Memory/fix/by-hand.md", "# By hand\nMine.\n")
    raw = path.read_bytes()
    entry = memory.show("by-hand").entry
    memory.edit("by-hand", expect=entry.hash, text="Yours.")
    memory.undo()
    assert path.read_bytes() == raw


# Clocks that disagree


@pytest.mark.parametrize("offset", [-YEAR, 0.0, YEAR])
def test_what_another_device_undid_and_was_brought_back_stands_whatever_its_clock_says(
    tmp_path: Path, offset: float
) -> None:
    ours = make_memory(tmp_path, device="ours", seed=1)
    theirs = make_memory(tmp_path, device="theirs", seed=2, clock=FakeClock(START + offset))
    with ours, theirs:
        saved = ours.save("x", title="One", kind="fix")
        change = ours.history(saved.id)[0].change
        undone = theirs.undo(change)
        again = ours.undo(undone.change)
        assert ours.show(saved.id).entry.status == "active"
        with pytest.raises(ConflictError, match="undone already") as caught:
            theirs.undo(undone.change)
        assert again.change in caught.value.message
        assert ours.undo(change).undone == change


@pytest.mark.parametrize("offset", [-YEAR, YEAR])
def test_a_later_change_is_named_whatever_the_clock_of_its_device_says(
    tmp_path: Path, offset: float
) -> None:
    ours = make_memory(tmp_path, device="ours", seed=1)
    theirs = make_memory(tmp_path, device="theirs", seed=2, clock=FakeClock(START + offset))
    with ours, theirs:
        saved = ours.save("x", title="One", kind="fix")
        theirs.edit(saved.id, expect=saved.hash, text="y")
        edit = next(change for change in theirs.history() if change.op == "edit")
        with pytest.raises(ConflictError) as caught:
            ours.undo()
        assert edit.change in caught.value.message
        assert edit.change in (caught.value.remedy or "")


def test_an_undo_under_a_change_that_was_brought_back_names_the_change(memory: Memory) -> None:
    saved = memory.save("x", title="One", kind="fix")
    first = last_change(memory)
    memory.edit(saved.id, expect=saved.hash, text="y")
    second = last_change(memory)
    memory.undo(memory.undo().change)
    with pytest.raises(ConflictError) as caught:
        memory.undo(first)
    assert caught.value.remedy == f"undo {second} first"


def test_the_last_change_is_the_one_made_last_even_if_the_clock_was_set_back(
    tmp_path: Path,
) -> None:
    clock = FakeClock()
    with make_memory(tmp_path, clock=clock) as memory:
        memory.save("x", title="One", kind="fix")
        clock.at -= YEAR
        two = memory.save("y", title="Two", kind="fix")
        assert memory.undo().entries == (two.id,)


# verify


def test_a_history_that_nobody_touched_is_unbroken(memory: Memory) -> None:
    assert memory.trust.survey().chains == []
    for number in range(3):
        memory.save("x", title=f"Part {number}", kind="fix")
    (report,) = memory.trust.survey().chains
    assert (report.links, report.erased, report.wrong) == (3, 0, None)


def four_saves(folder: Path) -> tuple[Path, str]:
    """A vault with a chain of four changes: its only segment, and the device."""
    with make_memory(folder) as memory:
        for number in range(4):
            memory.save(f"Text number {number}.", title=f"Part {number}", kind="fix")
        change = last_change(memory)
    return log_of(folder / "vault", change), change.rpartition("-")[0]


def flip(log: Path, n: int, part: str, place: float) -> None:
    """Flip a bit of change `n`, that far into its record or its payload."""
    lines = log.read_bytes().splitlines(keepends=True)
    at = 2 * n - (2 if part == "record" else 1)
    line = bytearray(lines[at])
    line[int((len(line) - 1) * place)] ^= 0x01
    lines[at] = bytes(line)
    log.write_bytes(b"".join(lines))


@pytest.mark.parametrize("n", [1, 2, 3])
@pytest.mark.parametrize("part", ["record", "payload"])
@pytest.mark.parametrize("place", [0, 0.3, 0.5, 0.7, 0.99])
@pytest.mark.parametrize("index", ["kept", "deleted"])
def test_a_flipped_bit_is_reported_with_the_name_of_the_change_and_hides_no_entry(
    tmp_path: Path, n: int, part: str, place: float, index: str
) -> None:
    log, device = four_saves(tmp_path)
    flip(log, n, part, place)
    if index == "deleted":
        delete_index(tmp_path / "state")
    with make_memory(tmp_path) as memory:
        assert len(find(memory, "text")) == 4
        (report,) = memory.trust.survey().chains
        # A record that is still well-formed is told by the one that should follow it.
        assert f"{device}-{n}:" in str(report.wrong) or f"{device}-{n + 1}:" in str(report.wrong)
        assert memory.save("x", title="After", kind="fix").outcome == "created"
        assert memory.trust.survey().chains[0].wrong == report.wrong
        assert len(find(memory, "text")) == 4


@pytest.mark.parametrize("place", [0, 0.3, 0.5, 0.7, 0.99])
@pytest.mark.parametrize("part", ["record", "payload"])
def test_a_flipped_bit_in_the_newest_change_is_reported(
    tmp_path: Path, part: str, place: float
) -> None:
    log, device = four_saves(tmp_path)
    flip(log, 4, part, place)
    with make_memory(tmp_path) as memory:
        (report,) = memory.trust.survey().chains
        assert f"{device}-4:" in str(report.wrong)


@pytest.mark.parametrize("part", ["record", "payload"])
def test_a_flipped_bit_in_the_newest_change_is_not_covered_up_by_the_next(
    tmp_path: Path, part: str
) -> None:
    log, device = four_saves(tmp_path)
    flip(log, 4, part, 0.5)
    with make_memory(tmp_path) as memory:
        memory.save("x", title="After", kind="fix")
        (report,) = memory.trust.survey().chains
        assert f"{device}-4:" in str(report.wrong) or f"{device}-5:" in str(report.wrong)


def report_of(memory: Memory, device: str) -> ChainReport:
    """What `verify` says of one device's chain; the others are sound."""
    reports = {report.device: report for report in memory.trust.survey().chains}
    report = reports.pop(device)
    assert all(other.wrong is None for other in reports.values())
    return report


@pytest.mark.parametrize("cut", [1, 2, 3, 4])
def test_changes_cut_off_the_end_are_missed(tmp_path: Path, cut: int) -> None:
    log, device = four_saves(tmp_path)
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[: -2 * cut]))
    with make_memory(tmp_path) as memory:
        report = report_of(memory, device)
        assert report.links == 4 - cut
        assert f"{cut} changes" in (report.wrong or "")
        assert "missing" in (report.wrong or "")
        assert len(find(memory, "text")) == 4


def test_a_chain_that_is_gone_as_a_whole_is_missed(tmp_path: Path) -> None:
    log, device = four_saves(tmp_path)
    log.unlink()
    log.parent.rmdir()
    with make_memory(tmp_path) as memory:
        (report,) = memory.trust.survey().chains
        assert (report.device, report.links) == (device, 0)
        assert "4 changes" in (report.wrong or "")


def test_a_change_taken_out_of_the_middle_is_missed(tmp_path: Path) -> None:
    log, device = four_saves(tmp_path)
    lines = log.read_bytes().splitlines(keepends=True)
    log.write_bytes(b"".join(lines[:2] + lines[4:]))
    with make_memory(tmp_path) as memory:
        report = report_of(memory, device)
        assert f"{device}-2:" in (report.wrong or "")


def test_the_missing_end_is_reported_even_if_the_clock_had_been_set_back(tmp_path: Path) -> None:
    clock = FakeClock()
    with make_memory(tmp_path, clock=clock) as memory:
        memory.save("x", title="One", kind="fix")
        clock.at -= YEAR
        memory.save("y", title="Two", kind="fix")
        newest = last_change(memory)
        log = log_of(tmp_path / "vault", newest)
        log.write_bytes(b"".join(log.read_bytes().splitlines(keepends=True)[:2]))
        report = report_of(memory, newest.rpartition("-")[0])
        assert "missing" in (report.wrong or "")


def blank(log: Path, n: int) -> None:
    lines = log.read_bytes().splitlines()
    lines[2 * n - 1] = BLANK
    log.write_bytes(b"".join(line + b"\n" for line in lines))


def test_a_blank_payload_that_no_record_excuses_is_reported(tmp_path: Path) -> None:
    log, device = four_saves(tmp_path)
    blank(log, 2)
    with make_memory(tmp_path) as memory:
        (report,) = memory.trust.survey().chains
        assert f"{device}-2:" in (report.wrong or "")
        assert "no record says that it was erased" in (report.wrong or "")
        with pytest.raises(ConflictError, match="erased"):
            memory.undo(f"{device}-2")
        assert len(find(memory, "text")) == 4


def test_a_blank_payload_that_a_record_says_was_erased_is_sound(tmp_path: Path) -> None:
    log, device = four_saves(tmp_path)
    blank(log, 2)
    with make_memory(tmp_path) as memory:
        erased = memory.show("part-1")
        memory._open_store().commit(
            "erase",
            [Write(erased.locator, None, erased.entry.id, erased.entry.hash)],
            undoes=f"{device}-2",
        )
        (report,) = memory.trust.survey().chains
        assert (report.links, report.erased, report.wrong) == (5, 1, None)


def test_a_chain_put_in_the_place_of_anothers_is_reported(tmp_path: Path) -> None:
    log, device = four_saves(tmp_path)
    other = "00000000" if device != "00000000" else "11111111"
    copy = log.parent.with_name(other)
    copy.mkdir()
    (copy / log.name).write_bytes(log.read_bytes())
    with make_memory(tmp_path) as memory:
        reports = {report.device: report.wrong for report in memory.trust.survey().chains}
        assert reports[device] is None
        assert reports[other] is not None
        assert len(find(memory, "text")) == 4


def test_a_change_shows_each_file_before_and_after(memory: Memory) -> None:
    saved = memory.save("As it was.", title="Note", kind="fix")
    memory.edit(saved.id, expect=saved.hash, text="As it is.")
    making, edit = memory.history(saved.id)[::-1]
    (made,) = memory.show_change(making.change).files
    (edited,) = memory.show_change(edit.change).files
    assert (made.path, made.entry, made.before) == (saved.locator, saved.id, None)
    assert edited.before == made.after
    assert edited.after is not None
    assert b"As it is." in edited.after


def test_a_change_of_several_commits_is_shown_whole_by_any_of_them(memory: Memory) -> None:
    together = memory.as_one_change()
    ids = [together.save(f"Text {n}.", title=f"Note {n}").id for n in range(3)]
    names = [memory.history(id_)[0].change for id_ in ids]
    for name in names:
        shown = memory.show_change(name)
        assert shown.names == tuple(names)
        assert [file.entry for file in shown.files] == ids


def test_bytes_that_were_erased_are_not_shown(memory: Memory) -> None:
    saved = memory.save("A secret of somebody.", title="Note", kind="fix")
    making = memory.history(saved.id)[0].change
    memory.erase(memory.plan_erasure([saved.id]))
    assert memory.show_change(making).files == ()


def test_what_names_no_change_is_refused(memory: Memory) -> None:
    with pytest.raises(UsageError):
        memory.show_change("nonsense")
    with pytest.raises(NotFoundError):
        memory.show_change("abcdefgh-7")


def test_an_undo_is_planned_without_writing_anything(memory: Memory) -> None:
    source = memory.save("The source.", title="Source")
    derived = memory.save("Derived.", title="Derived", derived_from=[source.id])
    making = memory.history(source.id)[0].change
    heads = dict(memory.heads)
    assert [row.id for row in memory.plan_undo(making)] == [derived.id]
    assert memory.heads == heads
    memory.undo(making, cascade=True)
    assert memory.heads != heads
    with pytest.raises(ConflictError):
        memory.plan_undo(making)


def test_who_acts_as_another_writes_in_their_name(memory: Memory) -> None:
    saved = memory.acting_as("external").save("From outside.", title="Outside", kind="fix")
    assert memory.show(saved.id).origin == "external"
    assert memory.show(memory.save("Ours.", title="Ours").id).origin == "agent"
