"""`engrain migrate`: move the vault, with its whole history, to another store."""

from __future__ import annotations

import os

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, Command
from engrain.adapters.present.records import describe_pairs
from engrain.adapters.present.text import clean_line
from engrain.engine.history.migration import Copied, compare_stores, copy_store
from engrain.model.errors import StorageError
from engrain.resolution.config_file import set_value
from engrain.resolution.selector import absolute_location
from engrain.resolution.settings import read_user_config
from engrain.seam.derived import Progress
from engrain.seam.storage import StorageBackend
from engrain.wiring import open_stores


def _migrate(args: Arguments, console: Console) -> Answer:
    to = absolute_location(args.to)
    source, target = open_stores(
        getattr(args, "vault", None), to, state_dir=getattr(args, "state_dir", None)
    )
    try:
        source.recover()
        with console.progress("copying") as progress:
            copied = copy_store(source, target, progress)
            if args.finish:
                copied = _finish(source, target, to, progress)
    finally:
        source.close()
        target.close()
    data = {
        "to": to, "finished": args.finish, "files": copied.files, "changes": copied.changes,
        "copied": copied.copied, "left_out": describe_pairs(copied.left_out.items(), "reason"),
    }  # fmt: skip
    lines = [
        f"{copied.files} files and {copied.changes} changes; {copied.copied} copied now",
        *(f"left out  {clean_line(place)}: {why}" for place, why in copied.left_out.items()),
    ]
    if not args.finish:
        lines.append("the vault stays in use; `--finish` copies what comes until then, and moves")
    elif read_user_config(os.environ).get("vault"):
        data["config"] = set_value(os.environ, "vault", to)
        lines.append(f"moved; {data['config']} names {clean_line(to)} now")
    else:
        lines.append(f"moved; name {clean_line(to)} by ENGRAIN_VAULT or --vault from now on")
    return data, lines


def _finish(
    source: StorageBackend, target: StorageBackend, to: str, progress: Progress | None
) -> Copied:
    """Keep writers out, copy the rest, compare, and let the target take the place."""
    with source.hand_over(to):
        copied = copy_store(source, target, progress)
        if difference := next(compare_stores(source, target), None):
            raise StorageError(
                f"the copy is not the vault: {difference}", remedy="nothing was moved; try again"
            )
        target.begin_use()
    return copied


COMMAND = Command(
    _migrate,
    """
--to TARGET!  where to: postgres://HOST/DATABASE?namespace=NAME, or a new folder
--finish      copy the rest, compare both, close the old store, and use the new one
$ engrain migrate --to "postgres://db.example/memory?namespace=team"
$ engrain migrate --to "postgres://db.example/memory?namespace=team" --finish
$ engrain migrate --vault "postgres://db.example/memory?namespace=team" --to ~/memory --finish
""",
)
