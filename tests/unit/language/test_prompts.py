"""A prompt that sets a task is told from questions, answers and small talk."""

from __future__ import annotations

import hashlib
import json
import re
import time

import pytest
from bench.sets.folder import read_transcripts
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.prompts import find_task, names_project
from support.real_data import DATA, ROOT, needs


@pytest.mark.parametrize(
    ("text", "task"),
    [
        ("Fix the invoice export when the tenant has no VAT id", None),
        ("fix `export_invoice`", None),
        ("Can you please add dark mode to the settings page?", None),
        ("I'd like you to migrate the tests to pytest", None),
        ("let's refactor the billing module", None),
        ("- [ ] write the release notes", None),
        ("Our goal for today is to publish the package", None),
        ("please carefully review the pull request", None),
        ("ok thanks. Now write the changelog", "Now write the changelog"),
        ("The export is slow, so please speed up the query", "so please speed up the query"),
        ("It fails at night.\n\nInvestigate the cron job", "Investigate the cron job"),
    ],
)
def test_a_task_is_found_from_its_sentence_on(text: str, task: str | None) -> None:
    assert find_task(text) == (text if task is None else task)


@pytest.mark.parametrize(
    "text",
    [
        "", "ok thanks", "yes, go on", "commit", "fix it", "make it shorter", "do that please",
        "why does the build fail?", "how does the nightly job lock?", "what is hatchling?",
        "test results look good", "The plan is good", "plan approved", "release notes?",
        "I fixed the export yesterday", "You forgot to add the file", "is that needed?",
        "good, let's go!", "retry", "1", "\U0001f44d", "Was kostet das?",
        "I always use tabs in the parser",
    ],
)  # fmt: skip
def test_what_sets_no_task_is_none(text: str) -> None:
    assert find_task(text) == ""


@given(st.text())
def test_a_task_is_an_end_of_the_text_and_is_found_again_in_itself(text: str) -> None:
    for said in (text, f"{text}. Add a test for the export", f"Add {text}"):
        task = find_task(said)
        assert task in said.strip()
        assert find_task(task) == task


@pytest.mark.parametrize("unit", ["please ", "goal ", "a b ", "can you, ", "ly ", "quickly ", ". "])
def test_a_hostile_text_is_read_in_linear_time(unit: str) -> None:
    started = time.process_time()
    find_task(unit * 100_000)
    assert time.process_time() - started < 1


@needs("transcripts/console")
def test_of_real_prompts_few_are_taken_for_a_task_that_are_none() -> None:
    """Labels of prompts, by their first letters; the rule was chosen on the split `chose`."""
    texts = {
        (source, _key(turn.text)): turn.text
        for source, turns in read_transcripts(str(DATA / "transcripts")).items()
        for turn in turns
    }
    lines = (ROOT / "bench" / "task_prompts.jsonl").read_text().splitlines()
    labels = [label for label in map(json.loads, lines) if label["split"] == "checked"]
    found = {
        task: [
            bool(find_task(texts[one["source"], one["key"]]))
            for one in labels
            if one["task"] is task
        ]
        for task in (True, False)
    }
    assert sum(found[False]) <= 0.06 * len(found[False])
    assert sum(found[True]) >= 0.6 * len(found[True])


def _key(text: str) -> str:
    letters = re.sub(r"[\W_]+", "", text.casefold())[:80]
    return hashlib.sha256(letters.encode()).hexdigest()[:8]


@pytest.mark.parametrize(
    "text",
    [
        "In this project use spaces.",
        "Use spaces for this repo",
        "use spaces in this repository",
        "Here in this codebase we use spaces",
        "This project uses spaces.",
        "In our code base we use spaces",
        "Within the current workspace, use spaces",
        "In this Python project use spaces",
        "In the billing project use spaces.",
        "Use spaces in the Billing repo",
        "Use spaces, project-wide",
    ],
)
def test_a_text_that_is_about_one_project_says_so(text: str) -> None:
    assert names_project(text, "billing")


@pytest.mark.parametrize(
    "text",
    [
        "Use spaces.",
        "I prefer this library to that one",
        "In all my projects use spaces",
        "Use spaces in every repository, also in this project",
        "Not only in this project: use spaces",
        "In the payroll project use spaces",
        "Ask before you start a project",
        "",
    ],
)
def test_a_text_that_is_about_every_project_or_none_is_told(text: str) -> None:
    assert not names_project(text, "billing")
