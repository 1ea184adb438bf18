"""Texts that can't match a pattern are passed over without it."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain.language.text import blocks, link_tokens
from engrain.model.note import foreign

FEW = settings(max_examples=30)


@pytest.mark.parametrize("row", range(len(foreign._TEXT_RULES)))
@given(data=st.data())
@FEW
def test_a_text_that_looks_like_a_kind_has_one_of_its_words(row: int, data: st.DataObject) -> None:
    _, words, rule, _ = foreign._TEXT_RULES[row]
    # The steps of a list are beyond what texts are made by.
    text = data.draw(st.from_regex(rule.pattern.removesuffix(foreign._STEPS)))
    assert foreign._has_any(words, text.lower())


@pytest.mark.parametrize("row", range(len(foreign._STEM_RULES)))
@given(data=st.data())
@FEW
def test_a_name_that_means_a_kind_begins_as_its_rule_says(row: int, data: st.DataObject) -> None:
    _, begins, rule = foreign._STEM_RULES[row]
    if rule.pattern:
        assert data.draw(st.from_regex(rf"\A(?:{rule.pattern})")).startswith(begins)


@given(st.text(alphabet="ab -=*+.\n\t\r>_1)\\\"'(]!#|`~[%<", max_size=60))
@FEW
def test_a_text_without_marks_has_no_blocks_and_no_links(text: str) -> None:
    if not any(mark in text for mark in blocks._MARKS):
        assert blocks._MARK.search(text) is None
    if not any(mark in text for mark in link_tokens._MARKS):
        assert all(found[0][0] == "\\" for found in link_tokens._TOKEN.finditer(text))
