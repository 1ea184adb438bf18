"""Read a repository on this device as data by git, and the dates of files.

A repository's configuration and hooks may name programs that git runs (core.fsmonitor,
diff.external, a filter). So git gets an empty folder of ours as its repository, with the place of
the objects, and the commit that HEAD names is read.
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from fnmatch import fnmatchcase
from subprocess import DEVNULL, PIPE, Popen
from tempfile import mkdtemp
from threading import Timer

from engrain.model.errors import StorageError
from engrain.resolution.files import find_upwards, read_text
from engrain.resolution.place import LONGEST, find_git
from engrain.seam.sources import Commit, Repository

_HEX = frozenset("0123456789abcdef")
_MOST_PACKED = 16 * 1024 * 1024
_DEEPEST = 5


@dataclass(slots=True, eq=False)
class GitState:
    """The branch, "" if none is checked out, and the commit, "" if there is none yet or it is
    stored in a form that is not read here (reftable)."""

    branch: str
    commit: str

    def __str__(self) -> str:
        on = f"branch {self.branch}" if self.branch else "no branch"
        return f"commit {self.commit}, {on}" if self.commit else f"no commit known, {on}"


def read_git_state(folder: str) -> GitState | None:
    """Return the state of the repository that contains `folder`, None outside of repositories."""
    found = find_git(folder)
    if found is None:
        return None
    _, private, common = found
    head = read_text(os.path.join(private, "HEAD"), LONGEST)
    if head is None:
        return None
    head = head.strip()
    if not head.startswith("ref:"):
        return GitState("", head if _is_commit(head) else "")
    name = head[4:].strip()
    branch = name.removeprefix("refs/heads/")
    if branch == ".invalid":  # what HEAD says where references are in a reftable
        return GitState("", "")
    return GitState(branch, _resolve(common, private, name))


def _resolve(common: str, private: str, name: str) -> str:
    """Return the commit that a reference names, in its own file or among the packed ones."""
    for _ in range(_DEEPEST):
        if not name.startswith("refs/") or ".." in name:
            return ""
        own = (os.path.join(folder, *name.split("/")) for folder in (private, common))
        text = next((text.strip() for path in own if (text := read_text(path, LONGEST))), "")
        if not text.startswith("ref:"):
            return text if _is_commit(text) else _look_up(common, name)
        name = text[4:].strip()
    return ""


def _look_up(common: str, name: str) -> str:
    try:
        path = os.path.join(common, "packed-refs")
        if os.path.getsize(path) > _MOST_PACKED:
            return ""
        with open(path, encoding="utf-8", errors="replace") as lines:  # noqa: PTH123
            for line in lines:
                commit, _, named = line.strip().partition(" ")
                if named == name and _is_commit(commit):
                    return commit
    except OSError:
        pass
    return ""


def _is_commit(text: str) -> bool:
    return len(text) in (40, 64) and _HEX.issuperset(text)


DOCUMENTS = ("*.md", "*.markdown", "*.rst", "*.txt", "*.adoc", "CHANGELOG*", "README*", "NEWS*")
"""The patterns of names of documents if a source has none."""

_DATE = "//"
"""The beginning of a commit's date in a list of paths, which no path has."""
_TIMEOUT_S = 30.0
_MOST_BYTES = 16 << 20
_MOST_DOCUMENT = 1 << 20
_MOST_DOCUMENTS = 2000
_LONGEST_MESSAGE = 20_000
_SHA256_DIGITS = 64


def open_repository(path: str, environ: Mapping[str, str], match: Sequence[str] = ()) -> _Git:
    """Return the repository that contains a folder, at the commit checked out there; `match` are
    patterns of names of documents. Raises StorageError."""
    state, found = read_git_state(path), find_git(path)
    objects = os.path.join(found[2], "objects") if found else ""
    if state is None or not os.path.isdir(objects):
        raise StorageError("no repository of git", path=path)
    if not state.commit:
        raise StorageError("it has no commit yet, or none that can be read", path=path)
    return _Git(path, objects, state.commit, environ, match or DOCUMENTS)


class _Git(Repository):
    def __init__(
        self, path: str, objects: str, head: str, environ: Mapping[str, str], match: Sequence[str]
    ) -> None:
        self.head = head
        self._match = match
        self._path = path
        self._folder = mkdtemp(prefix="engrain-git-")
        self._environ = {
            "PATH": environ.get("PATH", os.defpath),
            "LC_ALL": "C.UTF-8",
            "HOME": self._folder,
            "GIT_DIR": self._folder,
            "GIT_OBJECT_DIRECTORY": objects,
            "GIT_CONFIG_NOSYSTEM": "1",
            "GIT_CONFIG_GLOBAL": os.devnull,
            "GIT_NO_LAZY_FETCH": "1",
            "GIT_TERMINAL_PROMPT": "0",
            "GIT_OPTIONAL_LOCKS": "0",
            "GIT_NO_REPLACE_OBJECTS": "1",
        }
        self._prepare(os.path.dirname(objects))

    def commits(self, since: str, most: int) -> Sequence[Commit]:
        asked = ["log", "-z", f"--max-count={most}", "--no-merges", "--no-show-signature"]
        known = [f"^{since}"] if self._is_there(since) else []
        written = self._run(*asked, "--format=%H%n%ct%n%B", self.head, *known, "--")
        found = []
        for record in written.decode(errors="replace").split("\0"):
            id_, _, rest = record.strip("\n").partition("\n")
            at, _, message = rest.partition("\n")
            if id_:
                when = float(at) if at.isdigit() else None
                found.append(Commit(id_, when, message[:_LONGEST_MESSAGE].strip()))
        return found

    def documents(self, since: str) -> Sequence[str]:
        if self._is_there(since):
            written = self._run(
                "diff-tree", "-r", "-z", "--name-only", "--no-renames", "--diff-filter=AM",
                "--no-ext-diff", "--no-textconv", since, self.head,
            )  # fmt: skip
        else:
            written = self._run("ls-tree", "-r", "-z", "--name-only", "--full-tree", self.head)
        paths = [path.decode(errors="surrogateescape") for path in written.split(b"\0") if path]
        return sorted(path for path in paths if _is_document(path, self._match))[:_MOST_DOCUMENTS]

    def dates(self, below: str) -> dict[str, float]:
        """Return the author's date of the last commit that changed each file, by its path from the
        root, in epoch seconds; only of files `below` a folder if one is named."""
        written = self._run(
            "--literal-pathspecs", "log", "-z", "--name-only", "--no-renames", "--no-ext-diff",
            "--no-textconv", "--no-show-signature", f"--format={_DATE}%at", self.head, "--",
            *([below] if below else []),
        )  # fmt: skip
        found: dict[str, float] = {}
        at = 0.0
        for part in written.decode(errors="surrogateescape").split("\0"):
            if part.startswith(_DATE):
                at = float(part.removeprefix(_DATE).strip() or 0)
            elif name := part.removeprefix("\n"):
                found.setdefault(name, at)
        return found

    def read(self, path: str) -> bytes:
        return self._run("cat-file", "blob", f"{self.head}:{path}", most=_MOST_DOCUMENT)

    def close(self) -> None:
        shutil.rmtree(self._folder, ignore_errors=True)

    def _prepare(self, private: str) -> None:
        """Make what git needs in a repository: a head, references, and the objects' format."""
        os.makedirs(os.path.join(self._folder, "refs"))
        form = "sha256" if len(self.head) == _SHA256_DIGITS else "sha1"
        version = "1" if form == "sha256" else "0"
        extension = f"[extensions]\n\tobjectformat = {form}\n" if form == "sha256" else ""
        files = {
            "HEAD": "ref: refs/heads/none\n",
            "config": f"[core]\n\trepositoryformatversion = {version}\n\tbare = true\n{extension}",
            "shallow": _read_shallow(private),
        }
        for name, text in files.items():
            if text:
                with open(os.path.join(self._folder, name), "w", encoding="ascii") as file:  # noqa: PTH123
                    file.write(text)

    def _is_there(self, commit: str) -> bool:
        """Whether a commit still exists; a rewritten history may have lost it."""
        if not commit or not _HEX.issuperset(commit):
            return False
        try:
            return self._run("cat-file", "-t", commit).strip() == b"commit"
        except StorageError:
            return False

    def _run(self, *words: str, most: int = _MOST_BYTES) -> bytes:
        """Run git and return at most so many bytes of its output."""
        try:
            process = Popen(
                [os.fsencode(word) for word in ("git", "--no-pager", *words)],
                env=self._environ,
                cwd=self._folder,
                stdin=DEVNULL,
                stdout=PIPE,
                stderr=DEVNULL,
            )
        except FileNotFoundError:
            raise StorageError(
                "git is not installed", path=self._path, remedy="install git"
            ) from None
        timer = Timer(_TIMEOUT_S, process.kill)
        timer.start()
        try:
            assert process.stdout is not None
            with process.stdout as output:
                written = output.read(most)
                cut = bool(output.read(1))
            if cut:
                process.kill()
            code = process.wait()
        finally:
            timer.cancel()
            if process.poll() is None:
                process.kill()
                process.wait()
        if code and not cut:
            raise StorageError(f"git can't read it (git {words[0]})", path=self._path)
        return written


def _read_shallow(private: str) -> str:
    """Return the commits at which a shallow clone ends, "" for a complete one."""
    try:
        with open(os.path.join(private, "shallow"), encoding="ascii") as file:  # noqa: PTH123
            lines = file.read(_MOST_BYTES).split()
    except (OSError, UnicodeDecodeError):
        return ""
    return "".join(f"{line}\n" for line in lines if _HEX.issuperset(line))


def _is_document(path: str, match: Sequence[str]) -> bool:
    name = path.rpartition("/")[2]
    hidden = any(part.startswith(".") for part in path.split("/"))
    return not hidden and any(fnmatchcase(name, pattern) for pattern in match)


class FileDates:
    """The dates of the files below a folder: in a working tree of git the author's date of the last
    commit that changed the file, else the file's own. Git is asked once, at the first date."""

    def __init__(self, folder: str, environ: Mapping[str, str]) -> None:
        self._folder = os.path.realpath(folder)
        self._environ = environ
        self._by_git: Mapping[str, float] | None = None
        self._root = ""
        self._last = "", ""
        """The last folder, and its real path."""

    def __call__(self, path: str) -> float | None:
        """Return the date of a file in epoch seconds, None if there is none."""
        folder, name = os.path.split(path)
        if folder != self._last[0]:
            self._last = folder, os.path.realpath(folder)
        place = os.path.join(self._last[1], name)
        if self._by_git is None:
            self._by_git = self._ask_git()
        if self._by_git:
            name = os.path.relpath(place, self._root).replace(os.sep, "/")
            if (at := self._by_git.get(name)) is not None:
                return at
        try:
            return os.lstat(place).st_mtime
        except OSError:
            return None

    def _ask_git(self) -> Mapping[str, float]:
        found = find_upwards(self._folder, ".git")
        if found is None:
            return {}
        self._root = os.path.dirname(os.path.realpath(found))
        below = os.path.relpath(self._folder, self._root).replace(os.sep, "/")
        try:
            with closing(open_repository(self._root, self._environ)) as repository:
                return repository.dates("" if below == "." else below)
        except StorageError:
            return {}  # git is not installed, or there is no commit yet
