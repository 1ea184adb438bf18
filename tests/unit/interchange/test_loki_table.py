"""The files of the layout: which are read, in which order, and what they may be called."""

from __future__ import annotations

import pytest

from engrain.interchange.loki import LOKI
from engrain.interchange.table import ExportNames, canonical, read_file
from engrain.model.errors import MalformedError


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("episodic/2026-01-06/task-001.json", "episode"),
        ("episodic/index.json", ""),
        ("episodic/2026-01-06/index.json", ""),
        ("semantic/patterns.json", "pattern"),
        ("semantic/links.json", "link"),
        ("semantic/other.json", ""),
        ("skills/debugging.md", "procedural"),
        ("skills/debugging.json", ""),
        ("learnings/2026-01-06.json", "learning"),
        ("CONTINUITY.md", "continuity"),
        ("README.md", ""),
    ],
)
def test_a_file_is_known_by_its_name(name: str, kind: str) -> None:
    row = LOKI.row_at(name)
    assert (row.kind if row else "") == kind


def test_links_and_sources_come_before_what_they_are_for() -> None:
    names = ["handoffs/a.json", "semantic/patterns.json", "episodic/d/e.json", "x.txt"]
    assert LOKI.in_reading_order([*names, "semantic/links.json"]) == [
        "semantic/links.json",
        "episodic/d/e.json",
        "semantic/patterns.json",
        "handoffs/a.json",
    ]


@pytest.mark.parametrize(
    "said", ['[{"id": 1}]', '{"patterns": [{"id": 1}]}', '{"version": 1, "patterns": [{"id": 1}]}']
)
def test_a_list_may_stand_under_a_key(said: str) -> None:
    assert read_file(LOKI.row_of("pattern"), said.encode()) == [{"id": 1}]


def test_a_file_without_one_list_is_refused() -> None:
    with pytest.raises(MalformedError):
        read_file(LOKI.row_of("pattern"), b'{"a": [], "b": []}')


def test_names_of_files_never_meet_on_any_file_system() -> None:
    names = ExportNames()
    wanted = ["a", "A", "a", "index", "con", "x/y", "x-y", "", "é", "é"]
    got = [names.take("handoffs", name, ".json") for name in wanted]
    assert len({name.casefold() for name in got}) == len(wanted)
    assert got[0] == "handoffs/a.json"
    assert all(name.count("/") == 1 for name in got)


def test_equal_values_have_one_spelling_and_others_another() -> None:
    assert canonical({"a": 1, "b": [None]}) == canonical({"b": [None], "a": 1})
    assert len({canonical(value) for value in (1, 1.0, True, "1")}) == 4
