"""What a fact is worth to a query, by what it says and by its age."""

from __future__ import annotations

import pytest

from engrain.engine.recall.priors import decay


def test_a_week_leaves_what_the_formula_says() -> None:
    assert decay(7, 30) == pytest.approx(0.851, abs=0.001)
    assert decay(30, 30) == pytest.approx(0.5)
