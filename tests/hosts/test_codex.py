"""Codex itself, run for two sessions."""

from __future__ import annotations

from hosts.contract import SessionsContract


class TestCodex(SessionsContract):
    host = "codex"
