"""Where memory is switched off no hook gives, learns or notes anything."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain.resolution.selector import find_project
from support.hosts import make_payload
from unit.adapters.hooks.blocks import titles
from unit.adapters.hooks.running import Desk, listening

QUESTION = "why does a second run of the nightly billing job wait?"
EVENTS = ("session-start", "prompt", "stop", "pre-compact", "session-end")


@pytest.fixture
def shop(filled: Desk) -> Path:
    """A folder in which memory is off."""
    folder = filled.here / "shop"
    (folder / "src").mkdir(parents=True)
    (folder / ".engrain.toml").write_text('memory = "off"\n')
    return folder


def state_of(desk: Desk) -> dict[str, bytes]:
    """What this device noted, without how long hooks took."""
    return {
        str(path.relative_to(desk.state)): path.read_bytes()
        for path in sorted(desk.state.rglob("*"))
        if path.is_file() and path.name != "hooks.times"
    }


@pytest.mark.parametrize("below", ["", "src"])
def test_a_cold_hook_gives_and_notes_nothing(filled: Desk, shop: Path, below: str) -> None:
    before, noted = filled.vault_bytes(), state_of(filled)
    for event in EVENTS:
        more = {"prompt": QUESTION} if event == "prompt" else {}
        answer = filled.tell(
            event, make_payload("claude-code", event, "s-1", str(shop / below), **more)
        )
        assert (answer.context, answer.message) == ("", "")
    assert filled.vault_bytes() == before
    assert state_of(filled) == noted


def test_a_server_gives_and_notes_nothing(filled: Desk, shop: Path, endpoint: str) -> None:
    def find(folder: str, named: str) -> str | None:
        return find_project(named, filled.environ, folder)

    with listening(filled, endpoint, find):
        assert titles(filled.ask(QUESTION, "s-2").context), "it answers elsewhere"
        for event in EVENTS:
            more = {"prompt": QUESTION} if event == "prompt" else {}
            payload = make_payload("claude-code", event, "s-1", str(shop), **more)
            assert filled.tell(event, payload).context == ""
    assert not list(filled.sessions.rglob("s-1*"))
    assert filled.losses() == []


def test_an_agent_that_works_elsewhere_is_still_in_the_folder_of_its_session(
    filled: Desk, shop: Path
) -> None:
    environ = {"CLAUDE_PROJECT_DIR": str(shop)}
    payload = make_payload("claude-code", "prompt", "s-1", str(filled.here), prompt=QUESTION)
    assert filled.tell("prompt", payload, environ=environ).context == ""


def test_a_switch_that_can_not_be_read_is_off_and_told_at_the_start(
    filled: Desk, shop: Path
) -> None:
    (shop / ".engrain.toml").write_text('memory = "of"\n')
    payload = make_payload("claude-code", "session-start", "s-1", str(shop))
    answer = filled.tell("session-start", payload)
    assert answer.context == ""
    assert 'memory is "of"' in answer.message
    assert str(shop / ".engrain.toml") in answer.message
    payload = make_payload("claude-code", "prompt", "s-1", str(shop), prompt=QUESTION)
    answer = filled.tell("prompt", payload)
    assert (answer.context, answer.message) == ("", "")


def test_what_is_marked_as_private_in_a_prompt_is_neither_asked_nor_noted(filled: Desk) -> None:
    (filled.here / ".engrain.toml").write_text('project = "billing"\n')
    answer = filled.ask(f"Thanks! <private>{QUESTION}</private>")
    assert titles(answer.context) == []
    filled.ask("Paint the quay <Private reason='x'>behind the zanzibar gate")
    noted = b"".join(state_of(filled).values())
    assert b"Paint the quay" in noted
    assert b"nightly billing job wait" not in noted
    assert b"zanzibar" not in noted


def test_what_a_person_marked_as_private_in_a_note_is_not_given(filled: Desk) -> None:
    filled.put(
        "Memory/fix/gate.md",
        "# Gate\n\nThe gate of the harbor sticks.\n\n<private>\nThe code is 4711.\n</private>\n",
    )
    context = filled.ask("why does the gate of the harbor stick?").context
    assert "The gate of the harbor sticks." in context
    assert "4711" not in context
