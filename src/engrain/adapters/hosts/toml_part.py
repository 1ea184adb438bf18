"""Our tables in Codex's TOML: text added and cut, so that comments and order stay."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from engrain.adapters.hosts.parts import NAME, Part

Table: TypeAlias = "Mapping[str, object]"
Path: TypeAlias = "Sequence[str]"
"""A table's keys, from the root."""

_SERVER = ("mcp_servers", NAME)


class ServerTable(Part):
    """`[mcp_servers.engrain]`, with a command and its arguments."""

    def __init__(self, value: Mapping[str, object]) -> None:
        self._value = value

    def add(self, text: str) -> str:
        document = read_toml(text)
        entry = find_table(document, _SERVER)
        if entry is not None:
            same = all(entry.get(key) == value for key, value in self._value.items())
            return text if same or "command" not in entry else self._renew(text, entry)
        newline = "\r\n" if "\r\n" in text else "\n"
        lines = [f"[{'.'.join(_SERVER)}]", *map(_line, self._value.items())]
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        added = text + gap + newline.join(lines) + newline
        try:
            sound = _without(read_toml(added), _SERVER) == _without(document, _SERVER)
        except ValueError:
            sound = False
        if not sound:
            raise ValueError(f"{_SERVER[0]} is no table that another can be added to")
        return added

    def remove(self, text: str, base: str | None) -> str:
        del base
        entry = find_table(read_toml(text), _SERVER)
        return text if entry is None or "command" not in entry else cut_table(text, _SERVER)

    def _renew(self, text: str, entry: Table) -> str:
        lines = text.splitlines(keepends=True)
        start, end = _span(lines, _SERVER)
        for key, value in self._value.items():
            for at in range(start, end):
                if re.match(rf"[ \t]*{key}[ \t]*=", lines[at]):
                    ending = lines[at][len(lines[at].rstrip("\r\n")) :]
                    lines[at] = _line((key, value)) + ending
        renewed = "".join(lines)
        try:
            sound = find_table(read_toml(renewed), _SERVER) == {**entry, **self._value}
        except ValueError:
            sound = False
        if not sound:
            raise ValueError(f"[{'.'.join(_SERVER)}] is written in a way that can't be renewed")
        return renewed


def read_toml(text: str) -> Table:
    """The document. Raises ValueError, which names the line."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except RecursionError:
        raise ValueError("nested too deep") from None


def find_table(document: Table, path: Path) -> Table | None:
    """The table at `path`, None where there is none."""
    value: object = document
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None


def cut_table(text: str, path: Path) -> str:
    """`text` without a table and the tables in it; comments behind its last line stay. Raises
    ValueError where it is written in a way that hides where it ends."""
    lines = text.splitlines(keepends=True)
    while (span := _span(lines, path))[0] < len(lines):
        start, end = span
        if start and not lines[start - 1].strip() and (end == len(lines) or not lines[end].strip()):
            start -= 1
        del lines[start:end]
    kept = "".join(lines)
    left = read_toml(kept)
    whole = _without(left, path) == _without(read_toml(text), path)
    if not whole or find_table(left, path) is not None:
        raise ValueError(f"[{'.'.join(path)}] is written in a way that can't be cut out")
    return kept


def _without(table: Table, path: Path) -> Table:
    """The table less what is at `path`, and less the tables on the way that had nothing else."""
    key, *below = path
    inner = table.get(key)
    rest = {name: value for name, value in table.items() if name != key}
    if not below or not isinstance(inner, dict):
        return table if below else rest
    left = _without(inner, below)
    return {**rest, key: left} if left else rest


def _span(lines: list[str], path: Path) -> tuple[int, int]:
    """The first table at or below `path`: its header's line, and the line behind its last value;
    the end where there is none."""
    wanted = list(path)
    start = next(
        (at for at, line in enumerate(lines) if _keys(line)[: len(wanted)] == wanted), len(lines)
    )
    end = start + 1
    for at in range(start + 1, len(lines)):
        line = lines[at].strip()
        if line.startswith("["):
            break
        if line and not line.startswith("#"):
            end = at + 1
    return start, min(end, len(lines))


def _keys(line: str) -> list[str]:
    """The path that a header of a table names, [] for any other line."""
    if not line.lstrip().startswith("["):
        return []
    try:
        table: object = tomllib.loads(line)
    except ValueError:
        return []
    keys: list[str] = []
    while isinstance(table, dict) and table:
        ((key, table),) = table.items()
        keys.append(key)
    return keys


def _line(pair: tuple[str, object]) -> str:
    # Strings and lists of strings are written alike in JSON and TOML.
    return f"{pair[0]} = {json.dumps(pair[1], ensure_ascii=False)}"
