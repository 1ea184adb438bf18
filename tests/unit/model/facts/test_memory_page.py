"""MEMORY.md: whose a line is, and what a session is told of the page."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.facts.memory_page import (
    SECTIONS,
    TOOLS,
    WORK,
    key_of,
    own_lines,
    render_page,
    revise_page,
    start_page,
    write_line,
)

KEY = key_of("01k8")
lines = st.one_of(
    st.text(alphabet="ab #-<!>\t", max_size=12),
    st.sampled_from(["# Title", "## Tools", "## tools:", "", "```", write_line(KEY, "Use uv")]),
)
pages = st.tuples(st.lists(lines, max_size=10), st.sampled_from(["\n", "\r\n"]), st.booleans()).map(
    lambda drawn: drawn[1].join(drawn[0]) + (drawn[1] if drawn[2] else "")
)


def test_a_page_that_says_nothing_yet_costs_a_session_nothing() -> None:
    assert render_page(start_page()) == ""
    assert [section in start_page() for section in SECTIONS] == [True] * 4


@pytest.mark.parametrize(
    "text",
    ["", "Little.\n", "# Memory\nLittle.\n", "# A\r\n\r\n## B\r\ntext <!-- mine -->\r\n", "no end"],
)
def test_a_page_of_a_person_is_told_as_it_is(text: str) -> None:
    assert render_page(text) == text


def test_marks_and_empty_headings_are_not_reported() -> None:
    body = revise_page(start_page(), {}, [(WORK, KEY, "Small steps ([[steps]])")])
    assert render_page(body) == (
        "# How the operator works\n\n## Work patterns\n\n- Small steps ([[steps]])\n\n"
    )


def test_a_line_goes_to_the_end_of_its_section_and_every_other_byte_stays() -> None:
    body = "# Mine\r\n\r\n## TOOLS\r\n\r\n- vim\r\n\r\n## Other\r\nlast"
    after = revise_page(body, {}, [(TOOLS, KEY, "Use uv")], "\r\n")
    assert after == body.replace("- vim\r\n", f"- vim\r\n{write_line(KEY, 'Use uv')}\r\n")


def test_a_section_that_is_not_there_is_made_at_the_end() -> None:
    after = revise_page("mine, without an end", {}, [(TOOLS, KEY, "Use uv")])
    assert after == f"mine, without an end\n\n## Tools\n\n{write_line(KEY, 'Use uv')}\n"


def test_an_own_line_follows_what_it_is_drawn_from_until_a_person_edits_it() -> None:
    body = f"a\n{write_line(KEY, 'Use uv')}\nb\n"
    assert [(line.key, line.text, line.intact) for line in own_lines(body)] == [
        (KEY, "Use uv", True)
    ]
    assert revise_page(body, {KEY: "Use pip"}, []) == f"a\n{write_line(KEY, 'Use pip')}\nb\n"
    assert revise_page(body, {}, []) == "a\nb\n"
    edited = body.replace("Use uv", "Use uv, always")
    assert [line.intact for line in own_lines(edited)] == [False]
    assert revise_page(edited, {}, []) == edited
    assert revise_page(edited, {KEY: "Use pip"}, []) == edited


@given(pages)
def test_no_line_of_a_person_is_ever_rewritten_moved_or_taken_out(body: str) -> None:
    theirs = [line for line in body.splitlines() if not any(own.intact for own in own_lines(line))]
    after = revise_page(body, {}, [(TOOLS, key_of("other"), "Use make")])
    left = [line for line in after.splitlines() if not any(one.intact for one in own_lines(line))]
    for line in left.copy():
        if theirs and line == theirs[0]:
            theirs.pop(0)
            left.remove(line)
    assert theirs == []
    assert [line for line in left if line.strip()] in ([], ["## Tools"])
    assert any(own.key == key_of("other") for own in own_lines(after))
