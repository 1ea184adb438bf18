"""The runner of the experiments behind the promises."""

from __future__ import annotations

from pathlib import Path

import pytest

from prove import PARTS, ROOT, Part, find_command

NAMES = {part.name: part for part in PARTS}
NAMED = [word for part in PARTS for word in part.words if word.endswith(".py")]


@pytest.mark.parametrize("name", NAMED)
def test_every_file_of_an_experiment_is_there(name: str) -> None:
    assert (ROOT / name).is_file()


@pytest.mark.parametrize("part", PARTS, ids=lambda part: part.name)
def test_the_page_says_what_each_experiment_shows(part: Part) -> None:
    page = Path(ROOT / "docs" / "testing.md").read_text(encoding="utf-8")
    assert f"`{part.name}`" in page or f"`{part.name.split('-')[0]}-*`" in page


def test_a_quick_run_leaves_out_what_takes_long_and_a_whole_one_tries_more() -> None:
    quick, whole = find_command(NAMES["kills"], True), find_command(NAMES["kills"], False)
    assert quick[-2:] == ["-m", "not long"]
    assert whole == [*quick[:-2], "--hypothesis-profile=thorough"]
    assert {*NAMES["kills"].words} <= {*quick}


def test_the_soak_is_never_left_out_as_long() -> None:
    assert find_command(NAMES["soak"], True) == find_command(NAMES["soak"], False)


def test_a_program_gets_less_time_or_fewer_bugs_in_a_quick_run() -> None:
    assert find_command(NAMES["fuzz-note"], True)[1:] == ["tests/faults/fuzz.py", "note", "10"]
    assert find_command(NAMES["fuzz-note"], False)[-1] == "600"
    assert find_command(NAMES["planted"], True)[1:] == ["tests/planted.py", "--every", "6"]
    assert find_command(NAMES["planted"], False)[1:] == ["tests/planted.py"]
