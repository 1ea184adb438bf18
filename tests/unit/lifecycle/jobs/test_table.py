"""Functions that a table names are there: a name that leads nowhere fails here and not at night."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import engrain
from engrain.lifecycle.dreaming.stages import STAGES
from engrain.lifecycle.jobs.table import JOBS, Deferred

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
    assert len(places()) >= len(named) + 12  # those of the table of actions


def test_a_name_that_leads_nowhere_is_found() -> None:
    with pytest.raises(AttributeError):
        Deferred("engrain.lifecycle.ageing.heat:runn").load()
