"""`engrain backup`: copy the vault, with its history, into one file."""

from __future__ import annotations

import os

from engrain.adapters.cli.care.layouts import refuse_vault
from engrain.adapters.cli.options import Answer, Arguments, Command, open_from
from engrain.adapters.present.text import clean
from engrain.model.errors import ConflictError

_PART = ".engrain-part"
"""What the name of a file that is being written ends with."""


def _back_up(args: Arguments) -> Answer:
    target = os.path.abspath(args.file)
    if os.path.lexists(target) and not args.force:
        raise ConflictError(
            "it is there already", path=target, remedy="name a new file, or --force"
        )
    refuse_vault(args, target)
    part = target + _PART
    with open_from(args) as memory:
        descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        try:
            with open(descriptor, "wb") as file:  # noqa: PTH123
                file.writelines(memory.backup())
                size = file.tell()
                file.flush()
                os.fsync(file.fileno())
            os.replace(part, target)
        except BaseException:
            os.unlink(part)
            raise
    return {"path": target, "bytes": size}, [f"{size / 1e6:.1f} MB: {clean(args.file)}"]


COMMAND = Command(
    _back_up,
    """
file=FILE  a tar file that is not there yet, outside of the vault
--force    replace the file
$ engrain backup ~/backups/memory.tar
$ engrain backup ~/backups/memory.tar --force --json
""",
    opens=None,
)
