"""Episodes: the traces of tasks (S2.2), with exactly the seed's fields."""

from __future__ import annotations

from re import findall

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from typing import Any

    from engrain.model.field import Value

SUCCESS, FAILURE, INTERRUPTED = "success", "failure", "interrupted"


def episode_fields(document: Mapping[str, Any]) -> dict[str, Value]:
    """What an episode says of the fields of every entry; its outcome is a tag of it."""
    said = {"id": document.get("id"), "created": document.get("timestamp")}
    fields: dict[str, Value] = {
        key: value for key, value in said.items() if isinstance(value, str) and value
    }
    outcome = document.get("outcome")
    if isinstance(outcome, str) and outcome:
        fields["tags"] = [outcome]
    return fields


def render_episode(document: Mapping[str, Any]) -> tuple[str, str]:
    """An episode as a title, its goal, and the text under it."""
    context = document.get("context")
    context = context if isinstance(context, dict) else {}
    goal = " ".join(str(context.get("goal") or document.get("task_id") or "episode").split())
    return goal[:200], "\n".join(_lines(document, context)) + "\n"


def _lines(document: Mapping[str, Any], context: Mapping[str, Any]) -> Iterator[str]:
    if outcome := document.get("outcome"):
        yield f"Outcome: {outcome}"
    for name in ("constraints", "files_involved"):
        if said := _texts(context.get(name)):
            yield f"{name.replace('_', ' ').capitalize()}: " + ", ".join(map(_code, said))
    for error in _objects(document.get("errors_encountered")):
        parts = [_code(str(error[key])) for key in ("type", "message") if error.get(key)]
        fixed = f" Resolution: {_code(str(error['resolution']))}" if error.get("resolution") else ""
        yield f"Error: {' '.join(parts)}{fixed}"
    for action in _objects(document.get("action_log")):
        parts = [str(action.get("action") or "?")]
        parts += [
            _code(str(action[key])) for key in ("target", "result", "error") if action.get(key)
        ]
        yield "- " + " ".join(parts)


def _objects(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []


def _texts(value: object) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _code(text: str) -> str:
    """Text as a code span: what a trace says is no markup and no link."""
    text = " ".join(text.split())
    mark = "`" * (1 + max(map(len, findall("`+", text)), default=0))
    blank = " " if text[:1] == "`" or text[-1:] == "`" else ""
    return f"{mark}{blank}{text}{blank}{mark}"
