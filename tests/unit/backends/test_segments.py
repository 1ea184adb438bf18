"""The segments of a history: when a record begins another one."""

from __future__ import annotations

import pytest

from engrain.backends.segments import SEGMENT_BYTES, is_full, read_pairs

ALONE, TOGETHER = b'{"n": 2}', b'{"n": 2, "together": 1}'


@pytest.mark.parametrize(
    ("filled", "more", "line", "full"),
    [
        (0, SEGMENT_BYTES + 1, ALONE, False),
        (1, SEGMENT_BYTES - 1, ALONE, False),
        (1, SEGMENT_BYTES, ALONE, True),
        (1, SEGMENT_BYTES, TOGETHER, False),
    ],
)
def test_a_segment_is_full_for_a_record_beyond_its_size_unless_it_is_empty_or_they_go_together(
    filled: int, more: int, line: bytes, full: bool
) -> None:
    assert is_full(filled, more, line) is full


def test_the_links_of_a_segment_are_pairs_of_lines_even_if_one_is_blank() -> None:
    raw = b"\none\nline\npayload\ncut short\n"
    assert list(read_pairs(raw)) == [(b"", b"one", 5), (b"line", b"payload", 18)]
