"""A project's plan (S1.4). features.json: what is to be built, and how far it is (S1.4)."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from engrain import Memory, UsageError
from engrain.model.errors import MalformedError

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


FEATURES_PLACE = "projects/harbour/_harness/features.json"


def features_document(vault: Path) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((vault / FEATURES_PLACE).read_text())
    return found


def test_the_file_has_the_project_and_each_feature_in_order(memory: Memory, vault: Path) -> None:
    memory.work.set_feature("Quay wall", status="doing", note="waits for concrete")
    memory.work.set_feature("Crane")
    found = features_document(vault)
    assert list(found) == ["project", "updated", "features", "engrain"]
    assert found["project"] == "harbour"
    assert found["features"] == [
        {"id": "quay-wall", "name": "Quay wall", "status": "doing", "notes": "waits for concrete"},
        {"id": "crane", "name": "Crane", "status": "todo", "notes": ""},
    ]
    assert found["engrain"]["kind"] == "features"


@pytest.mark.parametrize("name", ["Quay wall", "quay WALL", "quay-wall", " Quay  wall "])
def test_one_that_is_there_is_meant_by_its_name_or_id(memory: Memory, name: str) -> None:
    memory.work.set_feature("Quay wall", note="n")
    outcome, feature = memory.work.set_feature(name, status="done")
    assert outcome.outcome == "updated"
    assert (feature.id, feature.status, feature.notes) == ("quay-wall", "done", "n")
    assert len(memory.work.features()) == 1


def test_the_same_again_writes_nothing(memory: Memory) -> None:
    memory.work.set_feature("Crane", status="done")
    assert memory.work.set_feature("Crane", status="done")[0].outcome == "unchanged"
    assert len(memory.history(FEATURES_PLACE)) == 1


def test_two_names_of_one_slug_have_two_ids(memory: Memory) -> None:
    memory.work.set_feature("Crane!")
    memory.work.set_feature("Crane?")
    assert [one.id for one in memory.work.features()] == ["crane", "crane-2"]


@pytest.mark.parametrize("status", ["", "finished", "DONE"])
def test_a_status_that_is_none_is_refused_with_the_list(memory: Memory, status: str) -> None:
    with pytest.raises(UsageError) as told:
        memory.work.set_feature("Crane", status=status)
    assert "blocked" in str(told.value.remedy)


def test_what_a_person_added_stays(memory: Memory, vault: Path) -> None:
    memory.work.set_feature("Crane")
    found = features_document(vault)
    found["owner"] = "me"
    found["features"][0]["size"] = 3
    (vault / FEATURES_PLACE).write_text(json.dumps(found))
    memory.work.set_feature("Crane", status="done")
    after = features_document(vault)
    assert after["owner"] == "me"
    assert after["features"][0]["size"] == 3
    assert after["features"][0]["status"] == "done"


@pytest.mark.parametrize("features", [{"a": 1}, "text", [1], None])
def test_a_list_that_is_none_is_reported_and_left(
    memory: Memory, vault: Path, features: object
) -> None:
    (vault / FEATURES_PLACE).parent.mkdir(parents=True)
    raw = json.dumps({"features": features})
    (vault / FEATURES_PLACE).write_text(raw)
    with pytest.raises(MalformedError):
        memory.work.set_feature("Crane")
    assert (vault / FEATURES_PLACE).read_text() == raw


def test_a_secret_is_taken_out(memory: Memory, vault: Path) -> None:
    token = "ghp_" + "x7Kq2LmZ9vTc4RbN8wYp3HdJ6sFg1QaVeUo5"
    memory.work.set_feature("Crane", note=f"with {token}")
    assert token not in (vault / FEATURES_PLACE).read_text()


@pytest.mark.parametrize(
    "listed", [[{"name": "Quay wall", "size": 3}, {"name": "Crane"}], ["Quay wall", "Crane"]]
)
def test_a_list_that_a_person_wrote_by_itself_is_read_and_kept(
    memory: Memory, vault: Path, listed: list[Any]
) -> None:
    (vault / FEATURES_PLACE).parent.mkdir(parents=True)
    (vault / FEATURES_PLACE).write_text(json.dumps(listed))
    assert [(one.id, one.status) for one in memory.work.features()] == [
        ("quay-wall", "todo"), ("crane", "todo")
    ]  # fmt: skip
    outcome, feature = memory.work.set_feature("crane", status="done")
    assert (outcome.outcome, feature.name, feature.status) == ("updated", "Crane", "done")
    memory.work.set_feature("Pier")
    found = features_document(vault)
    assert [one["name"] for one in found["features"]] == ["Quay wall", "Crane", "Pier"]
    assert found["project"] == "harbour"
    if isinstance(listed[0], dict):
        assert found["features"][0]["size"] == 3


def test_one_without_an_id_is_meant_by_the_id_that_it_is_shown_with(
    memory: Memory, vault: Path
) -> None:
    (vault / FEATURES_PLACE).parent.mkdir(parents=True)
    (vault / FEATURES_PLACE).write_text(json.dumps({"features": [{"name": "Quay wall"}]}))
    memory.work.set_feature("quay-wall", status="done")
    assert [(one.name, one.status) for one in memory.work.features()] == [("Quay wall", "done")]


def test_the_list_of_another_tool_is_read_and_kept(memory: Memory, vault: Path) -> None:
    theirs = [
        {
            "category": "ui",
            "description": "The crane\nmoves",
            "steps": ["Lift", "Turn"],
            "passes": False,
        },
        {"description": "It stops", "steps": [], "passes": True},
    ]
    (vault / FEATURES_PLACE).parent.mkdir(parents=True)
    (vault / FEATURES_PLACE).write_text(json.dumps(theirs))
    found = [(one.name, one.status, one.notes) for one in memory.work.features()]
    assert found == [("The crane moves", "todo", "Lift; Turn"), ("It stops", "done", "")]
    memory.work.set_feature("the crane moves", status="done")
    written = json.loads((vault / FEATURES_PLACE).read_text())["features"]
    assert written == [{**theirs[0], "status": "done", "passes": True}, theirs[1]]
