"""The token for a remote server: a private file, and a command of the user that renews it.

The command runs at a session's start and at the end of each turn, so no prompt waits for it.
"""

from __future__ import annotations

import os
import shlex
import subprocess
from collections.abc import Mapping
from time import monotonic, time

from engrain.resolution.files import replace_file
from engrain.resolution.settings import Setting, load_settings

_FRESH = 60.0
"""Seconds for which a renewed token is not renewed again."""


def token_file(settings: Mapping[str, Setting], state_dir: str) -> str:
    """Return the path of the token."""
    given = settings["remote.token_file"].value
    return os.path.expanduser(given) if given else os.path.join(state_dir, "remote", "token")


def renew_token(state_dir: str, until: float) -> str:
    """Replace the token by the output of `remote.token_command`, if there is such a command and it
    ends by a moment of the monotonic clock. Return why it failed, "" if it did not. Raises
    ConfigError."""
    settings = load_settings({}, os.environ, os.getcwd())
    command, path = settings["remote.token_command"].value, token_file(settings, state_dir)
    if not command or (os.path.exists(path) and 0 <= time() - os.stat(path).st_mtime < _FRESH):
        return ""
    try:
        done = subprocess.run(
            shlex.split(command),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            timeout=max(0.05, until - monotonic()),
            check=True,
        )
        token = done.stdout.decode("ascii").strip()
        if not token or not token.isprintable():
            return "remote.token_command printed no token"
        replace_file(path, f"{token}\n", private=True, durable=False)
    except subprocess.TimeoutExpired:
        return "remote.token_command did not end in time"
    except subprocess.CalledProcessError as error:
        return f"remote.token_command ended with exit code {error.returncode}"
    except (OSError, ValueError) as error:
        return f"remote.token_command failed: {getattr(error, 'strerror', '') or 'no such command'}"
    return ""
