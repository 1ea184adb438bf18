"""Hand-offs, ledgers and checkpoints, as text and as data."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engrain.adapters.present.records import Data, instant_of
from engrain.adapters.present.text import Style, clean, clean_line
from engrain.agents.checkpoints import Checkpoint
from engrain.agents.handoffs import Handoff

_INDENT = 2


def describe_handoff(handoff: Handoff) -> Data:
    """Loki's fields, and beside them what Engrain knows of it."""
    return {
        **handoff.document,
        "id": handoff.id,
        "path": handoff.path,
        "hash": handoff.hash,
        "project": handoff.project,
        "source": handoff.origin,
        "claimed_by": handoff.claimed_by or None,
        "claimed_at": instant_of(handoff.claimed_at),
    }


def listed_lines(found: Sequence[Handoff], style: Style) -> Iterator[str]:
    for handoff in found:
        state = f" [{clean_line(handoff.claimed_by)} has it]" if handoff.claimed_by else ""
        told = _told(handoff)
        yield f"{style('dim', clean_line(handoff.id))}  {style('title', _line(handoff))}{state}"
        yield style("dim", f"  {told}")
    if not found:
        yield "No hand-off waits."


def handoff_lines(handoff: Handoff, style: Style) -> Iterator[str]:
    yield style("title", _line(handoff))
    yield style("dim", f"{clean_line(handoff.id)}  {_told(handoff)}")
    yield from clean(handoff.what_was_done).splitlines()
    if handoff.git_state:
        yield f"git: {clean_line(handoff.git_state)}"
    for name, said in (
        ("artifacts", handoff.artifacts),
        ("needs testing", handoff.needs_testing),
        ("known issues", handoff.known_issues),
        ("patterns", handoff.relevant_patterns),
    ):
        if said:
            yield f"{name}:"
            yield from (f"  - {clean_line(item)}" for item in said)
    if handoff.claimed_by:
        yield f"{clean_line(handoff.claimed_by)} has it since {instant_of(handoff.claimed_at)}"
    else:
        yield style("dim", f"it waits: engrain handoff claim {clean_line(handoff.id)} --agent NAME")


def claimed_lines(handoff: Handoff, outcome: str, style: Style) -> Iterator[str]:
    already = " already" if outcome == "unchanged" else ""
    yield style("good", f"{clean_line(handoff.claimed_by)} has it{already}.")
    yield from handoff_lines(handoff, style)


def ledger_lines(ledger: Mapping[str, Any], style: Style) -> Iterator[str]:
    yield style("title", clean_line(str(ledger.get("agent_id"))))
    for key, value in ledger.items():
        if key != "agent_id":
            yield from _value_lines(key, value, 0)


def ledgers_lines(found: Sequence[Mapping[str, Any]], style: Style) -> Iterator[str]:
    for ledger in found:
        agent, at, task = (
            clean_line(str(ledger.get(key) or "-"))
            for key in ("agent_id", "last_checkpoint", "current_task")
        )
        done = clean_line(str(ledger.get("tasks_completed") or 0))
        yield f"{style('title', agent)}  {style('dim', at)}  {done} done, now at {task}"
    if not found:
        yield "No ledgers."


def describe_checkpoint(checkpoint: Checkpoint, *, whole: bool) -> Data:
    """One checkpoint; but a `whole` one without its snapshot."""
    data: Data = {
        "id": checkpoint.entry.id,
        "name": checkpoint.name,
        "path": checkpoint.entry.path,
        "hash": checkpoint.entry.hash,
        "timestamp": instant_of(checkpoint.timestamp),
        "agent": checkpoint.agent,
        "project": checkpoint.project or None,
    }
    if whole:
        data |= {"snapshot": checkpoint.snapshot, "continuity_moved": checkpoint.moved}
    return data


def checkpoint_lines(checkpoint: Checkpoint, style: Style) -> Iterator[str]:
    by = f" by {clean_line(checkpoint.agent)}" if checkpoint.agent else ""
    yield style("title", clean_line(checkpoint.name))
    yield style("dim", f"saved {instant_of(checkpoint.timestamp)}{by}")
    for name, value in checkpoint.snapshot.items():
        if name == "given" and isinstance(value, str):
            yield from clean(value).splitlines()
        else:
            yield from _value_lines(name, value, 0)
    if checkpoint.moved:
        yield style("warning", "the working notes have changed since")


def checkpoints_lines(found: Sequence[Checkpoint], style: Style) -> Iterator[str]:
    for checkpoint in found:
        by = f"  {clean_line(checkpoint.agent)}" if checkpoint.agent else ""
        at = style("dim", instant_of(checkpoint.timestamp) or "-")
        yield f"{at}  {style('title', clean_line(checkpoint.name))}{by}"
    if not found:
        yield "No checkpoints."


def _line(handoff: Handoff) -> str:
    return clean_line(handoff.title)


def _told(handoff: Handoff) -> str:
    """When it was left, of which project, and whom the file comes from."""
    parts = [
        instant_of(handoff.timestamp) or "undated",
        clean_line(handoff.project or "no project"),
    ]
    if handoff.origin:
        parts.append(f"source: {clean_line(handoff.origin)}")
    return ", ".join(parts)


def _value_lines(name: str, value: object, depth: int) -> Iterator[str]:
    """A value of JSON, as an outline."""
    blank = " " * _INDENT * depth
    if isinstance(value, dict) and value:
        yield f"{blank}{clean_line(name)}:"
        for key, part in value.items():
            yield from _value_lines(str(key), part, depth + 1)
    elif isinstance(value, list) and any(isinstance(part, dict | list) for part in value):
        yield f"{blank}{clean_line(name)}:"
        for number, part in enumerate(value, 1):
            yield from _value_lines(str(number), part, depth + 1)
    else:
        parts = value if isinstance(value, list) else [value]
        said = ", ".join(clean_line(str(part)) for part in parts if part not in (None, {}))
        yield f"{blank}{clean_line(name)}: {said}"
