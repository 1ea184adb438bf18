"""OpenCode itself, run for two sessions in a home where others are wired, whose skills it reads."""

from __future__ import annotations

from hosts.clients import CLIENTS
from hosts.contract import Seen, SessionsContract


class TestOpenCode(SessionsContract):
    client = CLIENTS["opencode"]
    options = ("--print-logs",)
    beside = ("claude-code", "codex", "gemini")

    def test_it_finds_one_skill_of_ours(self, seen: Seen) -> None:
        assert seen.first.turns[0].text.count("<name>engrain</name>") == 1
        assert "duplicate skill" not in seen.first.err
