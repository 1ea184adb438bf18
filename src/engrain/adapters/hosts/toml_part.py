"""Our tables in Codex's TOML, added and cut as text so that comments and order stay.

Codex runs a hook only with a record `[hooks.state."FILE:EVENT:GROUP:HOOK"]` whose hash is that of
the hook as it is now. It writes the record when its user trusts the hook, and leaves it when the
hook is removed.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import re
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from engrain.adapters.hosts.commands import is_hook
from engrain.adapters.hosts.files import read
from engrain.adapters.hosts.parts import NAME, Part
from engrain.model.errors import EngrainError

Table: TypeAlias = "Mapping[str, object]"
Path: TypeAlias = "Sequence[str]"
"""A table's keys, from the root."""

_SERVER = ("mcp_servers", NAME)
_VARIABLES = "env_vars"


@dataclass(frozen=True, slots=True)
class ServerTable(Part):
    """`[mcp_servers.engrain]`, with a command and its arguments, and the names of variables that
    Codex passes on: it keeps all but a few from its servers, though not from hooks."""

    value: Mapping[str, object]
    variables: Sequence[str] = ()

    def add(self, text: str) -> str:
        document = read_toml(text)
        entry = find_table(document, _SERVER)
        wanted = self._complete(entry or {})
        if entry is not None:
            same = all(entry.get(key) == value for key, value in wanted.items())
            return text if same or "command" not in entry else _renew(text, entry, wanted)
        newline = "\r\n" if "\r\n" in text else "\n"
        lines = [f"[{'.'.join(_SERVER)}]", *map(_line, wanted.items())]
        gap = "" if not text else newline if text.endswith("\n") else newline * 2
        return _check(
            text + gap + newline.join(lines) + newline,
            lambda added: _without(added, _SERVER) == _without(document, _SERVER),
            f"{_SERVER[0]} is no table that another can be added to",
        )

    def remove(self, text: str, base: str | None) -> str:
        del base
        entry = find_table(read_toml(text), _SERVER)
        return text if entry is None or "command" not in entry else cut_table(text, _SERVER)

    def _complete(self, entry: Table) -> Table:
        """Return the values to write, with the variables that the table has already."""
        given = entry.get(_VARIABLES)
        known = given if isinstance(given, list) else []
        missing = [name for name in self.variables if name not in known]
        return {**self.value, _VARIABLES: [*known, *missing]} if missing else self.value


def _renew(text: str, entry: Table, wanted: Table) -> str:
    """Return `text` with the values that are wanted in our table. Raises ValueError."""
    lines = text.splitlines(keepends=True)
    start, end = _span(lines, _SERVER)
    for key, value in wanted.items():
        places = [at for at in range(start, end) if re.match(rf"[ \t]*{key}[ \t]*=", lines[at])]
        for at in places:
            lines[at] = _line((key, value)) + _ending(lines[at])
        if not places:
            lines.insert(start + 1, _line((key, value)) + _ending(lines[start]))
            end += 1
    return _check(
        "".join(lines),
        lambda renewed: find_table(renewed, _SERVER) == {**entry, **wanted},
        f"[{'.'.join(_SERVER)}] is written in a way that can't be renewed",
    )


def _ending(line: str) -> str:
    return line[len(line.rstrip("\r\n")) :] or "\n"


def _check(text: str, test: Callable[[Table], bool], message: str) -> str:
    """Return `text` if it is TOML that passes the test. Raises ValueError with the message."""
    with contextlib.suppress(ValueError):
        if test(read_toml(text)):
            return text
    raise ValueError(message)


def read_toml(text: str) -> Table:
    """Return the document. Raises ValueError, which names the line."""
    try:
        return tomllib.loads(text.removeprefix("\ufeff"))
    except RecursionError:
        raise ValueError("nested too deep") from None


def find_table(document: Table, path: Path) -> Table | None:
    """Return the table at `path`, None if there is none."""
    value: object = document
    for key in path:
        value = value.get(key) if isinstance(value, dict) else None
    return value if isinstance(value, dict) else None


def cut_table(text: str, path: Path) -> str:
    """Return `text` without a table and the tables in it; comments after its last line stay.
    Raises ValueError if the table is written in a way that hides its end."""
    lines = text.splitlines(keepends=True)
    while (span := _span(lines, path))[0] < len(lines):
        start, end = span
        if start and not lines[start - 1].strip() and (end == len(lines) or not lines[end].strip()):
            start -= 1
        del lines[start:end]
    rest = _without(read_toml(text), path)
    return _check(
        "".join(lines),
        lambda left: _without(left, path) == rest and find_table(left, path) is None,
        f"[{'.'.join(path)}] is written in a way that can't be cut out",
    )


def _without(table: Table, path: Path) -> Table:
    """Return the table less the value at `path` and the tables on the way that had nothing else."""
    key, *below = path
    inner = table.get(key)
    rest = {name: value for name, value in table.items() if name != key}
    if not below or not isinstance(inner, dict):
        return table if below else rest
    left = _without(inner, below)
    return {**rest, key: left} if left else rest


def _span(lines: list[str], path: Path) -> tuple[int, int]:
    """Return (the line of the header, the line after the last value) of the first table at or below
    `path`, the end of the text if there is none."""
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
    """Return the path that a table's header names, [] for any other line."""
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


_STATE = ("hooks", "state")


@dataclass(frozen=True, slots=True)
class TrustRecords(Part):
    """The trust records of our hooks. They are removed but never added: only a person can trust.

    `path` is the file with the hooks, `events` maps the host's names of them to ours.
    """

    path: str
    events: Mapping[str, str]

    def add(self, text: str) -> str:
        return text

    def remove(self, text: str, base: str | None) -> str:
        for key, _, _ in self.list_records():
            if find_table(read_toml(text), (*_STATE, key)) is not None:
                text = cut_table(text, (*_STATE, key))
        old: Table = {}
        with contextlib.suppress(ValueError):
            old = read_toml(base or "")
        for path in (_STATE, _STATE[:1]):
            if find_table(read_toml(text), path) == {} and find_table(old, path) is None:
                text = cut_table(text, path)
        return text

    def find_untrusted(self, settings: Table) -> list[str]:
        """Return the host's names of the events whose hook its settings keep it from running: the
        hook was never trusted, has changed since, or is switched off."""
        state = find_table(settings, _STATE) or {}
        records = ((event, state.get(key), digest) for key, event, digest in self.list_records())
        return [
            event
            for event, record, digest in records
            if not isinstance(record, dict)
            or record.get("trusted_hash") != digest
            or record.get("enabled") is False
        ]

    def list_records(self) -> Iterator[tuple[str, str, str]]:
        """Yield (key, the host's name of the event, hash) of the record that Codex would write for
        each hook of ours."""
        try:
            hooks: Any = json.loads(read(self.path) or b"{}").get("hooks", {})
            for name, event in self.events.items():
                label = re.sub(r"(?<!^)([A-Z])", r"_\1", name).lower()
                for place, group in enumerate(hooks.get(name, ())):
                    for number, hook in enumerate(group.get("hooks", ())):
                        if is_hook([str(hook.get("command"))], event, "codex"):
                            key = f"{self.path}:{label}:{place}:{number}"
                            yield key, name, _hash_hook(label, group, hook)
        except (EngrainError, ValueError, TypeError, AttributeError):
            return  # the part that edits the file reports its errors


def _hash_hook(label: str, group: Mapping[str, Any], hook: Mapping[str, Any]) -> str:
    identity = {"event_name": label, "hooks": [{"async": False, **hook}]}
    if "matcher" in group:
        identity["matcher"] = group["matcher"]
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()
