"""What a hook does whose time is over: whole parts that are ready, and a reason in the log."""

from __future__ import annotations

import fcntl
import json
import os
import subprocess
import sys
import time

import pytest

from support.hosts import make_payload, read_answer
from unit.adapters.hooks.blocks import read_entries
from unit.adapters.hooks.running import LIMIT, PATIENT, Desk

QUESTION = "how does the nightly billing job lock in postgres?"
BUDGET = 2.0

# The real program on a disk that is slow to open files of one name.
SLOW = """
import sys, time
name = sys.argv.pop(1)
def wait(event, arguments):
    if event == "open" and name in str(arguments[0]):
        time.sleep(60)
sys.addaudithook(wait)
"""


@pytest.fixture
def desk(filled: Desk) -> Desk:
    filled.put("_always-load/style.md", "# Style\nNo emoji in commit messages.\n")
    filled.put("MEMORY.md", "# Memory\nThe operator answers in the mornings.\n")
    filled.put("projects/billing/progress.md", "# Progress\nThe ledger is half done.\n")
    return filled


def run_slowly(desk: Desk, event: str, name: str, session: str = "s-1") -> str:
    """The context that a hook brings for which files of a name don't open."""
    more = {"prompt": QUESTION} if event == "prompt" else {}
    payload = make_payload("gemini", event, session, str(desk.here), **more)
    argv = ["hook", event, "--host", "gemini", "--project", "billing"]
    started = time.monotonic()
    done = subprocess.run(
        [sys.executable, "-c", SLOW + PATIENT, name, str(BUDGET), *argv],
        input=json.dumps(payload).encode(),
        capture_output=True,
        check=True,
        cwd=desk.here,
        env=desk.environ,
        timeout=LIMIT,
    )
    assert time.monotonic() - started < LIMIT / 3
    assert done.stderr == b""
    return read_answer("gemini", event, done.stdout).context


def test_a_start_gives_the_parts_that_are_ready(desk: Desk) -> None:
    context = run_slowly(desk, "session-start", "progress.md")
    assert "No emoji in commit messages." in context
    assert "indentation is by tabs" in context
    assert "The ledger" not in context
    assert desk.losses() == ["out of time"]


def test_what_a_start_gave_in_the_end_is_not_repeated(desk: Desk) -> None:
    """What was printed is in the session's context, however little time there was."""
    context = run_slowly(desk, "session-start", "progress.md")
    given = [event["ids"] for event in desk.journal("s-1") if event["event"] == "given"]
    entries = [entry.title for entry in read_entries(context)]
    (ids,) = given
    assert isinstance(ids, list)
    with desk.memory() as memory:
        noted = [memory.show(id_).entry.title for id_ in ids]
    assert (len(entries), noted) == (2, entries)


def test_a_prompt_gives_nothing_rather_than_half_of_it(desk: Desk) -> None:
    assert run_slowly(desk, "prompt", "nightly-billing-lock.md") == ""
    assert desk.losses() == ["out of time"]


def test_what_a_prompt_did_not_give_for_want_of_time_comes_with_the_next(desk: Desk) -> None:
    assert run_slowly(desk, "prompt", "nightly-billing-lock.md") == ""
    assert "Nightly billing lock" in desk.ask(QUESTION).context


@pytest.mark.parametrize("event", ["stop", "pre-compact", "session-end"])
def test_a_mark_that_cannot_be_written_in_time_holds_nobody_up(event: str, desk: Desk) -> None:
    assert run_slowly(desk, event, "s-1.jsonl") == ""
    assert desk.losses() == ["out of time"]


def test_a_journal_that_another_process_keeps_locked_costs_no_context(desk: Desk) -> None:
    """As one does that was suspended while it noted something."""
    assert desk.start("before").context
    folder = os.open(desk.sessions, os.O_RDONLY)
    try:
        fcntl.flock(folder, fcntl.LOCK_EX)
        for event in ("session-start", "prompt"):
            more = {"prompt": QUESTION} if event == "prompt" else {}
            payload = make_payload("gemini", event, f"at-{event}", str(desk.here), **more)
            answer = desk.tell(event, payload, host="gemini", budget=BUDGET)
            assert "Nightly billing lock" in answer.context, event
    finally:
        os.close(folder)
