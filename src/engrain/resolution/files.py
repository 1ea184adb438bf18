"""Find, read and replace small files of the user and of other programs; read secrets, which are
never in a setting, on a command line or in an address; take kernel locks, which end with their
holder.

Find the project of a folder and the program that synchronises it (S1.3, DESIGN 6). The worktrees
of a repository share one folder of git's, which is found without running git; `selector` tells
repositories of one name apart. Device-local state must never be synchronised: an index shared by
two machines is corrupt.

The vault may be a folder below `personal.root`, beside the operator's own notes. The notes may not
be below the vault, since they would then be the agent's (S1.7).
"""

from __future__ import annotations

import fcntl
import os
from collections.abc import Iterator

from engrain.model.errors import ConfigError, ForbiddenPathError, StateLocationError

_MOST_CHARACTERS = 64 * 1024


def climb(folder: str) -> Iterator[str]:
    """Yield a folder and all folders above it."""
    above = os.path.dirname(folder)
    while above != folder:
        yield folder
        folder, above = above, os.path.dirname(above)
    yield folder


def find_upwards(folder: str, name: str) -> str | None:
    """Return the nearest `name` in `folder` or above, None if there is none."""
    paths = (os.path.join(one, name) for one in climb(folder))
    return next(filter(os.path.lexists, paths), None)


def read_text(path: str, most: int = _MOST_CHARACTERS) -> str | None:
    """Return the first characters of a file in UTF-8 with its own line ends, None if it can't be
    read."""
    try:
        with open(path, encoding="utf-8", newline="") as file:  # noqa: PTH123
            return file.read(most)
    except (OSError, UnicodeDecodeError):
        return None


def replace_file(
    path: str, content: str | bytes, *, private: bool = False, durable: bool = True
) -> None:
    """Replace a file by a text or bytes in one step; a missing folder is made. An old file keeps
    its mode, but a `private` one is readable only by its owner. A file that is not `durable` may be
    lost in a power cut. Raises OSError, UnicodeEncodeError."""
    raw = content.encode() if isinstance(content, str) else content
    os.makedirs(os.path.dirname(path) or ".", 0o700 if private else 0o777, exist_ok=True)
    temp = f"{path}.{os.getpid()}.tmp"
    try:
        mode = 0o600 if private else os.stat(path).st_mode & 0o777
    except FileNotFoundError:
        mode = 0o666
    flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC | getattr(os, "O_NOFOLLOW", 0)
    try:
        with open(os.open(temp, flags, mode), "wb") as file:  # noqa: PTH123
            file.write(raw)
            file.flush()
            if durable:
                os.fsync(file.fileno())
        if mode != 0o666:
            os.chmod(temp, mode)
        os.replace(temp, path)
    except OSError:
        if os.path.exists(temp):
            os.unlink(temp)
        raise


_LONGEST = 16 * 1024


def read_secret(setting: str, path: str) -> str:
    """Return the secret in the file that a setting names. Raises ConfigError for a file that others
    can read, or without a secret."""
    path = os.path.abspath(os.path.expanduser(path))
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        try:
            mode = os.fstat(file).st_mode
            raw = os.read(file, _LONGEST)
        finally:
            os.close(file)
    except OSError as error:
        raise ConfigError(
            f"the file of {setting} can't be read: {error.strerror}", path=path
        ) from None
    if mode & 0o077:
        raise ConfigError(
            f"others can read the file of {setting}", path=path, remedy="set its mode to 600"
        )
    secret = raw.decode("ascii", errors="replace").strip()
    if not secret or not secret.isprintable() or "\ufffd" in secret:
        raise ConfigError(f"the file of {setting} has no secret on one line", path=path)
    return secret


def acquire_lock_file(path: str, *, wait: bool = False) -> int | None:
    """Return the descriptor of the locked file; None if another process has the lock, for whose end
    `wait` waits. Raises OSError."""
    while True:
        flags = os.O_RDWR | os.O_CREAT | os.O_CLOEXEC | os.O_NOFOLLOW
        file = os.open(path, flags, 0o600)
        try:
            fcntl.flock(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
            # A holder that left has removed the file; then this lock is of no use.
            held = os.fstat(file)
            there = os.stat(path)
            if (held.st_dev, held.st_ino) == (there.st_dev, there.st_ino):
                return file
        except BlockingIOError:
            os.close(file)
            return None
        except FileNotFoundError:
            pass
        except OSError:
            os.close(file)
            raise
        os.close(file)


def release_lock_file(path: str, file: int) -> None:
    """Release the lock. The file is removed while it is still locked: a process that has opened it
    meanwhile sees that it is not the lock any more."""
    try:
        os.unlink(path)
    except FileNotFoundError:
        pass
    finally:
        os.close(file)


def read_date(path: str) -> float | None:
    """Return when a file was last written, in epoch seconds; None if that can't be read."""
    try:
        return os.lstat(path).st_mtime
    except OSError:
        return None


LONGEST = 4096
"""The most characters that are read of one of git's files."""


def detect_project(folder: str) -> str | None:
    """Return the name of the repository that contains `folder`, None outside of repositories."""
    found = find_git(folder)
    if found is None:
        return None
    path, private, common = found
    if common == private:
        common = path  # a submodule has its own
    # A bare repository's own name is the project's. A hidden one (`.bare`, beside its worktrees) is
    # inside the project's folder, as `.git` is.
    inside = os.path.basename(common).startswith(".")
    name = os.path.basename(os.path.dirname(common) if inside else common)
    return name.removesuffix(".git") or None


def find_git(folder: str) -> tuple[str, str, str] | None:
    """Return (the path of `.git` in a folder or above, git's folder of that working tree, the
    folder that all working trees share), None outside of repositories."""
    path = find_upwards(folder, ".git")
    private = path and (path if os.path.isdir(path) else _follow(path, "gitdir:"))
    if not path or not private:
        return None
    return path, private, _follow(os.path.join(private, "commondir"), "") or private


def _follow(file: str, word: str) -> str | None:
    """Return the folder that one of git's files names after a word, None if there is none."""
    text = read_text(file, LONGEST)
    if text is None or not text.startswith(word):
        return None
    target = os.path.join(os.path.dirname(file), text.removeprefix(word).strip())
    return os.path.normpath(target) if os.path.isdir(target) else None


# A file in the root of a synchronised folder, and the kind of folder.
_MARKERS = (
    (".obsidian", "an Obsidian vault"),
    (".stfolder", "a Syncthing folder"),
    (".dropbox.cache", "a Dropbox folder"),
    (".sync_folder", "a Resilio folder"),
    (".owncloudsync.log", "an ownCloud folder"),
    (".nextcloudsync.log", "a Nextcloud folder"),
    (".tmp.driveupload", "a Google Drive folder"),
)
# The name of the root of a synchronised folder, and the kind of folder.
_NAMES = (
    ("Dropbox", "a Dropbox folder"),
    ("OneDrive", "a OneDrive folder"),
    ("GoogleDrive", "a Google Drive folder"),
    ("Google Drive", "a Google Drive folder"),
    ("Mobile Documents", "an iCloud folder"),
)


def find_sync(folder: str) -> tuple[str, str] | None:
    """Return (the synchronised folder that is or contains `folder`, its kind), None if there is
    none."""
    for here in climb(os.path.realpath(folder)):
        name = os.path.basename(here)
        for start, what in _NAMES:
            if name == start or name.startswith((start + " -", start + "-", start + " (")):
                return here, what
        for marker, what in _MARKERS:
            if os.path.lexists(os.path.join(here, marker)):
                return here, what
    return None


def check_state_dir(state_dir: str, vault: str | None) -> None:
    """Raise StateLocationError if device-local state would be in a synchronised folder."""
    state = os.path.realpath(state_dir)
    if vault is not None:
        root = os.path.realpath(vault)
        if state == root or state.startswith(root + os.sep):
            raise StateLocationError(
                "device-local state would lie inside the vault",
                path=state_dir,
                remedy="set ENGRAIN_STATE_DIR to a folder outside it",
            )
    if found := find_sync(state):
        raise StateLocationError(
            f"device-local state would lie in {found[1]}, {found[0]}",
            path=state_dir,
            remedy="set ENGRAIN_STATE_DIR to a folder that nothing synchronises",
        )


def check_vault(vault: str, root: str | None) -> None:
    """Raise ConfigError if `root`, the operator's notes, is the vault's folder or inside it."""
    if root and lies_in(_real(root), _real(vault)):
        raise ConfigError(
            "the vault holds personal.root, so the operator's own notes would be the agent's",
            path=vault,
            remedy="make the vault a folder below personal.root, or set another root",
        )


def check_source(source: str, root: str | None, vault: str) -> None:
    """Raise ForbiddenPathError if a folder to import contains the operator's own notes or is among
    them; the vault and hidden folders are not."""
    if not root:
        return
    source, root, vault = _real(source), _real(root), _real(vault)
    below = source.removeprefix(root + os.sep).split(os.sep) if source.startswith(root) else []
    among = lies_in(source, root) and not lies_in(source, vault)
    if lies_in(root, source) or (among and not any(part.startswith(".") for part in below)):
        raise ForbiddenPathError(
            "the operator's own notes (personal.root) are not imported",
            path=source,
            remedy="read one with `engrain personal read`; the operator may unset personal.root",
        )


def lies_in(folder: str, above: str) -> bool:
    """Whether a folder is another or inside it, even by other names."""
    for one in climb(folder):
        try:
            if os.path.samefile(one, above):
                return True
        except (OSError, ValueError):
            continue
    return False


def _real(folder: str) -> str:
    return os.path.realpath(os.path.expanduser(folder))
