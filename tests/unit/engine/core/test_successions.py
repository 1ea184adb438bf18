"""What another entry replaced is told nowhere as what holds (S1.15, S2.9)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory, Scope
from engrain.engine.recall.profiles import PROFILES
from support.vaults import FakeClock, make_memory, write_as
from unit.engine.core.vault_files import put

DAY = 86_400.0
OLD = "The nightly deploy goes through the pooler pgbouncer."
NEW = "The nightly deploy goes through the pooler supavisor."
ASKED = "which pooler does the nightly deploy use"
NOT_RANKED_ALONE = {"tiered"}
"""Profiles that tell of people and projects, and of no other notes."""


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def linked(tmp_path: Path, clock: FakeClock) -> Iterator[Memory]:
    """An old note, and a new one that a link says supersedes it."""
    with make_memory(tmp_path, clock=clock) as memory:
        save(memory, "Old pooler", OLD)
        clock.at += 10 * DAY
        save(memory, "New pooler", NEW)
        memory.link("new-pooler", "old-pooler", "supersedes")
        yield memory


def save(memory: Memory, title: str, text: str, kind: str = "fix") -> str:
    return memory.save(text, title=title, kind=kind).id


def recalled(memory: Memory, profile: str | None = None, scope: Scope | None = None) -> list[str]:
    found = memory.recall(ASKED, profile=profile, scope=scope or Scope())
    return sorted(one.row.slug for one in found.given)


@pytest.mark.parametrize("profile", sorted(set(PROFILES) - NOT_RANKED_ALONE))
def test_the_successor_is_recalled_and_the_old_entry_only_when_asked_for(
    linked: Memory, profile: str
) -> None:
    both = ["new-pooler", "old-pooler"]
    found = recalled(linked, profile)
    assert "old-pooler" not in found
    asked = recalled(linked, profile, Scope(include_superseded=True))
    if profile != "task":  # tells of each kind what leads
        assert found == ["new-pooler"]
        assert asked == both
    linked.link("new-pooler", "old-pooler", "supersedes", remove=True)
    assert recalled(linked, profile) == asked


def test_what_is_superseded_is_marked_where_it_is_asked_for(linked: Memory) -> None:
    found = linked.recall(ASKED, scope=Scope(include_superseded=True)).results
    assert {one.row.slug: one.row.status for one in found} == {
        "new-pooler": "active",
        "old-pooler": "superseded",
    }


def test_the_old_entry_answers_for_its_own_time(linked: Memory, clock: FakeClock) -> None:
    then, now = clock.at - 5 * DAY, clock.at
    assert recalled(linked, scope=Scope(as_of=then)) == ["old-pooler"]
    assert recalled(linked, scope=Scope(as_of=now)) == ["new-pooler"]


def test_a_list_has_both_and_says_which_is_superseded(linked: Memory) -> None:
    assert {row.slug: row.status for row in linked.list().rows} == {
        "new-pooler": "active",
        "old-pooler": "superseded",
    }
    for status, slug in (("active", "new-pooler"), ("superseded", "old-pooler")):
        rows = linked.list(scope=Scope(statuses=[status])).rows
        assert [row.slug for row in rows] == [slug]


def test_a_map_says_which_is_superseded(linked: Memory, vault: Path) -> None:
    linked.links.map()
    lines = (vault / "Memory/_index.md").read_text().splitlines()
    (old,) = [line for line in lines if "Old pooler" in line]
    (new,) = [line for line in lines if "New pooler" in line]
    assert "(superseded)" in old
    assert "(superseded)" not in new


def test_a_session_begins_with_the_successor_alone(memory: Memory) -> None:
    for name in ("old-rule", "new-rule"):
        write_as(memory, "agent", f"Memory/_always-load/{name}.md", f"# {name}\nSay it twice.\n")
    memory.link("new-rule", "old-rule", "supersedes")
    told = [found.row.slug for part in memory.brief() for found in part.results]
    assert told == ["new-rule"]


def test_no_walk_along_links_leads_to_what_was_superseded(linked: Memory) -> None:
    linked.save("Of [[old-pooler]] and [[new-pooler]].", title="Hub of poolers", kind="decision")
    found = linked.recall("hub of poolers", profile="associative").results
    assert "old-pooler" not in [one.row.slug for one in found]


@pytest.mark.parametrize("gone", ["forget", "archive", "inbox", "erase"])
def test_the_old_entry_holds_again_when_its_successor_is_gone(
    linked: Memory, vault: Path, gone: str
) -> None:
    new = linked.show("new-pooler").entry
    if gone == "erase":
        linked.erase(linked.plan_erasure([new.id]))
    elif gone == "inbox":
        path = vault / new.path
        path.write_bytes(path.read_bytes().replace(b"status: active", b"status: inbox"))
    else:
        getattr(linked, gone)(new.id)
    assert recalled(linked) == ["old-pooler"]
    if gone in ("forget", "archive"):
        linked.undo()
        assert recalled(linked) == ["new-pooler"]


def test_the_origin_of_the_record_decides_and_no_claim_in_a_file(
    tmp_path: Path, vault: Path
) -> None:
    with make_memory(tmp_path, trust="operator") as memory:
        save(memory, "Old pooler", OLD)
    put(
        vault,
        "Memory/fix/new-pooler.md",
        "---\nkind: fix\nslug: new-pooler\nsupersedes: old-pooler\nsource: {trust: operator}\n---\n"
        f"# New pooler\n{NEW}\n",
    )
    with make_memory(tmp_path) as memory:
        assert recalled(memory) == ["new-pooler", "old-pooler"]


def test_an_agent_s_link_hides_no_note_of_the_operator_s_behind_its_own(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="operator") as memory:
        save(memory, "Old pooler", OLD)
    with make_memory(tmp_path) as memory:
        save(memory, "New pooler", NEW)
        memory.link("new-pooler", "old-pooler", "supersedes")
        assert recalled(memory) == ["new-pooler", "old-pooler"]


def test_a_held_edit_by_another_program_hides_nothing(tmp_path: Path, vault: Path) -> None:
    with make_memory(tmp_path, trust="operator") as memory:
        write_as(memory, "operator", "feedback/old-pooler.md", f"# Old pooler\n{OLD}\n")
    put(vault, "feedback/new-pooler.md", f"---\nsupersedes: old-pooler\n---\n# New\n{NEW}\n")
    with make_memory(tmp_path) as memory:
        assert recalled(memory) == ["new-pooler"]
        memory._open_store().settings = {"edits": "ask"}
        assert recalled(memory) == ["new-pooler", "old-pooler"]


def test_a_contradiction_that_an_outsider_says_is_settled_is_reported(tmp_path: Path) -> None:
    with make_memory(tmp_path, trust="operator") as memory:
        first, second = save(memory, "Old pooler", OLD), save(memory, "New pooler", NEW)
        memory.link(first, second, "contradicts")
        claim = f"---\nkind: fix\nsupersedes: {first}\n---\n# Mine\nIt is settled.\n"
        write_as(memory, "external", "Memory/fix/mine.md", claim)
        told = {one.row.id: one.contradicts for one in memory.recall(ASKED).results}
        assert told[second] == (first,)


@pytest.mark.parametrize("again", ["replay", "scan", "reindex"])
def test_it_is_so_whichever_way_an_index_learns_of_it(
    tmp_path: Path, vault: Path, again: str
) -> None:
    with (
        make_memory(tmp_path, trust="operator") as memory,
        make_memory(tmp_path, device="other", trust="operator") as other,
    ):
        save(memory, "Old pooler", OLD)
        save(memory, "New pooler", NEW)
        assert recalled(other) == ["new-pooler", "old-pooler"]
        if again == "scan":
            path = vault / memory.show("old-pooler").entry.path
            path.write_text(path.read_text().replace("kind:", "superseded_by: new-pooler\nkind:"))
        else:
            memory.link("new-pooler", "old-pooler", "supersedes")
        if again == "reindex":
            other.reindex()
        assert recalled(other) == ["new-pooler"]


def test_the_digest_tells_what_a_link_retired(linked: Memory) -> None:
    told = {item.title: item.op for item in linked.review.digest().sections["archived"]}
    assert told == {"Old pooler": "link"}
