"""Our table among Codex's MCP servers: text added and cut, so that comments and order stay."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from typing import TypeAlias

from engrain.adapters.hosts.parts import NAME, Part

Table: TypeAlias = "dict[str, object]"


_PARENT = "mcp_servers"
_HEADER = re.compile(rf"^[ \t]*\[\s*{_PARENT}\s*\.\s*\"?{NAME}\"?\s*[.\]]")


class ServerTable(Part):
    """`[mcp_servers.engrain]`, with a command and its arguments."""

    def __init__(self, value: Mapping[str, object]) -> None:
        self._value = value

    def add(self, text: str) -> str:
        entry = _entry(_read(text))
        if entry is not None:
            same = all(entry.get(key) == value for key, value in self._value.items())
            if same or "command" not in entry:
                return text
            text = self._renew(text, entry)
            if text:
                return text
            raise ValueError(f"[{_PARENT}.{NAME}] is written in a way that can't be renewed")
        newline = "\r\n" if "\r\n" in text else "\n"
        lines = [f"[{_PARENT}.{NAME}]", *map(_line, self._value.items())]
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        added = text + gap + newline.join(lines) + newline
        try:
            sound = _without(_read(added)) == _without(_read(text))
        except ValueError:
            sound = False
        if not sound:
            raise ValueError(f"{_PARENT} is no table that another can be added to")
        return added

    def remove(self, text: str, base: str | None) -> str:
        del base
        before = _read(text)
        entry = _entry(before)
        if entry is None or "command" not in entry:
            return text
        kept = _cut(text)
        if _without(_read(kept)) != _without(before) or _entry(_read(kept)) is not None:
            raise ValueError(f"[{_PARENT}.{NAME}] is written in a way that can't be cut out")
        return kept

    def _renew(self, text: str, entry: Table) -> str:
        """`text` with our command in the table; empty where it can't be told apart."""
        lines = text.splitlines(keepends=True)
        start, end = _span(lines)
        for key, value in self._value.items():
            for at in range(start, end):
                if re.match(rf"[ \t]*{key}[ \t]*=", lines[at]):
                    ending = lines[at][len(lines[at].rstrip("\r\n")) :]
                    lines[at] = _line((key, value)) + ending
        renewed = "".join(lines)
        try:
            found = _entry(_read(renewed))
        except ValueError:
            return ""
        return renewed if found == {**entry, **self._value} else ""


def _read(text: str) -> Table:
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except RecursionError:
        raise ValueError("nested too deep") from None


def _entry(document: Table) -> Table | None:
    servers = document.get(_PARENT)
    entry = servers.get(NAME) if isinstance(servers, dict) else None
    return entry if isinstance(entry, dict) else None


def _without(document: Table) -> Table:
    """The document less our entry, and less the table of servers if that was all it had."""
    servers = document.get(_PARENT)
    rest = {key: value for key, value in document.items() if key != _PARENT}
    if isinstance(servers, dict):
        others = {key: value for key, value in servers.items() if key != NAME}
        return {**rest, _PARENT: others} if others else rest
    return document


def _cut(text: str) -> str:
    """`text` without our table and the tables in it; comments behind its last line stay."""
    lines = text.splitlines(keepends=True)
    while any(map(_HEADER.match, lines)):
        start, end = _span(lines)
        if start and not lines[start - 1].strip() and (end == len(lines) or not lines[end].strip()):
            start -= 1
        del lines[start:end]
    return "".join(lines)


def _span(lines: list[str]) -> tuple[int, int]:
    """The first table of ours: its header's line, and the line behind its last value."""
    start = next((at for at, line in enumerate(lines) if _HEADER.match(line)), len(lines))
    end = start + 1
    for at in range(start + 1, len(lines)):
        line = lines[at].strip()
        if line.startswith("["):
            break
        if line and not line.startswith("#"):
            end = at + 1
    return start, min(end, len(lines))


def _line(pair: tuple[str, object]) -> str:
    # Strings and lists of strings are written alike in JSON and TOML.
    return f"{pair[0]} = {json.dumps(pair[1], ensure_ascii=False)}"
