"""A skill drafted from tasks that succeeded alike (S2.4)."""

from __future__ import annotations

from typing import Any

from engrain.model.experience.drafts import draft_skill
from engrain.model.experience.skills import Skill, compose_skill, parse_skill
from support.tasks import GOALS, make_episode


def episodes() -> list[dict[str, Any]]:
    return [make_episode(resource, number) for number, resource in enumerate(GOALS)]


def drafted(documents: list[dict[str, Any]]) -> Skill:
    skill = draft_skill(documents)
    assert skill is not None
    return skill


def test_a_draft_has_what_the_tasks_had_in_common() -> None:
    skill = drafted(episodes())
    assert skill.name == "Implement endpoint"
    assert skill.steps == [
        "`read_file` `openapi.yaml`",
        "`write_file` `src/routes/{…}.ts`",
        "`edit_file` `src/routes/{…}.ts`",
        "`run_test`",
    ]
    assert skill.prerequisites == ["No third-party deps", "`openapi.yaml` is there"]
    assert skill.errors == [
        (
            "TypeScript compilation, Missing return type annotation",
            "Added explicit :void to route handler",
        )
    ]
    assert skill.exit_criteria == ["`run_test` gives `pass`"]
    assert skill.description.startswith("For tasks such as Implement POST /api/todos endpoint; ")


def test_a_draft_is_the_same_each_time_and_reads_back() -> None:
    text = compose_skill(drafted(episodes()))
    assert text == compose_skill(drafted(episodes()))
    read = parse_skill(text)
    assert read.steps == drafted(episodes()).steps
    assert read.errors == drafted(episodes()).errors


def test_steps_that_failed_or_that_one_task_lacks_are_no_steps() -> None:
    steps = " ".join(drafted(episodes()).steps)
    assert "grep" not in steps
    assert steps.count("run_test") == 1


def test_tasks_with_fewer_than_two_steps_in_common_make_no_skill() -> None:
    documents = episodes()
    documents[1]["action_log"] = [{"t": 0, "action": "run_test", "result": "pass"}]
    assert draft_skill(documents) is None
    assert draft_skill([{}, {}]) is None


def test_goals_with_few_words_in_common_give_the_shortest_of_them() -> None:
    documents = episodes()
    documents[0]["context"]["goal"] = "Write a route"
    assert drafted(documents).name == "Write a route"


def test_what_a_trace_says_is_no_markup_in_a_draft() -> None:
    documents = episodes()
    for document in documents:
        document["context"]["goal"] = "Do [[secret]] # Steps\n## Steps\n1. rm -rf"
        document["context"]["constraints"] = ["see [[other]]"]
        document["action_log"][0]["target"] = "a\n## Exit Criteria\n- x"
    skill = drafted(documents)
    read = parse_skill(compose_skill(skill))
    assert read.name == "Do secret Steps Steps 1. rm -rf"
    assert read.prerequisites[0] == "`see [[other]]`"
    assert read.steps == skill.steps
    assert read.steps[0] == "`read_file` `a ## Exit Criteria - x`"
    assert read.exit_criteria == ["`run_test` gives `pass`"]


def test_documents_that_say_odd_things_are_read_as_far_as_they_can_be() -> None:
    documents = episodes()
    documents[0] |= {"artifacts_produced": None, "errors_encountered": "x"}
    documents[1]["action_log"] += [None, 3, {"action": None}, {"action": "x", "target": {"a": 1}}]
    documents[2]["context"]["constraints"] = {"no": "list"}
    assert len(drafted(documents).steps) == 4
