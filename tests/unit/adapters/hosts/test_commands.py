"""The commands hosts run, as words or a line, recognised whichever installation they are of."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from engrain.adapters.hosts import commands
from engrain.adapters.hosts.commands import EVENTS, hook_command, is_hook, mcp_command, shell_line

SPACED = r"C:\Program Files (x86)\it's here\python.exe"
QUOTED = r"'C:\Program Files (x86)\it''s here\python.exe'"
PYTHON = r"C:\Users\me\Scripts\python.exe"
PACKAGES = r"C:\Users\A Name\site-packages"
SCRIPT = r"C:\Users\me\Lib\site-packages\engrain\__main__.py"


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
        [SPACED, "-I", "-S", rf"{PACKAGES}\engrain\__main__.py"],
        ["/home/a b/bin/engrain"],  # earlier installations
        [r"C:\Users\it's me\engrain.exe"],
        ["/usr/bin/python3", "-m", "engrain"],
    ],
)
@pytest.mark.parametrize("event", EVENTS)
def test_a_hook_is_recognised_as_ours_on_every_platform(event: str, program: list[str]) -> None:
    words = [*program, "hook", event, "--host", "codex"]
    line = shell_line(words, windows=False)
    assert shlex.split(line) == words
    for form in (words, [line], [shell_line(words, windows=True)]):
        assert is_hook(form, event, "codex")
        assert not is_hook(form, event, "gemini")
    assert not is_hook([f"other-tool hook {event} --host codex"], event, "codex")


@pytest.mark.parametrize(
    ("program", "line"),
    [
        ([SPACED, "-I", "-S", SCRIPT], rf"& {QUOTED} -I -S {SCRIPT}"),
        ([PYTHON, "-I", "-S", rf"{PACKAGES}\m.py"], rf"& {PYTHON} -I -S '{PACKAGES}\m.py'"),
        ([PYTHON, "-I", "-S", SCRIPT], rf"{PYTHON} -I -S {SCRIPT}"),
    ],
)
def test_on_windows_a_path_with_spaces_is_called_not_printed_and_bare_words_stay_bare(
    program: list[str], line: str
) -> None:
    rest = ["hook", "stop", "--host", "gemini"]
    assert shell_line([*program, *rest], windows=True) == f"{line} {' '.join(rest)}"


def test_on_windows_a_hook_is_door_one_in_quotes_that_powershell_passes_on(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(os, "name", "nt")
    words = commands.hook_program(r"C:\Users\An Other\engrain")
    monkeypatch.undo()
    assert commands.is_current(words)
    assert '"' not in words[-1]
    compile(words[-1], "hook", "exec")


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
