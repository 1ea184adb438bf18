"""The files of the layout: which are read, in which order, and what they may be called."""

from __future__ import annotations

import json

import pytest

from engrain.model.errors import MalformedError
from engrain.model.interchange.documents import ExportNames, canonical
from engrain.model.interchange.loki import LOKI
from engrain.model.interchange.table import read_file, write_list


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
        "handoffs/a.json",
        "semantic/patterns.json",
    ]


@pytest.mark.parametrize(
    "said", ['[{"id": 1}]', '{"patterns": [{"id": 1}]}', '{"version": 1, "patterns": [{"id": 1}]}']
)
def test_a_list_keeps_the_shape_in_which_it_came(said: str) -> None:
    row = LOKI.row_of("pattern")
    documents, shape = read_file(row, said.encode())
    assert documents == [{"id": 1}]
    assert write_list(row, documents, shape) == json.loads(said)


def test_a_list_made_here_is_as_the_reader_of_loki_mode_expects_it() -> None:
    assert write_list(LOKI.row_of("pattern"), [], None) == {"patterns": []}
    assert write_list(LOKI.row_of("anti-pattern"), [], None) == {"anti_patterns": []}
    assert write_list(LOKI.row_of("domain-reference"), [], None) == []


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
