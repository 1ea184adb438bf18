"""`engrain backup` and `engrain export`: one file of the vault, or the layout of another tool."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterable

from engrain.adapters.cli.care.layouts import refuse_vault
from engrain.adapters.cli.options import Answer, Arguments, Command, open_from, resolve_from
from engrain.adapters.cli.progress import show_progress
from engrain.adapters.present.records import describe_pairs
from engrain.adapters.present.text import clean, report_lines
from engrain.model.errors import ConflictError, NotFoundError, UsageError
from engrain.resolution.device import IN_BACKUP, find_keys

_PART_BACKUP = ".engrain-part"
"""What the name of a file that is being written ends with."""


def _back_up(args: Arguments) -> Answer:
    target = os.path.abspath(args.file)
    if os.path.lexists(target) and not args.force:
        raise ConflictError(
            "it is there already", path=target, remedy="name a new file, or --force"
        )
    refuse_vault(args, target)
    part = target + _PART_BACKUP
    with open_from(args) as memory:
        keys = find_keys(os.environ, resolve_from(args).location)
        secret = keys.secret(memory.vault) if keys else None
        if args.with_key and secret is None:
            raise NotFoundError(
                "this device has no key of this vault",
                remedy="back up where the key is, or leave out --with-key",
            )
        beside = {}
        if args.with_key and secret:
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
    lines = [f"{size / 1e6:.1f} MB: {clean(args.file)}"]
    if beside:
        lines.append("the vault's key is in it: whoever has the file can write in your name")
    elif path:
        lines += [
            f"not in it: the vault's key, {clean(path)}, which proves who wrote what",
            "  keep a copy of that file elsewhere, or repeat this with --with-key --force",
        ]
    return data, lines


BACKUP = Command(
    _back_up,
    """
file=FILE   a tar file that is not there yet, outside of the vault
--with-key  put the vault's key into it, which is a secret
--force     replace the file
$ engrain backup ~/backups/memory.tar
$ engrain backup ~/backups/memory.tar --force --json
$ engrain backup /media/safe/memory.tar --with-key
""",
    opens=None,
)


_PART_EXPORT = ".engrain-part"
"""What the name of a folder that is being written ends with."""


def _export(args: Arguments) -> Answer:
    target = os.path.abspath(args.path)
    if os.path.lexists(target) and not os.path.isdir(target):
        raise UsageError(f"{target} is no folder", path=target)
    if not args.force and os.path.isdir(target) and os.listdir(target):
        raise ConflictError(
            "the folder is not empty", path=target, remedy="name a new one, or give --force"
        )
    refuse_vault(args, target)
    with open_from(args) as memory, show_progress(args.console, "exporting") as progress:
        project = args.project
        export = memory.exchange.export_layout(args.format, project=project, progress=progress)
        files = _write_folder(target, export.files(), force=args.force)
    left = describe_pairs(export.left_out, "reason")
    data = {"path": target, "files": files, "counts": export.counts, "left_out": left}
    counts = ", ".join(f"{count} {kind}" for kind, count in sorted(export.counts.items()))
    line = f"{counts or 'nothing'} in {files} files: {clean(args.path)}"
    return data, [line, *report_lines(export.left_out, "left out")]


def _write_folder(target: str, files: Iterable[tuple[str, bytes]], *, force: bool) -> int:
    """Write the files and put them in place together; return how many. In a folder that is
    there already each is put into its place by itself."""
    part = target + _PART_EXPORT
    shutil.rmtree(part, ignore_errors=True)  # of an export that was killed
    count = 0
    try:
        os.makedirs(part)
        for name, raw in files:
            place = os.path.join(part, *name.split("/"))
            os.makedirs(os.path.dirname(place), exist_ok=True)
            with open(place, "xb") as file:  # noqa: PTH123
                file.write(raw)
                file.flush()
                os.fsync(file.fileno())
            count += 1
        if force and os.path.isdir(target) and os.listdir(target):
            _merge(part, target)
        else:
            if os.path.isdir(target):
                os.rmdir(target)
            os.rename(part, target)
    finally:
        shutil.rmtree(part, ignore_errors=True)
    return count


def _merge(part: str, target: str) -> None:
    for here, _, names in os.walk(part):
        below = os.path.normpath(os.path.join(target, os.path.relpath(here, part)))
        inside = os.path.join(os.path.realpath(target), os.path.relpath(below, target))
        if below != target and os.path.realpath(below) != inside:
            raise UsageError(f"{below} is a link to another folder", path=below)
        os.makedirs(below, exist_ok=True)
        for name in names:
            os.replace(os.path.join(here, name), os.path.join(below, name))


EXPORT = Command(
    _export,
    """
path=PATH  a folder that is new or empty
--format <loki|three-layer|living>!  loki: the files of .loki/memory; three-layer: MEMORY.md, daily
           notes and facts of entities; living: notes in core, active, archive and procedural
--force    allow a folder with files, and overwrite those of the same name
$ engrain export --format loki ./loki-memory
$ engrain export --format loki ./loki-memory --project billing --json
$ engrain export --format loki ./loki-memory --force
$ engrain export --format three-layer ./workspace
$ engrain export --format living ./memory
""",
    opens=None,
)
