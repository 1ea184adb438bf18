"""The sources of one vault, listed in a file of the user and read at their places (S4.4); and the
project of a folder that a transcript recorded, which may be on no disk any more."""

from __future__ import annotations

import errno
import os
import re
import stat
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from fnmatch import fnmatchcase
from typing import Any

from engrain.language.text.folding import slugify
from engrain.model.errors import ConfigError, ForbiddenPathError, NotFoundError, UsageError
from engrain.model.experience.ledger import check_name
from engrain.model.note.tiers import ORIGINS
from engrain.resolution.config_file import read_tables, sources_file, write_tables
from engrain.resolution.files import check_source, climb, detect_project, find_git
from engrain.resolution.settings import is_off
from engrain.seam.sources import OWN, Shelf, Source, SourceFile

_TREES = frozenset(("worktree", "worktrees", ".worktree", ".worktrees", ".trees"))
"""Folders that hold worktrees: those of one repository inside it, or those of many."""
_ID = re.compile(r"[0-9a-f]{4,40}", re.IGNORECASE)
"""A folder's name that a host drew by lot, before that of the repository: `7f3a/ferry`."""


def find_recorded(
    folder: str, find_project: Callable[[str], str | None] = detect_project
) -> str | None:
    """Return the project of a session's recorded folder: its repository's if that is on this
    device, as `find_project` names it, else the project in its path. A folder that exists outside
    of repositories has none."""
    if os.path.isdir(folder):
        return find_project(folder)
    named = name_recorded(folder)
    above = next(filter(os.path.isdir, climb(folder)), "") if os.path.isabs(folder) else ""
    found = find_git(above) if above else None
    # A home folder that is kept in git is not the project of what was in it.
    if found and not _holds_home(os.path.dirname(found[0])):
        return find_project(above)
    beside = os.path.join(os.path.dirname(folder), named or "")
    return (find_project(beside) if named and os.path.isdir(beside) else None) or named


def name_recorded(folder: str) -> str | None:
    """Return the project that the path of a missing folder names: its last folder, or of a worktree
    the repository, by the places where hosts put worktrees; None for a home folder."""
    parts = [part for part in folder.replace("\\", "/").split("/") if part not in ("", ".")]
    if not parts or _is_home(parts) or (len(parts) == 1 and parts[0].endswith(":")):
        return None
    for at in range(len(parts) - 2, -1, -1):
        if parts[at] in _TREES:
            return _name_owner(parts[:at], parts[at + 1 :])
    return parts[-1]


def _name_owner(above: Sequence[str], below: Sequence[str]) -> str:
    """Return the repository of a worktree at `below` in a folder of worktrees that lies in `above`:
    the repository around that folder, or its name in the path if the folder is for many."""
    hidden = bool(above) and above[-1].startswith(".")
    owner = above[:-1] if hidden else above
    if len(owner) > 1 and not _is_home(owner):
        return owner[-1]
    return below[1] if len(below) > 1 and _ID.fullmatch(below[0]) else below[0]


def _is_home(parts: Sequence[str]) -> bool:
    """Whether these folders are those of somebody's home, on any system, or above it."""
    if parts and parts[0].endswith(":"):
        parts = parts[1:]
    if list(parts) in (["root"], ["home"], ["Users"]):
        return True
    return len(parts) == 2 and parts[0] in ("home", "Users")


def _holds_home(folder: str) -> bool:
    home = os.path.realpath(os.path.expanduser("~"))
    folder = os.path.realpath(folder)
    return home == folder or home.startswith(folder.rstrip(os.sep) + os.sep)


MATCH = ("*.md", "*.markdown", "*.txt", "*.jsonl", "*.json", "*.vtt", "*.srt")
"""The patterns of names of files that are read if a source has none."""

_CHUNK = 1 << 20
_MOST_FILES = 100_000
_DEEPEST = 32
_MOST_BYTES = 256 << 20
"""The most bytes of a transcript that is read automatically."""
HOSTS = {
    "claude-code": ("CLAUDE_CONFIG_DIR", "~/.claude", "projects", "*.jsonl"),
    "codex": ("CODEX_HOME", "~/.codex", "sessions", "rollout-*.jsonl"),
    "gemini": ("GEMINI_CLI_HOME", "~", ".gemini/tmp", "session-*.json*"),
    "qwen": ("", "~/.qwen", "projects", "*.jsonl"),
    "copilot": ("COPILOT_HOME", "~/.copilot", "session-state", "events.jsonl"),
    "opencode": ("XDG_DATA_HOME", "~/.local/share", "opencode/engrain", "*.jsonl"),
    "pi": ("PI_CODING_AGENT_DIR", "~/.pi/agent", "sessions", "*.jsonl"),
}
"""By host: the variable that moves its folder, that folder, the folder of transcripts in it, and
the pattern of their names."""
_REMEDY = "name a folder of notes or transcripts of its own"


def find_transcripts(host: str, environ: Mapping[str, str]) -> str:
    """Return the real path of the folder of a host's transcripts, which may not be there."""
    variable, home, below, _ = HOSTS[host]
    folder = os.path.expanduser(environ.get(variable) or home)
    return os.path.realpath(os.path.join(folder, below))


class SourceStore(Shelf):
    """The sources of a vault, by its id, and their files. `closed` are the folders of the vault and
    of this device's state, `personal` that of the operator's own notes: none of them can be a
    source. `find_project` names the project of a folder that is there."""

    def __init__(
        self,
        environ: Mapping[str, str],
        vault: str,
        *,
        closed: Sequence[str],
        personal: str | None,
        find_project: Callable[[str], str | None] = detect_project,
    ) -> None:
        self._environ = environ
        self._vault = vault
        self._closed = [os.path.realpath(folder) for folder in closed]
        self._personal = personal
        self._find_project = find_project

    def list(self) -> Sequence[Source]:
        """Return every source, in the order in which they were added. Raises ConfigError."""
        return read_sources(self._environ, self._vault)

    def add(self, source: Source) -> Source:
        """Store a source and return it as stored, with an absolute path and, if it had none, a free
        name. Raises UsageError for a missing path or a used name, ForbiddenPathError for a place
        that is forbidden to learning, ConfigError, StorageError."""
        path = self._check(source.path, open_hidden=False)
        kept = self.list()
        for other in kept:
            if other.path == path:
                raise UsageError(
                    f"{path} is a source already: {other.name}",
                    path=path,
                    remedy=f"`engrain learn remove {other.name}` first, to add it otherwise",
                )
        taken = {OWN, *(other.name for other in kept)}
        name = check_name(source.name, "source") if source.name else name_of_path(path, taken)
        if name in taken:
            raise UsageError(f"there is a source {name!r} already", remedy="give another --name")
        added = replace(source, name=name, path=path, match=tuple(source.match))
        write_sources(self._environ, self._vault, [*kept, added])
        return added

    def remove(self, name: str) -> Source:
        """Remove a source; its files stay. Raises NotFoundError, ConfigError, StorageError."""
        kept = self.list()
        found = next((source for source in kept if source.name == name), None)
        if found is None:
            raise NotFoundError(
                f"no source {name!r}",
                path=sources_file(self._environ),
                remedy="`engrain learn list` lists them",
            )
        write_sources(self._environ, self._vault, [one for one in kept if one is not found])
        return found

    def detect(self) -> Sequence[Source]:
        """Return the folders of hosts' sessions on this device, whether added or not."""
        found = []
        for host, row in HOSTS.items():
            path = find_transcripts(host, self._environ)
            if os.path.isdir(path):
                source = Source(host, path, format=host, trust="agent", host=host, match=row[3:])
                found.append(source)
        return found

    def place(self, path: str) -> Source:
        """Return a file or folder as a source for one reading, which is not stored and is named by
        its path. Raises UsageError, ForbiddenPathError."""
        return Source(path, self._check(path, open_hidden=True))

    def session(self, host: str, path: str) -> Source:
        """Return the transcript of one session of a host as a source that is not stored. Raises
        UsageError if it is gone or too large, or the host is unknown; ForbiddenPathError for a path
        outside of the host's folder."""
        folder = next((found for found in self.detect() if found.host == host), None)
        if folder is None:
            raise UsageError(f"no transcripts of {host[:40] or 'an unnamed host'} are read")
        real = self._check(path, open_hidden=True)
        if not _lies_in(real, folder.path) or not _fits(os.path.basename(real), folder.match):
            raise ForbiddenPathError(
                f"{path} is none of the transcripts that {host} keeps in {folder.path}", path=real
            )
        if not os.path.isfile(real) or os.path.getsize(real) > _MOST_BYTES:
            raise UsageError(f"{path} is over {_MOST_BYTES >> 20} MiB", path=real)
        return Source(real, real, format=folder.format, trust=folder.trust, host=host)

    def files(self, source: Source) -> Iterator[SourceFile | OSError]:
        try:
            root = self._check(source.path, open_hidden=True)
        except UsageError:
            yield _error(errno.ENOENT, "it is not there any more, or not just now", source.path)
            return
        folder = root if os.path.isdir(root) else os.path.dirname(root)
        found = self._walk(folder, "", source.match or MATCH, 0) if folder == root else None
        if found is None:
            found = iter([_look_at(root, os.path.basename(root))])
        for number, file in enumerate(found):
            if number >= _MOST_FILES:
                yield _error(errno.EFBIG, f"over {_MOST_FILES} files; the rest is left", root)
                return
            yield file

    def read(self, source: Source, name: str, offset: int = 0) -> Iterator[bytes]:
        root = os.path.realpath(source.path)
        folder = root if os.path.isdir(root) else os.path.dirname(root)
        path = os.path.join(folder, *name.split("/"))
        if os.path.realpath(path) != path:
            raise _error(errno.ELOOP, "a link that leads elsewhere", path)
        # Opening a pipe would wait for its writer.
        descriptor = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NOFOLLOW | os.O_NONBLOCK)
        with open(descriptor, "rb", buffering=0) as file:  # noqa: PTH123
            if not stat.S_ISREG(os.fstat(descriptor).st_mode):
                raise _error(errno.EINVAL, "no file of text", path)
            file.seek(offset)
            while chunk := file.read(_CHUNK):
                yield chunk

    def find_project(self, folder: str) -> str | None:
        """Return the project of a session's folder, which its path names if it is on this device no
        more; None for a folder outside of projects."""
        return find_recorded(folder, self._find_project)

    def is_off(self, folder: str) -> bool:
        """Whether the user switched memory off in a session's folder, so that nothing is learned
        from the session. True also if the folder's settings can't be read."""
        return is_off(self._environ, folder)

    def _check(self, path: str, *, open_hidden: bool) -> str:
        """Return the real path of a place that may be a source. Raises UsageError."""
        try:
            real = os.path.realpath(os.path.expanduser(path))
            there = os.path.isfile(real) or os.path.isdir(real)
        except ValueError:  # a NUL character, or half of one beyond 16 bits
            raise UsageError(f"{path[:80]!a} is no path") from None
        if not there:
            what = "neither a file nor a folder" if os.path.lexists(real) else "not there"
            raise UsageError(f"{path} is {what}", path=path, remedy="give a file or a folder")
        if os.path.dirname(real) == real:
            raise ForbiddenPathError("a whole file system is no source", path=real, remedy=_REMEDY)
        for closed in self._closed:
            if _lies_in(real, closed):
                raise ForbiddenPathError(
                    "a path inside the vault or this device's state can't be a source",
                    path=real,
                    remedy=_REMEDY,
                )
        if not open_hidden and not any(_lies_in(real, host.path) for host in self.detect()):
            hidden = [part for part in real.split(os.sep) if part.startswith(".")]
            if hidden:
                raise ForbiddenPathError(
                    f"{hidden[0]} is hidden, and hidden files are not read",
                    path=real,
                    remedy=_REMEDY,
                )
        check_source(real, self._personal, self._closed[0])
        return real

    def _walk(
        self, folder: str, below: str, match: Sequence[str], depth: int
    ) -> Iterator[SourceFile | OSError]:
        try:
            with os.scandir(folder) as found:
                entries = sorted(found, key=lambda entry: entry.name)
        except OSError as error:
            yield error
            return
        for entry in entries:
            if entry.name.startswith("."):
                continue
            name = below + entry.name
            try:
                if entry.is_symlink():
                    if not _lies_in(os.path.realpath(entry.path), folder):
                        yield _error(errno.ELOOP, "a link that leads elsewhere", entry.path)
                elif entry.is_dir():
                    if entry.path not in self._closed and depth < _DEEPEST:
                        yield from self._walk(entry.path, f"{name}/", match, depth + 1)
                elif entry.is_file() and _fits(name, match):
                    yield _look_at(entry.path, name)
            except OSError as error:
                yield error


def _look_at(path: str, name: str) -> SourceFile | OSError:
    try:
        found = os.stat(path, follow_symlinks=False)
    except OSError as error:
        return error
    return SourceFile(name, found.st_size, found.st_mtime, f"{found.st_dev}:{found.st_ino}")


def _fits(name: str, match: Sequence[str]) -> bool:
    base = name.rpartition("/")[2]
    return any(
        fnmatchcase(name if "/" in pattern else base, pattern) or fnmatchcase(base.lower(), pattern)
        for pattern in match
    )


def name_of_path(path: str, taken: set[str]) -> str:
    """Return a name for a path that is not taken."""
    return free_name(os.path.basename(path).partition(".")[0], taken)


def free_name(text: str, taken: set[str]) -> str:
    """Return a name made from a text that is not taken."""
    base = slugify(text, "source")
    numbered = (f"{base}-{number}" for number in range(2, len(taken) + 3))
    return base if base not in taken else next(name for name in numbered if name not in taken)


def _lies_in(path: str, folder: str) -> bool:
    return path == folder or path.startswith(folder.rstrip(os.sep) + os.sep)


def _error(number: int, message: str, path: str) -> OSError:
    return OSError(number, message, path)


_TABLE = "source"
_TEXTS = ("format", "project", "host")


def read_sources(environ: Mapping[str, str], vault: str) -> list[Source]:
    """Return the sources of a vault, by its id. Raises ConfigError for an invalid file."""
    path = sources_file(environ)
    return [_read_source(table, path) for table in read_tables(environ, _TABLE, vault)]


def write_sources(environ: Mapping[str, str], vault: str, sources: Sequence[Source]) -> None:
    """Replace the sources of a vault by these. Raises ConfigError, StorageError."""
    write_tables(environ, _TABLE, vault, [_describe_source(source) for source in sources])


def _read_source(table: Mapping[str, Any], path: str) -> Source:
    name, where, trust = table.get("name"), table.get("path"), table.get("trust", "external")
    if not isinstance(name, str) or not name or not isinstance(where, str) or not where:
        raise ConfigError("a source has no name or no path", path=path, remedy="correct the file")
    if trust not in ORIGINS:
        raise ConfigError(
            f"the trust of source {name!r} is one of " + ", ".join(ORIGINS), path=path
        )
    match = table.get("match", [])
    given = {key: table.get(key, "") for key in _TEXTS}
    texts = [*given.values(), *(match if isinstance(match, list) else [None])]
    if not all(isinstance(text, str) for text in texts):
        raise ConfigError(f"source {name!r} has a value that is no text", path=path)
    return Source(name, where, trust=trust, match=tuple(match), **given)


def _describe_source(source: Source) -> dict[str, Any]:
    return {
        "name": source.name,
        "path": source.path,
        "trust": source.trust,
        **{key: getattr(source, key) for key in _TEXTS},
        "match": list(source.match),
    }
