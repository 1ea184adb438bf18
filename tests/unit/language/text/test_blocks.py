"""Sections of a markdown text, and the blocks that are not to be cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text.blocks import join_outline, read_blocks, split_outline, tame


def spans(text: str) -> list[str]:
    _, found = read_blocks(text)
    edges = list(found.edges(-1, len(text)))
    return [text[start:end] for start, end in zip(edges[::2], edges[1::2], strict=True)]


def test_sections_have_the_path_of_their_headings_and_start_with_theirs() -> None:
    text = "Intro.\n# A\none\n### B\ntwo\n## C\nthree\n# D\nfour\n"
    sections, _ = read_blocks(text)
    assert [(part.path, text[part.start : part.end]) for part in sections] == [
        ((), "Intro.\n"),
        (("A",), "# A\none\n"),
        (("A", "B"), "### B\ntwo\n"),
        (("A", "C"), "## C\nthree\n"),
        (("D",), "# D\nfour\n"),
    ]
    assert [text[part.body : part.end].strip() for part in sections][1:] == [
        "one", "two", "three", "four",
    ]  # fmt: skip


def test_headings_alone_are_a_section() -> None:
    (section,) = read_blocks("# A\n\n## B\n")[0]
    assert (section.start, section.path) == (0, ("A", "B"))


@pytest.mark.parametrize(
    "block",
    [
        "```sh\n# no heading\n\nls\n```",
        "~~~\n```\n~~~",
        "````\n```\n````",
        "- ```\n  ls\n  ```",
        "> ```\n> ls\n> ```",
        "| a | b |\n|---|---|\n| 1 | 2 |",
        "```\nnever closed\n\n# A\n",
    ],
)
def test_a_fenced_block_and_a_table_are_spans(block: str) -> None:
    assert spans(f"Text.\n\n{block}") == [block]


@pytest.mark.parametrize("text", ["``` `x` is code", "| one line only |", "``x``"])
def test_what_only_looks_like_one_is_none(text: str) -> None:
    assert spans(f"{text}\n\nText.") == []


def test_a_place_is_inside_a_span_only_between_its_edges() -> None:
    text = "Text.\n```\nls\n```\nText."
    _, found = read_blocks(text)
    assert found.around(6) is None
    assert found.around(7) == (6, 16)
    assert found.around(16) is None


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
