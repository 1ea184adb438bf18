"""Whether two statements say the same, or the one takes the other back."""

from __future__ import annotations

import pytest

from engrain.language.statements.instructions.comparing import (
    DOUBTFUL,
    OTHER,
    SAME,
    TURNED,
    Claim,
    compare_claims,
    statement_key,
)


@pytest.mark.parametrize(
    ("new", "old", "relation"),
    [
        ("Always use tabs for indentation", "please use tabs for indentation", SAME),
        ("Run the linter before each commit", "Before you commit, run the linter", SAME),
        ("Use ruff instead of flake8", "ruff, not flake8", SAME),
        ("Tabs not spaces", "Spaces not tabs", TURNED),
        ("Use tabs, not spaces", "I prefer spaces over tabs", TURNED),
        ("Use tabs, not spaces", "Always use spaces", TURNED),
        ("Never push to main", "Always push to main", TURNED),
        ("Always push to main", "Never push to main", TURNED),
        ("Don't use spaces", "Use spaces rather than tabs", TURNED),
        ("Use tabs, not spaces", "Always put spaces around operators in the parser", DOUBTFUL),
        ("Use tabs, not spaces", "Never use spaces", OTHER),
        ("Use pnpm instead of npm", "Use ruff instead of flake8", OTHER),
        ("The database listens on port 5433", "The database listens on port 5432", TURNED),
        ("Always use tabs", "Answer in German", OTHER),
        ("Avoid semicolons", "Always use semicolons", TURNED),
        ("Use semicolons", "I dislike semicolons", TURNED),
        ("Never use semicolons", "Avoid semicolons", SAME),
        ("Move files from A to B", "Move files from B to A", OTHER),
        ("", "Always use tabs", OTHER),
    ],
)
def test_what_a_statement_is_to_an_older_one(new: str, old: str, relation: str) -> None:
    assert compare_claims(Claim(new), Claim(old)) == relation


def test_a_key_is_the_same_whatever_asks_for_it_and_another_when_it_is_negated() -> None:
    assert statement_key("Please run the linter") == statement_key("you should run the linter")
    assert statement_key("run the linter") != statement_key("don't run the linter")
