"""Sets that were labelled by hand: JSON lines, a vault of the memories in them, figures by line."""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from engrain.api.memory import Memory

LABELLED = Path(__file__).with_name("data")
SPLITS = ("dev", "held")
"""The half to look at while something is changed, and the half that only shows what came of it."""

Figures = Mapping[str, Any]


def read_lines(path: Path) -> list[dict[str, Any]]:
    """Return the objects of a file of JSON lines."""
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def recall_titles(memory: Memory, query: str) -> list[str]:
    """Return the titles that a prompt of these words gets, best first."""
    return [found.row.title for found in memory.recall(query, profile="prompt").results]


def share(parts: Iterable[object]) -> float | None:
    """Return the share of true values, None for no values."""
    found = [bool(part) for part in parts]
    return round(sum(found) / len(found), 3) if found else None


def run(
    name: str,
    description: str | None,
    measure: Callable[[Sequence[str]], Figures],
    arguments: Sequence[str] | None,
) -> None:
    """Measure the halves that the command line names, and print the figures."""
    parser = argparse.ArgumentParser(
        prog=f"bench.{name}",
        description=description,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--split", choices=SPLITS, help="one half; without, both")
    parser.add_argument("--json", action="store_true", help="as JSON, with the ids of the misses")
    args = parser.parse_args(arguments)
    figures = measure([args.split] if args.split else SPLITS)
    if args.json:
        print(json.dumps(figures, indent=2))
    else:
        print("\n".join(f"{key}: {_tell(value)}" for key, value in figures.items()))


def _tell(value: object) -> str:
    return f"{len(value)} (ids by --json)" if isinstance(value, list) else str(value)
