"""Code spans: text that is no markup and no link."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.model.code_spans import code_span
from engrain.model.links import parse_links


@pytest.mark.parametrize(
    ("text", "span"),
    [
        ("a b", "`a b`"),
        ("a\n  b", "`a b`"),
        ("a `b` c", "``a `b` c``"),
        ("`a", "`` `a ``"),
        ("``", "``` `` ```"),
    ],
)
def test_a_span_is_longer_than_any_backticks_in_it(text: str, span: str) -> None:
    assert code_span(text) == span


@given(st.text(st.sampled_from("[]`a \n:"), min_size=1))
def test_nothing_in_a_span_is_a_link(text: str) -> None:
    assert list(parse_links(code_span(f"x{text}[[target]]"))) == []
