"""Of an erasure's history: what is blanked is the named entry's, and no other's."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from engrain import Memory
from engrain.model.history.line import is_blank
from engrain.model.history.record import decode_record
from support.vaults import make_memory

FIRST = "Heron: the relay listens on port 5501."
SECOND = "Osprey: the relay listens on port 6602."
LATER = "Plover: the relay listens on port 7703."


def texts_in_history(memory: Memory, id_: str) -> set[str]:
    """The first word of each version of an entry that the history still has."""
    backend = memory._open_store().backend
    found = set()
    for link in backend.chain(backend.device):
        if not is_blank(link.payload):
            for file in decode_record(link.line, link.payload).files or ():
                if file.entry == id_ and file.after is not None:
                    text = file.after.decode()
                    found |= {one for one in ("Heron", "Osprey", "Plover") if one in text}
    return found


def evolve(memory: Memory) -> tuple[str, str]:
    before = memory.save(FIRST, title="The relay", kind="fix").id
    memory.edit(before, text=LATER, expect=memory.show(before).entry.hash)
    return before, memory.evolve(before, SECOND).id


def evolve_twice(memory: Memory) -> tuple[str, str]:
    before, middle = evolve(memory)
    memory.evolve(middle, "A third text, which stays.")
    return before, middle


def rename_and_reuse(memory: Memory) -> tuple[str, str]:
    before = memory.save(FIRST, title="The relay", kind="fix").id
    memory.edit(before, text=LATER, expect=memory.show(before).entry.hash)
    memory.rename(before, "The older relay")
    return before, memory.save(SECOND, title="The relay", kind="fix").id


def archive_and_reuse(memory: Memory) -> tuple[str, str]:
    before = memory.save(FIRST, title="The relay", kind="fix").id
    memory.edit(before, text=LATER, expect=memory.show(before).entry.hash)
    memory.archive(before)
    return before, memory.save(SECOND, title="The relay", kind="fix").id


def remove_and_reuse(memory: Memory) -> tuple[str, str]:
    saved = memory.save(FIRST, title="The relay", kind="fix")
    memory.edit(saved.id, text=LATER, expect=memory.show(saved.id).entry.hash)
    Path(memory._open_store().backend.describe(saved.locator)).unlink()
    memory.scan()
    return saved.id, memory.save(SECOND, title="The relay", kind="fix").id


@pytest.mark.parametrize(
    "make", [evolve, evolve_twice, rename_and_reuse, archive_and_reuse, remove_and_reuse]
)
def test_what_had_the_erased_entrys_place_before_keeps_its_history(
    tmp_path: Path, make: Callable[[Memory], tuple[str, str]]
) -> None:
    with make_memory(tmp_path, trust="operator") as memory:
        before, erased = make(memory)
        memory.erase(memory.plan_erasure([erased]))
        memory.scan()
        assert texts_in_history(memory, before) == {"Heron", "Plover"}
        assert texts_in_history(memory, erased) == set()
        assert [report.wrong for report in memory.trust.survey().chains] == [None]
    assert not any(b"Osprey" in path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())


def test_erasing_what_had_a_place_before_leaves_the_one_that_has_it_now(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="operator") as memory:
        before, after = rename_and_reuse(memory)
        memory.erase(memory.plan_erasure([before]))
        assert texts_in_history(memory, after) == {"Osprey"}
        assert texts_in_history(memory, before) == set()


def test_a_note_without_an_id_is_erased_by_its_place_in_all_its_versions(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="operator") as memory:
        place = tmp_path / "vault/Memory/fix/relay.md"
        place.parent.mkdir(parents=True)
        for text in (FIRST, SECOND):
            place.write_text(f"# The relay\n\n{text}\n")
            memory.scan()
        id_ = memory.list().rows[0].id
        memory.erase(memory.plan_erasure([id_]))
        assert texts_in_history(memory, id_) == set()


def test_no_vector_of_what_was_erased_is_left_on_the_disk(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "stub")
    with make_memory(tmp_path, trust="operator") as memory:
        erased = memory.save(FIRST, title="The relay", kind="fix").id
        memory.save("Another note, which stays.", title="Other", kind="fix")
        memory.embed()
        vectors = memory._open_store().models.vectors.index
        (model,) = vectors.models()
        before = vectors.count(model)
        memory.erase(memory.plan_erasure([erased]))
        assert 0 < vectors.count(model) < before


def test_what_sessions_recalled_of_the_erased_is_forgotten(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="operator") as memory:
        erased = memory.save(FIRST, title="The relay", kind="fix").id
        local = memory._open_store().device.local
        local.end_session("s", "", 1.0, [erased], [erased])
        memory.erase(memory.plan_erasure([erased]))
        local.close()
    state = [path for path in (tmp_path / "state").rglob("state.sqlite") if path.is_file()]
    import apsw

    connection = apsw.Connection(str(state[0]), flags=apsw.SQLITE_OPEN_READONLY)
    left = [
        table
        for table in ("hits", "uses", "recalls", "counts")
        if connection.execute(f"SELECT 1 FROM {table} WHERE entry = ?", (erased,)).fetchall()
    ]
    connection.close()
    assert state and left == []


def test_what_shares_a_change_with_the_erased_keeps_its_origin(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="operator") as memory:
        before, erased = evolve(memory)
        memory.erase(memory.plan_erasure([erased]))
        memory.reindex()
        (row,) = memory._open_store().index.lookup(before)
        assert row.source == "operator"
        changes = memory._open_store().index.changes(entry=before, locator=row.locator)
        assert {change.op for change in changes if change.after_hash == row.hash} >= {"attest"}


def test_the_change_that_names_what_was_erased_outlives_the_next_erasure(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="operator") as memory:
        for text in (FIRST, SECOND):
            memory.erase(memory.plan_erasure([memory.save(text, kind="fix").id]))
        backend = memory._open_store().backend
        links = [link for link in backend.chain(backend.device) if not is_blank(link.payload)]
        records = [decode_record(link.line, link.payload) for link in links]
        named = [record.undoes for record in records if record.op == "erase"]
    assert len(named) == 2 and all(named)
