"""`import_claude_memory`: a host's own memory as candidates, once, and never against a person."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain import Memory, Scope
from engrain.engine.core.outcomes import Imported
from engrain.engine.verbs.intake import Terms
from engrain.model.errors import UsageError, VaultUnavailableError
from engrain.model.note.entry import Entry
from engrain.model.note.note import MAX_NOTE_BYTES
from support.vaults import make_memory
from unit.engine.core.vault_files import find, notes, put, titles

NAME = "-home-ada-src-billing"
INBOX = Scope(statuses=["inbox"], all_projects=True)
FREEZE = """---
name: Release freeze
description: no merges from Thursday
metadata:
  node_type: memory
  type: project
  modified: 2026-07-30T07:40:18.191Z
---

Merges are frozen from Thursday; see [[feedback_testing]].
"""
TESTING = """---
name: feedback_testing
description: Integration tests hit a real database
type: feedback
---
Mocked tests passed while the migration failed in production.
"""
USER = """---
name: The user is new to React
description: ten years of Go
type: user
---
Explain front-end concepts by backend analogies.
"""


@pytest.fixture
def native(tmp_path: Path) -> Path:
    """One of Claude Code's memory folders."""
    folder = tmp_path / ".claude" / "projects" / NAME / "memory"
    put(folder, "MEMORY.md", "- [Freeze](project_freeze.md) — Thursday\n- Staging has port 8081\n")
    put(folder, "project_freeze.md", FREEZE)
    put(folder, "feedback_testing.md", TESTING)
    put(folder, "user_role.md", USER)
    return folder


def take(
    memory: Memory,
    folder: Path,
    *,
    name: str = NAME,
    project: str | None = None,
    terms: Terms | None = None,
) -> Imported:
    """Import a memory folder."""
    return memory.exchange.import_claude_memory(
        str(folder), name=name, project=project, terms=terms
    )


def candidate(memory: Memory, reference: str) -> Entry:
    """A candidate, which must be one."""
    entry = memory.show(reference).entry
    assert entry.status == "inbox"
    return entry


def inbox(memory: Memory) -> list[str]:
    """The titles in the inbox."""
    return sorted(titles(memory.list(scope=INBOX)))


# What arrives


def test_each_memory_is_a_candidate_in_the_inbox(memory: Memory, vault: Path, native: Path) -> None:
    done = take(memory, native)
    assert (done.counts, done.problems) == ({"created": 3}, [])
    assert set(notes(vault)) == {
        "Memory/_inbox/feedback_testing.md",
        "Memory/_inbox/project_freeze.md",
        "Memory/_inbox/user_role.md",
    }
    assert find(memory, "freeze") == []
    assert titles(memory.recall("freeze", scope=Scope(include_inbox=True))) == ["Release freeze"]


def test_a_candidate_says_what_it_is_and_where_it_came_from(memory: Memory, native: Path) -> None:
    take(memory, native)
    entry = candidate(memory, "project_freeze")
    assert entry.source == {
        "kind": "claude-memory", "ref": f"{NAME}/project_freeze.md", "trust": "agent",
    }  # fmt: skip
    assert (entry.title, entry.fields["created"]) == ("Release freeze", "2026-07-30T07:40:18Z")
    assert entry.fields["description"] == "no merges from Thursday"
    assert entry.text == "Merges are frozen from Thursday; see [[feedback_testing]].\n"
    assert entry.fields.get("aliases") is None
    linked = [row and row.slug for _, _, row in memory.show("project_freeze").links_from]
    assert linked == ["feedback_testing"]


def test_the_links_between_memories_resolve_by_their_names_too(
    memory: Memory, native: Path
) -> None:
    put(native, "one.md", "---\nname: deploy-window\ndescription: When to deploy\n---\nAt ten.\n")
    put(native, "two.md", "# Hours\n\nNot outside of [[deploy-window]].\n")
    take(memory, native)
    assert [row and row.slug for _, _, row in memory.show("two").links_from] == ["one"]


def test_candidates_belong_to_the_folders_project_but_those_about_the_user(
    memory: Memory, native: Path
) -> None:
    take(memory, native, project="billing")
    assert candidate(memory, "feedback_testing").project == "billing"
    assert candidate(memory, "user_role").project is None


def test_files_of_two_projects_that_are_called_the_same_are_two_candidates(
    memory: Memory, vault: Path, tmp_path: Path
) -> None:
    one = put(tmp_path / "one", "overview.md", "The one.\n").parent
    two = put(tmp_path / "two", "overview.md", "The other.\n").parent
    assert take(memory, one, name="one", project="one").counts == {"created": 1}
    assert take(memory, two, name="two", project="two").counts == {"created": 1}
    assert len(notes(vault)) == 2
    assert candidate(memory, "overview").text == "The one.\n"


def test_each_change_can_be_found_and_undone(memory: Memory, native: Path) -> None:
    take(memory, native)
    assert [(change.op, change.files) for change in memory.history()] == [("import", 3)]
    changes = memory._open_store().index.changes(op="import")
    assert any(c.reason == f"from {NAME}" for c in changes)
    memory.undo()
    assert inbox(memory) == []
    assert take(memory, native).counts == {"stays deleted": 3}
    assert inbox(memory) == []
    assert take(memory, native, terms=Terms(restore_deleted=True)).counts == {"restored": 3}
    assert len(inbox(memory)) == 3


# Importing again


def test_importing_again_changes_no_byte_and_no_history(
    memory: Memory, vault: Path, native: Path
) -> None:
    take(memory, native)
    before, changes = notes(vault), len(memory.history())
    assert take(memory, native).counts == {"unchanged": 3}
    assert (notes(vault), len(memory.history())) == (before, changes)


def test_a_candidate_nobody_touched_follows_its_file(
    memory: Memory, vault: Path, native: Path
) -> None:
    take(memory, native)
    before = candidate(memory, "project_freeze")
    put(native, "project_freeze.md", FREEZE.replace("Thursday", "Friday"))
    assert take(memory, native).counts == {"unchanged": 2, "updated": 1}
    after = candidate(memory, "project_freeze")
    assert "from Friday" in after.text
    assert after.fields["description"] == "no merges from Friday"
    assert (after.id, after.created, len(notes(vault))) == (before.id, before.created, 3)
    assert take(memory, native).counts == {"unchanged": 3}


def test_a_file_that_went_back_to_what_it_was_is_followed_too(memory: Memory, native: Path) -> None:
    take(memory, native)
    put(native, "project_freeze.md", FREEZE.replace("Thursday", "Friday"))
    take(memory, native)
    put(native, "project_freeze.md", FREEZE)
    assert take(memory, native).counts == {"unchanged": 2, "updated": 1}
    assert "from Thursday" in candidate(memory, "project_freeze").text
    assert take(memory, native).counts == {"unchanged": 3}


def test_a_candidate_that_was_edited_is_left_and_that_is_reported(
    memory: Memory, native: Path
) -> None:
    take(memory, native)
    entry = candidate(memory, "project_freeze")
    memory.edit(entry.id, expect=entry.hash, text="My own words.")
    put(native, "project_freeze.md", FREEZE.replace("Thursday", "Friday"))
    done = take(memory, native)
    assert done.counts == {"kept": 1, "unchanged": 2}
    assert done.problems == [
        (f"{NAME}/project_freeze.md", "it changed there and here: what is here stays")
    ]
    assert memory.show(entry.id).entry.text.strip() == "My own words."


def test_what_was_accepted_is_not_altered_by_a_later_version(
    memory: Memory, vault: Path, native: Path
) -> None:
    take(memory, native)
    path = vault / "Memory/_inbox/project_freeze.md"
    accepted = path.read_text().replace("status: inbox", "status: active")
    put(vault, "Memory/decision/project_freeze.md", accepted)
    path.unlink()
    assert take(memory, native).counts == {"unchanged": 3}
    put(native, "project_freeze.md", FREEZE.replace("Thursday", "Friday"))
    assert take(memory, native).counts == {"unchanged": 3}
    assert (vault / "Memory/decision/project_freeze.md").read_text() == accepted


def test_what_was_forgotten_is_not_brought_back(memory: Memory, native: Path) -> None:
    take(memory, native)
    memory.forget("project_freeze")
    put(native, "project_freeze.md", FREEZE.replace("Thursday", "Friday"))
    assert take(memory, native).counts == {"stays deleted": 1, "unchanged": 2}
    assert memory.show("project_freeze").entry.status == "deleted"
    assert len(inbox(memory)) == 2


def test_a_candidate_whose_file_was_removed_by_hand_stays_away(
    memory: Memory, vault: Path, native: Path
) -> None:
    take(memory, native)
    (vault / "Memory/_inbox/user_role.md").unlink()
    assert take(memory, native).counts == {"unchanged": 3}
    assert len(notes(vault)) == 2


def test_a_file_that_is_gone_changes_nothing(memory: Memory, vault: Path, native: Path) -> None:
    take(memory, native)
    before = notes(vault)
    (native / "project_freeze.md").unlink()
    assert take(memory, native).counts == {"unchanged": 2}
    assert notes(vault) == before


def test_a_second_device_knows_what_the_first_took_in_and_overwrites_none_of_it(
    tmp_path: Path, native: Path
) -> None:
    other = put(tmp_path / "other", "project_freeze.md", FREEZE.replace("Thursday", "Monday"))
    with (
        make_memory(tmp_path, device="one") as first,
        make_memory(tmp_path, device="two", seed=8) as second,
    ):
        take(first, native)
        assert take(second, native).counts == {"unchanged": 3}
        for _ in range(2):
            assert take(first, native).counts == {"unchanged": 3}
        assert take(second, other.parent).counts == {"updated": 1}
        assert "from Monday" in candidate(first, "project_freeze").text


def test_a_rebuilt_index_knows_what_was_taken_in(
    memory: Memory, tmp_path: Path, native: Path
) -> None:
    take(memory, native)
    memory.forget("project_freeze")
    memory.close()
    shutil.rmtree(tmp_path / "state")
    with make_memory(tmp_path, device="state", seed=9) as again:
        assert take(again, native).counts == {"stays deleted": 1, "unchanged": 2}


@settings(max_examples=15)
@given(
    st.lists(
        st.dictionaries(
            st.sampled_from(["a.md", "b.md", "MEMORY.md", "sub/c.md"]),
            st.sampled_from(
                ["One.\n", "Two.\n", "- One.\n- Two.\n", "- [a](a.md)\n", "", FREEZE, TESTING, USER]
            ),
            max_size=4,
        ),
        min_size=1,
        max_size=4,
    ),
    st.integers(1, 3),
)
def test_importing_any_number_of_times_is_importing_once(
    tmp_path_factory: pytest.TempPathFactory, versions: list[dict[str, str]], times: int
) -> None:
    tmp = tmp_path_factory.mktemp("bridge")
    with make_memory(tmp) as memory:
        for number, files in enumerate(versions):
            folder = tmp / str(number)
            folder.mkdir()
            for name, text in files.items():
                put(folder, name, text)
            first = take(memory, folder)
            before, changes = notes(tmp / "vault"), len(memory.history())
            for _ in range(times):
                again = take(memory, folder)
                assert set(again.counts) <= {"unchanged"}
                assert sum(again.counts.values()) == sum(first.counts.values())
            assert (notes(tmp / "vault"), len(memory.history())) == (before, changes)


# What can't be read


def test_what_can_not_be_read_is_reported_and_stops_nothing(
    memory: Memory, tmp_path: Path, native: Path
) -> None:
    put(native, "bytes.md", b"\xe9t\xe9")
    put(native, "large.md", "x" * (MAX_NOTE_BYTES + 1))
    put(native, "broken.md", "---\nname: [x\n---\nText.\n")
    secret = put(tmp_path, "secret.md", "The key of the safe.\n")
    (native / "link.md").symlink_to(secret)
    os.mkfifo(native / "pipe.md")
    done = take(memory, native)
    assert done.counts == {"created": 3, "left out": 5}
    problems = dict(done.problems)
    assert set(problems) == {
        f"{NAME}/{name}.md" for name in ("bytes", "large", "broken", "link", "pipe")
    }
    assert problems[f"{NAME}/bytes.md"] == "file is not UTF-8 (line 1)"
    assert problems[f"{NAME}/link.md"] == "symlink"
    assert "key of the safe" not in str(memory.list(scope=INBOX).rows)


def test_a_folder_that_is_not_there_is_an_error(memory: Memory, tmp_path: Path) -> None:
    with pytest.raises(VaultUnavailableError):
        take(memory, tmp_path / "nowhere")


def test_a_memory_folder_inside_the_vault_is_refused(memory: Memory, vault: Path) -> None:
    put(vault, "native/a.md", "Text.\n")
    with pytest.raises(UsageError, match="can't import itself"):
        take(memory, vault / "native")


def test_a_folder_may_be_called_what_is_no_text(memory: Memory, native: Path) -> None:
    odd = os.fsdecode(b"-home-\xff\n app")
    assert take(memory, native, name=odd).counts == {"created": 3}
    assert candidate(memory, "user_role").source["ref"] == "-home-? app/user_role.md"
    assert take(memory, native, name=odd).counts == {"unchanged": 3}


def test_progress_is_told_memory_by_memory(memory: Memory, native: Path) -> None:
    told: list[tuple[int, int | None]] = []
    memory.exchange.import_claude_memory(
        str(native), name=NAME, progress=lambda done, total: told.append((done, total))
    )
    assert told == [(1, 3), (2, 3), (3, 3)]
