"""The state of the git repository around the working directory."""

from __future__ import annotations

import os

from engrain.model.errors import UsageError
from engrain.resolution.git_state import GitState, read_git_state


def read_git(given: str | None) -> str:
    """Return a state as it is given, or with `auto` the current one. Raises UsageError."""
    return str(_find()) if given == "auto" else given or ""


def read_commit(given: str | None) -> str | None:
    """Return a commit as it is given, or with `auto` the current one. Raises UsageError."""
    return _find().commit if given == "auto" else given


def describe_git() -> dict[str, str]:
    """Describe the repository around as data; empty outside of any."""
    state = read_git_state(os.getcwd())
    found = {} if state is None else {"branch": state.branch, "commit": state.commit}
    return {key: value for key, value in found.items() if value}


def _find() -> GitState:
    state = read_git_state(os.getcwd())
    if state is None:
        raise UsageError("there is no git repository here", remedy="write the state out")
    return state
