"""The state of the git repository around the working directory."""

from __future__ import annotations

import os

from engrain.model.errors import UsageError
from engrain.resolution.learn_sources_git import GitState, read_git_state

AUTO = "auto"


def read_git(given: str | None) -> str:
    """A state as it is given, or with `auto` as it is now. Raises UsageError."""
    return str(_find()) if given == AUTO else given or ""


def read_commit(given: str | None) -> str | None:
    """A commit as it is given, or with `auto` the one that is checked out; None for none given.
    Raises UsageError."""
    return _find().commit if given == AUTO else given


def describe_git() -> dict[str, str]:
    """The state of the repository around, as data; empty outside of any."""
    state = _look()
    found = {} if state is None else {"branch": state.branch, "commit": state.commit}
    return {key: value for key, value in found.items() if value}


def _look() -> GitState | None:
    return read_git_state(os.getcwd())


def _find() -> GitState:
    state = _look()
    if state is None:
        raise UsageError("there is no git repository here", remedy="write the state out")
    return state
