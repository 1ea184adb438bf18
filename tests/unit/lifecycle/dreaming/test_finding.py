"""The stages of a dream, and the one that this device notes as not finished."""

from __future__ import annotations

import pytest

from engrain import Memory
from engrain.lifecycle.dreaming.run import STAGES
from unit.lifecycle.sessions.living import store_of


@pytest.mark.parametrize("note", [7, "x", [], {}, {"tried": "link"}])
def test_a_damaged_note_is_no_stage(memory: Memory, note: object) -> None:
    store_of(memory).device.local.write_note("dream", note)
    assert list(memory.jobs.dream().stages) == [stage.kind for stage in STAGES]


def test_stages_have_one_order_however_they_are_named(memory: Memory) -> None:
    dream = memory.jobs.dream(only=["link", "duplicate", "nothing"])
    assert list(dream.stages) == ["duplicate", "link"]
