"""Codex itself: sessions of `codex exec`, and one in its own screen, where hooks are trusted."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from hosts.clients import CLIENTS, Home
from hosts.contract import FIRST, KNOWN, LEARNED, TOOLS, SessionsContract
from hosts.model import Asked, Call, serving
from hosts.terminal import CONTROL_C, DOWN, ENTER, showing


class TestCodex(SessionsContract):
    client = CLIENTS["codex"]


@dataclass
class Screen:
    """A home after a session in Codex's own screen, and what it was before and behind it."""

    home: Home
    before: str
    behind: str
    untrusted: list[Asked]
    asked: list[Asked]
    events: list[str]


class TestScreen:
    @pytest.fixture(scope="class")
    @classmethod
    def seen(cls, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Screen]:
        client = CLIENTS["codex"]
        trusting = "--dangerously-bypass-hook-trust"
        with serving() as model:
            home = Home(tmp_path_factory.mktemp("screen"), client, model)
            home.engrain("setup", "codex")
            home.engrain("save", "--kind", "fix", "--title", "Flaky dunning test", "-", stdin=KNOWN)
            recorded = home.record()
            config = home.path / ".codex" / "config.toml"
            before = home.engrain("doctor", check=False)
            ask = [word for word in client.ask if word != trusting]
            untrusted = home.ask(FIRST, ask=ask).turns
            saving = {"title": "Invoice export fails", "text": LEARNED, "kind": "fix"}
            model.begin([Call("memory_append", saving), "All done."])
            asked = "Trust this folder?"
            with showing(asked, [home.program], home.project, home.environ) as screen:
                screen.forget()
                screen.wait_for("2. Trust all and continue", ENTER)
                screen.rest(2)
                screen.type(DOWN)
                screen.rest(1)
                screen.wait_until(lambda: "trusted_hash" in config.read_text(), ENTER)
                screen.rest(2)
                screen.type(FIRST)
                screen.rest(1)
                screen.wait_until(lambda: bool(model.turns), ENTER)
                screen.wait_until(lambda: len(model.turns) > 1 or bool(model.missing), ENTER)
                screen.wait_until(lambda: any(recorded.glob("*-stop.out")))
                screen.wait_until(lambda: any(recorded.glob("*-session-end.out")), CONTROL_C)
            behind = home.engrain("doctor", check=False)
            events = [path.stem.partition("-")[2] for path in sorted(recorded.glob("*.json"))]
            yield Screen(home, before, behind, untrusted, list(model.asked), events)

    def test_doctor_sees_whether_the_hooks_are_trusted(self, seen: Screen) -> None:
        said = "Codex does not run the hooks for SessionStart, UserPromptSubmit"
        assert said in seen.before
        assert said not in seen.behind

    def test_without_trust_nothing_is_given(self, seen: Screen) -> None:
        assert KNOWN not in seen.untrusted[0].text

    def test_with_trust_every_hook_runs_and_the_start_is_given(self, seen: Screen) -> None:
        assert seen.events[:2] == ["session-start", "prompt"]
        assert seen.events[-2:] == ["stop", "session-end"]
        (first, *_) = [asked for asked in seen.asked if asked.is_turn]
        assert first.text.count(KNOWN) == 1

    def test_the_first_request_offers_our_tools(self, seen: Screen) -> None:
        (first, *_) = [asked for asked in seen.asked if asked.is_turn]
        assert sorted(name.rpartition("/")[2] for name in first.own_tools) == TOOLS

    def test_its_title_has_nothing_of_ours(self, seen: Screen) -> None:
        titles = [asked for asked in seen.asked if not asked.is_turn]
        assert titles
        assert not any("engrain-memory" in asked.text for asked in titles)

    def test_uninstall_takes_out_the_records_of_trust(self, seen: Screen) -> None:
        seen.home.engrain("setup", "codex", "--remove")
        text = (seen.home.path / ".codex" / "config.toml").read_text()
        assert "hooks" not in text
        assert "engrain" not in text
        assert 'model_provider = "fake"' in text
        assert not (seen.home.path / ".codex" / "hooks.json").exists()
