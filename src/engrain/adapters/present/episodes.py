"""Episodes as plain data, and as text for a person at a terminal."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from engrain.adapters.present.records import Data, describe_outcome
from engrain.adapters.present.text import Style, clean, clean_line
from engrain.engine.episodes.episode import Filed
from engrain.model.experience.episode import FAILURE, INTERRUPTED, SUCCESS, is_failure
from engrain.model.note.documents import list_of, object_of, objects_of

_COLOURS = {SUCCESS: "good", FAILURE: "bad", INTERRUPTED: "warning"}


def describe_filed(filed: Filed) -> Data:
    return {**describe_outcome(filed), "told": list(filed.told)}


def describe_saved(filed: Sequence[Filed], problems: Sequence[tuple[int, str]]) -> Data:
    """What filing several came to, and which could not be, by their number from 1 up."""
    return {
        "episodes": [describe_filed(one) for one in filed],
        "problems": [{"number": number, "message": message} for number, message in problems],
    }


def describe_episode(id_: str, document: Mapping[str, Any], beside: Mapping[str, Any]) -> Data:
    return {"id": id_, "episode": dict(document), "engrain": dict(beside)}


def told_lines(filed: Filed, style: Style) -> Iterator[str]:
    for line in filed.told:
        yield style("warning", f"  {clean_line(line)}")


def problem_lines(problems: Sequence[tuple[int, str]], style: Style) -> Iterator[str]:
    for number, message in problems:
        yield style("warning", f"left out: episode {number}: {clean_line(message)}")


def episode_lines(
    id_: str, document: Mapping[str, Any], beside: Mapping[str, Any], style: Style
) -> Iterator[str]:
    context = object_of(document.get("context"))
    outcome = clean_line(str(document.get("outcome") or "unknown"))
    yield style("title", clean_line(str(context.get("goal") or id_)))
    facts = {
        "id": id_,
        "outcome": style(_COLOURS[outcome], outcome) if outcome in _COLOURS else outcome,
        "began": document.get("timestamp"),
        "lasted": f"{document.get('duration_seconds')} s",
        "agent": document.get("agent"),
        "task": document.get("task_id"),
        "phase": context.get("phase"),
        "project": beside.get("project"),
        "commit": document.get("git_commit"),
    }
    for name, value in facts.items():
        if value:
            said = value if name == "outcome" else clean_line(str(value))
            yield f"{style('dim', f'{name:<9}')}{said}"
    for name, values in (
        ("constraints", context.get("constraints")),
        ("files", context.get("files_involved")),
        ("made", document.get("artifacts_produced")),
    ):
        if said := ", ".join(clean_line(str(value)) for value in list_of(values)):
            yield f"{style('dim', f'{name:<9}')} {said}"
    yield ""
    for action in objects_of(document.get("action_log")):
        yield _action_line(action, style)
    omitted = object_of(beside.get("omitted"))
    if omitted:
        left = ", ".join(f"{count} {clean_line(str(what))}" for what, count in omitted.items())
        yield style("dim", f"left out: {left}")
    for error in objects_of(document.get("errors_encountered")):
        said = ": ".join(clean(str(error[key])) for key in ("type", "message") if error.get(key))
        yield f"{style('bad', 'error')} {clean_line(said)}"
        if error.get("resolution"):
            yield f"{style('good', '  mended')} {clean_line(str(error['resolution']))}"


def _action_line(action: Mapping[str, Any], style: Style) -> str:
    at = f"{action.get('t', 0):>8}"
    parts = [clean_line(str(action[key])) for key in ("action", "target") if action.get(key)]
    ended = [clean_line(str(action[key])) for key in ("result", "error") if action.get(key)]
    end = style("bad" if is_failure(action) else "dim", " ".join(ended)) if ended else ""
    return "  ".join(part for part in (style("dim", clean(at)), " ".join(parts), end) if part)
