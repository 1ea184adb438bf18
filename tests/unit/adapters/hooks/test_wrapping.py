"""What a host puts around a prompt is no part of it: not of the query, the journal or the goal."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engrain.adapters.hooks.payloads import Occasion
from support.hosts import make_payload
from unit.adapters.hooks.running import Desk, git, listening

RECORDED = Path(__file__).parents[3] / "support" / "recorded"
PROMPT = 'Fix the invoice export & its <tests> when "x" is empty'
CONTINUITY = "projects/shop/_harness/CONTINUITY.md"


def wrap_as_gemini(context: str, prompt: str) -> str:
    """The prompt as Gemini CLI's `-p` hands it on (0.61, `getAdditionalContext`)."""
    escaped = context.replace("<", "&lt;").replace(">", "&gt;")
    return f"<hook_context>{escaped}</hook_context>\n\n{prompt}"


@pytest.fixture
def shop(filled: Desk) -> Desk:
    """A desk in a project, whose sessions start with something."""
    filled.here = filled.folder / "shop"
    filled.here.mkdir()
    git(filled.here, "init")
    filled.put("_always-load/style.md", "# Style\nNo emoji in </hook_context> commit messages.\n")
    return filled


def ask_behind_start(shop: Desk, prompt: str) -> str:
    """What a prompt brings in `-p`, where what the start brought stands before it."""
    context = shop.start("s-1").context
    assert "No emoji" in context
    text = wrap_as_gemini(context, prompt)
    payload = make_payload("gemini", "prompt", "s-1", str(shop.here), prompt=text)
    answer = shop.tell("prompt", payload, host="gemini")
    shop.tell("stop", make_payload("gemini", "stop", "s-1", str(shop.here)), host="gemini")
    return answer.context


def test_a_recorded_prompt_of_gemini_is_what_its_user_typed() -> None:
    payload = json.loads((RECORDED / "gemini_0.61_headless_prompt.json").read_text())
    assert "&lt;engrain-memory" in payload["prompt"]
    assert Occasion(payload).prompt == PROMPT


@pytest.mark.parametrize("served", [False, True])
def test_our_own_start_block_reaches_neither_journal_nor_goal(
    shop: Desk, endpoint: str, served: bool
) -> None:
    if served:
        with listening(shop, endpoint):
            ask_behind_start(shop, PROMPT)
    else:
        ask_behind_start(shop, PROMPT)
    (asked,) = (event for event in shop.journal("s-1") if event["event"] == "asked")
    assert asked["text"] == PROMPT
    text = (shop.vault / CONTINUITY).read_text()
    assert PROMPT in text
    assert "engrain-memory" not in text
    assert "hook_context" not in text


def test_our_own_start_block_is_no_query(shop: Desk) -> None:
    """Small talk brings nothing, however much stands before it."""
    assert ask_behind_start(shop, "thanks!") == ""


@pytest.mark.parametrize(
    "around",
    [
        "<system-reminder>The nightly billing job locks in postgres.</system-reminder>\n{}",
        "{}\n<ide_opened_file>nightly billing lock in postgres</ide_opened_file>",
        "<environment_context><cwd>/nightly/billing/postgres</cwd></environment_context>{}",
    ],
)
def test_other_contexts_of_hosts_are_no_query_either(around: str, filled: Desk) -> None:
    assert filled.ask(around.format("thanks!")).context == ""


def test_a_tag_of_the_users_own_is_theirs() -> None:
    text = "why does <div class='x'> render <b>twice</b>?"
    assert Occasion({"prompt": text}).prompt == text
