"""No regular expression takes more than linear time, whatever text it meets."""

from __future__ import annotations

import re

import pytest

from support.attacks import Pattern, is_linear, list_patterns, measure_growth

KNOWN_BAD = {
    "a link's label": r"!?\[\[(?:[^\]|\n]*\|)?([^\]|\n]*)\]\]|!?\[([^\]\n]*)\]\([^)\n]*\)",
    "blanks before a mark": r"\s*(?:[,;&]|\band\b)\s*",
    "two repetitions of the same": r"\s*\n(.*)\n```",
    "a comment that never ends": r"<!--.*?-->",
    "words before a mark": r"\S+@\S+\.\w+",
}
KNOWN_GOOD = {
    "without what begins it": r"\[\[([^\[\]]*+)\]\]",
    "with a bound": r"\s{0,20},",
    "at the beginning": r"\A\s*,",
}


@pytest.fixture(scope="module")
def patterns() -> list[Pattern]:
    return list_patterns()


@pytest.mark.parametrize("what", KNOWN_BAD)
def test_a_pattern_that_is_not_linear_is_found(what: str) -> None:
    growth, _ = measure_growth(Pattern(KNOWN_BAD[what], re.DOTALL, "planted", 1, "finditer"))
    assert not is_linear(growth)


@pytest.mark.parametrize("what", KNOWN_GOOD)
def test_one_that_is_linear_is_not(what: str) -> None:
    growth, text = measure_growth(Pattern(KNOWN_GOOD[what], 0, "planted", 1, "finditer"))
    assert is_linear(growth), text


def test_the_patterns_of_the_package_are_seen(patterns: list[Pattern]) -> None:
    assert len(patterns) > 600
    methods = {pattern.method for pattern in patterns}
    assert methods == {"match", "fullmatch", "finditer"}


@pytest.mark.parametrize("part", range(8))
def test_every_pattern_of_the_package_takes_linear_time(part: int, patterns: list[Pattern]) -> None:
    found = []
    for pattern in patterns[part::8]:
        growth, text = measure_growth(pattern)
        if not is_linear(growth):
            found.append((pattern.module, pattern.line, text, pattern.text[:80]))
    assert found == []
