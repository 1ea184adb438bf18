"""Agents that are processes of their own: of ten that race for one hand-off one gets it and nine
are told who, and nothing that many write into one ledger is lost."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from support.vaults import make_memory

AGENTS = 10
CLAIMER = """
import sys
from engrain import open_memory
from engrain.adapters.cli.main import run

# Loaded first and started together, so that they do meet.
vault, state, agent, id_ = sys.argv[1:]
open_memory(vault, state_dir=state).close()
print("ready", flush=True)
sys.stdin.readline()
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
    where = [str(tmp_path / "vault"), str(tmp_path / "state")]
    with make_memory(tmp_path) as memory:
        for round_ in range(rounds):
            id_ = memory.handoffs.create("any", f"Round {round_}.", agent="eng").id
            racing = [
                subprocess.Popen(
                    [sys.executable, "-c", CLAIMER, *where, f"qa-{number}", id_],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    text=True,
                )
                for number in range(AGENTS)
            ]
            for process in racing:
                assert process.stdout is not None
                assert process.stdout.readline() == "ready\n"
            for process in racing:
                assert process.stdin is not None
                process.stdin.write("\n")
                process.stdin.flush()
            answers = [json.loads(process.communicate(timeout=60)[0]) for process in racing]
            codes = [process.returncode for process in racing]
            assert sorted(codes) == [0] + [4] * (AGENTS - 1)
            winner = f"qa-{codes.index(0)}"
            assert answers[codes.index(0)]["data"]["claimed_by"] == winner
            lost = [answer["error"] for answer in answers if not answer["ok"]]
            assert {error["code"] for error in lost} == {"conflict"}
            assert all(error["message"].startswith(f"{winner} has taken it") for error in lost)
            assert memory.handoffs.show(id_).claimed_by == winner
            claims = [change for change in memory.history(id_) if change.op == "claim"]
            assert [change.reason for change in claims] == [f"taken by {winner}"]
        (chain,) = memory.verify()
        assert chain.wrong is None


def test_nothing_is_lost_of_what_many_processes_write_into_one_ledger(tmp_path: Path) -> None:
    where = [str(tmp_path / "vault"), str(tmp_path / "state")]
    with make_memory(tmp_path) as memory:
        memory.scan()
        working = [
            subprocess.Popen([sys.executable, "-c", WORKER, *where, str(number)])
            for number in range(6)
        ]
        assert [process.wait(timeout=60) for process in working] == [0] * 6
        ledger = memory.handoffs.show_ledger("eng")
        assert ledger["tasks_completed"] == 30
        wanted = {f"{name}-{number}" for name in range(6) for number in range(5)}
        assert set(ledger["state"]["files_modified"]) == wanted
