"""Statistics: what tasks cost, how they went, and what of the memory was of use."""

from __future__ import annotations

from typing import Any

import pytest

from engrain import Memory, UsageError
from engrain.engine.verbs.records import compose_record, save_record
from engrain.language.text.instants import format_instant
from engrain.model.experience.metrics import EFFICIENCY, OUTCOME, PREFERENCE
from support.vaults import FakeClock
from unit.lifecycle.sessions.living import DAY, live_through, store_of


def leave_episode(
    memory: Memory,
    id_: str,
    at: float,
    *,
    metrics: dict[str, Any] | None = None,
    project: str | None = None,
    **document: Any,
) -> None:
    """The trace of a task, as the engine files it."""
    stamp = format_instant(at)
    whole = {"id": id_, "timestamp": stamp, "context": {"goal": id_}, **document}
    store = store_of(memory)
    extra = {"metrics": metrics} if metrics else None
    note = compose_record(store, "episode", whole, project=project, extra=extra)
    save_record(store, f"Memory/episodic/{stamp[:10]}/{id_}.json", note)


def test_of_an_empty_memory_nothing_is_known(memory: Memory) -> None:
    found = memory.episodes.statistics()
    assert (found.days, found.cost.tasks, found.reward) == (7, 0, None)
    assert (found.access.entries, found.access.sessions, found.access.never) == (0, 0, 0)


def test_the_episodes_of_the_days_tell_the_cost(memory: Memory, clock: FakeClock) -> None:
    leave_episode(
        memory, "e1", clock.at - DAY, task_id="t1", agent="eng", duration_seconds=60,
        outcome="failure", errors_encountered=[{"message": "x", "resolution": "y"}],
        metrics={"retries": 2, "tokens": 100},
    )  # fmt: skip
    leave_episode(
        memory, "e2", clock.at, task_id="t1", agent="qa", duration_seconds=30, outcome="success"
    )
    leave_episode(memory, "e3", clock.at, task_id="t2", agent="eng", outcome="failure")
    cost = memory.episodes.statistics().cost
    assert (cost.tasks, cost.outcomes) == (2, {"failure": 1, "success": 1})
    assert (cost.seconds, cost.retries, cost.tokens) == (90, 3, 100)
    assert (cost.agents, cost.recovery_rate) == ({"eng": 2, "qa": 1}, 1.0)


def test_the_days_roll_and_the_time_before_is_told_beside(memory: Memory, clock: FakeClock) -> None:
    for number, days in enumerate((1, 6, 8, 13, 15)):
        leave_episode(memory, f"e{number}", clock.at - days * DAY, outcome="success")
    found = memory.episodes.statistics()
    assert (found.cost.tasks, found.before.tasks) == (2, 2)
    found = memory.episodes.statistics(days=14)
    assert (found.cost.tasks, found.before.tasks) == (4, 1)
    clock.at += 30 * DAY
    found = memory.episodes.statistics()
    assert (found.cost.tasks, found.before.tasks) == (0, 0)


@pytest.mark.parametrize("days", [0, -1, 100_000])
def test_a_time_that_is_none_is_refused(memory: Memory, days: int) -> None:
    with pytest.raises(UsageError):
        memory.episodes.statistics(days=days)


def test_other_projects_count_where_that_is_asked(memory: Memory, clock: FakeClock) -> None:
    leave_episode(memory, "e1", clock.at, outcome="success")
    leave_episode(memory, "e2", clock.at, outcome="success", project="elsewhere")
    assert memory.episodes.statistics().cost.tasks == 1
    assert memory.episodes.statistics(all_projects=True).cost.tasks == 2


def test_judgements_of_the_days_count(memory: Memory, clock: FakeClock) -> None:
    leave_episode(memory, "e1", clock.at, task_id="t1", outcome="failure")
    memory.episodes.add_signals("t1", outcome="success", efficiency="0.5", note="after all")
    memory.episodes.add_signals("t2", preference="revert")
    rewards = memory.episodes.statistics().rewards
    assert rewards == {OUTCOME: 1.0, EFFICIENCY: 0.5, PREFERENCE: -1.0}
    assert memory.episodes.statistics().reward == pytest.approx(0.6 + 0.125 - 0.15)
    clock.at += 8 * DAY
    assert set(memory.episodes.statistics().rewards.values()) == {None}


def test_a_judgement_of_nothing_or_by_nothing_is_refused_whole(memory: Memory) -> None:
    for task, judged in (
        ("", {"outcome": "success"}),
        ("t", {}),
        ("t", {"outcome": "success", "efficiency": "2"}),
    ):
        with pytest.raises(UsageError):
            memory.episodes.add_signals(task, **judged)
    assert memory.episodes.statistics().rewards[OUTCOME] is None


def test_the_operators_word_to_proposals_tells_what_they_like(memory: Memory) -> None:
    ids = [memory.save(f"Text {n}.", title=f"T{n}", kind="fix").id for n in range(3)]
    proposals = [memory.review.propose("archive", id_) for id_ in ids]
    for proposal in proposals[:2]:
        assert proposal is not None
        memory.review.accept(proposal.id)
    assert proposals[2] is not None
    memory.review.reject(proposals[2].id, "still in use")
    memory.save("Say why.", title="Why", kind="feedback")
    found = memory.episodes.statistics()
    assert (found.accepted, found.rejected, found.feedback) == (2, 1, 1)
    assert found.rewards[PREFERENCE] == pytest.approx(1 / 3)


def test_what_was_recalled_often_and_what_never_was_is_named(
    memory: Memory, clock: FakeClock
) -> None:
    often, once, never = (
        memory.save(f"Text {name}.", title=name, kind="fix").id for name in ("A", "B", "C")
    )
    live_through(memory, "s1", [often, once])
    live_through(memory, "s2", [often])
    access = memory.episodes.statistics().access
    assert (access.entries, access.sessions, access.recalled, access.never) == (3, 2, 2, 1)
    assert [(one.title, one.sessions) for one in access.recalled_named] == [("A", 2), ("B", 1)]
    assert [one.id for one in access.never_named] == [never]
    clock.at += 8 * DAY
    access = memory.episodes.statistics().access
    assert (access.sessions, access.recalled, access.never) == (0, 0, 1)


def test_what_a_session_used_is_told_apart(memory: Memory) -> None:
    used, recalled = (memory.save(f"Text {n}.", title=n, kind="fix").id for n in "AB")
    store = store_of(memory)
    store.local.end_session("s1", "", store.clock.now(), [used, recalled, "gone"], [used, "gone"])
    access = memory.episodes.statistics().access
    assert (access.recalled, access.used) == (2, 1)


def test_nothing_in_the_vault_is_written(memory: Memory, clock: FakeClock) -> None:
    leave_episode(memory, "e1", clock.at, outcome="success")
    before = len(memory.history())
    memory.episodes.add_signals("t1", outcome="success")
    memory.episodes.statistics()
    assert len(memory.history()) == before
