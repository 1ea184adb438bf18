"""A dream that is killed comes to the same proposals as one that is left alone."""

from __future__ import annotations

import os
import random
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from engrain import Memory
from engrain.lifecycle.dreaming.run import dream
from support.vaults import make_memory
from unit.lifecycle.dreaming.sleepers import fill
from unit.lifecycle.sessions.living import isolate, store_of

TESTS = Path(__file__).parents[3]
CHILD = TESTS / "unit/lifecycle/dreaming/dream_child.py"
KILLS = 10


def begin(folder: Path, seed: int, *death: float) -> subprocess.Popen[bytes]:
    return subprocess.Popen(
        [sys.executable, str(CHILD), folder, str(seed), *map(str, death)],
        env={**os.environ, "PYTHONPATH": str(TESTS)},
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
    )


def finish(child: subprocess.Popen[bytes]) -> None:
    _, told = child.communicate(timeout=120)
    assert child.returncode == 0, told.decode()


def staged(folder: Path) -> list[Path]:
    return sorted((folder / "vault/Memory/_dream-staging").glob("*/*.md"))


def proposals(memory: Memory) -> dict[str, tuple[object, ...]]:
    """By the name of its file all that a proposal says, less its own id and times."""
    return {
        one.path.rpartition("/")[2]: (
            one.action, one.target, one.base, one.reason, one.finder, one.score, one.evidence,
            one.open,
        )
        for one in memory.review.list()
    }  # fmt: skip


def test_killed_ten_times_it_comes_to_the_same_proposals(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    isolate(tmp_path, monkeypatch)
    alone, killed = tmp_path / "alone", tmp_path / "killed"
    with make_memory(alone) as memory:
        fill(memory, copies=4 * KILLS)
    shutil.copytree(alone, killed, symlinks=True)
    finish(begin(alone, 1))
    chance = random.Random(8)
    for number in range(KILLS):
        child = begin(killed, number, chance.randint(1, 2), chance.uniform(0, 0.06))
        child.communicate(timeout=120)
        assert child.returncode == -signal.SIGKILL
    finish(begin(killed, 99))
    with make_memory(alone) as one, make_memory(killed) as other:
        expected = proposals(one)
        assert len(expected) > 25
        assert proposals(other) == expected
        assert other.jobs.dream().count("proposed") == {}


def test_without_time_it_stops_and_the_next_goes_on(memory: Memory) -> None:
    fill(memory, copies=3)
    begun: list[str] = []

    def late() -> bool:
        return "link" in begun

    first = dream(store_of(memory), out_of_time=late, tell=begun.append)
    assert first.unfinished
    assert list(first.stages) == ["duplicate"]
    begun.clear()
    second = memory.jobs.dream(tell=begun.append)
    assert not second.unfinished
    assert begun == ["link", "judged"]
    begun.clear()
    assert not memory.jobs.dream(tell=begun.append).unfinished
    assert begun == ["duplicate", "link", "judged"]


def test_a_stage_that_never_has_time_enough_is_finished_at_its_second_try(memory: Memory) -> None:
    fill(memory, copies=3)
    begun: list[str] = []
    asked: list[str] = []

    def late() -> bool:
        asked.extend(begun)
        return bool(begun)

    for stage in ("duplicate", "duplicate", "link"):
        begun.clear()
        asked.clear()
        dream(store_of(memory), out_of_time=late, tell=begun.append)
        assert begun == [stage]
        assert stage in asked, "a job gives way to others where it asks whether it is late"
    assert len(memory.review.list("merge")) == 3


def test_a_dream_of_one_stage_leaves_the_others_where_they_were(memory: Memory) -> None:
    fill(memory, copies=3)
    begun: list[str] = []
    assert dream(
        store_of(memory), out_of_time=lambda: "link" in begun, tell=begun.append
    ).unfinished
    assert list(memory.jobs.dream(only=["link"]).stages) == ["link"]
    assert list(memory.jobs.dream().stages) == ["link", "judged"]
