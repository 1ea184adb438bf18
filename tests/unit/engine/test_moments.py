"""What held on a day, and what was known on one (DESIGN section 6), of entries and of facts."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory, Scope
from engrain.language.text.instants import parse_instant
from engrain.model.errors import NotFoundError
from engrain.model.facts.fact import FactDraft
from support.layouts import take_workspace
from support.vaults import FakeClock, make_memory
from unit.engine.core.vault_files import put

IMPORTED = parse_instant("2026-03-01")


def item(id_: str, said: str, content: str, **more: Any) -> dict[str, Any]:
    edge = {"subject": "alice", "predicate": "works_at", "object": id_}
    return {
        "id": id_, "content": content, "source": "conversation", "sourceRef": None,
        "entityType": "person", "createdAt": said, "status": "active", "supersedes": None,
        "edge": edge, **more,
    }  # fmt: skip


# As the seed writes them: no validity, and `supersedes` where a later fact says so.
ITEMS = [
    item("acme", "2023-01-10T00:00:00Z", "Alice works at Acme.", status="historical"),
    item("beta", "2024-06-01T00:00:00Z", "Alice works at Beta.", status="historical",
         supersedes="acme"),
    item("core", "2025-02-01T00:00:00Z", "Alice works at Core.", supersedes="beta"),
    item("cello", "2023-05-05T00:00:00Z", "Alice plays the cello.", status="historical",
         edge=None),
]  # fmt: skip


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock(at=IMPORTED)


@pytest.fixture
def imported(tmp_path: Path, clock: FakeClock) -> Iterator[Memory]:
    """A memory that took in what another system knew of Alice."""
    with make_memory(tmp_path, clock=clock, trust="operator") as memory:
        take_workspace(memory, {"memory/entities/alice/items.json": ITEMS})
        yield memory


def held(memory: Memory, day: str, known: str | None = None) -> list[str]:
    entity = memory.facts.entity("alice", known_at=parse_instant(known) if known else None).entity
    return [fact.id for fact in entity.held_at(parse_instant(day))]


def told(
    memory: Memory,
    query: str,
    profile: str = "prompt",
    *,
    as_of: str | None = None,
    known_at: str | None = None,
) -> str:
    moments = [None if day is None else parse_instant(day) for day in (as_of, known_at)]
    scope = Scope(as_of=moments[0], known_at=moments[1])
    return "\n".join(one.text for one in memory.recall(query, profile=profile, scope=scope).results)


def test_each_imported_fact_held_until_its_successor_began(imported: Memory) -> None:
    assert held(imported, "2023-02-01") == ["acme"]
    assert held(imported, "2024-05-31") == ["acme", "cello"]
    assert held(imported, "2024-07-01") == ["beta", "cello"]
    assert held(imported, "2025-03-01") == ["core", "cello"]
    assert held(imported, "2026-03-02") == ["core"]
    assert held(imported, "2023-01-01") == []


def test_that_stays_so_when_more_is_learned(imported: Memory, clock: FakeClock) -> None:
    clock.at = parse_instant("2026-08-01")
    imported.facts.add("Alice", "Alice works at Delta.", edge=("works_at", "Delta"))
    assert held(imported, "2024-05-31") == ["acme", "cello"]
    assert "core" in held(imported, "2026-07-01")
    assert "cello" not in held(imported, "2026-07-01")


@pytest.mark.parametrize("profile", ["prompt", "deep", "associative", "tiered"])
@pytest.mark.parametrize(
    ("day", "employer"), [("2023-06-01", "Acme"), ("2024-07-01", "Beta"), ("2025-03-01", "Core")]
)
def test_a_recall_about_a_day_tells_what_held_then(
    imported: Memory, profile: str, day: str, employer: str
) -> None:
    said = told(imported, "where does Alice work", profile, as_of=day)
    assert [name for name in ("Acme", "Beta", "Core") if name in said] == [employer]


def test_the_graph_has_the_edges_of_the_day(imported: Memory, vault: Path) -> None:
    for name in ("Acme", "Beta", "Core"):
        put(vault, f"Memory/fix/{name.lower()}.md", f"# {name}\nA company.\n")
    imported.scan()
    for day, employer in (("2023-06-01", "Acme"), ("2024-07-01", "Beta"), ("2025-03-01", "Core")):
        scope = Scope(as_of=parse_instant(day))
        _, found, _ = imported.graph.neighbors("alice", relations=["works_at"], scope=scope)
        assert [neighbour.row.title for neighbour in found] == [employer]


def test_what_was_known_of_an_entity_is_what_its_file_said(
    imported: Memory, clock: FakeClock
) -> None:
    clock.at = parse_instant("2026-08-01")
    at = parse_instant("2026-05-01")
    imported.facts.add_all(
        [FactDraft("Alice", "Alice works at Delta.", edge=("works_at", "Delta"), at=at)]
    )
    assert held(imported, "2026-06-01") != held(imported, "2026-06-01", known="2026-07-01")
    assert held(imported, "2026-06-01", known="2026-07-01") == ["core"]
    with pytest.raises(NotFoundError, match="nothing was known of alice on 2026-02-01"):
        imported.facts.entity("alice", known_at=parse_instant("2026-02-01"))
    for profile in ("tiered", "prompt"):
        asked = "where does Alice work"
        assert "Delta" in told(imported, asked, profile, as_of="2026-06-01")
        before = told(imported, asked, profile, as_of="2026-06-01", known_at="2026-07-01")
        assert ("Core" in before, "Delta" in before) == (True, False)
        assert told(imported, asked, profile, known_at="2026-02-01") == ""
    assert len(imported.facts.entities(known_at=parse_instant("2026-07-01"))) == 1
    assert len(imported.facts.entities(known_at=parse_instant("2026-02-01"))) == 0


def test_what_was_known_of_entries_is_what_was_recorded_by_then(
    tmp_path: Path, clock: FakeClock
) -> None:
    with make_memory(tmp_path, clock=clock) as memory:
        first = memory.save("The pooler is pgbouncer.", title="Pooler", kind="decision")
        clock.at = parse_instant("2026-05-01")
        memory.evolve(first.id, "The pooler is supavisor.")
        clock.at = parse_instant("2026-06-01")
        created = parse_instant("2026-01-01")
        memory.save("The pooler is odd.", title="Late", kind="fix", created=created)
        asked = "which pooler"
        assert "pgbouncer" in told(memory, asked, known_at="2026-04-01")
        assert "supavisor" not in told(memory, asked, known_at="2026-04-01")
        assert "pgbouncer" not in told(memory, asked, known_at="2026-05-15")
        assert "supavisor" in told(memory, asked, known_at="2026-05-15")
        # On the day before, as it was known later.
        assert "odd" in told(memory, asked, as_of="2026-04-01")
        assert "odd" not in told(memory, asked, as_of="2026-04-01", known_at="2026-05-15")
        assert told(memory, asked, known_at="2026-02-01") == ""
        listed = memory.list(scope=Scope(known_at=parse_instant("2026-04-01")))
        assert [row.title for row in listed.rows] == ["Pooler"]


def test_a_superseded_entry_without_a_successor_held_until_it_was_written_so(
    tmp_path: Path, clock: FakeClock
) -> None:
    with make_memory(tmp_path, clock=clock) as memory:
        put(
            tmp_path / "vault",
            "Memory/fix/old.md",
            "---\nkind: fix\nstatus: superseded\ncreated: 2024-01-01\nupdated: 2025-01-01\n---\n"
            "# Old\nThe pooler is old.\n",
        )
        assert "old" in told(memory, "which pooler", as_of="2024-06-01")
        assert told(memory, "which pooler", as_of="2025-06-01") == ""


def test_what_is_historical_is_written_with_the_day_by_which_it_was_so(
    imported: Memory, clock: FakeClock, vault: Path
) -> None:
    clock.at = parse_instant("2026-08-01")
    imported.facts.add("Alice", "Alice lives in Lyon.")
    path = vault / "Memory/entities/alice/items.json"
    beside = json.loads(path.read_text())["engrain"]["facts"]
    assert beside["cello"]["turned"].startswith("2026-03-01")
