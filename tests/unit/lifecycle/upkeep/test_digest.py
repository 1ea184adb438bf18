"""The digest: what happened since the operator last looked, each thing once (S1.7, S1.23)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory
from engrain.engine.core.moving import demote_entry, pin_entry, promote_entry
from engrain.engine.verbs.archive import archive_entry
from engrain.lifecycle.jobs.table import JOBS, Run
from engrain.lifecycle.reviewing.staging import propose
from engrain.lifecycle.upkeep.digest import (
    ARCHIVED,
    CONTRADICTED,
    CURATED,
    EDITED,
    EXPIRED,
    FAILED,
    PROMOTED,
    PROPOSED,
    UNDONE,
    Digest,
    DigestItem,
)
from engrain.seam.job_log import JobRun
from support.vaults import FakeClock, make_memory
from unit.engine.core.vault_files import put
from unit.lifecycle.sessions.living import DAY, isolate, live_through, store_of

OPERATORS = "---\nid: 01mine\nkind: fix\n---\n# Mine\nText.\n"


@pytest.fixture
def shared(memory: Memory, vault: Path) -> str:
    """The id of a note of the operator's, already told."""
    memory.list()
    put(vault, "fixes/mine.md", OPERATORS)
    memory.review.note_look(memory.review.digest())
    return "01mine"


def look(memory: Memory) -> Digest:
    digest = memory.review.digest()
    memory.review.note_look(digest)
    return digest


def told(digest: Digest, section: str) -> list[tuple[str, str]]:
    return [(item.op, item.entry) for item in digest.sections.get(section, ())]


def save(memory: Memory, title: str) -> str:
    return memory.save(f"Text of {title}.", title=title, kind="fix", project="").id


def edit(memory: Memory, id_: str, **changes: Any) -> None:
    memory.edit(id_, expect=memory.show(id_).entry.hash, **changes)


@contextmanager
def acting(folder: Path, clock: FakeClock, trust: str, device: str = "state") -> Iterator[Memory]:
    with make_memory(folder, clock=clock, trust=trust, device=device, seed=21) as memory:
        yield memory


# -- once ----------------------------------------------------------------------------------------


def test_of_an_empty_vault_there_is_nothing_to_tell(memory: Memory) -> None:
    digest = memory.review.digest()
    assert digest.sections == {}
    assert (digest.inbox, digest.unattested) == (0, 0)


def test_what_was_told_is_not_told_again_and_a_look_tells_all_until_it_is_noted(
    memory: Memory,
) -> None:
    first, second = save(memory, "One"), save(memory, "Two")
    look(memory)
    promote_entry(store_of(memory), first)
    for _ in range(2):
        assert told(memory.review.digest(), PROMOTED) == [("promote", first)]
    memory.review.note_look(memory.review.digest())
    assert memory.review.digest().sections == {}
    archive_entry(store_of(memory), second)
    digest = look(memory)
    assert list(digest.sections) == [ARCHIVED]
    assert told(digest, ARCHIVED) == [("archive", second)]
    assert memory.review.digest().sections == {}


@pytest.mark.parametrize("jump", [365 * DAY, -365 * DAY])
def test_it_goes_by_the_chain_and_by_no_clock(
    memory: Memory, clock: FakeClock, jump: float
) -> None:
    first, second = save(memory, "One"), save(memory, "Two")
    look(memory)
    clock.at += jump
    promote_entry(store_of(memory), first)
    assert told(look(memory), PROMOTED) == [("promote", first)]
    clock.at -= jump
    promote_entry(store_of(memory), second)
    assert told(look(memory), PROMOTED) == [("promote", second)]
    assert memory.review.digest().sections == {}


def test_what_came_while_it_was_read_is_reported_by_the_next(memory: Memory) -> None:
    first, second = save(memory, "One"), save(memory, "Two")
    look(memory)
    promote_entry(store_of(memory), first)
    seen = memory.review.digest()
    promote_entry(store_of(memory), second)
    memory.review.note_look(seen)
    assert told(look(memory), PROMOTED) == [("promote", second)]


def test_an_older_look_takes_nothing_back(memory: Memory) -> None:
    first, second = save(memory, "One"), save(memory, "Two")
    promote_entry(store_of(memory), first)
    old = memory.review.digest()
    promote_entry(store_of(memory), second)
    look(memory)
    memory.review.note_look(old)
    assert memory.review.digest().sections == {}


def test_what_another_device_did_long_ago_is_reported_when_it_arrives(
    memory: Memory, clock: FakeClock, tmp_path: Path
) -> None:
    id_ = save(memory, "One")
    look(memory)
    clock.at -= 60 * DAY
    with acting(tmp_path, clock, "agent", device="there") as there:
        promote_entry(store_of(there), id_)
    clock.at += 60 * DAY
    assert told(look(memory), PROMOTED) == [("promote", id_)]
    assert memory.review.digest().sections == {}


def test_a_first_look_goes_back_thirty_days(memory: Memory, clock: FakeClock) -> None:
    old, new = save(memory, "Old"), save(memory, "New")
    promote_entry(store_of(memory), old)
    clock.at += 31 * DAY
    promote_entry(store_of(memory), new)
    assert told(memory.review.digest(), PROMOTED) == [("promote", new)]
    assert sorted(told(memory.review.digest(everything=True), PROMOTED)) == sorted(
        [("promote", new), ("promote", old)]
    )
    look(memory)
    assert memory.review.digest().sections == {}


def test_since_a_moment_and_everything_tell_what_was_reported(
    memory: Memory, clock: FakeClock
) -> None:
    first, second = save(memory, "One"), save(memory, "Two")
    promote_entry(store_of(memory), first)
    moment = clock.at + DAY
    clock.at += 2 * DAY
    promote_entry(store_of(memory), second)
    look(memory)
    assert told(memory.review.digest(since=moment), PROMOTED) == [("promote", second)]
    assert memory.review.digest(since=moment).since == moment
    assert len(told(memory.review.digest(everything=True), PROMOTED)) == 2
    assert memory.review.digest(everything=True).since is None


@pytest.mark.parametrize(
    "note", [None, 5, "x", [], {}, {"at": "soon", "heads": 3}, {"at": None, "heads": {"d": "x"}}]
)
def test_a_note_that_says_nothing_is_a_first_look(memory: Memory, note: object) -> None:
    id_ = save(memory, "One")
    promote_entry(store_of(memory), id_)
    store_of(memory).device.local.write_note("digest", note)
    assert told(look(memory), PROMOTED) == [("promote", id_)]
    assert memory.review.digest().sections == {}


# -- what is told --------------------------------------------------------------------------------


def test_changes_in_what_is_shared_are_reported_when_the_operator_did_not_make_them(
    memory: Memory, shared: str, clock: FakeClock, tmp_path: Path
) -> None:
    with acting(tmp_path, clock, "operator") as operator:
        edit(operator, shared, text="Mine again.")
    assert CURATED not in look(memory).sections
    edit(memory, shared, text="Theirs.")
    digest = look(memory)
    assert told(digest, CURATED) == [("edit", shared)]
    (item,) = digest.sections[CURATED]
    assert (item.title, item.path) == ("Mine", "fixes/mine.md")
    assert item.change == memory.history(limit=1)[0].change
    assert memory.review.digest().sections == {}


def test_each_change_is_taken_back_by_its_name(memory: Memory, shared: str, vault: Path) -> None:
    edit(memory, shared, text="Theirs.")
    edit(memory, shared, text="Theirs once more.")
    items = look(memory).sections[CURATED]
    before = (vault / "fixes" / "mine.md").read_bytes()
    assert len({item.change for item in items}) == 2
    for item in sorted(items, key=lambda item: -int(item.change.rpartition("-")[2])):
        memory.undo(item.change)
    assert (vault / "fixes" / "mine.md").read_bytes() != before
    assert memory.show(shared).entry.text.strip() == "Text."


def test_what_the_agent_does_with_its_own_is_its_own_affair(memory: Memory) -> None:
    look(memory)
    id_ = save(memory, "One")
    edit(memory, id_, text="Other.")
    live_through(memory, "s1", [id_])
    assert memory.review.digest().sections == {}


def test_edits_by_other_programs_are_reported_once_on_either_side(
    memory: Memory, shared: str, vault: Path
) -> None:
    own = save(memory, "One")
    look(memory)
    for path in (vault / "fixes" / "mine.md", vault / "Memory" / "fix" / "one.md"):
        path.write_bytes(path.read_bytes() + b"\nBy hand.\n")
    assert sorted(told(look(memory), EDITED)) == sorted([("external", own), ("external", shared)])
    assert memory.review.digest().sections == {}
    edit(memory, own, tags=["x"])
    assert memory.review.digest().sections == {}


def test_what_was_archived_replaced_and_taken_back_is_reported(memory: Memory) -> None:
    archived, replaced = save(memory, "One"), save(memory, "Two")
    look(memory)
    archive_entry(store_of(memory), archived, reason="faded")
    evolved = memory.evolve(replaced, "Newer.")
    digest = look(memory)
    ops = {op for op, _ in told(digest, ARCHIVED)}
    assert ops == {"archive", "evolve"}
    assert ("archive", archived) in told(digest, ARCHIVED)
    assert evolved.id in {entry for _, entry in told(digest, ARCHIVED)}
    assert {item.reason for item in digest.sections[ARCHIVED] if item.op == "archive"} == {"faded"}
    memory.undo(memory.history(archived)[0].change)
    assert told(look(memory), UNDONE) == [("undo", archived)]


def test_a_move_of_one_file_is_reported_once(memory: Memory) -> None:
    id_ = save(memory, "One")
    look(memory)
    store = store_of(memory)
    promote_entry(store, id_)
    pin_entry(store, id_)
    demote_entry(store, id_)
    assert sorted(told(look(memory), PROMOTED)) == sorted(
        [("promote", id_), ("pin", id_), ("demote", id_)]
    )


def test_a_proposal_is_reported_as_long_as_it_is_open(memory: Memory) -> None:
    id_ = save(memory, "One")
    look(memory)
    proposed = propose(store_of(memory), "archive", id_, "faded")
    assert proposed is not None
    for _ in range(2):
        digest = look(memory)
        assert [(item.entry, item.reason) for item in digest.sections[PROPOSED]] == [
            (proposed.id, "faded")
        ]
        assert list(digest.sections) == [PROPOSED]
    memory.review.reject(proposed.id)
    assert memory.review.digest().sections == {}


def test_a_contradiction_is_reported_as_long_as_both_are_active(memory: Memory) -> None:
    old, new = save(memory, "Old"), save(memory, "New")
    memory.link(new, old, relation="contradicts")
    for _ in range(2):
        digest = look(memory)
        assert told(digest, CONTRADICTED) == [("contradicts", new)]
        assert digest.sections[CONTRADICTED][0].reason == f"contradicts {old} Old"
    memory.forget(old)
    assert CONTRADICTED not in memory.review.digest().sections


def test_a_job_that_failed_last_is_reported(memory: Memory, clock: FakeClock) -> None:
    look(memory)
    log = store_of(memory).device.job_log
    at = clock.at + 10
    with log.claim():
        log.write_status(
            {
                "decay": JobRun("decay", "failed", error="no room", started=at, ended=at, due=at),
                "heat": JobRun("heat", "ok", started=at, ended=at, due=at),
            }
        )
    clock.at += 20
    digest = look(memory)
    assert [(item.title, item.reason) for item in digest.sections[FAILED]] == [("decay", "no room")]
    assert FAILED not in memory.review.digest().sections


def test_what_waits_in_the_inbox_and_what_nobody_attests_is_counted(
    memory: Memory, vault: Path
) -> None:
    memory.save("Maybe.", title="Maybe", status="inbox")
    save(memory, "Mine")
    put(vault, "Memory/fix/x.md", "---\nid: 01x\nkind: fix\n---\n# X\n")
    digest = memory.review.digest()
    assert (digest.inbox, digest.unattested) == (1, 1)


def test_what_is_known_elsewhere_is_added(memory: Memory) -> None:
    digest = memory.review.digest()
    digest.add("lost", [])
    assert digest.sections == {}
    digest.add("lost", [DigestItem(title="a")])
    digest.add("lost", [DigestItem(title="b")])
    assert [item.title for item in digest.sections["lost"]] == ["a", "b"]


def test_one_whose_file_is_gone_is_told_by_its_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate(tmp_path, monkeypatch)
    with make_memory(tmp_path) as memory:
        id_ = save(memory, "One")
        promote_entry(store_of(memory), id_)
        (tmp_path / "vault" / "Memory" / "_always-load" / "one.md").unlink()
        (item,) = memory.review.digest().sections[PROMOTED]
        assert item.entry == id_
        assert item.title == ""
        assert item.path


def test_a_proposal_that_expired_unseen_is_reported_once_and_at_the_next_starts(
    memory: Memory, clock: FakeClock
) -> None:
    ids = [memory.save(f"It fell {n}.", title=f"Pooler {n}", kind="fix").id for n in range(3)]
    for id_ in ids:
        memory.review.propose("archive", id_)
    seen, *others = memory.review.list()
    memory.review.reject(seen.id)
    look(memory)
    assert memory.count_proposals() == (2, 0)
    clock.at += 31 * DAY
    assert memory.count_proposals() == (0, 2), "before the job has looked at them"
    JOBS["staging"].load()(store_of(memory), Run())
    assert memory.count_proposals() == (0, 2)
    assert {item.entry for item in look(memory).sections[EXPIRED]} == {one.id for one in others}
    assert EXPIRED not in look(memory).sections
    clock.at += 8 * DAY
    assert memory.count_proposals() == (0, 0)
