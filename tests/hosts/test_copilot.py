"""Copilot CLI itself, run for two sessions."""

from __future__ import annotations

from hosts.clients import CLIENTS
from hosts.contract import Seen, SessionsContract


class TestCopilot(SessionsContract):
    client = CLIENTS["copilot"]

    def test_nothing_of_ours_is_left_after_remove(self, seen: Seen) -> None:
        seen.home.engrain("setup", "copilot", "--remove")
        assert not (seen.home.path / ".copilot" / "hooks").exists()
        assert not (seen.home.path / ".copilot" / "mcp-config.json").exists()
