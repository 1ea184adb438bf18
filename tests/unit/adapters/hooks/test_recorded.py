"""What the clients themselves sent to hooks, as `tests/hosts/record.py` wrote it down."""

from __future__ import annotations

import json

import pytest

from engrain.adapters.hooks.payloads import Occasion, join_parts, read_payload
from engrain.adapters.hosts.check import make_payload
from engrain_hook import HEAD, TAIL
from hosts.record import PAYLOADS, PROMPT

RECORDED = [
    (path.stem, event, payload)
    for path in sorted(PAYLOADS.glob("*.json"))
    for event, payload in json.loads(path.read_text())["sent"]
]


@pytest.mark.parametrize(("host", "event", "payload"), RECORDED)
def test_what_a_client_sends_is_understood(
    host: str, event: str, payload: dict[str, object]
) -> None:
    occasion = Occasion(read_payload(json.dumps(payload).encode()))
    assert occasion.session
    assert occasion.cwd == "/home/ada/work/shop"
    assert occasion.prompt == (PROMPT if payload.get("prompt") else "")
    if event == "session-start":
        assert occasion.source == ("new" if host == "copilot" else "startup")
    named = host not in ("opencode", "copilot") or (host, event) == ("copilot", "stop")
    assert occasion.transcript.startswith("/home/ada/") == named


@pytest.mark.parametrize(("host", "event", "payload"), RECORDED)
def test_the_trial_of_a_hook_sends_nothing_that_its_client_does_not(
    host: str, event: str, payload: dict[str, object]
) -> None:
    name = str(payload.get("hook_event_name") or "userPromptTransformed")
    trial = make_payload(host, name, event, "doctor-1", "/x")
    assert trial.keys() - payload.keys() <= ({"hook_event_name"} if host == "opencode" else set())


def test_a_host_that_wants_its_text_back_gets_all_of_it_or_nothing() -> None:
    plain = Occasion({"prompt": "why", "transformedPrompt": "today\n\nwhy"})
    assert plain.place("known") == "today\n\nwhy\n\nknown"
    assert plain.place("") == ""
    assert Occasion({"prompt": "why"}).place("known") == "known"
    sent = json.dumps({"prompt": "x" * HEAD, "transformedPrompt": "today\n\n" + "x" * HEAD})
    parts = sent[:HEAD].encode(), sent[-TAIL:].encode()
    assert Occasion(read_payload(join_parts(*parts))).place("known") in ("", "known")
    half = json.dumps({"transformedPrompt": "x" * (HEAD + 9), "prompt": "x"})
    cut = half[:HEAD].encode(), half[-TAIL:].encode()
    assert Occasion(read_payload(join_parts(*cut))).place("known") == ""
