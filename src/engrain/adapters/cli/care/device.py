"""`engrain device`: show this device's key of the vault, or take over that of another device."""

from __future__ import annotations

import os
from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, BaseCommand, MemoryCommand, argument, flag
from engrain.adapters.cli.files import read_file
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.cli.reading import read_text
from engrain.adapters.present.outline import outline_lines
from engrain.adapters.present.records import Data, fields, list_fields
from engrain.adapters.present.text import clean
from engrain.api.memory import Memory
from engrain.engine.history.verification import Attestation
from engrain.model.errors import ConfigError, ConflictError, NotFoundError, UsageError
from engrain.model.history.line import VaultKey
from engrain.resolution.device import Keys, find_keys, read_key

_MOST = 4096
"""The most bytes of a key's file."""


@dataclass(kw_only=True)
class ShowDevice(MemoryCommand):
    """Show the state of the vault's key on this device."""

    examples = "engrain device show"

    def run_in(self, memory: Memory) -> Answer:
        found = memory.trust.survey()
        keys = find_keys(os.environ, self.resolve().location) if found.has_key else None
        path = keys.path(memory.vault) if keys else None
        key = "has the vault's key, whose file is a secret"
        key = key if found.has_key else "does not have the vault's key"
        lines = [f"this device {key}", *outline_lines({**_describe(found), "file": path})]
        return {**_describe(found), "file": path}, lines


@dataclass(kw_only=True)
class JoinDevice(MemoryCommand):
    """Take over the key of another device."""

    examples = """
engrain device join /media/stick/engrain-key
ssh laptop cat .config/engrain/keys/VAULT | engrain device join -
engrain device join --new-key --yes
"""
    file: str | None = argument(
        "the key's file on another device; - or nothing: from standard input", "FILE", default=None
    )
    yes: bool = flag("do not ask for confirmation")
    replace: bool = flag("replace this device's key")
    new_key: bool = flag("the key is lost; make a new one and sign the history again")

    def check(self) -> None:
        if self.new_key and (self.file or self.replace):
            raise UsageError("--new-key takes no file and no --replace: there is no other key")
        if self.new_key and not self.yes:
            raise UsageError(
                "a new key accepts every entry's origin as recorded in the history, and every"
                " other device must join again",
                remedy="repeat it with --yes if the key is lost",
            )

    def run_in(self, memory: Memory) -> Answer:
        if self.new_key:
            return _join_anew(memory, self)
        file = self.file or "-"
        secret = read_key(read_text("-") if file == "-" else read_file(file, _MOST))
        with show_progress(self.console, "indexing") as progress:
            known = memory.trust.recognise_key(VaultKey(secret).holds)
            if known is None:
                raise NotFoundError(
                    "no record in the history is signed yet, so the key can't be checked",
                    remedy="wait until the vault has synchronised, and repeat",
                )
            if not known:
                raise ConflictError(
                    "no record of this vault was made with that key",
                    remedy="give the file keys/VAULT of a device that writes the vault",
                )
            _keys(self).put(memory.vault, secret, replace=self.replace)
            memory.reindex(progress)
            found = memory.trust.survey()
        return _describe(found), ["joined: what this device writes is attested from now on"]


def _join_anew(memory: Memory, args: BaseCommand) -> Answer:
    with show_progress(args.console, "attesting") as progress:
        keys = _keys(args)
        keys.make(memory.vault)
        path = keys.path(memory.vault)
        count = memory.trust.attest_again(progress)
        found = memory.trust.survey()
    return {**_describe(found), "attested_anew": count}, [
        f"a new key; {count} entries attested anew",
        f"next: `engrain device join FILE --replace` elsewhere, with {clean(path)}",
    ]


def _keys(args: BaseCommand) -> Keys:
    keys = find_keys(os.environ, args.resolve().location)
    if keys is None:
        raise ConfigError(
            "the user's configuration is inside the vault: the key would be synchronised",
            remedy="set ENGRAIN_CONFIG to a file outside the vault",
        )
    return keys


def _describe(found: Attestation) -> Data:
    chain = "device changes=links attested erased cancelled first wrong"
    return {
        **fields(found, "device key=has_key"),
        "sound": not any(report.wrong for report in found.chains),
        "devices": list_fields(found.chains, chain),
        "unattested": found.unattested,
    }


COMMAND = {"show": ShowDevice, "join": JoinDevice}
