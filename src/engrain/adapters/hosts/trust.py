"""Codex's records of the hooks that its user trusts: `[hooks.state."FILE:EVENT:GROUP:HOOK"]`.

Codex runs a hook only with such a record, whose hash is that of the hook as it is now. It writes
them when its user trusts a hook, and leaves them behind when the hook is gone.
"""

from __future__ import annotations

import hashlib
import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from engrain.adapters.hosts.commands import is_hook
from engrain.adapters.hosts.files import read
from engrain.adapters.hosts.parts import Part
from engrain.adapters.hosts.toml_part import Table, cut_table, find_table, read_toml
from engrain.model.errors import EngrainError

_STATE = ("hooks", "state")


@dataclass(frozen=True, slots=True)
class TrustRecords(Part):
    """The records of our hooks: nothing is added, for only a person can trust; they are taken out.

    `path` is the file with the hooks, `events` are the host's names of them and ours.
    """

    path: str
    events: Mapping[str, str]

    def add(self, text: str) -> str:
        return text

    def remove(self, text: str, base: str | None) -> str:
        for key, _, _ in self.list_records():
            if find_table(read_toml(text), (*_STATE, key)) is not None:
                text = cut_table(text, (*_STATE, key))
        for path in (_STATE, _STATE[:1]):
            if find_table(read_toml(text), path) == {} and not _had(base, path):
                text = cut_table(text, path)
        return text

    def find_untrusted(self, settings: Table) -> list[str]:
        """The host's names of the events whose hook it would not run, by its settings: never
        trusted, changed since, or switched off."""
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
        """List (key, the host's name of the event, hash) of the record that Codex would write of
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
            return  # others say what is wrong with the file


def _hash_hook(label: str, group: Mapping[str, Any], hook: Mapping[str, Any]) -> str:
    identity = {"event_name": label, "hooks": [{"async": False, **hook}]}
    if "matcher" in group:
        identity["matcher"] = group["matcher"]
    text = json.dumps(identity, sort_keys=True, separators=(",", ":"), ensure_ascii=False)
    return "sha256:" + hashlib.sha256(text.encode()).hexdigest()


def _had(base: str | None, path: tuple[str, ...]) -> bool:
    """Whether the file had this table before `setup`."""
    try:
        return base is not None and find_table(read_toml(base), path) is not None
    except ValueError:
        return False
