"""`list`: entries by filter alone."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain import UsageError
from support.vaults import FakeClock, make_memory
from unit.engine.core.vault_files import titles

DAY = 86400.0


def test_a_list_is_newest_first_and_counts_what_it_leaves_out(tmp_path: Path) -> None:
    with make_memory(tmp_path, clock=FakeClock(step=DAY)) as memory:
        for number in range(4):
            memory.save("x", title=f"Part {number}")
        listing = memory.list(limit=2)
        assert (titles(listing), listing.total) == (["Part 3", "Part 2"], 4)
        assert memory.list(limit=0).total == 4
        with pytest.raises(UsageError):
            memory.list(limit=-1)
