"""What is recalled before a task, as plain data."""

from __future__ import annotations

from engrain.adapters.present.records import Data
from engrain.engine.core.recalled import Recall, Recalled, TaskRecall
from engrain.engine.recall.excerpts import summarise


def describe_task(recall: Recall) -> dict[str, list[Data]]:
    """Return the parts of a recall before a task, each entry in one line (S2.10)."""
    if not isinstance(recall, TaskRecall):
        return {}
    parts = {
        "relevant_patterns": recall.relevant_patterns,
        "avoid_these": recall.avoid_these,
        "applicable_skills": recall.applicable_skills,
    }
    return {name: [_summarise(found) for found in part] for name, part in parts.items()}


def _summarise(found: Recalled) -> Data:
    return {"id": found.row.id, "kind": found.row.kind, "summary": summarise(found)}
