"""Files that the user names: read within bounds, and written whole or not at all."""

from __future__ import annotations

import contextlib
import os
import subprocess
from collections.abc import Iterator, Sequence
from typing import BinaryIO

from engrain.adapters.hosts.files import FileEdit
from engrain.adapters.present.records import Data, fields
from engrain.adapters.present.text import clean, clean_line
from engrain.model.errors import ConflictError, NotFoundError, UsageError


@contextlib.contextmanager
def open_anew(path: str, *, force: bool, mode: int = 0o600) -> Iterator[BinaryIO]:
    """Open a file for writing that gets the name `path` when the block ends without an error;
    overwrite a file only with `force`. Raises ConflictError, OSError."""
    taken = ConflictError(
        "the file exists already", path=path, remedy="name another, or give --force"
    )
    if os.path.lexists(path) and not (force and os.path.isfile(path)):
        raise taken
    temp = f"{path}.{os.getpid()}.tmp"
    try:
        with open(temp, "xb", opener=lambda name, how: os.open(name, how, mode)) as file:
            yield file
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
                    raise taken from None
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


_PATIENCE_S = 5.0


def read_git(given: str | None) -> str:
    """Return a state as it is given, or with `auto` the current one. Raises UsageError."""
    if given != "auto":
        return given or ""
    commit, branch = _find()
    on = f"branch {branch}" if branch else "no branch"
    return f"commit {commit}, {on}" if commit else f"no commit known, {on}"


def read_commit(given: str | None) -> str | None:
    """Return a commit as it is given, or with `auto` the current one. Raises UsageError."""
    return _find()[0] if given == "auto" else given


def describe_git() -> dict[str, str]:
    """Describe the repository around as data; empty outside of any."""
    found = {
        "branch": _ask("branch", "--show-current"),
        "commit": _ask("rev-parse", "-q", "--verify", "HEAD"),
    }
    return {key: value for key, value in found.items() if value}


def _find() -> tuple[str, str]:
    """Return the commit and the branch that are checked out, each "" if there is none."""
    if _ask("rev-parse", "--is-inside-work-tree") != "true":
        raise UsageError("there is no git repository here", remedy="write the state out")
    return _ask("rev-parse", "-q", "--verify", "HEAD"), _ask("branch", "--show-current")


def _ask(*words: str) -> str:
    """Return what a command of git prints, "" where it fails or git is not installed."""
    try:
        done = subprocess.run(
            ["git", *words], capture_output=True, text=True, timeout=_PATIENCE_S, check=False
        )
    except (OSError, subprocess.TimeoutExpired):
        return ""
    return done.stdout.strip() if done.returncode == 0 else ""
