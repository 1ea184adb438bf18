"""Links that could be made, as proposals: accepted they change the words they are about."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import ConflictError, Memory
from unit.engine.core.vault_files import notes, put

TEXT = "---\r\nkey: ünïcode \r\n---\r\n# Disk full\r\n\r\nThe nightly ledger backup  failed.\r\n"


@pytest.fixture
def source(vault: Path) -> str:
    put(vault, "notes/disk-full.md", TEXT)
    return "notes/disk-full.md"


def save(memory: Memory, title: str, text: str = "Something.") -> str:
    return memory.save(text, title=title, kind="fix").id


def propose(memory: Memory) -> str:
    assert memory.jobs.dream(only=["link"]).count("proposed") == {"link": 1}
    (proposal,) = memory.review.list("link")
    return proposal.id


def test_accepting_makes_a_link_of_the_words_and_changes_no_other_byte(
    memory: Memory, vault: Path, source: str
) -> None:
    save(memory, "Nightly ledger backup")
    memory.review.accept(propose(memory))
    link = b"[[nightly-ledger-backup|nightly ledger backup]]"
    before = TEXT.encode()
    assert (vault / source).read_bytes() == before.replace(b"nightly ledger backup", link)
    assert memory.jobs.dream(only=["link"]).count("found") == {}


def test_what_was_accepted_is_undone_to_the_byte(memory: Memory, vault: Path, source: str) -> None:
    save(memory, "Nightly ledger backup")
    memory.review.accept(propose(memory))
    memory.undo()  # the link, and not the decision that was written behind it
    assert (vault / source).read_bytes() == TEXT.encode()


def test_a_file_that_is_called_as_it_is_mentioned_needs_no_label(
    memory: Memory, vault: Path
) -> None:
    put(vault, "notes/Ledger Quorum Rules.md", "How we vote.\n")
    put(vault, "notes/a.md", "By the ledger Quorum Rules we wait.\n")
    memory.review.accept(propose(memory))
    assert (vault / "notes/a.md").read_text() == "By the [[ledger Quorum Rules]] we wait.\n"


def test_where_others_have_the_files_name_the_link_has_the_path(
    memory: Memory, vault: Path
) -> None:
    put(vault, "one/readme.md", "# Ledger quorum rules\n")
    put(vault, "two/readme.md", "# Other\n")
    put(vault, "notes/a.md", "By the ledger quorum rules we wait.\n")
    memory.review.accept(propose(memory))
    expected = "By the [[one/readme|ledger quorum rules]] we wait.\n"
    assert (vault / "notes/a.md").read_text() == expected


def test_a_proposal_about_a_text_that_changed_is_stale(
    memory: Memory, vault: Path, source: str
) -> None:
    save(memory, "Nightly ledger backup")
    proposal = propose(memory)
    put(vault, source, TEXT + "More.\r\n")
    before = notes(vault)[source]
    with pytest.raises(ConflictError):
        memory.review.accept(proposal)
    assert notes(vault)[source] == before
    assert memory.review.list("link") == []


def test_what_was_proposed_or_turned_down_is_not_proposed_again(
    memory: Memory, source: str
) -> None:
    save(memory, "Nightly ledger backup")
    proposal = propose(memory)
    assert memory.jobs.dream(only=["link"]).count("proposed") == {}
    memory.review.reject(proposal)
    assert memory.jobs.dream(only=["link"]).count("proposed") == {}
