"""What says the same is found by its words, or by its meaning where there is a model for that."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import pytest

from engrain.model.experience.likeness import find_alike
from engrain.model.experience.patterns import AntiPattern, Pattern

ONE = Pattern(
    "one",
    "Express route handlers require explicit return types",
    conditions=("Using strict mode",),
    correct_approach="Annotate the handler with its return type",
    incorrect_approach="Omit the annotation",
    confidence=0.9,
)


def alike(*patterns: Pattern | AntiPattern, by: float | None = None) -> list[tuple[str, str]]:
    """The pairs that are found, by words or by a meaning that gives all of them so much."""

    def compare(_: Sequence[str]) -> Callable[[int, int], float]:
        return lambda _one, _other: by or 0.0

    found = {one.id: one for one in patterns}
    rank = sorted(found, key=lambda id_: -(found[id_].confidence or 0.0)).index
    return list(find_alike(found, rank, None if by is None else compare))


def test_the_same_words_say_the_same() -> None:
    assert alike(ONE, ONE.replace(id="two", confidence=0.5)) == [("one", "two")]


def test_the_first_in_rank_is_kept_of_many() -> None:
    several = [ONE.replace(id=f"p{n}", confidence=n / 10) for n in range(4)]
    assert alike(*several) == [("p3", "p2"), ("p3", "p1"), ("p3", "p0")]


def test_other_words_say_the_same_where_their_meaning_does() -> None:
    other = ONE.replace(
        id="two", confidence=0.1, correct_approach="Annotate each handler with a return type"
    )
    assert alike(ONE, other, by=0.95) == [("one", "two")]
    assert alike(ONE, other, by=0.85) == []


@pytest.mark.parametrize(
    "approach",
    [
        "Never annotate the handler with its return type",
        "Annotate the handler with its return type from version 3",
        "Don't annotate the handler with its return type",
    ],
)
def test_a_number_or_a_negation_more_says_another_thing(approach: str) -> None:
    other = ONE.replace(id="two", correct_approach=approach)
    assert alike(ONE, other, by=1.0) == []


def test_one_that_does_what_the_other_avoids_says_another_thing() -> None:
    turned = ONE.replace(
        id="two", correct_approach=ONE.incorrect_approach, incorrect_approach=ONE.correct_approach
    )
    assert alike(ONE, turned, by=1.0) == []


@pytest.mark.parametrize(
    ("one", "other"), [("-q", "-x"), ("--fix", "--diff"), ("drive D", "drive E")]
)
def test_patterns_with_another_flag_or_letter_say_another_thing(one: str, other: str) -> None:
    first, second = (
        ONE.replace(id=said, correct_approach=f"{ONE.correct_approach} with {said}")
        for said in (one, other)
    )
    assert alike(first, second, by=1.0) == []


def test_anti_patterns_are_compared_by_what_they_say() -> None:
    first = AntiPattern("a", "ENOSPC on build", why="disk full", prevention="Clean the cache")
    second = AntiPattern("b", "ENOSPC on build", why="disk full", prevention="Clean the cache")
    third = AntiPattern("c", "Tests hang", why="port in use", prevention="Free the port")
    assert alike(first, second, third) == [("a", "b")]


def test_nothing_says_nothing() -> None:
    assert alike() == []
    assert alike(Pattern("a", ""), Pattern("b", "")) == []
