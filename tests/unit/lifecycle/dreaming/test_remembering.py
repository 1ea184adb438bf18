"""What a dream found is not looked for again while the vault is the same."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.active_notes import ActiveNotes
from engrain.engine.core.store import Store
from engrain.engine.core.upkeep import IndexUpkeep
from engrain.lifecycle.dreaming import run
from engrain.lifecycle.dreaming.finding import KINDS
from engrain.lifecycle.reviewing.staging import find_base
from support.vaults import START, FakeClock
from unit.lifecycle.dreaming.sleepers import fill, put
from unit.lifecycle.sessions.living import DAY, store_of

COPIES = 4


@pytest.fixture
def hashed(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The targets whose present state was hashed to compare it with a proposal's."""
    found: list[str] = []

    def note(store: Store, action: str, target: str) -> str:
        found.append(target)
        return find_base(store, action, target)

    monkeypatch.setattr("engrain.lifecycle.dreaming.run.find_base", note)
    return found


@pytest.fixture
def read(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The locators of the notes that dreams read."""
    found: list[str] = []
    own = ActiveNotes._read

    def note(self: ActiveNotes, id_: str, *known: str) -> object:
        found.append(id_)
        return own(self, id_, *known)  # type: ignore[arg-type]  # a locator and a trust

    monkeypatch.setattr(ActiveNotes, "_read", note)
    return found


def test_no_note_is_read_again_until_one_changes(memory: Memory, read: list[str]) -> None:
    fill(memory, copies=COPIES)
    first = memory.jobs.dream()
    assert len(read) == len(set(read)) > COPIES  # each once, however many stages there are
    read.clear()
    second = memory.jobs.dream()
    assert read == []
    for kind in KINDS:
        assert second.stages[kind]["found"] == first.stages[kind]["found"]
    put(memory, "Memory/fix/new.md", "New", "Nothing like it was there before.")
    memory.jobs.dream()
    assert "id-new" in read


def test_an_edit_by_another_program_is_seen(memory: Memory, vault: Path, read: list[str]) -> None:
    fill(memory, copies=COPIES)
    memory.jobs.dream()
    read.clear()
    place = next((vault / "Memory" / "fix").glob("*.md"))
    place.write_text(place.read_text() + "\nA line more.\n")
    memory.jobs.dream()
    assert read


def test_what_was_too_much_for_one_dream_is_said_in_the_next_one_in_the_same_words(
    memory: Memory, read: list[str]
) -> None:
    fill(memory, copies=COPIES)
    whole = {
        (one.action, one.entries): (one.reason, one.evidence)
        for one in memory.jobs.dream(dry_run=True).findings
    }
    while memory.jobs.dream(limit=1).counts()["proposed"]:
        read.clear()
    proposals = memory.review.list()
    assert {(one.action, one.ids): (one.reason, one.evidence) for one in proposals} == whole
    assert any(evidence for _, evidence in whole.values())
    assert read == []  # but of what is quoted, which was proposed by then


def test_a_stub_is_found_once_it_is_old_though_nothing_else_changed(
    memory: Memory, clock: FakeClock, read: list[str]
) -> None:
    put(memory, "Memory/fix/young.md", "Young", "", at=START - DAY)
    assert memory.jobs.dream(only=["tidy"]).proposals == ()
    clock.at += 30 * DAY
    read.clear()
    (found,) = memory.jobs.dream(only=["tidy"]).proposals
    assert (found.action, found.target, read) == ("archive", "id-young", [])


def test_nothing_of_it_is_left_once_an_entry_is_erased(memory: Memory) -> None:
    fill(memory, copies=COPIES)
    memory.jobs.dream()
    local = store_of(memory).device.local
    assert local.read_note("found.duplicate") is not None
    local.drop_entries(["id-empty"])
    assert local.read_note("found.duplicate") is None


def test_the_state_of_what_was_proposed_is_remembered_until_a_note_changes(
    memory: Memory, vault: Path, hashed: list[str]
) -> None:
    fill(memory, copies=COPIES)
    proposals = memory.jobs.dream().proposals
    assert sum(memory.jobs.dream().counts()["skipped"].values()) == len(proposals)
    assert hashed == []
    (merge, *_) = (one for one in proposals if one.action == "merge")
    place = vault / store_of(memory).find_one(merge.ids[-1]).locator
    place.write_text(place.read_text().rstrip() + "\nA line more.\n")
    (again,) = memory.jobs.dream(only=["duplicate"]).proposals
    assert (again.target, again.base == merge.base) == (merge.target, False)
    assert merge.target in hashed
    hashed.clear()
    assert memory.jobs.dream(only=["duplicate"]).proposals == ()
    assert hashed == []


def test_a_proposal_that_expired_is_made_again_though_its_state_is_remembered(
    memory: Memory, clock: FakeClock
) -> None:
    fill(memory, copies=COPIES)
    first = memory.jobs.dream(only=["duplicate"]).proposals
    clock.at += 31 * DAY
    again = memory.jobs.dream(only=["duplicate"]).proposals
    assert {one.target for one in again} == {one.target for one in first} != set()


def test_no_state_is_remembered_if_a_note_changed_during_the_dream(memory: Memory) -> None:
    fill(memory, copies=COPIES)
    store = store_of(memory)
    proposals = memory.jobs.dream(only=["duplicate"]).proposals
    known = store.device.local.read_note("found.bases")
    dream = run.EarlierDreams(store)
    put(memory, "Memory/fix/meanwhile.md", "Meanwhile", "It came while a dream was under way.")
    store.require_index()
    assert dream.find_base("archive", "id-meanwhile")
    dream.keep_bases(proposals)
    assert store.device.local.read_note("found.bases") == known


def test_a_dream_looks_for_edits_by_other_programs_once(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    fill(memory, copies=COPIES)
    memory.jobs.dream()
    scans: list[object] = []
    own = IndexUpkeep.scan

    def note(self: IndexUpkeep, *given: object) -> object:
        scans.append(self)
        return own(self, *given)  # type: ignore[arg-type]  # a function or None

    monkeypatch.setattr(IndexUpkeep, "scan", note)
    memory.jobs.dream()
    assert len(scans) == 1


def test_a_dream_that_goes_on_after_a_note_changed_does_not_remember_its_earlier_state(
    memory: Memory, vault: Path
) -> None:
    fill(memory, copies=COPIES)
    store = store_of(memory)
    begun: list[str] = []
    assert run.dream(store, out_of_time=lambda: "chain" in begun, tell=begun.append).unfinished
    (merge, *_) = (one for one in memory.review.list() if one.action == "merge")
    place = vault / store.find_one(merge.ids[-1]).locator
    place.write_text(place.read_text().rstrip() + "\nA line more.\n")
    assert not memory.jobs.dream(resume=True).unfinished
    again = [one for one in memory.jobs.dream().proposals if one.target == merge.target]
    assert [one.base == merge.base for one in again] == [False]
