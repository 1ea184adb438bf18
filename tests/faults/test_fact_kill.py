"""A process that adds facts, killed before each mutating system call: each entity is as it was or
as it is to be, and adding the same again does the rest."""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from faults.fact_child import ACKNOWLEDGED, OSLO, ROME, SONG, drafts
from support.strace import needs_strace, run_killed
from support.vaults import make_memory

CHILD = Path(__file__).with_name("fact_child.py").read_text(encoding="utf-8")
CALLS = ("fsync", "rename", "renameat", "renameat2", "link", "linkat", "mkdir", "mkdirat")
LIMIT = 60


@needs_strace
@pytest.mark.parametrize("call", CALLS)
def test_facts_are_whole_or_absent_and_adding_again_does_the_rest(
    tmp_path: Path, call: str
) -> None:
    start = tmp_path / "start"
    with make_memory(start) as memory:
        memory.facts.add("Bob", ROME, at=1.6e9, ref="call-1")
    for n in range(1, LIMIT):
        folder = tmp_path / str(n)
        shutil.copytree(start, folder)
        code = run_killed(call, n, CHILD, folder / "vault", folder / "state")
        acknowledged = code == ACKNOWLEDGED
        with make_memory(folder) as memory:
            known = {
                filed.slug: {fact.content: fact.active for fact in filed.entity.facts}
                for filed in memory.facts.entities()
            }
            assert known["bob"] in ({ROME: True}, {ROME: False, OSLO: True})
            assert known.get("ann") in (None, {SONG: True})
            if acknowledged:
                assert known == {"bob": {ROME: False, OSLO: True}, "ann": {SONG: True}}
            memory.facts.add_all(drafts())
            bob = memory.facts.entity("bob").entity
            assert {fact.content: fact.active for fact in bob.facts} == {ROME: False, OSLO: True}
            assert len(bob.facts) == 2
            assert [fact.content for fact in memory.facts.entity("ann").entity.facts] == [SONG]
            (report,) = memory.trust.survey().chains
            assert report.wrong is None
        shutil.rmtree(folder)
        if acknowledged:
            return
    raise AssertionError(f"more than {LIMIT} calls of {call}")
