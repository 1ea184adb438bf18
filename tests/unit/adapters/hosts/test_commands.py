"""The commands hosts run, as words or a line, recognised whichever installation they are of."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from engrain.adapters.hosts import commands
from engrain.adapters.hosts.commands import hook_command, is_hook, mcp_command
from engrain_hook import BUDGETS


def test_the_program_is_absolute_and_there() -> None:
    words = hook_command("prompt", "codex")
    assert words[-4:] == ["hook", "prompt", "--host", "codex"]
    assert os.path.isabs(words[0])
    assert os.access(words[0], os.X_OK)
    assert mcp_command()[-2:] == ["mcp", "--stdio"]
    assert os.access(mcp_command()[0], os.X_OK)


def test_a_hook_is_answered_by_the_command_as_hosts_run_it(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    done = subprocess.run(
        hook_command("prompt", "gemini"), input=b"{}", env=environment, capture_output=True
    )
    assert (done.returncode, done.stdout) == (0, b"{}\n")
    log = (tmp_path / "state/engrain/hooks.log").read_bytes()
    assert b"no vault is configured" in log or b"out of time" in log  # on a busy machine


def test_without_the_script_this_interpreter_runs_the_module(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["engrain"])
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", "/nowhere")
    assert commands.program() == ["/nowhere/python", "-m", "engrain"]
    assert is_hook(hook_command("stop", "gemini"), "stop", "gemini")


@pytest.mark.parametrize(
    "program",
    [
        ["/home/a b/bin/python", "-I", "-S", "/home/a b/site-packages/engrain/__main__.py"],
        ["/home/a b/bin/engrain"],
        ["/usr/bin/python3", "-m", "engrain"],
    ],
)
@pytest.mark.parametrize("event", BUDGETS)
def test_a_hook_is_recognised_as_ours_in_words_and_in_a_line(
    event: str, program: list[str]
) -> None:
    words = [*program, "hook", event, "--host", "codex"]
    for form in (words, [shlex.join(words)]):
        assert is_hook(form, event, "codex")
        assert not is_hook(form, event, "gemini")
    assert not is_hook([f"other-tool hook {event} --host codex"], event, "codex")


@pytest.mark.parametrize(
    ("program", "package", "passing"),
    [
        (".cache/uv/archive-v0/x/bin", "tools/engrain", True),
        ("tools/bin", ".cache/uv/archive-v0/x/engrain", True),
        ("tools/bin", "tools/engrain", False),
    ],
)
def test_an_installation_in_a_cache_may_vanish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, program: str, package: str, passing: bool
) -> None:
    started = tmp_path / program / "engrain"
    started.parent.mkdir(parents=True)
    started.write_text("#!/bin/sh\n")
    started.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(started)])
    monkeypatch.setattr(commands, "__file__", str(tmp_path / package / "commands.py"))
    assert commands.may_vanish() is passing
