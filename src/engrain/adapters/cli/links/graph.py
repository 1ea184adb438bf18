"""`engrain graph`: explore how entries are connected: neighbors, paths, export."""

from __future__ import annotations

import json
from itertools import pairwise

from engrain.adapters.cli.files import write_anew
from engrain.adapters.cli.options import Answer, Arguments, Command, one_of, read_scope
from engrain.adapters.present.records import Data, describe_row
from engrain.adapters.present.text import bold, clean, clean_line, day_of, style
from engrain.api.memory import Memory
from engrain.engine.graph import BOTH, DIRECTIONS, LINKS_TO, describe_validity
from engrain.model.errors import StorageError
from engrain.seam.rows import Edge, Row


def _neighbors(memory: Memory, args: Arguments) -> Answer:
    row, found, left = memory.graph.neighbors(
        args.entry,
        relations=args.relation,
        direction=args.direction or BOTH,
        scope=read_scope(args),
        limit=args.limit,
    )
    neighbors = []
    lines = [_name(row)]
    lines += [] if found else ["  nothing is linked to it"]
    for one in found:
        data: Data = {"relation": one.relation, "direction": "out" if one.outward else "in"}
        sign = "→" if one.outward else "←"
        data |= describe_validity(one.edge)
        neighbors.append({**data, "entry": describe_row(one.row)})
        relation = f"{clean_line(one.relation)}{_validity(one.edge)}"
        lines.append(f"  {sign} {relation}  {_name(one.row)}")
    if left:
        lines.append(style("dim", f"  and {left} more: --limit shows them"))
    return {"entry": describe_row(row), "neighbors": neighbors, "left": left}, lines


def _path(memory: Memory, args: Arguments) -> Answer:
    hops = 6 if args.hops is None else args.hops
    graph, way = memory.graph.path(args.entry, args.goal, hops=hops, scope=read_scope(args))
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
        detail = ", ".join(dict.fromkeys(_tell(edge, here) for edge in joining))
        lines.append(f"  {detail}  {_name(graph.rows[there])}")
    return data, lines


def _around(memory: Memory, args: Arguments) -> Answer:
    row, graph = memory.graph.around(
        args.entry,
        hops=2 if args.hops is None else args.hops,
        limit=args.limit or 100,
        scope=read_scope(args),
    )
    lines = [f"{_name(row)}: {len(graph.rows)} entries, {len(graph.edges)} edges"]
    for edge in graph.edges:
        source, target = _name(graph.rows[edge.source]), _name(graph.rows[edge.target])
        lines.append(f"  {source}  {_tell(edge, edge.source)}  {target}")
    if graph.cut:
        lines.append(style("dim", "  and more: --limit and --hops widen it"))
    return graph.describe(), lines


def _export(memory: Memory, args: Arguments) -> Answer:
    graph = memory.graph.read(read_scope(args))
    described = graph.describe()
    text = json.dumps(described, indent=1)
    if not args.output:
        return described, [text]
    try:
        write_anew(args.output, [f"{text}\n".encode()], force=args.force)
    except OSError as error:
        why = f"it can't be written: {error.strerror}"
        raise StorageError(why, path=args.output) from None
    nodes, edges = len(graph.rows), len(graph.edges)
    data = {"path": args.output, "format": "json", "nodes": nodes, "edges": edges}
    return data, [f"{nodes} nodes and {edges} edges are in {clean(args.output)}"]


def _tell(edge: Edge, here: int) -> str:
    name = clean_line(edge.relation or LINKS_TO)
    return f"─ {name}{_validity(edge)} →" if edge.source == here else f"← {name}{_validity(edge)} ─"


def _validity(edge: Edge) -> str:
    ends = (("from", edge.valid_from), ("to", edge.valid_to))
    detail = [f"{word} {day_of(at)}" for word, at in ends if at is not None]
    return f" ({' '.join(detail)})" if detail else ""


def _name(row: Row) -> str:
    return f"{bold(row.title)} {style('dim', f'[{row.kind} {row.id}]')}"


COMMAND = Command(
    [_neighbors, _path, _around, _export],
    f"""
<neighbors|path|around|export>  neighbors: what an entry is joined to; path: the shortest way from
              one to another; around: all within some hops; export: the whole as JSON
entry=ID!     neighbors, path, around: an id, a path, a slug or a name
goal=ID!      path: where it leads
--relation R*  neighbors: only this relation: links_to, supersedes, works_at…
--direction {one_of(DIRECTIONS)}  neighbors: default both
--hops N/int  path: at most N, default 6; around: default 2
--limit,-n N/count  neighbors, around: at most N entries
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
$ engrain graph around alice --hops 2
$ engrain graph export --output graph.json
""",
    strict=True,
)
