"""Whole sessions, from start to start, as every host tells them."""

from __future__ import annotations

import pytest

from support.forked import run_python
from support.hosts import (
    CASES,
    HOSTS,
    NAMES,
    Answer,
    add_unknown,
    keep_needed,
    make_payload,
    spoil_types,
)
from unit.adapters.hooks.blocks import titles
from unit.adapters.hooks.running import Desk

QUESTION = "how does the nightly billing job lock in postgres?"
LOCK = "Nightly billing lock"
LESSON = "Deployments are frozen on Fridays after noon."


def tell(desk: Desk, host: str, event: str, session: str, **more: object) -> Answer:
    payload = make_payload(host, event, session, str(desk.here), **more)
    return desk.tell(event, payload, host=host)


@pytest.mark.parametrize("host", HOSTS)
def test_the_second_session_starts_with_what_was_saved_in_the_first(
    host: str, filled: Desk
) -> None:
    filled.execute = run_python  # as a host does
    start = tell(filled, host, "session-start", "first")
    answers = [
        start,
        tell(filled, host, "prompt", "first", prompt=QUESTION),
        tell(filled, host, "prompt", "first", prompt=QUESTION),
    ]
    # As the agent does in its shell, in the middle of the session.
    saved = filled.run("save", LESSON, "--title", "Freeze on Fridays", "--kind", "workflow")
    assert saved.code == 0
    later = [event for event in ("stop", "pre-compact", "session-end") if event in NAMES[host]]
    quiet = [tell(filled, host, event, "first") for event in later]
    assert LESSON not in start.context
    assert [LOCK in titles(answer.context) for answer in answers] == [True, False, False]
    assert [answer.context for answer in quiet] == [""] * len(quiet)
    second = tell(filled, host, "session-start", "second")
    assert LESSON in second.context
    assert LOCK in second.context
    assert filled.losses() == []


@pytest.mark.parametrize(("host", "event"), CASES)
def test_a_host_takes_what_it_gets_at_each_event_whatever_fields_it_sends(
    host: str, event: str, filled: Desk
) -> None:
    payload = make_payload(host, event, "varied", str(filled.here))
    if event == "prompt":
        payload["prompt"] = QUESTION
    said = event in ("session-start", "prompt")
    for number, change in enumerate((add_unknown, keep_needed, spoil_types)):
        varied = change(payload)
        for name in ("session_id", "conversation_id"):
            if name in varied:
                varied[name] = f"varied-{number}"
        answer = filled.tell(event, varied, host=host)
        assert (LOCK in answer.context) == said, change
        assert filled.events(f"varied-{number}")
    assert filled.losses() == []


@pytest.mark.parametrize("host", HOSTS)
def test_a_host_takes_what_it_gets_where_there_is_nothing_to_say(host: str, desk: Desk) -> None:
    for event in NAMES[host]:
        answer = tell(
            desk, host, event, "empty", **({"prompt": QUESTION} if event == "prompt" else {})
        )
        assert (answer.context, answer.message) == ("", "")


def test_claude_code_gets_not_a_byte_where_there_is_nothing_to_say(desk: Desk) -> None:
    for event in NAMES["claude-code"]:
        assert desk.hook(event, "--host", "claude-code", stdin=b"{}").raw == b""


class TestWithinASession:
    def test_a_prompt_repeats_nothing_of_the_start(self, filled: Desk) -> None:
        assert LOCK in filled.start().context
        assert filled.ask(QUESTION).context == ""

    def test_a_prompt_repeats_nothing_of_an_earlier_prompt(self, filled: Desk) -> None:
        assert LOCK in filled.ask(QUESTION).context
        assert filled.ask(QUESTION).context == ""
        assert filled.ask("what about the billing job's advisory lock?").context == ""
        assert LOCK in filled.ask(QUESTION, "another session").context

    @pytest.mark.parametrize("source", ["compact", "clear", "startup"])
    def test_what_a_lost_context_had_comes_again(self, source: str, filled: Desk) -> None:
        assert LOCK in filled.ask(QUESTION).context
        assert LOCK in filled.start(source=source).context
        assert filled.ask(QUESTION).context == ""

    def test_a_resumed_session_has_what_it_was_given_by_prompts(self, filled: Desk) -> None:
        assert LOCK in filled.ask(QUESTION).context
        filled.start(source="resume")
        assert filled.ask(QUESTION).context == ""

    def test_a_resumed_session_is_not_given_again_what_its_context_still_has(
        self, filled: Desk
    ) -> None:
        assert LOCK in filled.start().context
        assert LOCK not in filled.start(source="resume").context

    def test_a_session_that_ended_and_goes_on_remembers_what_it_was_given(
        self, filled: Desk
    ) -> None:
        assert LOCK in filled.ask(QUESTION).context
        payload = make_payload("claude-code", "session-end", "s-1", str(filled.here))
        filled.tell("session-end", payload)
        filled.start(source="resume")
        assert filled.ask(QUESTION).context == ""

    def test_an_entry_that_is_saved_meanwhile_comes_with_the_next_prompt(
        self, filled: Desk
    ) -> None:
        question = "may I make deployments on Fridays?"
        assert filled.ask(question).context == ""
        filled.save("Freeze on Fridays", LESSON, kind="workflow")
        assert LESSON in filled.ask(question).context


def test_a_forgotten_entry_is_not_given(filled: Desk) -> None:
    entry = filled.save("Freeze on Fridays", LESSON, kind="workflow")
    with filled.memory() as memory:
        memory.forget(entry)
    assert LESSON not in filled.start().context
    assert LESSON not in filled.ask("may I make deployments on Fridays?").context


def test_cursor_is_told_to_go_on_even_where_there_is_nothing_to_say(desk: Desk) -> None:
    assert desk.hook("prompt", "--host", "cursor", stdin=b"{}").raw == b'{"continue": true}\n'
