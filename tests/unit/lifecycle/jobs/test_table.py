"""Functions that a table names are there: a name that leads nowhere fails here and not at night."""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import partial
from pathlib import Path

import pytest

import engrain
from engrain.lifecycle.dreaming.run import STAGES
from engrain.lifecycle.jobs.table import JOBS, Deferred, JobStep, Run, do_steps
from engrain.model.errors import ConflictError, NotFoundError, StorageError

SOURCES = sorted(Path(next(iter(engrain.__path__))).rglob("*.py"))
PLACE = re.compile(r'f?"((?:engrain|\{_\w+\})(?:\.\w+)+:\w+)"')
SHORT = re.compile(r'^(_\w+) = "(engrain(?:\.\w+)*)"$', re.MULTILINE)


def places() -> list[str]:
    """Every `module:name` that a module of the package writes down."""
    found = []
    for source in SOURCES:
        text = source.read_text(encoding="utf-8")
        short = {f"{{{name}}}": whole for name, whole in SHORT.findall(text)}
        for place in PLACE.findall(text):
            start = place.partition(".")[0]
            found.append(place.replace(start, short.get(start, start), 1))
    return sorted(set(found))


@pytest.mark.parametrize("place", places())
def test_what_a_table_names_is_a_function(place: str) -> None:
    assert callable(Deferred(place).load())


def test_every_place_in_a_table_is_looked_at() -> None:
    named = {job.place for job in JOBS.values()} | {stage.place for stage in STAGES}
    assert named <= set(places())


def test_a_name_that_leads_nowhere_is_found() -> None:
    with pytest.raises(AttributeError):
        Deferred("engrain.lifecycle.ageing.heat:runn").load()


def fail(error: Exception) -> Callable[[], object]:
    def do() -> object:
        raise error

    return do


def test_each_step_is_done_counted_and_reported() -> None:
    done: dict[int, int] = {}
    steps = [JobStep("kept", f"id-{n}: why", partial(done.setdefault, n, n)) for n in range(2)]
    report = do_steps(
        Run(), [*steps, None, JobStep("moved", "id-9", lambda: None)], ("kept", "moved")
    )
    assert (list(done), report.counts) == ([0, 1], {"kept": 2, "moved": 0})
    assert report.lines == ("kept id-0: why", "kept id-1: why")
    assert not report.unfinished


@pytest.mark.parametrize("error", [ConflictError("changed"), NotFoundError("gone")])
def test_what_changed_meanwhile_is_left_for_the_next_run(error: Exception) -> None:
    report = do_steps(
        Run(), [JobStep("kept", "a", fail(error)), JobStep("kept", "b", str)], ("kept",)
    )
    assert (report.counts, report.lines) == ({"kept": 1}, ("kept b",))


def test_any_other_error_ends_the_job() -> None:
    with pytest.raises(StorageError):
        do_steps(Run(), [JobStep("kept", "a", fail(StorageError("full")))], ("kept",))


def test_a_dry_run_reports_and_does_nothing() -> None:
    step = JobStep("kept", "a", fail(AssertionError("it was done")))
    assert do_steps(Run(dry_run=True), [step], ("kept",)).lines == ("kept a",)


def test_it_ends_when_the_time_runs_out_even_between_entries_left_alone() -> None:
    looks = iter([False, False, True])
    run = Run(out_of_time=lambda: next(looks))
    report = do_steps(
        run, [JobStep("kept", "a", str), None, None, JobStep("kept", "b", str)], ("kept",)
    )
    assert (report.lines, report.unfinished) == (("kept a",), True)
