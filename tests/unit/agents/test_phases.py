"""Phases of work, and progress.md, of which many writers lose nothing (S1.4, S1.22)."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engrain import ConflictError, Memory, NotFoundError, UsageError
from engrain.agents.continuity import begin_phase, list_past_phases
from engrain.engine.core.store import Store
from engrain.language.text.instants import format_instant
from support.forked import run_well_at_once
from support.vaults import START, FakeClock, make_memory, write_as


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
    assert list(asked) == ["consolidate", "crystallize"]
    assert [one.job.name for one in memory.jobs.status() if one.asked] == list(asked)


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
    assert "engrain project end plan" in str(told.value.remedy)


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


PLACE = "projects/harbour/progress.md"
WRITERS, PIECES = 8, 6
WRITE = """
import sys
from engrain import open_memory
with open_memory(sys.argv[1], state_dir=sys.argv[2], project="harbour") as memory:
    for number in range(int(sys.argv[4])):
        memory.work.add_progress(f"piece {number} of writer {sys.argv[3]}.")
"""


def test_a_piece_has_its_time_and_the_newest_is_last(memory: Memory, clock: FakeClock) -> None:
    clock.at, clock.step = START, 0.0
    memory.work.add_progress("The drains lie.")
    clock.at += 60
    memory.work.add_progress("The wall stands.\n\nBoth of its ends, too.\n")
    assert memory.work.progress() == [
        ("2026-09-21T14:13:20Z", "The drains lie."),
        ("2026-09-21T14:14:20Z", "The wall stands.\nBoth of its ends, too."),
    ]


def test_eight_processes_write_and_nothing_is_lost(memory: Memory, tmp_path: Path) -> None:
    writers = [(tmp_path / "vault", tmp_path / "state", n, PIECES) for n in range(WRITERS)]
    run_well_at_once(WRITE, writers, tmp_path)
    said = sorted(text for _, text in memory.work.progress())
    assert said == sorted(
        f"piece {p} of writer {w}." for w in range(WRITERS) for p in range(PIECES)
    )
    memory.scan()
    assert {change.op for change in memory.history(PLACE)} == {"work"}, "each knows the others'"
    assert all(chain.wrong is None for chain in memory.trust.survey().chains)


def test_what_a_person_wrote_stays_before_it(memory: Memory, vault: Path) -> None:
    (vault / PLACE).parent.mkdir(parents=True)
    (vault / PLACE).write_text("# How far we are\n\nMine.\n\n## Last week\nLittle.")
    memory.work.add_progress("More.")
    text = (vault / PLACE).read_text()
    assert "# How far we are\n\nMine.\n\n## Last week\nLittle.\n\n## " in text
    assert [piece for _, piece in memory.work.progress()] == ["Mine.", "Little.", "More."]
    assert [heading for heading, _ in memory.work.progress()][:2] == ["", "Last week"]


def test_text_that_looks_like_another_piece_makes_none(memory: Memory) -> None:
    memory.work.add_progress("Done.\n## 2030-01-01T00:00:00Z\nForged.\n```\n")
    memory.work.add_progress("Next.")
    assert len(memory.work.progress()) == 2


@pytest.mark.parametrize("text", ["", " \n", "x" * 9000, "a\0b", "\ud800"])
def test_what_is_no_piece_is_refused(memory: Memory, text: str) -> None:
    with pytest.raises(UsageError):
        memory.work.add_progress(text)
    assert memory.work.progress() == []


def test_a_file_that_has_grown_long_leaves_its_older_half_to_the_archive(
    memory: Memory, vault: Path
) -> None:
    pieces = "".join(f"\n## piece {number}\n{'x' * 1000}\n" for number in range(140))
    write_as(memory, "agent", PLACE, f"---\nkind: progress\n---\n# Progress\n{pieces}")
    memory.work.add_progress("The newest.")
    kept = memory.work.progress()
    (archived,) = (vault / "_archive/projects/harbour").glob("progress-*.md")
    text = archived.read_text()
    assert len(kept) + text.count("\n## ") == 141
    assert kept[-1][1] == "The newest."
    assert "## piece 0\n" in text
    assert "status: archived" in text
    assert len((vault / PLACE).read_bytes()) < 80_000
    change = memory.history(PLACE)[0].change
    assert memory.history(str(archived.relative_to(vault)))[0].change == change, "in one commit"


def test_each_project_has_its_own(memory: Memory) -> None:
    memory.work.add_progress("Here.")
    memory.within("Other Town").work.add_progress("There.")
    assert [text for _, text in memory.within("Other Town").work.progress()] == ["There."]
    assert [text for _, text in memory.work.progress()] == ["Here."]


def test_it_is_found_by_recall(memory: Memory) -> None:
    memory.work.add_progress("The lighthouse lamp was replaced.")
    (found,) = memory.recall("lighthouse lamp").results
    assert found.row.kind == "progress"


def test_another_device_adds_to_it(memory: Memory, tmp_path: Path) -> None:
    memory.work.add_progress("One.")
    with make_memory(tmp_path, device="other", project="harbour", seed=8) as other:
        other.work.add_progress("Two.")
    memory.work.add_progress("Three.")
    assert [text for _, text in memory.work.progress()] == ["One.", "Two.", "Three."]


def test_what_a_person_wrote_without_sections_is_shown_first(memory: Memory, vault: Path) -> None:
    (vault / PLACE).parent.mkdir(parents=True)
    (vault / PLACE).write_text("# Harbour\n\n- drains: done\n- wall: half\n")
    assert memory.work.progress() == [("", "- drains: done\n- wall: half")]
    memory.work.add_progress("The wall stands.")
    assert [text for _, text in memory.work.progress()] == [
        "- drains: done\n- wall: half", "The wall stands."
    ]  # fmt: skip
    assert "- wall: half" in (vault / PLACE).read_text()
