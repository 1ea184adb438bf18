"""`triage`: what waits in the inbox is filed or retired (S1.20)."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain import Memory
from engrain.lifecycle.ageing.decay import WaitingEntry, choose, run_triage
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.sessions.sessions import note_recalled
from engrain.model.note.tiers import ACTIVE, INBOX
from engrain.model.run_result import RunResult
from support.vaults import FakeClock, make_memory
from unit.engine.core.vault_files import put
from unit.lifecycle.sessions.living import (
    DAY,
    entry_of,
    isolate,
    live_through,
    store_of,
    with_settings,
)


@pytest.fixture
def clock() -> FakeClock:
    return FakeClock()


@pytest.fixture
def memory(tmp_path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> Iterator[Memory]:
    isolate(tmp_path, monkeypatch)
    with make_memory(tmp_path, clock=clock) as memory:
        yield memory


def wait(memory: Memory, title: str, *, seen: int = 1) -> str:
    """An entry in the inbox, met in so many sessions; its id."""
    made = memory.save("So it is.", title=title, kind="preference", status=INBOX)
    if seen > 1:
        store = store_of(memory)
        store.update(made.locator, lambda entry: entry.note.patch({"seen": seen}), "learn")
    return made.id


def triage(memory: Memory, **settings: str) -> RunResult:
    return run_triage(with_settings(store_of(memory), settings), Run())


@pytest.mark.parametrize(
    ("standing", "action"),
    [
        (WaitingEntry(), None),
        (WaitingEntry(seen=2), None),
        (WaitingEntry(seen=3), "file"),
        (WaitingEntry(recalled=True), "file"),
        (WaitingEntry(days=30), None),
        (WaitingEntry(days=31), "archive"),
        (WaitingEntry(seen=2, days=31), "archive"),
        (WaitingEntry(seen=3, days=31), "file"),
        (WaitingEntry(seen=3, days=31, asked=True), None),
        (WaitingEntry(seen=3, recalled=True, refused=True), None),
        (WaitingEntry(seen=3, days=31, refused=True), "archive"),
    ],
)
def test_what_becomes_of_one_that_waits(standing: WaitingEntry, action: str | None) -> None:
    chosen = choose(standing, 30)
    assert (chosen and chosen[0]) == action


def test_one_that_was_met_often_is_proposed_once_and_filed_on_the_operators_word(
    memory: Memory,
) -> None:
    id_ = wait(memory, "Answer in German", seen=3)
    assert triage(memory).counts == {"proposed": 1, "archived": 0}
    assert triage(memory).counts == {"proposed": 0, "archived": 0}
    (proposal,) = memory.review.list()
    assert (proposal.action, proposal.target) == ("file", id_)
    assert proposal.reason == "met in 3 sessions"
    assert "Memory/preference/answer-in-german.md" in "\n".join(memory.review.show(proposal.id)[1])
    memory.review.accept(proposal.id)
    entry = entry_of(memory, id_)
    assert (entry.status, entry.path) == (ACTIVE, "Memory/preference/answer-in-german.md")
    assert triage(memory).lines == ()


def test_what_was_rejected_is_not_proposed_again_but_goes_when_its_time_is_over(
    memory: Memory, clock: FakeClock
) -> None:
    id_ = wait(memory, "Answer in German", seen=3)
    triage(memory)
    memory.review.reject(memory.review.list()[0].id)
    assert triage(memory).counts["proposed"] == 0
    clock.at += 31 * DAY
    assert triage(memory).counts == {"proposed": 0, "archived": 1}
    assert entry_of(memory, id_).status == "archived"


def test_one_that_was_recalled_is_proposed(memory: Memory) -> None:
    id_ = wait(memory, "Answer in German")
    store = store_of(memory)
    note_recalled(store.device.journal, "s1", store.clock.now(), [id_])
    live_through(memory, "s1", [id_])
    triage(memory)
    assert [(one.action, one.reason) for one in memory.review.list()] == [
        ("file", "recalled from the inbox")
    ]


def test_what_nobody_met_for_a_month_goes_into_the_archive_and_comes_back(
    memory: Memory, clock: FakeClock
) -> None:
    id_ = wait(memory, "Answer in German")
    clock.at += 29 * DAY
    assert triage(memory).counts["archived"] == 0
    clock.at += 2 * DAY
    report = triage(memory)
    assert report.counts["archived"] == 1
    assert report.lines[0].startswith(f"archived {id_}: not met for 31 days")
    assert entry_of(memory, id_).status == "archived"
    assert triage(memory).lines == ()
    memory.restore(id_)
    assert entry_of(memory, id_).status == INBOX


def test_an_old_session_that_was_reflected_just_now_has_its_month(
    memory: Memory, clock: FakeClock
) -> None:
    made = memory.save("x", title="Answer in German", status=INBOX, created=clock.at - 400 * DAY)
    assert triage(memory).counts["archived"] == 0
    assert entry_of(memory, made.id).status == INBOX


def test_where_the_archive_is_staged_it_is_proposed(memory: Memory, clock: FakeClock) -> None:
    id_ = wait(memory, "Answer in German")
    clock.at += 31 * DAY
    report = triage(memory, **{"archive.t3": "stage"})
    assert report.counts == {"proposed": 1, "archived": 0}
    assert [(one.action, one.target) for one in memory.review.list()] == [("archive", id_)]


def test_how_long_it_waits_is_the_operators_to_say(memory: Memory, clock: FakeClock) -> None:
    wait(memory, "Answer in German")
    clock.at += 3 * DAY
    assert triage(memory, **{"inbox.days": "2"}).counts["archived"] == 1


def test_a_dry_run_tells_and_changes_nothing(memory: Memory, clock: FakeClock) -> None:
    wait(memory, "Answer in German", seen=3)
    wait(memory, "Answer in Dutch")
    clock.at += 31 * DAY
    head = len(memory.history())
    assert run_triage(store_of(memory), Run(dry_run=True)).counts == {"proposed": 1, "archived": 1}
    assert len(memory.history()) == head


def test_what_can_not_be_read_stops_no_other(
    memory: Memory, clock: FakeClock, tmp_path: Path
) -> None:
    put(tmp_path / "vault", "Memory/_inbox/bad.md", "---\nid: [\n---\n# Bad\n")
    wait(memory, "Answer in German")
    clock.at += 31 * DAY
    assert triage(memory).counts["archived"] >= 1


def test_the_digest_tells_how_many_wait_and_since_when(memory: Memory, clock: FakeClock) -> None:
    assert (memory.review.digest().inbox, memory.review.digest().inbox_since) == (0, None)
    wait(memory, "Answer in German")
    before = clock.at
    clock.at += DAY
    wait(memory, "Answer in Dutch")
    digest = memory.review.digest()
    assert digest.inbox == 2
    assert digest.inbox_since == pytest.approx(before, abs=10)
