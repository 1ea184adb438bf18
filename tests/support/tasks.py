"""Episodes of tasks that were done alike, as an agent would leave them."""

from __future__ import annotations

from typing import Any

GOALS = {
    "todos": "Implement POST /api/todos endpoint",
    "users": "Implement GET /api/users endpoint",
    "bills": "Implement the POST /api/bills endpoint",
}


def make_episode(resource: str, number: int = 0, outcome: str = "success") -> dict[str, Any]:
    """An endpoint for a resource, with a wrong turn that was mended."""
    routes = f"src/routes/{resource}.ts"
    log: list[dict[str, Any]] = [
        {"t": 0, "action": "read_file", "target": "openapi.yaml"},
        {"t": 5, "action": "write_file", "target": routes},
        {"t": 9, "action": "grep" if number % 2 else "ls", "target": resource},
        {"t": 120, "action": "run_test", "result": "fail", "error": "missing return type"},
        {"t": 140, "action": "edit_file", "target": routes},
        {"t": 180, "action": "run_test", "result": "pass"},
    ]
    return {
        "id": f"ep-{resource}-{number}",
        "task_id": f"task-{number}",
        "timestamp": "2026-01-06T10:30:00Z",
        "duration_seconds": 342,
        "agent": "eng-001-backend",
        "context": {
            "phase": "development",
            "goal": GOALS.get(resource, resource),
            "constraints": ["No third-party deps", f"Only {resource}"],
            "files_involved": ["openapi.yaml", routes, f"src/db/{resource}.ts"],
        },
        "action_log": log,
        "outcome": outcome,
        "errors_encountered": [
            {
                "type": "TypeScript compilation",
                "message": "Missing return type annotation",
                "resolution": "Added explicit :void to route handler",
            }
        ],
        "artifacts_produced": [routes],
        "git_commit": "abc123",
    }
