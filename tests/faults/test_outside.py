"""A bridge that lives for a minute reaches no other machine: some libraries wait before they do."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from engrain.inference import local
from support.outside import needs_strace
from unit.test_outside import Watched, serve_host, try_commands

LIFE_S = float(os.environ.get("ENGRAIN_TEST_BRIDGE_S", "60"))
"""Seconds that the bridge lives; the environment may set fewer."""


@needs_strace
@pytest.mark.skipif(local.find_missing(None) is not None, reason="engrain[local] is missing")
def test_a_first_day_and_a_bridge_of_a_minute(tmp_path: Path) -> None:
    watched = Watched(tmp_path)
    watched.run("init")
    try_commands(watched)
    serve_host(watched, LIFE_S)
    assert watched.strange == []
