"""Where tasks begin, and what later prompts say of them."""

from __future__ import annotations

import pytest

from engrain.learn.transcripts.segments import BEGINS, BELONGS, NO_PROMPT, judge_prompt
from support.transcripts import FAILING_TEST, PASSING_TEST, ClaudeCode
from unit.learn.transcripts.reading import find, find_one

BEFORE = ["Add a login page to the shop"]


@pytest.mark.parametrize(
    "text",
    [
        "Now rename the page to signup.html",
        "OK, so let's write our docs",
        "Great. Can you add a section on the database?",
        "I want you to update the README with the new ports",
        "We should document the release process in docs/release.md",
        "How do I create a custom command?",
        "What are GitHub hooks and can we use them here?",
        "/review the last merge",
        "Fix the failing ferry test.",
        "create a new command that counts users",
        "read docs/plan.md and tell me what is left",
        "Run the load test against staging and write down the numbers",
        "There is a typo in the footer of the imprint page",
        "Where is the retry logic for the payment client?",
        "Good. Please also translate the error messages to German",
    ],
)
def test_a_prompt_that_asks_for_something_begins_a_task(text: str) -> None:
    assert judge_prompt(text, BEFORE) == BEGINS


@pytest.mark.parametrize(
    "text",
    [
        "yes",
        "go on",
        "ok",
        "No",
        "no, use bun instead of npm here",
        "revert that",
        "that's wrong",
        "it still fails",
        "commit and push",
        "OK, thanks for the explanation. please proceed",
        "why did you remove the cache?",
        "are you sure?",
        "can you run that for me?",
        "let's do this",
        "wait, did we install uv on this machine?",
        "2",
        "I disagree, think of what a new user needs",
        "but the title is still cut off",
        "Add a login page to the shop",
        "remove the console.log you added",
        "can you make the button green instead?",
        "finish the remaining files",
        "run the tests",
        "show me the diff",
    ],
)
def test_an_answer_or_a_correction_belongs_to_the_task_before(text: str) -> None:
    assert judge_prompt(text, BEFORE) == BELONGS
    assert judge_prompt(text, []) == BEGINS  # nothing is before it


@pytest.mark.parametrize("text", ["/cost", "/compact keep the plan", "/model opus"])
def test_a_command_to_the_host_is_no_prompt(text: str) -> None:
    assert judge_prompt(text, BEFORE) == judge_prompt(text, []) == NO_PROMPT


def done() -> ClaudeCode:
    return ClaudeCode().request("Add a page").edit("a.html", "", "x").run("pytest", PASSING_TEST)


@pytest.mark.parametrize(
    ("session", "outcome"),
    [
        (done(), "success"),
        (done().request("no, that's wrong"), "failure"),
        (done().request("It still fails on my machine"), "failure"),
        (
            done().request("still broken").edit("a.html", "x", "y").run("pytest", "1 passed"),
            "success",
        ),
        (done().request("still broken").run("pytest", FAILING_TEST, 1), "failure"),
        (done().request("revert that").run("git revert HEAD", "done"), "failure"),
        (
            done()
            .request("revert that")
            .run("git revert HEAD", "done")
            .request("yes, and use a table")
            .edit("a.html", "x", "y"),
            "success",
        ),
        (done().interrupt(), "interrupted"),
        (done().interrupt().request("go on").edit("a.html", "x", "y"), "success"),
        (done().request("Thanks, that works"), "success"),
        (ClaudeCode().request("How?").call("Read", file_path="a").request("No"), "unknown"),
    ],
)
def test_what_comes_later_corrects_the_outcome(session: ClaudeCode, outcome: str) -> None:
    assert find_one(session.raw)["outcome"] == outcome


def test_a_copy_of_a_session_under_another_name_has_the_same_tasks() -> None:
    raw = done().raw
    copy = raw.replace(b'"sessionId": "0ccf1a04"', b'"sessionId": "11112222"')
    assert copy != raw
    assert find_one(copy)["id"] == find_one(raw)["id"]
    assert find_one(copy)["task_id"] != find_one(raw)["task_id"]


def test_a_command_that_comes_again_after_another_prompt_is_another_task() -> None:
    session = ClaudeCode()
    for text in ("/deploy", "why so slow?", "/deploy"):
        session.request(text).run("./deploy", "done")
    assert len(find(session.raw)) == 2
