"""Graphs: circles in them, and as text that other programs read."""

from __future__ import annotations

import json
import re
import xml.etree.ElementTree as ET

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.graphs import (
    FORMATS,
    Arrow,
    Node,
    find_circles,
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


steps = st.dictionaries(st.integers(0, 7), st.lists(st.integers(0, 7), max_size=4), max_size=8)


def reach(onward: dict[int, list[int]], start: int) -> set[int]:
    found: set[int] = set()
    todo = [start]
    while todo:
        for there in onward.get(todo.pop(), ()):
            if there not in found:
                found.add(there)
                todo.append(there)
    return found


@given(steps)
def test_two_are_in_one_group_if_each_leads_to_the_other(onward: dict[int, list[int]]) -> None:
    groups = [frozenset(circle) for circle in find_circles(onward)]
    ahead = {start: reach(onward, start) for start in range(8)}
    for one in range(8):
        for two in range(8):
            together = any(one in group and two in group for group in groups)
            if one != two:
                assert together == (one in ahead[two] and two in ahead[one])


def test_a_chain_may_be_longer_than_the_stack() -> None:
    onward = {n: [n + 1] for n in range(50_000)}
    assert list(find_circles(onward)) == []
    (circle,) = find_circles({**onward, 50_000: [0]})
    assert len(circle) == 50_001
