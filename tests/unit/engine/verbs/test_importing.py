"""`import_folder`: foreign notes, taken in so that their links still resolve (S1.11, S1.22)."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from engrain import Memory, Scope
from engrain.engine.links.checking import count_links
from engrain.engine.verbs.intake import Terms
from engrain.language.text.folding import fold
from engrain.model.errors import EngrainError, VaultUnavailableError
from engrain.model.note.note import MAX_NOTE_BYTES
from engrain.model.note.tiers import STATUSES
from support.vaults import make_memory
from unit.engine.core.vault_files import find, notes, put

DENDRON = """---
id: f2pwaebr05qs4mmnxpiomiu
title: Commands
desc: ''
updated: 1654537386187
created: 1642018121234
---

## Lookup

See [[dendron.ref.links]], [[the other|dendron.ref]] and [[nowhere at all]]. #ops
"""


@pytest.fixture
def source(tmp_path: Path) -> Path:
    """A folder of somebody else's notes."""
    folder = tmp_path / "handbook"
    put(folder, "dendron.ref.commands.md", DENDRON)
    put(folder, "dendron.ref.links.md", "---\ntags: [a, b]\n---\n# Links\nBack: [[Commands]]\n")
    put(folder, "guides/How To Deploy.md", "# How to deploy\n1. Build\n2. Ship\n")
    put(folder, "dendron.ref.md", "No frontmatter and no heading.\n")
    return folder


def only(folder: Path, name: str, raw: str | bytes) -> str:
    """A source of one note."""
    put(folder, name, raw)
    return str(folder)


# What arrives, and where


def test_stems_and_folders_are_kept_under_the_sources_name(
    memory: Memory, vault: Path, source: Path
) -> None:
    done = memory.import_folder(str(source))
    assert done.counts == {"created": 4}
    assert done.problems == []
    assert set(notes(vault)) == {
        "Memory/domain-reference/handbook/dendron.ref.commands.md",
        "Memory/domain-reference/handbook/dendron.ref.links.md",
        "Memory/domain-reference/handbook/dendron.ref.md",
        "Memory/domain-reference/handbook/guides/How To Deploy.md",
    }
    assert find(memory, "lookup") == ["Commands"]


def test_a_source_may_be_named(memory: Memory, vault: Path, source: Path) -> None:
    memory.import_folder(str(source) + "/", name="The Team's Wiki")
    assert all(name.startswith("Memory/domain-reference/the-team-s-wiki/") for name in notes(vault))


def test_links_between_imported_notes_resolve(memory: Memory, source: Path) -> None:
    done = memory.import_folder(str(source))
    assert (done.links, done.broken) == (4, 1)
    shown = memory.show("dendron.ref.commands")
    found = {target: row and row.locator.name for target, _, row in shown.links_from}
    assert found == {
        "dendron.ref.links": "dendron.ref.links.md",
        "the other": "dendron.ref.md",
        "nowhere at all": None,
    }
    back = memory.show("dendron.ref.links").links_from
    assert [row and row.title for _, _, row in back] == ["Commands"]


def test_fields_that_clash_move_under_imported_and_times_are_converted(
    memory: Memory, vault: Path, source: Path
) -> None:
    memory.import_folder(str(source))
    entry = memory.show("dendron.ref.commands").entry
    assert entry.fields["imported"] == {
        "id": "f2pwaebr05qs4mmnxpiomiu",
        "updated": 1654537386187,
        "created": 1642018121234,
    }
    assert (entry.fields["created"], entry.fields["updated"]) == (
        "2022-01-12T20:08:41Z",
        "2022-06-06T17:43:06Z",
    )
    assert entry.id != "f2pwaebr05qs4mmnxpiomiu"
    assert (entry.title, entry.fields["desc"]) == ("Commands", "")
    assert entry.note.body == DENDRON[DENDRON.index("\n## Lookup") :]


def test_the_body_of_an_imported_note_is_untouched(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    body = "Text  \r\n\r\n\tindented\r\n\x0b\r\n"
    folder = only(tmp_path / "odd", "odd.md", f"\ufeff---\r\ncustom: 'x' # mine\r\n---\r\n{body}")
    memory.import_folder(folder)
    (raw,) = notes(vault).values()
    assert raw.decode().startswith("\ufeff---\r\ncustom: 'x' # mine\r\n")
    assert raw.decode().endswith(f"\r\n---\r\n{body}")


def test_an_imported_note_is_external_unless_the_operator_vouches_for_it(
    memory: Memory, source: Path, tmp_path: Path
) -> None:
    memory.import_folder(str(source))
    assert memory.show("dendron.ref").entry.trust == "external"
    assert {change.trust for change in memory.history()} == {"external"}
    with make_memory(tmp_path, name="other", device="other-state", trust="operator") as operator:
        operator.import_folder(str(source))
        assert operator.show("dendron.ref").entry.trust == "operator"
        assert {change.trust for change in operator.history()} == {"operator"}


def test_an_imported_note_says_where_it_came_from(memory: Memory, source: Path) -> None:
    memory.import_folder(str(source))
    entry = memory.show("How To Deploy").entry
    assert entry.source["kind"] == "import"
    assert entry.source["ref"] == "handbook/guides/How To Deploy.md"


def test_kind_status_and_tags_are_detected_and_the_tiers_counted(
    memory: Memory, source: Path
) -> None:
    put(source, "decisions/queues.md", "# Queues\nTwo of them.\n")
    put(source, "explicit.md", "---\nkind: fix\nstatus: inbox\ntags: x\n---\n# Explicit\n")
    put(source, "foreign.md", "---\nkind: blog-post\nstatus: published\n---\n# Foreign\n")
    done = memory.import_folder(str(source))
    kinds = {row.slug: row.kind for row in memory.list(scope=Scope(statuses=["active"])).rows}
    assert kinds["queues"] == "decision"
    assert kinds["How To Deploy"] == "procedural"
    assert kinds["dendron.ref"] == "domain-reference"
    explicit = memory.show("explicit").entry
    assert (explicit.kind, explicit.status, explicit.tags) == ("fix", "active", ("x",))
    assert explicit.fields["imported"] == {"status": "inbox"}
    foreign = memory.show("foreign").entry
    assert (foreign.kind, foreign.status) == ("domain-reference", "active")
    assert foreign.fields["imported"] == {"kind": "blog-post", "status": "published"}
    assert memory.show("dendron.ref.commands").entry.tags == ("dendron", "ref")
    assert memory.show("dendron.ref.links").entry.tags == ("a", "b")
    assert done.tiers["kind by explicit"] == 1
    assert done.tiers["kind by convention"] == 2
    assert sum(count for tier, count in done.tiers.items() if tier.startswith("kind")) == 7


@pytest.mark.parametrize("status", STATUSES)
@pytest.mark.parametrize("form", [
    "---\nstatus: {}\n---\nThe mill runs.\n",
    "# Mill\n\nStatus: {}\n",
    "# Mill\n\n## Status\n\n{}\n",
    "| **Status** | {} |\n|---|---|\n",
    "- **Status:** {}\n",
])  # fmt: skip
def test_another_tools_status_is_no_memorys(
    memory: Memory, tmp_path: Path, form: str, status: str
) -> None:
    memory.import_folder(only(tmp_path / "adr", "adr-7.md", form.format(status)))
    (row,) = memory.list().rows
    assert row.status == "active"


def test_the_status_of_an_entry_of_another_vault_stays(memory: Memory, tmp_path: Path) -> None:
    with make_memory(tmp_path, name="theirs", device="their-state", seed=3) as theirs:
        theirs.save("A draft.", title="Draft", status="inbox")
        theirs.forget(theirs.save("Gone.", title="Gone").id)
    memory.import_folder(str(tmp_path / "theirs"))
    assert memory.list().rows == ()
    assert memory.show("draft").entry.status == "inbox"
    assert memory.show("gone").entry.status == "deleted"


def test_what_the_caller_says_counts_for_every_note(memory: Memory, source: Path) -> None:
    memory.import_folder(str(source), kind="insight", tags=["wiki"], project="billing")
    rows = memory.list(scope=Scope(project="billing")).rows
    assert {(row.kind, row.tags, row.project) for row in rows} == {
        ("insight", ("wiki",), "billing"),
        ("insight", ("wiki", "ops"), "billing"),  # its text says #ops
    }
    assert len(rows) == 4


# Again


def test_a_second_import_changes_nothing(memory: Memory, vault: Path, source: Path) -> None:
    memory.import_folder(str(source))
    before, changes = notes(vault), len(memory.history())
    assert memory.import_folder(str(source)).counts == {"unchanged": 4}
    assert notes(vault) == before
    assert len(memory.history()) == changes


def test_a_note_that_changed_at_its_source_is_updated_under_its_id(
    memory: Memory, vault: Path, source: Path
) -> None:
    memory.import_folder(str(source))
    before = memory.show("dendron.ref").entry
    put(source, "dendron.ref.md", "Now it says something else.\n")
    put(source, "new.md", "# New\n")
    done = memory.import_folder(str(source))
    assert done.counts == {"unchanged": 3, "updated": 1, "created": 1}
    after = memory.show("dendron.ref").entry
    assert (after.id, after.created) == (before.id, before.created)
    assert after.text == "Now it says something else.\n"
    assert find(memory, "something else") == ["dendron.ref"]


def test_what_was_forgotten_here_is_not_brought_back_by_the_next_import(
    memory: Memory, vault: Path, source: Path
) -> None:
    memory.import_folder(str(source))
    memory.forget("dendron.ref")
    before = notes(vault)
    assert memory.import_folder(str(source)).counts == {"unchanged": 3, "stays deleted": 1}
    assert notes(vault) == before
    put(source, "dendron.ref.md", "Now it says something else.\n")
    memory.import_folder(str(source))
    entry = memory.show("dendron.ref").entry
    assert (entry.status, "deleted_at" in entry.fields) == ("deleted", True)
    assert notes(vault) == before
    back = memory.import_folder(str(source), terms=Terms(restore_deleted=True))
    assert back.counts == {"unchanged": 3, "restored": 1}
    entry = memory.show("dendron.ref").entry
    assert (entry.status, "deleted_at" in entry.fields) == ("active", False)
    assert entry.text == "Now it says something else.\n"
    assert memory.import_folder(str(source)).counts == {"unchanged": 4}


def test_an_edit_made_here_is_not_overwritten_by_a_source_that_did_not_change(
    memory: Memory, source: Path
) -> None:
    memory.import_folder(str(source))
    entry = memory.show("dendron.ref").entry
    memory.edit(entry.id, expect=entry.hash, text="Corrected here.")
    memory.link("dendron.ref.links", entry.id, "elaborates")
    assert memory.import_folder(str(source)).counts == {"unchanged": 4}
    assert memory.show("dendron.ref").entry.text == "Corrected here.\n"
    assert memory.show("dendron.ref.links").entry.links == ((entry.id, "elaborates"),)


def test_a_note_edited_by_hand_after_its_import_is_kept_in_the_history(
    memory: Memory, vault: Path, source: Path
) -> None:
    memory.import_folder(str(source))
    shown = memory.show("dendron.ref")
    path = vault / shown.locator
    path.write_bytes(path.read_bytes().replace(b"No frontmatter", b"By hand"))
    by_hand = path.read_bytes()
    put(source, "dendron.ref.md", "Now it says something else.\n")
    memory.import_folder(str(source))
    memory.undo()
    assert path.read_bytes() == by_hand


# What can't be taken in


def test_what_can_not_be_read_is_listed_and_the_rest_is_imported(
    memory: Memory, source: Path, tmp_path: Path
) -> None:
    put(source, "utf16.md", "# UTF-16".encode("utf-16"))
    put(source, "nul.md", b"a\0b")
    put(source, "large.md", b"x" * (MAX_NOTE_BYTES + 1))
    secret = put(tmp_path, "secret.md", "# Secret\nswordfish\n")
    (source / "link.md").symlink_to(secret)
    (source / "linked").symlink_to(tmp_path)
    os.mkfifo(source / "pipe.md")
    done = memory.import_folder(str(source))
    assert done.counts == {"created": 4, "left out": 6}
    problems = dict(done.problems)
    assert set(problems) == {
        "utf16.md", "nul.md", "large.md", "link.md", "linked", "pipe.md",
    }  # fmt: skip
    assert "line" in problems["nul.md"]
    assert all(problems.values())
    assert find(memory, "swordfish") == []
    assert memory.list().total == 4


def test_a_note_whose_frontmatter_can_not_be_read_comes_in_with_its_text(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    source = tmp_path / "templates"
    forms = {
        "broken.md": "---\nid: [1\n---\n# Broken\nwombat\n",
        "unclosed.md": "---\nid: 1\n# Unclosed\nwombat\n",
        "bomb.md": "---\na: &a [x]\nb: [*a, *a]\n---\n# Bomb\nwombat\n",
        "colon.md": "---\r\ntitle: Fix: the gate\r\n---\r\nwombat\r\n",
        "toml.md": '+++\ntitle = "x"\n+++\nwombat\n',
    }
    for name, text in forms.items():
        put(source, name, text)
    put(source, "json.md", '---\n{"title": "Nest", "tags": ["bird"]}\n---\nwombat\n')
    done = memory.import_folder(str(source))
    assert (done.counts, done.problems) == ({"created": 6}, [])
    assert {name for name, _ in done.unread} == set(forms)
    assert all(why for _, why in done.unread)
    assert len(find(memory, "wombat")) == 6
    kept = notes(vault)
    for name, text in forms.items():
        assert kept[f"Memory/domain-reference/templates/{name}"].decode().endswith(text)
    titles = {row.slug: row.title for row in memory.list().rows}
    assert titles == {
        "broken": "Broken", "unclosed": "unclosed", "bomb": "Bomb", "colon": "colon",
        "toml": "toml", "json": "Nest",
    }  # fmt: skip
    assert memory.show("json").entry.tags == ("bird",)
    assert memory.import_folder(str(source)).counts == {"unchanged": 6}


def test_fields_that_move_keep_their_text(memory: Memory, vault: Path, tmp_path: Path) -> None:
    values = ("0042", "1.10", "1e3", "2024-01-05", "yes", "12:30", "'quoted'", "0o17")
    for number, value in enumerate(values):
        put(tmp_path / "box", f"{number}.md", f"---\nid: {value}\nproject: {value}\n---\nText.\n")
    memory.import_folder(str(tmp_path / "box"))
    raw = notes(vault)
    for number, value in enumerate(values):
        front = raw[f"Memory/domain-reference/box/{number}.md"].decode()
        assert f"id: {value}" in front[front.index("imported:") :]
        assert f"project: {value}" in front[front.index("imported:") :]
    assert memory.import_folder(str(tmp_path / "box")).counts == {"unchanged": len(values)}


def test_an_edit_made_here_outlives_a_field_that_is_read_in_another_way(
    memory: Memory, vault: Path, source: Path
) -> None:
    memory.import_folder(str(source))
    shown = memory.show("dendron.ref.commands")
    path = vault / shown.locator
    # As an earlier version wrote it, and then edited by hand.
    memory.edit(shown.entry.id, expect=shown.entry.hash, text="Corrected here.")
    put(source, "dendron.ref.commands.md", DENDRON.replace("desc: ''", "desc: 'other'"))
    assert memory.import_folder(str(source)).counts == {"unchanged": 4}
    assert "Corrected here." in path.read_text()


# Copies, and what is passed over


@pytest.mark.parametrize("name", [
    "lighthouse.sync-conflict-20261121-101010-ABCDEFG.md",
    "lighthouse (Ada's conflicted copy 2026-11-21).md",
    "lighthouse (In Konflikt stehende Kopie von Ada 2026-11-21).md",
    "lighthouse (Copie en conflit de Ada 2026-11-21).md",
    "lighthouse (Copia en conflicto de Ada 2026-11-21).md",
    "lighthouse (Copia in conflitto di Ada 2026-11-21).md",
    "lighthouse (Cópia em conflito de Ada 2026-11-21).md",
    "lighthouse (Adas motstridiga kopia 2026-11-21).md",
    "lighthouse (конфликтующая копия Ada 2026-11-21).md",
    "lighthouse (Ada の競合コピー 2026-11-21).md",
    "lighthouse (Ada 的冲突副本 2026-11-21).md",
    "lighthouse (conflicted copy 2026-11-21 101010).md",
    "lighthouse (Conflicted copy laptop 202611211010).md",
    "lighthouse (SFConflict ada@example.com 2026-11-21-10-10-10).md",
    "lighthouse [conflicted].md",
    "lighthouse_conflict-20261121-101010.md",
    "lighthouse (1).md",
    "lighthouse 2.md",
    "lighthouse-DESKTOP-4F2K.md",
    "lighthouse-Adas-MacBook.md",
    "lighthouse.Conflict.md",
    "lighthouse_BACKUP_1234.md",
    "lighthouse.orig.md",
    "lighthouse.md.orig",
])  # fmt: skip
def test_a_copy_that_a_program_made_stays_out_and_is_named(
    memory: Memory, tmp_path: Path, name: str
) -> None:
    put(tmp_path / "notes", "lighthouse.md", "The lamp is blue and turns every nine seconds.\n")
    put(tmp_path / "notes", name, "The lamp is blue and turns every ten seconds.\n")
    done = memory.import_folder(str(tmp_path / "notes"))
    assert done.counts == {"created": 1, "conflict copy": 1}
    assert done.problems == [(name, "a conflict copy of lighthouse.md")]
    assert [row.title for row in memory.list().rows] == ["lighthouse"]


@pytest.mark.parametrize("names", [
    ["Notes (1).md"],
    ["Chapter 2.md"],
    ["lamp.sync-conflict-20261121-101010-ABCDEFG.md"],
    ["Chapter.md", "Chapter 2.md"],
    ["Notes.md", "Notes (1).md"],
    ["law.md", "law.conflict.md"],
    ["Talks.md", "Talks (conflict resolution).md"],
    ["API.md", "API-REST.md"],
])  # fmt: skip
def test_a_note_that_is_only_called_like_a_copy_comes_in(
    memory: Memory, tmp_path: Path, names: list[str]
) -> None:
    texts = ("The mill grinds rye on Mondays.\n", "A whale surfaced near the pier at dawn.\n")
    for name, text in zip(names, texts, strict=False):
        put(tmp_path / "notes", name, text)
    done = memory.import_folder(str(tmp_path / "notes"))
    assert (done.counts, done.problems) == ({"created": len(names)}, [])


def test_markdown_is_a_note_whatever_its_ending_and_name(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    source = tmp_path / "site"
    names = ("README.MD", "note.markdown", "posts/_index.md", "a.Md", "b.mkd")
    for number, name in enumerate(names):
        put(source, name, f"wombat {number}\n")
    put(source, "table.txt", "wombat\n")
    put(source, "shown.png", b"\x89PNG")
    put(source, "c.md", "![[shown.png]]\n")
    done = memory.import_folder(str(source))
    assert done.counts == {"created": 6}
    assert done.passed_over == [("table.txt", "no note", 1)]
    assert {row.title for row in memory.list().rows} == {
        "README", "note", "_index", "a", "b", "c",
    }  # fmt: skip
    assert memory.import_folder(str(source)).counts == {"unchanged": 6}


def test_a_caller_may_leave_files_out(memory: Memory, tmp_path: Path) -> None:
    source = tmp_path / "notes"
    for name in ("a.md", "drafts/b.md", "drafts/c.txt", "drafts/_index.md"):
        put(source, name, "Text.\n")
    done = memory.import_folder(
        str(source),
        leave_out=lambda path: ("drafts/", "asked") if path.startswith("drafts/") else None,
    )
    assert done.counts == {"created": 1}
    assert done.passed_over == [("drafts/", "asked", 3)]


# Names and dates


def test_a_note_whose_file_gets_another_name_keeps_its_title(
    memory: Memory, tmp_path: Path
) -> None:
    source = tmp_path / "odd"
    names = ("Ferry.md", "ferry.md", "a:b?.md", "con.md", "Note.md", "Note.markdown", "y" * 240)
    for number, name in enumerate(names):
        put(source, name if "." in name else f"{name}.md", f"Text of {number}.\n")
    put(source, "d:e.md", "---\ntitle: Mine\n---\nText.\n")
    put(source, "f:g.md", "# Heading\n")
    memory.import_folder(str(source))
    assert sorted(row.title for row in memory.list().rows) == sorted(
        ["Ferry", "ferry", "a:b?", "con", "Note", "Note", "y" * 240, "Mine", "Heading"]
    )
    assert memory.import_folder(str(source)).counts == {"unchanged": 9}


@pytest.mark.parametrize(("name", "text", "day"), [
    ("a.md", "---\ndate created: Friday, January 5th 2024, 9:30:00 am\n---\n", "2024-01-05"),
    ("a.md", '---\ncreated: "[[2024-01-05]]"\n---\n', "2024-01-05"),
    ("a.md", "---\ncreated: [[2024-01-05]]\n---\n", "2024-01-05"),
    ("a.md", "---\ndate: 05.01.2024\n---\n", "2024-01-05"),
    ("a.md", "---\nctime: 1704412800000\n---\n", "2024-01-05"),
    ("2024-01-05 Standup.md", "Text.\n", "2024-01-05"),
    ("2024-01-05 Standup.md", "---\ncreated: 2024-01-06\n---\n", "2024-01-06"),
    ("2024-01-05 Standup.md", "---\ncreated: soon\n---\n", "2024-01-05"),
])  # fmt: skip
def test_a_note_is_as_old_as_it_says_itself(
    memory: Memory, tmp_path: Path, name: str, text: str, day: str
) -> None:
    memory.import_folder(only(tmp_path / "notes", name, text))
    [row] = memory.list().rows
    assert str(memory.show(row.id).entry.fields["created"])[:10] == day


def test_a_day_to_come_is_no_day_of_creation(memory: Memory, tmp_path: Path) -> None:
    memory.import_folder(only(tmp_path / "notes", "2099-01-05 Launch.md", "Text.\n"))
    [row] = memory.list().rows
    assert str(memory.show(row.id).entry.fields["created"]) < "2099"


def test_hidden_folders_of_the_source_are_left_out(
    memory: Memory, vault: Path, source: Path
) -> None:
    put(source, ".obsidian/plugins/readme.md", "# Plugin\n")
    put(source, ".trash/old.md", "# Old\n")
    put(source, "_index.md", "<!-- Generated by engrain: a change here is lost. -->\n")
    put(source, "image.png", b"\x89PNG")
    assert memory.import_folder(str(source)).counts == {"created": 4}


def test_the_source_is_not_touched(memory: Memory, source: Path) -> None:
    before = {path: path.stat().st_mtime_ns for path in sorted(source.rglob("*"))}
    bytes_ = notes(source)
    memory.import_folder(str(source))
    assert {path: path.stat().st_mtime_ns for path in sorted(source.rglob("*"))} == before
    assert notes(source) == bytes_


@pytest.mark.parametrize(
    "names",
    [
        ["Note.md", "note.md"],
        ["NOTE.md", "Note.md", "nOte.md", "note.md"],
        ["A.md", "a.md", "a-a-md.md", "A-a-md.md"],
        ["caf\u00e9.md", "cafe\u0301.md", "CAF\u00c9.md"],
        ["Sub/x.md", "sub/x.md", "SUB/X.md"],
        ["stra\u00dfe.md", "strasse.md"],
    ],
)
def test_names_that_are_one_on_another_file_system_do_not_collide(
    memory: Memory, vault: Path, tmp_path: Path, names: list[str]
) -> None:
    source = tmp_path / "mixed"
    for name in names:
        put(source, name, f"Text of {name!a}.\n")
    assert memory.import_folder(str(source)).counts == {"created": len(names)}
    imported = notes(vault)
    assert len({fold(name) for name in imported}) == len(names)
    for name in names:
        assert sum(f"Text of {name!a}.".encode() in raw for raw in imported.values()) == 1
    assert memory.import_folder(str(source)).counts == {"unchanged": len(names)}
    assert notes(vault) == imported


@pytest.mark.parametrize(
    "name", ["con.md", "a:b.md", "what?.md", "trailing .md", "x" * 240 + ".md"]
)
def test_a_name_that_some_file_system_refuses_is_repaired(
    memory: Memory, vault: Path, tmp_path: Path, name: str
) -> None:
    source = only(tmp_path / "odd", name, "# Odd\nswordfish\n")
    assert memory.import_folder(source).counts == {"created": 1}
    assert find(memory, "swordfish") == ["Odd"]
    assert memory.import_folder(source).counts == {"unchanged": 1}
    (path,) = notes(vault)
    stem = path.rpartition("/")[2].removesuffix(".md")
    assert not set(stem) & set('<>:"/\\|?*')
    assert stem.lower() not in ("con", "")
    assert len(stem.encode()) <= 200


def test_many_notes_are_taken_in_by_a_few_commits(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    source = tmp_path / "many"
    for number in range(150):
        put(source, f"note-{number:03}.md", f"# Note {number}\ncommon word\n")
    seen: list[tuple[int, int | None]] = []
    done = memory.import_folder(
        str(source), progress=lambda number, total: seen.append((number, total))
    )
    assert done.counts == {"created": 150}
    assert seen[-1] == (150, 150)
    assert len({change.change for change in memory.history()}) <= 4
    assert memory.list().total == 150
    assert len({row.id for row in memory.list().rows}) == 150


def test_a_file_in_the_way_is_left_alone_and_reported(
    memory: Memory, vault: Path, source: Path
) -> None:
    path = put(vault, "Memory/domain-reference/handbook/dendron.ref.md", "---\nbroken\n")
    done = memory.import_folder(str(source))
    assert done.counts == {"created": 3, "left out": 1}
    assert [name for name, _ in done.problems] == ["dendron.ref.md"]
    assert path.read_text() == "---\nbroken\n"


def test_a_commit_that_is_refused_is_an_error_and_not_a_silent_gap(
    memory: Memory, vault: Path, source: Path
) -> None:
    (vault / "Memory").mkdir()
    (vault / "Memory" / "domain-reference").symlink_to(source)
    before = notes(source)
    try:
        done = memory.import_folder(str(source))
    except EngrainError:
        pass
    else:
        assert done.counts == {"left out": 4}
        assert len(done.problems) == 4
    assert notes(source) == before


def test_a_source_that_is_not_there_is_an_error(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(VaultUnavailableError):
        memory.import_folder(str(tmp_path / "nowhere"))


def test_an_empty_source_brings_nothing(memory: Memory, vault: Path, tmp_path: Path) -> None:
    (tmp_path / "empty").mkdir()
    done = memory.import_folder(str(tmp_path / "empty"))
    assert (done.counts, done.problems, done.links) == ({}, [], 0)
    assert notes(vault) == {}


def test_a_vault_may_be_imported_into_another(memory: Memory, vault: Path, tmp_path: Path) -> None:
    with make_memory(tmp_path, name="theirs", device="their-state", seed=3) as theirs:
        saved = theirs.save("Take the lock.", title="Nightly lock", kind="fix", tags=["pg"])
    done = memory.import_folder(str(tmp_path / "theirs"))
    assert done.counts == {"created": 1}
    (row,) = memory.list().rows
    assert (row.kind, row.tags, row.source) == ("fix", ("pg",), "external")
    entry = memory.show(row.id).entry
    imported = entry.fields["imported"]
    assert isinstance(imported, dict)
    assert imported["id"] == saved.id
    assert entry.created == theirs_created(tmp_path, saved.locator)


def theirs_created(tmp_path: Path, name: str) -> float | None:
    from engrain.model.note.entry import read_entry

    return read_entry(name, (tmp_path / "theirs" / name).read_bytes()).created


@pytest.mark.parametrize(
    "key", ["date", "date created", "created_at", "Creation-Date", "createdAt"]
)
def test_a_note_keeps_the_date_that_another_tool_gave_it(
    memory: Memory, tmp_path: Path, key: str
) -> None:
    put(tmp_path / "notes", "a.md", f"---\n{key}: 2021-03-04\nmodified: 2022-05-06\n---\n# A\n")
    memory.import_folder(str(tmp_path / "notes"))
    [row] = memory.list().rows
    entry = memory.show(row.id).entry
    assert (entry.fields["created"], entry.fields["updated"]) == (
        "2021-03-04T00:00:00Z",
        "2022-05-06T00:00:00Z",
    )


def test_the_links_are_counted_as_the_check_of_links_counts_them(
    memory: Memory, tmp_path: Path
) -> None:
    source = tmp_path / "handbook"
    (source / "sub").mkdir(parents=True)
    # Labels come first here, as Dendron writes them, which only the whole shows.
    for n in range(4):
        (source / f"ref.part.{n}.md").write_text(f"# Part {n}\n\n## There\n\nText.\n")
        (source / f"from.{n}.md").write_text(
            f"# From {n}\n\n[[Here|ref.part.{n}#there]] [[Where|ref.part.{n}#gone]] [[Lost|no.{n}]]"
            "\n\n[[#Own]] `[[code]]` ![[gone.png]]\n"
        )
    for folder in ("", "sub"):
        (source / folder / "Same.md").write_text("# Same\n\nA text.\n")
    (source / "last.md").write_text("# Last\n\n[[Same]] [[last]]\n")
    done = memory.import_folder(str(source), name="handbook")
    found = (done.links, done.ambiguous, done.broken)
    for _ in range(2):
        counts = count_links(memory._ready())
        assert found == (sum(counts.values()), counts["ambiguous"], counts["broken"])
        memory.reindex()
    assert done.broken == 8


AGENTM = {
    "Memory/fix/pg-lock.md": "---\nkind: fix\nstatus: active\ncreated: 2026-06-20\n"
    "updated: 2026-06-21\ntags: [locks]\ngroup: fix\nslug: pg-lock\nalways_load: false\n---\n"
    "\n# Locks\n",
    "Memory/_index.md": "<!-- generated from frontmatter -->\n# Index\n",
    "projects/shop/_index.md": "---\ngenerated: true\n---\n# Shop\n",
    "projects/shop/_harness/PLAN.md": "# Plan: shop\n\n- [ ] Sell\n",
    "projects/shop/_harness/features.json": json.dumps(
        [{"description": "Sell", "steps": ["Ask"], "passes": True}]
    ),
}


@pytest.mark.parametrize("trust", ["operator", "external"])
def test_the_vault_of_an_agent_with_a_harness_comes_in(tmp_path: Path, trust: str) -> None:
    source = tmp_path / "from"
    for name, text in AGENTM.items():
        put(source, name, text)
    with make_memory(tmp_path, trust="operator", project="shop") as memory:
        done = memory.import_folder(str(source), terms=Terms(trust))
        named = {path for path, _, _ in done.passed_over} | {path for path, _ in done.problems}
        generated = {"Memory/_index.md", "projects/shop/_index.md"}
        ours = trust == "operator"
        assert named == generated | (set() if ours else {"projects/shop/_harness/features.json"})
        fix = memory.show("pg-lock").entry
        assert (fix.kind, fix.slug, fix.fields["group"]) == ("fix", "pg-lock", "fix")
        features = [(one.name, one.status) for one in memory.work.features()]
        assert features == ([("Sell", "done")] if ours else [])
        plan = memory.work.plan()
        assert (plan.title if plan else None) == ("Plan: shop" if ours else None)
        again = memory.import_folder(str(source), terms=Terms(trust))
        assert again.counts == {"unchanged": 3} if ours else {"unchanged": 2, "left out": 1}
