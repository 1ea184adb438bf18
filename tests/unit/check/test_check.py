"""`check`: the flaws of a vault, the one change that fixes them, and its undoing. `check`:
unreadable files, copies, maps, the index and the history (S1.2, S3.2)."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import pytest

from engrain import ConflictError, Memory, UsageError
from engrain.check.run import RULES, find_flaws
from engrain.check.walk import Flaw, walk
from engrain.model.note.note import MAX_NOTE_BYTES
from support.vaults import make_memory
from unit.engine.core.vault_files import find, last_change, log_of, notes, put

OWN = (
    "---\nid: {id}\nkind: fix\nstatus: active\ncreated: 2026-01-02T03:04:05Z\n{more}---\n"
    "# {title}\n"
)


def own(id_: str, title: str, more: str = "", text: str = "") -> str:
    return OWN.format(id=id_, title=title, more=more) + text


def told(flaws: Sequence[Flaw]) -> list[tuple[str, str]]:
    return [(flaw.rule, flaw.place) for flaw in flaws]


def fix_and_undo(memory: Memory, vault: Path) -> Sequence[Flaw]:
    """Mend what can be, see that nothing of it is left, and that undoing restores every byte."""
    memory.list()  # what was written by hand is known
    before = notes(vault)
    checked = memory.check(fix=True)
    assert checked.change
    assert {change.change for change in memory.history() if change.op == "check"} == {
        checked.change
    }
    assert not [flaw for flaw in checked.left if flaw.mend]
    after = notes(vault)
    memory.undo(checked.change)
    assert notes(vault) == before
    again = memory.check(fix=True)
    assert told(again.fixed) == told(checked.fixed)
    assert {name: _undated(raw) for name, raw in notes(vault).items()} == {
        name: _undated(raw) for name, raw in after.items()
    }
    return checked.fixed


def _undated(raw: bytes) -> bytes:
    return b"\n".join(line for line in raw.split(b"\n") if not line.startswith(b"updated:"))


def test_a_vault_in_order_has_nothing_to_say(memory: Memory) -> None:
    one = memory.save("Text.", title="One", kind="fix").id
    two = memory.save("See [[one]].", title="Two", kind="decision").id
    memory.link(one, two, "contradicts")
    assert memory.check().found == []
    assert memory.check(fix=True).change == ""


def test_a_handwritten_note_without_frontmatter_is_accepted(memory: Memory, vault: Path) -> None:
    put(vault, "ideas/one.md", "# One\n\nText.\n")
    put(vault, "ideas/two.md", "---\nstatus: half done\ntags: a, b\nkind: Recipe\n---\n# Two\n")
    put(vault, "Memory/fix/three.md", "# Three\n")
    before = notes(vault)
    assert memory.check(fix=True).found == []
    assert notes(vault) == before


def test_a_field_that_is_missing_is_added_from_what_is_known(memory: Memory, vault: Path) -> None:
    place = memory.save("Text.", title="One", kind="fix").locator
    raw = (vault / place).read_text()
    lines = [line for line in raw.splitlines(True) if not line.startswith(("kind:", "created:"))]
    (vault / place).write_text("".join(lines))
    mended = fix_and_undo(memory, vault)
    assert told(mended) == [("missing-field", place)]
    assert "kind: fix" in (vault / place).read_text()


def test_wrong_types_are_mended_where_the_text_tells_what_was_meant(
    memory: Memory, vault: Path
) -> None:
    more = 'tags: red, green\nconfidence: "0.9"\nrecall_count: "3"\nvalid_from: someday\n'
    put(vault, "Memory/fix/one.md", own("aaaaaaaa", "One", more))
    found = memory.check().found
    assert [(flaw.message, flaw.line, flaw.mend is not None) for flaw in found] == [
        ("tags is not a list", 6, True),
        ("confidence is not a number from 0 to 1", 7, True),
        ("recall_count is not a count", 8, True),
        ("valid_from is not a date", 9, False),
    ]
    fix_and_undo(memory, vault)
    entry = memory.show("aaaaaaaa").entry
    assert (entry.tags, entry.confidence, entry.recall_count) == (("red", "green"), 0.9, 3)
    assert entry.fields["tags"] == ["red", "green"]
    assert entry.fields["valid_from"] == "someday"


@pytest.mark.parametrize(
    ("kind", "meant"),
    [("Fix", "fix"), ("decisions", "decision"), ("Domain_Reference", "domain-reference")],
)
def test_a_kind_that_is_written_otherwise_is_mended(
    memory: Memory, vault: Path, kind: str, meant: str
) -> None:
    put(vault, "Memory/x/one.md", own("aaaaaaaa", "One").replace("kind: fix", f"kind: {kind}"))
    checked = memory.check(["kind"], fix=True)
    assert told(checked.fixed) == [("kind", "Memory/x/one.md")]
    assert memory.show("aaaaaaaa").entry.kind == meant


def test_a_kind_that_nobody_knows_is_reported(memory: Memory, vault: Path) -> None:
    put(vault, "Memory/x/one.md", own("aaaaaaaa", "One").replace("kind: fix", "kind: recipe"))
    checked = memory.check(fix=True)
    assert (told(checked.left), checked.fixed) == ([("kind", "Memory/x/one.md")], [])


def test_relations_are_mended_by_case_and_hyphens_and_told_else(
    memory: Memory, vault: Path
) -> None:
    more = "links:\n- {to: bbbbbbbb, relation: Example-Of}\n- {to: bbbbbbbb, relation: causes}\n"
    put(vault, "Memory/fix/one.md", own("aaaaaaaa", "One", more))
    put(vault, "Memory/fix/two.md", own("bbbbbbbb", "Two"))
    checked = memory.check(fix=True)
    one = "Memory/fix/one.md"
    assert told(checked.fixed) == [("relation", one), ("drawing", one)]
    assert told(checked.left) == [("relation", "Memory/fix/one.md")]
    relations = [how for _, how in memory.show("aaaaaaaa").entry.links]
    assert relations == ["example_of", "causes"]


def test_a_note_of_the_agents_is_moved_to_its_kinds_folder_and_links_survive(
    memory: Memory, vault: Path
) -> None:
    saved = memory.save("Text.", title="One", kind="fix")
    other = memory.save("See [[one]].", title="Two", kind="fix")
    moved = vault / "Memory/decision/one.md"
    moved.parent.mkdir(parents=True)
    (vault / saved.locator).rename(moved)
    mended = fix_and_undo(memory, vault)
    assert told(mended) == [("folder", "Memory/decision/one.md")]
    assert memory.show(saved.id).locator == saved.locator
    assert [row.id for _, _, row in memory.show(other.id).links_from if row] == [saved.id]


def test_a_note_that_a_link_names_by_its_path_is_not_moved(memory: Memory, vault: Path) -> None:
    saved = memory.save("Text.", title="One", kind="fix")
    memory.save("See [[Memory/decision/one]].", title="Two", kind="fix")
    moved = vault / "Memory/decision/one.md"
    moved.parent.mkdir(parents=True)
    (vault / saved.locator).rename(moved)
    checked = memory.check(fix=True)
    assert checked.fixed == []
    assert [flaw.rule for flaw in checked.left] == ["folder"]
    assert memory.show(saved.id).locator == "Memory/decision/one.md"


def test_what_nobody_attests_is_not_moved(memory: Memory, vault: Path) -> None:
    put(vault, "Memory/decision/one.md", own("aaaaaaaa", "One"))
    checked = memory.check(fix=True)
    assert (told(checked.left), checked.fixed) == ([("folder", "Memory/decision/one.md")], [])


def test_a_link_is_mended_where_the_note_it_meant_was_renamed(memory: Memory, vault: Path) -> None:
    put(vault, "a/old-name.md", own("aaaaaaaa", "One"))
    text = "é\r\n![[old-name#Part|its label]] and `[[old-name]]` and [[elaborates:: old-name]]\r\n"
    put(vault, "a/linker.md", text)
    memory.list()
    (vault / "a/old-name.md").rename(vault / "a/new-name.md")
    mended = fix_and_undo(memory, vault)
    assert told(mended) == [("broken-link", "a/linker.md")] * 2
    assert {flaw.line for flaw in mended} == {2}
    expected = text.replace("![[old-name", "![[new-name").replace(":: old-name", ":: new-name")
    assert (vault / "a/linker.md").read_bytes().decode() == expected


def test_a_link_is_mended_where_only_the_signs_between_words_differ(
    memory: Memory, vault: Path
) -> None:
    put(vault, "a/ledger-lock-order.md", "Text.\n")
    put(vault, "a/linker.md", "[[Ledger lock order]] [[ledger_lock order|x]] [[ledger locks]]\n")
    checked = memory.check(fix=True)
    expected = "[[ledger-lock-order]] [[ledger-lock-order|x]] [[ledger locks]]\n"
    assert (vault / "a/linker.md").read_text() == expected
    (left,) = checked.left
    assert "ledger locks" in left.message


def test_what_a_link_shows_is_left_as_it_is(memory: Memory, vault: Path) -> None:
    put(vault, "a/ledger-lock-order.md", "Text.\n")
    put(vault, "a/linker.md", "[[ledger-lock-order|Ledger lock order]] [[Ledger lock order]]\n")
    memory.check(fix=True)
    expected = "[[ledger-lock-order|Ledger lock order]] [[ledger-lock-order]]\n"
    assert (vault / "a/linker.md").read_text() == expected


def test_in_a_vault_of_dendrons_the_name_behind_the_label_is_mended(
    memory: Memory, vault: Path
) -> None:
    for number in range(6):
        put(vault, f"topic.n{number}.md", f"A [[page of it|topic.n{(number + 1) % 6}]].\n")
    good, bad = "[[it|dendron://vault/topic.n2]]", "[[topic-n1|dendron://vault/topic-n1#a-part]]"
    put(vault, "a.md", f"See {good}.\nAnd {bad}.\n")
    checked = memory.check(fix=True)
    assert [flaw.line for flaw in checked.fixed] == [2]
    expected = f"See {good}.\nAnd [[topic-n1|dendron://vault/topic.n1#a-part]].\n"
    assert (vault / "a.md").read_text() == expected


def test_a_note_with_very_many_broken_links_is_read_once(memory: Memory, vault: Path) -> None:
    put(vault, "a/ledger-lock-order.md", "Text.\n")
    lines = [f"[[no note {number}]] [[Ledger_lock order]]\n" for number in range(5000)]
    put(vault, "a/linker.md", "".join(lines))
    checked = memory.check(fix=True)
    assert (len(checked.fixed), len(checked.left)) == (5000, 5000)
    assert (vault / "a/linker.md").read_text().count("[[ledger-lock-order]]") == 5000


def test_a_link_that_two_notes_may_have_meant_is_only_reported(memory: Memory, vault: Path) -> None:
    put(vault, "a/ledger-lock.md", "Text.\n")
    put(vault, "a/ledger_lock.md", "Text.\n")
    put(vault, "a/linker.md", "[[ledger lock]]\n")
    checked = memory.check(fix=True)
    assert (told(checked.left), checked.fixed) == ([("broken-link", "a/linker.md")], [])


@pytest.mark.parametrize(
    "link",
    [
        "[[{{title}}]]",
        "![[photo.png]]",
        "[[https://x.example/y]]",
        "`[[nothing]]`",
        "![[a.*]]",
        "[[dendron://elsewhere/note]]",
    ],
)
def test_what_links_to_no_note_is_no_broken_link(memory: Memory, vault: Path, link: str) -> None:
    put(vault, "img/photo.png", b"\x89PNG")
    put(vault, "a/linker.md", f"See {link}.\n")
    assert memory.check().found == []


def test_a_name_with_dots_and_a_file_that_is_not_there_are_reported(
    memory: Memory, vault: Path
) -> None:
    put(vault, "a/linker.md", "[[topic.nothing.here]] ![[photo.png]]\n")
    messages = [flaw.message for flaw in memory.check().found]
    assert messages == ["no note is called 'topic.nothing.here'", "no file is called 'photo.png'"]


def test_a_link_in_frontmatter_is_mended_too(memory: Memory, vault: Path) -> None:
    links = ("{to: ledger lock, relation: elaborates}", "{to: Ledger_Lock, relation: example_of}")
    more = f"links: [{', '.join(links)}]\n"
    put(vault, "Memory/fix/one.md", own("aaaaaaaa", "One", more))
    put(vault, "Memory/fix/ledger-lock.md", own("bbbbbbbb", "Two"))
    fix_and_undo(memory, vault)
    ends = memory.show("aaaaaaaa").entry.links
    assert ends == (("bbbbbbbb", "elaborates"), ("bbbbbbbb", "example_of"))


def test_a_link_in_a_property_is_mended_where_it_stands(memory: Memory, vault: Path) -> None:
    text = own("aaaaaaaa", "One", 'up: "[[ledger lock|the lock]]"  # above\n')
    put(vault, "Memory/fix/one.md", text)
    put(vault, "Memory/fix/ledger-lock.md", own("bbbbbbbb", "Two"))
    fix_and_undo(memory, vault)
    written = (vault / "Memory/fix/one.md").read_text()
    assert 'up: "[[ledger-lock|the lock]]"  # above\n' in written


def test_the_other_end_of_a_link_is_given_the_inverse(memory: Memory, vault: Path) -> None:
    one = memory.save("Text.", title="One", kind="fix")
    two = memory.save("[[contradicts:: one]]", title="Two", kind="fix")
    mended = fix_and_undo(memory, vault)
    assert told(mended) == [("one-sided", one.locator)]
    assert memory.show(one.id).entry.links == ((two.id, "contradicts"),)


def test_without_fix_nothing_is_written(memory: Memory, vault: Path) -> None:
    put(vault, "Memory/fix/one.md", own("aaaaaaaa", "One", "tags: a\n"))
    memory.list()
    before, changes = notes(vault), len(memory.history())
    assert len(memory.check().found) == 1
    assert (notes(vault), len(memory.history())) == (before, changes)


def test_only_the_rules_that_are_named_are_looked_at(memory: Memory, vault: Path) -> None:
    put(vault, "Memory/fix/one.md", own("aaaaaaaa", "One", "tags: a\n", "[[nothing]]\n"))
    assert [flaw.rule for flaw in memory.check().found] == ["field", "broken-link"]
    assert [flaw.rule for flaw in memory.check(["broken-link"]).found] == ["broken-link"]
    with pytest.raises(UsageError, match="no rule"):
        memory.check(["tidiness"])


def test_what_comes_from_outside_mends_nothing_of_the_operators(
    tmp_path: Path, vault: Path
) -> None:
    put(vault, "a/ledger-lock-order.md", "Text.\n")
    put(vault, "a/linker.md", "[[Ledger lock order]]\n")
    with make_memory(tmp_path, trust="external") as memory:
        checked = memory.check(fix=True)
    assert (checked.change, told(checked.left)) == ("", [("broken-link", "a/linker.md")])


def test_a_file_that_changes_meanwhile_is_read_again(
    memory: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = put(vault, "Memory/fix/one.md", own("aaaaaaaa", "One", "tags: a, b\n"))
    store = memory._ready(scan=True)
    commit, edits = type(store).commit, ["A line.\n", "Another.\n"]

    def late(self: object, op: str, *rest: object, **more: object) -> object:
        if op == "check" and edits:
            place.write_bytes(place.read_bytes() + edits.pop().encode())
        return commit(self, op, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(type(store), "commit", late)
    assert len(memory.check(fix=True).fixed) == 1
    text = place.read_text()
    assert text.endswith("Another.\nA line.\n")
    assert memory.show("aaaaaaaa").entry.fields["tags"] == ["a", "b"]


def test_one_who_always_loses_is_told(
    memory: Memory, vault: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = put(vault, "Memory/fix/one.md", own("aaaaaaaa", "One", "tags: a, b\n"))
    store = memory._ready(scan=True)
    commit = type(store).commit

    def late(self: object, op: str, *rest: object, **more: object) -> object:
        if op == "check":
            place.write_bytes(place.read_bytes() + b"A line.\n")
        return commit(self, op, *rest, **more)  # type: ignore[arg-type]

    monkeypatch.setattr(type(store), "commit", late)
    with pytest.raises(ConflictError):
        memory.check(fix=True)


def test_every_rule_has_a_way_to_look(memory: Memory) -> None:
    assert all((rule.each is None) != (rule.whole is None) for rule in RULES.values())
    assert find_flaws(memory._ready(), list(RULES.values())) == []


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
def test_a_file_that_can_not_be_read_is_reported_with_line_and_reason(
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


def test_what_is_no_file_is_reported(memory: Memory, vault: Path, tmp_path: Path) -> None:
    memory.save("x", title="Good", kind="fix")
    secret = put(tmp_path, "secret.md", "# Secret\n")
    (vault / "Memory" / "fix" / "link.md").symlink_to(secret)
    (vault / "Memory" / "linked").symlink_to(tmp_path)
    found = about(memory, "unreadable")
    assert [one.place for one in found] == ["Memory/fix/link.md", "Memory/linked"]
    assert all("(symlink)" in one.message for one in found)
    assert find(memory, "secret") == []


def test_a_value_of_a_wrong_type_and_an_unknown_kind_are_reported_and_the_note_is_used(
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
def test_a_conflict_copy_is_reported_and_not_recalled_twice(
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


def test_marks_of_an_undone_merge_are_reported_and_the_note_is_recalled_all_the_same(
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
