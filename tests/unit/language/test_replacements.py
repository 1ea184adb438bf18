"""Replacements: what says that one note took the place of another, and what only sounds so."""

from __future__ import annotations

import time
from collections.abc import Mapping
from itertools import pairwise

import pytest

from engrain.language.replacements import (
    NEWER,
    OLDER,
    ReplacementStep,
    find_chains,
    read_replacements,
    read_version,
)

TITLE = "Deploy guide"


def roles(text: str) -> list[tuple[str, str]]:
    return [(found.role, found.target) for found in read_replacements(text, TITLE)]


@pytest.mark.parametrize(
    "text",
    [
        "This replaces [[Old way]] entirely.",
        "As of May this replaces what [[Old way]] says.",
        "The older [[Old way]] is obsolete.",
        "[[Old way]] is no longer valid.",
        "[[Old way]] was replaced by this runbook.",
        "Use this instead of [[Old way]].",
        "Supersedes the \"Old way\" note.",
        "What is written here replaces _Old way_.",
        "v3 of [[Old way]].",
        "This is the new version of [[Old way]]; please don't use that any more.",
        "The deploy guide replaces [[Old way]].",
        "# Deploy guide\n\nReplaces [[Old way]].",
        "## Status\n\nReplaces [[Old way]].",
        "## Steps\n\nGo.\n\nThis guide takes over from [[Old way]].",
    ],
)  # fmt: skip
def test_a_text_tells_what_it_replaces(text: str) -> None:
    assert roles(text) == [(OLDER, "Old way")]


@pytest.mark.parametrize(
    "text",
    [
        "Superseded by [[New way]].",
        "**Replaced by** [[New way]]",
        "Deprecated: see [[New way]].",
        "This note is outdated, use [[New way|that one]] instead.",
        "This note is obsolete. See [[New way]].",
        "NOTE: this guide is DEPRECATED. We recommend that all users use [[New way]] instead.",
        "[[New way]] supersedes this.",
        "The current version is in [[New way]].",
        "Moved to [[New way]].",
    ],
)
def test_a_text_tells_what_replaces_it(text: str) -> None:
    assert roles(text) == [(NEWER, "New way")]


@pytest.mark.parametrize(
    "text",
    [
        "It does not replace [[Old way]].",
        "We will replace [[Old way]] next month.",
        "Does this replace [[Old way]]?",
        "If you only rename, use [[Old way]] instead.",
        "See [[Old way]] for background.",
        "Follow [[Old way]] first.",
        "Previous: [[Old way]]",
        "These steps were partly replaced by [[Old way]].",
    ],
)
def test_what_is_denied_planned_asked_or_beside_the_point_says_nothing(text: str) -> None:
    assert roles(text) == []


@pytest.mark.parametrize(
    "text",
    [
        "Redis replaced Memcached, see [[Redis]].",
        "- the `Delete Node` command is now replaced with the [[Delete]] command",
        "Old style templates are being replaced with [[Handlebar Templates]].",
        "When this command is used on a [[proxy note]], instead of opening the note it follows it.",
        "This method can be overridden by a particular [[Agent]] subclass.",
        "- `--foo`: replaced by [[Bar]]",
    ],
)
def test_what_something_else_was_replaced_by_says_nothing_of_the_note(text: str) -> None:
    assert roles(text) == []


def test_without_a_subject_a_sentence_of_a_section_speaks_of_the_section() -> None:
    assert roles("Intro.\n\n## The old flag\n\nDeprecated: see [[New way]].") == []
    assert roles("Intro.\n\n## The old flag\n\nThis replaces [[Old way]].") == []


def test_a_link_to_a_heading_is_no_note_that_was_replaced() -> None:
    assert roles("Superseded by [[New way#Flags]].") == []


def test_code_and_tables_say_nothing() -> None:
    assert roles("```\nSuperseded by [[New way]].\n```\n| Superseded by [[New way]] |\n") == []


def test_a_single_quoted_word_is_no_title() -> None:
    assert roles('This replaces "Buffer" objects.') == []


def test_only_a_note_that_says_little_else_is_plainly_meant_by_a_sentence_without_subject() -> None:
    more = "The steps are the same as before, and everybody knows them by heart. " * 5
    assert [one.plain for one in read_replacements("Superseded by [[New way]].", TITLE)] == [True]
    assert [one.plain for one in read_replacements(f"Superseded by [[New way]]. {more}")] == [False]
    (one,) = read_replacements(f"This note was replaced by [[New way]]. {more}")
    assert one.plain


def test_a_text_without_an_end_takes_linear_time() -> None:
    began = time.process_time()
    list(read_replacements("replaces the old " * 20_000 + "[[X]]"))
    found = list(read_replacements("This replaces " + "[[X]], " * 20_000))
    assert (found[0].role, found[0].target) == (OLDER, "X")
    assert time.process_time() - began < 5


def chains(
    *steps: tuple[str, str], created: Mapping[str, float] | None = None
) -> list[tuple[str, bool]]:
    found = find_chains([ReplacementStep(a, b, 1.0, b) for a, b in steps], created or {})
    return [("".join(chain.members), chain.circular) for chain in found]


def test_steps_make_one_chain_from_the_oldest_to_the_newest() -> None:
    assert chains(("b", "c"), ("a", "b"), ("c", "d")) == [("abcd", False)]


def test_chains_without_a_member_in_common_are_apart() -> None:
    assert chains(("a", "b"), ("x", "y")) == [("ab", False), ("xy", False)]


def test_one_that_several_replaced_goes_with_the_latest() -> None:
    assert chains(("a", "b"), ("a", "c"), created={"b": 1.0, "c": 2.0}) == [("ac", False)]


def test_one_that_replaced_several_ends_one_chain() -> None:
    assert chains(("b", "c"), ("a", "c"), created={"a": 1.0, "b": 2.0}) == [("abc", False)]


def test_in_a_circle_only_the_dates_order() -> None:
    assert chains(("a", "b"), ("b", "a"), created={"a": 2.0, "b": 1.0}) == [("ba", True)]


def test_one_does_not_replace_itself() -> None:
    assert chains(("a", "a")) == []


def test_of_two_that_say_the_contrary_the_surer_counts() -> None:
    steps = [ReplacementStep("a", "b", 0.9, "b"), ReplacementStep("b", "a", 1.0, "a")]
    assert [chain.members for chain in find_chains(steps, {})] == [("b", "a")]


def test_a_long_chain_takes_no_recursion() -> None:
    names = [f"{n:05}" for n in range(20_000)]
    (chain,) = find_chains([ReplacementStep(a, b, 1.0, b) for a, b in pairwise(names)], {})
    assert chain.members == tuple(names)


@pytest.mark.parametrize(
    ("title", "number"),
    [("Deploy procedure", 0), ("Deploy procedure v2", 2), ("Deploy procedure (v3)", 3),
     ("Deploy procedure, second edition", 2), ("Old deploy procedure", -1)],
)  # fmt: skip
def test_versions_of_one_title_have_one_base(title: str, number: int) -> None:
    version = read_version(title)
    assert (version.base, version.number, version.plain) == ("deploy procedure", (number,), True)


def test_a_version_of_what_a_note_is_about_is_no_version_of_the_note() -> None:
    assert not read_version("Client API v2").plain
