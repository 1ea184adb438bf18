"""`episodes`: in full for a week, summaries for a month, then archived unless something refers to
them (S2.11)."""

from __future__ import annotations

from typing import Any

import pytest

from engrain import Memory
from engrain.language.text.instants import format_instant
from engrain.lifecycle.ageing import decay
from engrain.lifecycle.ageing.decay import find_old, run_episodes
from engrain.lifecycle.jobs.table import Run
from engrain.lifecycle.policy import episode_days
from engrain.model.errors import ConfigError
from engrain.model.run_result import RunResult
from support.vaults import FakeClock
from unit.lifecycle.sessions.living import DAY, live_through, store_of, with_settings
from unit.model.experience.test_reading import SEED

LOG: list[dict[str, Any]] = [{"t": n, "action": f"step {n}"} for n in range(10)]
LOG[4] = {"t": 4, "action": "run_test", "result": "fail", "error": "boom"}


def file_one(memory: Memory, clock: FakeClock, id_: str = "e1", *, days_ago: float = 0) -> str:
    """File an episode that happened so many days ago; its id."""
    at = format_instant(clock.at - days_ago * DAY)
    return memory.episodes.save({**SEED, "id": id_, "timestamp": at, "action_log": LOG}).id


def work(memory: Memory, **settings: str) -> RunResult:
    store = with_settings(store_of(memory), settings)
    return run_episodes(store, Run())


def done(report: RunResult) -> list[str]:
    return list(report.lines)


def steps(memory: Memory, id_: str = "e1") -> list[float]:
    return [action["t"] for action in memory.episodes.read(id_)[1]["action_log"]]


def status(memory: Memory, id_: str = "e1") -> str:
    return memory.show(id_).entry.status


def test_for_a_week_an_episode_is_kept_in_full(memory: Memory, clock: FakeClock) -> None:
    file_one(memory, clock)
    clock.at += 6.9 * DAY
    assert done(work(memory)) == []
    assert steps(memory) == list(range(10))


def test_after_that_it_is_summarised_once_and_told_what_was_left_out(
    memory: Memory, clock: FakeClock
) -> None:
    file_one(memory, clock)
    clock.at += 7.1 * DAY
    assert done(work(memory)) == ["summarised e1"]
    assert done(work(memory)) == []
    assert steps(memory) == [0, 4, 5, 9]
    _, document, beside = memory.episodes.read("e1")
    assert beside["omitted"] == {"actions": 6}
    assert {**document, "action_log": LOG} == {
        **SEED, "id": "e1", "timestamp": document["timestamp"], "action_log": LOG,
    }  # fmt: skip
    assert status(memory) == "active"


def test_the_whole_that_comes_again_is_known_by_its_summary(
    memory: Memory, clock: FakeClock
) -> None:
    file_one(memory, clock)
    whole = dict(memory.episodes.read("e1")[1])
    clock.at += 8 * DAY
    work(memory)
    assert memory.episodes.save(whole).outcome == "unchanged"
    assert len(memory.episodes.list().rows) == 1


def test_after_a_month_it_is_archived_and_can_be_restored(memory: Memory, clock: FakeClock) -> None:
    file_one(memory, clock)
    clock.at += 31 * DAY
    assert done(work(memory)) == ["archived e1"]
    assert status(memory) == "archived"
    assert memory.show("e1").locator.startswith("Memory/_archive/episodic/")
    memory.restore("e1")
    assert status(memory) == "active"
    assert steps(memory) == list(range(10))


def test_ages_count_from_the_later_of_event_and_filing(memory: Memory, clock: FakeClock) -> None:
    file_one(memory, clock, days_ago=400)
    clock.at += 6 * DAY
    assert done(work(memory)) == []
    clock.at += 2 * DAY
    assert done(work(memory)) == ["summarised e1"]


def test_one_that_is_to_happen_yet_has_no_age(memory: Memory, clock: FakeClock) -> None:
    file_one(memory, clock, days_ago=-60)
    clock.at += 31 * DAY
    assert done(work(memory)) == []


def test_what_was_taken_back_is_left_alone_for_as_long_again(
    memory: Memory, clock: FakeClock
) -> None:
    file_one(memory, clock)
    clock.at += 8 * DAY
    work(memory)
    memory.undo(next(change.change for change in memory.history("e1") if change.op == "summarize"))
    assert steps(memory) == list(range(10))
    clock.at += 6 * DAY
    assert done(work(memory)) == []
    clock.at += 2 * DAY
    assert done(work(memory)) == ["summarised e1"]


@pytest.mark.parametrize("kind", ["pattern", "anti-pattern", "procedural"])
def test_one_that_something_was_learned_from_is_summarised_but_not_archived(
    memory: Memory, clock: FakeClock, kind: str
) -> None:
    file_one(memory, clock)
    file_one(memory, clock, "e2")
    learned = memory.save("What it taught.", title="Lesson", kind=kind, derived_from=["e1"])
    clock.at += 40 * DAY
    assert done(work(memory)) == ["summarised e1", "archived e2"]
    assert done(work(memory)) == []
    memory.forget(learned.id)
    assert done(work(memory)) == ["archived e1"]


def test_what_only_names_it_as_a_source_keeps_it_too(memory: Memory, clock: FakeClock) -> None:
    from engrain.engine.verbs.records import compose_record, save_record

    file_one(memory, clock)
    store = store_of(memory)
    document = {"id": "l1", "timestamp": "2026-09-21T00:00:00Z", "source_episodes": ["e1"]}
    note = compose_record(store, "learning", document)
    save_record(store, "Memory/learnings/2026-09-21/l1.json", note)
    clock.at += 40 * DAY
    assert done(work(memory)) == ["summarised e1"]


def test_with_staging_it_is_proposed_for_the_archive(memory: Memory, clock: FakeClock) -> None:
    file_one(memory, clock)
    clock.at += 40 * DAY
    assert done(work(memory, **{"archive.t3": "stage"})) == ["proposed e1"]
    assert done(work(memory, **{"archive.t3": "stage"})) == []
    assert status(memory) == "active"
    assert [proposal.target for proposal in memory.review.list("archive")] == ["e1"]


def test_dry_it_tells_the_same_and_does_nothing(memory: Memory, clock: FakeClock) -> None:
    file_one(memory, clock)
    file_one(memory, clock, "e2", days_ago=-30)
    clock.at += 40 * DAY
    changes = len(memory.history())
    report = run_episodes(store_of(memory), Run(dry_run=True))
    assert done(report) == ["archived e1", "summarised e2"]
    assert len(memory.history()) == changes
    assert done(work(memory)) == done(report)


def test_the_days_are_settings(memory: Memory, clock: FakeClock) -> None:
    file_one(memory, clock)
    clock.at += 3 * DAY
    assert done(work(memory, **{"episodes.full_days": "2"})) == ["summarised e1"]
    days = {"episodes.full_days": "1", "episodes.summary_days": "2"}
    assert done(work(memory, **days)) == ["archived e1"]


@pytest.mark.parametrize(
    "settings",
    [{"episodes.full_days": "soon"}, {"episodes.summary_days": "-1"}, {"episodes.full_days": "40"}],
)
def test_days_that_make_no_sense_are_reported(settings: dict[str, str]) -> None:
    with pytest.raises(ConfigError, match=r"episodes\."):
        episode_days(settings)


def test_decay_leaves_episodes_to_this_job(memory: Memory, clock: FakeClock) -> None:
    file_one(memory, clock)
    for n in range(12):
        clock.at += 10 * DAY
        live_through(memory, f"s{n}")
    assert list(decay.find_faded(store_of(memory))) == []
    assert [old.row.id for old in find_old(store_of(memory))] == ["e1"]


def test_one_that_can_not_be_read_stops_no_other(memory: Memory, clock: FakeClock) -> None:
    file_one(memory, clock)
    file_one(memory, clock, "e2")
    store = store_of(memory)
    place = memory.show("e1").locator
    clock.at += 8 * DAY
    old = find_old(store)
    path = store.backend.describe() + "/" + place
    with open(path, "w") as file:
        file.write("{")
    assert [one.row.id for one in old] == ["e2"]


def test_the_job_brings_the_temporal_index_in_step(memory: Memory, clock: FakeClock) -> None:
    file_one(memory, clock)
    assert work(memory).counts["index files"] == 2
    assert work(memory).counts["index files"] == 0
