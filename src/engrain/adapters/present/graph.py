"""The graph as data and as lines for a person."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from engrain.adapters.present.records import Data, describe_row
from engrain.adapters.present.text import Style, clean_line, counted, day_of
from engrain.engine.graph.figures import Stats
from engrain.engine.graph.graph import CO_RECALL, Graph, Neighbour, make_arrow
from engrain.engine.graph.scoped import LINKS_TO
from engrain.model.graph.formats import Arrow, Node
from engrain.seam.graph import Edge
from engrain.seam.rows import Row


def describe_neighbours(row: Row, found: Sequence[Neighbour], left: int) -> Data:
    return {
        "entry": describe_row(row),
        "neighbors": [_describe_neighbour(row, one) for one in found],
        "left": left,
    }


def _describe_neighbour(row: Row, one: Neighbour) -> Data:
    told: Data = {"relation": one.relation, "direction": "out" if one.outward else "in"}
    if one.edge is None:
        told |= {"origin": CO_RECALL, "sessions": one.sessions}
    else:
        arrow = make_arrow(one.edge, row.id, one.row.id)
        told |= arrow.more
    return {**told, "entry": describe_row(one.row)}


def neighbour_lines(row: Row, found: Sequence[Neighbour], left: int, style: Style) -> Iterator[str]:
    yield _name(row, style)
    if not found:
        yield "  nothing is joined to it"
    for one in found:
        sign = "→" if one.outward else "←"
        if one.edge is None:
            sign, told = "·", f" in {counted(one.sessions, 'session')}"
        else:
            told = _validity(one.edge)
        yield f"  {sign} {clean_line(one.relation)}{told}  {_name(one.row, style)}"
    if left:
        yield style("dim", f"  and {left} more: --limit shows them")


def describe_path(graph: Graph, way: Sequence[int]) -> Data:
    return {
        "found": bool(way),
        "hops": max(len(way) - 1, 0),
        "path": [describe_row(graph.rows[number]) for number in way],
        "edges": [_describe_arrow(arrow) for arrow in graph.arrows()] if way else [],
    }


def path_lines(graph: Graph, way: Sequence[int], hops: int, style: Style) -> Iterator[str]:
    if not way:
        one, other = (graph.rows[number] for number in [*graph.rows, *graph.rows][:2])
        yield f"no way of up to {hops} hops joins {_name(one, style)} and {_name(other, style)}"
        return
    yield _name(graph.rows[way[0]], style)
    for here, there in pairwise(way):
        joining = [e for e in graph.edges if {e.source, e.target} == {here, there}]
        told = ", ".join(dict.fromkeys(_tell(edge, here) for edge in joining))
        yield f"  {told}  {_name(graph.rows[there], style)}"


def describe_graph(graph: Graph) -> Data:
    return {
        "directed": True,
        "multigraph": True,
        "graph": {},
        "nodes": [_describe_node(node) for node in graph.nodes()],
        "edges": [_describe_arrow(arrow) for arrow in graph.arrows()],
        "cut": graph.cut,
    }


def around_lines(row: Row, graph: Graph, style: Style) -> Iterator[str]:
    yield f"{_name(row, style)}: {len(graph.rows)} entries, {len(graph.edges)} edges"
    for edge in graph.edges:
        source, target = graph.rows[edge.source], graph.rows[edge.target]
        yield f"  {_name(source, style)}  {_tell(edge, edge.source)}  {_name(target, style)}"
    if graph.cut:
        yield style("dim", "  and more: --limit and --hops widen it")


def describe_stats(stats: Stats) -> Data:
    return {
        "entries": stats.entries,
        "edges": sum(stats.edges.values()),
        "by_relation": [
            {"origin": origin, "relation": relation, "edges": count}
            for (origin, relation), count in stats.edges.items()
        ],
        "links": dict(stats.links),
        "orphans": stats.orphans,
        "components": stats.components,
        "largest": stats.largest,
        "hubs": [{"entry": describe_row(row), "edges": count} for row, count in stats.hubs],
    }


def stats_lines(stats: Stats, style: Style) -> Iterator[str]:
    yield f"{stats.entries} entries, {sum(stats.edges.values())} edges"
    for (origin, relation), count in stats.edges.items():
        yield f"  {count:>7}  {clean_line(relation)} ({origin})"
    links = ", ".join(f"{count} {state}" for state, count in stats.links.items())
    yield f"links of the whole vault: {links}"
    yield f"{stats.components} groups, the largest of {stats.largest}; {stats.orphans} alone"
    if stats.hubs:
        yield "most edges:"
    for row, count in stats.hubs:
        yield f"  {count:>7}  {_name(row, style)}"


def _describe_node(node: Node) -> Data:
    return {"id": node.id, "title": node.title, **node.more}


def _describe_arrow(arrow: Arrow) -> Data:
    told = {"source": arrow.source, "target": arrow.target, "relation": arrow.relation}
    return {**told, **arrow.more}


def _tell(edge: Edge, here: int) -> str:
    """An edge as it looks from one of its ends."""
    name = clean_line(edge.relation or LINKS_TO)
    return f"─ {name}{_validity(edge)} →" if edge.source == here else f"← {name}{_validity(edge)} ─"


def _validity(edge: Edge) -> str:
    ends = (("from", edge.valid_from), ("to", edge.valid_to))
    told = [f"{word} {day_of(at)}" for word, at in ends if at is not None]
    return f" ({' '.join(told)})" if told else ""


def _name(row: Row, style: Style) -> str:
    return f"{style('title', clean_line(row.title))} {style('dim', f'[{row.kind} {row.id}]')}"
