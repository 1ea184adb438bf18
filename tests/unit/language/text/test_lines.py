"""Text of others on one line."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from engrain.language.text.fences import code_span, quote_links, shorten
from engrain.model.links.link import parse_links


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


@pytest.mark.parametrize(
    ("text", "short"),
    [
        ("a  b\nc", "a b c"),
        ("one two three", "one two …"),
        ("abcdefgh ijkl", "abcdefgh …"),
        ("abcdefghijkl", "abcdefgh …"),
        ("星期五早上八点烧制陶窑", "星期五早上八点烧 …"),
        ("on 星期五早上八点烧制陶窑", "on 星期五早上 …"),
        ("kiln 星期五 早上八点", "kiln 星期五 …"),
        ("窯はkanajirushiです", "窯は …"),
        ("abcdefge\u0301ghijkl", "abcdefg …"),
    ],
)
def test_what_is_cut_ends_at_a_word_and_is_no_longer_than_it_may_be(text: str, short: str) -> None:
    assert shorten(text, 10) == short


@pytest.mark.parametrize(
    ("text", "quoted"),
    [
        ("rebase before you push", "rebase before you push"),
        ("Add `list[int]` to it", "Add `list[int]` to it"),
        ("see [[index]]", "`see [[index]]`"),
        ("![](http://evil/x.png)", "`![](http://evil/x.png)`"),
        ("a `b` <img src=x>", "``a `b` <img src=x>``"),
        ("``cut [[index]] …", "``` ``cut [[index]] … ```"),
        ("seen %%hidden", "`seen %%hidden`"),
    ],
)
def test_a_link_outside_of_code_makes_all_of_it_code(text: str, quoted: str) -> None:
    assert quote_links(text) == quoted
