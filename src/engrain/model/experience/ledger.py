"""Ledgers: the state of each agent's work, with exactly loki's fields (S2.5); and the names of
agents and checkpoints, with the files called by them (S4.10)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from unicodedata import normalize

from engrain.language.text.folding import fold, safe_component
from engrain.model.errors import UsageError
from engrain.model.note.tiers import Naming

KIND = "ledger"
FOLDER = "Memory/ledgers"
CHECKPOINT = "checkpoint"


@dataclass(slots=True, eq=False, kw_only=True)
class Progress:
    """What an agent reports of its progress; None and empty lists change nothing.

    `completed` counts the tasks done so far, `added` those done since the last report. `files`,
    `tech` and `patterns` are added to the known ones.
    """

    task: str | None = None
    goal: str | None = None
    completed: int | None = None
    added: int = 0
    files: Sequence[str] = ()
    commit: str | None = None
    uncommitted: bool | None = None
    tech: Sequence[str] = ()
    patterns: Sequence[str] = ()

    def __post_init__(self) -> None:
        self.files, self.tech, self.patterns = map(list, (self.files, self.tech, self.patterns))


def fresh_ledger(agent: str) -> dict[str, Any]:
    """Return the ledger of an agent that has done nothing yet, its keys in loki's order."""
    return {
        "agent_id": agent,
        "last_checkpoint": "",
        "tasks_completed": 0,
        "current_task": "",
        "state": {"files_modified": [], "uncommitted_changes": False, "last_git_commit": ""},
        "context": {"tech_stack": [], "patterns_learned": [], "current_goal": ""},
    }


def advance(ledger: Mapping[str, Any], progress: Progress, at: str) -> dict[str, Any]:
    """Return the ledger with what its agent reports at an instant. Raises UsageError for a negative
    number of tasks."""
    whole = _joined(fresh_ledger(str(ledger["agent_id"])), ledger)
    state, context = whole["state"], whole["context"]
    said = (
        (whole, "current_task", progress.task),
        (whole, "tasks_completed", progress.completed),
        (state, "last_git_commit", progress.commit),
        (state, "uncommitted_changes", progress.uncommitted),
        (context, "current_goal", progress.goal),
    )
    for part, key, value in said:
        if value is not None:
            part[key] = value
    added = (
        (state, "files_modified", progress.files),
        (context, "tech_stack", progress.tech),
        (context, "patterns_learned", progress.patterns),
    )
    for part, key, values in added:
        part[key] = [*part[key], *(v for v in dict.fromkeys(values) if v not in part[key])]
    whole["tasks_completed"] += progress.added
    if whole["tasks_completed"] < 0:
        raise UsageError("the number of completed tasks can't be negative")
    whole["last_checkpoint"] = at
    return whole


def _joined(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Merge two objects key by key; other values of the same type are replaced, and a null changes
    nothing."""
    whole = {
        key: _joined(value, {}) if isinstance(value, dict) else value
        for key, value in before.items()
    }
    for key, value in after.items():
        there = whole.get(key)
        if isinstance(there, dict) and isinstance(value, dict):
            whole[key] = _joined(there, value)
        elif there is None or type(there) is type(value):
            whole[key] = value
    return whole


_LONGEST = 200
_DIGEST_DIGITS = 8


def check_name(name: str, what: str) -> str:
    """Return a name in NFC, trimmed. Raises UsageError, which says `what` has the name, if it is
    empty or can't be used."""
    name = normalize("NFC", name).strip()
    if not name:
        raise UsageError(f"{what} has no name", remedy="give one, such as eng-001")
    if len(name) > _LONGEST or not name.isprintable():
        raise UsageError(
            f"{name[:40]!a} can't name {what}", remedy=f"give up to {_LONGEST} printable characters"
        )
    return name


def file_stem(name: str) -> str:
    """Return a file's name, without ending, that is unique to this name on every file system: the
    name itself if every system keeps it as it is, else a repaired one with a digest."""
    stem = safe_component(name)
    if stem == name == fold(name) and Naming("Memory/ledgers").admits(f"{stem}.json"):
        return stem
    digest = sha256(name.encode()).hexdigest()[:_DIGEST_DIGITS]
    return f"{safe_component(fold(stem))}--{digest}"


def place_of_checkpoint(name: str) -> str:
    """Return the place of the checkpoint of a name."""
    return f"Memory/checkpoints/{file_stem(name)}.json"
