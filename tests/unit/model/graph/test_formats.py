"""Graphs as text: whatever a title says, the format holds."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.graph.formats import (
    FORMATS,
    Arrow,
    Node,
    write_dot,
    write_graphml,
    write_json,
    write_mermaid,
)

HOSTILE = [
    'a "quoted" title',
    "back\\slash",
    "<script>alert(1)</script>",
    "]]> & ]] | } ;",
    "line\nbreak\tand \x00\x1b[31m",
    "\ud800 alone",
    "日本語 🚀",
    "%% comment",
    "",
]
_NAMESPACE = "{http://graphml.graphdrawing.org/xmlns}"


def nodes(title: str) -> list[Node]:
    return [
        Node("a", title, kind="fix", status="active", project=None, tags=["x", "y"], path="a.md"),
        Node("b", "Other"),
    ]


def arrows(relation: str) -> list[Arrow]:
    return [Arrow("a", "b", relation, origin="text", valid_from="2026-01-01T00:00:00Z")]


@pytest.mark.parametrize("title", HOSTILE)
def test_graphml_is_well_formed_and_says_what_there_is(title: str) -> None:
    text = "\n".join(write_graphml(nodes(title), arrows(title)))
    root = ET.fromstring(text.encode())
    assert [node.get("id") for node in root.iter(f"{_NAMESPACE}node")] == ["a", "b"]
    (edge,) = root.iter(f"{_NAMESPACE}edge")
    assert (edge.get("source"), edge.get("target")) == ("a", "b")
    declared = {key.get("id") for key in root.iter(f"{_NAMESPACE}key")}
    assert {data.get("key") for data in root.iter(f"{_NAMESPACE}data")} <= declared


def test_graphml_keeps_a_title_as_it_is() -> None:
    text = "\n".join(write_graphml(nodes('<b> & "c"\n\td'), []))
    root = ET.fromstring(text)
    titles = [data.text for data in root.iter(f"{_NAMESPACE}data") if data.get("key") == "title"]
    assert titles == ['<b> & "c"\n\td', "Other"]


@given(st.text())
def test_json_gives_back_any_title(title: str) -> None:
    told = json.loads("\n".join(write_json(nodes(title), arrows(title))))
    assert told["nodes"][0]["title"] == title
    assert told["edges"] == [
        {
            "source": "a",
            "target": "b",
            "relation": title,
            "origin": "text",
            "valid_from": "2026-01-01T00:00:00Z",
        }
    ]


@given(st.text())
def test_dot_has_a_title_in_one_quoted_string(title: str) -> None:
    lines = list(write_dot(nodes(title), arrows(title)))
    assert all(line.count("\n") == 0 for line in lines)
    quoted = r'"(?:[^"\\]|\\.)*"'
    assert re.fullmatch(rf"  {quoted} \[label={quoted}\];", lines[2])
    assert re.fullmatch(rf"  {quoted} -> {quoted} \[label={quoted}\];", lines[4])
    assert lines[-1] == "}"


@given(st.text())
def test_mermaid_has_nothing_of_a_title_that_means_something(title: str) -> None:
    lines = list(write_mermaid(nodes(title), arrows(title)))
    assert lines[0] == "flowchart LR"
    found = re.fullmatch(r'  n1\["(.*)"\]', lines[1])
    assert found
    assert not set(re.sub(r"#\d+;", "", found[1])) & set('"[](){}<>|\\`#&%\n')
    assert re.fullmatch(r'  n1 -->\|".*"\| n2', lines[3])


@pytest.mark.parametrize("form", FORMATS)
def test_a_graph_of_nothing_is_a_graph(form: str) -> None:
    assert "".join(FORMATS[form]([], []))
