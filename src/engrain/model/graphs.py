"""Graphs: circles in them, and as text that other programs read: GraphML, JSON (node-link), DOT and
Mermaid (S1.21).

Titles are text of anybody, and each format escapes them in its own way.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TypeAlias, TypeVar

Value: TypeAlias = "str | list[str] | None"
Writer: TypeAlias = "Callable[[Iterable[Node], Iterable[Arrow]], Iterator[str]]"


class Node:
    """An entry in a graph: its `id`, its title, and further values by name."""

    __slots__ = ("id", "more", "title")

    def __init__(self, id: str, title: str, **more: Value) -> None:  # noqa: A002 - the field's name
        self.id = id
        self.title = title
        self.more = more


class Arrow:
    """An edge between two nodes, by their ids; `more` has further values by name."""

    __slots__ = ("more", "relation", "source", "target")

    def __init__(self, source: str, target: str, relation: str, **more: Value) -> None:
        self.source = source
        self.target = target
        self.relation = relation
        self.more = more


NODE_FIELDS = ("kind", "status", "project", "tags", "path")
ARROW_FIELDS = ("origin", "valid_from", "valid_to")
_LONGEST_LABEL = 80
# Characters that XML 1.0 can't contain, and lone surrogates, which no encoding can.
_UNFIT = re.compile("[^\t\n\r\x20-\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")


def write_graphml(nodes: Iterable[Node], arrows: Iterable[Arrow]) -> Iterator[str]:
    """Yield the lines of GraphML (http://graphml.graphdrawing.org), a directed graph."""
    yield '<?xml version="1.0" encoding="UTF-8"?>'
    yield '<graphml xmlns="http://graphml.graphdrawing.org/xmlns">'
    for kind, names in (("node", ("title", *NODE_FIELDS)), ("edge", ("relation", *ARROW_FIELDS))):
        for name in names:
            yield f'  <key id="{name}" for="{kind}" attr.name="{name}" attr.type="string"/>'
    yield '  <graph id="engrain" edgedefault="directed">'
    for node in nodes:
        yield f'    <node id="{_xml(node.id)}">'
        yield from _graphml_data({"title": node.title, **node.more})
        yield "    </node>"
    for arrow in arrows:
        yield f'    <edge source="{_xml(arrow.source)}" target="{_xml(arrow.target)}">'
        yield from _graphml_data({"relation": arrow.relation, **arrow.more})
        yield "    </edge>"
    yield "  </graph>"
    yield "</graphml>"


def _graphml_data(values: dict[str, Value]) -> Iterator[str]:
    for name, value in values.items():
        if value:
            text = ", ".join(value) if isinstance(value, list) else value
            yield f'      <data key="{name}">{_xml(text)}</data>'


def _xml(text: str) -> str:
    text = _UNFIT.sub("\ufffd", text).replace("&", "&amp;").replace('"', "&quot;")
    text = text.replace("<", "&lt;").replace(">", "&gt;")
    return text.replace("\n", "&#10;").replace("\r", "&#13;").replace("\t", "&#9;")


def write_json(nodes: Iterable[Node], arrows: Iterable[Arrow]) -> Iterator[str]:
    """Yield the node-link form that networkx and D3 read, one item a line."""
    yield '{"directed": true, "multigraph": true, "graph": {}, "nodes": ['
    yield from _json_items({"id": n.id, "title": n.title, **n.more} for n in nodes)
    yield '], "edges": ['
    yield from _json_items(
        {"source": a.source, "target": a.target, "relation": a.relation, **a.more} for a in arrows
    )
    yield "]}"


def _json_items(items: Iterable[dict[str, Value]]) -> Iterator[str]:
    last: str | None = None
    for item in items:
        if last is not None:
            yield f"{last},"
        last = json.dumps(item)
    if last is not None:
        yield last


def write_dot(nodes: Iterable[Node], arrows: Iterable[Arrow]) -> Iterator[str]:
    """Yield the lines of a graph for Graphviz."""
    yield "digraph engrain {"
    yield "  node [shape=box];"
    for node in nodes:
        yield f"  {_dot(node.id)} [label={_dot(_label(node.title))}];"
    for arrow in arrows:
        yield f"  {_dot(arrow.source)} -> {_dot(arrow.target)} [label={_dot(arrow.relation)}];"
    yield "}"


def _dot(text: str) -> str:
    text = _UNFIT.sub("\ufffd", text).replace("\\", "\\\\").replace('"', '\\"')
    return '"' + " ".join(text.split()) + '"'


def write_mermaid(nodes: Iterable[Node], arrows: Iterable[Arrow]) -> Iterator[str]:
    """Yield the lines of a flowchart of Mermaid, which Obsidian and GitHub draw."""
    yield "flowchart LR"
    names: dict[str, str] = {}
    for node in nodes:
        names[node.id] = f"n{len(names) + 1}"
        yield f'  {names[node.id]}["{_mermaid(_label(node.title))}"]'
    for arrow in arrows:
        source, target = names[arrow.source], names[arrow.target]
        yield f'  {source} -->|"{_mermaid(arrow.relation)}"| {target}'


def _mermaid(text: str) -> str:
    """Return text with every character that has a meaning in Mermaid or HTML as its number."""
    text = " ".join(_UNFIT.sub("\ufffd", text).split())
    return "".join(
        one if one.isalnum() or one in " .,_-/" or ord(one) > 127 else f"#{ord(one)};"
        for one in text
    )


def _label(title: str) -> str:
    title = " ".join(title.split())
    return title if len(title) <= _LONGEST_LABEL else title[: _LONGEST_LABEL - 1] + "…"


FORMATS: dict[str, Writer] = {
    "graphml": write_graphml, "json": write_json, "dot": write_dot, "mermaid": write_mermaid,
}  # fmt: skip


T = TypeVar("T", bound=Hashable)


def find_circles(onward: Mapping[T, Iterable[T]]) -> Iterator[list[T]]:
    """Yield the largest groups of two and more nodes in which each leads to every other (Tarjan,
    1972, in linear time and without recursion, because a chain may exceed Python's stack)."""
    order: dict[T, int] = {}
    lowest: dict[T, int] = {}
    open_: list[T] = []
    closed: set[T] = set()
    for first in onward:
        if first in order:
            continue
        path = [(first, iter(onward[first]))]
        order[first] = lowest[first] = len(order)
        open_.append(first)
        while path:
            here, rest = path[-1]
            for there in rest:
                if there not in order:
                    order[there] = lowest[there] = len(order)
                    open_.append(there)
                    path.append((there, iter(onward.get(there, ()))))
                    break
                if there not in closed:
                    lowest[here] = min(lowest[here], order[there])
            else:
                path.pop()
                if path:
                    lowest[path[-1][0]] = min(lowest[path[-1][0]], lowest[here])
                if lowest[here] == order[here]:
                    group = [open_.pop()]
                    while group[-1] != here:
                        group.append(open_.pop())
                    closed.update(group)
                    if len(group) > 1:
                        yield group
