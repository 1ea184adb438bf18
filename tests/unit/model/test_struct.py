"""The base of values on the hot path: the same whether few or many are made."""

from __future__ import annotations

from dataclasses import KW_ONLY

import pytest

from engrain.model.struct import Comparable, Struct

MANY = range(450)


class Point(Comparable):
    x: int
    y: int = 2
    _: KW_ONLY
    label: str
    shade: int = 5

    def __post_init__(self) -> None:
        self.label = self.label.strip()


class Wide(Point):
    width: int = 7


class Copied(Wide):
    note: str = "new"

    def __init__(self, other: Point) -> None:
        super().__init__(other.x, other.y, label=other.label)


def test_every_instance_has_the_given_values_and_the_defaults() -> None:
    for _ in MANY:
        point = Point(1, label=" a ")
        assert (point.x, point.y, point.label, point.shade) == (1, 2, "a", 5)
        assert Wide(1, 3, label="b").width == 7
        assert Copied(point).note == "new"


def test_a_value_that_is_missing_is_refused() -> None:
    class Pair(Struct):
        one: int
        other: int

    for _ in MANY:
        with pytest.raises(TypeError, match="other"):
            Pair(1)  # type: ignore[call-arg]
        assert Pair(1, 2).replace(one=3).one == 3


def test_comparable_values_are_equal_by_class_and_attributes() -> None:
    for _ in MANY:
        assert Point(1, label="a") == Point(1, label="a") != Point(2, label="a")
        assert Point(1, label="a") != Wide(1, label="a")
        assert len({Point(1, label="a"), Point(1, label="a")}) == 1
    assert repr(Point(1, label="a")) == "Point(x=1, y=2, label='a', shade=5)"
