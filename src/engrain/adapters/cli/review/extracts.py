"""`history --export` and `verify --extract`: extracts as files."""

from __future__ import annotations

import argparse
import contextlib
import os
from collections.abc import Iterable

from engrain.adapters.cli.console import Console
from engrain.adapters.present.extracts import describe_extract, extract_lines
from engrain.adapters.present.failures import EXIT_ERROR, EXIT_OK
from engrain.adapters.present.records import envelope
from engrain.adapters.present.text import counted
from engrain.face.memory import Memory
from engrain.model.errors import ConflictError, NotFoundError, UsageError
from engrain.model.history.extracts import Extract, read_extract


def export_history(memory: Memory, args: argparse.Namespace, console: Console) -> int:
    """Write an extract to a file, or to standard output; the exit code."""
    lines = memory.export_history(args.id, payloads=not args.no_payloads)
    if args.export == "-":
        if console.as_json:
            raise UsageError(
                "with --json the answer takes standard output", remedy="name a file to --export"
            )
        for line in lines:
            console.write_bytes(line)
        return EXIT_OK
    write_anew(args.export, lines, force=args.force)
    extract = _read(args.export)
    if console.as_json:
        data = {key: value for key, value in describe_extract(extract).items() if key != "changes"}
        console.write_json(envelope("history", {"export": args.export, **data}))
    else:
        changes = sum(chain.links for chain in extract.chains)
        console.write_lines(
            [f"{counted(changes, 'change')} in {args.export}", f"sha256 {extract.digest}"]
        )
        if not extract.sound:
            console.write_error("engrain: the history does not hold; see `engrain verify`")
    return EXIT_OK if extract.sound else EXIT_ERROR


def verify_extract(path: str, console: Console) -> int:
    """Check a file that somebody exported, without a vault; the exit code."""
    extract = _read(path)
    if console.as_json:
        console.write_json(envelope("verify", describe_extract(extract)))
    else:
        console.write_lines(extract_lines(extract, console.style))
    return EXIT_OK if extract.sound else EXIT_ERROR


def write_anew(path: str, lines: Iterable[bytes], *, force: bool) -> None:
    """Put the lines at `path` in one step, over what is there only with `force`.

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
            _place_new(temp, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temp)


def _place_new(temp: str, path: str) -> None:
    try:
        os.link(temp, path)
    except OSError:
        # Taken, or on a file system without links, where another program may come between.
        if os.path.lexists(path):
            raise ConflictError(
                "there is a file already", path=path, remedy="name another, or give --force"
            ) from None
        os.replace(temp, path)


def _read(path: str) -> Extract:
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            return read_extract(file.read())
    except FileNotFoundError:
        raise NotFoundError("no such file", path=path) from None
