"""A day is the local one, wherever a person or an agent reads or writes it."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from engrain import open_memory
from engrain.adapters.present.text import describe_entry
from unit.adapters.shell import CommandLine

EAST, WEST = "Pacific/Kiritimati", "Pacific/Pago_Pago"  # 14 hours before UTC, 11 behind


@pytest.fixture
def zone(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[[str], None]]:
    """Sets the zone of this device."""

    def set_zone(name: str) -> None:
        monkeypatch.setenv("TZ", name)
        time.tzset()

    yield set_zone
    monkeypatch.undo()
    time.tzset()


@pytest.mark.parametrize(("name", "day"), [(EAST, "2026-09-02"), (WEST, "2026-09-01")])
def test_a_memory_is_of_the_day_on_which_it_was_made_here(
    cli: CommandLine, zone: Callable[[str], None], name: str, day: str
) -> None:
    zone(name)
    saved = cli.save("The reef pump needs a new seal.", "--created", "2026-09-01T12:30:00Z")
    assert day in cli("list").out
    assert day in cli("recall", "reef pump").out
    assert day in cli("show", saved["id"]).out
    assert "2026-09-01T12:30:00Z" in cli("list", "--json").out
    with open_memory(cli.vault, state_dir=cli.state) as memory:
        (found,) = memory.recall("reef pump").results
    assert f"[{found.row.kind} {day} " in describe_entry(found)


@pytest.mark.parametrize("name", [EAST, WEST, "UTC", "Europe/Berlin"])
def test_filters_take_the_local_day(
    cli: CommandLine, zone: Callable[[str], None], name: str
) -> None:
    zone(name)
    for at in ("2026-09-01T00:30", "2026-09-01T23:30", "2026-09-02T00:30"):
        cli.save(f"Made {at}.", "--created", at)
    assert titles(cli, "--since", "2026-09-01", "--until", "2026-09-02") == [
        "Made 2026-09-01T23:30.",
        "Made 2026-09-01T00:30.",
    ]
    assert titles(cli, "--since", "2026-09-02") == ["Made 2026-09-02T00:30."]
    assert titles(cli, "--as-of", "2026-09-01") <= titles(cli, "--as-of", "2026-09-02")
    assert len(titles(cli, "--as-of", "2026-09-03")) == 3


@pytest.mark.parametrize("name", [EAST, WEST, "Europe/Berlin"])
def test_a_plain_date_is_that_day_in_every_zone(
    cli: CommandLine, zone: Callable[[str], None], name: str
) -> None:
    zone(name)
    (cli.vault / "Memory" / "fix").mkdir(parents=True, exist_ok=True)
    (cli.vault / "Memory" / "fix" / "pump.md").write_text(
        "---\ncreated: 2026-09-01\n---\n# The pump\nIt needs a seal.\n"
    )
    cli.save("The seal was bought.", "--created", "2026-09-01")
    cli("list", "--fresh")
    assert cli("list").out.count("2026-09-01") == 2
    assert len(titles(cli, "--since", "2026-09-01", "--until", "2026-09-01")) == 2
    assert titles(cli, "--since", "2026-09-02") == []
    assert len(titles(cli, "--as-of", "2026-09-01")) == 2


def test_the_hour_that_a_clock_skips_or_repeats_is_in_its_day(
    cli: CommandLine, zone: Callable[[str], None]
) -> None:
    zone("Europe/Berlin")
    for at in ("2026-03-28T23:30:00Z", "2026-10-24T22:30:00Z", "2026-10-25T22:30:00Z"):
        cli.save(f"Made {at}.", "--created", at)
    assert titles(cli, "--since", "2026-03-29", "--until", "2026-03-30") == [
        "Made 2026-03-28T23:30:00Z."
    ]
    assert len(titles(cli, "--since", "2026-10-25", "--until", "2026-10-26")) == 2


@pytest.mark.parametrize("name", [EAST, WEST])
def test_a_day_in_a_question_is_the_local_one(
    cli: CommandLine, zone: Callable[[str], None], name: str
) -> None:
    zone(name)
    cli.save("The blue pump got a seal.", "--created", "2026-09-03T00:30")
    cli.save("The green pump got a seal.", "--created", "2026-09-02T23:30")
    cli.save("The red pump got a seal.", "--created", "2026-08-01T12:00")
    with open_memory(cli.vault, state_dir=cli.state) as memory:
        found = memory.recall("which pump got a seal on 3 September 2026?").results
    assert found[0].row.title == "The blue pump got a seal."


def titles(cli: CommandLine, *argv: str) -> list[str]:
    done = cli("list", "--json", *argv)
    assert done.code == 0, done.err
    return [row["title"] for row in done.answer["data"]["results"]]
