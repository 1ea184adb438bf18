"""`engrain init`: create a vault; the first one becomes the default."""

from __future__ import annotations

import os
from contextlib import suppress

from engrain.adapters.cli.answer import Answer
from engrain.adapters.cli.console import Console
from engrain.adapters.cli.options import Arguments, Command, open_from, resolve_from
from engrain.adapters.hosts.files import Change, read, write_all
from engrain.model.architecture import FOLDERS, PAGE, PLACE, is_persons
from engrain.model.errors import EngrainError
from engrain.model.note.tiers import SYSTEM_FOLDER
from engrain.resolution.config_file import set_default


def _init(args: Arguments, _: Console) -> Answer:
    if args.folder is not None:
        args.vault = args.folder
    with open_from(args, create=True) as memory:
        memory.scan()
        vault = memory.vault
    resolution = resolve_from(args)
    place = resolution.location
    _furnish(place)
    written = None
    # What the environment or a flag chose for now is no wish for always; a named folder is.
    if args.folder is not None and not os.environ.get("ENGRAIN_VAULT"):
        written = set_default(os.environ, "vault", place)
    lines = [f"vault ready: {place} ({resolution.backend})"]
    if written:
        lines.append(f"it is now your default vault, by {written}")
    elif args.folder is not None:
        change = f"`engrain config set vault {place}` changes that"
        lines.append(f"the default vault stays what it was; {change}")
    lines.append('next: engrain save "…", engrain recall "…", engrain doctor')
    data = {"id": vault, "vault": place, "backend": resolution.backend, "config": written}
    return data, lines


def _furnish(location: str) -> None:
    """Put into a vault that is a folder what a person would look for there: folders, and the page
    that says what is where. No link is followed, and what stands in the way is left alone."""
    if not os.path.isdir(os.path.join(location, SYSTEM_FOLDER)):
        return  # the backend keeps its notes elsewhere
    for name in FOLDERS:
        path = os.path.join(location, name)
        if not os.path.islink(os.path.dirname(path)):
            with suppress(OSError):
                os.mkdir(path)
    path = os.path.join(location, PLACE)
    folder = os.path.dirname(path)
    if os.path.islink(path) or os.path.islink(folder) or not os.path.isdir(folder):
        return
    with suppress(EngrainError):
        before = read(path)
        if before is None or not is_persons(before):
            write_all([Change(path, before, PAGE.encode())])


COMMAND = Command(
    _init,
    """
folder=FOLDER?  the vault's folder
$ engrain init ~/memory
$ engrain init ~/Obsidian/Agent
""",
)
