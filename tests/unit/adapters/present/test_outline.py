"""Plain data as tables and outlines."""

from __future__ import annotations

import pytest

from engrain.adapters.present.outline import format_value, outline_lines, table_lines
from engrain.adapters.present.text import unstyle

ROWS = [
    {"name": "quay", "count": 3, "at": {"place": "north"}, "left": None, "tags": ["a", "b"]},
    {"name": "crane hall", "count": 0, "at": {"place": ""}, "left": False, "tags": []},
]


def test_a_table_has_the_columns_that_say_something_and_one_line_a_row() -> None:
    lines = list(map(unstyle, table_lines(ROWS, "name count at.place left tags", "none")))
    assert lines == [
        "name        count  place  tags",
        "quay        3      north  a, b",
        "crane hall  0      -      -",
    ]
    assert list(table_lines([], "name", "none")) == ["none"]


def test_an_outline_leaves_out_what_says_nothing_and_indents_what_has_parts() -> None:
    data: dict[str, object] = {
        "title": "Quay",
        "made": None,
        "empty": {"of": []},
        "text": "One.\nTwo.\n",
        "parts": ROWS[:1],
        "steps": [{"name": "pour", "count": 1}, {"name": "wait", "count": 2}],
        "said": ["short", "a text, with a comma"],
    }
    assert list(map(unstyle, outline_lines(data))) == [
        "title  Quay",
        "text:",
        "  One.",
        "  Two.",
        "parts:",
        "  1.",
        "    name   quay",
        "    count  3",
        "    at:",
        "      place  north",
        "    tags   a, b",
        "steps:",
        "  name  count",
        "  pour  1",
        "  wait  2",
        "said:",
        "  - short",
        "  - a text, with a comma",
    ]


@pytest.mark.parametrize(
    ("value", "said"),
    [
        (True, "yes"),
        (0.5, "0.5"),
        (1.0, "1"),
        (0, "0"),
        ({"fix": 2, "idea": 1}, "2 fix, 1 idea"),
        ("2026-09-01T12:30:00Z", "2026-09-01T12:30:00Z"),
        ("a\x1b[31m\u202eb\nc", "a[31mb c"),
    ],
)
def test_a_value_is_said_on_one_line_that_drives_no_terminal(value: object, said: str) -> None:
    assert format_value(value) == said


def test_no_name_and_no_text_drives_a_terminal() -> None:
    hostile = "\x1b]0;owned\x07 text \u202e turned\n\u2028more"
    data = {hostile: hostile, "list": [{hostile: hostile}], "of": {"x": f"{hostile}\nline"}}
    lines = [*outline_lines(data), *table_lines([data], "of list", "")]
    assert all(unstyle(line).isprintable() for line in lines)
