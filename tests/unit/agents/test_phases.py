"""Phases of work: begun and ended in CONTINUITY.md, and told in progress.md (S1.22)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engrain import ConflictError, Memory, NotFoundError, UsageError
from engrain.agents.phases import begin_phase, list_past_phases
from engrain.engine.core.store import Store
from engrain.language.text.instants import format_instant
from engrain.lifecycle.jobs.table import JOBS
from support.vaults import FakeClock, write_as


def episode(memory: Memory, name: str, at: float, outcome: str) -> None:
    document = {"id": name, "timestamp": format_instant(at), "outcome": outcome}
    document |= {"context": {"goal": f"goal of {name}"}}  # type: ignore[dict-item]
    raw = json.dumps({**document, "engrain": {"kind": "episode", "project": "harbour"}})
    write_as(memory, "agent", f"Memory/episodic/2026-09-21/{name}.json", raw)


def test_a_phase_that_has_begun_is_on_and_who_began_it_is_known(memory: Memory) -> None:
    memory.work.begin_phase("work", goal="build the quay wall")
    found = memory.work.read_continuity()
    assert found is not None
    assert (found.phase, found.goal) == ("work", "build the quay wall")
    assert found.began is not None
    assert memory.work.begin_phase("work").outcome == "unchanged"


def test_its_end_writes_what_was_done(memory: Memory, clock: FakeClock) -> None:
    memory.work.set_feature("Crane", status="todo")
    memory.work.set_feature("Lamp", status="todo")
    clock.at += 100
    episode(memory, "ep-before", clock.at - 50, "success")
    memory.work.begin_phase("work", goal="build the quay wall")
    for number, outcome in enumerate(("success", "failure", "success")):
        episode(memory, f"ep-{number}", clock.at + 1, outcome)
    memory.work.set_feature("Crane", status="done")
    memory.work.set_feature("Rail", status="doing")
    clock.at += 100
    ended, _ = memory.work.end_phase("work", summary="The wall stands.")
    assert ended.episodes == {"success": 2, "failure": 1}
    assert ended.features == ("Crane: done, was todo", "Rail: doing, new")
    ((_, text),) = memory.work.progress()
    assert text.splitlines()[1:] == [
        "Goal: build the quay wall",
        "The wall stands.",
        "- Episodes: 3 (2 success, 1 failure)",
        "- Feature Crane: done, was todo",
        "- Feature Rail: doing, new",
    ]
    found = memory.work.read_continuity()
    assert found is not None
    assert (found.phase, found.began, found.goal) == ("", None, "build the quay wall")


def test_phases_that_ended_are_read_back_from_progress(memory: Memory, clock: FakeClock) -> None:
    memory.work.begin_phase("work", goal="build the quay wall")
    memory.work.set_feature("Rail: north", status="doing")
    memory.work.write_continuity(next_step="Order the lamps")
    memory.work.end_phase("work", summary="The wall stands.\n- It is of stone.")
    memory.work.add_progress("Phase two is far off.")
    memory.work.write_continuity(goal="", next_step="")
    memory.work.begin_phase("review")
    memory.work.end_phase("review")
    work, review = list_past_phases(memory._open_store())
    assert (work.name, work.goal, work.next_step) == (
        "work",
        "build the quay wall",
        "Order the lamps",
    )
    assert work.summary == "The wall stands.\n- It is of stone."
    assert work.features == ("Rail: north: doing, new",)
    assert work.began is not None
    assert work.began < work.ended <= clock.at
    # Nobody set another goal, so it is the feature that is in progress.
    found = (review.name, review.goal, review.next_step, review.features)
    assert found == ("review", "Rail: north", "", ())


def test_its_end_is_one_change(memory: Memory) -> None:
    memory.work.begin_phase("plan")
    ended, _ = memory.work.end_phase("plan")
    found = memory.work.read_continuity()
    assert found is not None
    changes = [memory.history(entry)[0].change for entry in (found.entry.id, ended.outcome.id)]
    assert changes[0] == changes[1]
    memory.undo()
    back = memory.work.read_continuity()
    assert back is not None
    assert back.phase == "plan"
    assert memory.work.progress() == []


def test_its_end_asks_for_consolidation_and_crystallisation(memory: Memory) -> None:
    memory.work.begin_phase("plan")
    _, asked = memory.work.end_phase("plan")
    assert [one.name for one in asked] == ["consolidate", "crystallize"]
    assert [one.known for one in asked] == [name in JOBS for name in ("consolidate", "crystallize")]
    assert [one.name for one in memory.jobs.requests()] == ["consolidate", "crystallize"]


def test_one_that_has_not_begun_can_not_end(memory: Memory) -> None:
    with pytest.raises(NotFoundError, match="has not begun"):
        memory.work.end_phase("work")
    memory.work.begin_phase("plan")
    with pytest.raises(ConflictError, match="plan is on"):
        memory.work.end_phase("work")
    memory.work.end_phase("plan")
    with pytest.raises(NotFoundError):
        memory.work.end_phase("plan")
    assert len(memory.work.progress()) == 1


def test_a_second_one_does_not_begin_within_the_first(memory: Memory) -> None:
    memory.work.begin_phase("plan")
    with pytest.raises(ConflictError) as told:
        memory.work.begin_phase("work")
    assert "engrain phase end plan" in str(told.value.remedy)


def test_of_two_that_begin_at_once_one_is_told_of_the_other(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = memory._ready()
    commit, quicker = store.commit, ["plan"]

    def late(_: Store, *args: object, **options: object) -> object:
        if quicker:
            begin_phase(store, quicker.pop())
        return commit(*args, **options)  # type: ignore[arg-type]

    with monkeypatch.context() as patch:
        patch.setattr(type(store), "commit", late)
        with pytest.raises(ConflictError, match="plan is on"):
            begin_phase(store, "work")


def test_its_beginning_looks_memories_up(memory: Memory) -> None:
    memory.save("Drains first.", title="Quay walls need drains", kind="domain-reference")
    memory.work.begin_phase("work", goal="build the quay wall with drains")
    found = memory.work.read_continuity()
    assert found is not None
    assert "Quay walls need drains" in found.relevant[0]


@pytest.mark.parametrize("name", ["party", "", "WORK", "x" * 1000])
def test_a_name_that_no_phase_has_is_refused_with_the_list(memory: Memory, name: str) -> None:
    for verb in (memory.work.begin_phase, memory.work.end_phase):
        with pytest.raises(UsageError) as told:
            verb(name)
        assert "plan, work, review, release, document" in str(told.value.remedy)


def test_a_phase_that_a_person_wrote_down_can_end(memory: Memory, vault: Path) -> None:
    path = vault / "projects/harbour/_harness/CONTINUITY.md"
    path.parent.mkdir(parents=True)
    path.write_text("---\nphase: review\n---\n# Mine\n")
    ended, _ = memory.work.end_phase("review")
    assert ended.began is None
    assert "phase" not in path.read_text().partition("# Mine")[0]
    assert memory.work.progress()[0][1] == "Phase review ended."
