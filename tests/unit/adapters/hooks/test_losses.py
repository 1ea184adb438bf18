"""The logs of hooks: failures without secrets (RELIABILITY 4), and the time each hook took."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from engrain.adapters.hooks import losses
from engrain.adapters.hooks.answers import BUDGETS, TIMES
from engrain.adapters.hooks.losses import (
    Loss,
    describe_cold,
    log_path,
    note_loss,
    read_losses,
    read_times,
)
from engrain.language.secrets.finding import redact
from support.hosts import make_payload
from support.rotating import rotate_before_opening
from unit.adapters.hooks.running import Desk, listening

QUESTION = "how does the nightly billing job lock in postgres?"
SECRET = "ghp_" + "aB3dE6gH9" * 4


def test_a_reason_is_logged_without_its_secrets(tmp_path: Path) -> None:
    note_loss(
        str(tmp_path), Loss(1.0, "prompt", "claude-code", 5, f"no answer for {SECRET}"), redact
    )
    assert SECRET not in Path(log_path(str(tmp_path))).read_text()
    (loss,) = read_losses(str(tmp_path), 0.0)
    assert loss.reason == "no answer for [redacted: github-token]"


def test_a_secret_is_not_saved_by_being_cut_in_two(tmp_path: Path) -> None:
    reason = "x" * 280 + " " + SECRET + " " + "y " * 10_000
    note_loss(str(tmp_path), Loss(1.0, "prompt", "claude-code", 5, reason), redact)
    assert SECRET[:12] not in Path(log_path(str(tmp_path))).read_text()


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
    told = describe_cold([prompt, stop])
    assert told == "cold in the last 7 days: 1 of 2 prompt, 1 of 1 stop"
    assert told in filled.run("status").out


def test_lines_that_are_old_or_none_of_ours_are_passed_over(tmp_path: Path) -> None:
    assert read_times(str(tmp_path), 0) == []
    lines = ["5 prompt gemini 10 1", "50 prompt gemini 20 0", "50 prompt gemini 40 0", "what?"]
    (tmp_path / TIMES).write_text("\n".join([*lines, "50 dance gemini 1 1", "50 prompt x y 0", ""]))
    (one,) = read_times(str(tmp_path), 10)
    assert (one.count, one.median, one.p95, one.warm) == (2, 40, 40, 0)


@pytest.mark.parametrize("number", [0, 1])
def test_a_rotation_while_the_log_is_read_loses_and_repeats_nothing(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int
) -> None:
    log = Path(log_path(str(tmp_path)))
    note_loss(str(tmp_path), Loss(1.0, "prompt", "claude-code", 5, "no answer"), redact)
    rotate_before_opening(monkeypatch, losses, number, lambda: os.replace(log, f"{log}.1"))
    assert len(read_losses(str(tmp_path), 0.0)) == 1
