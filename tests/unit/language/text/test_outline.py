"""A markdown text in sections, of which one can be written anew and the others stay."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text.outline import join_outline, split_outline, tame

LINES = st.sampled_from(
    [
        "# A",
        "## B",
        "## C",
        "### D",
        "text",
        "",
        "```",
        "~~~",
        "    ## no",
        "#",
        "## ",
        "\u2028## x",
    ]
)
bodies = st.lists(LINES, max_size=12).map("\n".join)


@given(bodies)
def test_the_parts_of_a_text_are_all_of_it(body: str) -> None:
    head, sections = split_outline(body)
    assert head + "".join(line + under for line, under in sections) == body


@given(bodies, bodies)
def test_a_tamed_text_stays_within_its_section(before: str, text: str) -> None:
    head, sections = split_outline(f"# Title\n\n## First\n{tame(text)}\n\n## Last\nEnd.\n")
    assert [line for line, _ in sections] == ["## First\n", "## Last\n"]
    assert head == "# Title\n\n"
    assert split_outline(before)[0] is not None


@given(bodies)
def test_a_tamed_text_is_its_own_tamed_text(text: str) -> None:
    assert tame(tame(text)) == tame(text)


def test_a_heading_in_a_fenced_block_opens_no_section() -> None:
    body = "# T\n\n```\n## not\n```\n\n## yes\ntext\n"
    assert [line for line, _ in split_outline(body)[1]] == ["## yes\n"]


def test_a_fence_that_nobody_closes_hides_nothing() -> None:
    assert [line for line, _ in split_outline("# T\n```\n## yes\n")[1]] == ["## yes\n"]


def test_the_title_of_a_note_opens_no_section_and_a_second_one_does() -> None:
    assert [line for line, _ in split_outline("\n# T\ntext\n# Other\n")[1]] == ["# Other\n"]


def test_line_ends_of_windows_are_read_as_any() -> None:
    assert split_outline("# T\r\n## S\r\nx\r\n") == ("# T\n", [("## S\n", "x\n")])


@pytest.mark.parametrize("head", ["", "# T", "# T\n", "# T\n\n"])
def test_sections_are_joined_with_an_empty_line_before_each(head: str) -> None:
    joined = join_outline(head, [("## A\n", "a\n"), ("## B\n", "b")])
    assert joined.endswith("## A\na\n\n## B\nb")
    assert joined.startswith("## A" if not head else "# T\n\n## A")
