"""The kinds table against DESIGN section 5."""

from __future__ import annotations

import pytest

from engrain.model.note.tiers import DEFAULT_KIND, IMPORT_KIND, KINDS, kind_of

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
        assert kind.known
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
    assert not kind.known
    assert (kind.name, kind.folder, kind.retention) == ("hunch", "Memory/hunch", "normal")
    assert kind.operator_folder is None
    assert not kind.projectless
