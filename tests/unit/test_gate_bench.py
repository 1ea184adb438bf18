"""Ranking and silence are what is on record; after a change that is meant, `tasks.py record`."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest
from bench import gate
from bench.gate import Table

from support.real_data import DATA

_HOW = "after a change that is meant: python3 tasks.py record"

needs_data = pytest.mark.skipif(
    not all((DATA / path).exists() for path in gate.NEEDED),
    reason="the development sets are not here (ENGRAIN_DATA)",
)


def test_the_sample_s_questions_get_what_is_on_record(tmp_path: Path) -> None:
    expected = json.loads(gate.RANKINGS.read_text(encoding="utf-8"))
    assert gate.ask_sample(tmp_path) == expected, _HOW


@needs_data
@pytest.mark.parametrize(
    ("part", "measure"),
    [("cut", gate.measure_cut), pytest.param("whole", gate.measure_whole, marks=pytest.mark.long)],
)
def test_the_development_sets_get_what_is_on_record(
    tmp_path: Path, part: str, measure: Callable[[Path], Table]
) -> None:
    recorded = json.loads(gate.TABLE.read_text(encoding="utf-8"))
    if part not in recorded:
        pytest.skip(f"the {part} sets are not on record: python3 tasks.py record {part}")
    assert measure(tmp_path) == recorded[part], _HOW


def test_the_document_shows_the_table_that_is_on_record() -> None:
    recorded = json.loads(gate.TABLE.read_text(encoding="utf-8"))
    if "whole" not in recorded:
        pytest.skip("the whole sets are not on record: python3 tasks.py record whole")
    assert gate.render(recorded["whole"]) in gate.DOCUMENT.read_text(encoding="utf-8")
