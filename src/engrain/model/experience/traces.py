"""An episode as consolidation looks at it: what was wanted, touched, done, and went wrong.

It is read leniently from a document that anybody may have written, and holds no more than is
compared, so that ten thousand fit in memory.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from engrain.model.experience.episode import UNKNOWN, is_failure
from engrain.model.experience.error_signature import error_signature
from engrain.model.note.documents import object_of, objects_of

_MOST_ACTIONS = 64
_MOST_ERRORS = 50
_MOST_FILES = 50
_MOST_TEXT = 600


@dataclass(slots=True, eq=False)
class TraceError:
    """An error of an episode, with its resolution ("" for none) and the types of action in which
    it was met."""

    type: str
    message: str
    resolution: str
    actions: Sequence[str]
    signature: str = field(init=False)

    def __post_init__(self) -> None:
        self.actions = tuple(self.actions)
        self.signature = error_signature(self.type, self.message)


class Trace:
    """One episode. `at` is when it began (epoch seconds, 0 where it does not say); `actions` are
    (type, target, whether it failed), those alike once."""

    __slots__ = (
        "actions", "at", "constraints", "errors", "files", "goal", "id", "outcome", "phase",
        "project",
    )  # fmt: skip

    def __init__(
        self,
        id_: str,
        document: Mapping[str, Any],
        *,
        project: str = "",
        at: float = 0.0,
        outcome: str = "",
    ) -> None:
        context = object_of(document.get("context"))
        log = objects_of(document.get("action_log"))
        self.id = id_
        self.project = project
        self.at = at
        self.goal = _line(context.get("goal"))
        self.phase = _line(context.get("phase"))
        self.outcome = outcome or _line(document.get("outcome")) or UNKNOWN
        self.constraints = _lines(context.get("constraints"))
        touched = [
            *_lines(context.get("files_involved")),
            *_lines(document.get("artifacts_produced")),
        ]
        self.files = tuple(dict.fromkeys(touched))[:_MOST_FILES]
        done = (
            (_line(one.get("action")), _line(one.get("target")), is_failure(one)) for one in log
        )
        self.actions = tuple(dict.fromkeys(step for step in done if step[0]))[:_MOST_ACTIONS]
        self.errors = tuple(_read_errors(document, log))


def _read_errors(
    document: Mapping[str, Any], log: Sequence[Mapping[str, Any]]
) -> Iterator[TraceError]:
    """Each error once by its signature; a later one that was resolved stands for an earlier."""
    failed = [(_line(one.get("action")), _text(one.get("error"))) for one in log if is_failure(one)]
    met = [(action, error_signature("", error)) for action, error in failed if error]
    found: dict[str, TraceError] = {}
    for one in objects_of(document.get("errors_encountered")):
        message = _text(one.get("message"))
        error = TraceError(_line(one.get("type")), message, _line(one.get("resolution")), ())
        if not error.signature:
            continue
        bare = error_signature("", message)
        actions = [action for action, signature in met if signature and signature == bare]
        if not actions:  # the only ones that failed are those it was met in
            actions = [action for action, _ in failed]
        before = found.get(error.signature)
        if before is None or (error.resolution and not before.resolution):
            error.actions = tuple(sorted(set(actions)))
            found[error.signature] = error
    yield from list(found.values())[:_MOST_ERRORS]


def _text(value: object) -> str:
    return value[: 8 * _MOST_TEXT] if isinstance(value, str) else ""


def _line(value: object) -> str:
    return " ".join(_text(value).split())[:_MOST_TEXT]


def _lines(value: object) -> tuple[str, ...]:
    return tuple(filter(None, map(_line, value))) if isinstance(value, list) else ()
