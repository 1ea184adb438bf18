"""`engrain backup`: copy the vault, with its history, into one file."""

from __future__ import annotations

import os
from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, BaseCommand, argument, flag
from engrain.adapters.cli.care.layouts import refuse_vault
from engrain.adapters.cli.files import open_anew
from engrain.adapters.present.text import clean
from engrain.model.errors import NotFoundError
from engrain.resolution.device import IN_BACKUP, find_keys


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
        refuse_vault(self, target)
        with open_anew(target, force=self.force) as file, self.open() as memory:
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
            file.writelines(memory.backup(beside))
            size = file.tell()
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
