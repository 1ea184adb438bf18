"""Two installations with one id: what both wrote is kept, and one of them takes a new id."""

from __future__ import annotations

import os
import random
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from engrain.backends import segments
from engrain.backends.forks import resolve_forks
from engrain.model.history.record import HANDOVER
from support.synced import HISTORY, Device, Synchroniser, records

COPY_NAMES = [
    "{stem}.sync-conflict-20261122-101010-ABCDEFG.log",
    "{stem} (Anna's conflicted copy 2026-11-22).log",
    "{stem} (1).log",
    "{stem} 2.log",
    "{stem}-LAPTOP.log",
    "{stem}.log.conflict1",
    "{stem}.log.orig",
]


@pytest.fixture(autouse=True)
def _small_segments(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(segments, "SEGMENT_BYTES", 4000)


def clone(tmp_path: Path, common: int = 3, later: float = 60.0) -> tuple[Device, Device]:
    """A device that has written, and a copy of its disk that writes so many seconds later."""
    one, other = Device(tmp_path, "one"), Device(tmp_path, "other", skew=later)
    for number in range(common):
        one.memory.save(f"Said before the copy, {number}.", title=f"Common {number}", kind="fix")
    one.memory.recall("copy")
    one.close()
    shutil.copytree(one.vault, other.vault)
    shutil.copytree(one.state, other.state)
    found = other.vault.stat()
    vaults = other.state / "vaults"
    (folder,) = vaults.iterdir()
    vault = folder.name.split("-")[0]
    folder.rename(vaults / f"{vault}-{found.st_dev:x}-{found.st_ino:x}")
    return one, other


def say(device: Device, count: int) -> list[str]:
    """Have a device save some notes; their ids."""
    name = device.vault.parent.name
    return [
        device.memory.save(f"Said by {name}, {n}. " * 8, title=f"{name} {n}", kind="fix").id
        for n in range(count)
    ]


def synchronise(
    one: Device, other: Device, copy_name: str = COPY_NAMES[0], newer: Callable[[], bool] = bool
) -> None:
    """What synchronisers do: a file that both changed stays as one of them has it, and becomes a
    copy beside it as the other has it."""
    ours, theirs = one.files(), other.files()
    for path in sorted(set(ours) | set(theirs)):
        here, there = ours.get(path), theirs.get(path)
        if here == there:
            continue
        if here is None or there is None:
            (one if here is None else other).put(path, here or there)
            continue
        wins, loses = (here, there) if newer() else (there, here)
        folder, _, name = path.rpartition("/")
        copy = copy_name.format(stem=name.removesuffix(".log").removesuffix(".md"))
        for device in (one, other):
            device.put(path, wins)
            device.put(f"{folder}/{copy}", loses)


def device_of(device: Device) -> str:
    return (device.state / "device").read_text().strip()


def assert_whole(device: Device, ids: list[str]) -> None:
    """Every note is the operator's, every change is told once, and every chain is unbroken."""
    rows = {row.id: row for row in device.memory.list(limit=500).rows}
    assert {rows[id_].source for id_ in ids} == {"operator"}
    for id_ in ids:
        assert [change.op for change in device.memory.history(id_)] == ["save"]
    assert {report.wrong for report in device.memory.trust.survey().chains} == {None}
    assert not any("conflict" in path for path in device.files() if path.startswith(HISTORY))


@pytest.mark.parametrize("first_is_newer", [True, False])
@pytest.mark.parametrize("later", [60.0, -60.0])
@pytest.mark.parametrize(("said", "said_by_other"), [(5, 2), (2, 5), (4, 4), (30, 9)])
def test_of_two_that_wrote_as_one_the_one_that_began_later_takes_a_new_id_and_nothing_is_lost(
    tmp_path: Path, said: int, said_by_other: int, later: float, first_is_newer: bool
) -> None:
    one, other = clone(tmp_path, later=later)
    former = device_of(one)
    ids = say(one, said) + say(other, said_by_other)
    synchronise(one, other, newer=lambda: first_is_newer)
    for _ in range(3):
        one.memory.scan()
        synchronise(one, other, newer=lambda: first_is_newer)
        other.memory.scan()
        synchronise(one, other, newer=lambda: first_is_newer)
    names = {device_of(one), device_of(other)}
    assert len(names) == 2
    assert device_of(one if later > 0 else other) == former
    ids += [*say(one, 2), *say(other, 2)]
    synchronise(one, other)
    for device in (one, other):
        device.memory.scan()
        assert_whole(device, ids)
    assert one.state_of_entries() == other.state_of_entries()
    begun = [record for _, record in records(one.files()) if record.op == HANDOVER]
    assert [record.undoes.split("-")[0] for record in begun if record.undoes] == [former]
    one.close()
    other.close()


def test_a_conflict_copy_of_a_branch_that_left_within_a_segment_is_read_too(tmp_path: Path) -> None:
    one, other = clone(tmp_path)
    ids = say(one, 30) + say(other, 20)
    for _ in range(3):
        synchronise(one, other)
        one.memory.scan()
        other.memory.scan()
    synchronise(one, other)
    branch = sorted(path for path in one.files() if "~" in path)
    assert len(branch) > 1, "the branch has several files"
    for path in branch:
        copy = path.removesuffix(".log") + ".sync-conflict-20261122-111111-ABCDEFG.log"
        one.put(copy, one.files()[path])
    one.memory.scan()
    one.memory.scan()
    assert sorted(path for path in one.files() if "~" in path) == branch
    assert_whole(one, ids)
    one.close()
    other.close()


@pytest.mark.parametrize("name", COPY_NAMES)
def test_a_conflict_copy_of_a_segment_is_read_however_it_is_called(
    tmp_path: Path, name: str
) -> None:
    one, other = clone(tmp_path)
    ids = say(one, 4) + say(other, 2)
    synchronise(one, other, name)
    one.memory.scan()
    assert_whole(one, ids)
    one.close()
    other.close()


def test_a_process_that_still_has_the_former_id_goes_on_under_the_new_one(tmp_path: Path) -> None:
    one, other = clone(tmp_path)
    say(one, 5)
    say(other, 2)
    server = other.memory  # it stays open meanwhile
    synchronise(one, other)
    beside = Device(tmp_path, "other")
    beside.memory.scan()
    beside.close()
    former, taken = device_of(one), device_of(other)
    assert taken != former
    saved = server.save("Said by the one that was running.", title="Running", kind="fix")
    assert [change.device for change in server.history(saved.id)] == [taken]
    one.close()
    other.close()


def test_without_a_conflict_copy_the_one_that_was_overwritten_finds_it_out(tmp_path: Path) -> None:
    one, other = clone(tmp_path)
    say(one, 5)
    say(other, 2)
    for path, raw in one.files().items():
        if path.startswith(HISTORY):
            other.put(path, raw)
    before = {path: raw for path, raw in other.files().items() if path.startswith(HISTORY)}
    saved = other.memory.save("Said afterwards.", title="Afterwards", kind="fix")
    assert device_of(other) != device_of(one)
    assert [change.device for change in other.memory.history(saved.id)] == [device_of(other)]
    after = other.files()
    assert {path: after[path] for path in before} == before
    one.close()
    other.close()


def logs_of(device: Device) -> dict[str, bytes]:
    """The segments of the chain that a device writes."""
    chain = f"{HISTORY}/{device_of(device)}/"
    return {path: raw for path, raw in device.files().items() if path.startswith(chain)}


def settle(one: Device, other: Device, synchroniser: Synchroniser) -> None:
    for _ in range(3):
        for device in (one, other):
            device.memory.scan()
            synchroniser.meet(torn=False)


@pytest.mark.parametrize("later", [60.0, -60.0])
def test_two_that_know_different_parts_of_a_fork_lose_none_of_it_by_laying_it_out(
    tmp_path: Path, later: float
) -> None:
    one, other = clone(tmp_path, later=later)
    synchroniser = Synchroniser(one, other, random.Random(1))
    synchroniser.meet(torn=False)
    ids = say(one, 20) + say(other, 20)
    ours, theirs = logs_of(one), logs_of(other)
    met, *_ = [path for path in ours if path in theirs and ours[path] != theirs[path]]
    synchroniser.meet(torn=False, only=[met])
    one.memory.scan()
    other.memory.scan()
    synchroniser.meet(torn=False)
    settle(one, other, synchroniser)
    for device in (one, other):
        assert_whole(device, ids)
    assert one.files() == other.files()
    one.close()
    other.close()


def test_a_segment_whose_earlier_records_have_not_come_is_not_written_over(tmp_path: Path) -> None:
    one, other = clone(tmp_path)
    ids = say(one, 20) + say(other, 20)
    ours, theirs = logs_of(one), logs_of(other)
    _, second, *_ = [path for path in ours if path in theirs and ours[path] != theirs[path]]
    copy = second.removesuffix(".log") + ".sync-conflict-20261122-111111-ABCDEFG.log"
    one.put(second, theirs[second])
    one.put(copy, ours[second])
    one.memory.scan()
    assert theirs[second] in one.files().values()
    synchronise(one, other)
    for _ in range(2):
        one.memory.scan()
        other.memory.scan()
        synchronise(one, other)
    for device in (one, other):
        device.memory.scan()
        assert_whole(device, ids)
    one.close()
    other.close()


def test_segments_of_a_branch_that_come_after_it_was_laid_out_join_it(tmp_path: Path) -> None:
    one, other = clone(tmp_path, later=-60.0)
    ids = say(one, 20) + say(other, 1)  # which keeps the id, since it began earlier
    met, *rest = [path for path, raw in logs_of(one).items() if raw != other.files().get(path)]
    other.put(met.removesuffix(".log") + ".sync-conflict-1.log", logs_of(one)[met])
    other.memory.scan()
    assert not any(path in other.files() for path in rest)
    for path in rest:
        other.put(path, logs_of(one)[path])
    other.memory.scan()
    for path, raw in one.files().items():
        if not path.startswith(HISTORY):
            other.put(path, raw)
    other.memory.scan()
    assert_whole(other, ids)
    one.close()
    other.close()


def test_of_a_branch_whose_first_segment_comes_last_everything_is_read(tmp_path: Path) -> None:
    one, other = clone(tmp_path, later=-60.0)
    ids = say(one, 20) + say(other, 1)
    synchronise(one, other)
    one.memory.scan()
    reader = Device(tmp_path, "reader")
    first, *_ = branch = sorted(path for path in one.files() if "~" in path)
    for path in (path for path in one.files() if path not in branch):
        reader.put(path, one.files()[path])
    reader.memory.scan()
    for path in reversed(branch):
        wrong = {report.device: report.wrong for report in reader.memory.trust.survey().chains}
        assert all("are missing" in str(told) for chain, told in wrong.items() if "~" in chain)
        reader.put(path, one.files()[path])
        reader.memory.scan()
    assert first in reader.files()
    assert_whole(reader, ids)
    for device in (one, other, reader):
        device.close()


def test_a_conflict_copy_that_is_cut_short_stays_and_is_reported(tmp_path: Path) -> None:
    one, other = clone(tmp_path)
    ids = say(one, 4)
    say(other, 2)
    synchronise(one, other)
    *_, copy = [path for path in one.files() if "conflict" in path and path.startswith(HISTORY)]
    whole = one.files()[copy]
    one.put(copy, whole[:-30])
    one.memory.scan()
    assert copy in one.files()
    name = copy.removeprefix(f"{HISTORY}/")
    assert any(name in str(report.wrong) for report in one.memory.trust.survey().chains)
    assert any(name in flaw.message for flaw in one.memory.check(["history"]).found)
    one.put(copy, whole)
    one.memory.scan()
    assert copy not in one.files()
    assert {report.wrong for report in one.memory.trust.survey().chains} == {None}
    assert set(ids) <= {row.id for row in one.memory.list(limit=500).rows}
    one.close()
    other.close()


def test_a_longer_forgery_does_not_take_the_place_of_what_was_attested(tmp_path: Path) -> None:
    one, other = clone(tmp_path)
    other.close()
    other.keys = tmp_path / "stolen"  # the disk was copied, the key was not
    ids = say(one, 2)
    say(other, 9)
    synchronise(one, other)
    former = device_of(one)
    one.memory.scan()
    assert device_of(one) == former
    rows = {row.id: row for row in one.memory.list(limit=500).rows}
    assert {(rows[id_].source, rows[id_].attested) for id_ in ids} == {("operator", True)}
    forged = [row for row in rows.values() if row.title.startswith("other")]
    assert {(row.source, row.attested) for row in forged} == {("external", False)}
    one.close()
    other.close()


def test_a_copied_disk_that_nobody_wrote_on_yet_keeps_its_id(tmp_path: Path) -> None:
    one, other = clone(tmp_path)
    other.memory.scan()
    assert device_of(one) == device_of(other)
    assert {report.device for report in other.memory.trust.survey().chains} == {device_of(one)}
    one.close()
    other.close()


def test_what_is_erased_is_erased_in_the_branch_as_well(tmp_path: Path) -> None:
    one, other = clone(tmp_path)
    say(one, 4)
    id_ = other.memory.save("The tenant is Zacharias Quint.", title="Tenant", kind="fix").id
    synchronise(one, other)
    for device in (one, other):
        device.memory.scan()
    synchronise(one, other)
    one.memory.scan()
    one.memory.erase(one.memory.plan_erasure([id_]))
    one.memory.scan()
    assert [change.locator for change in one.memory.history() if change.op == "save"]
    payloads = [
        file.after or b"" for _, record in records(one.files()) for file in record.files or ()
    ]
    assert not any(b"Zacharias" in raw for raw in payloads)
    assert {report.wrong for report in one.memory.trust.survey().chains} == {None}
    one.close()
    other.close()


def test_a_segment_that_cannot_be_read_is_never_replaced_by_a_copy(tmp_path: Path) -> None:
    device = Device(tmp_path, "one")
    say(device, 8)
    device.close()
    name = device_of(device)
    folder = device.vault / HISTORY / name
    *_, last = sorted(folder.glob("*.log"))
    shutil.copy(last, folder / COPY_NAMES[0].format(stem=last.stem))
    outside = tmp_path / "kept.log"
    last.rename(outside)
    last.symlink_to(outside)
    opened = os.open(folder, os.O_RDONLY)
    try:
        assert not resolve_forks(opened, name, {}, lambda _: True)
    finally:
        os.close(opened)
    assert last.is_symlink()
