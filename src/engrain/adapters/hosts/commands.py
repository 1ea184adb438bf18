"""The commands that hosts run, made in one place and recognised by the same words.

A host with an exec form gets the words themselves; one that has a shell line gets them quoted.
"""

from __future__ import annotations

import importlib.util
import json
import os
import re
import shlex
import shutil
import sys
from collections.abc import Sequence

EVENTS = ("session-start", "prompt", "stop", "pre-compact", "session-end")
"""The moments of a session that a host may report, in our names."""

_PACKAGES = ("engrain", "apsw")
"""What a hook imports, but for what the interpreter brings."""
_CACHES = (".cache", "cache", "caches")
_BARE = re.compile(r"[\w.:\\/~-]+")


def hook_command(event: str, host: str) -> list[str]:
    """What `host` runs at `event`."""
    return [*hook_program(), "hook", event, "--host", host]


def mcp_command() -> list[str]:
    """What a host starts to speak MCP over standard streams."""
    return [*program(), "mcp", "--stdio"]


def hook_program() -> list[str]:
    """This installation's way to run hooks, which stand inside every prompt: its interpreter
    without `site`, which takes a fifth of a bare start, given where the packages are.

    An interpreter or package that is gone makes it leave with 127 or 1, which hosts report; a
    script that is gone would make it leave with 2, by which they refuse the prompt. On Windows the
    command is used, since no two shells there quote alike.
    """
    if sys.platform == "win32":
        return program()
    found = (importlib.util.find_spec(name) for name in _PACKAGES)
    origins = [os.path.abspath(spec.origin or "") for spec in found if spec]
    folders = list(dict.fromkeys(os.path.dirname(os.path.dirname(path)) for path in origins))
    # As JSON they have double quotes, which a shell's single ones leave as they are.
    paths = json.dumps(folders)
    code = f"import sys;sys.path+={paths};from engrain.__main__ import main;main()"
    return [sys.executable, "-I", "-S", "-c", code]


def program() -> list[str]:
    """This installation's `engrain`, by its absolute path: a host has a PATH of its own."""
    name = "engrain.exe" if sys.platform == "win32" else "engrain"
    beside = os.path.join(os.path.dirname(sys.executable), name)
    started = sys.argv[0] if os.path.basename(sys.argv[0]) == name else ""
    for path in (started, beside, shutil.which(name) or ""):
        if path and os.path.isabs(path) and os.access(path, os.X_OK) and os.path.isfile(path):
            return [path]
    return [sys.executable, "-m", "engrain"]


def may_vanish() -> bool:
    """Whether this installation lies in a cache, as that of `uvx` does: hosts would lose it. An
    interpreter there may be a link to one that stays, so the package is looked at."""
    paths = (os.path.realpath(path) for path in (program()[0], __file__))
    parts = [part.lower() for path in paths for part in path.replace("\\", "/").split("/")]
    return any(part in _CACHES for part in parts)


def shell_line(words: Sequence[str], *, windows: bool = sys.platform == "win32") -> str:
    """The words as one line for the host's shell: a POSIX shell, on Windows PowerShell.

    Bare words mean the same to PowerShell and to cmd. A quoted program would be a mere string to
    PowerShell (openai/codex#46454), so it is called with `&`.
    """
    if not windows:
        return shlex.join(words)
    if all(_BARE.fullmatch(word) for word in words):
        return " ".join(words)
    quoted = (word if _BARE.fullmatch(word) else _quote(word) for word in words)
    return "& " + " ".join(quoted)


def is_hook(words: Sequence[str], event: str, host: str) -> bool:
    """Whether these words, or this shell line as a single one, are our hook of that event, of
    whichever installation: by its interpreter and script, or by the command as it once was."""
    line = " ".join(words)
    ending = f" hook {event} --host {host}"
    return line.endswith(ending) and "engrain" in line.removesuffix(ending)


def _quote(word: str) -> str:
    return "'" + word.replace("'", "''") + "'"
