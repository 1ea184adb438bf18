"""Long notes in chunks (S1.21)."""

from __future__ import annotations

import json
import re
import time

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain.language.text.chunks import split_chunks
from support.real_data import DATA, needs

SENTENCE = "The nightly job takes the lock before it reads the table. "
PARAGRAPH = (SENTENCE * 6).strip()  # 347 characters
MOST = 1_200


def chunked(text: str, most: int = MOST) -> list[tuple[str, str]]:
    chunks = split_chunks(text, most)
    return [(chunk.heading, text[chunk.start : chunk.end]) for chunk in chunks]


def test_a_text_of_blanks_has_no_chunk() -> None:
    assert split_chunks("", MOST) == []
    assert split_chunks(" \r\n\t\n", MOST) == []


def test_a_note_that_fits_is_one_chunk() -> None:
    text = "\n\n" + "\n\n".join([PARAGRAPH] * 3) + "\n"
    (chunk,) = split_chunks(text, MOST)
    assert (chunk.start, chunk.end, chunk.heading) == (2, len(text) - 1, "")


def test_five_sections_of_a_line_are_one_chunk_under_what_they_share() -> None:
    text = "# Setup\n" + "".join(f"\n## Part {n}\n\nOne line.\n" for n in range(5))
    assert chunked(text) == [("Setup", text.strip())]


def test_each_long_section_is_a_chunk_under_its_path() -> None:
    body = "\n\n".join([PARAGRAPH] * 3)
    text = f"# Setup\n\n{body}\n\n## Linux\n\n{body}\n\n# Use\n\n{body}\n"
    assert chunked(text) == [
        ("Setup", f"# Setup\n\n{body}"),
        ("Setup > Linux", f"## Linux\n\n{body}"),
        ("Use", f"# Use\n\n{body}"),
    ]


def test_short_neighbours_of_a_long_note_are_joined_as_far_as_they_fit() -> None:
    text = "# Log\n\n" + "".join(f"## Day {n}\n\n{PARAGRAPH}\n\n" for n in range(6))
    assert [heading for heading, _ in chunked(text)] == ["Log"] * 2
    assert all(part.count("## Day") == 3 for _, part in chunked(text))


def test_the_end_of_one_chapter_is_not_joined_to_the_start_of_the_next_unless_it_is_tiny() -> None:
    def note(last: str) -> str:
        return f"# A\n\n## B\n\n{PARAGRAPH * 3}\n\n## C\n\n{last}\n\n# D\n\n{PARAGRAPH}\n"

    assert [heading for heading, _ in chunked(note(PARAGRAPH), 1_060)] == ["A > B", "A > C", "D"]
    assert [heading for heading, _ in chunked(note("Short."), 1_060)] == ["A > B", ""]


def test_headings_with_nothing_under_them_open_the_next_chunk_and_share_no_path() -> None:
    text = f"# A\n\n## B\n\n{PARAGRAPH}\n\n{PARAGRAPH}\n\n# C\n\n## D\n\n{PARAGRAPH * 2}\n\n# E\n"
    (first, one), (second, other) = chunked(text)
    assert (first, second) == ("A > B", "C > D")
    assert one.startswith("# A\n\n## B")
    assert other.endswith("# E")


@pytest.mark.parametrize(
    ("heading", "path"),
    [
        ("# Setup", "Setup"),
        ("   ### Setup ###  ", "Setup"),
        ("# C#", "C#"),
        ("Setup\n=====", "Setup"),
        ("Setup\r\n-----\r", "Setup"),
        ("# " + "x" * 5_000, "x" * 100),
        ("#", ""),
        ("#setup", ""),
        ("    # Setup", ""),
        ("- Setup\n---", ""),
        ("One\nSetup\n---", ""),
        ("```\n# Setup\n```", ""),
        ("~~~~\n```\n~~~\n# Setup\n~~~~", ""),
        ("  ```\n  # Setup\n  ```", ""),
    ],
)
def test_what_is_a_heading(heading: str, path: str) -> None:
    (chunk,) = split_chunks(f"{heading}\n\nText.\n", 10_000)
    assert chunk.heading == path


def test_a_heading_after_a_fence_counts_and_an_unclosed_fence_has_none() -> None:
    text = "```\nx\n```\nTitle\n---\nText."
    assert chunked(text, 15)[-1][0] == "Title"
    assert chunked("- ```\n  x\n\n# Title\n\nText.", 15)[-1][0] == "Title"
    assert {heading for heading, _ in chunked("```\nx\n\n# Title\n\nText.", 12)} == {""}


def test_paragraphs_stay_whole_and_fill_chunks() -> None:
    text = "\n\n".join([PARAGRAPH] * 9)
    parts = [part for _, part in chunked(text)]
    assert parts == ["\n\n".join([PARAGRAPH] * 3)] * 3


def test_a_transcript_is_cut_between_its_turns() -> None:
    turns = [f"**Ann:** turn {n}." + " Yes, and then?" * (n % 9) for n in range(60)]
    parts = [part for _, part in chunked("\n\n".join(turns))]
    assert [turn for part in parts for turn in part.split("\n\n")] == turns
    assert all(MOST / 2 <= len(part) <= MOST for part in parts[:-1])


FENCE = "```sh\n" + "echo one\n\n" * 100 + "```"  # 1,009 characters
TABLE = "| a | b |\n|---|---|\n" + "| one | two |\n" * 75  # 1,070 characters


@pytest.mark.parametrize("block", [FENCE, TABLE.strip()])
@pytest.mark.parametrize(
    "before", ["", PARAGRAPH + "\n\n", PARAGRAPH + "\n", "Run:\n\n", "# A\n\n"]
)
@pytest.mark.parametrize("after", ["", "\n\n" + PARAGRAPH, "\n\n" + "\n\n".join([PARAGRAPH] * 5)])
def test_a_fence_and_a_table_that_fit_are_not_cut(block: str, before: str, after: str) -> None:
    assert any(block in part for _, part in chunked(before + block + after))


def test_a_fence_that_does_not_fit_is_cut_between_lines() -> None:
    text = "```\n" + "x = f(y). z\n" * 400 + "```\n"
    parts = [part for _, part in chunked(text)]
    assert all(line in ("```", "x = f(y). z") for part in parts for line in part.split("\n"))


def test_a_long_paragraph_is_cut_between_sentences() -> None:
    parts = [part for _, part in chunked(SENTENCE * 60)]
    assert len(parts) == 3
    assert all(part.endswith("table.") and part.startswith("The") for part in parts)


def test_a_long_list_is_cut_between_its_items() -> None:
    parts = [part for _, part in chunked("- take it. then\n  read it\n" * 100)]
    assert all(part.startswith("- ") and part.endswith("read it") for part in parts)


def test_text_without_spaces_is_cut_after_its_sentences() -> None:
    parts = [part for _, part in chunked("夜間ジョブは表を読む前にロックを取る。" * 200)]
    assert all(part.endswith("。") for part in parts)


def test_text_without_any_break_is_cut_but_not_inside_a_character() -> None:
    family = "👩\u200d👩\u200d👧\ufe0f"
    parts = [part for _, part in chunked(family * 400, 100)]
    assert "".join(parts) == family * 400
    assert all(part.startswith("👩") and part.endswith(family) for part in parts)


def test_lines_may_end_as_windows_ends_them() -> None:
    text = "# Log\n\n" + "".join(f"## Day {n}\n\n{PARAGRAPH}\n\n" for n in range(6))
    plain = chunked(text)
    windows = chunked(text.replace("\n", "\r\n"))
    assert [(heading, part.replace("\r\n", "\n")) for heading, part in windows] == plain


def test_a_limit_below_one_is_refused() -> None:
    with pytest.raises(ValueError, match="at most 0 characters"):
        split_chunks("text", 0)


pieces = st.lists(
    st.sampled_from(
        ("# A\n", "## B ##\n", "C\n---\n", "\n", "\n\n", "\r\n", " ", "```\n", "~~~\n", "| a |\n",
         "- one\n", "1. two\n", "> q\n", "word ", "end. ", "日本語。", "e\u0301", "👩\u200d👧",
         "x" * 40, "\t", "\u2003", SENTENCE)
    ) | st.text(max_size=6),
    max_size=60,
).map("".join)  # fmt: skip


@given(pieces, st.integers(1, 160))
def test_chunks_are_in_order_fit_and_leave_out_only_blanks(text: str, most: int) -> None:
    chunks = split_chunks(text, most)
    pos = 0
    for chunk in chunks:
        assert not text[pos : chunk.start].strip()
        part = text[chunk.start : chunk.end]
        assert 0 < len(part) <= most
        assert part == part.strip()
        pos = chunk.end
    assert not text[pos:].strip()
    again = split_chunks(text, most)
    spans = [[(chunk.start, chunk.end, chunk.heading) for chunk in one] for one in (chunks, again)]
    assert spans[0] == spans[1]


@settings(deadline=None, max_examples=12)
@given(st.text(st.sampled_from("#`~|->a. \n\r=日1)"), min_size=1, max_size=6))
def test_splitting_takes_linear_time_whatever_is_repeated(unit: str) -> None:
    text = unit * (512 * 1024 // len(unit))
    began = time.process_time()
    split_chunks(text, MOST)
    assert time.process_time() - began < 3


@needs("vault-dendron")
def test_a_real_vault_is_covered_by_chunks_of_the_size_asked_for() -> None:
    texts = [path.read_text() for path in sorted((DATA / "vault-dendron").glob("*.md"))]
    parts = [(text, text[c.start : c.end]) for text in texts for c in split_chunks(text, MOST)]
    assert max(len(part) for _, part in parts) <= MOST
    whole = {text: [p for t, p in parts if t is text] for text in texts if "\n```" in text}
    fences = [(t, f[0]) for t in whole for f in re.finditer(r"(?ms)^```\w*$.*?^``` *$", t)]
    assert len(fences) > 500
    assert all(any(f in part for part in whole[t]) for t, f in fences if len(f) <= 1_000)
    assert sum(len(part) < 100 for text, part in parts if len(text) > MOST) < len(parts) / 20


@needs("locomo/locomo_dev.json")
def test_turns_of_a_real_conversation_are_never_cut() -> None:
    (first, *_) = json.loads((DATA / "locomo" / "locomo_dev.json").read_text())
    talk = first["conversation"]["session_1"]
    turns = [f"{turn['speaker']}: {turn['text']}" for turn in talk]
    text = "\n\n".join(turns)
    found = [turn for _, part in chunked(text) for turn in part.split("\n\n")]
    assert found == text.split("\n\n")
