"""Episodes become patterns and mistakes to avoid."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core.store import Actor
from engrain.language.text.instants import read_instant
from engrain.lifecycle.consolidating.evidence import compose_fresh
from engrain.lifecycle.consolidating.running import consolidate, run
from engrain.lifecycle.jobs.table import Run
from engrain.model.errors import ConfigError
from engrain.model.experience.patterns import (
    Pattern,
    compose_pattern,
    read_anti_pattern,
    read_pattern,
)
from support.vaults import START, FakeClock, make_memory
from unit.lifecycle.experience import FIX, episode, ids_of, met, todos
from unit.lifecycle.sessions.living import DAY, entry_of, store_of, with_settings


def file_two(memory: Memory, clock: FakeClock, **options: object) -> None:
    memory.episodes.save(todos("ep-1", clock.now() - 200, **options))
    memory.episodes.save(todos("ep-2", clock.now() - 100, **options))


def only_pattern(memory: Memory) -> Pattern:
    [id_] = ids_of(memory, "pattern")
    return read_pattern(entry_of(memory, id_))


def test_two_alike_successes_become_a_pattern_that_names_both(
    memory: Memory, clock: FakeClock
) -> None:
    file_two(memory, clock)
    report = memory.episodes.consolidate()
    pattern = only_pattern(memory)
    assert report.counts["patterns"] == 1
    assert pattern.pattern == "Implement POST /api/todos endpoint"
    assert pattern.category == "typescript"
    assert pattern.confidence == 0.8
    assert pattern.source_episodes == ("ep-1", "ep-2")
    assert "It touches `src/db/todos.ts`" in pattern.conditions
    assert pattern.correct_approach == ("Steps that worked: `read_file`, `edit_file`, `run_test`.")
    entry = entry_of(memory, pattern.id)
    assert entry.derived_from == ("ep-1", "ep-2")
    assert entry.zone == "live"


def test_two_that_consolidate_at_once_make_one_pattern_of_growing_evidence(
    memory: Memory, tmp_path: Path, clock: FakeClock
) -> None:
    file_two(memory, clock, errors=(met(3),))
    with make_memory(tmp_path, clock=clock) as other, ThreadPoolExecutor(2) as pool:
        with store_of(memory).device.job_log.claim():
            first = pool.submit(other.episodes.consolidate)
            memory.episodes.save(todos("ep-3", clock.now() - 50, errors=(met(3),)))
            consolidate(store_of(memory))
        assert not first.result().counts["patterns"]
    assert only_pattern(memory).source_episodes == ("ep-1", "ep-2", "ep-3")
    assert len(ids_of(memory, "anti-pattern")) == len(ids_of(memory, "learning")) == 1


def test_consolidating_again_changes_nothing(memory: Memory, clock: FakeClock) -> None:
    file_two(memory, clock, errors=(met(3),))
    memory.episodes.consolidate()
    before = len(memory.history())
    report = memory.episodes.consolidate()
    assert len(memory.history()) == before
    assert not any(report.counts[what] for what in ("patterns", "anti-patterns", "updated"))


def test_one_episode_is_no_pattern_and_waits_for_its_like(memory: Memory, clock: FakeClock) -> None:
    memory.episodes.save(todos("ep-1", clock.now() - 100))
    memory.episodes.consolidate()
    assert ids_of(memory, "pattern") == []
    clock.at += 5 * DAY
    memory.episodes.save(todos("ep-2", clock.now() - 100))
    memory.episodes.consolidate()
    assert only_pattern(memory).source_episodes == ("ep-1", "ep-2")


def test_failures_are_no_pattern_and_that_is_reported(memory: Memory, clock: FakeClock) -> None:
    file_two(memory, clock, outcome="failure")
    report = memory.episodes.consolidate()
    assert ids_of(memory, "pattern") == []
    assert report.counts["left"] == 1
    assert "confidence 0.4: under 0.8" in report.lines[0]


def test_a_third_episode_joins_the_pattern_and_counts_as_a_use(
    memory: Memory, clock: FakeClock
) -> None:
    file_two(memory, clock)
    memory.episodes.consolidate()
    before = only_pattern(memory)
    clock.at += 3 * DAY
    memory.episodes.save(todos("ep-3", clock.now() - 100))
    report = memory.episodes.consolidate()
    after = only_pattern(memory)
    assert report.counts["updated"] == 1
    assert after.id == before.id
    assert after.source_episodes == ("ep-1", "ep-2", "ep-3")
    assert after.confidence == round(5 / 6, 4)
    assert after.usage_count == 1
    assert read_instant(after.last_used) == pytest.approx(clock.at, abs=600)


def test_a_failure_of_the_same_kind_lowers_the_confidence(memory: Memory, clock: FakeClock) -> None:
    file_two(memory, clock)
    memory.episodes.consolidate()
    memory.episodes.save(todos("ep-3", clock.now() - 10, outcome="failure"))
    memory.episodes.consolidate()
    assert only_pattern(memory).confidence == round(4 / 6, 4)


def test_the_same_error_and_fix_become_one_mistake_and_one_learning_naming_both(
    memory: Memory, clock: FakeClock
) -> None:
    memory.episodes.save(todos("ep-1", clock.now() - 200, errors=(met(12),)))
    other = episode("ep-2", "Document the release", clock.now() - 100, errors=(met(7, name="x"),))
    memory.episodes.save(other)
    memory.episodes.consolidate()
    [anti_id] = ids_of(memory, "anti-pattern")
    [learning_id] = ids_of(memory, "learning")
    anti = read_anti_pattern(entry_of(memory, anti_id))
    assert anti.sources == ("ep-1", "ep-2")
    assert anti.prevention == FIX
    assert anti.actions == ("run_test",)
    assert anti.confidence == 0.8
    learning = entry_of(memory, learning_id)
    document = learning.note.document
    assert document["source_episodes"] == ["ep-1", "ep-2"]
    assert document["anti_pattern"] == anti_id
    assert document["resolution"] == FIX
    assert learning.derived_from == ("ep-1", "ep-2")
    [change] = {one.change for one in memory.history() if one.op == "consolidate"}
    assert change


def test_an_error_met_once_or_never_resolved_is_no_mistake_to_avoid(
    memory: Memory, clock: FakeClock
) -> None:
    memory.episodes.save(todos("ep-1", clock.now() - 200, errors=(met(1, ""),)))
    memory.episodes.save(episode("ep-2", "Other work", clock.now() - 9, errors=(met(2, ""),)))
    once = episode("ep-3", "Paint the shed", clock.now() - 8, errors=(("E", "no paint", "bought"),))
    memory.episodes.save(once)
    memory.episodes.consolidate()
    assert ids_of(memory, "anti-pattern") == []
    memory.episodes.save(episode("ep-4", "More work", clock.now() - 7, errors=(met(3),)))
    memory.episodes.consolidate()
    [anti_id] = ids_of(memory, "anti-pattern")
    anti = read_anti_pattern(entry_of(memory, anti_id))
    assert (anti.prevention, anti.confidence) == (FIX, 0.8)
    assert anti.sources == ("ep-1", "ep-2", "ep-4")


@pytest.mark.parametrize("goal", ["commit", "can you run that for me?", "Go on", "yes"])
def test_a_goal_that_says_nothing_names_no_pattern(
    memory: Memory, clock: FakeClock, goal: str
) -> None:
    for number in (1, 2):
        memory.episodes.save(episode(f"ep-{number}", goal, clock.now() - 9, files=("a.ts",)))
    assert memory.episodes.consolidate().counts["left"] == 1
    assert ids_of(memory, "pattern") == []


def test_two_steps_without_a_fix_are_no_pattern(memory: Memory, clock: FakeClock) -> None:
    for number in (1, 2):
        document = todos(f"ep-{number}", clock.now() - 100)
        document["action_log"] = [{"t": 5, "action": "edit_file", "target": "src/routes/todos.ts"}]
        memory.episodes.save(document)
    assert memory.episodes.consolidate().counts["left"] == 1
    assert ids_of(memory, "pattern") == []


def test_of_several_resolutions_the_best_supported_stands_in_mistake_and_learning(
    memory: Memory, clock: FakeClock
) -> None:
    restarted = (met(1, "Restarted the editor"),)
    memory.episodes.save(todos("ep-0", clock.now() - 300, errors=(met(1, ""),)))
    memory.episodes.save(todos("ep-1", clock.now() - 300, errors=restarted))
    memory.episodes.consolidate()
    [anti_id] = ids_of(memory, "anti-pattern")
    assert read_anti_pattern(entry_of(memory, anti_id)).prevention == "Restarted the editor"
    for number in (2, 3):
        memory.episodes.save(todos(f"ep-{number}", clock.now() - 90, errors=(met(number),)))
    memory.episodes.consolidate()
    anti = read_anti_pattern(entry_of(memory, anti_id))
    assert anti.prevention == FIX
    assert anti.sources == ("ep-0", "ep-1", "ep-2", "ep-3")
    assert anti.confidence == round(4.5 / 6.5, 4)
    [learning_id] = ids_of(memory, "learning")
    document = entry_of(memory, learning_id).note.document
    assert document["resolution"] == FIX
    assert FIX in document["lesson"]
    assert document["source_episodes"] == ["ep-0", "ep-1", "ep-2", "ep-3"]


def test_an_undone_pattern_is_not_made_again_until_two_new_episodes_say_so(
    memory: Memory, clock: FakeClock
) -> None:
    file_two(memory, clock)
    memory.episodes.consolidate()
    memory.undo()
    assert ids_of(memory, "pattern") == []
    memory.episodes.consolidate()
    assert ids_of(memory, "pattern") == []
    memory.episodes.save(todos("ep-3", clock.now() - 9))
    memory.episodes.consolidate()
    assert ids_of(memory, "pattern") == []
    memory.episodes.save(todos("ep-4", clock.now() - 9))
    memory.episodes.consolidate()
    assert only_pattern(memory).source_episodes == ("ep-1", "ep-2", "ep-3", "ep-4")


def test_an_undone_update_is_not_done_again(memory: Memory, clock: FakeClock) -> None:
    file_two(memory, clock, errors=(met(3),))
    memory.episodes.consolidate()
    memory.episodes.save(todos("ep-3", clock.now() - 9, errors=(met(4),)))
    memory.episodes.consolidate()
    [pattern_id] = ids_of(memory, "pattern")
    [anti_id] = ids_of(memory, "anti-pattern")
    memory.undo()
    memory.undo()
    before = len(memory.history())
    memory.episodes.consolidate()
    assert len(memory.history()) == before
    assert read_pattern(entry_of(memory, pattern_id)).source_episodes == ("ep-1", "ep-2")
    assert read_anti_pattern(entry_of(memory, anti_id)).sources == ("ep-1", "ep-2")


def test_undoing_a_mistake_takes_its_learning_back_and_neither_returns(
    memory: Memory, clock: FakeClock
) -> None:
    memory.episodes.save(episode("ep-1", "Paint the shed", clock.now() - 200, errors=(met(1),)))
    memory.episodes.save(episode("ep-2", "Weigh the boat", clock.now() - 100, errors=(met(2),)))
    memory.episodes.consolidate()
    memory.undo()
    memory.episodes.consolidate()
    assert ids_of(memory, "anti-pattern") == []
    assert ids_of(memory, "learning") == []


def test_no_job_changes_what_the_operator_vouched_for(memory: Memory, clock: FakeClock) -> None:
    file_two(memory, clock)
    memory.episodes.consolidate()
    [id_] = ids_of(memory, "pattern")
    memory.trust.attest(id_)
    memory.episodes.save(todos("ep-3", clock.now() - 9))
    before = entry_of(memory, id_).hash
    assert memory.episodes.consolidate().counts["updated"] == 0
    assert entry_of(memory, id_).hash == before
    assert memory.review.list() == []


def test_forgotten_evidence_no_longer_counts_and_archived_evidence_does(
    memory: Memory, clock: FakeClock
) -> None:
    for number in (1, 2, 3):
        memory.episodes.save(todos(f"ep-{number}", clock.now() - 100))
    memory.episodes.consolidate()
    memory.archive("ep-1")
    memory.episodes.consolidate()
    assert only_pattern(memory).source_episodes == ("ep-1", "ep-2", "ep-3")
    memory.forget("ep-2")
    memory.episodes.consolidate()
    pattern = only_pattern(memory)
    assert pattern.source_episodes == ("ep-1", "ep-3")
    assert pattern.confidence == 0.8
    assert pattern.usage_count == 0


def test_what_erasing_an_episode_took_with_it_is_made_anew_of_the_others(
    memory: Memory, clock: FakeClock
) -> None:
    # Of a text that is erased every copy goes.
    for number, part in enumerate(("lists", "filters", "labels"), 1):
        goal = f"Implement POST /api/todos endpoint for {part}"
        files = ("src/routes/todos.ts",)
        memory.episodes.save(episode(f"ep-{number}", goal, clock.now() - 100, files=files))
    memory.episodes.consolidate()
    before = only_pattern(memory).id
    memory.erase(memory.plan_erasure(["ep-1"]))
    assert ids_of(memory, "pattern") == []
    memory.episodes.consolidate()
    pattern = only_pattern(memory)
    assert pattern.id != before
    assert pattern.source_episodes == ("ep-2", "ep-3")


def test_an_erased_pattern_is_not_made_again_of_the_same_episodes(
    memory: Memory, clock: FakeClock
) -> None:
    file_two(memory, clock)
    memory.episodes.consolidate()
    memory.erase(memory.plan_erasure([only_pattern(memory).id]))
    memory.episodes.consolidate()
    assert ids_of(memory, "pattern") == []


def test_projects_are_consolidated_apart(memory: Memory, clock: FakeClock) -> None:
    memory.episodes.save(todos("ep-1", clock.now() - 200, errors=(met(1, ""),)), project="harbour")
    memory.episodes.save(todos("ep-2", clock.now() - 100, errors=(met(1, ""),)), project="quay")
    memory.episodes.consolidate()
    assert ids_of(memory, "pattern") == []
    assert ids_of(memory, "anti-pattern") == []
    memory.episodes.save(todos("ep-3", clock.now() - 100), project="quay")
    memory.episodes.consolidate(project="harbour")
    assert ids_of(memory, "pattern") == []
    memory.episodes.consolidate(project="quay")
    assert only_pattern(memory).source_episodes == ("ep-2", "ep-3")
    assert entry_of(memory, only_pattern(memory).id).project == "quay"


def test_a_dry_run_tells_and_writes_nothing(memory: Memory, clock: FakeClock) -> None:
    file_two(memory, clock, errors=(met(1),))
    before = len(memory.history())
    report = memory.episodes.consolidate(dry_run=True)
    assert (report.counts["patterns"], report.counts["anti-patterns"]) == (1, 1)
    assert len(memory.history()) == before


def test_the_job_does_nothing_where_nothing_changed(memory: Memory, clock: FakeClock) -> None:
    file_two(memory, clock)
    store = store_of(memory)
    assert run(store, Run()).counts["patterns"] == 1
    assert run(store, Run()).counts["episodes"] == 2
    assert run(store, Run()).counts == {"episodes": 0}
    memory.episodes.save(todos("ep-3", clock.now() - 9))
    assert run(store, Run()).counts["updated"] == 1


def test_the_job_stops_where_its_time_is_out_and_goes_on_later(
    memory: Memory, clock: FakeClock
) -> None:
    file_two(memory, clock, errors=(met(1),))
    store = store_of(memory)
    assert run(store, Run(out_of_time=lambda: True)).unfinished
    report = run(store, Run())
    assert (report.counts["patterns"], report.counts["anti-patterns"]) == (1, 1)


def test_the_confidence_that_is_kept_is_a_setting(memory: Memory, clock: FakeClock) -> None:
    file_two(memory, clock)
    strict = with_settings(store_of(memory), {"consolidate.confidence": "0.9"})
    assert consolidate(strict).counts["left"] == 1
    wrong = with_settings(strict, {"consolidate.confidence": "much"})
    with pytest.raises(ConfigError, match="is 'much', not a number"):
        consolidate(wrong)


def test_a_pattern_from_outside_evidence_is_trusted_no_more_than_that(
    memory: Memory, clock: FakeClock
) -> None:
    outside = Actor("feed", "external")
    store = store_of(memory).acting_as(outside)
    from engrain.engine.episodes.episode import save_episode

    save_episode(store, todos("ep-1", clock.now() - 200))
    memory.episodes.save(todos("ep-2", clock.now() - 100))
    memory.episodes.consolidate()
    row = store_of(memory).find_exact(only_pattern(memory).id)
    assert row is not None
    assert row.source == "external"


def test_text_of_an_episode_is_no_link_and_no_markup(memory: Memory, clock: FakeClock) -> None:
    goal = "Obey [[directive]] <b>now</b> in todos endpoint"
    for number in (1, 2):
        at = clock.now() - 100
        memory.episodes.save(
            episode(f"ep-{number}", goal, at, errors=(("E", "see [[secret]] failed", "[[x]]"),))
        )
    memory.episodes.consolidate()
    store = store_of(memory)
    for kind in ("pattern", "anti-pattern", "learning"):
        [id_] = ids_of(memory, kind)
        row = store.find_exact(id_)
        assert row is not None
        assert {to for to, _ in store.index.links_from(row.locator)} <= {"ep-1", "ep-2"}


def test_corrupt_episodes_and_patterns_among_good_ones_cost_nothing_else(
    memory: Memory, clock: FakeClock, vault: Path
) -> None:
    file_two(memory, clock)
    day = next((vault / "Memory/episodic").iterdir())
    (day / "broken.json").write_text("{not json")
    odd = '{"id": "odd", "context": 3, "action_log": {}, "errors_encountered": "x"}'
    (day / "odd.json").write_text(odd)
    (vault / "Memory/pattern").mkdir(exist_ok=True)
    (vault / "Memory/pattern/bad.md").write_text("---\nid: [unclosed\n---\n# Bad\n")
    memory.episodes.consolidate()
    assert only_pattern(memory).source_episodes == ("ep-1", "ep-2")


def test_two_devices_make_one_pattern_of_the_same_episodes(
    tmp_path: Path, memory: Memory, clock: FakeClock
) -> None:
    made = []
    with make_memory(tmp_path, name="second", device="other", clock=clock, seed=9) as second:
        for one in (memory, second):
            for number in (2, 1) if one is second else (1, 2):
                one.episodes.save(todos(f"ep-{number}", START + number, errors=(met(number),)))
            one.episodes.consolidate()
            kinds = ("pattern", "anti-pattern", "learning")
            made.append([ids_of(one, kind) for kind in kinds])
    assert made[0] == made[1]
    assert all(len(ids) == 1 for ids in made[0])


def test_many_episodes_with_long_ids_fit_into_one_pattern(memory: Memory, clock: FakeClock) -> None:
    for number in range(120):
        document = todos(f"{number:03}-" + "x" * 196, clock.now() - 100, errors=(met(number),))
        memory.episodes.save(document)
    memory.episodes.consolidate()
    assert 2 <= len(only_pattern(memory).source_episodes) < 120
    before = len(memory.history())
    memory.episodes.consolidate()
    assert len(memory.history()) == before


def test_what_another_device_filed_just_now_is_not_filed_beside_it(
    memory: Memory, clock: FakeClock
) -> None:
    file_two(memory, clock)
    memory.episodes.consolidate()
    pattern = only_pattern(memory)
    entry = entry_of(memory, pattern.id)
    fields, body = compose_pattern(pattern, pattern.source_episodes)
    again = compose_fresh(store_of(memory), fields, body, None, Actor("jobs", "agent"))
    assert again.place == entry.path
    fields["id"] = "another"
    other = compose_fresh(store_of(memory), fields, body, None, Actor("jobs", "agent"))
    assert other.place != entry.path
