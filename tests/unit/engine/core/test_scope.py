"""Scopes: which entries `recall` and `list` answer with (S1.6, S1.9)."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from engrain import Memory, Scope
from engrain.engine.core import upkeep
from engrain.engine.core.scope import make_filter, own_projects, passes
from support.vaults import START, make_memory
from unit.engine.core.vault_files import delete_index, find, put, titles

DAY = 86400.0


def saved_for_filters(memory: Memory) -> None:
    memory.save("lock", title="One", kind="fix", tags=["a"], created=START - 10 * DAY)
    memory.save("lock", title="Two", kind="decision", tags=["a", "b"], created=START - 5 * DAY)
    memory.save("lock", title="Three", kind="fix", project="billing", created=START)
    memory.save("lock", title="Four", kind="design", project="billing", created=START + DAY)


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(), {"One", "Two"}),
        (Scope(kinds=["fix"]), {"One"}),
        (Scope(kinds=["fix", "decision"]), {"One", "Two"}),
        (Scope(kinds=["no-such-kind"]), set()),
        (Scope(tags=["b"]), {"Two"}),
        (Scope(tags=["a"]), {"One", "Two"}),
        (Scope(tags=["b", "c"]), {"Two"}),
        (Scope(project="billing"), {"One", "Two", "Three", "Four"}),
        (Scope(project="payroll"), {"One", "Two"}),
        (Scope(all_projects=True), {"One", "Two", "Three", "Four"}),
        (Scope(all_projects=True, tiers=["T2"]), {"Four"}),
        (Scope(all_projects=True, tiers=["T3"]), {"One", "Two", "Three"}),
        (Scope(all_projects=True, since=START - 5 * DAY), {"Two", "Three", "Four"}),
        (Scope(all_projects=True, until=START - 5 * DAY), {"One", "Two"}),
        (Scope(all_projects=True, since=START - 6 * DAY, until=START - DAY), {"Two"}),
        (Scope(project="billing", kinds=["fix"], tags=["a"]), {"One"}),
    ],
)
@pytest.mark.parametrize("with_index", [True, False])
def test_a_recall_keeps_to_its_scope_with_an_index_and_without(
    memory: Memory,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scope: Scope,
    expected: set[str],
    with_index: bool,
) -> None:
    saved_for_filters(memory)
    if not with_index:
        monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
        delete_index(tmp_path / "state")
    found = memory.recall("lock", scope=scope)
    assert (found.degraded is None) == with_index
    assert set(titles(found)) == expected
    if with_index:
        listing = memory.list(scope=scope)
        assert (set(titles(listing)), listing.total) == (expected, len(expected))


def test_the_current_project_is_the_scope_by_default(tmp_path: Path) -> None:
    with make_memory(tmp_path, project="billing") as memory:
        saved_for_filters(memory)
        assert set(find(memory, "lock")) == {"One", "Two", "Three", "Four"}
    with make_memory(tmp_path, project="payroll") as memory:
        assert memory.list().total == 0
        assert memory.list(scope=Scope(all_projects=True)).total == 4


def test_what_only_another_project_has_is_counted(memory: Memory) -> None:
    memory.save("Take the lock.", title="One", kind="fix", project="billing")
    memory.save("Take the lock.", title="Two", kind="fix", project="payroll")
    found = memory.recall("lock", scope=Scope(project="website"))
    assert (found.results, found.elsewhere) == ((), 2)
    assert memory.recall("lock", scope=Scope(project="billing")).elsewhere == 0
    assert memory.recall("lock", scope=Scope(all_projects=True)).elsewhere == 0
    assert memory.recall("zebra", scope=Scope(project="website")).elsewhere == 0


def hidden_entries(memory: Memory, vault: Path) -> None:
    memory.save("lock", title="Live", kind="fix")
    memory.forget(memory.save("lock", title="Forgotten", kind="fix").id)
    memory.save("lock", title="Raw", kind="fix", status="inbox")
    memory.evolve(memory.save("lock", title="Old", kind="fix").id, "lock", title="New")
    put(vault, "Memory/_dream-staging/proposal.md", "# Proposal\nlock\n")
    put(vault, "Memory/_archive/fix/retired.md", "# Retired\nlock\n")
    put(vault, "Memory/fix/planned.md", "---\nstatus: proposed\n---\n# Planned\nlock\n")
    put(vault, "Memory/_inbox/promoted.md", "---\nstatus: active\n---\n# Promoted\nlock\n")


@pytest.mark.parametrize(
    ("scope", "expected"),
    [
        (Scope(), {"Live", "New"}),
        (Scope(include_archive=True), {"Live", "New", "Retired"}),
        (Scope(include_superseded=True), {"Live", "New", "Old"}),
        (Scope(include_inbox=True), {"Live", "New", "Raw", "Promoted"}),
        (Scope(statuses=["deleted"]), {"Forgotten"}),
        (Scope(statuses=["superseded"]), {"Old"}),
        (Scope(statuses=["archived"]), {"Retired"}),
        (Scope(statuses=["proposed"]), {"Proposal", "Planned"}),
        (Scope(statuses=["inbox"]), {"Raw"}),
        (Scope(statuses=["active"]), {"Live", "New", "Promoted"}),
    ],
)
@pytest.mark.parametrize("with_index", [True, False])
def test_what_is_retired_or_waits_is_found_only_when_asked_for(
    memory: Memory,
    vault: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    scope: Scope,
    expected: set[str],
    with_index: bool,
) -> None:
    hidden_entries(memory, vault)
    if not with_index:
        monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
        delete_index(tmp_path / "state")
    assert set(titles(memory.recall("lock", scope=scope))) == expected


def test_a_generated_or_hidden_file_is_no_entry(memory: Memory, vault: Path) -> None:
    memory.save("lock", title="Live", kind="fix")
    put(vault, "Memory/_index.md", "lock\n")
    put(vault, "Memory/fix/.draft.md", "lock\n")
    put(vault, ".obsidian/workspace.md", "lock\n")
    put(vault, "Memory/.trash/old.md", "lock\n")
    put(vault, "Memory/fix/data.json", "lock\n")
    assert find(memory, "lock") == ["Live"]
    assert memory.list().total == 1


def test_no_project_is_a_scope_of_its_own(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        saved_for_filters(memory)
    with make_memory(tmp_path, project="billing") as memory:
        scope = Scope(project="")
        assert set(titles(memory.recall("lock", scope=scope))) == {"One", "Two"}
        assert set(titles(memory.list(scope=scope))) == {"One", "Two"}
        assert memory.recall("lock", scope=Scope(project="", all_projects=True)).elsewhere == 0
        assert make_filter(scope, "billing").projects == make_filter(Scope(), None).projects


@pytest.mark.parametrize(
    ("path", "field", "always"),
    [
        ("_always-load/a.md", "", True),
        ("Memory/_always-load/deeper/a.md", "", True),
        ("_always-load/a.md", "always_load: false\n", False),
        ("_always-load/a.md", "always_load: yes\n", False),
        ("Memory/fix/a.md", "always_load: true\n", True),
        ("Memory/fix/_always-load.md", "", False),
        ("always-load/a.md", "", False),
    ],
)
def test_what_every_session_gets_is_reported_by_index_and_entry_alike(
    memory: Memory, vault: Path, path: str, field: str, always: bool
) -> None:
    put(vault, path, f"---\n{field}---\n# A\nlock\n")
    memory.scan()
    only = replace(make_filter(Scope(), None), always_load=True)
    store = memory._open_store()
    assert [row.locator for row in store.index.find(only)] == [path] * always
    entry = memory.show(path).entry
    assert entry.always_load is passes(entry, only) is always


def test_a_project_sees_itself_and_what_is_of_no_project() -> None:
    assert own_projects("harbour") == ["harbour", ""]
    assert own_projects(None) == own_projects("") == [""]
