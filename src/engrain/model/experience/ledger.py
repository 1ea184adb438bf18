"""Ledgers: where each agent stands, with exactly loki's fields (S2.5)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from engrain.model.errors import UsageError

KIND = "ledger"
FOLDER = "Memory/ledgers"


@dataclass(slots=True, eq=False, kw_only=True)
class Progress:
    """What an agent says of where it stands; None, and empty lists, say nothing.

    `completed` is how many tasks are done by now, `added` how many more than before. `files`,
    `tech` and `patterns` come to those that are there. `document` is a part of a ledger, whose
    lists replace the present ones.
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
    document: Mapping[str, Any] | None = None

    def __post_init__(self) -> None:
        self.files, self.tech, self.patterns = map(list, (self.files, self.tech, self.patterns))


def fresh_ledger(agent: str) -> dict[str, Any]:
    """The ledger of an agent that has done nothing yet, its keys in loki's order."""
    return {
        "agent_id": agent,
        "last_checkpoint": "",
        "tasks_completed": 0,
        "current_task": "",
        "state": {"files_modified": [], "uncommitted_changes": False, "last_git_commit": ""},
        "context": {"tech_stack": [], "patterns_learned": [], "current_goal": ""},
    }


def advance(ledger: Mapping[str, Any], progress: Progress, at: str) -> dict[str, Any]:
    """The ledger with what an agent says of itself at an instant, and all else as it was.

    Raises UsageError for a document of another agent's, or with a value of another type.
    """
    agent = str(ledger["agent_id"])
    fresh = fresh_ledger(agent)
    given = progress.document or {}
    _check(given, agent)
    whole = _joined(_joined(fresh, ledger), given)
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
    """Objects joined key by key; of all else what comes after stands, if it is of the same type.
    A null says nothing."""
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


def _check(given: Mapping[str, Any], agent: str) -> None:
    if given.get("agent_id", agent) != agent:
        raise UsageError(
            f"the document is the ledger of {str(given['agent_id'])[:80]!a}, and not of {agent}",
            remedy="name the agent whose it is with --agent",
        )
    fresh = fresh_ledger(agent)
    for known, part in ((fresh, given), *((fresh[k], given.get(k)) for k in ("state", "context"))):
        for key, value in part.items() if isinstance(part, dict) else ():
            if key in known and value is not None and type(value) is not type(known[key]):
                raise UsageError(
                    f"{key} of a ledger is no {type(value).__name__}",
                    remedy=f"give a value such as {known[key]!r}",
                )
