"""Episodes as tests file them."""

from __future__ import annotations

from typing import Any

from engrain import Memory
from engrain.language.text.instants import format_instant

TYPED = ("TypeScript compilation", "src/{name}.ts:{line} Missing return type annotation")
FIX = "Added explicit :void to the route handler"


def episode(
    id_: str,
    goal: str,
    at: float,
    *,
    outcome: str = "success",
    files: tuple[str, ...] = (),
    errors: tuple[tuple[str, str, str], ...] = (),
    phase: str = "work",
) -> dict[str, Any]:
    """An episode's document."""
    log: list[dict[str, Any]] = [
        {"t": 0, "action": "read_file", "target": "openapi.yaml"},
        {"t": 5, "action": "edit_file", "target": (files or ("a.ts",))[0]},
    ]
    log += [
        {"t": 9, "action": "run_test", "result": "fail", "error": message}
        for _, message, _ in errors
    ]
    return {
        "id": id_,
        "task_id": f"task-{id_}",
        "timestamp": format_instant(at),
        "duration_seconds": 20,
        "agent": "eng-001",
        "context": {"phase": phase, "goal": goal, "constraints": [], "files_involved": list(files)},
        "action_log": [*log, {"t": 19, "action": "run_test", "result": "pass"}],
        "outcome": outcome,
        "errors_encountered": [
            {"type": type_, "message": message, "resolution": resolution}
            for type_, message, resolution in errors
        ],
        "artifacts_produced": [],
        "git_commit": None,
    }


def todos(id_: str, at: float, **options: Any) -> dict[str, Any]:
    """One of many alike tasks."""
    return episode(
        id_,
        "Implement POST /api/todos endpoint",
        at,
        files=("src/routes/todos.ts", "src/db/todos.ts"),
        **options,
    )


def met(line: int, resolution: str = FIX, name: str = "routes/todos") -> tuple[str, str, str]:
    """The same error at another line."""
    return TYPED[0], TYPED[1].format(name=name, line=line), resolution


def ids_of(memory: Memory, kind: str) -> list[str]:
    """The active entries of a kind."""
    from engrain.engine.core.scope import Scope

    return [row.id for row in memory.list(scope=Scope(kinds=[kind], all_projects=True)).rows]
