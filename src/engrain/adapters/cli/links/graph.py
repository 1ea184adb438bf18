"""graph: how entries hang together."""

from __future__ import annotations

import argparse
from collections.abc import Iterator

from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Command, open_from, read_when, refuse_others
from engrain.adapters.cli.review.extracts import write_anew
from engrain.adapters.present.failures import EXIT_OK
from engrain.adapters.present.graph import (
    around_lines,
    describe_graph,
    describe_neighbours,
    describe_path,
    describe_stats,
    neighbour_lines,
    path_lines,
    stats_lines,
)
from engrain.adapters.present.records import envelope
from engrain.adapters.present.text import clean
from engrain.engine.core.scope import Scope
from engrain.engine.graph.graph import Graph
from engrain.engine.graph.lens import BOTH, DIRECTIONS
from engrain.model.errors import StorageError, UsageError
from engrain.model.graph.formats import FORMATS

_NEIGHBORS, _PATH, _AROUND, _STATS, _EXPORT = "neighbors", "path", "around", "stats", "export"
_TAKEN = {
    _NEIGHBORS: ("entry", "relation", "direction", "limit"),
    _PATH: ("entry", "goal", "hops"),
    _AROUND: ("entry", "hops", "limit", "format"),
    _STATS: (),
    _EXPORT: ("format", "output", "force"),
}
_NAMES = {"entry": "entry", "goal": "second entry"}


def _arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "action",
        choices=tuple(_TAKEN),
        help="neighbors: what an entry is joined to; path: the shortest way from one to another;"
        " around: all within some hops; stats: the whole in figures; export: the whole as a file",
    )
    parser.add_argument("entry", nargs="?", metavar="ID", help="an id, a path, a slug or a name")
    parser.add_argument("goal", nargs="?", metavar="ID", help="path: where it leads")
    parser.add_argument(
        "--relation",
        action="append",
        default=[],
        metavar="R",
        help="neighbors: only by this one: links_to, supersedes, works_at, recalled_with…",
    )
    parser.add_argument("--direction", choices=DIRECTIONS, help="neighbors: both if not told")
    parser.add_argument(
        "--hops", type=int, metavar="N", help="path: at most so many, else 6; around: else 2"
    )
    parser.add_argument("--limit", "-n", type=int, metavar="N", help="at most so many entries")
    parser.add_argument(
        "--format",
        choices=tuple(FORMATS),
        help="export, around: what other programs read; export writes JSON if not told",
    )
    parser.add_argument(
        "--output", "-o", metavar="FILE", help="export: a file, else standard output"
    )
    parser.add_argument("--force", action="store_true", help="export: over a file that is there")
    group = parser.add_argument_group("filters")
    group.add_argument("--kind", action="append", default=[], metavar="K", help="only this kind")
    group.add_argument("--tag", action="append", default=[], metavar="T", help="having this tag")
    group.add_argument("--as-of", metavar="D", help="the edges that held on that date")
    group.add_argument("--all-projects", action="store_true", help="whatever the project")
    group.add_argument("--include-archive", action="store_true", help="archived ones too")
    group.add_argument(
        "--include-superseded", action="store_true", help="those that others replaced too"
    )


def _graph(args: argparse.Namespace, console: Console) -> int:
    refuse_others("graph", args, _TAKEN, _NAMES)
    wanted = [name for name in ("entry", "goal") if name in _TAKEN[args.action]]
    if not all(getattr(args, name) for name in wanted):
        count = "two entries" if len(wanted) == 2 else "an entry"
        raise UsageError(f"graph {args.action} takes {count}", remedy="give ids, slugs or names")
    return _ACTIONS[args.action](args, console)


def _neighbors(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        row, found, left = memory.neighbors(
            args.entry,
            relations=args.relation,
            direction=args.direction or BOTH,
            scope=_read_scope(args),
            limit=_read_limit(args),
        )
    return console.answer(
        "graph",
        describe_neighbours(row, found, left),
        neighbour_lines(row, found, left, console.style),
    )


def _path(args: argparse.Namespace, console: Console) -> int:
    hops = 6 if args.hops is None else args.hops
    with open_from(args) as memory:
        graph, way = memory.path(args.entry, args.goal, hops=hops, scope=_read_scope(args))
    return console.answer(
        "graph", describe_path(graph, way), path_lines(graph, way, hops, console.style)
    )


def _around(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        row, graph = memory.around(
            args.entry,
            hops=2 if args.hops is None else args.hops,
            limit=_read_limit(args) or 100,
            scope=_read_scope(args),
        )
    if args.format and not console.as_json:
        console.write_lines(_write(graph, args.format))
        return EXIT_OK
    return console.answer("graph", describe_graph(graph), around_lines(row, graph, console.style))


def _stats(args: argparse.Namespace, console: Console) -> int:
    with open_from(args) as memory:
        stats = memory.graph_stats(_read_scope(args))
    return console.answer("graph", describe_stats(stats), stats_lines(stats, console.style))


def _export(args: argparse.Namespace, console: Console) -> int:
    form = args.format or "json"
    with open_from(args) as memory:
        graph = memory.graph(_read_scope(args))
    if args.output:
        _save(args.output, _write(graph, form), force=args.force)
        data = {"path": args.output, "format": form}
        counts = {"nodes": len(graph.rows), "edges": len(graph.edges)}
        told = f"{counts['nodes']} nodes and {counts['edges']} edges are in {clean(args.output)}"
        return console.answer("graph", {**data, **counts}, [told])
    if console.as_json:
        console.write_json(envelope("graph", describe_graph(graph)))
    else:
        console.write_lines(_write(graph, form))
    return EXIT_OK


def _write(graph: Graph, form: str) -> Iterator[str]:
    return FORMATS[form](graph.nodes(), graph.arrows())


def _save(path: str, lines: Iterator[str], *, force: bool) -> None:
    """Write a file, whole or not at all. Raises ConflictError, StorageError."""
    try:
        write_anew(path, (f"{line}\n".encode(errors="replace") for line in lines), force=force)
    except OSError as error:
        raise StorageError(f"it can't be written: {error.strerror}", path=path) from None


def _read_scope(args: argparse.Namespace) -> Scope:
    return Scope(
        kinds=args.kind,
        tags=args.tag,
        all_projects=args.all_projects,
        include_archive=args.include_archive,
        include_superseded=args.include_superseded,
        as_of=read_when(args.as_of),
    )


def _read_limit(args: argparse.Namespace) -> int | None:
    limit: int | None = args.limit
    if limit is not None and limit < 1:
        raise UsageError(f"a limit of {limit} shows nothing", remedy="give --limit 1 or more")
    return limit


_ACTIONS = {
    _NEIGHBORS: _neighbors,
    _PATH: _path,
    _AROUND: _around,
    _STATS: _stats,
    _EXPORT: _export,
}

COMMANDS = {
    "graph": Command(
        _arguments,
        _graph,
        "engrain graph neighbors pg-advisory-lock",
        'engrain graph path "Connection pooling" alice',
        "engrain graph around alice --hops 2 --format mermaid",
        "engrain graph stats --all-projects",
        "engrain graph export --format graphml --output graph.graphml",
    )
}
