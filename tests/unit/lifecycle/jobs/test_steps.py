"""The loop that jobs share over their steps."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import pytest

from engrain.lifecycle.jobs.job import Run
from engrain.lifecycle.jobs.steps import Step, do_steps
from engrain.model.errors import ConflictError, NotFoundError, StorageError


def fail(error: Exception) -> Callable[[], object]:
    def do() -> object:
        raise error

    return do


def test_each_step_is_done_counted_and_reported() -> None:
    done: dict[int, int] = {}
    steps = [Step("kept", f"id-{n}: why", partial(done.setdefault, n, n)) for n in range(2)]
    report = do_steps(Run(), [*steps, None, Step("moved", "id-9", lambda: None)], ("kept", "moved"))
    assert (list(done), report.counts) == ([0, 1], {"kept": 2, "moved": 0})
    assert report.lines == ("kept id-0: why", "kept id-1: why")
    assert not report.unfinished


@pytest.mark.parametrize("error", [ConflictError("changed"), NotFoundError("gone")])
def test_what_changed_meanwhile_is_left_for_the_next_run(error: Exception) -> None:
    report = do_steps(Run(), [Step("kept", "a", fail(error)), Step("kept", "b", str)], ("kept",))
    assert (report.counts, report.lines) == ({"kept": 1}, ("kept b",))


def test_any_other_error_ends_the_job() -> None:
    with pytest.raises(StorageError):
        do_steps(Run(), [Step("kept", "a", fail(StorageError("full")))], ("kept",))


def test_a_dry_run_reports_and_does_nothing() -> None:
    step = Step("kept", "a", fail(AssertionError("it was done")))
    assert do_steps(Run(dry_run=True), [step], ("kept",)).lines == ("kept a",)


def test_it_ends_when_the_time_runs_out_even_between_entries_left_alone() -> None:
    looks = iter([False, False, True])
    run = Run(out_of_time=lambda: next(looks))
    report = do_steps(run, [Step("kept", "a", str), None, None, Step("kept", "b", str)], ("kept",))
    assert (report.lines, report.unfinished) == (("kept a",), True)
