"""Ten agents, each a process of its own, race for one hand-off: one gets it, nine are told who."""

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


@pytest.mark.parametrize("rounds", [3, pytest.param(20, marks=pytest.mark.long)])
def test_of_ten_that_race_one_takes_it_and_nine_are_told_who(tmp_path: Path, rounds: int) -> None:
    where = [str(tmp_path / "vault"), str(tmp_path / "state")]
    with make_memory(tmp_path) as memory:
        for round_ in range(rounds):
            id_ = memory.create_handoff("any", f"Round {round_}.", agent="eng").id
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
            assert memory.handoff(id_).claimed_by == winner
            claims = [change for change in memory.history(id_) if change.op == "claim"]
            assert [change.reason for change in claims] == [f"taken by {winner}"]
        (chain,) = memory.verify()
        assert chain.wrong is None
