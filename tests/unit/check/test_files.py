"""`check`: unreadable files, copies, maps, the index and the history (S1.2, S3.2)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.check.walk import Flaw, walk
from engrain.model.note.note import MAX_NOTE_BYTES
from unit.engine.core.vault_files import find, last_change, log_of, notes, put

COPIES = [
    "note.sync-conflict-20261121-114834-KRSSNR3.md",
    "note (1).md",
    "note (conflicted copy 2026-11-21).md",
    "note 2.md",
    "a copy that sorts first.md",
]


def about(memory: Memory, rule: str) -> list[Flaw]:
    return memory.check([rule]).found


def test_a_sound_vault_has_no_flaw_even_at_depth(memory: Memory) -> None:
    assert memory.check(deep=True).found == []
    memory.save("x", title="One", kind="fix")
    assert memory.check(deep=True).found == []


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
    result = memory.check()
    (found,) = result.found
    assert (found.rule, found.severity, result.sound) == ("unreadable", "error", False)
    assert (found.place, found.line) == ("Memory/fix/bad.md", line)
    assert f"({reason})" in found.message or reason in ("alias", "duplicate-key")
    assert found.remedy
    assert path.read_bytes() == raw
    assert find(memory, "sound") == ["Sound"]
    path.write_text("# Mended\n")
    assert about(memory, "unreadable") == []
    assert find(memory, "mended") == ["Mended"]


def test_what_is_no_file_is_told(memory: Memory, vault: Path, tmp_path: Path) -> None:
    memory.save("x", title="Good", kind="fix")
    secret = put(tmp_path, "secret.md", "# Secret\n")
    (vault / "Memory" / "fix" / "link.md").symlink_to(secret)
    (vault / "Memory" / "linked").symlink_to(tmp_path)
    found = about(memory, "unreadable")
    assert [one.place for one in found] == ["Memory/fix/link.md", "Memory/linked"]
    assert all("(symlink)" in one.message for one in found)
    assert find(memory, "secret") == []


def test_a_value_of_a_wrong_type_and_an_unknown_kind_are_told_and_the_note_is_used(
    memory: Memory, vault: Path
) -> None:
    put(vault, "Memory/fix/odd.md", "---\nkind: odour\nconfidence: lots\n---\n# Odd\n")
    field, kind = memory.check(["field", "kind"]).found
    assert "confidence" in field.message
    assert "odour" in kind.message
    assert {field.place, kind.place} == {"Memory/fix/odd.md"}
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
    assert (copy.severity, copy.place) == ("warning", f"Memory/fix/{name}")
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


def test_a_broken_history_is_found_by_a_deep_check(memory: Memory, vault: Path) -> None:
    memory.save("x", title="One", kind="fix")
    memory.save("y", title="Two", kind="fix")
    log = log_of(vault, last_change(memory))
    log.write_bytes(log.read_bytes().replace(b'"op":"save"', b'"op":"gave"', 1))
    assert memory.check().found == []
    assert "history" in [one.rule for one in memory.check(deep=True).found]
    (found,) = about(memory, "history")
    assert (found.severity, "-1:" in found.message) == ("error", True)


def test_a_walk_names_every_file_that_the_index_has_otherwise(memory: Memory, vault: Path) -> None:
    places = [memory.save(f"Lamp {n}.", title=f"N{n}", kind="fix").locator for n in range(3)]
    store = memory._ready(scan=True)
    assert [file.fault for file in walk(store)] == ["", "", ""]
    (vault / places[0]).write_text("# Altered\n")
    (vault / places[1]).unlink()
    put(vault, "new.md", "# New\n")
    assert {file.place: file.fault for file in walk(store)} == {
        places[0]: "it differs from the index",
        places[1]: "it is only in the index",
        places[2]: "",
        "new.md": "it is not in the index",
    }


def test_maps_are_checked_where_there_are_any_and_fixed(memory: Memory, vault: Path) -> None:
    memory.save("x", title="One", kind="fix")
    assert about(memory, "map") == []
    memory.links.map()
    memory.save("y", title="Two", kind="fix")
    assert [one.fixable for one in about(memory, "map")] == [True]
    result = memory.check(fix=True)
    assert ([one.rule for one in result.fixed], result.left) == (["map"], [])
    assert "Two" in (vault / "Memory/_index.md").read_text()
    memory.undo(result.change)
    assert "Two" not in (vault / "Memory/_index.md").read_text()


def test_a_check_changes_no_note(memory: Memory, vault: Path) -> None:
    memory.save("x", title="One", kind="fix")
    put(vault, "Memory/fix/bad.md", b"---\nbroken\n")
    put(vault, "Memory/fix/by-hand.md", b"# By hand\r\n")
    before = notes(vault)
    memory.check(deep=True)
    assert notes(vault) == before


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
    found = about(memory, "merge-marks")
    assert [(one.place, one.line) for one in found] == [("front.md", 2), ("harbour.md", 4)]
    assert all("marks" in (one.remedy or "") for one in found)
    assert [one.row.title for one in memory.recall("lighthouse").results] == ["Harbour"]
