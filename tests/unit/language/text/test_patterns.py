"""Patterns are compiled late, and texts that can't have them are passed over without."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from types import SimpleNamespace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain.language.secrets.rules import RULES
from engrain.language.text import blocks, link_tokens, patterns
from engrain.language.text.patterns import (
    DOTALL,
    IGNORECASE,
    MULTILINE,
    VERBOSE,
    compile_known,
    late,
)
from engrain.model.note import detection

FEW = settings(max_examples=30)


def test_a_pattern_is_compiled_when_it_is_first_used() -> None:
    broken = late("(")
    with pytest.raises(re.error):
        broken.match("(")
    found = late(r"(\w)-", re.IGNORECASE).match("A-")
    assert found is not None and found[1] == "A"


def test_the_flags_are_those_of_re() -> None:
    ours = IGNORECASE, MULTILINE, DOTALL, VERBOSE
    assert ours == (re.IGNORECASE, re.MULTILINE, re.DOTALL, re.VERBOSE)


def test_each_known_pattern_comes_back_as_re_compiles_it(monkeypatch: pytest.MonkeyPatch) -> None:
    late(r"(?P<first>a)|(?i:b)(c)", MULTILINE)
    late("(")
    made = compile_known()
    assert {(rule.compiled.pattern, 0) for rule in RULES} < set(made)
    assert ("(", 0) not in made
    finder = SimpleNamespace(find_pattern=lambda *given: made.get(given))
    monkeypatch.setattr(sys, "meta_path", [finder])
    for pattern, flags in made:
        found, expected = patterns._compile(pattern, flags), re.compile(pattern, flags)
        assert (found, found.groupindex) == (expected, expected.groupindex)


def test_every_process_has_the_same_patterns_since_they_are_found_by_their_text() -> None:
    code = (
        "from engrain.language.secrets.rules import RULES; import engrain.engine.verbs.save;"
        "from engrain.language.text.patterns import compile_known; print(sorted(compile_known()))"
    )
    listed = [
        subprocess.check_output(
            [sys.executable, "-c", code], env={**os.environ, "PYTHONHASHSEED": seed}
        )
        for seed in ("1", "2")
    ]
    assert listed[0] == listed[1]


@pytest.mark.parametrize("row", range(len(detection._TEXT_RULES)))
@given(data=st.data())
@FEW
def test_a_text_that_looks_like_a_kind_has_one_of_its_words(row: int, data: st.DataObject) -> None:
    _, words, rule, _, _ = detection._TEXT_RULES[row]
    # The steps of a list are beyond what texts are made by.
    text = data.draw(st.from_regex(rule.pattern.removesuffix(detection._STEPS)))
    assert detection._has_any(words, text.lower())


@pytest.mark.parametrize("row", range(len(detection._STEM_RULES)))
@given(data=st.data())
@FEW
def test_a_name_that_means_a_kind_begins_as_its_rule_says(row: int, data: st.DataObject) -> None:
    _, begins, rule = detection._STEM_RULES[row]
    if rule.pattern:
        assert data.draw(st.from_regex(rf"\A(?:{rule.pattern})")).startswith(begins)


@given(st.text(alphabet="ab -=*+.\n\t\r>_1)\\\"'(]!#|`~[%<", max_size=60))
@FEW
def test_a_text_without_marks_has_no_blocks_and_no_links(text: str) -> None:
    if not any(mark in text for mark in blocks._MARKS):
        assert blocks._MARK.search(text) is None
    if not any(mark in text for mark in link_tokens._MARKS):
        assert all(found[0][0] == "\\" for found in link_tokens._TOKEN.finditer(text))
