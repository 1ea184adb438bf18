"""A session's start that ran out of time comes with the next prompt, once."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

import engrain_hook
from engrain.adapters.hooks.losses import note_missed, read_missed
from unit.adapters.hooks.blocks import titles
from unit.adapters.hooks.running import ENTRIES, Desk, listening
from unit.adapters.hooks.test_deadline import QUESTION, run_slowly

STYLE, LOCK = "Style", "Nightly billing lock"


@pytest.fixture
def desk(filled: Desk) -> Desk:
    filled.put("_always-load/style.md", "# Style\nNo emoji in commit messages.\n")
    filled.put("MEMORY.md", "# Memory\nThe operator answers in the mornings.\n")
    return filled


def missed(desk: Desk) -> list[str]:
    folder = desk.state / "missed-starts"
    return os.listdir(folder) if folder.exists() else []


@pytest.mark.parametrize(
    ("slow", "served"), [("style.md", False), ("style.md", True), ("current", False)]
)
def test_what_a_start_missed_comes_with_the_next_prompt(
    desk: Desk, endpoint: str, slow: str, served: bool
) -> None:
    before = run_slowly(desk, "session-start", slow)
    assert STYLE not in titles(before)
    assert missed(desk) == ["s-1"]
    if served:
        with listening(desk, endpoint):
            context = desk.ask(QUESTION).context
    else:
        context = desk.ask(QUESTION).context
    assert {STYLE, "Memory", *ENTRIES} == {*titles(before), *titles(context)}
    assert titles(context)[0] == LOCK
    assert missed(desk) == []
    assert not (desk.state / "missed-starts").exists()
    assert desk.losses() == ["out of time"]
    assert desk.ask(QUESTION).context == ""


def test_parts_that_were_given_in_time_are_not_repeated(desk: Desk) -> None:
    before = run_slowly(desk, "session-start", "nightly-billing-lock.md")
    assert titles(before) == [STYLE, "Tabs in the parser", "Memory"]
    context = desk.ask("thanks!").context
    assert sorted(titles(context)) == sorted({*ENTRIES} - {*titles(before)})
    given = [event for event in desk.journal("s-1") if event["event"] in ("given", "recalled")]
    assert [event["event"] for event in given] == ["given", "given"]


def test_a_prompt_that_runs_out_of_time_leaves_it_to_the_one_behind(desk: Desk) -> None:
    run_slowly(desk, "session-start", "style.md")
    assert titles(run_slowly(desk, "prompt", "style.md")) == [LOCK]
    assert missed(desk) == ["s-1"]
    assert titles(desk.ask("thanks!").context)[0] == STYLE
    assert missed(desk) == []


def test_another_session_is_not_concerned(desk: Desk) -> None:
    run_slowly(desk, "session-start", "style.md")
    assert titles(desk.ask(QUESTION, "s-2").context) == [LOCK]
    assert missed(desk) == ["s-1"]


def test_what_comes_late_is_no_recall(desk: Desk) -> None:
    """Nobody asked for it, so it strengthens nothing."""
    run_slowly(desk, "session-start", "style.md")
    desk.ask(QUESTION)
    (recalled,) = (event for event in desk.journal("s-1") if event["event"] == "recalled")
    assert len(recalled["ids"]) == 1  # type: ignore[arg-type]


def test_a_start_after_compaction_counts_as_one(desk: Desk) -> None:
    """What the session was given before is no longer in its context."""
    assert STYLE in titles(desk.start("s-1").context)
    folder = str(desk.state / "missed-starts")
    note_missed(folder, "s-1", "compact", time.time())
    assert STYLE in titles(desk.ask(QUESTION).context)


def test_a_whole_start_settles_an_earlier_one(desk: Desk) -> None:
    run_slowly(desk, "session-start", "style.md")
    desk.start("s-1")
    assert missed(desk) == []


def test_the_context_keeps_its_bound(desk: Desk) -> None:
    for number in range(30):
        desk.put(f"_always-load/n{number}.md", f"# Note {number}\n{f'word{number} ' * 60}\n")
    run_slowly(desk, "session-start", "n0.md")
    assert len(desk.ask(QUESTION).context) <= 9500


def test_old_marks_go(tmp_path: Path) -> None:
    folder = str(tmp_path / "missed")
    note_missed(folder, "old", "startup", time.time())
    note_missed(folder, "new", "resume", time.time() + 2 * 86_400)
    assert read_missed(folder, "old") is None
    assert read_missed(folder, "new") == "resume"


@pytest.mark.parametrize(
    ("average", "event", "stretch"),
    [
        (2.0, "prompt", 1.0),
        (2.1, "prompt", 2.0),
        (64.0, "session-start", 2.0),
        (64.0, "session-end", 1.0),
    ],
)
def test_a_budget_doubles_where_more_processes_than_cores_want_to_run(
    monkeypatch: pytest.MonkeyPatch, average: float, event: str, stretch: float
) -> None:
    monkeypatch.setattr(os, "getloadavg", lambda: (average, 0.0, 0.0))
    monkeypatch.setattr(os, "cpu_count", lambda: 2)
    assert engrain_hook.measure_stretch(event) == stretch


def test_a_prompt_that_was_missed_is_answered_with_the_next(desk: Desk) -> None:
    flags = ("--project", "billing")
    assert run_slowly(desk, "prompt", "nightly-billing-lock.md") == ""
    assert desk.journal("s-1")[-1]["unanswered"] is True
    assert titles(desk.ask("thanks!", "s-1", *flags).context) == [LOCK]
    assert desk.ask("thanks!", "s-1", *flags).context == ""
    assert "unanswered" not in desk.journal("s-1")[-1]
