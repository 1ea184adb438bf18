"""The commands that hosts run, as words or as a quoted line for a shell."""

from __future__ import annotations

import importlib.util
import json
import os
import shutil
import sys
from collections.abc import Sequence

from engrain.model.errors import ConfigError
from engrain.resolution.endpoint import hooks_path
from engrain.resolution.settings import absolute_state_dir, load_settings

_PACKAGES = ("engrain_hook", "engrain", "apsw")
"""The modules that a hook imports beside the standard library."""
_CACHES = (".cache", "cache", "caches")


def hook_command(event: str, host: str, *, shown: bool = False) -> list[str]:
    """Return the command that `host` runs at `event`; a short one if the host shows it to its user
    and its model."""
    started = program() if shown else hook_program(find_state_dir())
    return [*started, "hook", event, "--host", host]


def mcp_command() -> list[str]:
    """Return the command that a host starts to use MCP over standard streams."""
    return [*program(), "mcp", "--stdio"]


def find_state_dir() -> str:
    """Return the folder of this device's state, as hooks find it; the default one if the settings
    can't be read, which hooks report."""
    try:
        given = load_settings({}, os.environ, os.sep)["state_dir"].value
    except ConfigError:
        given = None
    return absolute_state_dir(given, os.environ)


def hook_program(state_dir: str) -> list[str]:
    """Return this installation's program for hooks, which delay every prompt: the interpreter
    without `site`, which takes a fifth of a bare start, with the folders of the packages, the
    socket of the bridge and the folder of the state.

    If the interpreter or package is missing it exits with 127 or 1, which hosts report; a missing
    script would exit with 2, for which they refuse the prompt.
    """
    found = (importlib.util.find_spec(name) for name in _PACKAGES)
    origins = [os.path.abspath(spec.origin or "") for spec in found if spec]
    tops = (
        os.path.dirname(path)
        if path.endswith("_hook.py")
        else os.path.dirname(os.path.dirname(path))
        for path in origins
    )
    folders = list(dict.fromkeys(tops))
    # A shell's single quotes leave the double ones of JSON as they are.
    paths, place, state = map(json.dumps, (folders, hooks_path(state_dir), state_dir))
    code = f"import sys;sys.path+={paths};import engrain_hook as h;h.main({place},{state})"
    return [sys.executable, "-I", "-S", "-c", code]


def program() -> list[str]:
    """Return this installation's `engrain` by its absolute path: a host has its own PATH."""
    beside = os.path.join(os.path.dirname(sys.executable), "engrain")
    started = sys.argv[0] if os.path.basename(sys.argv[0]) == "engrain" else ""
    for path in (started, beside, shutil.which("engrain") or ""):
        if path and os.path.isabs(path) and os.access(path, os.X_OK) and os.path.isfile(path):
            return [path]
    return [sys.executable, "-m", "engrain"]


def may_vanish() -> bool:
    """Whether this installation is in a cache, as that of `uvx` is, which may be cleared. The
    package decides too, since an interpreter there may be a link to one that stays."""
    paths = (os.path.realpath(path) for path in (program()[0], __file__))
    parts = [part.lower() for path in paths for part in path.replace("\\", "/").split("/")]
    return any(part in _CACHES for part in parts)


def is_hook(words: Sequence[str], event: str, host: str) -> bool:
    """Whether these words, or this shell line as a single word, are our hook of that event, of
    any installation."""
    line = " ".join(words)
    ending = f" hook {event} --host {host}"
    return line.endswith(ending) and "engrain" in line.removesuffix(ending)
