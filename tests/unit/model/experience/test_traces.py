"""Episodes as consolidation looks at them."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.experience.features import features_of, goal_words
from engrain.model.experience.traces import Trace

DOCUMENT: dict[str, Any] = {
    "context": {"goal": "Implement  the\nlogin", "phase": "work", "files_involved": ["a/b.ts"]},
    "artifacts_produced": ["a/b.ts", "c.md"],
    "outcome": "success",
    "action_log": [
        {"action": "run_test", "result": "fail", "error": "x.ts:3 missing return type"},
        {"action": "grep", "result": "fail", "error": "no such file"},
        {"action": "run_test", "result": "pass"},
    ],
    "errors_encountered": [
        {"type": "tsc", "message": "y.ts:9 missing return type", "resolution": ""},
        {"type": "tsc", "message": "y.ts:12 missing return type", "resolution": "Added it"},
    ],
}


def test_a_trace_has_what_is_compared() -> None:
    trace = Trace("e", DOCUMENT)
    assert trace.goal == "Implement the login"
    assert trace.files == ("a/b.ts", "c.md")
    assert trace.outcome == "success"
    assert ("run_test", "", True) in trace.actions


def test_an_error_met_twice_is_one_and_its_resolution_stands() -> None:
    [error] = Trace("e", DOCUMENT).errors
    assert error.resolution == "Added it"
    assert error.actions == ("run_test",)


documents = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3)
    | st.dictionaries(
        st.sampled_from(["context", "goal", "action_log", "action", "errors_encountered", "message",
                         "files_involved", "error", "outcome"]), inner, max_size=4
    ),
    max_leaves=12,
)  # fmt: skip


@given(st.dictionaries(st.sampled_from(["context", "action_log", "errors_encountered", "outcome",
                                        "artifacts_produced"]), documents))  # fmt: skip
def test_any_document_is_read(document: dict[str, Any]) -> None:
    trace = Trace("e", document)
    assert set(features_of(trace)) == {"goal", "files", "actions", "errors"}


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Implementing endpoints", "implement an endpoint"),
        ("fix parseDate", "FIX: parse the date"),
        ("日本語の検索", "日本語の検索"),
    ],
)
def test_words_of_a_goal_are_compared_by_their_stems(one: str, other: str) -> None:
    assert goal_words(one) == goal_words(other) != []
