"""What a tree that was imported says of what replaced what holds here too (S1.15, S2.9)."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from engrain import Memory, Scope
from support.loki import PATTERN
from support.vaults import make_memory
from unit.engine.core.vault_files import put
from unit.interchange.trees import take_in

ASKED = "which types do handlers return"
OLD: dict[str, Any] = {
    **PATTERN,
    "id": "sem-031",
    "pattern": "Handlers return what the compiler infers of them",
    "conditions": ["A small service"],
    "correct_approach": "Leave the types away",
    "incorrect_approach": "Long signatures",
    "links": [],
}
NEW: dict[str, Any] = {**PATTERN, "id": "sem-032", "links": []}


def link(to: str, relation: str) -> dict[str, list[dict[str, str]]]:
    return {"links": [{"to": to, "relation": relation}]}


def recalled(memory: Memory, **scope: bool) -> list[str]:
    found = memory.recall(ASKED, profile="deep", scope=Scope(**scope))  # type: ignore[arg-type]
    return sorted(one.row.id for one in found.results)


@pytest.mark.parametrize("trust", ["operator", "agent"])
@pytest.mark.parametrize(
    ("old", "new"),
    [
        (link("sem-032", "superseded_by"), {}),
        ({}, link("sem-031", "supersedes")),
        (link("sem-032", "superseded_by"), link("sem-031", "supersedes")),
    ],
    ids=["the old one says it", "the new one says it", "both say it"],
)
def test_of_two_patterns_the_one_that_holds_is_recalled(
    tmp_path: Path, trust: str, old: dict[str, Any], new: dict[str, Any]
) -> None:
    with make_memory(tmp_path, trust=trust) as memory:
        take_in(memory, {"semantic/patterns.json": [{**OLD, **old}, {**NEW, **new}]})
        assert recalled(memory) == ["sem-032"]
        assert recalled(memory, include_superseded=True) == ["sem-031", "sem-032"]
        before = memory.recall(ASKED, profile="task").results
        assert [one.row.id for one in before] == ["sem-032"]


@pytest.mark.parametrize(
    ("old", "new"), [("superseded_by: new", ""), ("", "supersedes: old"), ("", "supersedes: [old]")]
)
def test_of_two_notes_of_a_folder_the_one_that_holds_is_recalled(
    memory: Memory, tmp_path: Path, old: str, new: str
) -> None:
    for name, said in (("old", old), ("new", new)):
        put(
            tmp_path / "tree",
            f"{name}.md",
            f"---\nid: {name}\n{said}\n---\n# {name}\nThe pooler.\n",
        )
    memory.import_folder(str(tmp_path / "tree"))
    assert [one.row.title for one in memory.recall("the pooler").results] == ["new"]
