"""Identifiers: their order and form."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.note.note import ID_LENGTH, encode, is_id, make_id, path_id

times = st.floats(min_value=0, max_value=253402300799)
entropies = st.binary(min_size=10, max_size=10)


@given(times, entropies)
def test_an_id_has_the_form_of_one(at: float, entropy: bytes) -> None:
    made = make_id(at, entropy)
    assert is_id(made)
    assert made[0] <= "7"


@given(times, times, entropies, entropies)
def test_ids_sort_by_when_they_were_made(
    one: float, other: float, first: bytes, second: bytes
) -> None:
    if round(one * 1_000_000) < round(other * 1_000_000):
        assert make_id(one, first) < make_id(other, second)


@given(times, st.binary(min_size=8, max_size=8), st.binary(min_size=8, max_size=8))
def test_two_made_in_one_microsecond_differ_by_their_random_bytes(
    at: float, first: bytes, second: bytes
) -> None:
    one, other = (make_id(at, bytes(2) + drawn) for drawn in (first, second))
    assert (one == other) == (first == second)


def test_an_id_is_laid_out_as_a_ulid_in_lower_case() -> None:
    # The example of the ULID specification: 01ARYZ6S41 is 1469918176385 milliseconds.
    assert make_id(1469918176.385, bytes(10)) == "01aryz6s41" + "0" * 16
    assert make_id(1469918176.385, b"\xff" * 10) == "01aryz6s4100" + "z" * 14
    assert make_id(1469918176.3855, b"\xff" * 10) == "01aryz6s41fm" + "z" * 14


def test_a_time_before_the_epoch_counts_as_the_epoch() -> None:
    assert make_id(-5.0, bytes(10)) == "0" * ID_LENGTH


@pytest.mark.parametrize(("number", "text"), [(0, "00"), (31, "0z"), (32, "10"), (1023, "zz")])
def test_a_number_is_written_most_significant_digit_first(number: int, text: str) -> None:
    assert encode(number, 2) == text


@given(st.text(st.characters()))
def test_any_path_gives_an_id_that_no_time_gives(path: str) -> None:
    made = path_id(path)
    assert is_id(made)
    assert made > make_id(253402300799, b"\xff" * 10)
    assert made == path_id(path)


def test_two_paths_give_two_ids() -> None:
    assert len({path_id(path) for path in ("a.md", "b.md", "x/a.md", "A.md", "\udcff.md")}) == 5


@pytest.mark.parametrize(
    "text",
    ["", "0" * 25, "0" * 27, "O" * 26, "0" * 25 + "u", "0" * 12 + "-" + "0" * 13, "0" * 25 + "\n",
     "٠" * 26],
)  # fmt: skip
def test_what_has_another_form_is_no_id(text: str) -> None:
    assert not is_id(text)
