"""OpenCode itself, run for two sessions."""

from __future__ import annotations

import pytest

from hosts.contract import Seen, SessionsContract


class TestOpenCode(SessionsContract):
    host = "opencode"

    @pytest.mark.xfail(reason="its title generator gets every part of the user's message")
    def test_nothing_of_ours_is_in_a_title(self, seen: Seen) -> None:
        super().test_nothing_of_ours_is_in_a_title(seen)
