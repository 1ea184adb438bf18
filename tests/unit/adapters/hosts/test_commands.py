"""The commands hosts run: one program, words or a line, recognised whichever installation it is."""

from __future__ import annotations

import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest

from engrain.adapters.hosts import commands
from engrain.adapters.hosts.commands import EVENTS, hook_command, is_hook, mcp_command, shell_line

SPACED = r"C:\Program Files (x86)\it's here\engrain.exe"


def test_the_program_is_absolute_and_there() -> None:
    words = hook_command("prompt", "codex")
    assert words[-4:] == ["hook", "prompt", "--host", "codex"]
    assert os.path.isabs(words[0])
    assert os.access(words[0], os.X_OK)
    assert os.path.isfile(words[-5]) and os.path.isabs(words[-5])
    assert mcp_command()[-2:] == ["mcp", "--stdio"]
    assert os.access(mcp_command()[0], os.X_OK)


def test_a_hook_is_answered_by_the_command_as_hosts_run_it(tmp_path: Path) -> None:
    environment = {"HOME": str(tmp_path), "XDG_STATE_HOME": str(tmp_path / "state")}
    done = subprocess.run(
        hook_command("prompt", "gemini"), input=b"{}", env=environment, capture_output=True
    )
    assert (done.returncode, done.stdout) == (0, b"{}\n")
    assert b"no vault is configured" in (tmp_path / "state/engrain/hooks.log").read_bytes()


def test_without_the_script_this_interpreter_runs_the_module(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sys, "argv", ["engrain"])
    monkeypatch.setattr(sys, "executable", "/nowhere/python")
    monkeypatch.setenv("PATH", "/nowhere")
    assert commands.program() == ["/nowhere/python", "-m", "engrain"]
    assert is_hook(hook_command("stop", "gemini"), "stop", "gemini")


@pytest.mark.parametrize("event", EVENTS)
def test_a_line_is_recognised_as_ours_on_every_platform(event: str) -> None:
    words = ["/home/a b/bin/engrain", "hook", event, "--host", "codex"]
    assert shlex.split(shell_line(words, windows=False)) == words
    for line in (
        shell_line(words, windows=False),
        shell_line(words, windows=True),
        shell_line([SPACED, *words[1:]], windows=True),
    ):
        assert is_hook([line], event, "codex")
        assert not is_hook([line], event, "gemini")
    assert not is_hook([f"other-tool hook {event} --host codex"], event, "codex")


def test_on_windows_a_path_with_spaces_is_called_not_printed() -> None:
    words = [SPACED, "hook", "stop", "--host", "gemini"]
    assert shell_line(words, windows=True) == (
        r"& 'C:\Program Files (x86)\it''s here\engrain.exe' hook stop --host gemini"
    )


def test_on_windows_bare_words_need_no_shell_of_their_own() -> None:
    words = [r"C:\Users\me\engrain.exe", "hook", "stop", "--host", "gemini"]
    assert shell_line(words, windows=True) == " ".join(words)


@pytest.mark.parametrize(
    ("folder", "passing"), [(".cache/uv/archive-v0/x", True), ("tools", False)]
)
def test_an_installation_in_a_cache_may_vanish(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, folder: str, passing: bool
) -> None:
    program = tmp_path / folder / "engrain"
    program.parent.mkdir(parents=True)
    program.write_text("#!/bin/sh\n")
    program.chmod(0o755)
    monkeypatch.setattr(sys, "argv", [str(program)])
    assert commands.may_vanish() is passing
