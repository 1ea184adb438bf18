"""Sections of a markdown text, and the blocks that are not to be cut."""

from __future__ import annotations

import pytest

from engrain.language.text.blocks import read_blocks


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
