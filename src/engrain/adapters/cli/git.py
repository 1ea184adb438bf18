"""The state of the git repository around the working directory, as git tells it."""

from __future__ import annotations

import subprocess

from engrain.model.errors import UsageError

_PATIENCE_S = 5.0


def read_git(given: str | None) -> str:
    """Return a state as it is given, or with `auto` the current one. Raises UsageError."""
    if given != "auto":
        return given or ""
    commit, branch = _find()
    on = f"branch {branch}" if branch else "no branch"
    return f"commit {commit}, {on}" if commit else f"no commit known, {on}"


def read_commit(given: str | None) -> str | None:
    """Return a commit as it is given, or with `auto` the current one. Raises UsageError."""
    return _find()[0] if given == "auto" else given


def describe_git() -> dict[str, str]:
    """Describe the repository around as data; empty outside of any."""
    found = {
        "branch": _ask("branch", "--show-current"),
        "commit": _ask("rev-parse", "-q", "--verify", "HEAD"),
    }
    return {key: value for key, value in found.items() if value}


def _find() -> tuple[str, str]:
    """Return the commit and the branch that are checked out, each "" if there is none."""
    if _ask("rev-parse", "--is-inside-work-tree") != "true":
        raise UsageError("there is no git repository here", remedy="write the state out")
    return _ask("rev-parse", "-q", "--verify", "HEAD"), _ask("branch", "--show-current")


def _ask(*words: str) -> str:
    """Return what a command of git prints, "" where it fails or git is not installed."""
    try:
        done = subprocess.run(
            ["git", *words], capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
