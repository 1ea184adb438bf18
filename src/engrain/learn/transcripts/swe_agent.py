"""SWE-agent's trajectories (`.traj`): one JSON object with the steps of one task. They give no
times, and of no step whether it failed."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from typing import Any

from engrain.language.text.private import strip_values
from engrain.learn.transcripts import events
from engrain.learn.transcripts.events import text_of
from engrain.model.errors import MalformedError
from engrain.model.note.documents import object_of, parse_object

NAME = "swe-agent"
_LARGEST = 64 << 20
_ISSUE = re.compile(r"\bISSUE:\s*(.*?)(?:\n[^\S\n]{0,80}INSTRUCTIONS:|\Z)", re.DOTALL)
_STATUS = re.compile(
    r"\n\(Open file: (.*)\)[^\S\n]*+\n\s*+\(Current directory: (.*)\)[^\S\n]*+\n\s*+\S*+\s*+\Z"
)


def is_swe_agent(head: bytes) -> bool:
    """Whether a file with this beginning may be a trajectory."""
    return head.lstrip()[:1] == b"{"


def read_swe_agent(
    lines: events.Lines, passed: events.Passed
) -> Iterator[events.Session | events.Event]:
    """Yield what happened in a trajectory. Raises MalformedError for what is none."""
    whole = _load(lines)
    steps = _steps(whole)
    name = str(object_of(whole.get("replay_config")).get("name") or "")
    asked = (line for line in _real_lines(whole) if line.get("role") == "user")
    goal = next((text_of(line.get("content"), passed) for line in asked), "")
    issue = _ISSUE.search(goal)
    folders = (step["state"].get("working_dir") for step in steps)
    yield events.Session(name, next((one for one in folders if isinstance(one, str) and one), ""))
    yield events.Request(None, (issue[1] if issue else goal).strip(), "")
    for number, step in enumerate(steps):
        yield from _read_step(step, str(number))
    status = object_of(whole.get("info")).get("exit_status")
    if isinstance(status, str) and status and "submitted" not in status:
        yield events.Stopped(None, error=True)


def _read_step(step: dict[str, Any], number: str) -> Iterator[events.Event]:
    if said := str(step.get("thought") or "").strip():
        yield events.Said(None, said)
    action = str(step.get("action") or "").strip()
    if action and action != "submit":
        opened = object_of(step["state"]).get("open_file")
        yield events.Call(None, number, "swe_agent", {"command": action, "open_file": opened})
        yield events.Result(None, number, str(step.get("observation") or ""))


def _real_lines(whole: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for line in whole.get("history") or ():
        if isinstance(line, dict) and not line.get("is_demo"):
            yield line


def _load(lines: events.Lines) -> dict[str, Any]:
    parts, size = [], 0
    for line in lines:
        size += len(line or b"")
        if line is None or size > _LARGEST:
            raise MalformedError("too large for a trajectory", reason="size")
        parts.append(line)
    try:
        whole = strip_values(json.loads(b"".join(parts)))
    except (ValueError, RecursionError):
        whole = None
    if not isinstance(whole, dict) or not isinstance(whole.get("history", []), list):
        whole = {}
    if not (isinstance(whole.get("trajectory"), list) or "history" in whole):
        raise MalformedError("not a transcript of a known host", reason="host")
    return whole


def _steps(whole: dict[str, Any]) -> list[dict[str, Any]]:
    """Return the steps, from the trajectory, or from the history where that is all there is."""
    found = whole.get("trajectory")
    if not isinstance(found, list):
        return _steps_of_history(whole)
    steps = [dict(step) for step in found if isinstance(step, dict)]
    for step in steps:
        state = step.get("state")
        step["state"] = parse_object(state) or object_of(state)
    return steps


def _steps_of_history(whole: dict[str, Any]) -> list[dict[str, Any]]:
    steps: list[dict[str, Any]] = []
    for line in _real_lines(whole):
        if line.get("role") == "assistant":
            steps.append({"action": line.get("action"), "thought": line.get("thought")})
        elif steps and "observation" not in steps[-1]:
            said = str(line.get("content") or "")
            status = _STATUS.search(said)
            steps[-1]["observation"] = said[: status.start()] if status else said
            steps[-1]["reported"] = (status[1], status[2]) if status else ("", "")
    opened, folder = "", ""
    for step in steps:  # what is open when a step begins is what the step before reported
        step["state"] = {"open_file": opened, "working_dir": folder}
        opened, folder = step.pop("reported", (opened, folder))
    return steps
