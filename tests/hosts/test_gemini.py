"""Gemini CLI itself, run for two sessions."""

from __future__ import annotations

from hosts.clients import CLIENTS
from hosts.contract import SessionsContract


class TestGemini(SessionsContract):
    client = CLIENTS["gemini"]
