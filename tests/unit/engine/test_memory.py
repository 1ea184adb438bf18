"""`Memory`: resolved at each call, shared by threads and by devices (S1.2, S1.13)."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import pytest

from engrain import ConflictError, Memory, NotFoundError, VaultUnavailableError, open_memory
from support.vaults import FakeClock, FakeEntropy, make_memory
from unit.engine.core.vault_files import delete_index, find, last_change, notes, titles

# Opening


def test_a_memory_that_was_closed_opens_again_at_the_next_call(memory: Memory) -> None:
    memory.save("Take the lock.", title="Nightly lock", kind="fix")
    memory.close()
    memory.close()
    assert find(memory, "lock") == ["Nightly lock"]


def test_what_was_saved_is_there_for_the_next_process(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        saved = memory.save("Take the lock.", title="Nightly lock", kind="fix")
    with make_memory(tmp_path, seed=8) as memory:
        assert memory.show(saved.id).entry.text == "Take the lock.\n"
        assert [change.change for change in memory.history()] == [last_change(memory)]


def test_without_a_vault_there_is_no_memory(tmp_path: Path) -> None:
    with pytest.raises(VaultUnavailableError, match="no vault") as caught:
        open_memory(state_dir=tmp_path / "state")
    assert "ENGRAIN_VAULT" in (caught.value.remedy or "")


def test_a_folder_that_is_no_vault_is_not_made_one(tmp_path: Path) -> None:
    folder = tmp_path / "plain"
    folder.mkdir()
    for vault in (folder, tmp_path / "nowhere"):
        with pytest.raises(VaultUnavailableError) as caught:
            open_memory(vault, state_dir=tmp_path / "state")
        assert "init" in (caught.value.remedy or "")
    assert list(folder.iterdir()) == []
    assert not (tmp_path / "nowhere").exists()


def test_the_vault_is_taken_from_the_environment(
    memory: Memory, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = memory.save("Take the lock.", title="Nightly lock", kind="fix")
    monkeypatch.setenv("ENGRAIN_VAULT", str(vault))
    monkeypatch.setenv("ENGRAIN_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("ENGRAIN_AGENT", "eng-007")
    with open_memory(clock=FakeClock(), entropy=FakeEntropy(3)) as other:
        assert other.show(saved.id).entry.title == "Nightly lock"
        made = other.save("x", title="By another")
        assert other.show(made.id).entry.source["agent"] == "eng-007"
        assert other.history(limit=1)[0].agent == "eng-007"


def test_a_vault_that_vanished_is_an_error_and_never_a_new_vault(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    memory.save("Take the lock.", title="Nightly lock", kind="fix")
    away = tmp_path / "away"
    vault.rename(away)
    for verb in (lambda: memory.recall("lock"), lambda: memory.save("x"), memory.undo):
        with pytest.raises(VaultUnavailableError):
            verb()
    assert not vault.exists()
    away.rename(vault)
    assert find(memory, "lock") == ["Nightly lock"]


def test_another_vault_put_in_the_place_of_the_first_is_noticed(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    memory.save("Take the lock.", title="Mine", kind="fix")
    with make_memory(tmp_path, name="other", seed=9) as other:
        other.save("Take the lock.", title="Theirs", kind="fix")
    assert find(memory, "lock") == ["Mine"]
    vault.rename(tmp_path / "away")
    (tmp_path / "other").rename(vault)
    assert find(memory, "lock") == ["Theirs"]


def test_a_copy_of_a_vault_shares_nothing_with_it(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    memory.save("Take the lock.", title="Nightly lock", kind="fix")
    memory.list()
    shutil.copytree(vault, tmp_path / "copy")
    with make_memory(tmp_path, name="copy", seed=9) as copy:
        copy.save("Take the lock.", title="Only in the copy", kind="fix")
        assert len(find(copy, "lock")) == 2
    assert find(memory, "lock") == ["Nightly lock"]


def test_a_store_in_memory_has_the_same_verbs(tmp_path: Path) -> None:
    with open_memory(
        f"ram:{tmp_path.name}",
        state_dir=tmp_path / "state",
        create=True,
        clock=FakeClock(),
        entropy=FakeEntropy(),
    ) as memory:
        saved = memory.save("Take the lock.", title="Nightly lock", kind="fix")
        memory.evolve(saved.id, "Take it last.")
        assert [found.text for found in memory.recall("take").results] == ["Take it last.\n"]
        memory.undo()
        assert [found.text for found in memory.recall("take").results] == ["Take the lock.\n"]
        assert memory.restore(memory.forget(saved.id).id).outcome == "restored"
        assert [report.wrong for report in memory.trust.survey().chains] == [None]


def test_threads_share_one_memory(memory: Memory, vault: Path) -> None:
    failures: list[Exception] = []

    def work(number: int) -> None:
        try:
            for part in range(5):
                saved = memory.save(f"Text {part}", title=f"Thread {number} part {part}")
                assert memory.show(saved.id).entry.title == saved.title
                assert memory.recall("text").results
        except Exception as error:
            failures.append(error)

    threads = [Thread(target=work, args=[number]) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert memory.list().total == len(notes(vault)) == 20
    (report,) = memory.trust.survey().chains
    assert (report.links, report.wrong) == (20, None)


# Two devices


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def laptop(tmp_path: Path, clock: FakeClock) -> Iterator[Memory]:
    with make_memory(tmp_path, device="laptop", clock=clock, seed=1) as memory:
        yield memory


@pytest.fixture
def desktop(tmp_path: Path, clock: FakeClock, laptop: Memory) -> Iterator[Memory]:
    with make_memory(tmp_path, device="desktop", clock=clock, seed=2) as memory:
        yield memory


def test_each_device_sees_what_the_other_saves(laptop: Memory, desktop: Memory) -> None:
    laptop.save("Take the lock.", title="From the laptop", kind="fix")
    assert find(desktop, "lock") == ["From the laptop"]
    desktop.save("Take the lock.", title="From the desktop", kind="fix")
    assert set(find(laptop, "lock")) == {"From the laptop", "From the desktop"}
    assert [change.change for change in laptop.history()] == [
        change.change for change in desktop.history()
    ]


def test_what_the_other_saves_is_seen_without_a_scan(laptop: Memory, desktop: Memory) -> None:
    desktop.list()
    laptop.save("Take the lock.", title="From the laptop", kind="fix")
    assert titles(desktop.recall("lock", scan=False)) == ["From the laptop"]


def test_each_device_has_a_chain_of_its_own_and_both_hold(
    laptop: Memory, desktop: Memory, vault: Path
) -> None:
    for number in range(3):
        laptop.save("x", title=f"Laptop {number}")
        desktop.save("x", title=f"Desktop {number}")
    for memory in (laptop, desktop):
        assert [(report.links, report.wrong) for report in memory.trust.survey().chains] == [
            (3, None)
        ] * 2
    assert len(list((vault / ".engrain" / "history").iterdir())) == 2


def test_the_same_memory_saved_on_both_is_one(laptop: Memory, desktop: Memory) -> None:
    first = laptop.save("Take the lock.", title="Nightly lock", kind="fix")
    second = desktop.save("Take the lock.", title="Nightly lock", kind="fix")
    assert (second.outcome, second.id) == ("unchanged", first.id)


def test_what_the_other_device_wrote_is_never_taken_for_an_edit_by_hand(
    laptop: Memory, desktop: Memory
) -> None:
    saved = laptop.save("Take the lock.", title="Nightly lock", kind="fix")
    for number in range(3):
        for memory in (laptop, desktop):
            expect = memory.show(saved.id).entry.hash
            memory.edit(saved.id, expect=expect, text=f"Take it {number}.", tags=[str(id(memory))])
    assert [change.op for change in laptop.history()] == ["edit"] * 6 + ["save"]


@pytest.mark.parametrize("verb", ["save", "edit", "evolve", "forget"])
def test_a_change_of_the_other_device_is_undone_by_its_name(
    laptop: Memory, desktop: Memory, vault: Path, verb: str
) -> None:
    saved = laptop.save("Take the lock.", title="Nightly lock", kind="fix")
    before = notes(vault)
    if verb == "edit":
        laptop.edit(saved.id, expect=saved.hash, text="Take it last.")
    elif verb == "evolve":
        laptop.evolve(saved.id, "Take it last.")
    elif verb == "forget":
        laptop.forget(saved.id)
    name = last_change(laptop)
    undone = desktop.undo(name)
    assert undone.undone == name
    assert undone.change.rpartition("-")[0] != name.rpartition("-")[0]
    if verb == "save":
        assert find(laptop, "lock") == []
    else:
        assert notes(vault) == before
        assert find(laptop, "lock") == ["Nightly lock"]
    with pytest.raises(ConflictError, match="undone already"):
        laptop.undo(name)
    for memory in (laptop, desktop):
        assert [report.wrong for report in memory.trust.survey().chains] == [None, None]


def test_without_a_name_a_device_undoes_only_what_is_its_own_and_still_stands(
    laptop: Memory, desktop: Memory
) -> None:
    one = laptop.save("x", title="One")
    two = laptop.save("y", title="Two")
    desktop.undo(last_change(laptop))
    assert laptop.show(two.id).entry.status == "deleted"
    with pytest.raises(NotFoundError):
        desktop.undo()
    assert laptop.undo().entries == (one.id,)


def test_of_two_devices_that_evolve_one_entry_the_second_is_refused(
    laptop: Memory, desktop: Memory
) -> None:
    saved = laptop.save("Take the lock.", title="Nightly lock", kind="fix")
    desktop.show(saved.id)
    new = laptop.evolve(saved.id, "Take it last.")
    with pytest.raises(ConflictError):
        desktop.evolve(saved.id, "Never take it.")
    assert desktop.show("nightly-lock").entry.id == new.id


def test_an_edit_by_hand_is_recorded_by_one_device_only(
    laptop: Memory, desktop: Memory, vault: Path
) -> None:
    saved = laptop.save("Take the lock.", title="Nightly lock", kind="fix")
    desktop.list()
    path = vault / saved.locator
    path.write_bytes(path.read_bytes().replace(b"Take the", b"Skip the"))
    for memory in (laptop, desktop, laptop, desktop):
        memory.scan()
    assert [change.op for change in desktop.history()] == ["external", "save"]


def test_a_device_that_lost_its_state_knows_all_that_it_knew(
    tmp_path: Path, laptop: Memory, desktop: Memory
) -> None:
    saved = laptop.save("Take the lock.", title="Nightly lock", kind="fix")
    desktop.edit(saved.id, expect=saved.hash, text="Take it last.")
    before = [(change.change, change.op) for change in desktop.history()]
    delete_index(tmp_path / "desktop")
    assert [(change.change, change.op) for change in desktop.history()] == before
    assert desktop.read_at(saved.id, laptop.history()[-1].at).endswith(b"Take the lock.\n")
