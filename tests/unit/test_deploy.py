"""The files of `deploy`: what they start is there, and systemd takes them."""

from __future__ import annotations

import re
import shlex
import shutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from engrain.adapters.cli.helping import build_parser

DEPLOY = Path(__file__).parents[2] / "deploy"
UNITS = sorted(DEPLOY.glob("*.service"))
COMPOSE = yaml.safe_load((DEPLOY / "compose.yaml").read_text())


def commands() -> list[str]:
    found = [service["command"] for service in COMPOSE["services"].values() if "command" in service]
    found = [command for command in found if isinstance(command, str)]
    for unit in UNITS:
        found += re.findall(r"^ExecStart=\S*/(engrain .*)$", unit.read_text(), re.MULTILINE)
    text = (DEPLOY / "compose.yaml").read_text()
    return found + re.findall(r"^#.* tools (engrain .*)$", text, re.MULTILINE)


def test_every_command_is_one_of_engrain() -> None:
    assert len(commands()) == 5
    for command in commands():
        program, *argv = shlex.split(command)
        assert program == "engrain"
        build_parser().parse_args(argv)


def test_the_services_name_what_there_is() -> None:
    for service in COMPOSE["services"].values():
        assert set(service.get("secrets", ())) <= COMPOSE["secrets"].keys()
        assert set(service.get("depends_on", ())) <= COMPOSE["services"].keys()
        mounted = {str(one).partition(":")[0] for one in service.get("volumes", ())}
        assert mounted <= COMPOSE["volumes"].keys()
        if "build" in service:
            assert (DEPLOY / service["build"]["context"] / service["build"]["dockerfile"]).exists()


@pytest.mark.parametrize("unit", UNITS, ids=lambda unit: unit.name)
def test_systemd_finds_no_fault_with_a_unit(unit: Path, tmp_path: Path) -> None:
    program = shutil.which("systemd-analyze")
    if program is None:
        pytest.skip("systemd is not installed")
    # It looks whether the program is there.
    copy = tmp_path / unit.name
    copy.write_text(unit.read_text().replace("/usr/local/bin/engrain", sys.executable))
    done = subprocess.run(
        [program, "verify", "--man=no", str(copy)], capture_output=True, text=True, check=False
    )
    if "Failed to initialize" in done.stderr:
        pytest.skip(f"systemd can't be asked here: {done.stderr}")
    assert (done.returncode, done.stderr) == (0, "")
