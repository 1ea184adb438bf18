"""What feeds a device, by the files in which Linux says it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain.resolution.jobs_process import is_on_battery

BATTERY, FED, UNFED = ("Battery", ""), ("Mains", "1"), ("USB", "0")


@pytest.mark.parametrize(
    ("supplies", "on_battery"),
    [
        ([], False),
        ([BATTERY], True),
        ([BATTERY, FED], False),
        ([BATTERY, UNFED], True),
        ([BATTERY, UNFED, FED], False),
        ([UNFED], False),
    ],
)
def test_a_battery_feeds_where_nothing_else_does(
    supplies: list[tuple[str, str]], on_battery: bool, tmp_path: Path
) -> None:
    for number, (kind, online) in enumerate(supplies):
        folder = tmp_path / f"S{number}"
        folder.mkdir()
        (folder / "type").write_text(f"{kind}\n")
        if online:
            (folder / "online").write_text(f"{online}\n")
    assert is_on_battery(tmp_path) is on_battery


def test_where_linux_says_nothing_there_is_none(tmp_path: Path) -> None:
    assert is_on_battery(tmp_path / "nowhere") is False
