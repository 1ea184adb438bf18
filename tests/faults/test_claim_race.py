"""Agents that are processes of their own: of ten that race for one hand-off one gets it and nine
are told who, and nothing that many write into one ledger is lost."""

from __future__ import annotations

import json
import time
from pathlib import Path

import pytest

from support.forked import run_at_once, run_well_at_once
from support.vaults import make_memory

AGENTS = 10
CLAIMER = """
import sys, time
from engrain import open_memory
from engrain.adapters.cli.main import run

# Loaded first and started together, so that they do meet.
vault, state, agent, id_, moment = sys.argv[1:]
open_memory(vault, state_dir=state).close()
time.sleep(max(0.0, float(moment) - time.time()))
raise SystemExit(run([
    "handoff", "claim", id_, "--agent", agent, "--json", "--vault", vault, "--state-dir", state,
]))
"""

WORKER = """
import sys
from engrain import open_memory

vault, state, name = sys.argv[1:]
with open_memory(vault, state_dir=state, agent="eng") as memory:
    for number in range(5):
        memory.handoffs.save_ledger(added=1, files=[f"{name}-{number}"])
"""


@pytest.mark.parametrize("rounds", [3, pytest.param(20, marks=pytest.mark.long)])
def test_of_ten_that_race_one_takes_it_and_nine_are_told_who(tmp_path: Path, rounds: int) -> None:
    where = (tmp_path / "vault", tmp_path / "state")
    with make_memory(tmp_path) as memory:
        for round_ in range(rounds):
            id_ = memory.handoffs.create("any", f"Round {round_}.", agent="eng").id
            moment = time.time() + 1.0
            racing = [(*where, f"qa-{number}", id_, moment) for number in range(AGENTS)]
            raced = run_at_once(CLAIMER, racing, tmp_path)
            answers = [json.loads(one.stdout) for one in raced]
            codes = [one.returncode for one in raced]
            assert sorted(codes) == [0] + [4] * (AGENTS - 1)
            winner = f"qa-{codes.index(0)}"
            assert answers[codes.index(0)]["data"]["claimed_by"] == winner
            lost = [answer["error"] for answer in answers if not answer["ok"]]
            assert {error["code"] for error in lost} == {"conflict"}
            assert all(error["message"].startswith(f"{winner} has taken it") for error in lost)
            assert memory.handoffs.show(id_).claimed_by == winner
            claims = [change for change in memory.history(id_) if change.op == "claim"]
            assert [change.reason for change in claims] == [f"taken by {winner}"]
        (chain,) = memory.trust.survey().chains
        assert chain.wrong is None


def test_nothing_is_lost_of_what_many_processes_write_into_one_ledger(tmp_path: Path) -> None:
    where = (tmp_path / "vault", tmp_path / "state")
    with make_memory(tmp_path) as memory:
        memory.scan()
        run_well_at_once(WORKER, [(*where, number) for number in range(6)], tmp_path)
        ledger = memory.handoffs.show_ledger("eng")
        assert ledger["tasks_completed"] == 30
        wanted = {f"{name}-{number}" for name in range(6) for number in range(5)}
        assert set(ledger["state"]["files_modified"]) == wanted
