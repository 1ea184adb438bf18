"""The marks of git where a merge was left undone."""

from __future__ import annotations

import pytest

from engrain.language.text.link_tokens import find_merge_mark

CONFLICT = "Before.\n<<<<<<< HEAD\nOurs.\n=======\nTheirs.\n>>>>>>> other\nAfter.\n"


@pytest.mark.parametrize(
    ("text", "at"),
    [
        (CONFLICT, 8),
        ("Ours.\n=======\nTheirs.\n>>>>>>> other\n", 22),
        ("<<<<<<< Updated upstream\r\nOurs.\r\n", 0),
        (f"```\n{CONFLICT}```\n", None),
        (f"~~~ diff\n{CONFLICT}~~~\n\nText.\n\n{CONFLICT}", 93),
        ("A title\n=======\n\nText, not <<<<<<< a mark.\n", None),
        (">>>>>>> said somebody whom seven others quote\n", None),
        ("Run `<<<<<<< HEAD` away.\n", None),
        ("<<<<<<<<< nine\n=========\n", None),
        ("", None),
    ],
)
def test_marks_are_found_outside_of_code(text: str, at: int | None) -> None:
    assert find_merge_mark(text) == at
