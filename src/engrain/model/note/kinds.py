"""The table of kinds: a kind decides where an entry is filed, which tier owns it and how it fades
(S1.6, DESIGN section 5).

An unknown kind is allowed, gets the defaults of `kind_of`, and is reported by `doctor`.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Kind:
    """One row of the table.

    `folder` is relative to the vault's root, with `{project}` for the entry's project;
    `operator_folder` is the folder for statements of the operator, if that differs.
    `retention` is a class of the decay rule: normal, slow, protected, kept, confidence, episode.
    `projectless` kinds belong to no project unless one is named explicitly.
    """

    name: str
    folder: str
    retention: str = "normal"
    operator_folder: str | None = None
    projectless: bool = False

    @property
    def known(self) -> bool:
        """Whether the table has this kind."""
        return self.name in KINDS


_ROWS = (
    Kind("preference", "Memory/preference", "slow", "preferences", projectless=True),
    Kind("feedback", "Memory/feedback", "slow", "feedback", projectless=True),
    Kind("workflow", "Memory/workflow"),
    Kind("fix", "Memory/fix"),
    Kind("decision", "Memory/decision"),
    Kind("domain-reference", "Memory/domain-reference"),
    Kind("skill-pointer", "Memory/skill-pointer"),
    Kind("insight", "Memory/insight"),
    Kind("idea", "Memory/_idea-incubator"),
    Kind("crystallized", "Memory/crystallized", "slow"),
    Kind("identity", "Memory/core", "protected"),
    Kind("value", "Memory/core", "protected"),
    Kind("relationship", "Memory/core", "protected"),
    Kind("commitment", "Memory/core", "protected"),
    Kind("memory", "Memory/active"),
    Kind("procedural", "Memory/procedural", "slow"),
    Kind("pattern", "Memory/pattern", "confidence"),
    Kind("anti-pattern", "Memory/anti-pattern", "confidence"),
    Kind("episode", "Memory/episodic", "episode"),
    Kind("learning", "Memory/learnings"),
    Kind("entity", "Memory/entities", "kept"),
    Kind("daily", "Memory/daily"),
    Kind("design", "projects/{project}/designs", "kept"),
    Kind("plan", "projects/{project}/_harness", "kept"),
    Kind("roadmap", "projects/{project}", "kept"),
    Kind("progress", "projects/{project}", "kept"),
    Kind("opinion", "Memory/opinion", "slow"),
    Kind("persona", "Memory/persona", "slow"),
    Kind("handoff", "Memory/handoffs", "kept"),
    Kind("ledger", "Memory/ledgers", "kept"),
    Kind("checkpoint", "Memory/checkpoints", "kept"),
    Kind("continuity", "projects/{project}/_harness", "kept"),
    Kind("features", "projects/{project}/_harness", "kept"),
    Kind("proposal", "Memory/_dream-staging", "kept"),
)

KINDS: dict[str, Kind] = {row.name: row for row in _ROWS}

DEFAULT_KIND = "memory"
IMPORT_KIND = "domain-reference"


def kind_of(name: str) -> Kind:
    """Return the row for `name`; an unknown kind is filed under its own name and fades normally."""
    return KINDS.get(name) or Kind(name, f"Memory/{name}")
