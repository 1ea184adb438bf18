"""`engrain backup`: copy the vault, with its history, into one file."""

from __future__ import annotations

import os
from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, BaseCommand, argument, flag
from engrain.adapters.cli.care.layouts import refuse_vault
from engrain.adapters.present.text import clean
from engrain.model.errors import ConflictError, NotFoundError
from engrain.resolution.device import IN_BACKUP, find_keys

_PART = ".engrain-part"
"""What the name of a file that is being written ends with."""


@dataclass(kw_only=True)
class BackupCommand(BaseCommand):
    """Copy the vault, with its history, into one file."""

    examples = """
engrain backup ~/backups/memory.tar
engrain backup ~/backups/memory.tar --force --json
engrain backup /media/safe/memory.tar --with-key
"""
    file: str = argument("a tar file that is not there yet, outside of the vault", "FILE")
    with_key: bool = flag("put the vault's key into it, which is a secret")
    force: bool = flag("replace the file")

    def run(self) -> Answer:
        target = os.path.abspath(self.file)
        if os.path.lexists(target) and not self.force:
            raise ConflictError(
                "it is there already", path=target, remedy="name a new file, or --force"
            )
        refuse_vault(self, target)
        part = target + _PART
        with self.open() as memory:
            keys = find_keys(os.environ, self.resolve().location)
            secret = keys.secret(memory.vault) if keys else None
            if self.with_key and secret is None:
                raise NotFoundError(
                    "this device has no key of this vault",
                    remedy="back up where the key is, or leave out --with-key",
                )
            beside = {}
            if self.with_key and secret:
                beside[IN_BACKUP] = secret.hex().encode() + b"\n"
            path = keys.path(memory.vault) if keys and secret else None
            descriptor = os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
            try:
                with open(descriptor, "wb") as file:  # noqa: PTH123
                    os.fchmod(descriptor, 0o600)
                    file.writelines(memory.backup(beside))
                    size = file.tell()
                    file.flush()
                    os.fsync(file.fileno())
                os.replace(part, target)
            except BaseException:
                os.unlink(part)
                raise
        data = {"path": target, "bytes": size, "key": path, "with_key": bool(beside)}
        lines = [f"{size / 1e6:.1f} MB: {clean(self.file)}"]
        if beside:
            lines.append("the vault's key is in it: whoever has the file can write in your name")
        elif path:
            lines += [
                f"not in it: the vault's key, {clean(path)}, which proves who wrote what",
                "  keep a copy of that file elsewhere, or repeat this with --with-key --force",
            ]
        return data, lines


COMMAND = BackupCommand
