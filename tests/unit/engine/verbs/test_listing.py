"""`list`: entries by filter alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import UsageError
from support.vaults import FakeClock, make_memory
from unit.engine.core.vault_files import titles

DAY = 86400.0


def test_a_list_is_newest_first_and_counts_what_it_leaves_out(tmp_path: Path) -> None:
    with make_memory(tmp_path, clock=FakeClock(step=DAY)) as memory:
        for number in range(4):
            memory.save("x", title=f"Part {number}")
        listing = memory.list(limit=2)
        assert (titles(listing), listing.total) == (["Part 3", "Part 2"], 4)
        assert memory.list(limit=0).total == 4
        with pytest.raises(UsageError):
            memory.list(limit=-1)


def test_the_newest_of_each_kind_are_those_of_all_projects(tmp_path: Path) -> None:
    with make_memory(tmp_path, clock=FakeClock(step=DAY), project="ours") as memory:
        for number in range(3):
            memory.save("x", title=f"Fix {number}", kind="fix")
        memory.save("x", title="Theirs", kind="decision", project="theirs")
        memory.forget("fix-1")
        newest = memory.newest(["fix", "decision", "skill"], 2)
        assert {kind: [row.title for row in rows] for kind, rows in newest.items()} == {
            "fix": ["Fix 2", "Fix 0"],
            "decision": ["Theirs"],
            "skill": [],
        }
        assert [row.title for row in memory.newest(["fix"], 1)["fix"]] == ["Fix 2"]


def test_what_an_entry_was_derived_from_is_named_by_title(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        one, gone = (memory.save("x", title=title) for title in ("One", "Gone"))
        derived = memory.save("y", title="Derived", derived_from=[one.id, gone.id])
        assert memory.sources_of([derived.id]) == {derived.id: {one.id: "One", gone.id: "Gone"}}
        (tmp_path / "vault" / gone.locator).unlink()
        memory.scan()
        assert memory.sources_of([derived.id, one.id]) == {derived.id: {one.id: "One"}, one.id: {}}
