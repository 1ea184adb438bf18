"""stats: one screen for a person, loki's dashboard for a program."""

from __future__ import annotations

import pytest

from engrain.state.local_state import Spend
from engrain.wiring import open_memory
from unit.adapters.cli.work.test_handoff import data
from unit.adapters.shell import CommandLine

SUMMARY = [
    "tasks_completed", "success_rate", "avg_recovery_rate",
]  # fmt: skip


def test_a_program_gets_the_seeds_dashboard(cli: CommandLine) -> None:
    cli.save("A text.", "--title", "One", "--kind", "fix")
    cli("recall", "text")
    found = data(cli("episode", "stats", "--json").answer)
    assert found["period"] == "rolling_7_days"
    assert list(found["summary"]) == SUMMARY
    assert found["summary"]["success_rate"] is None
    assert found["access"]["entries"] == 1
    assert (
        data(cli("episode", "stats", "--days", "30", "--json").answer)["period"]
        == "rolling_30_days"
    )


def test_a_person_gets_one_screen(cli: CommandLine) -> None:
    cli.save("A text.", "--title", "One\x1b[2J", "--kind", "fix")
    lines = cli("episode", "stats").out.splitlines()
    assert lines[0].split() == ["period", "rolling_7_days"]
    assert len(lines) <= 24


def test_what_models_cost_is_reported(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    with open_memory() as memory:
        store = memory._ready()
        for taken in (30_000, 4_000):
            store.device.local.add_spend(
                Spend("extract", "small\x1b[2J", taken, 500, store.clock.now())
            )
    models = cli("episode", "stats").out.splitlines()[-1].split()
    assert models == ["extract", "small[2J", "2", "34000", "1000"]
    assert data(cli("episode", "stats", "--json").answer)["models"] == [
        {
            "purpose": "extract", "model": "small\x1b[2J", "questions": 2, "tokens_in": 34_000,
            "tokens_out": 1000,
        }
    ]  # fmt: skip


@pytest.mark.parametrize("words", [["--days", "0"], ["--days", "week"]])
def test_a_call_that_means_nothing_is_a_usage_error(cli: CommandLine, words: list[str]) -> None:
    done = cli("episode", "stats", *words)
    assert (done.code, done.out) == (2, "")
