"""What hooks note of a session on this device: the marks from which learning starts."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from engrain.adapters.hooks.answers import TIMES
from support.hosts import CASES, make_payload
from unit.adapters.hooks.running import Desk

QUESTION = "how does the nightly billing job lock in postgres?"
MARKS = ("stop", "pre-compact", "session-end")


def mark(desk: Desk, event: str, session: str = "s-1", **more: object) -> None:
    desk.tell(event, make_payload("claude-code", event, session, str(desk.here), **more))


def journals(desk: Desk) -> list[str]:
    """Where the journals lie, in their folder."""
    return sorted(str(path.relative_to(desk.sessions)) for path in desk.sessions.rglob("*.jsonl"))


def test_a_session_is_noted_from_start_to_end(filled: Desk) -> None:
    before = time.time()
    filled.start()
    mark(filled, "stop")
    mark(filled, "pre-compact")
    mark(filled, "stop")
    mark(filled, "session-end", reason="logout")
    events = filled.journal("s-1")
    names = [event.pop("event") for event in events]
    moments = [float(str(event.pop("at"))) for event in events]
    transcript = str(filled.here / "transcript.jsonl")
    assert names == ["start", "given", "stop", "pre-compact", "stop", "session-end", "folded"]
    assert before <= moments[0]
    assert moments == sorted(moments)
    assert moments[-1] <= time.time()
    said = {"host": "claude-code", "transcript": transcript}
    assert events[0].items() >= {**said, "source": "startup", "project": ""}.items()
    for event, source in zip(events[2:-1], ("", "auto", "", "logout"), strict=True):
        assert event.items() >= {**said, "source": source}.items()


def test_a_prompt_that_a_host_names_at_the_turns_end_is_no_further_prompt(filled: Desk) -> None:
    (filled.here / ".engrain.toml").write_text('project = "billing"\n')
    payload = make_payload("gemini", "stop", "s-1", str(filled.here), prompt=QUESTION)
    filled.tell("stop", payload, host="gemini")
    assert [event["event"] for event in filled.journal("s-1")] == ["stop"]


def test_only_the_end_of_a_session_closes_it(filled: Desk) -> None:
    filled.start()
    for event in ("stop", "pre-compact"):
        mark(filled, event)
        assert journals(filled) == ["s-1.jsonl"]
    mark(filled, "session-end")
    assert journals(filled) == ["settled/s-1.jsonl"]


def test_a_session_that_goes_on_after_its_end_is_opened_again(filled: Desk) -> None:
    filled.start()
    mark(filled, "session-end")
    filled.start(source="resume")
    assert journals(filled) == ["s-1.jsonl"]
    assert "session-end" in filled.events("s-1")


def test_the_project_of_a_session_is_noted(filled: Desk) -> None:
    filled.start("s-1", "--project", "billing")
    assert filled.journal("s-1")[0]["project"] == "billing"


def test_a_mark_needs_no_start(desk: Desk) -> None:
    for event in MARKS:
        mark(desk, event, event)
    for event in MARKS:
        assert desk.events(event)[0] == event
    assert journals(desk) == ["pre-compact.jsonl", "settled/session-end.jsonl", "stop.jsonl"]


class TestLeftSession:
    def leave(self, desk: Desk, session: str, hours: float) -> None:
        """Let so much time pass since the last event of a session."""
        path = desk.sessions / f"{session}.jsonl"
        then = time.time() - hours * 3600
        os.utime(path, (then, then))

    def test_is_marked_and_closed_by_the_next_start(self, filled: Desk) -> None:
        filled.start("left")
        self.leave(filled, "left", 12.5)
        filled.start("next")
        assert filled.events("left")[-1] == "left"
        assert journals(filled) == ["closed/left.jsonl", "next.jsonl"]
        filled.start("third")
        assert filled.events("left").count("left") == 1

    def test_is_none_that_was_idle_for_a_while(self, filled: Desk) -> None:
        filled.start("idle")
        self.leave(filled, "idle", 11.5)
        filled.start("next")
        assert "left" not in filled.events("idle")
        assert journals(filled) == ["idle.jsonl", "next.jsonl"]

    def test_is_swept_by_no_other_event(self, filled: Desk) -> None:
        filled.start("left")
        self.leave(filled, "left", 100)
        filled.ask(QUESTION, "next")
        mark(filled, "stop", "next")
        assert "left" not in filled.events("left")

    def test_is_not_the_one_that_starts_again(self, filled: Desk) -> None:
        filled.ask(QUESTION)
        self.leave(filled, "s-1", 100)
        filled.start(source="resume")
        assert journals(filled) == ["s-1.jsonl"]
        assert filled.ask(QUESTION).context == ""

    def test_may_have_an_id_that_is_no_file_name(self, filled: Desk) -> None:
        filled.start("Of/odd name")
        (name,) = journals(filled)
        self.leave(filled, name.removesuffix(".jsonl"), 13)
        filled.start("next")
        assert journals(filled) == [f"closed/{name}", "next.jsonl"]


HOSTILE = [
    "../../x",
    "..",
    ".",
    "/etc/passwd",
    "a/b",
    "a\\b",
    "CON",
    "s" * 5000,
    "nul\0byte",
    "line\nend",
    "\ud800",
    "日本語" * 100,
    "-rf",
    ".hidden",
    "closed",
]


@pytest.mark.parametrize("session", HOSTILE, ids=range(len(HOSTILE)))
def test_whatever_a_sessions_id_is_its_journal_stays_in_its_folder(
    session: str, filled: Desk
) -> None:
    def files() -> set[Path]:
        found = (path for path in filled.folder.rglob("*") if path.is_file())
        others = ("index", filled.sessions.parent.name)  # the index, and this device's state
        found = (path for path in found if path.name != TIMES)
        return {path for path in found if path.parent.name not in others}

    before = files()
    filled.start(session)
    (made,) = files() - before
    assert made.parent == filled.sessions
    mark(filled, "session-end", session)
    (made,) = files() - before
    assert made.parent == filled.sessions / "settled"
    assert filled.ask(QUESTION, session).context == "", "it is the same session"
    assert filled.losses() == []


def test_ids_that_are_alike_are_different_sessions(filled: Desk) -> None:
    ids = ["a/b", "a\\b", "A_B", "a_b", "s" * 100, "s" * 101]
    for session in ids:
        assert filled.start(session).context
    assert len(journals(filled)) == len(ids)


@pytest.mark.parametrize("payload", [{}, {"session_id": ""}, {"session_id": 7}])
def test_of_a_session_without_an_id_nothing_is_noted(
    payload: dict[str, object], filled: Desk
) -> None:
    for event in ("session-start", "prompt", *MARKS):
        filled.tell(event, {**payload, "prompt": QUESTION})
    assert not filled.sessions.exists()
    assert filled.losses() == []


def test_a_prompt_of_a_session_without_an_id_is_answered(filled: Desk) -> None:
    payload = {"prompt": QUESTION}
    assert "Nightly billing lock" in filled.tell("prompt", payload).context


@pytest.mark.parametrize(
    ("host", "event"), [case for case in CASES if case[0] == "claude-code" or case[1] == "prompt"]
)
def test_of_a_session_that_only_tries_the_hooks_nothing_is_noted(
    host: str, event: str, filled: Desk
) -> None:
    payload = make_payload(host, event, "doctor-1f", str(filled.here))
    if event == "prompt":
        payload["prompt"] = QUESTION
    answers = [filled.tell(event, payload, host=host).context for _ in range(2)]
    assert ("Nightly billing lock" in answers[1]) == (event in ("session-start", "prompt"))
    assert not filled.sessions.exists()


def test_a_journal_is_for_its_owners_eyes_only(filled: Desk) -> None:
    filled.start()
    assert (filled.sessions / "s-1.jsonl").stat().st_mode & 0o077 == 0


def test_what_cannot_be_read_of_a_journal_is_passed_over(filled: Desk) -> None:
    filled.ask(QUESTION)
    with open(filled.sessions / "s-1.jsonl", "ab") as journal:
        journal.write(b'garbage\n[]\n{"event": 1}\n\xff\xfe\n{"at": "x"}\n' + b"[" * 9000 + b"\n")
    assert filled.ask(QUESTION).context == ""
    mark(filled, "stop")
    assert filled.losses() == []
