"""The simulation lives through the world it is given, and tells what came of it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bench import living_habits as habits
from bench.living_events import Ask, Event, Save, Supersede
from bench.living_plot import draw
from bench.living_world import live

DAYS = 30
ROOT = Path(__file__).resolve().parents[2]


def simulate(folder: Path, *arguments: str) -> dict[str, Any]:
    command = [sys.executable, "-m", "bench", "--living", "--no-plot", "--out", str(folder)]
    subprocess.run([*command, *arguments], cwd=ROOT, check=True, capture_output=True, text=True)
    figures: dict[str, Any] = json.loads((folder / "living.json").read_text())
    return figures


@pytest.fixture(scope="module")
def figures(tmp_path_factory: pytest.TempPathFactory) -> dict[str, Any]:
    fading = ("--set", "decay.min_days=14")
    policies = ("--policy", "kept", "--policy", "decay")
    return simulate(tmp_path_factory.mktemp("out"), "--days", str(DAYS), *policies, *fading)


def events() -> list[Event]:
    return [event for day in live(days=DAYS) for one in day.sessions for event in one.events]


def test_everything_that_the_world_saves_and_asks_is_saved_and_asked(
    figures: dict[str, Any],
) -> None:
    world = events()
    for policy in figures["policies"].values():
        mean = policy["mean"]
        assert mean["saved"] == sum(isinstance(one, Save | Supersede) for one in world)
        assert mean["asked"] == sum(isinstance(one, Ask) and bool(one.wanted) for one in world)


def test_without_decay_all_but_the_superseded_stay_live(figures: dict[str, Any]) -> None:
    mean = figures["policies"]["kept"]["mean"]
    assert mean["archived"] == 0
    assert mean["saved"] - mean["live"] == sum(isinstance(one, Supersede) for one in events())


def test_with_decay_some_are_archived_and_what_is_asked_for_is_mostly_found(
    figures: dict[str, Any],
) -> None:
    mean = figures["policies"]["decay"]["mean"]
    assert mean["archived"] > 0
    assert mean["live"] + mean["archived"] <= mean["saved"]
    assert mean["hit_rate"] > 0.5


def test_each_week_has_its_row(figures: dict[str, Any]) -> None:
    weeks = figures["policies"]["decay"]["weeks"]
    assert {len(row) for row in weeks.values()} == {-(-DAYS // 7)}
    assert weeks["saved"] == sorted(weeks["saved"])
    assert figures["seeds"] == [habits.SEED]


def test_the_same_world_under_the_same_policy_comes_to_the_same(
    figures: dict[str, Any], tmp_path: Path
) -> None:
    arguments = ("--days", str(DAYS), "--policy", "decay", "--set", "decay.min_days=14")
    again = simulate(tmp_path, *arguments)["policies"]["decay"]
    first = figures["policies"]["decay"]
    assert again["weeks"] == first["weeks"]


def test_the_plot_is_a_picture(figures: dict[str, Any], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    draw(figures, tmp_path / "living.png")
    assert (tmp_path / "living.png").read_bytes().startswith(b"\x89PNG")
