"""Episodes: the traces of tasks (S2.2), with exactly loki's fields."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from engrain.language.text.fences import code_span, shorten
from engrain.model.note.documents import list_of, object_of, objects_of, texts_of
from engrain.model.note.field import Value
from engrain.model.note.json_note import RecordKind, read_id_and_time

SUCCESS, FAILURE, PARTIAL = "success", "failure", "partial"
INTERRUPTED, UNKNOWN = "interrupted", "unknown"
OUTCOMES = (SUCCESS, FAILURE, PARTIAL, INTERRUPTED, UNKNOWN)
"""The ways in which a task may have ended."""

_FAILED = frozenset(("fail", "failed", "failure", "error"))

_TITLE = 200
"""The most characters of a title."""


def is_failure(action: Mapping[str, Any]) -> bool:
    """Whether an action of a log has an error, or a result that means failure."""
    return bool(action.get("error")) or str(action.get("result") or "").lower() in _FAILED


def episode_fields(document: Mapping[str, Any]) -> dict[str, Value]:
    """Return an episode's fields as an entry; its outcome is a tag."""
    fields = read_id_and_time(document)
    outcome = document.get("outcome")
    if isinstance(outcome, str) and outcome:
        fields["tags"] = [outcome]
    return fields


def summarize_episode(document: Mapping[str, Any]) -> tuple[dict[str, Any], int]:
    """Return an episode with a shortened log, and how many actions were left out. The first, the
    last, the failed actions and what followed them stay. A summary is its own summary."""
    actions = list_of(document.get("action_log"))
    failed = [at for at, action in enumerate(actions) if is_failure(object_of(action))]
    kept = {0, len(actions) - 1, *failed, *(at + 1 for at in failed)}
    left = [action for at, action in enumerate(actions) if at in kept]
    return {**document, "action_log": left} if left else dict(document), len(actions) - len(left)


def render_episode(document: Mapping[str, Any]) -> tuple[str, str]:
    """Return an episode as a title, which is its goal, and the text under it."""
    context = object_of(document.get("context"))
    goal = " ".join(str(context.get("goal") or document.get("task_id") or "episode").split())
    return shorten(goal, _TITLE), "\n".join(_lines(document, context)) + "\n"


def _lines(document: Mapping[str, Any], context: Mapping[str, Any]) -> Iterator[str]:
    if outcome := document.get("outcome"):
        yield f"Outcome: {outcome}"
    for name in ("constraints", "files_involved"):
        if said := texts_of(context.get(name)):
            yield f"{name.replace('_', ' ').capitalize()}: " + ", ".join(map(code_span, said))
    for error in objects_of(document.get("errors_encountered")):
        parts = [code_span(str(error[key])) for key in ("type", "message") if error.get(key)]
        if fixed := error.get("resolution"):
            parts += ["Resolution:", code_span(str(fixed))]
        yield f"Error: {' '.join(parts)}"
    for action in objects_of(document.get("action_log")):
        said = [str(action[key]) for key in ("target", "result", "error") if action.get(key)]
        yield " ".join(["-", str(action.get("action") or "?"), *map(code_span, said)])


RECORD = RecordKind(render_episode, episode_fields)
