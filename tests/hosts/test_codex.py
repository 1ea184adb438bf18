"""Codex itself, run for two sessions."""

from __future__ import annotations

import pytest

from hosts.contract import SessionsContract

pytestmark = pytest.mark.xfail(
    strict=False, reason="it does not wait for our server, which is too slow on a busy machine"
)


class TestCodex(SessionsContract):
    host = "codex"
