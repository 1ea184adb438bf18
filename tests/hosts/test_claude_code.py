"""Claude Code itself, run for two sessions."""

from __future__ import annotations

from hosts.contract import SessionsContract


class TestClaudeCode(SessionsContract):
    host = "claude-code"
