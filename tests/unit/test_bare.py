"""`tasks.py bare` runs every test that a neighbour folder or a full HOME could help to pass."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import tasks

UNIT = Path(__file__).parent
SURROUNDINGS = re.compile(r"^(from|import) (bench|support\.real_data)\b", re.MULTILINE)


def test_every_unit_test_of_the_bench_or_of_data_runs_without_neighbours() -> None:
    run = set(tasks.list_bare(UNIT))
    touching = [path for path in UNIT.rglob("*.py") if SURROUNDINGS.search(path.read_text())]
    assert len(touching) > 10
    left_out = [path for path in touching if path not in run]
    assert left_out == []


def test_what_may_be_left_out_after_it_reads_no_data() -> None:
    run = set(tasks.list_bare(UNIT))
    left_out = {Path(option.removeprefix("--ignore=")) for option in tasks.leave_out_bare()}
    assert len(left_out) > 10
    assert left_out <= run
    data = re.compile(r"^from support\.real_data", re.MULTILINE)
    assert [path for path in left_out if data.search(path.read_text())] == []


@pytest.mark.parametrize("name", ["slow", "long"])
def test_the_lists_of_slow_tests_name_what_there_is(name: str) -> None:
    places = (UNIT.parent / f"{name}.txt").read_text().split()
    assert [
        place for place in places if not (UNIT.parent / place.partition("::")[0]).exists()
    ] == []
