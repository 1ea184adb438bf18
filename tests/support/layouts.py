"""Made-up folders of other memories: a workspace of three layers and a living memory, odd values
among them; and how such trees are taken in and written out."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from engrain import Memory
from engrain.engine.core.outcomes import Imported
from engrain.interchange.living import LIVING_LAYOUT
from engrain.interchange.three_layer import THREE_LAYER

FACT: dict[str, Any] = {
    "id": "6f0c6f0e-1111-4c52-9a37-0c4a3a3b0001",
    "content": "Alice started her new job at Acme Corp",
    "source": "conversation",
    "sourceRef": "session-17",
    "entityType": "person",
    "createdAt": "2026-01-28T23:00:00Z",
    "status": "active",
    "supersedes": "6f0c6f0e-1111-4c52-9a37-0c4a3a3b0000",
    "edge": {"subject": "alice", "predicate": "works_at", "object": "acme-corp"},
    "valid_from": "2026-01-26T00:00:00Z",
    "valid_to": None,
}
OLD_FACT: dict[str, Any] = {
    **FACT,
    "id": "6f0c6f0e-1111-4c52-9a37-0c4a3a3b0000",
    "content": "Alice works at Beta Ltd",
    "createdAt": "2025-02-01T09:00:00Z",
    "status": "historical",
    "supersedes": None,
    "edge": {"subject": "alice", "predicate": "works_at", "object": "beta-ltd"},
    "valid_from": None,
    "valid_to": "2026-01-26T00:00:00Z",
}
ALICE = "memory/entities/alice/items.json"
INDEX = "memory/entities/index.json"
DAY = "memory/2026-01-28.md"

WORKSPACE: dict[str, Any] = {
    "MEMORY.md": "# How I work\n\n## Communication\n\n- Short answers\n",
    "memory/ARCHITECTURE.md": "# Architecture\n",
    DAY: "# 2026-01-28\n\n- 23:00 Alice told about her new job\n",
    "memory/2026-01-29.md": "---\nmood: [calm, 3]\n---\nNo heading, no end",
    INDEX: {
        "entities": {
            "alice": {"name": "Alice Moreau", "entityType": "person", "aliases": ["Ali", "alm"]},
            "acme-corp": {"name": "Acme Corp", "entityType": "company", "aliases": []},
        }
    },
    ALICE: [OLD_FACT, FACT],
    "memory/entities/alice/summary.md": "# Alice\n\nWorks at Acme.\n",
    "memory/entities/acme-corp/items.json": [
        {**FACT, "id": "acme-1", "content": "Acme Corp makes anvils — «schwer» 🜁", "edge": None,
         "entityType": "company", "supersedes": None, "source": "manual", "sourceRef": None},
    ],
    "memory/pipelines/retrieve-memory.sh": "exit 1\n",
}  # fmt: skip

FRONT = """\
id: abc12345
created: '2026-01-31T15:47:00'
last_recalled: '2026-01-31T17:30:00'
recall_count: 5
emotional_weight: 0.8
tags: [coordination, agents]
links: [def45678]
sessions_since_recall: 2
"""
PROJECT = "active/project-abc123.md"
LIVING: dict[str, Any] = {
    "core/identity.md": "---\nid: core0001\nemotional_weight: 1\n---\n# Who I am\n\nLaminar.\n",
    "core/relationships.md": "---\nid: core0002\n---\n# People\n\nAda.\n",
    PROJECT: f"---\n{FRONT}---\n# The project\n\nIt depends on [[meeting-def456]].\n",
    "active/meeting-def456.md": "---\nid: def45678\nlinks: [abc12345]\nmood: {day: [1, no]}\n---\n"
    "# The meeting\n\nWe met.\n",
    "archive/compressed-ghi789.md": "---\nid: ghi78901\nrecall_count: 1\n---\n# Old\n\nLess.\n",
    "procedural/operations.md": "---\nid: proc0001\n---\n# How to deploy\n\n1. Push\n",
    "active/plain.md": "No frontmatter at all.\n",
}


def _note_of_the_seed(id_: str, title: str, **fields: Any) -> bytes:
    """A note as the living memory's seed writes it: all eight fields in its order."""
    said = {
        "created": "'2026-01-30T10:00:00'", "last_recalled": "'2026-01-31T10:00:00'",
        "recall_count": 1, "emotional_weight": 0.3, "tags": "[one, two]", "links": "[]",
        "sessions_since_recall": 0, **fields,
    }  # fmt: skip
    lines = [f"id: {id_}", *(f"{key}: {value}" for key, value in said.items())]
    return "\n".join(["---", *lines, "---", "", f"# {title}", "", f"All of {title}.", ""]).encode()


SEED_LIVING = {
    "core/identity.md": _note_of_the_seed("core0001", "Who I am", emotional_weight=1.0),
    "active/project-abc123.md": _note_of_the_seed(
        "abc12345", "The project", links="[def45678]", sessions_since_recall=2, recall_count=5
    ),
    "active/meeting-def456.md": _note_of_the_seed(
        "def45678", "The meeting", last_recalled="null", recall_count=0, sessions_since_recall=6
    ),
    "archive/compressed-ghi789.md": _note_of_the_seed(
        "ghi78901", "Long ago", links="[abc12345]", sessions_since_recall=40
    ),
    "procedural/operations.md": _note_of_the_seed("proc0001", "How to deploy", tags="[]"),
}
"""A living memory built by hand from its seed's description: links that go one way, a memory that
was never recalled, one that is about to fade, one that has."""

SEED_VAULT = {
    "fixes/pg-lock.md": "---\ncreated: 2026-01-31T15:47:00Z\ntags: [postgres, locks]\nkind: fix\n"
    "slug: pg-lock\nstatus: active\n---\n# Advisory locks\n\nSee [[pooler]] and [[other/dates]].\n",
    "fixes/pooler.md": "---\ncreated: 2026-02-01T09:00:00Z\nupdated: 2026-02-03T09:00:00Z\n---\n"
    "# The pooler\n\nIt drops prepared statements.\n",
    "other/dates.md": "# Dates\n\nNo frontmatter at all.\n",
}
"""A folder of the memory pillar's kind: markdown with frontmatter, links between the notes."""


def as_bytes(tree: Mapping[str, Any]) -> dict[str, bytes]:
    """The files of a tree, whose contents are documents, texts or bytes."""
    said = {
        name: content if isinstance(content, str | bytes) else json.dumps(content)
        for name, content in tree.items()
    }
    return {name: text.encode() if isinstance(text, str) else text for name, text in said.items()}


def take_workspace(
    memory: Memory, tree: Mapping[str, Any], name: str = "ws", **more: Any
) -> Imported:
    """Import a workspace of three layers."""
    files = as_bytes(tree)
    ordered = ((path, files[path]) for path in THREE_LAYER.in_reading_order(files))
    return memory.exchange.import_layout("three-layer", ordered, name=name, **more)


def write_workspace(memory: Memory, **more: Any) -> dict[str, bytes]:
    """The files of an export that leaves nothing out."""
    export = memory.exchange.export_layout("three-layer", **more)
    files = dict(export.files())
    assert export.left_out == []
    return files


def take_living(
    memory: Memory, tree: Mapping[str, Any], name: str = "agent", **more: Any
) -> Imported:
    """Import a living memory."""
    files = as_bytes(tree)
    ordered = ((path, files[path]) for path in LIVING_LAYOUT.in_reading_order(files))
    return memory.exchange.import_layout("living", ordered, name=name, **more)


def write_living(memory: Memory, **more: Any) -> dict[str, bytes]:
    """The files of an export that leaves nothing out."""
    export = memory.exchange.export_layout("living", **more)
    files = dict(export.files())
    assert export.left_out == []
    return files


def documents_of(files: Mapping[str, bytes]) -> dict[str, Any]:
    """What files of three layers say; a summary is made of the facts."""
    return {
        name: json.loads(raw) if name.endswith(".json") else raw.decode()
        for name, raw in files.items()
        if not name.endswith("/summary.md")
    }
