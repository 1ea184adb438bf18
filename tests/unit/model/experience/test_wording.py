"""A pattern in words."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.experience.traces import Trace, TraceError
from engrain.model.experience.wording import categorise, quote, same_said, word_error, word_pattern
from engrain.model.links.link import parse_links


def trace(id_: str, goal: str = "Add the login route", **given_: Any) -> Trace:
    errors = [
        {"type": "tsc", "message": message, "resolution": resolution}
        for message, resolution in given_.get("errors", ())
    ]
    return Trace(
        id_,
        {
            "context": {
                "goal": goal,
                "phase": given_.get("phase", ""),
                "files_involved": given_.get("files", []),
                "constraints": given_.get("constraints", []),
            },
            "outcome": given_.get("outcome", "success"),
            "action_log": [{"action": name} for name in given_.get("actions", ())],
            "errors_encountered": errors,
        },
    )


def test_a_pattern_says_what_its_episodes_share_and_nothing_else() -> None:
    traces = [
        trace("a", files=["src/login.ts", "a.md"], actions=["read", "grep", "edit", "test"]),
        trace("b", "Build a login route", files=["src/login.ts"], actions=["read", "edit", "test"]),
    ]
    pattern = word_pattern("p", traces, "b")
    assert pattern
    assert pattern.pattern == "Build a login route"
    assert pattern.conditions == ("The task is about login, route", "It touches `src/login.ts`")
    assert pattern.correct_approach == "Steps that worked: `read`, `edit`, `test`."
    assert pattern.incorrect_approach == ""
    assert pattern.category == "typescript"


def test_the_order_of_the_episodes_makes_no_difference() -> None:
    traces = [
        trace("a", errors=[("boom failed", "Fixed it")], actions=["x", "y"]),
        trace("b", errors=[("boom failed", "")], actions=["y", "x"]),
        trace("c", outcome="failure", constraints=["No [[deps]]"]),
    ]
    assert word_pattern("p", traces, "a") == word_pattern("p", traces[::-1], "a")


def test_what_fixed_an_error_is_reported_and_the_error_as_what_to_avoid() -> None:
    traces = [trace(id_, errors=[("missing type", "Added the type")]) for id_ in "ab"]
    pattern = word_pattern("p", traces, "a")
    assert pattern
    assert pattern.pattern == "Add the login route"
    assert pattern.correct_approach == "Added the type – against tsc: missing type"
    assert pattern.incorrect_approach == "Running into tsc: missing type"


@given(st.text(max_size=80))
def test_quoted_text_is_one_line_and_links_nowhere(text: str) -> None:
    assert "\n" not in quote(text)
    assert list(parse_links(quote(text) + "\n")) == []


def test_plain_words_are_not_quoted() -> None:
    assert quote("Add the login route") == "Add the login route"
    assert quote("see [[x]]") == "`see [[x]]`"


@pytest.mark.parametrize(
    ("type_", "message", "told"),
    [
        ("tsc", "missing type", "tsc: missing type"),
        ("TypeError", "TypeError: no", "TypeError: no"),
        ("", "boom", "boom"),
        ("boom", "", "boom"),
    ],
)
def test_an_error_is_reported_on_one_line(type_: str, message: str, told: str) -> None:
    assert word_error(TraceError(type_, message, "", ())) == told


def test_a_category_is_that_of_most_episodes_files_else_the_phase() -> None:
    assert categorise([trace("a", files=["x.py", "y.ts"]), trace("b", files=["z.py"])]) == "python"
    assert categorise([trace("a", phase="review")]) == "review"
    assert categorise([trace("a")]) == "general"


def test_texts_say_the_same_by_their_words() -> None:
    assert same_said("Added the return type", "Add an explicit return type to the handler")
    assert not same_said("Added the return type", "Restarted the editor")
    assert not same_said("", "")
