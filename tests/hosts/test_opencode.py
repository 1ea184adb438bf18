"""OpenCode itself, run for two sessions."""

from __future__ import annotations

from hosts.contract import SessionsContract


class TestOpenCode(SessionsContract):
    host = "opencode"
