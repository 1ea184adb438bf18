"""The newest release of each client, which may be one that nobody has tried yet."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hosts.clients import CLIENTS
from hosts.contract import SessionsContract

pytestmark = pytest.mark.long


class TestClaudeCode(SessionsContract):
    client = replace(CLIENTS["claude-code"], version="latest")


class TestCodex(SessionsContract):
    client = replace(CLIENTS["codex"], version="latest")


class TestGemini(SessionsContract):
    client = replace(CLIENTS["gemini"], version="latest")


class TestOpenCode(SessionsContract):
    client = replace(CLIENTS["opencode"], version="latest")


class TestQwen(SessionsContract):
    client = replace(CLIENTS["qwen"], version="latest")


class TestCopilot(SessionsContract):
    client = replace(CLIENTS["copilot"], version="latest")
