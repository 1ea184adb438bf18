"""What is said to replace a more trusted entry waits for the operator's word (S1.15, S1.17)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engrain import ConflictError, Memory
from engrain.lifecycle.reviewing.staging import Proposal
from engrain.lifecycle.upkeep.successions import MOST
from support.vaults import make_memory, write_as

OLD = "The pooler is pgbouncer."
NEW = "The pooler is supavisor."


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOME", str(tmp_path))
    with make_memory(tmp_path, trust="operator") as memory:
        memory.save(OLD, title="Old pooler", kind="fix")
    return tmp_path


def recalled(memory: Memory) -> list[str]:
    return sorted(one.row.slug for one in memory.recall("which pooler").results)


def drop(folder: Path, name: str, text: str) -> None:
    path = folder / "vault" / name
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text)


def open_proposals(memory: Memory) -> list[Proposal]:
    return list(memory.review.list())


def test_an_agent_s_link_is_proposed_at_once_and_hides_nothing(folder: Path) -> None:
    with make_memory(folder) as memory:
        memory.save(NEW, title="New pooler", kind="fix")
        outcome = memory.link("new-pooler", "old-pooler", "supersedes")
        (proposal,) = open_proposals(memory)
        assert outcome.proposals == (proposal.id,)
        assert "comes from a less trusted origin: agent, not operator" in proposal.reason
        assert recalled(memory) == ["new-pooler", "old-pooler"]
        assert memory.link("old-pooler", "new-pooler", "superseded_by").proposals == ()


def test_the_operator_s_word_decides(folder: Path) -> None:
    with make_memory(folder) as memory:
        memory.save(NEW, title="New pooler", kind="fix")
        memory.link("new-pooler", "old-pooler", "supersedes")
    with make_memory(folder, trust="operator") as memory:
        (proposal,) = open_proposals(memory)
        memory.review.accept(proposal.id)
        assert recalled(memory) == ["new-pooler"]
        memory.undo()
        assert recalled(memory) == ["new-pooler", "old-pooler"]
        memory.jobs.run(["scan"])
        assert open_proposals(memory) == []  # it was decided


def test_accepting_all_leaves_out_what_puts_a_less_trusted_entry_in_the_place_of_another(
    folder: Path,
) -> None:
    with make_memory(folder) as memory:
        memory.save(NEW, title="New pooler", kind="fix")
        memory.link("new-pooler", "old-pooler", "supersedes")
    with make_memory(folder, trust="operator") as memory:
        (left,) = memory.review.accept_all()
        assert left.decision == ""
        assert "accept it by its id" in left.error
        assert recalled(memory) == ["new-pooler", "old-pooler"]


def test_a_file_dropped_into_the_vault_is_proposed_by_the_job_and_hides_nothing(
    folder: Path,
) -> None:
    claim = "---\nkind: fix\nsource: {trust: operator}\n---\n# New pooler\n"
    drop(folder, "Memory/fix/new-pooler.md", f"{claim}{NEW} [[supersedes:: old-pooler]]\n")
    with make_memory(folder) as memory:
        assert recalled(memory) == ["new-pooler", "old-pooler"]
        memory.jobs.run(["scan"])
        (proposal,) = open_proposals(memory)
        assert "external, not operator" in proposal.reason
        memory.jobs.run(["scan"])
        assert len(open_proposals(memory)) == 1
        memory.review.reject(proposal.id)
        memory.jobs.run(["scan"])
        assert open_proposals(memory) == []
        assert recalled(memory) == ["new-pooler", "old-pooler"]


def test_many_claims_do_not_fill_the_desk(folder: Path) -> None:
    for n in range(MOST + 5):
        drop(folder, f"Memory/fix/new-{n}.md", f"---\nsupersedes: old-pooler\n---\n# New {n}\nX.\n")
    with make_memory(folder) as memory:
        memory.jobs.run(["scan"])
        assert len(open_proposals(memory)) == MOST


def test_of_records_it_is_proposed_to_vouch_for_the_successor(folder: Path) -> None:
    with make_memory(folder) as memory:
        write_as(memory, "operator", "Memory/pattern/old.md", "---\nid: old\n---\n# Old\nPooler.\n")
        write_as(
            memory, "agent", "Memory/episodic/2026-01-01/new.json",
            json.dumps({"id": "new", "engrain": {"id": "new", "supersedes": "old"}}),
        )  # fmt: skip
        memory.jobs.run(["scan"])
        (proposal,) = open_proposals(memory)
        assert (proposal.action, proposal.target) == ("attest", "new")


def test_from_outside_no_link_says_what_replaced_the_operator_s(folder: Path) -> None:
    with make_memory(folder, trust="operator") as memory:
        memory.save(NEW, title="New pooler", kind="fix")
    with make_memory(folder, trust="external") as memory:
        for ends in (("new-pooler", "old-pooler", "supersedes"),
                     ("old-pooler", "new-pooler", "superseded_by")):  # fmt: skip
            with pytest.raises(ConflictError, match="is not from outside"):
                memory.link(*ends)
        assert recalled(memory) == ["new-pooler", "old-pooler"]
