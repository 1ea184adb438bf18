"""How long hooks took: each notes it in one line, and the console reads the lines."""

from __future__ import annotations

import time
from pathlib import Path

from engrain.adapters.hooks.main import BUDGETS, TIMES
from engrain.adapters.hooks.times import read_times
from support.hosts import make_payload
from unit.adapters.hooks.running import Desk, listening

QUESTION = "how does the nightly billing job lock in postgres?"


def test_a_hook_notes_how_long_it_took_and_who_answered(filled: Desk, endpoint: str) -> None:
    since = time.time() - 1
    filled.ask(QUESTION, "s-1")
    with listening(filled, endpoint):
        filled.ask(QUESTION, "s-2")
    filled.tell("stop", make_payload("claude-code", "stop", "s-1", str(filled.here)))
    prompt, stop = read_times(str(filled.state), since)
    assert (prompt.event, prompt.count, prompt.warm) == ("prompt", 2, 1)
    assert 0 < prompt.median <= prompt.p95
    assert prompt.budget == round(BUDGETS["prompt"] * 1000)
    assert (stop.event, stop.count, stop.warm) == ("stop", 1, 0)


def test_lines_that_are_old_or_none_of_ours_are_passed_over(tmp_path: Path) -> None:
    assert read_times(str(tmp_path), 0) == []
    lines = ["5 prompt gemini 10 1", "50 prompt gemini 20 0", "50 prompt gemini 40 0", "what?"]
    (tmp_path / TIMES).write_text("\n".join([*lines, "50 dance gemini 1 1", "50 prompt x y 0", ""]))
    (one,) = read_times(str(tmp_path), 10)
    assert (one.count, one.median, one.p95, one.warm) == (2, 40, 40, 0)
