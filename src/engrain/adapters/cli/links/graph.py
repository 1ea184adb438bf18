"""`engrain graph`: explore how entries are connected: neighbors, paths, export."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass
from itertools import pairwise

from engrain.adapters.cli.base import Answer, MemoryCommand, argument, count, flag, option, options
from engrain.adapters.cli.reading import read_moment
from engrain.adapters.present.outline import table_lines
from engrain.adapters.present.records import describe_row
from engrain.adapters.present.text import bold, clean_line, counted, day_of, style
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.graph import BOTH, DIRECTIONS, LINKS_TO, describe_validity
from engrain.seam.rows import Edge, Row

_FILTERS = "filters"
_COLUMNS = "relation direction valid_from valid_to entry.kind entry.id entry.title"


@dataclass(kw_only=True)
class _GraphCommand(MemoryCommand):
    kind: list[str] = options("only this kind", "K", group=_FILTERS)
    tag: list[str] = options("having this tag", "T", group=_FILTERS)
    as_of: str | None = option("edges valid on that date", "D", group=_FILTERS)
    all_projects: bool = flag("of all projects", group=_FILTERS)
    include_archive: bool = flag("include archived entries", group=_FILTERS)
    include_superseded: bool = flag("include superseded entries", group=_FILTERS)

    def scope(self) -> Scope:
        """Return the filters. Raises UsageError for a time that is none."""
        return Scope(
            kinds=self.kind,
            tags=self.tag,
            as_of=read_moment(self.as_of),
            all_projects=self.all_projects,
            include_archive=self.include_archive,
            include_superseded=self.include_superseded,
        )


@dataclass(kw_only=True)
class GraphFigures(_GraphCommand):
    """Show how many entries and edges there are."""

    examples = "engrain graph"

    def run_in(self, memory: Memory) -> Answer:
        graph = memory.graph.read(self.scope())
        relations = Counter(edge.relation or LINKS_TO for edge in graph.edges)
        nodes, edges = len(graph.rows), len(graph.edges)
        lines = [f"{counted(nodes, 'entry', 'entries')}, {counted(edges, 'edge')}"]
        lines += [f"  {count} {clean_line(name)}" for name, count in relations.most_common()]
        return {"nodes": nodes, "edges": edges, "relations": dict(relations)}, lines


@dataclass(kw_only=True)
class NeighborsGraph(_GraphCommand):
    """Show what an entry is joined to."""

    examples = "engrain graph neighbors pg-advisory-lock"
    entry: str = argument("an id, a path, a slug or a name", "ID")
    relation: list[str] = options("only this relation: links_to, supersedes, works_at…", "R")
    direction: str | None = option("default both", choices=DIRECTIONS)
    limit: int | None = option("at most N entries", "N", type=count, short="-n")

    def run_in(self, memory: Memory) -> Answer:
        row, found, left = memory.graph.neighbors(
            self.entry,
            relations=self.relation,
            direction=self.direction or BOTH,
            scope=self.scope(),
            limit=self.limit,
        )
        neighbors = [
            {
                "relation": one.relation,
                "direction": "out" if one.outward else "in",
                **describe_validity(one.edge),
                "entry": describe_row(one.row),
            }
            for one in found
        ]
        lines = [_name(row), *table_lines(neighbors, _COLUMNS, "nothing is linked to it")]
        if left:
            lines.append(style("dim", f"  and {left} more: --limit shows them"))
        return {"entry": describe_row(row), "neighbors": neighbors, "left": left}, lines


@dataclass(kw_only=True)
class PathGraph(_GraphCommand):
    """Find the shortest way from one entry to another."""

    examples = 'engrain graph path "Connection pooling" alice'
    entry: str = argument("an id, a path, a slug or a name", "ID")
    goal: str = argument("where it leads", "ID")
    hops: int | None = option("at most N, default 6", "N")

    def run_in(self, memory: Memory) -> Answer:
        hops = 6 if self.hops is None else self.hops
        graph, way = memory.graph.path(self.entry, self.goal, hops=hops, scope=self.scope())
        data = {
            "found": bool(way),
            "hops": max(len(way) - 1, 0),
            "path": [describe_row(graph.rows[number]) for number in way],
            "edges": graph.describe_edges() if way else [],
        }
        if not way:
            one, other = (_name(graph.rows[number]) for number in [*graph.rows, *graph.rows][:2])
            return data, [f"no way of up to {hops} hops joins {one} and {other}"]
        lines = [_name(graph.rows[way[0]])]
        for here, there in pairwise(way):
            joining = [e for e in graph.edges if {e.source, e.target} == {here, there}]
            detail = ", ".join(dict.fromkeys(_describe_edge(edge, here) for edge in joining))
            lines.append(f"  {detail}  {_name(graph.rows[there])}")
        return data, lines


@dataclass(kw_only=True)
class ExportGraph(_GraphCommand):
    """Print the whole graph as JSON."""

    examples = "engrain graph export > graph.json"

    def run_in(self, memory: Memory) -> Answer:
        described = memory.graph.read(self.scope()).describe()
        return described, [json.dumps(described, indent=1)]


def _describe_edge(edge: Edge, here: int) -> str:
    name = clean_line(edge.relation or LINKS_TO)
    return f"─ {name}{_validity(edge)} →" if edge.source == here else f"← {name}{_validity(edge)} ─"


def _validity(edge: Edge) -> str:
    ends = (("from", edge.valid_from), ("to", edge.valid_to))
    detail = [f"{word} {day_of(at)}" for word, at in ends if at is not None]
    return f" ({' '.join(detail)})" if detail else ""


def _name(row: Row) -> str:
    return f"{bold(row.title)} {style('dim', f'[{row.kind} {row.id}]')}"


COMMAND = {
    "figures": GraphFigures,
    "neighbors": NeighborsGraph,
    "path": PathGraph,
    "export": ExportGraph,
}
