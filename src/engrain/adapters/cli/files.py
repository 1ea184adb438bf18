"""Files that the user names: read within bounds, and written whole or not at all."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence

from engrain.adapters.hosts.files import FileEdit
from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import clean, clean_line
from engrain.model.errors import ConflictError, NotFoundError, UsageError


def write_anew(path: str, lines: Iterable[bytes], *, force: bool, mode: int = 0o600) -> None:
    """Write the lines to `path` in one step; overwrite a file only with `force`. Raises
    ConflictError, OSError."""
    temp = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temp, "xb", opener=lambda name, how: os.open(name, how, mode)) as file:
            file.writelines(lines)
            file.flush()
            os.fsync(file.fileno())
        if force:
            os.replace(temp, path)
        else:
            try:
                os.link(temp, path)
            except OSError:
                # Taken, or on a file system without links, where another program may come between.
                if os.path.lexists(path):
                    raise ConflictError(
                        "the file exists already", path=path, remedy="name another, or give --force"
                    ) from None
                os.replace(temp, path)
    finally:
        with contextlib.suppress(OSError):
            os.unlink(temp)


def describe_files(changes: Sequence[FileEdit], *, dry_run: bool) -> list[Data]:
    """Return each file's path and what is done to it; for a dry run also its diff."""
    return [
        fields(change, "path action") | ({"diff": "\n".join(change.diff())} if dry_run else {})
        for change in changes
    ]


def file_lines(
    changes: Sequence[FileEdit], *, dry_run: bool, seen: dict[str, str] | None = None
) -> Iterator[str]:
    """Yield the files that change. A dry run shows each diff; one that is in `seen`, a diff with
    the file that had it first, is not shown again."""
    seen = {} if seen is None else seen
    for change in changes:
        if change.action == "unchanged":
            continue
        yield f"  {'would be ' if dry_run else ''}{change.action}: {clean_line(change.path)}"
        if dry_run:
            lines = list(map(clean, change.diff()))
            text = "\n".join(lines[2:])
            yield from [f"  the same text as in {seen[text]}"] if text in seen else lines
            seen.setdefault(text, change.path)


def read_file(path: str, most: int = 512 * 1024) -> str:
    """Read the text of a file. Raises UsageError, NotFoundError."""
    try:
        with open(path, "rb") as file:  # noqa: PTH123
            raw = file.read(most + 1)
        if len(raw) > most:
            raise UsageError(f"{path} is over {most} bytes", path=path)
        return raw.decode("utf-8-sig")
    except FileNotFoundError:
        raise NotFoundError(f"no file {path}", path=path) from None
    except OSError as error:
        raise UsageError(f"{path} can't be read: {error.strerror}", path=path) from None
    except UnicodeDecodeError:
        raise UsageError(f"{path} is not UTF-8 text", path=path) from None
