"""Notes that another program removes: recorded, shown, brought back; many at once only when the
operator says so."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.edits import REMOVED
from engrain.model.errors import NotFoundError, UsageError
from support.two_devices import Pair
from support.vaults import make_memory
from unit.engine.core.vault_files import delete_index, put


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memory]:
    memory = make_memory(tmp_path, backend="obsidian-vault", trust="operator")
    yield memory
    memory.close()


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    return tmp_path / "vault"


def save_many(memory: Memory, vault: Path, count: int) -> list[Path]:
    places = []
    for number in range(count):
        outcome = memory.save(f"Text {number}.", title=f"Note {number}", kind="fix")
        places.append(vault / memory.show(outcome.id).locator)
    return places


def removals(memory: Memory) -> list[str]:
    return [
        str(change.locator)
        for change in memory.history()
        if change.op == "external" and change.after_hash is None
    ]


@pytest.mark.parametrize("how", ["scan", "look", "without an index"])
def test_a_removed_note_is_in_the_history_once(
    memory: Memory, vault: Path, tmp_path: Path, how: str
) -> None:
    places = save_many(memory, vault, 3)
    memory.scan()
    places[1].unlink()
    if how == "without an index":
        memory.close()
        delete_index(tmp_path / "state")
    for _ in range(2):
        (memory.look if how == "look" else memory.scan)()
    assert removals(memory) == ["Memory/fix/note-1.md"]
    change = memory.history()[0]
    assert change.reason == REMOVED
    assert change.before_hash is not None
    memory.reindex()
    assert len(removals(memory)) == 1
    assert all(report.wrong is None for report in memory.trust.survey().chains)


def test_it_is_reported_by_digest_and_check(memory: Memory, vault: Path) -> None:
    save_many(memory, vault, 3)[1].unlink()
    edited = memory.review.digest().sections["edited"]
    assert [(item.path, item.reason) for item in edited] == [("Memory/fix/note-1.md", REMOVED)]
    (found,) = memory.check(["removed"]).found
    assert found.severity == "note"
    assert found.place == "Memory/fix/note-1.md"


@pytest.mark.parametrize("reference", ["note-1", "Note 1", "NOTE 1", "Memory/fix/note-1.md", "id"])
def test_it_comes_back_by_any_name(memory: Memory, vault: Path, reference: str) -> None:
    place = save_many(memory, vault, 3)[1]
    id_ = memory.show("note-1").entry.id
    raw = place.read_bytes()
    place.unlink()
    name = id_[:12] if reference == "id" else reference
    assert memory.restore(name).outcome == "restored"
    assert place.read_bytes() == raw
    assert [change.op for change in memory.history("note-1")] == ["restore", "external", "save"]
    assert [one.row.title for one in memory.recall("Text 1").results][:1] == ["Note 1"]


def test_what_is_still_gone_has_a_history_by_its_name(memory: Memory, vault: Path) -> None:
    save_many(memory, vault, 2)[0].unlink()
    memory.scan()
    assert [change.op for change in memory.history("note-0")] == ["external", "save"]
    with pytest.raises(NotFoundError):
        memory.restore("never there")


def test_a_name_of_several_removed_notes_is_refused(memory: Memory, vault: Path) -> None:
    for folder in ("a", "b"):
        put(vault, f"{folder}/same.md", f"# Same\n\nOf {folder}.\n")
    memory.scan()
    for folder in ("a", "b"):
        (vault / folder / "same.md").unlink()
    memory.scan()
    with pytest.raises(UsageError, match="may mean 2 removed notes"):
        memory.restore("same")


def test_its_removal_can_be_undone_by_name(memory: Memory, vault: Path) -> None:
    place = save_many(memory, vault, 2)[0]
    raw = place.read_bytes()
    place.unlink()
    memory.scan()
    memory.undo(memory.history()[0].change)
    assert place.read_bytes() == raw


def test_a_note_that_moved_was_not_removed(memory: Memory, vault: Path) -> None:
    place = save_many(memory, vault, 2)[0]
    put(vault, "plain.md", "# Plain\n\nWithout an id.\n")
    memory.scan()
    (vault / "Other").mkdir()
    place.rename(vault / "Other" / "moved.md")
    (vault / "plain.md").rename(vault / "Other" / "plain.md")
    memory.scan()
    assert removals(memory) == []
    assert memory.missing() == []


def test_what_icloud_keeps_elsewhere_was_not_removed(memory: Memory, vault: Path) -> None:
    place = save_many(memory, vault, 2)[0]
    raw = place.read_bytes()
    place.rename(place.with_name(f".{place.name}.icloud"))
    memory.scan()
    assert (removals(memory), memory.missing()) == ([], [])
    place.with_name(f".{place.name}.icloud").rename(place)
    memory.scan()
    assert place.read_bytes() == raw
    assert len(memory.history("note-0")) == 1


@pytest.mark.parametrize("look", [False, True])
def test_many_at_once_count_only_when_the_operator_says_so(
    memory: Memory, vault: Path, look: bool
) -> None:
    places = save_many(memory, vault, 40)
    memory.scan()
    raw = {place: place.read_bytes() for place in places}
    for place in places[:11]:
        place.unlink()
    (memory.look if look else memory.scan)()
    assert removals(memory) == []
    assert len(memory.missing()) == 11
    (found,) = memory.check(["missing"]).found
    assert (found.severity, found.message.partition(" ")[0]) == ("error", "11")
    assert "restore --missing" in str(found.remedy)
    assert len(memory.review.digest().sections["missing"]) == 11
    memory.reindex()
    assert len(memory.missing()) == 11
    memory.restore(memory.missing()[0].id)
    assert len(memory.restore_missing()) == 10
    assert {place: place.read_bytes() for place in places} == raw
    assert memory.missing() == []


def test_accepted_they_are_recorded_and_can_still_be_restored(memory: Memory, vault: Path) -> None:
    places = save_many(memory, vault, 15)
    memory.scan()
    for place in places[:12]:
        place.unlink()
    memory.scan()
    assert memory.accept_missing() == 12
    assert len(removals(memory)) == 12
    assert memory.missing() == []
    assert len(memory.removed()) == 12
    assert memory.restore("note-3").outcome == "restored"
    assert len(memory.removed()) == 11


def test_in_a_large_vault_a_fifth_may_go(memory: Memory, vault: Path) -> None:
    places = save_many(memory, vault, 60)
    memory.scan()
    for place in places[:12]:
        place.unlink()
    memory.scan()
    assert len(removals(memory)) == 12


def test_a_removal_that_the_other_device_recorded_later_is_void(tmp_path: Path) -> None:
    pair = Pair(tmp_path)
    saved = pair.left.save("It fades.", title="Fading", kind="fix")
    pair.sync()
    pair.scan()
    pair.left.archive(saved.id)
    pair.sync(history=False)  # the files come before the history that explains them
    pair.right.scan()
    pair.sync()
    pair.settle()
    for memory in (pair.left, pair.right):
        assert removals(memory) == []
        assert memory.missing() == []
        assert memory.removed() == []
        assert all(report.wrong is None for report in memory.trust.survey().chains)


def test_what_engrain_moves_and_erases_itself_is_no_removal(memory: Memory, vault: Path) -> None:
    places = save_many(memory, vault, 4)
    ids = [memory.show(f"note-{n}").entry.id for n in range(4)]
    memory.archive(ids[0])
    memory.rename(ids[1], "Another name")
    memory.erase(memory.plan_erasure([ids[2]]))
    memory.forget(ids[3])
    assert not places[0].exists()
    memory.scan()
    memory.reindex()
    assert (removals(memory), memory.missing(), memory.removed()) == ([], [], [])
