"""What the rules take for something to be kept, and what they leave (S1.20)."""

from __future__ import annotations

import pytest

from engrain.learn.reflection.by_rules import Reflection, find_statements
from engrain.model.facts.fact import AGENT, DOCUMENT, OTHER, Turn
from unit.learn.reflection.sessions import said


def found(*texts: str) -> list[Reflection]:
    return find_statements(said(*texts))


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("Always use tabs for indentation.", "preference"),
        ("never commit directly to main", "preference"),
        ("No. Never push without asking me first!", "preference"),
        ("I prefer small functions over long ones", "preference"),
        ("I'd rather have explicit errors than silent fallbacks", "preference"),
        ("My preference is to have one class per file", "preference"),
        ("Remember, I'm new to Kubernetes", "preference"),
        ("No, use pnpm instead", "feedback"),
        ("no, tabs not spaces", "feedback"),
        ("Use `ruff` instead of `flake8`", "feedback"),
        ("Please use uv rather than pip.", "feedback"),
        ("no, don't mock the database, use a real one", "feedback"),
        ("From now on, write commit messages in the imperative.", "feedback"),
        ("going forward please squash commits before merging", "feedback"),
        ("Next time I tell you to read the log, do so.", "feedback"),
        ("Don't ever touch the generated files again", "feedback"),
        ("Please remember to run the linter", "feedback"),
        ("stop adding emojis to the commit messages", "feedback"),
        ("Do not ever force-push.", "feedback"),
        ("As a rule, log in JSON.", "preference"),
        ("For all new services use the Go template.", "feedback"),
        ("Call me Ines, please.", "preference"),
        ("The mock server needs Node 20. Remember that.", "insight"),
        ("Can you note down that Mika is away in August?", "insight"),
        ("Save this to memory: flags live in flags.yaml.", "insight"),
        ("dont forget the audit log is append only", "insight"),
        ("before each commit, run `make check`", "workflow"),
        ("whenever you change the schema, update docs/schema.md", "workflow"),
        ("no, after you refactor code, (EACH time) you should run the tests", "workflow"),
        ("we decided to use SQLite for the queue", "decision"),
        ("Let's go with advisory locks for the nightly job.", "decision"),
        ("We're using click, not argparse.", "decision"),
        ("We use Jest.", "decision"),
        ("In this project we use British spelling", "decision"),
        ("The fix was to set statement_timeout before the migration", "fix"),
        ("remember that the staging database listens on port 5433", "insight"),
    ],
)
def test_what_the_operator_says_outright_is_sure(text: str, kind: str) -> None:
    (one,) = found(text)
    assert one.kind == kind
    assert one.confidence >= 0.8
    assert one.quote in text.replace("No. ", "")


@pytest.mark.parametrize(
    "text",
    [
        "I hate trailing summaries",
        "it's important to credit only one author, because the list shows no other",
        "I don't want you to rewrite files that I have open",
    ],
)
def test_what_is_likely_is_less_sure(text: str) -> None:
    (one,) = found(text)
    assert 0.5 <= one.confidence < 0.8


def test_an_idea_for_later_is_vague() -> None:
    (one,) = found("Idea for later: a plugin for the editor")
    assert one.kind == "idea"
    assert one.confidence < 0.5


@pytest.mark.parametrize(
    "text",
    [
        "never mind",
        "They brighten up our day and always make us smile",
        "Always fun to dig in",
        "Keep going and never give up",
        "Any time you need help, don't hesitate to reach out",
        "I never said that",
        "I always thought it was slow",
        "We never used the cache",
        "Can you always run the tests?",
        "use the Read tool, not the shell, for all of these",
        "We decided to keep the old parser for now",
        "it would be nice to have a dark mode",
        "what if we stored the embeddings in a separate file?",
        "always return null here in this function",
        "Use a set instead of a list here.",
        "We use a set here, and it is slow.",
        "We used Jest before.",
        "In this test we use a fake clock.",
        "In this project we had problems with Docker.",
        "Put the button left, not right.",
        "you should have addressed the warning too",
        "I dislike the ton of functions for paths, can you merge them",
        "don't forget to update the list with the new story",
        "Save this file as utf-8.",
        "The handbook says: Always run make all. Is that right?",
        "My colleague says you should always use strict mode.",
        "Always use hooks. What do you think about that?",
        "Here is the log:\n\nWARN: Always close the connection.\n\nfix it",
        "From: Lena\nSubject: Deploys\n\nFrom now on, deploys happen on Tuesdays.",
        "bob: always rebase before merging\neve: ok\n\nsummarize this chat",
        "Translate this to German: Always wear a helmet.",
        'Set the button\'s text to "Always show this".',
        "From now on use tabs.\nScratch that.",
        "don't do that again",
        "Let's go with that",
        "let's go with option 2",
        "use it like this: not that",
        "I prefer the second one",
        "remember that?",
        "don't get mixed up and try again",
        "maybe we can postpone that",
        "is the description permanent, or can I change it later?",
        "It finds the books and does not have any tests",
        "I thought we agreed to use the migration tool?!",
        "/compact always keep the plan",
        'The manual says "always use the safety catch when you clean the machine"',
        "> always use tabs",
        "```\nAlways use tabs for indentation.\n```",
        "So it says:\n\n    always use tabs for indentation",
        "# Style guide\n\nAlways use tabs for indentation.",
        "This session is being continued from a previous conversation. Always use tabs here.",
    ],
)
def test_what_is_about_the_moment_asked_or_quoted_is_left(text: str) -> None:
    assert found(text) == []


def test_what_is_taken_back_in_the_next_message_is_left() -> None:
    assert [one.title for one in found("Always use tabs.", "Never push.", "Forget that.")] == [
        "Always use tabs"
    ]


def test_a_sentence_that_only_withdraws_says_so() -> None:
    assert [one.only_withdraws for one in found("The tabs rule is off.", "Never use tabs.")] == [
        True,
        False,
    ]


def test_only_the_operator_is_learned_from() -> None:
    text = "Always use tabs for indentation."
    turns = [Turn("", role, text) for role in (AGENT, OTHER, DOCUMENT)]
    assert find_statements(turns) == []


def test_a_document_that_was_pasted_is_not_what_somebody_said() -> None:
    assert found("Always use tabs for indentation. " + "And so on and on. " * 400) == []


def test_a_candidate_can_be_read_by_itself() -> None:
    _, one = found(
        "Add a page for invoices.",
        "Always answer in German.",
        "W8, use the real database, not the fixtures. Because those are out of date. Go on",
    )
    assert one.title == "Use the real database, not the fixtures"
    assert one.why == "Because those are out of date"


def test_a_preference_of_one_project_names_it() -> None:
    assert [one.here for one in found("In this project we use British spelling, not American")] == [
        True
    ]
    assert [one.here for one in found("Always use British spelling everywhere")] == [False]


def test_a_request_is_no_statement() -> None:
    for text in ("run the linter and commit", "go on", "yes", "/cost", "what is the time"):
        assert found(text) == []


def test_a_sentence_that_a_terminal_broke_is_one() -> None:
    text = (
        "When we talk about the layout of the store, and you are in doubt about it all, I am here."
        " Always\nask me before you move files around"
    )
    assert [one.title for one in found(text)] == ["Always ask me before you move files around"]
