"""Secrets in files of their owner: never in a setting, on a command line or in an address."""

from __future__ import annotations

import os

from engrain.model.errors import ConfigError

_LONGEST = 16 * 1024


def read_secret(setting: str, path: str) -> str:
    """The secret in the file that a setting names. Raises ConfigError for one that others can read,
    or that has none."""
    path = os.path.abspath(os.path.expanduser(path))
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | getattr(os, "O_NONBLOCK", 0))
        try:
            mode = os.fstat(file).st_mode
            raw = os.read(file, _LONGEST)
        finally:
            os.close(file)
    except OSError as error:
        raise ConfigError(
            f"the file of {setting} can't be read: {error.strerror}", path=path
        ) from None
    if mode & 0o077 and os.name == "posix":
        raise ConfigError(
            f"others can read the file of {setting}", path=path, remedy="set its mode to 600"
        )
    secret = raw.decode("ascii", errors="replace").strip()
    if not secret or not secret.isprintable() or "\ufffd" in secret:
        raise ConfigError(f"the file of {setting} has no secret on one line", path=path)
    return secret
