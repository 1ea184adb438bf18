"""Gemini CLI itself: two sessions of `gemini -p`, and one in its own screen."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from hosts.clients import CLIENTS, Home
from hosts.contract import FIRST, KNOWN, TOOLS, Seen, SessionsContract
from hosts.model import Asked, serving
from hosts.terminal import ENTER, showing


class TestGemini(SessionsContract):
    client = CLIENTS["gemini"]
    beside = ("codex",)

    def test_it_finds_one_skill_of_ours(self, seen: Seen) -> None:
        assert seen.first.turns[0].text.count("<name>engrain</name>") == 1
        assert "Skill conflict" not in seen.first.err


@dataclass
class Screen:
    """What a session in Gemini CLI's own screen showed, sent to hooks and asked of the model."""

    shown: str
    events: list[str]
    prompt: str
    asked: list[Asked]


class TestScreen:
    @pytest.fixture(scope="class")
    @classmethod
    def seen(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
        with serving() as model:
            home = Home(tmp_path_factory.mktemp("screen"), CLIENTS["gemini"], model)
            del home.environ["GEMINI_CLI_TRUST_WORKSPACE"]
            home.engrain("setup", "gemini")
            home.engrain("save", "--kind", "fix", "--title", "Flaky dunning test", "-", stdin=KNOWN)
            recorded = home.record()
            model.begin(["All done."])
            command = [home.program, "--model=gemini-2.5-flash"]
            asked = "Do you trust the files in this folder?"
            with showing(asked, command, home.project, home.environ) as screen:
                screen.rest(2)
                assert not list(recorded.glob("*.json"))
                screen.wait_until(lambda: any(recorded.glob("*-session-start.out")), ENTER)
                screen.rest(2)
                screen.type(FIRST)
                screen.rest(1)
                screen.wait_until(lambda: bool(model.turns), ENTER)
                screen.wait_until(lambda: any(recorded.glob("*-stop.out")))
                screen.rest(1)
                screen.type("/quit")
                screen.rest(1)
                screen.wait_until(lambda: any(recorded.glob("*-session-end.out")), ENTER)
                shown = screen.text
            events = [path.stem.partition("-")[2] for path in sorted(recorded.glob("*.json"))]
            (prompt,) = (json.loads(path.read_text()) for path in recorded.glob("*-prompt.json"))
            yield Screen(shown, events, prompt["prompt"], list(model.asked))

    def test_the_spinner_names_us_and_not_our_command(self, seen: Screen) -> None:
        assert "ExecutingHook:engrain" in seen.shown
        assert "-I-S-c" not in seen.shown

    def test_every_hook_runs_and_is_sent_the_prompt_alone(self, seen: Screen) -> None:
        # It says more than once that the session ends.
        assert list(dict.fromkeys(seen.events)) == [
            "session-start",
            "prompt",
            "stop",
            "session-end",
        ]
        assert seen.prompt == FIRST

    def test_the_first_request_has_our_tools_and_the_start(self, seen: Screen) -> None:
        (first, *_) = [asked for asked in seen.asked if asked.is_turn]
        assert sorted(name.partition("engrain_")[2] for name in first.own_tools) == TOOLS
        assert first.text.count(KNOWN) == 1
