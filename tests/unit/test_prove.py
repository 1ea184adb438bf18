"""The runner of the experiments behind the promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from prove import PARTS, ROOT, Part

NAMED = [word for part in PARTS for word in part.words if word.endswith(".py")]


@pytest.mark.parametrize("name", NAMED)
def test_every_file_of_an_experiment_is_there(name: str) -> None:
    assert (ROOT / name).is_file()


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_the_page_says_what_each_experiment_shows(part: Part) -> None:
    page = Path(ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    assert f"`{part.name}`" in page or f"`{part.name.split('-')[0]}-*`" in page
