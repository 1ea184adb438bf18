"""Whether two statements say the same, or the one takes the other back."""

from __future__ import annotations

import pytest

from engrain.language.statements.instructions import compare, read_instruction
from engrain.language.statements.verdicts import AGREE, CONTRADICT, REPEAT, UNRELATED

DOUBTFUL = "doubtful"


@pytest.mark.parametrize(
    ("new", "old", "relation"),
    [
        ("Always use tabs for indentation", "please use tabs for indentation", REPEAT),
        ("Run the linter before each commit", "Before you commit, run the linter", REPEAT),
        ("Use ruff instead of flake8", "ruff, not flake8", REPEAT),
        ("Tabs not spaces", "Spaces not tabs", CONTRADICT),
        ("Use tabs, not spaces", "I prefer spaces over tabs", CONTRADICT),
        ("Use tabs, not spaces", "Always use spaces", CONTRADICT),
        ("Never push to main", "Always push to main", CONTRADICT),
        ("Always push to main", "Never push to main", CONTRADICT),
        ("Don't use spaces", "Use spaces rather than tabs", CONTRADICT),
        ("Use tabs, not spaces", "Always put spaces around operators in the parser", DOUBTFUL),
        ("Use tabs, not spaces", "Never use spaces", AGREE),
        ("Use pnpm instead of npm", "Use ruff instead of flake8", UNRELATED),
        ("The database listens on port 5433", "The database listens on port 5432", CONTRADICT),
        ("Always use tabs", "Answer in German", UNRELATED),
        ("Avoid semicolons", "Always use semicolons", CONTRADICT),
        ("Use semicolons", "I dislike semicolons", CONTRADICT),
        ("Never use semicolons", "Avoid semicolons", REPEAT),
        ("Move files from A to B", "Move files from B to A", UNRELATED),
        ("", "Always use tabs", UNRELATED),
    ],
)
def test_what_a_statement_is_to_an_older_one(new: str, old: str, relation: str) -> None:
    verdict = compare(read_instruction(new), read_instruction(old))
    assert (DOUBTFUL if verdict.doubtful else verdict.relation) == relation
