"""Measure a part of it, the spine if none is named, and print the figures as JSON.

python tasks.py bench                       1k and 10k entries
python tasks.py bench --sizes 1000,100000   other sizes
python tasks.py bench --table               as a table of markdown
python tasks.py bench --recall              recall, at 1k, 10k and 100k entries if none are given
python tasks.py bench --hooks               hooks as cold processes, at the same sizes
python tasks.py bench --mcp                 the MCP server, at 1k entries
python tasks.py bench --console             each page of the console, at 100k entries
python tasks.py bench --speed               every command by its floor; --speed --help has more
python tasks.py bench --writers             16 processes and threads that save at once
python tasks.py bench --postgres            commits over PostgreSQL, by bytes of a note
python tasks.py bench --remote              hooks by a remote server, at 1k entries
python tasks.py bench --migration           a vault into PostgreSQL and back, at 10k and 100k
python tasks.py bench --namespace           prompts and recalls over PostgreSQL, beside a folder
python tasks.py bench --team                200 clients of one server; 10, 100 and 1,000 namespaces
python tasks.py bench --consolidation       episodes into patterns, at 1k and 10k
python tasks.py bench --graph               links, walks and the channel, at 10k and 100k notes
python tasks.py bench --living              two simulated years; --living --help has the rest
python tasks.py bench --facts               facts out of conversations; --facts --help has the rest
python tasks.py bench --dream               the dream over a seeded corpus; --dream --help has more
python tasks.py bench --contradictions      which facts turn historical, against labelled pairs
python tasks.py bench --instructions        which instructions replace others, by labelled pairs
python tasks.py bench --prompts             what 200 real prompts and their sessions are given
python tasks.py bench --silence             foreign prompts through the prompt hook
python tasks.py bench --paraphrases         prompts that share no word with what they are about
python -m bench.failed_calls                what comes when a tool fails, by labelled calls
python -m bench.statements                  what is kept of a person's words, and what retires
python -m bench.updates                     the newer of two statements first, by labelled pairs
python -m bench.typed_questions             questions as people type them, over thirty notes
"""

from __future__ import annotations

import argparse
import compileall
import json
import sys
import tempfile
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from typing import NamedTuple

import engrain
from bench import (
    console,
    consolidation,
    graph,
    migration,
    namespace,
    postgres,
    remote,
    report,
    team,
    writers,
)
from bench.measure import describe_machine

Results = list[dict[str, object]]


class Part(NamedTuple):
    """What can be measured: at which sizes if none are given, and how it is told."""

    sizes: str
    rows: report.Rows
    run: Callable[[list[int], Path, str | None], Results]


def _run_spine(sizes: list[int], folder: Path, _: str | None) -> Results:
    from bench import spine

    return spine.run(sizes, folder)


def _run_recall(sizes: list[int], folder: Path, static_folder: str | None) -> Results:
    from bench import recall

    return recall.run(sizes, folder, static_folder)


def _run_hooks(sizes: list[int], folder: Path, static_folder: str | None) -> Results:
    from bench import hooks

    return hooks.run(sizes, folder, static_folder)


def _run_mcp(sizes: list[int], folder: Path, _: str | None) -> Results:
    from bench import mcp

    return mcp.run(sizes, folder)


def _run_writers(sizes: list[int], folder: Path, _: str | None) -> Results:
    return writers.run(sizes, folder)


def _run_consolidation(sizes: list[int], folder: Path, _: str | None) -> Results:
    return consolidation.run(sizes, folder)


def _run_graph(sizes: list[int], folder: Path, _: str | None) -> Results:
    return graph.run(sizes, folder)


PARTS = {
    "spine": Part("1000,10000", report.SPINE, _run_spine),
    "recall": Part("1000,10000,100000", report.RECALL, _run_recall),
    "hooks": Part("1000,10000,100000", report.HOOKS, _run_hooks),
    "mcp": Part("1000", report.MCP, _run_mcp),
    "console": Part("100000", console.ROWS, console.run),
    "writers": Part("16", writers.ROWS, _run_writers),
    "postgres": Part("500,20000", postgres.ROWS, postgres.run),
    "migration": Part("10000,100000", migration.ROWS, migration.run),
    "namespace": Part("10000,100000", namespace.ROWS, namespace.run),
    "remote": Part("1000", remote.ROWS, remote.run),
    "team": Part("10,100,1000", team.ROWS, team.run),
    "consolidation": Part("1000,10000", consolidation.ROWS, _run_consolidation),
    "graph": Part("10000,100000", graph.ROWS, _run_graph),
}


OWN_ARGUMENTS = (
    "facts", "living", "dream", "contradictions", "instructions", "paraphrases", "prompts",
    "silence", "speed",
)  # fmt: skip
"""Parts without sizes, each with arguments of its own: conversations, worlds, labelled pairs."""


def main() -> None:
    for name in OWN_ARGUMENTS:
        if f"--{name}" in sys.argv:
            rest = [word for word in sys.argv[1:] if word != f"--{name}"]
            import_module(f"bench.{name}").main(rest)
            return
    parser = argparse.ArgumentParser(
        prog="bench", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sizes", help="entries, comma-separated")
    parts = parser.add_mutually_exclusive_group()
    for name in PARTS:
        parts.add_argument(
            f"--{name}", dest="part", action="store_const", const=name, help=f"measure {name}"
        )
    parser.add_argument(
        "--static-folder",
        choices=("shipped",),
        help="the token vectors of Engrain for recall and hooks; without, words alone",
    )
    parser.add_argument("--folder", type=Path, help="work here instead of a temp folder")
    parser.add_argument("--table", action="store_true", help="print a table instead of JSON")
    parser.set_defaults(part="spine")
    args = parser.parse_args()
    # Cold processes are measured as they run once installed: compiled.
    compileall.compile_dir(Path(engrain.__file__).parent, quiet=1)
    part = PARTS[args.part]
    sizes = [int(size) for size in (args.sizes or part.sizes).split(",")]
    with tempfile.TemporaryDirectory(prefix="engrain-bench-") as temp:
        results = part.run(sizes, args.folder or Path(temp), args.static_folder)
    machine = describe_machine()
    if args.table:
        print(report.render(machine, results, part.rows))
    else:
        print(json.dumps({"machine": machine, args.part: results}, indent=2))


if __name__ == "__main__":
    main()
