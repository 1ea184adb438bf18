"""Items of a JSON file, one after the other."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.learn.sources.json_items import read_items
from engrain.model.errors import MalformedError
from support.sources import pieces

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(), inner, max_size=3),
    max_leaves=8,
)


@given(st.lists(values, max_size=5), st.integers(1, 9), st.sampled_from([None, 2]))
def test_the_items_of_a_list_are_those_of_the_parser(
    items: list[Any], size: int, indent: int | None
) -> None:
    raw = json.dumps(items, indent=indent, ensure_ascii=False).encode(errors="replace")
    assert list(read_items(pieces(raw, size))) == [("", item) for item in json.loads(raw)]


@given(st.dictionaries(st.text(), values, max_size=4), st.integers(1, 9))
def test_of_an_object_come_its_values_and_the_items_of_its_lists(
    whole: dict[str, Any], size: int
) -> None:
    raw = json.dumps(whole).encode()
    found: list[tuple[str, Any]] = []
    for key, value in whole.items():
        found += [(key, item) for item in value] if isinstance(value, list) else [(key, value)]
    assert list(read_items(pieces(raw, size))) == found


@pytest.mark.parametrize(
    ("raw", "why"),
    [
        (b'[{"a": 1}, {"b": ', "ends before its end"),
        (b'[{"a": 1}, {"b": "unfin', "ends before its end"),
        (b'[{"a": 1}', ", is missing"),
        (b'[{"a": 1}, {"b" 2}' + b" " * 99, "Expecting ':' delimiter"),
        (b'[{"a": 1}] x', "something stands behind its end"),
        (b'[{"a": 1}, ' + b"[" * 100_000, "can't be kept"),
    ],
)
def test_what_stands_before_a_break_comes_and_the_break_is_told(raw: bytes, why: str) -> None:
    found = read_items(pieces(raw))
    assert next(found) == ("", {"a": 1})
    with pytest.raises(MalformedError, match=why):
        next(found)


@pytest.mark.parametrize("raw", [b"", b"text", b'"text"', b"1"])
def test_what_is_neither_a_list_nor_an_object_is_refused(raw: bytes) -> None:
    with pytest.raises(MalformedError, match="neither a list nor an object"):
        list(read_items(pieces(raw)))
