"""schedule at the command line, with stand-ins for the programs that would change this machine."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from unit.adapters.shell import CommandLine

CRONTAB = """#!/bin/sh
file="$HOME/crontab.txt"
case "$1" in
  -l) test -f "$file" || { echo "no crontab for me" >&2; exit 1; }; cat "$file" ;;
  -r) rm "$file" ;;
  -) cat > "$file" ;;
esac
"""
NO_CRON_FOR_YOU = (
    "#!/bin/sh\necho 'You are not allowed to use this program (crontab)' >&2\nexit 1\n"
)
SYSTEMCTL = """#!/bin/sh
echo "$@" >> "$HOME/systemctl.txt"
shift
wants="$HOME/.config/systemd/user/timers.target.wants"
case "$1" in
  is-active) test -L "$wants/$2" ;;
  enable) mkdir -p "$wants"; ln -sf "../$2" "$wants/$2" ;;
esac
"""
NO_BUS = "#!/bin/sh\necho 'Failed to connect to bus: No medium found' >&2\nexit 1\n"
OTHERS = b"# mine\nMAILTO=me\n\n17 3 * * * backup 100\\% # nightly"


@pytest.fixture
def home(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The home of somebody whose machine has no scheduler at all."""
    monkeypatch.setenv("PATH", str(cli.folder / "bin"))
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(cli.folder / "run"))
    monkeypatch.setattr(sys, "platform", "linux")
    (cli.folder / "bin").mkdir()
    return cli.folder / "home"


def give(home: Path, name: str, script: str) -> None:
    """Put a program on the PATH, with `cat`, `rm` and such for its use."""
    program = home.parent / "bin" / name
    program.write_text(script.replace("#!/bin/sh\n", "#!/bin/sh\nPATH=/usr/bin:/bin\n"))
    program.chmod(0o755)


def ask(cli: CommandLine, *argv: str, code: int = 0) -> Any:
    """The data of a JSON answer."""
    done = cli("jobs", *argv, "--json")
    assert done.code == code, done.out
    return done.answer["data"]


# -- cron ----------------------------------------------------------------------------------------


def test_a_crontab_gets_one_line_and_loses_it_again(cli: CommandLine, home: Path) -> None:
    give(home, "crontab", CRONTAB)
    crontab = home / "crontab.txt"
    crontab.write_bytes(OTHERS)
    shown = cli("jobs", "schedule", "--dry-run")
    assert shown.code == 0
    assert "cron, because crontab is here" in shown.out
    assert "+*/30 * * * * nice -n 10 " in shown.out
    assert crontab.read_bytes() == OTHERS
    done = cli("jobs", "schedule")
    assert done.code == 0
    assert "  changed: crontab\n" in done.out
    first, rest = crontab.read_bytes().split(b"\n", 1)
    assert rest == OTHERS
    assert b" jobs run --due --vault " + str(cli.vault).encode() in first
    assert "  no change\n" in cli("jobs", "schedule").out
    assert cli("jobs", "schedule", "--every", "60").code == 0
    assert crontab.read_bytes().startswith(b"0 * * * * ")
    assert crontab.read_bytes().endswith(OTHERS)
    assert cli("jobs", "unschedule").code == 0
    assert crontab.read_bytes() == OTHERS
    assert "nothing is scheduled" in cli("jobs", "unschedule").out


def test_who_had_no_crontab_has_none_afterwards(cli: CommandLine, home: Path) -> None:
    give(home, "crontab", CRONTAB)
    cli("jobs", "schedule")
    assert (home / "crontab.txt").exists()
    cli("jobs", "unschedule")
    assert not (home / "crontab.txt").exists()


def test_the_line_runs_the_due_jobs_of_that_vault(cli: CommandLine, home: Path) -> None:
    give(home, "crontab", CRONTAB)
    cli("jobs", "schedule")
    line = (home / "crontab.txt").read_text().splitlines()[0]
    command = line.split(" ", 5)[5].replace("\\%", "%")
    environ = {"HOME": str(home), "PATH": "/usr/bin:/bin", "ENGRAIN_EMBEDDER": "none"}
    package = Path(__file__).parents[5] / "src"
    subprocess.run(
        ["/bin/sh", "-c", command], env={**environ, "PYTHONPATH": str(package)}, check=False
    )
    (status,) = cli.state.rglob("jobs/status.json")
    assert '"scan"' in status.read_text()


def test_a_crontab_that_can_not_be_read_is_not_written(cli: CommandLine, home: Path) -> None:
    give(home, "crontab", NO_CRON_FOR_YOU)
    done = cli("jobs", "schedule", "--kind", "cron")
    assert done.code == 1
    assert "You are not allowed" in done.err


def test_without_a_scheduler_the_server_is_named(cli: CommandLine, home: Path) -> None:
    done = cli("jobs", "schedule")
    assert done.code == 1
    assert "engrain mcp" in done.err


# -- systemd -------------------------------------------------------------------------------------


def test_units_are_written_enabled_and_taken_away(cli: CommandLine, home: Path) -> None:
    give(home, "systemctl", SYSTEMCTL)
    (home.parent / "run/systemd").mkdir(parents=True)
    (home.parent / "run/systemd/private").touch()
    give(home, "crontab", CRONTAB)
    data = ask(cli, "schedule")
    assert data["reason"] == "systemd's user manager runs here"
    (made,) = data["schedules"]
    assert (made["kind"], made["changed"], made["failed"], made["run"]) == (
        "systemd", True, [], None,
    )  # fmt: skip
    units = home / ".config/systemd/user"
    name = data["name"]
    assert sorted(path.name for path in units.iterdir()) == [
        f"{name}.service", f"{name}.timer", "timers.target.wants",
    ]  # fmt: skip
    asked = (home / "systemctl.txt").read_text().splitlines()
    assert asked == [
        "--user daemon-reload", f"--user enable {name}.timer", f"--user restart {name}.timer",
    ]  # fmt: skip
    (again,) = ask(cli, "schedule")["schedules"]
    assert (again["changed"], again["commands"]) == (False, [])
    assert (home / "systemctl.txt").read_text().splitlines() == asked
    (gone,) = ask(cli, "unschedule")["schedules"]
    assert [file["action"] for file in gone["files"]] == ["removed", "removed"]
    assert list(units.iterdir()) == []


def test_where_systemctl_fails_the_files_are_there_and_the_rest_is_reported(
    cli: CommandLine, home: Path
) -> None:
    give(home, "systemctl", NO_BUS)
    done = cli("jobs", "schedule")
    assert done.code == 1
    assert "Failed to connect to bus" in done.out
    (timer,) = (home / ".config/systemd/user").glob("*.timer")
    assert (
        f"  run: systemctl --user daemon-reload && systemctl --user enable {timer.name}"
        f" && systemctl --user restart {timer.name}\n" in done.out
    )
    (retried,) = ask(cli, "schedule", code=1)["schedules"]
    assert [file["action"] for file in retried["files"]] == ["unchanged", "unchanged"]
    assert len(retried["failed"]) == 3
    assert cli("jobs", "unschedule").code == 1
    assert list((home / ".config/systemd/user").iterdir()) == []


def test_what_a_scheduled_run_would_not_see_is_reported(
    cli: CommandLine, home: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    give(home, "systemctl", SYSTEMCTL)
    monkeypatch.setenv("ENGRAIN_JOBS_MINUTES", "60")
    notes = ask(cli, "schedule")["notes"]
    assert any("ENGRAIN_JOBS_MINUTES" in note for note in notes)
    assert not any("ENGRAIN_VAULT" in note for note in notes)
    assert any("enable-linger" in note for note in notes)


def test_schedule_tells_what_runs_and_how_often(cli: CommandLine, home: Path) -> None:
    give(home, "crontab", CRONTAB)
    installed = cli("jobs", "schedule").out
    assert re.search(r"^  every 30 minutes: .*\bextract\b", installed, re.MULTILINE)
    assert re.search(r"^  every 7 days: .*\bsynthesize\b", installed, re.MULTILINE)


# -- what makes no sense -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("argv", "code", "told"),
    [
        (["schedule", "--every", "45"], 2, "every 45 minutes"),
        (["schedule", "--every", "0"], 2, "every 0 minutes"),
        (["unschedule", "--every", "30"], 2, "unrecognized arguments: --every"),
        (["schedule", "--kind", "at"], 2, "--kind"),
    ],
)
def test_what_makes_no_sense_is_reported(
    cli: CommandLine, home: Path, argv: list[str], code: int, told: str
) -> None:
    done = cli("jobs", *argv)
    assert (done.code, told in done.err) == (code, True)


def test_a_vault_that_is_not_there_is_not_scheduled_and_one_that_went_is_removed(
    cli: CommandLine, home: Path
) -> None:
    give(home, "crontab", CRONTAB)
    assert cli("jobs", "schedule", "--vault", str(cli.folder / "none")).code == 5
    cli("jobs", "schedule")
    cli.vault.rename(cli.folder / "elsewhere")
    assert "removed: crontab" in cli("jobs", "unschedule").out
