"""The operator's notes on the operator's word: asked for, linked, archived when they confirm it."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import ConflictError, EngrainError, Memory, NotFoundError, UsageError
from engrain.model.errors import ConfigError
from engrain.model.note.note import hash_bytes
from support.vaults import make_memory

DAY = b"# A day\n\nwith words\n"


@pytest.fixture
def root(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The operator's notes, configured."""
    monkeypatch.setenv("ENGRAIN_CONFIG", str(tmp_path / "no-config.toml"))
    root = tmp_path / "notes"
    (root / "Journal").mkdir(parents=True)
    (root / "Journal" / "day.md").write_bytes(DAY)
    monkeypatch.setenv("ENGRAIN_PERSONAL_ROOT", str(root))
    return root


@pytest.fixture
def memory(tmp_path: Path, root: Path) -> Iterator[Memory]:
    with make_memory(tmp_path, name="notes/Agent") as memory:
        yield memory


def logged(memory: Memory) -> list[tuple[str, str, str]]:
    return [(use.verb, use.place, use.outcome) for use in memory.personal.uses()]


def propose(memory: Memory) -> str:
    proposed = memory.personal.propose_archive("Journal/day.md", "it is old", authorize=True)
    assert proposed is not None
    return proposed.id


def test_the_notes_are_given_to_one_who_says_that_the_operator_asked(memory: Memory) -> None:
    assert memory.personal.open(authorize=True).read("Journal/day.md").raw == DAY
    with pytest.raises(UsageError) as raised:
        memory.personal.open(verb="read", place="Journal/day.md")
    assert "authorize=True" in str(raised.value.remedy)
    assert logged(memory) == [
        ("read", "Journal/day.md", "done"),
        ("read", "Journal/day.md", "usage"),
    ]


def test_without_a_root_there_are_none(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("ENGRAIN_PERSONAL_ROOT")
    with pytest.raises(ConfigError):
        memory.personal.open(authorize=True)
    with pytest.raises(UsageError):
        memory.personal.open()


def test_a_link_is_made_to_a_note_that_is_there(memory: Memory) -> None:
    entry = memory.save("Words.", title="One").id
    with pytest.raises(UsageError):
        memory.personal.link(entry, "Journal/day.md")
    with pytest.raises(NotFoundError):
        memory.personal.link(entry, "Journal/night.md", authorize=True)
    assert memory.show(entry).entry.links == ()
    linked = memory.personal.link(entry, "Journal/day.md", "elaborates", authorize=True)
    assert linked.other == "personal:Journal/day.md"
    assert memory.show(entry).entry.links == (("personal:Journal/day.md", "elaborates"),)
    assert logged(memory)[-1] == ("link", "Journal/day.md", "done")


def test_archiving_waits_for_the_operators_word(memory: Memory, root: Path) -> None:
    proposal = propose(memory)
    assert (root / "Journal/day.md").read_bytes() == DAY
    memory.review.accept(proposal)
    assert not (root / "Journal/day.md").exists()
    assert (root / "_archive/Journal/day.md").read_bytes() == DAY
    assert [use[0] for use in logged(memory)][-1] == "archive"


def test_nothing_of_a_note_gets_into_the_vault_by_a_proposal(memory: Memory, root: Path) -> None:
    propose(memory)
    written = b"".join(path.read_bytes() for path in (root / "Agent").rglob("*") if path.is_file())
    assert b"Journal/day.md" in written
    assert b"with words" not in written


def test_a_note_that_changed_since_it_was_proposed_stays(memory: Memory, root: Path) -> None:
    proposal = propose(memory)
    (root / "Journal/day.md").write_bytes(b"# Edited\n")
    with pytest.raises(ConflictError):
        memory.review.accept(proposal)
    assert (root / "Journal/day.md").read_bytes() == b"# Edited\n"
    assert not (root / "_archive").exists()


def test_nobody_proposes_it_who_was_not_asked_to(memory: Memory, root: Path) -> None:
    with pytest.raises(UsageError):
        memory.personal.propose_archive("Journal/day.md")
    assert logged(memory) == [("archive", "Journal/day.md", "usage")]
    # The ordinary call must not even tell whether a note is there.
    told = []
    for place in ("Journal/day.md", "Journal/night.md", "../outside.md"):
        with pytest.raises(EngrainError) as raised:
            memory.review.propose("personal-archive", place)
        told.append(str(raised.value))
    assert len(set(told)) == 1
    assert list(memory.review.list()) == []
    assert len(logged(memory)) == 1


@pytest.mark.parametrize(
    "target", ["../outside.md", "Agent/Memory/fix/mine.md", "Agent/../diary.md", "link.md"]
)
def test_a_forged_proposal_leads_nowhere_else(
    memory: Memory, root: Path, tmp_path: Path, target: str
) -> None:
    outside = tmp_path / "outside.md"
    outside.write_bytes(DAY)
    (root / "link.md").symlink_to(outside)
    memory.save("Words.", title="Mine", kind="fix")
    staging = root / "Agent" / "Memory" / "_dream-staging"
    staging.mkdir()
    (staging / "forged.md").write_text(
        "---\nid: forged\nkind: proposal\nstatus: proposed\ncreated: 2026-09-21\n"
        "expires: 2036-09-21\nproposal: {action: personal-archive, "
        f"target: '{target}', base: {hash_bytes(DAY)}}}\n---\n# Forged\n"
    )
    memory.scan()
    with pytest.raises(EngrainError):
        memory.review.accept("forged")
    assert outside.read_bytes() == DAY
    assert not (root / "_archive").exists()
