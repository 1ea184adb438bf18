"""Vectors as bytes."""

from __future__ import annotations

from math import inf, nan

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import check_vector, dot, pack, pack_unit, unpack

NUMBERS = st.floats(-1e30, 1e30).filter(lambda value: value == 0 or abs(value) > 1e-30)
ROWS = st.lists(NUMBERS, min_size=1, max_size=40).filter(any)


@given(ROWS)
def test_a_packed_vector_has_length_one_and_its_own_direction(values: list[float]) -> None:
    raw = pack_unit(values)
    check_vector(raw, len(values))
    assert dot(raw, raw) == pytest.approx(1, abs=1e-5)
    largest = max(range(len(values)), key=lambda at: abs(values[at]))
    assert (unpack(raw)[largest] > 0) == (values[largest] > 0)


@given(ROWS, st.floats(1e-3, 1e3))
def test_how_long_a_vector_was_does_not_matter(values: list[float], factor: float) -> None:
    scaled = pack_unit([value * factor for value in values])
    assert dot(pack_unit(values), scaled) == pytest.approx(1, abs=1e-5)


def test_the_bytes_are_little_endian_float32() -> None:
    assert pack([1.0, -2.0]) == b"\x00\x00\x80\x3f\x00\x00\x00\xc0"
    assert list(unpack(b"\x00\x00\x80\x3f\x00\x00\x00\xc0")) == [1.0, -2.0]


@pytest.mark.parametrize(
    ("values", "reason"),
    [([nan, 1.0], "no number"), ([inf, 1.0], "no number"), ([0.0, 0.0], "zero"), ([], "zero")],
)
def test_what_has_no_direction_is_refused(values: list[float], reason: str) -> None:
    with pytest.raises(EmbeddingError, match=reason):
        pack_unit(values)


@pytest.mark.parametrize(
    ("raw", "reason"),
    [
        (pack([nan, 1.0]), "no number"),
        (pack([inf, 1.0]), "no number"),
        (pack([0.0, 0.0]), "length 0 instead of 1"),
        (pack([3.0, 4.0]), "length 5 instead of 1"),
        (pack([1.0]), "1 dimensions where the model has 2"),
        (pack([1.0, 0.0])[:-1], "1.75 dimensions"),
        (b"", "0 dimensions"),
    ],
)
def test_a_bad_vector_is_refused(raw: bytes, reason: str) -> None:
    with pytest.raises(EmbeddingError, match=reason):
        check_vector(raw, 2)


def test_vectors_of_different_sizes_are_not_compared() -> None:
    with pytest.raises(EmbeddingError, match="different sizes"):
        dot(pack([1.0]), pack([1.0, 0.0]))


def test_bytes_that_are_no_row_of_numbers_are_refused() -> None:
    with pytest.raises(EmbeddingError, match="3 bytes"):
        unpack(b"abc")
