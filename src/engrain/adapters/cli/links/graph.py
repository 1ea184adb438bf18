"""`engrain graph`: explore how entries are connected: neighbors, paths, export."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.files import write_anew
from engrain.adapters.cli.options import Arguments, Command, one_of, open_vault, read_when
from engrain.adapters.present.records import Data, describe_row
from engrain.adapters.present.text import Style, clean, clean_line, counted, day_of
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.graph import (
    BOTH,
    CO_RECALL,
    DIRECTIONS,
    LINKS_TO,
    Graph,
    Neighbour,
    Stats,
    make_arrow,
)
from engrain.model.errors import StorageError, UsageError
from engrain.model.graphs import FORMATS, Arrow
from engrain.seam.graph import Edge
from engrain.seam.rows import Row

_WORDS = {"neighbors": ("entry",), "path": ("entry", "goal"), "around": ("entry",)}


def _check(args: Arguments) -> None:
    wanted = _WORDS.get(args.action, ())
    if not all(getattr(args, name) for name in wanted):
        count = "two entries" if len(wanted) == 2 else "an entry"
        raise UsageError(f"graph {args.action} takes {count}", remedy="give ids, slugs or names")
    if args.limit is not None and args.limit < 1:
        raise UsageError("--limit is at least 1", remedy="give --limit 1 or more")


def _neighbors(memory: Memory, args: Arguments, console: Console) -> Answer:
    row, found, left = memory.graph.neighbors(
        args.entry,
        relations=args.relation,
        direction=args.direction or BOTH,
        scope=_read_scope(args),
        limit=args.limit,
    )
    data = {
        "entry": describe_row(row),
        "neighbors": [_describe_neighbour(row, one) for one in found],
        "left": left,
    }
    return data, _neighbour_lines(row, found, left, console.style)


def _path(memory: Memory, args: Arguments, console: Console) -> Answer:
    hops = 6 if args.hops is None else args.hops
    graph, way = memory.graph.path(args.entry, args.goal, hops=hops, scope=_read_scope(args))
    data = {
        "found": bool(way),
        "hops": max(len(way) - 1, 0),
        "path": [describe_row(graph.rows[number]) for number in way],
        "edges": [_describe_arrow(arrow) for arrow in graph.arrows()] if way else [],
    }
    return data, _path_lines(graph, way, hops, console.style)


def _around(memory: Memory, args: Arguments, console: Console) -> Answer:
    row, graph = memory.graph.around(
        args.entry,
        hops=2 if args.hops is None else args.hops,
        limit=args.limit or 100,
        scope=_read_scope(args),
    )
    lines = _write(graph, args.format) if args.format else _around_lines(row, graph, console.style)
    return _describe(graph), lines


def _stats(memory: Memory, args: Arguments, console: Console) -> Answer:
    stats = memory.graph.stats(_read_scope(args))
    data = {
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
    return data, _stats_lines(stats, console.style)


def _export(memory: Memory, args: Arguments, _: Console) -> Answer:
    form = args.format or "json"
    graph = memory.graph.read(_read_scope(args))
    if not args.output:
        return _describe(graph), _write(graph, form)
    lines = (f"{line}\n".encode(errors="replace") for line in _write(graph, form))
    try:
        write_anew(args.output, lines, force=args.force)
    except OSError as error:
        why = f"it can't be written: {error.strerror}"
        raise StorageError(why, path=args.output) from None
    nodes, edges = len(graph.rows), len(graph.edges)
    data = {"path": args.output, "format": form, "nodes": nodes, "edges": edges}
    return data, [f"{nodes} nodes and {edges} edges are in {clean(args.output)}"]


def _write(graph: Graph, form: str) -> Iterator[str]:
    return FORMATS[form](graph.nodes(), graph.arrows())


def _read_scope(args: Arguments) -> Scope:
    return Scope(
        kinds=args.kind,
        tags=args.tag,
        all_projects=args.all_projects,
        include_archive=args.include_archive,
        include_superseded=args.include_superseded,
        as_of=read_when(args.as_of),
    )


def _describe_neighbour(row: Row, one: Neighbour) -> Data:
    detail: Data = {"relation": one.relation, "direction": "out" if one.outward else "in"}
    if one.edge is None:
        detail |= {"origin": CO_RECALL, "sessions": one.sessions}
    else:
        detail |= make_arrow(one.edge, row.id, one.row.id).more
    return {**detail, "entry": describe_row(one.row)}


def _describe(graph: Graph) -> Data:
    return {
        "directed": True,
        "multigraph": True,
        "graph": {},
        "nodes": [{"id": node.id, "title": node.title, **node.more} for node in graph.nodes()],
        "edges": [_describe_arrow(arrow) for arrow in graph.arrows()],
        "cut": graph.cut,
    }


def _describe_arrow(arrow: Arrow) -> Data:
    detail = {"source": arrow.source, "target": arrow.target, "relation": arrow.relation}
    return {**detail, **arrow.more}


def _neighbour_lines(
    row: Row, found: Sequence[Neighbour], left: int, style: Style
) -> Iterator[str]:
    yield _name(row, style)
    if not found:
        yield "  nothing is linked to it"
    for one in found:
        sign = "→" if one.outward else "←"
        if one.edge is None:
            sign, detail = "·", f" in {counted(one.sessions, 'session')}"
        else:
            detail = _validity(one.edge)
        yield f"  {sign} {clean_line(one.relation)}{detail}  {_name(one.row, style)}"
    if left:
        yield style("dim", f"  and {left} more: --limit shows them")


def _path_lines(graph: Graph, way: Sequence[int], hops: int, style: Style) -> Iterator[str]:
    if not way:
        one, other = (graph.rows[number] for number in [*graph.rows, *graph.rows][:2])
        yield f"no way of up to {hops} hops joins {_name(one, style)} and {_name(other, style)}"
        return
    yield _name(graph.rows[way[0]], style)
    for here, there in pairwise(way):
        joining = [e for e in graph.edges if {e.source, e.target} == {here, there}]
        detail = ", ".join(dict.fromkeys(_tell(edge, here) for edge in joining))
        yield f"  {detail}  {_name(graph.rows[there], style)}"


def _around_lines(row: Row, graph: Graph, style: Style) -> Iterator[str]:
    yield f"{_name(row, style)}: {len(graph.rows)} entries, {len(graph.edges)} edges"
    for edge in graph.edges:
        source, target = graph.rows[edge.source], graph.rows[edge.target]
        yield f"  {_name(source, style)}  {_tell(edge, edge.source)}  {_name(target, style)}"
    if graph.cut:
        yield style("dim", "  and more: --limit and --hops widen it")


def _stats_lines(stats: Stats, style: Style) -> Iterator[str]:
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


def _tell(edge: Edge, here: int) -> str:
    """An edge as it looks from one of its ends."""
    name = clean_line(edge.relation or LINKS_TO)
    return f"─ {name}{_validity(edge)} →" if edge.source == here else f"← {name}{_validity(edge)} ─"


def _validity(edge: Edge) -> str:
    ends = (("from", edge.valid_from), ("to", edge.valid_to))
    detail = [f"{word} {day_of(at)}" for word, at in ends if at is not None]
    return f" ({' '.join(detail)})" if detail else ""


def _name(row: Row, style: Style) -> str:
    return f"{style('title', clean_line(row.title))} {style('dim', f'[{row.kind} {row.id}]')}"


COMMAND = Command(
    [_neighbors, _path, _around, _stats, _export],
    f"""
<neighbors|path|around|stats|export>  neighbors: what an entry is joined to; path: the shortest way
              from one to another; around: all within some hops; stats: the whole in figures;
              export: the whole as a file
entry=ID?     neighbors, path, around: an id, a path, a slug or a name
goal=ID?      path: where it leads
--relation R*  neighbors: only this relation: links_to, supersedes, works_at, recalled_with…
--direction {one_of(DIRECTIONS)}  neighbors: default both
--hops N/int  path: at most N, default 6; around: default 2
--limit,-n N/int  neighbors, around: at most N entries
--format {one_of(tuple(FORMATS))}  export, around: the file format;
              export defaults to json
--output,-o FILE  export: a file; else standard output
--force       export: overwrite an existing file
# filters
--kind K*     only this kind
--tag T*      having this tag
--as-of D     edges valid on that date
--all-projects  of all projects
--include-archive  include archived entries
--include-superseded  include superseded entries
$ engrain graph neighbors pg-advisory-lock
$ engrain graph path "Connection pooling" alice
$ engrain graph around alice --hops 2 --format mermaid
$ engrain graph stats --all-projects
$ engrain graph export --format graphml --output graph.graphml
""",
    opens=open_vault,
    check=_check,
    strict=True,
)
