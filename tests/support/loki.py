"""A made-up `.loki/memory` folder with every schema of loki and every field of each, odd values
among them; and how such folders are read, written and compared."""

from __future__ import annotations

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from engrain.model.note.note import split_note

EPISODE: dict[str, Any] = {
    "id": "ep-2026-01-06-001",
    "task_id": "task-042",
    "timestamp": "2026-01-06T10:30:00Z",
    "duration_seconds": 342,
    "agent": "eng-001-backend",
    "context": {
        "phase": "development",
        "goal": "Implement POST /api/todos endpoint",
        "constraints": ["No third-party deps", "< 200ms response"],
        "files_involved": ["src/routes/todos.ts", "src/db/todos.ts"],
    },
    "action_log": [
        {"t": 0, "action": "read_file", "target": "openapi.yaml"},
        {"t": 120, "action": "run_test", "result": "fail", "error": "missing return type"},
        {"t": 180, "action": "run_test", "result": "pass"},
    ],
    "outcome": "success",
    "errors_encountered": [
        {
            "type": "TypeScript compilation",
            "message": "Missing return type annotation",
            "resolution": "Added explicit :void to route handler",
        }
    ],
    "artifacts_produced": ["src/routes/todos.ts", "tests/todos.test.ts"],
    "git_commit": "abc123",
}
PATTERN: dict[str, Any] = {
    "id": "sem-001",
    "pattern": "Express route handlers require explicit return types in strict mode",
    "category": "typescript",
    "conditions": ["Using TypeScript strict mode", "Writing Express route handlers"],
    "correct_approach": "Add `: void` to handler signature: `(req, res): void =>`",
    "incorrect_approach": "Omitting return type annotation",
    "confidence": 0.95,
    "source_episodes": ["ep-2026-01-06-001", "ep-2026-01-05-012"],
    "usage_count": 8,
    "last_used": "2026-01-06T14:00:00Z",
    "links": [{"to": "sem-005", "relation": "related_to"}],
}
ODD_PATTERN: dict[str, Any] = {
    "id": 7,
    "pattern": "Zwei Zeilen\nund [[ein Verweis]] — ünïcode 🜁",
    "conditions": ["a\nb", "", "- bullet", "## When"],
    "correct_approach": "## Do\n\n```\n## Avoid\n```\n\ttail  \n",
    "incorrect_approach": None,
    "confidence": "high",
    "source_episodes": [],
    "usage_count": -1,
    "last_used": 1767708000,
    "links": [],
    "reviewed_by": {"name": "Ada", "at": [1, 2.5, None, True, {"deep": ["x"]}]},
    "tags": ["own", "unknown key"],
}
TREE: dict[str, Any] = {
    "episodic/2026-01-06/ep-2026-01-06-001.json": EPISODE,
    "episodic/2026-01-05/ep-2026-01-05-012.json": {
        **EPISODE,
        "id": "ep-2026-01-05-012",
        "timestamp": "2026-01-05T08:00:00+02:00",
        "outcome": "failure",
        "action_log": [],
        "errors_encountered": [],
        "x_unknown": {"kept": ["yes", 1]},
    },
    "semantic/patterns.json": [
        PATTERN,
        {
            **PATTERN,
            "id": "sem-005",
            "pattern": "Regenerate the types after each change of the schema",
            "correct_approach": "line one\n\nline two\n# not a heading\n",
            "links": [{"to": "sem-001", "relation": "related_to"}],
        },
        ODD_PATTERN,
    ],
    "semantic/anti-patterns.json": [
        {
            "what_fails": "TypeScript compilation",
            "why": "Missing return type annotation",
            "prevention": "Added explicit :void to route handler",
            "source": "ep-2026-01-06-001",
        },
        {"id": "anti-2", "what_fails": "x" * 300, "why": "", "prevention": "", "source": "gone"},
        {"id": "anti-3", "what_fails": "ENOSPC", "sources": ["a", "b"], "confidence": 0.5},
    ],
    "semantic/facts.json": [
        {
            "id": "fact-1",
            "fact": "The API listens on port 8080",
            "category": "infrastructure",
            "confidence": 0.9,
            "source_episodes": ["ep-2026-01-06-001"],
            "verified": True,
        },
        {"id": "fact-2", "fact": "Two lines\n\nwith a *body*\n"},
        {"id": "fact-3", "fact": "", "category": 5, "confidence": 1, "source_episodes": None},
    ],
    "semantic/links.json": [
        {"from": "sem-001", "to": "sem-005", "relation": "related_to"},
        {"from": "sem-005", "to": "sem-001", "relation": "related_to"},
        {"from": "ep-2026-01-06-001", "to": "sem-001", "relation": "example_of"},
    ],
    "ledgers/eng-001-backend.json": {
        "agent_id": "eng-001-backend",
        "last_checkpoint": "2026-01-06T10:00:00Z",
        "tasks_completed": 12,
        "current_task": "task-042",
        "state": {
            "files_modified": ["src/routes/todos.ts"],
            "uncommitted_changes": True,
            "last_git_commit": "abc123",
        },
        "context": {
            "tech_stack": ["express", "typescript", "sqlite"],
            "patterns_learned": ["sem-001", "sem-005"],
            "current_goal": "Implement CRUD for todos",
        },
    },
    "handoffs/handoff-001.json": {
        "id": "handoff-001",
        "from_agent": "eng-001-backend",
        "to_agent": "qa-001-testing",
        "timestamp": "2026-01-06T11:00:00Z",
        "context": {
            "what_was_done": "Implemented POST /api/todos endpoint",
            "artifacts": ["src/routes/todos.ts"],
            "git_state": "commit abc123",
            "needs_testing": ["unit tests for validation", "contract tests"],
            "known_issues": [],
            "relevant_patterns": ["sem-001"],
        },
    },
    "learnings/2026-01-06.json": [
        {"id": "learn-1", "timestamp": "2026-01-06T12:00:00Z", "lesson": "Annotate handlers"},
        {"lesson": "Run the contract tests", "n": 1.5},
    ],
    "skills/api-implementation.md": (
        "# Skill: API Endpoint Implementation\n\n## Prerequisites\n- OpenAPI spec exists\n\n"
        "## Steps\n1. Read endpoint spec\n2. Run tests, verify passing\n\n"
        "## Common Errors & Fixes\n- Missing return type: Add `: void` to handler\n\n"
        "## Exit Criteria\n- All contract tests pass\n"
    ),
    "skills/Fremde Schrift 文.md": "---\nauthor: Ada\nsteps: [1, 2]\n---\nNo heading, no end",
}


def write_tree(folder: Path, tree: Mapping[str, Any] = TREE) -> Path:
    """A folder with these files."""
    for name, content in tree.items():
        path = folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        text = content if isinstance(content, str) else json.dumps(content, indent=1)
        path.write_text(text, encoding="utf-8", newline="")
    return folder


def as_files(tree: Mapping[str, Any]) -> dict[str, bytes]:
    """The files of a tree as bytes."""
    return {
        name: (content if isinstance(content, str) else json.dumps(content)).encode()
        for name, content in tree.items()
    }


def read_tree(files: Mapping[str, bytes]) -> dict[str, Any]:
    """What files of the layout say, in one spelling: of a list the order says nothing, and the
    index of the episodes is derived. Each document is one canonical text."""
    said: dict[str, Any] = {}
    for name, raw in files.items():
        if name == "episodic/index.json":
            continue
        if name.endswith(".json"):
            said[name] = sorted(map(spell, list_documents(name, raw)))
        else:
            said[name] = raw.decode()
    return said


def list_documents(name: str, raw: bytes) -> list[dict[str, Any]]:
    """The documents of a file."""
    value = json.loads(raw)
    if name in ("semantic/patterns.json", "semantic/anti-patterns.json") and isinstance(
        value, dict
    ):
        (value,) = value.values()
    return value if isinstance(value, list) else [value]


ODD = (7, "fact-3")
"""Documents with values of a wrong type, which are not believed."""


def list_lost(tree: Mapping[str, Any], files: Mapping[str, bytes]) -> list[Any]:
    """The documents of a tree that an export does not give back with every value they have."""
    lost: list[Any] = []
    for name, raw in as_files(tree).items():
        if name.endswith(".md"):
            lost += [] if split_note(files[name]).body == split_note(raw).body else [name]
            continue
        back = [{**one.pop("engrain", {}), **one} for one in list_documents(name, files[name])]
        for one in list_documents(name, raw):
            said = {key: value for key, value in one.items() if value not in (None, "", [])}
            found = any({key: each.get(key) for key in said} == said for each in back)
            lost += [] if found or one.get("id") in ODD else [one]
    return lost


def spell(value: Any) -> str:
    """A value's one spelling."""
    return json.dumps(value, sort_keys=True, ensure_ascii=False)


def read_folder(folder: Path) -> dict[str, bytes]:
    """Every file below a folder."""
    return {
        path.relative_to(folder).as_posix(): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }
