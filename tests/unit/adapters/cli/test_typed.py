"""Whose a command's words are: a person's at a terminal, an agent's anywhere else."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from collections.abc import Mapping

from unit.adapters.shell import Shell


def origins(shell: Shell) -> dict[str, str]:
    data = shell.run("list", "--all-projects", "--json").answer["data"]
    return {row["title"]: row["source"] for row in data["results"]}


def type_in(shell: Shell, *argv: str, environ: Mapping[str, str] | None = None) -> int:
    """Run a command whose standard streams are a terminal."""
    ours, theirs = pty.openpty()
    try:
        return subprocess.run(
            [sys.executable, "-m", "engrain", *argv],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            cwd=shell.here,
            env={**shell.environ, **(environ or {})},
            check=False,
            timeout=60,
        ).returncode
    finally:
        os.close(ours)
        os.close(theirs)


def test_what_a_person_types_at_a_terminal_is_the_operators(shell: Shell) -> None:
    assert shell.run("init").code == 0
    assert type_in(shell, "save", "--title", "Typed", "--kind", "fix", "Rebase first.") == 0
    assert type_in(shell, "save", "--title", "Said so", "--trust", "agent", "Rebase.") == 0
    assert shell.run("save", "--title", "Piped", "Rebase later.").code == 0
    assert type_in(shell, "evolve", "Piped", "Rebase at once.") == 0
    found = origins(shell)
    assert (found["Typed"], found["Said so"], found["Piped"]) == ("operator", "agent", "operator")


def test_an_agent_that_has_a_terminal_is_still_an_agent(shell: Shell) -> None:
    marks = ("CLAUDECODE", "GEMINI_CLI", "CODEX_SANDBOX", "ENGRAIN_AGENT")
    for mark in marks:
        assert type_in(shell, "save", "--title", mark, f"By {mark}.", environ={mark: "1"}) == 0
    assert type_in(shell, "save", "--title", "Named", "Rebase.", "--agent", "codex") == 0
    assert origins(shell) == dict.fromkeys((*marks, "Named"), "agent")
