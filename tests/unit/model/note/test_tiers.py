"""Tiers and zones, told from a path. The kinds table against DESIGN section 5."""

from __future__ import annotations

import pytest

from engrain.model.note.tiers import (
    ARCHIVE,
    DEFAULT_KIND,
    IMPORT_KIND,
    INBOX,
    KINDS,
    LIVE,
    STAGING,
    Naming,
    archive_folder,
    is_generated,
    kind_of,
    tier_of,
    zone_of,
)


@pytest.mark.parametrize(
    ("path", "tier"),
    [
        ("Memory/fix/a.md", "T3"), ("Memory/a.md", "T3"), ("MEMORY.md", "T2"),
        ("preferences/a.md", "T2"), ("projects/Memory/a.md", "T2"), ("Memory.md", "T2"),
        ("Memories/a.md", "T2"), ("memory/a.md", "T2"),
    ],
)  # fmt: skip
def test_the_agents_own_tier_is_what_lies_under_memory(path: str, tier: str) -> None:
    assert tier_of(path) == tier


@pytest.mark.parametrize(
    ("path", "zone"),
    [
        ("Memory/fix/a.md", LIVE), ("a.md", LIVE), ("_archive.md", LIVE),
        ("Memory/_archive", LIVE), ("Memory/_idea-incubator/a.md", LIVE),
        ("Memory/_always-load/a.md", LIVE), ("my_archive/a.md", LIVE),
        ("Memory/_inbox/a.md", INBOX), ("Memory/_dream-staging/a.md", STAGING),
        ("Memory/_archive/fix/a.md", ARCHIVE), ("_archive/a.md", ARCHIVE),
        ("projects/x/_archive/a.md", ARCHIVE),
    ],
)  # fmt: skip
def test_a_zone_is_reported_by_its_folder(path: str, zone: str) -> None:
    assert zone_of(path) == zone


@pytest.mark.parametrize(
    ("path", "folder"),
    [
        ("Memory/fix/a.md", "Memory/_archive/fix"),
        ("Memory/entities/x/a.md", "Memory/_archive/entities/x"),
        ("Memory/a.md", "Memory/_archive"),
        ("preferences/a.md", "_archive/preferences"),
        ("projects/x/designs/a.md", "_archive/projects/x/designs"),
        ("MEMORY.md", "_archive"),
    ],
)
def test_an_entry_is_archived_in_its_own_tier(path: str, folder: str) -> None:
    assert archive_folder(path) == folder
    archived = f"{folder}/a.md"
    assert tier_of(archived) == tier_of(path)
    assert zone_of(archived) == ARCHIVE


@pytest.mark.parametrize("name", ["a.md", "MEMORY.md", "_x.md", "a.b.md", "日本.md"])
def test_markdown_is_a_note(name: str) -> None:
    assert Naming("Memory/fix").admits(name)


@pytest.mark.parametrize("name", ["_index.md", ".hidden.md", ".md", "a.txt", "a.MD.bak", "md", ""])
def test_generated_hidden_and_other_files_are_no_notes(name: str) -> None:
    assert not (name and Naming("Memory/fix").admits(name))


@pytest.mark.parametrize(
    ("folder", "name", "entry"),
    [
        ("Memory/entities/ann", "items.json", True),
        ("Memory/entities/ann", "items (conflict).json", True),
        ("Memory/entities/ann", "notes.md", True),
        ("Memory/entities/ann", "summary.md", False),
        ("Memory/_archive/entities/ann", "summary.md", False),
        ("Memory/entities", "index.json", False),
        ("Memory/fix", "summary.md", True),
        ("Memory/fix", "items.json", False),
        ("Memory", "ARCHITECTURE.md", False),
        ("", "ARCHITECTURE.md", True),
    ],
)
def test_what_is_generated_of_entities_and_of_the_vault_is_no_note(
    folder: str, name: str, entry: bool
) -> None:
    assert Naming(folder).admits(name) is entry
    assert not (entry and is_generated(f"{folder}/{name}"))


NORMAL = ("workflow", "fix", "decision", "domain-reference", "skill-pointer", "insight")
RETENTIONS = {"normal", "slow", "protected", "kept", "confidence", "episode"}


@pytest.mark.parametrize(
    ("names", "folder", "retention"),
    [
        (("preference", "feedback"), "Memory/{}", "slow"),
        (NORMAL, "Memory/{}", "normal"),
        (("idea",), "Memory/_idea-incubator", "normal"),
        (("crystallized", "opinion", "persona", "procedural"), "Memory/{}", "slow"),
        (("identity", "value", "relationship", "commitment"), "Memory/core", "protected"),
        (("memory",), "Memory/active", "normal"),
        (("pattern", "anti-pattern"), "Memory/{}", "confidence"),
        (("episode",), "Memory/episodic", "episode"),
        (("learning",), "Memory/learnings", "normal"),
        (("entity",), "Memory/entities", "kept"),
        (("proposal",), "Memory/_dream-staging", "kept"),
        (("daily",), "Memory/daily", "normal"),
        (("design",), "projects/{{project}}/designs", "kept"),
        (("plan",), "projects/{{project}}/_harness", "kept"),
        (("roadmap", "progress"), "projects/{{project}}", "kept"),
    ],
)
def test_a_kind_has_its_folder_and_its_retention(
    names: tuple[str, ...], folder: str, retention: str
) -> None:
    for name in names:
        kind = kind_of(name)
        assert name in KINDS
        assert (kind.folder, kind.retention) == (folder.format(name), retention)


def test_only_preferences_and_feedback_are_the_operators_and_without_a_project() -> None:
    assert {
        kind.name: kind.operator_folder
        for kind in KINDS.values()
        if kind.operator_folder or kind.projectless
    } == {"preference": "preferences", "feedback": "feedback"}


def test_every_row_is_filed_under_its_name_and_fades_in_a_known_way() -> None:
    for name, kind in KINDS.items():
        assert kind.name == name
        assert kind.retention in RETENTIONS
        assert kind.folder.startswith(("Memory/", "projects/{project}"))


def test_the_defaults_are_of_the_table() -> None:
    assert {DEFAULT_KIND, IMPORT_KIND} <= KINDS.keys()


def test_an_unknown_kind_is_allowed_and_gets_the_defaults() -> None:
    kind = kind_of("hunch")
    assert (kind.name, kind.folder, kind.retention) == ("hunch", "Memory/hunch", "normal")
    assert kind.operator_folder is None
    assert not kind.projectless
