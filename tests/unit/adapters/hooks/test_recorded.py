"""What the clients themselves sent to hooks, as `tests/hosts/record.py` wrote it down."""

from __future__ import annotations

import json

import pytest

from engrain.adapters.hooks.payloads import Occasion, read_payload
from engrain.adapters.hosts.check import make_payload
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
    assert occasion.prompt == (PROMPT if "prompt" in payload else "")
    if event == "session-start":
        assert occasion.source == "startup"
    assert host == "opencode" or occasion.transcript.startswith("/home/ada/")


@pytest.mark.parametrize(("host", "event", "payload"), RECORDED)
def test_the_trial_of_a_hook_sends_nothing_that_its_client_does_not(
    host: str, event: str, payload: dict[str, object]
) -> None:
    name = str(payload.get("hook_event_name"))
    trial = make_payload(host, name, event, "doctor-1", "/x")
    assert trial.keys() - payload.keys() <= ({"hook_event_name"} if host == "opencode" else set())
