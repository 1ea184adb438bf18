"""Files that a command writes where the user says: whole, or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable

from engrain.model.errors import ConflictError


def write_anew(path: str, lines: Iterable[bytes], *, force: bool) -> None:
    """Write the lines to `path` in one step; overwrite a file only with `force`.

    Raises ConflictError, OSError.
    """
    temp = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temp, "xb", opener=lambda name, how: os.open(name, how, 0o600)) as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        if force:
            os.replace(temp, path)
        else:
            try:
                os.link(temp, path)
            except OSError:
                # Taken, or on a file system without links, where another program may come between.
                if os.path.lexists(path):
                    raise ConflictError(
                        "the file exists already", path=path, remedy="name another, or give --force"
                    ) from None
                os.replace(temp, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temp)
