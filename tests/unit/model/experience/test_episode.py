"""Episodes as notes, and cut down to what they may still teach (S2.2, S2.11)."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.experience.episode import (
    episode_fields,
    is_failure,
    render_episode,
    summarize_episode,
)

DOCUMENT: dict[str, Any] = {
    "id": "ep-2026-01-06-001",
    "timestamp": "2026-01-06T10:30:00Z",
    "context": {
        "goal": "Implement POST /api/todos\n endpoint",
        "constraints": ["< 200ms"],
        "files_involved": ["src/a.ts"],
    },
    "action_log": [{"t": 0, "action": "run_test", "result": "fail", "error": "no `type` [[x]]"}],
    "outcome": "success",
    "errors_encountered": [{"type": "TS", "message": "m", "resolution": "r"}],
}
actions = st.builds(
    lambda t, failed: {"t": t, "action": "run", **({"result": "fail"} if failed else {})},
    st.integers(0, 99),
    st.booleans(),
)


def test_an_episode_is_called_by_its_goal_and_its_outcome_is_a_tag_of_it() -> None:
    title, body = render_episode(DOCUMENT)
    assert title == "Implement POST /api/todos endpoint"
    assert "Outcome: success" in body
    assert "Error: `TS` `m` Resolution: `r`" in body
    assert episode_fields(DOCUMENT) == {
        "id": "ep-2026-01-06-001",
        "created": "2026-01-06T10:30:00Z",
        "tags": ["success"],
    }


def test_what_a_trace_says_is_no_markup() -> None:
    assert "- run_test `fail` ``no `type` [[x]]``" in render_episode(DOCUMENT)[1]


@pytest.mark.parametrize("broken", [{}, {"context": 3, "action_log": {"a": 1}, "outcome": []}])
def test_a_document_of_another_shape_is_a_note_all_the_same(broken: dict[str, Any]) -> None:
    assert render_episode(broken)[0] == "episode"
    assert "tags" not in episode_fields(broken)


@pytest.mark.parametrize(
    ("action", "failed"),
    [
        ({"result": "fail"}, True),
        ({"result": "FAILED"}, True),
        ({"error": "boom"}, True),
        ({"result": "pass"}, False),
        ({"result": "pass", "error": ""}, False),
        ({}, False),
    ],
)
def test_an_action_failed_when_it_says_so(action: dict[str, Any], failed: bool) -> None:
    assert is_failure(action) is failed


def test_a_summary_keeps_the_ends_the_failures_and_what_followed_them() -> None:
    log = [{"t": n, "action": f"a{n}"} for n in range(10)]
    log[4]["error"] = "boom"
    document = {**DOCUMENT, "action_log": log}
    summary, left_out = summarize_episode(document)
    assert [action["t"] for action in summary["action_log"]] == [0, 4, 5, 9]
    assert left_out == 6
    assert {**summary, "action_log": log} == document


@given(log=st.lists(actions, max_size=30))
def test_a_summary_is_its_own_summary_and_has_every_failure(log: list[dict[str, Any]]) -> None:
    summary, left_out = summarize_episode({**DOCUMENT, "action_log": log})
    assert left_out == len(log) - len(summary["action_log"])
    assert [a for a in summary["action_log"] if is_failure(a)] == [a for a in log if is_failure(a)]
    assert summarize_episode(summary) == (summary, 0)
