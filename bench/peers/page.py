"""Write the page of the comparison from the JSON of its runs."""

from __future__ import annotations

import json
import textwrap
from collections.abc import Callable
from importlib import import_module
from pathlib import Path
from types import ModuleType
from typing import Any

from bench.peers.measure import SAVES, WRITERS

FIRST = ("engrain_words", "engrain_minilm")
_TEMPLATE = Path(__file__).with_name("page.md")

Row = dict[str, Any]


def write(page: Path, out: Path, names: list[str]) -> None:
    """Write the page; a peer without figures is named with the reason."""
    found: dict[str, Row] = {}
    failed = []
    for name in sorted(names, key=lambda one: (one not in FIRST, one != FIRST[0], one)):
        told = out / f"{name}.json"
        row: Row = json.loads(told.read_text(encoding="utf-8")) if told.exists() else {}
        adapter = import_module(f"bench.peers.adapters.{name}")
        if "recall" in row:
            found[name] = row | describe(adapter)
        else:
            failed.append(f"{adapter.NAME} ({row.get('failed', 'not run')})")
    machine = next(iter(found.values()))["machine"]
    loads = [row[key] for row in found.values() for key in row if key.startswith("load_")]
    settings = "; ".join(f"{row['name']}: {row['setting']}" for row in found.values())
    text = _TEMPLATE.read_text(encoding="utf-8").format(
        finding=lay_table(found, FINDING),
        keeping=lay_table(found, KEEPING),
        having=lay_table(found, HAVING),
        settings=wrap(f"Settings: {settings}."),
        failed=wrap(f"Not measured: {'; '.join(failed) or 'none'}."),
        machine=wrap(
            f"Machine: {machine['system']}, {machine['processor']}, Python {machine['python']}; "
            f"{max(row['date'] for row in found.values())}, under the load of other work "
            f"({min(loads):.0f} to {max(loads):.0f}): read ratios and counts, not milliseconds. "
            "No model hub could be reached: MiniLM-L6 (int8) from PyPI was laid where peers look "
            "for it. No language model was used: mem0 is made for one."
        ),
    )
    page.write_text(text, encoding="utf-8")


def describe(adapter: ModuleType) -> Row:
    """Return what an adapter says of its peer."""
    return {
        "name": adapter.NAME,
        "setting": adapter.SETTING,
        "needs": adapter.NEEDS,
        "more": adapter.MORE or "–",
    }


def wrap(text: str) -> str:
    """Break a paragraph into lines."""
    return textwrap.fill(text, 120, break_on_hyphens=False)


def lay_table(found: dict[str, Row], columns: dict[str, Callable[[Row], str]]) -> str:
    """Return a table of markdown with a row for each memory."""
    lines = [["memory", *columns], ["---"] * (len(columns) + 1)]
    for row in found.values():
        lines.append([row["name"], *(show(column, row) for column in columns.values())])
    return "\n".join(f"|{'|'.join(cells)}|" for cells in lines)


def show(column: Callable[[Row], str], row: Row) -> str:
    """Return a cell; a dash where that part of the run failed or is not offered."""
    try:
        return column(row)
    except KeyError:
        return "–"


FINDING: dict[str, Callable[[Row], str]] = {
    "recall": lambda row: f"{row['recall']:.2f}",
    "first right": lambda row: f"{row['hit_at_1']:.2f}",
    "unasked": lambda row: f"{row['given_recall']:.2f}",
    "useless": lambda row: f"{row['junk_per_prompt']:.1f}",
    "silent": lambda row: f"{row['silent']:.2f}",
    "tokens": lambda row: str(row["tokens_per_prompt"]),
}
KEEPING: dict[str, Callable[[Row], str]] = {
    "cold": lambda row: f"{row['cold_search_ratio']:.0f} ×",
    "warm, ms": lambda row: f"{row['warm_search_ms']:.0f}",
    "save": lambda row: f"{row['save_ratio']:.1f} ×",
    "bulk, notes/s": lambda row: f"{row['bulk_per_s']:,.0f}",
    "four writers": lambda row: f"{row['writers_stored']}/{row['writers_acknowledged']}",
    "refused": lambda row: str(WRITERS * SAVES - row["writers_acknowledged"]),
    "kills": lambda row: f"{row['killed_stored']}/{row['killed_acknowledged']}",
}
HAVING: dict[str, Callable[[Row], str]] = {
    "MB": lambda row: str(row["install_mb"]),
    "tools; tokens": lambda row: f"{row['tools']}; {row['tool_tokens']:,}",
    "needs": lambda row: row["needs"],
    "has, and Engrain has not": lambda row: row["more"],
}
