"""`forget` and `restore`: soft, undoable, and proof against what synchronisers do (S1.1)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import ConflictError, Memory, NotFoundError, Scope
from unit.engine.core.vault_files import find, notes, put


def test_what_is_forgotten_stays_as_a_file_and_is_not_recalled(memory: Memory, vault: Path) -> None:
    saved = memory.save("Take the lock.", title="Nightly lock", kind="fix")
    forgotten = memory.forget(saved.id, "wrong since the move")
    assert (forgotten.outcome, forgotten.id, forgotten.locator) == (
        "deleted",
        saved.id,
        saved.locator,
    )
    raw = (vault / saved.locator).read_text()
    assert "status: deleted\n" in raw
    assert "deleted_at: 2026-" in raw
    assert raw.endswith("# Nightly lock\nTake the lock.\n")
    assert find(memory, "lock") == []
    assert memory.list(scope=Scope(statuses=["deleted"])).total == 1


def test_forgetting_twice_is_unchanged(memory: Memory, vault: Path) -> None:
    saved = memory.save("Take the lock.", title="Nightly lock", kind="fix")
    memory.forget(saved.id)
    before = notes(vault)
    assert memory.forget(saved.id).outcome == "unchanged"
    assert notes(vault) == before
    assert len(memory.history(saved.id)) == 2


@pytest.mark.parametrize("verb", ["forget", "restore"])
def test_what_another_writer_did_in_between_is_not_done_again(
    memory: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch, verb: str
) -> None:
    saved = memory.save("Take the lock.", title="Nightly lock", kind="fix")
    if verb == "restore":
        memory.forget(saved.id)
    act = getattr(memory, verb)
    store = type(memory._ready())
    commit = store.commit
    before: list[dict[str, bytes]] = []

    def late(self: object, *given: object, **named: object) -> object:
        monkeypatch.setattr(store, "commit", commit)
        assert act(saved.id).outcome != "unchanged"
        before.append(notes(vault))
        return commit(self, *given, **named)  # type: ignore[arg-type]

    monkeypatch.setattr(store, "commit", late)
    assert act(saved.id).outcome == "unchanged"
    assert before == [notes(vault)]


def test_what_was_forgotten_is_restored_in_every_byte_but_updated(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save("Take the lock.", title="Nightly lock", kind="fix", tags=["pg"])
    before = (vault / saved.locator).read_text().splitlines()
    memory.forget(saved.id)
    restored = memory.restore(saved.id)
    assert (restored.outcome, restored.id) == ("restored", saved.id)
    after = (vault / saved.locator).read_text().splitlines()
    assert [line for line in after if not line.startswith("updated:")] == [
        line for line in before if not line.startswith("updated:")
    ]
    assert find(memory, "lock") == ["Nightly lock"]
    assert memory.restore(saved.id).outcome == "unchanged"


def test_frontmatter_that_is_not_ours_survives_forgetting_and_restoring(
    memory: Memory, vault: Path
) -> None:
    raw = b"\xef\xbb\xbf---\r\n# mine\r\nid: 01odd\r\ncustom: {a: [1]} # kept\r\n---\r\nText\r\n"
    path = put(vault, "Memory/fix/odd.md", raw)
    memory.forget("01odd")
    memory.restore("01odd")
    kept = [
        line
        for line in path.read_bytes().splitlines(keepends=True)
        if not line.startswith((b"updated:", b"status:"))
    ]
    assert b"".join(kept) == raw


@pytest.mark.parametrize("before", ["active", "deleted"])
def test_what_another_program_removed_is_brought_back_active(
    memory: Memory, vault: Path, before: str
) -> None:
    saved = memory.save("Take the lock.", title="Nightly lock", kind="fix")
    memory.edit(saved.id, expect=saved.hash, text="Take it last.")
    raw = (vault / saved.locator).read_bytes()
    if before == "deleted":
        memory.forget(saved.id)
    (vault / saved.locator).unlink()
    with pytest.raises(NotFoundError):
        memory.show(saved.id)
    restored = memory.restore(saved.id)
    assert (restored.outcome, restored.id, restored.locator) == (
        "restored",
        saved.id,
        saved.locator,
    )
    assert memory.show(saved.id).entry.status == "active"
    if before == "active":
        assert (vault / saved.locator).read_bytes() == raw
    assert find(memory, "lock") == ["Nightly lock"]


def test_an_edit_by_hand_that_was_seen_is_what_comes_back(memory: Memory, vault: Path) -> None:
    saved = memory.save("Take the lock.", title="Nightly lock", kind="fix")
    path = vault / saved.locator
    edited = path.read_bytes().replace(b"Take the lock.", b"By hand.")
    path.write_bytes(edited)
    memory.scan()
    path.unlink()
    memory.restore(saved.id)
    assert path.read_bytes() == edited


def test_bringing_back_never_overwrites_what_stands_there_now(memory: Memory, vault: Path) -> None:
    saved = memory.save("Take the lock.", title="Nightly lock", kind="fix")
    path = vault / saved.locator
    path.write_bytes(b"---\nid: 01other\n---\n# Another\n")
    before = notes(vault)
    with pytest.raises(ConflictError):
        memory.restore(saved.id)
    assert notes(vault) == before


def test_what_was_superseded_or_archived_is_not_restored(memory: Memory, vault: Path) -> None:
    old = memory.save("Take the lock.", title="Nightly lock", kind="fix")
    memory.evolve(old.id, "Take it last.")
    put(vault, "Memory/fix/kept.md", "---\nid: 01kept\nstatus: archived\n---\n# Kept\n")
    for reference, status in ((old.id, "superseded"), ("01kept", "archived")):
        with pytest.raises(ConflictError, match=status) as caught:
            memory.restore(reference)
        assert "history" in (caught.value.remedy or "")


@pytest.mark.parametrize("reference", ["zebra", "", "01m3250000"])
def test_what_nobody_knows_is_neither_forgotten_nor_restored(
    memory: Memory, reference: str
) -> None:
    memory.save("Take the lock.", title="Nightly lock", kind="fix")
    with pytest.raises(NotFoundError):
        memory.forget(reference)
    with pytest.raises(NotFoundError):
        memory.restore(reference)
