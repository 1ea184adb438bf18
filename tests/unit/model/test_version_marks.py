"""Version marks: what says that one note took the place of another, and what only sounds so."""

from __future__ import annotations

import pytest

from engrain.model.version_marks import NEWER, OLDER, read_replacements, read_version


def roles(text: str) -> list[tuple[str, str]]:
    return [(found.role, found.target) for found in read_replacements(text)]


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
        "v3 of [[Old way]].",
        "This is the new version of [[Old way]]; please don't use that any more.",
    ],
)  # fmt: skip
def test_a_text_tells_what_it_replaces(text: str) -> None:
    assert roles(text) == [(OLDER, "Old way")]


@pytest.mark.parametrize(
    "text",
    [
        "Superseded by [[New way]].",
        "Deprecated: see [[New way]].",
        "This note is outdated, use [[New way|that one]] instead.",
        "[[New way]] supersedes this.",
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
        "See [[Old way]] for background.",
        "Redis replaced Memcached, see [[Redis]].",
        "Follow [[Old way]] first.",
    ],
)
def test_what_is_denied_planned_asked_or_beside_the_point_says_nothing(text: str) -> None:
    assert roles(text) == []


def test_a_text_without_an_end_takes_linear_time() -> None:
    assert roles("replaces the old " * 20_000 + "[[X]]") == [(OLDER, "X")]
    assert ("older", "X") in roles("This replaces " + "[[X]], " * 20_000)


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
