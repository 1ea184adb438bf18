"""`engrain migrate`: move the vault, with its whole history, to another store."""

from __future__ import annotations

import os
from dataclasses import dataclass

from engrain.adapters.cli.base import Answer, BaseCommand, flag, option
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.records import describe_pairs, fields
from engrain.adapters.present.text import clean_line, counted
from engrain.resolution.config_file import set_value
from engrain.resolution.selector import absolute_location
from engrain.resolution.settings import read_user_config
from engrain.seam.storage import StorageBackend
from engrain.wiring import open_alone
from engrain_team.carrying import carry_state
from engrain_team.moving import copy_store, move_store


def open_stores(
    vault: str | None, to: str, state_dir: str | None = None, *, finish: bool = False
) -> tuple[StorageBackend, StorageBackend]:
    """Open the store `vault`, resolved as in `open_memory`, and the store at `to`, which is made if
    missing. `finish` also opens a `vault` that has already moved to `to`. Raises
    VaultUnavailableError."""
    source = open_alone(vault, state_dir=state_dir, moved_to=to if finish else "")
    return source, open_alone(to, state_dir=state_dir, create=True, id=source.vault)


@dataclass(kw_only=True)
class MigrateCommand(BaseCommand):
    """Move the vault, with its history, into a team's database or back."""

    examples = """
engrain migrate --to "postgres://db.example/memory?namespace=team"
engrain migrate --to "postgres://db.example/memory?namespace=team" --finish
engrain migrate --vault "postgres://db.example/memory?namespace=team" --to ~/memory --finish
"""
    to: str = option(
        "where to: postgres://HOST/DATABASE?namespace=NAME, or a new folder",
        "TARGET",
        required=True,
    )
    finish: bool = flag("copy the rest, compare both, close the old store, and use the new one")

    def run(self) -> Answer:
        to = absolute_location(self.to)
        source, target = open_stores(self.vault, to, self.state_dir, finish=self.finish)
        state = os.path.join(self.resolve().state_dir, "vaults")
        try:
            source.recover()
            with show_progress(self.console, "copying") as progress:
                copied = copy_store(source, target, progress)
                if self.finish:
                    copied = move_store(source, target, to, progress)
                    carry_state(os.path.join(state, source.key), os.path.join(state, target.key))
        finally:
            source.close()
            target.close()
        left = describe_pairs(copied.left_out.items(), "reason")
        counts = fields(copied, "files changes others copied")
        data = {"to": to, "finished": self.finish, **counts, "left_out": left}
        lines = [
            f"{copied.files} notes, {counted(copied.others, 'other file')}, {copied.changes}"
            f" changes; {copied.copied} copied now",
            *(f"left out  {clean_line(place)}: {why}" for place, why in copied.left_out.items()),
        ]
        if not self.finish:
            lines.append(
                "the vault stays in use; `--finish` copies what comes until then, and moves"
            )
        elif read_user_config(os.environ).get("vault"):
            data["config"] = set_value(os.environ, "vault", to)
            lines.append(f"moved; {data['config']} names {clean_line(to)} now")
        else:
            lines.append(f"moved; name {clean_line(to)} by ENGRAIN_VAULT or --vault from now on")
        return data, lines


COMMAND = MigrateCommand
