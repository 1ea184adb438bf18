"""`diagnose`: every file that can't be read, every copy, every loose end (S1.2, S3.2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core import upkeep
from engrain.engine.diagnosis import Finding
from engrain.model.note.note import MAX_NOTE_BYTES
from support.vaults import make_memory
from unit.engine.core.vault_files import delete_index, find, last_change, log_of, notes, put

COPIES = [
    "note.sync-conflict-20261121-114834-KRSSNR3.md",
    "note (1).md",
    "note (conflicted copy 2026-11-21).md",
    "note 2.md",
    "a copy that sorts first.md",
]


def about(memory: Memory, subject: str) -> list[Finding]:
    return [found for found in memory.diagnose() if found.subject == subject]


def test_a_sound_vault_has_nothing_but_good_news(memory: Memory, vault: Path) -> None:
    memory.save("x", title="One", kind="fix")
    findings = memory.diagnose()
    assert {found.level for found in findings} == {"ok"}
    assert [found.subject for found in findings] == ["vault", "index", "recall", "key", "history"]
    assert str(vault) in findings[0].message
    assert "1 entries" in findings[1].message
    assert "1 changes, unbroken" in findings[-1].message


def test_an_empty_vault_is_sound(memory: Memory) -> None:
    assert {found.level for found in memory.diagnose()} == {"ok"}


@pytest.mark.parametrize(
    ("raw", "line", "reason"),
    [
        (b"---\nid: 1\nkind: [fix\n---\n", 4, "yaml"),
        (b"---\nid: 1\nid: 2\n---\n", 3, "duplicate-key"),
        (b"---\na: &x 1\n---\n", 2, "alias"),
        (b"---\nnever closed\n", 1, "unclosed"),
        (b"# One\n\xff\n", 2, "encoding"),
        (b"\xff\xfe#\x00", 1, "encoding"),
        (b"one\ntwo\0\n", 2, "nul"),
        (b"x" * (MAX_NOTE_BYTES + 1), 0, "too-large"),
    ],
)
def test_a_file_that_can_not_be_read_is_told_with_line_and_reason(
    memory: Memory, vault: Path, raw: bytes, line: int, reason: str
) -> None:
    memory.save("x", title="Sound", kind="fix")
    path = put(vault, "Memory/fix/bad.md", raw)
    (found,) = about(memory, "file")
    assert (found.level, found.path, found.line) == ("warning", "Memory/fix/bad.md", line)
    assert found.reason == reason or reason in ("alias", "duplicate-key")
    assert found.message
    assert found.remedy
    assert path.read_bytes() == raw
    assert find(memory, "sound") == ["Sound"]
    path.write_text("# Mended\n")
    assert about(memory, "file") == []
    assert find(memory, "mended") == ["Mended"]


def test_what_is_no_file_is_told(memory: Memory, vault: Path, tmp_path: Path) -> None:
    memory.save("x", title="Good", kind="fix")
    secret = put(tmp_path, "secret.md", "# Secret\n")
    (vault / "Memory" / "fix" / "link.md").symlink_to(secret)
    (vault / "Memory" / "linked").symlink_to(tmp_path)
    found = {one.path: one.reason for one in about(memory, "file")}
    assert found == {"Memory/fix/link.md": "symlink", "Memory/linked": "symlink"}
    assert find(memory, "secret") == []


def test_a_value_of_a_wrong_type_and_an_unknown_kind_are_told_and_the_note_is_used(
    memory: Memory, vault: Path
) -> None:
    put(vault, "Memory/fix/odd.md", "---\nkind: odour\nconfidence: lots\n---\n# Odd\n")
    found = {one.reason: one for one in about(memory, "field")}
    assert set(found) == {"field", "unknown-kind"}
    assert "confidence" in found["field"].message
    assert "odour" in found["unknown-kind"].message
    assert {one.path for one in found.values()} == {"Memory/fix/odd.md"}
    assert find(memory, "odd") == ["Odd"]


@pytest.mark.parametrize("name", COPIES)
@pytest.mark.parametrize("changed", [True, False])
@pytest.mark.parametrize("scanned", [True, False])
def test_a_conflict_copy_is_told_and_not_recalled_twice(
    memory: Memory, vault: Path, name: str, changed: bool, scanned: bool
) -> None:
    saved = memory.save("Take the lock.", title="Note", kind="fix")
    if scanned:
        memory.scan()
    raw = (vault / saved.locator).read_bytes()
    put(vault, f"Memory/fix/{name}", raw + b"Or not.\n" if changed else raw)
    for _ in range(2):
        (found,) = memory.recall("lock").results
        assert found.row.locator == saved.locator
        assert memory.list().total == 1
        assert memory.show(saved.id).locator == saved.locator
    if not changed and "conflict" in name:  # it is merged, and nothing is left to tell
        assert about(memory, "copy") == []
        assert not (vault / "Memory" / "fix" / name).exists()
        return
    (copy,) = about(memory, "copy")
    assert (copy.level, copy.reason, copy.path) == (
        "warning",
        "conflict-copy",
        f"Memory/fix/{name}",
    )
    assert saved.locator in copy.message
    memory.forget(saved.id)
    assert find(memory, "lock") == []


def test_a_conflict_copy_that_was_removed_is_no_longer_told(memory: Memory, vault: Path) -> None:
    saved = memory.save("Take the lock.", title="Note", kind="fix")
    copy = put(vault, "Memory/fix/note (1).md", (vault / saved.locator).read_bytes())
    assert len(about(memory, "copy")) == 1
    copy.unlink()
    assert about(memory, "copy") == []
    assert find(memory, "lock") == ["Note"]


def test_a_copy_is_the_entry_once_the_first_is_gone(memory: Memory, vault: Path) -> None:
    saved = memory.save("Take the lock.", title="Note", kind="fix")
    put(vault, "Memory/fix/note (1).md", (vault / saved.locator).read_bytes())
    memory.scan()
    (vault / saved.locator).unlink()
    (found,) = memory.recall("lock").results
    assert (found.row.id, found.row.locator) == (saved.id, "Memory/fix/note (1).md")


def test_a_name_like_a_copys_with_an_id_of_its_own_is_an_ordinary_note(
    memory: Memory, vault: Path
) -> None:
    memory.save("Take the lock.", title="Notes", kind="fix")
    put(vault, "Memory/fix/Notes (1).md", "---\nid: 01own\n---\n# Notes, part one\nlock\n")
    put(vault, "Memory/fix/Notes (2).md", "# Notes, part two\nlock\n")
    everything = {row.title for row in memory.list().rows}
    assert everything == {"Notes", "Notes, part one", "Notes, part two"}
    assert about(memory, "copy") == []


def test_a_broken_history_is_unusable(memory: Memory, vault: Path) -> None:
    memory.save("x", title="One", kind="fix")
    memory.save("y", title="Two", kind="fix")
    log = log_of(vault, last_change(memory))
    log.write_bytes(log.read_bytes().replace(b'"op":"save"', b'"op":"gave"', 1))
    (found,) = about(memory, "history")
    assert found.level == "unusable"
    assert "-1:" in found.message


def test_an_index_that_can_not_be_rebuilt_now_is_told(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.save("x", title="One", kind="fix")
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    (found,) = about(memory, "index")
    assert (found.level, "reindex" in (found.remedy or "")) == ("warning", True)


def test_a_diagnosis_changes_no_note(memory: Memory, vault: Path) -> None:
    memory.save("x", title="One", kind="fix")
    put(vault, "Memory/fix/bad.md", b"---\nbroken\n")
    put(vault, "Memory/fix/by-hand.md", b"# By hand\r\n")
    before = notes(vault)
    memory.diagnose()
    memory.diagnose()
    assert notes(vault) == before


def test_every_device_is_told_of(tmp_path: Path) -> None:
    for seed in (1, 2):
        with make_memory(tmp_path, device=f"state-{seed}", seed=seed) as memory:
            memory.save(f"x {seed}", title=f"By {seed}", kind="fix")
            found = about(memory, "history")
    assert [one.level for one in found] == ["ok", "ok"]


def test_marks_of_an_undone_merge_are_told_and_the_note_is_recalled_all_the_same(
    memory: Memory, vault: Path
) -> None:
    text = "# Harbour\n\nThe lighthouse\n<<<<<<< HEAD\nis red.\n=======\nis white.\n>>>>>>> other\n"
    put(vault, "harbour.md", text)
    put(vault, "told.md", "# Told\n\n```\n<<<<<<< HEAD\n=======\n>>>>>>> other\n```\n")
    put(
        vault,
        "front.md",
        "---\n<<<<<<< HEAD\ntags: [a\n=======\ntags: [b]\n>>>>>>> x\n---\n# Front\n",
    )
    found = [one for one in memory.diagnose() if one.reason == "merge-marks"]
    assert [(one.path, one.line, one.subject) for one in found] == [
        ("front.md", 2, "file"), ("harbour.md", 4, "text"),
    ]  # fmt: skip
    assert all("marks" in (one.remedy or "") for one in found)
    assert [one.row.title for one in memory.recall("lighthouse").results] == ["Harbour"]
