"""Qwen Code itself, run for two sessions."""

from __future__ import annotations

from hosts.clients import CLIENTS
from hosts.contract import Seen, SessionsContract


class TestQwen(SessionsContract):
    client = CLIENTS["qwen"]

    def test_nothing_of_ours_is_left_after_remove(self, seen: Seen) -> None:
        seen.home.engrain("setup", "qwen", "--remove")
        assert "engrain" not in (seen.home.path / ".qwen" / "settings.json").read_text()
        assert not (seen.home.path / ".qwen" / "skills").exists()
