"""The job that learns when recall is to keep silent."""

from __future__ import annotations

import pytest

from engrain import Memory
from engrain.engine.recall.silence import calibration
from engrain.engine.recall.silence.calibration import read_calibration
from engrain.engine.recall.silence.own_questions import read_foreign
from engrain.lifecycle.jobs.job import Run
from engrain.lifecycle.upkeep.indexes import run_calibration as run
from unit.lifecycle.sessions.living import store_of


@pytest.fixture(autouse=True)
def filled(memory: Memory, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(calibration, "list_foreign", lambda: read_foreign()[:40])
    for number, what in enumerate(["boilers", "ledgers", "looms", "hedges", "rafters"] * 2):
        text = f"The warden counts {what} in shed {number} before the northern harvest."
        memory.save(text, title=f"Shed {number}", kind="fix")


def test_the_job_measures_once_and_says_what_it_came_to(memory: Memory) -> None:
    [done] = memory.jobs.run(["calibrate"])
    assert done.counts == {"calibrated": 1, "up to date": 0}
    assert done.lines[0].startswith("words alone: threshold 0.")
    [again] = memory.jobs.run(["calibrate"])
    assert again.counts == {"calibrated": 0, "up to date": 1}


def test_a_dry_run_tells_that_it_is_due(memory: Memory) -> None:
    assert run(store_of(memory), Run(dry_run=True)).counts == {"due": 1, "up to date": 0}
    assert read_calibration(store_of(memory).index, "") is None


def test_without_time_it_is_unfinished_and_due_again(memory: Memory) -> None:
    report = run(store_of(memory), Run(out_of_time=lambda: True))
    assert report.unfinished
    assert report.lines == ("words alone: put off, there was no time for it",)
    assert run(store_of(memory), Run()).counts["calibrated"] == 1
