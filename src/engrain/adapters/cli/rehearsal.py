"""`import --dry-run`: the import is done for real, in a copy of the vault that is removed again."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager

from engrain import Memory
from engrain.adapters.cli.options import Arguments, open_from, resolve_from
from engrain.model.note.tiers import SYSTEM_FOLDER

_PREFIX = "rehearsal-"


@contextmanager
def open_for_import(args: Arguments) -> Iterator[Memory]:
    """The memory to import into; with `dry_run` one over a copy beside this device's state. So the
    figures are those of the import itself, whatever its format does."""
    if not args.dry_run:
        with open_from(args) as memory:
            yield memory
        return
    found = resolve_from(args)
    os.makedirs(found.state_dir, mode=0o700, exist_ok=True)
    for left in os.listdir(found.state_dir):  # by one that was killed
        if left.startswith(_PREFIX):
            shutil.rmtree(os.path.join(found.state_dir, left), ignore_errors=True)
    with tempfile.TemporaryDirectory(dir=found.state_dir, prefix=_PREFIX) as folder:
        copy = os.path.join(folder, "vault")
        if os.path.isdir(found.location):
            shutil.copytree(found.location, copy, ignore=_ignore, symlinks=True)
        there = Arguments()
        vars(there).update(vars(args))
        there.vault, there.state_dir = copy, os.path.join(folder, "state")
        with open_from(there) as memory:
            yield memory


def _ignore(folder: str, names: list[str]) -> list[str]:
    """What no import looks at: hidden folders of other programs, and what is no file."""
    hidden = [name for name in names if name.startswith(".") and name != SYSTEM_FOLDER]
    inside = SYSTEM_FOLDER in folder.split(os.sep)
    paths = ((name, os.path.join(folder, name)) for name in names)
    odd = [name for name, path in paths if not os.path.isdir(path) and not os.path.isfile(path)]
    return odd if inside else [*hidden, *odd]
