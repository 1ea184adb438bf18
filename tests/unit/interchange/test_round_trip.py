"""What came in by the loki layout goes out as it was, and what goes out comes in again."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from engrain import Memory
from engrain.engine.core.scope import Scope
from engrain.engine.episodes.episode import save_episode
from support.loki import EPISODE, PATTERN, TREE, list_lost, read_tree
from support.vaults import make_memory
from unit.interchange.trees import take_in, write_out


def test_every_field_of_an_imported_tree_comes_back(memory: Memory) -> None:
    imported = take_in(memory, TREE)
    assert imported.problems == []
    assert imported.counts == {"created": 17}
    assert list_lost(TREE, write_out(memory)) == []


def test_the_same_tree_again_changes_nothing(memory: Memory) -> None:
    take_in(memory, TREE)
    before = len(memory.history())
    again = take_in(memory, TREE)
    assert (again.counts, again.problems) == ({"unchanged": 17}, [])
    assert len(memory.history()) == before


def test_an_export_comes_into_another_vault_and_out_of_it_the_same(
    memory: Memory, tmp_path: Path
) -> None:
    take_in(memory, TREE)
    first = write_out(memory)
    with make_memory(tmp_path / "other") as other:
        imported = take_in(other, first)
        assert imported.problems == []
        assert read_tree(write_out(other)) == read_tree(first)


def test_an_export_comes_back_into_its_own_vault_unchanged(memory: Memory) -> None:
    take_in(memory, TREE)
    again = take_in(memory, write_out(memory), name="myself")
    assert (again.counts, again.problems) == ({"unchanged": 17}, [])


def test_what_was_made_here_comes_into_another_vault_and_out_of_it_the_same(
    memory: Memory, tmp_path: Path
) -> None:
    fill(memory)
    first = write_out(memory)
    assert {name.partition("/")[0] for name in first} == {
        "episodic", "semantic", "skills", "ledgers", "handoffs", "learnings",
    }  # fmt: skip
    with make_memory(tmp_path / "other") as other:
        imported = take_in(other, first)
        assert imported.problems == []
        assert read_tree(write_out(other)) == read_tree(first)
        again = take_in(other, first)
        assert (set(again.counts), again.problems) == ({"unchanged"}, [])


def test_what_was_made_here_has_the_fields_of_the_seed(memory: Memory) -> None:
    fill(memory)
    files = write_out(memory)
    assert [name for name in files if name.endswith("/task-ep-1.json")]
    seen = 0
    for name, raw in files.items():
        if name.endswith(".json") and name.startswith(("episodic/2", "semantic", "handoffs")):
            value = json.loads(raw)
            if name in ("semantic/anti-patterns.json", "semantic/patterns.json"):
                [value] = value.values()
            for document in value if isinstance(value, list) else [value]:
                folder, _, rest = name.partition("/")
                assert set(document) <= SEED[rest[:-5] if folder == "semantic" else folder]
                seen += 1
    assert seen >= 5
    statuses = {
        document["id"]: document["engrain"]["status"]
        for document in json.loads(files["semantic/patterns.json"])["patterns"]
        if "status" in document.get("engrain", {})
    }
    assert list(statuses.values()) == ["superseded"]


def fill(memory: Memory) -> None:
    """Two alike episodes, what consolidation makes of them, and an entry of each other kind."""
    store = memory._ready()
    for number in (1, 2):
        document: dict[str, Any] = {**EPISODE, "id": f"ep-{number}"}
        document["timestamp"] = f"2026-09-2{number}T00:00:00Z"
        save_episode(store, document, project="todos")
    memory.episodes.consolidate(since=0)
    memory.save("The API listens on port 8080.\n\nBehind a proxy.", kind="domain-reference")
    memory.save(str(TREE["skills/api-implementation.md"]), kind="procedural", tags=["api"])
    handoff = memory.handoffs.create("qa-001", "Implemented the endpoint", agent="eng-001")
    memory.handoffs.claim(handoff.id, "qa-001")
    memory.handoffs.save_ledger("eng-001", task="task-042", goal="CRUD")
    first, second = memory.list(limit=2, scope=Scope(all_projects=True)).rows
    memory.link(first.id, second.id, "elaborates")
    alike = [{**PATTERN, "id": f"sem-{number}", "links": []} for number in (1, 2)]
    take_in(memory, {"semantic/patterns.json": alike})
    memory.jobs.dream(only=["duplicate"])
    memory.review.accept_all("merge")
    memory.archive("ep-2")


OURS = {"engrain"}
SEED = {
    "patterns": set(PATTERN) | OURS,
    "anti-patterns": {"id", "what_fails", "why", "prevention", "source"} | OURS,
    "facts": {"id", "fact", "category", "confidence", "source_episodes"} | OURS,
    "links": {"from", "to", "relation"},
    "handoffs": set(TREE["handoffs/handoff-001.json"]) | OURS,
    "episodic": set(EPISODE) | OURS,
}
