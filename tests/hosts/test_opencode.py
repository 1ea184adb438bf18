"""OpenCode itself, run for two sessions in a home where others are wired, whose skills it reads."""

from __future__ import annotations

from hosts.clients import CLIENTS
from hosts.contract import KNOWN, Seen, SessionsContract


class TestOpenCode(SessionsContract):
    client = CLIENTS["opencode"]
    options = ("--print-logs",)
    beside = ("claude-code", "codex", "gemini")

    def test_it_finds_one_skill_of_ours(self, seen: Seen) -> None:
        assert seen.first.turns[0].text.count("<name>engrain</name>") == 1
        assert "duplicate skill" not in seen.first.err

    def test_a_session_that_goes_on_is_given_nothing_again(self, seen: Seen) -> None:
        begun = seen.home.ask("What is new?", "Nothing.")
        assert begun.turns[0].text.count(KNOWN) == 1
        options = [*seen.home.client.ask, "--continue"]
        continued = seen.home.ask("Thanks, that worked.", "Good.", ask=options)
        assert "What is new?" in continued.turns[0].text
        assert continued.turns[0].text.count(KNOWN) == 1
