"""Claude Code itself, run for two sessions: wired by `setup`, and by the plugin."""

from __future__ import annotations

import os
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from hosts.clients import CLIENTS, Home
from hosts.contract import SessionsContract
from hosts.model import Call, serving

CLAUDE = CLIENTS["claude-code"]
PLUGIN = Path(__file__).parents[2] / "plugins" / "claude-code"


class TestClaudeCode(SessionsContract):
    client = CLAUDE


class TestPlugin(SessionsContract):
    client = replace(CLAUDE, ask=["-p", "--allowedTools=Bash,mcp__plugin_engrain_engrain"])
    options = (f"--plugin-dir={PLUGIN}",)

    @classmethod
    def wire(cls, home: Home) -> None:
        home.engrain("init", str(home.vault))


@pytest.fixture
def home(tmp_path: Path) -> Iterator[Home]:
    """A home in which nothing is wired."""
    with serving() as model:
        yield Home(tmp_path, CLAUDE, model)


def test_the_plugin_without_a_vault_says_what_to_do(home: Home) -> None:
    done = home.ask(
        "Hello.",
        "Hello!",
        options=[*TestPlugin.options, "--output-format=stream-json", "--verbose"],
    )
    assert done.code == 0
    assert "no vault is configured; run `engrain init" in done.out


@pytest.mark.parametrize("folder", [PLUGIN, PLUGIN.parents[1]])
def test_its_own_validator_passes_the_plugin_and_the_marketplace(home: Home, folder: Path) -> None:
    said = home.run(home.program, "plugin", "validate", "--strict", os.fspath(folder))
    assert "Validation passed" in said


def test_a_subagent_gets_the_preferences_and_what_its_session_was_asked(home: Home) -> None:
    home.engrain("setup", "claude-code")
    home.engrain("save", "--kind", "preference", "Name the unit of every amount.")
    fix = "react-select wants React 18, so npm ci breaks with ERESOLVE: use --legacy-peer-deps."
    home.engrain("save", "--kind", "fix", "--title", "ERESOLVE of react-select", fix)
    task = "Look at the lock file and tell which package wants which React."
    agent = {"description": "look", "prompt": task, "subagent_type": "general-purpose"}
    done = home.ask(
        "Why does react-select break npm ci with ERESOLVE? Have a subagent look.",
        Call("Agent", agent),
        "Looked.",
        "All done.",
    )
    assert (done.code, done.missing) == (0, []), done.err
    (asked,) = [one for one in done.turns if task in one.text and "Have a subagent" not in one.text]
    assert "Name the unit of every amount." in asked.text
    assert "legacy-peer-deps" in asked.text
