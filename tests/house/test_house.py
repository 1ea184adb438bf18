"""The source tree keeps its rules: nothing breaks them but what the frozen lists name."""

from __future__ import annotations

import functools
from collections import Counter

import pytest

from house import frozen, rules
from house.reading import read_modules

find_places = functools.cache(frozen.find_places)
RULES = ("crowds", "crumbs", "misnamed", "docstrings", "branchy", "vague")


@pytest.mark.parametrize("rule", RULES)
def test_nothing_new_breaks_a_rule(rule: str) -> None:
    assert find_places()[rule] - frozen.read_frozen(rule) == Counter()


@pytest.mark.parametrize("rule", RULES)
def test_a_frozen_list_names_nothing_that_is_mended(rule: str) -> None:
    mended = frozen.read_frozen(rule) - find_places()[rule]
    assert mended == Counter(), "run `python tests/house/frozen.py`, which drops it"


def test_language_knows_nothing_of_memory() -> None:
    assert list(rules.find_below_language(read_modules())) == []


def test_a_class_name_stands_once() -> None:
    assert list(rules.find_namesakes(read_modules())) == []


def test_every_module_and_member_that_a_string_names_exists() -> None:
    assert list(rules.find_unresolved(read_modules())) == []
