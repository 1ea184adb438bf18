"""Plain data as text for a person: the output of every command that has no form of its own."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence

from engrain.adapters.present.text import clean, clean_line, style
from engrain.language.text.instants import format_local, parse_instant

_INSTANT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d+)?Z")


def outline_lines(data: Mapping[str, object], depth: int = 0) -> Iterator[str]:
    """Yield the values of data that are not empty, each behind its name: a list of texts on one
    line, objects and longer texts below their names and indented."""
    shown = {name: value for name, value in data.items() if _is_said(value)}
    flat = [name for name, value in shown.items() if not _is_deep(value)]
    width = max(map(len, flat), default=0) + 2
    blank = "  " * depth
    for name, value in shown.items():
        label = clean_line(name).replace("_", " ")
        if not _is_deep(value):
            yield f"{blank}{style('dim', f'{label:<{width}}')}{format_value(value)}"
            continue
        yield f"{blank}{style('dim', f'{label}:')}"
        if isinstance(value, Mapping):
            parts = [part for part in value.values() if isinstance(part, Mapping)]
            if len(parts) == len(value) and not any(map(_has_parts, parts)):
                rows = [{"": key, **part} for key, part in zip(value, parts, strict=True)]
                yield from (f"{blank}  {line}" for line in _list_lines(rows))
            else:
                yield from outline_lines(value, depth + 1)
        elif isinstance(value, str):
            yield from (f"{blank}  {line}" for line in clean(value).strip("\n").splitlines())
        elif isinstance(value, Sequence):
            yield from (f"{blank}  {line}" for line in _list_lines(value))


def _list_lines(parts: Sequence[object]) -> Iterator[str]:
    """Yield the parts of a list: objects of the same kind as a table, others as outlines with
    numbers, and everything else on a line each."""
    objects = [part for part in parts if isinstance(part, Mapping)]
    if len(objects) < len(parts):
        yield from (f"- {format_value(part)}" for part in parts)
    elif any(map(_has_parts, objects)):
        for number, part in enumerate(objects, 1):
            yield f"{number}."
            yield from outline_lines(part, 1)
    else:
        names = dict.fromkeys(str(name) for part in objects for name in part)
        yield from _table_lines(objects, list(names))


def table_lines(rows: Sequence[Mapping[str, object]], columns: str, nothing: str) -> Iterator[str]:
    """Yield rows under the names of their columns, or the line `nothing`.

    A word of `columns` is a key, or keys of nested objects with dots between. A column without any
    value is left out.
    """
    return _table_lines(rows, columns.split()) if rows else iter([nothing])


def _table_lines(rows: Sequence[Mapping[str, object]], columns: list[str]) -> Iterator[str]:
    names = [name for name in columns if any(_is_said(_find(row, name)) for row in rows)]
    cells = [[name.rpartition(".")[2].replace("_", " ") for name in names]]
    cells += [[_format_cell(_find(row, name)) for name in names] for row in rows]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    for number, line in enumerate(cells):
        padded = (f"{cell:<{width}}" for cell, width in zip(line, widths, strict=True))
        text = "  ".join(padded).rstrip()
        yield text if number else style("dim", text)


def format_value(value: object) -> str:
    """Return a value on one line: an instant by this device's clock, a list with commas."""
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, float):
        return f"{value:.3f}".rstrip("0").rstrip(".")
    if isinstance(value, str) and _INSTANT.fullmatch(value):
        return format_local(parse_instant(value))
    if isinstance(value, Mapping):
        return ", ".join(
            f"{format_value(count)} {clean_line(str(name))}" for name, count in value.items()
        )
    if isinstance(value, list | tuple):
        return ", ".join(map(format_value, value))
    return clean_line(str(value))


def _format_cell(value: object) -> str:
    return format_value(value) if _is_said(value) else "-"


def _is_said(value: object) -> bool:
    """Return whether a value says anything, as the number 0 does."""
    if isinstance(value, Mapping):
        return any(map(_is_said, value.values()))
    return bool(value) or (value == 0 and value is not False)


def _has_parts(value: Mapping[str, object]) -> bool:
    return any(map(_is_deep, value.values()))


def _is_deep(value: object) -> bool:
    """Return whether a value needs lines of its own."""
    if isinstance(value, str):
        return "\n" in value.strip("\n")
    if isinstance(value, list | tuple):
        return any(isinstance(part, Mapping | list | tuple) for part in value) or any(
            isinstance(part, str) and (len(part) > _SHORT or ", " in part) for part in value
        )
    return isinstance(value, Mapping)


_SHORT = 40
"""Characters of a text up to which a list of such stays on one line."""


def _find(row: Mapping[str, object], path: str) -> object:
    found: object = row
    for name in path.split("."):
        found = found.get(name) if isinstance(found, Mapping) else None
    return found
