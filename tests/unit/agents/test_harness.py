"""A project's plan (S1.4)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import Memory, UsageError

PLACE = "projects/harbour/_harness/plan.md"


def test_a_plan_is_filed_in_the_projects_harness(memory: Memory, vault: Path) -> None:
    assert memory.work.plan() is None
    memory.work.set_plan("1. The drains.\n2. The wall.\n")
    plan = memory.work.plan()
    assert plan is not None
    assert (plan.path, plan.kind, plan.title) == (PLACE, "plan", "Plan: harbour")
    assert plan.text == "1. The drains.\n2. The wall.\n"
    assert "project: harbour\n" in (vault / PLACE).read_text()


def test_another_takes_its_place_and_the_older_can_be_had_back(memory: Memory, vault: Path) -> None:
    memory.work.set_plan("# Old\nOne.")
    path = vault / PLACE
    path.write_text(path.read_text().replace("kind: plan", "kind: plan\nowner: me"))
    memory.work.set_plan("# New\nTwo.")
    plan = memory.work.plan()
    assert plan is not None
    assert (plan.title, plan.text, plan.fields["owner"]) == ("New", "Two.\n", "me")
    memory.undo()
    plan = memory.work.plan()
    assert plan is not None
    assert plan.text == "One.\n"


def test_the_same_plan_again_writes_nothing(memory: Memory) -> None:
    memory.work.set_plan("One.")
    assert memory.work.set_plan("One.\n").outcome == "unchanged"
    assert len(memory.history(PLACE)) == 1


@pytest.mark.parametrize("text", ["", "  \n", "x" * 200_000])
def test_what_is_no_plan_is_refused(memory: Memory, text: str) -> None:
    with pytest.raises(UsageError):
        memory.work.set_plan(text)


def test_outside_of_a_project_there_is_none(memory: Memory) -> None:
    with pytest.raises(UsageError) as told:
        memory.within("").work.plan()
    assert "--project" in str(told.value.remedy)
