"""The operator's own notes in a folder of plain files, its access rules, and the log of its use
(S1.7). See `seam.personal`.

The folder is walked like a vault, part by part and without following links. A vault or a device's
state in it is closed. Such folders are recognised by their content and identity, not by their
names, so that no other spelling leads into one. The log is JSON lines on this device."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field

from engrain.backends import confined
from engrain.backends.confined import TEMP_PREFIX, Descriptor
from engrain.backends.lock import hold_lock
from engrain.backends.placing import place_new, place_over, remove
from engrain.model.errors import (
    ConfigError,
    ConflictError,
    EngrainError,
    ForbiddenPathError,
    MalformedError,
    NotFoundError,
    StorageError,
)
from engrain.model.note.note import MAX_NOTE_BYTES, hash_bytes
from engrain.model.note.tiers import SYSTEM_FOLDER
from engrain.seam.locator import Locator, is_part, make_locator
from engrain.seam.personal import BEGUN, DONE, TEXT_ENDINGS, Changed, Personal, PersonalRequest, Use
from engrain.seam.storage import Stored

_ROOT = os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC


class PersonalRoot:
    """The open root during one verb; a block closes it."""

    __slots__ = ("_closed", "_number", "path")

    def __init__(self, root: str | None, closed: Iterable[str]) -> None:
        """Open the root. Raises ConfigError if none is set, it is missing, or it is in a vault."""
        self.path = _find_root(root)
        self._closed = {found for folder in closed if (found := _identify(folder))}
        if inside := next(filter(self._is_closed_path, _climb(self.path)), None):
            raise ConfigError(
                "personal.root lies in a vault or in this device's state",
                path=inside,
                remedy="the operator sets it to a folder of notes outside of them",
            )
        try:
            self._number = os.open(self.path, _ROOT)
        except OSError as error:
            raise ConfigError(
                f"personal.root can't be reached: {error.strerror}",
                path=self.path,
                remedy="the operator sees to it, or sets another",
            ) from None

    def __enter__(self) -> PersonalRoot:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Close the descriptor."""
        os.close(self._number)

    def enter(self, folders: Sequence[str], *, create: bool = False) -> int:
        """Open a folder below the root and return its descriptor; `create` makes missing folders.
        Raises NotFoundError, ForbiddenPathError for a closed folder, OSError."""
        here = os.dup(self._number)
        for depth, part in enumerate(folders, 1):
            try:
                below = confined.open_folder(here, [part], create)
            except EngrainError as error:
                error.path = "/".join(folders[:depth])
                raise
            finally:
                os.close(here)
            here = below
            if self._is_closed(here):
                os.close(here)
                raise ForbiddenPathError(
                    "not among the personal notes: a vault, or this device's state",
                    path="/".join(folders[:depth]),
                    remedy="use the verbs of the vault, such as `engrain show`",
                )
        return here

    def find(self, locator: Locator) -> tuple[bytes, os.stat_result] | None:
        """Return a file's bytes and stat, None if there is none. Raises ForbiddenPathError,
        MalformedError for a file that is too large, OSError."""
        folders, name = confined.split_path(locator)
        try:
            with confined.Descriptor(self.enter(folders)) as folder:
                try:
                    return confined.read_file(folder, name)
                except (ForbiddenPathError, MalformedError) as error:
                    error.path = locator
                    raise
        except NotFoundError:
            return None

    def _is_closed(self, folder: int) -> bool:
        found = os.fstat(folder)
        if (found.st_dev, found.st_ino) in self._closed:
            return True
        try:
            os.stat(SYSTEM_FOLDER, dir_fd=folder, follow_symlinks=False)
        except FileNotFoundError:
            return False
        return True

    def _is_closed_path(self, folder: str) -> bool:
        return _identify(folder) in self._closed or os.path.lexists(
            os.path.join(folder, SYSTEM_FOLDER)
        )


def check_place(place: str) -> Locator:
    """Return the checked place of a note or folder. Raises ForbiddenPathError."""
    try:
        return make_locator(place)
    except ForbiddenPathError as error:
        raise ForbiddenPathError(
            f"not a place among the personal notes: {error.path}",
            path=error.path,
            remedy="name a note by its folders and name below personal.root",
        ) from None


def check_note(place: str) -> Locator:
    """Return the checked place of a note. Raises ForbiddenPathError, also by the file's ending."""
    locator = check_place(place)
    if not is_text_name(locator.name):
        raise ForbiddenPathError(
            f"{locator[:200]!a} is no note: its name ends with none of " + ", ".join(TEXT_ENDINGS),
            remedy="name a file of markdown or plain text",
        )
    return locator


def is_text_name(name: str) -> bool:
    """Whether a file with this name counts as a note."""
    return name.lower().endswith(TEXT_ENDINGS)


def check_text(locator: Locator, raw: bytes) -> str:
    """Return the text of a note. Raises MalformedError."""
    if len(raw) > MAX_NOTE_BYTES:
        raise MalformedError(
            f"note of {len(raw)} bytes is over the limit of {MAX_NOTE_BYTES}",
            reason="too-large",
            path=locator,
            remedy="split the note",
        )
    try:
        text = raw.decode()
    except UnicodeDecodeError:
        raise MalformedError("note is not UTF-8 text", reason="encoding", path=locator) from None
    if "\0" in text:
        raise MalformedError("note holds a NUL character", reason="nul", path=locator)
    return text


def _find_root(root: str | None) -> str:
    if not root:
        raise ConfigError(
            "no folder of personal notes is configured",
            remedy="the operator names it: `engrain config set personal.root FOLDER`",
        )
    path = os.path.expanduser(root)
    if not os.path.isabs(path):
        raise ConfigError(
            f"personal.root is {root[:80]!r}, which depends on where one stands",
            remedy="the operator sets it to an absolute path",
        )
    return os.path.realpath(path)


def _climb(path: str) -> list[str]:
    found = [path]
    while (above := os.path.dirname(path)) != path:
        found.append(path := above)
    return found


def _identify(folder: str) -> tuple[int, int] | None:
    try:
        found = os.stat(folder)
    except (OSError, ValueError):
        return None
    return found.st_dev, found.st_ino


_LONGEST_PLACE = 300
_WAIT = 5.0
_FIELDS = ("at", "agent", "verb", "place", "outcome", "before", "after")


class UseLog:
    """The log of uses in one folder, which is made on first use."""

    def __init__(self, folder: str) -> None:
        self._folder = folder
        self._path = os.path.join(folder, "uses.jsonl")

    def write(self, key: str, use: Use) -> None:
        """Append a use durably; readers take only the last use with the same `key`. Raises
        StorageError, LockedError."""
        fields = {"use": key, **{name: getattr(use, name) for name in _FIELDS}}
        fields |= {name: fields[name][:_LONGEST_PLACE] for name in ("agent", "place")}
        raw = json.dumps(fields, ensure_ascii=True).encode() + b"\n"
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            with hold_lock(self._folder, self._folder, _WAIT):
                self._append(raw)
        except OSError as error:
            raise StorageError(
                f"the use of personal notes can't be logged: {error.strerror}",
                path=self._folder,
                remedy="see to this device's state folder; unlogged there is no use",
            ) from None

    def read(self, since: float | None) -> Sequence[Use]:
        """Return the uses since `since` (None: all), oldest first. Raises StorageError."""
        try:
            with open(self._path, "rb") as file:  # noqa: PTH123
                found = dict(read for line in file if (read := _read_line(line)))
        except FileNotFoundError:
            return ()
        except OSError as error:
            raise StorageError(
                f"the log of personal notes can't be read: {error.strerror}", path=self._folder
            ) from None
        return [use for use in found.values() if since is None or use.at >= since]

    def _append(self, raw: bytes) -> None:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        with confined.Descriptor(os.open(self._path, flags, 0o600)) as file:
            size = os.fstat(file).st_size
            if size and os.pread(file, 1, size - 1) != b"\n":
                raw = b"\n" + raw  # keep a line that a crash cut off from spoiling this one
            confined.write_all(file, raw)
            confined.sync(file)


@dataclass(slots=True, eq=False)
class LoggedUse:
    """A block in which one use is made. It is logged when the block ends, and an OSError is raised
    as a StorageError."""

    _log: UseLog
    _key: str
    _use: Use
    _begun: bool = field(default=False, init=False)
    before: str | None = field(default=None, init=False)

    def __enter__(self) -> LoggedUse:
        return self

    def begin(self, before: str | None, after: str) -> None:
        """Log that a change is about to be made."""
        self.before = before
        self._use.before = before
        self._use.after = after
        self._log.write(self._key, self._use)
        self._begun = True

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        use = self._use
        use.before = self.before
        if error is None:
            use.outcome = DONE
        else:
            use.outcome = StorageError.code if isinstance(error, OSError) else _code_of(error)
            use.after = None
        # A failure to log must not hide a refusal, or a change that was made.
        spare = (EngrainError,) if error is not None or self._begun else ()
        with contextlib.suppress(*spare):
            self._log.write(self._key, use)
        if isinstance(error, OSError):
            raise StorageError(
                f"personal notes: {error.strerror}",
                path=use.place,
                remedy="see to the disk and to who may write there",
            ) from None


def _code_of(error: BaseException) -> str:
    return error.code if isinstance(error, EngrainError) else "error"


def _read_line(line: bytes) -> tuple[str, Use] | None:
    try:
        value = json.loads(line)
        agent, verb, place, outcome = (str(value[name]) for name in _FIELDS[1:5])
        before, after = value["before"], value["after"]
        return str(value["use"]), Use(
            float(value["at"]), agent, verb, place, outcome, before, after
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


_TEMP = f"{TEMP_PREFIX}personal-"


def open_personal(request: PersonalRequest) -> Personal:
    """Return the port over `request.root`; the root is checked when a verb is called."""
    return PersonalFolder(request)


class PersonalFolder(Personal):
    """The operator's notes in one folder. Nothing is held open between calls."""

    def __init__(self, request: PersonalRequest) -> None:
        self._request = request
        self._log = UseLog(os.path.join(request.state, "log"))

    def check(self) -> None:
        self._open_root().close()

    def list(self, folder: str = "") -> Sequence[str]:
        with self._use("list", folder), self._open_root() as root:
            parts = check_place(folder).split("/") if folder else []
            with Descriptor(root.enter(parts)) as here, os.scandir(here) as entries:
                names = [name for entry in entries if (name := _list_name(root, parts, entry))]
            return ["/".join([*parts, name]) for name in sorted(names)]

    def read(self, place: str) -> Stored:
        with self._use("read", place) as use:
            stored = self._read(place)
            use.before = stored.hash
            return stored

    def write(self, place: str, raw: bytes, expected: str | None = None) -> Changed:
        with self._use("write", place) as use, self._open_root() as root:
            locator = check_note(place)
            given, raw = raw, self._request.redact(check_text(locator, raw)).encode()
            check_text(locator, raw)
            folders, name = confined.split_path(locator)
            with self._hold(root):
                before = root.find(locator)
                _compare(locator, before, expected)
                use.begin(expected, hash_bytes(raw))
                kept = None if before is None else self._store_copy(before[0])
                with Descriptor(root.enter(folders, create=True)) as here:
                    self._sweep(here)
                    if not self._put(here, name, raw, _mode_of(before), expected):
                        raise _conflict(locator, None)
                    confined.sync(here)
            return Changed(locator, hash_bytes(raw), expected, kept, redacted=raw != given)

    def refuse(self, verb: str, place: str, outcome: str) -> None:
        with contextlib.suppress(EngrainError):
            self._log.write(self._draw(), self._describe(verb, place, outcome))

    def uses(self, since: float | None = None) -> Sequence[Use]:
        return self._log.read(since)

    def _use(self, verb: str, place: str) -> LoggedUse:
        return LoggedUse(self._log, self._draw(), self._describe(verb, place, BEGUN))

    def _describe(self, verb: str, place: str, outcome: str) -> Use:
        return Use(self._request.clock.now(), self._request.agent, verb, place, outcome)

    def _draw(self) -> str:
        return self._request.entropy.draw(8).hex()

    def _open_root(self) -> PersonalRoot:
        return PersonalRoot(self._request.root, (*self._request.closed, self._request.state))

    def _hold(self, root: PersonalRoot) -> AbstractContextManager[None]:
        os.makedirs(self._request.state, mode=0o700, exist_ok=True)
        return hold_lock(root.path, self._request.state)

    def _read(self, place: str) -> Stored:
        locator = check_note(place)
        with self._open_root() as root:
            found = root.find(locator)
        if found is None:
            raise NotFoundError(
                "no such personal note", path=locator, remedy="`engrain personal list` shows them"
            )
        raw, status = found
        check_text(locator, raw)
        return Stored(raw, hash_bytes(raw), confined.stamp_of(status), settled=False)

    def _store_copy(self, raw: bytes) -> str:
        """Keep a copy in this device's state, named by its hash as in the log; return its path."""
        folder = os.path.join(self._request.state, "kept")
        os.makedirs(folder, mode=0o700, exist_ok=True)
        temp, name = _TEMP + self._draw(), f"{hash_bytes(raw)}.txt"
        opened = os.open(folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        with Descriptor(opened) as number:
            confined.write_new(number, temp, raw, 0o600)
            os.rename(temp, name, src_dir_fd=number, dst_dir_fd=number)
            confined.sync(number)
        return os.path.join(folder, name)

    def _put(self, folder: int, name: str, raw: bytes, mode: int, expected: str | None) -> bool:
        """Write a file; return False if another program wrote it first."""
        temp = _TEMP + self._draw()
        try:
            confined.write_new(folder, temp, raw, mode)
            if expected is None:
                return place_new(folder, temp, name)
            return place_over(folder, temp, name, expected, hash_bytes(raw), [])
        except OSError:
            remove(folder, temp)
            raise

    def _sweep(self, folder: int) -> None:
        """Move temporary files of killed writers to the kept copies: they may hold others' text."""
        for name in os.listdir(folder):
            if name.startswith(_TEMP):
                with contextlib.suppress(EngrainError):
                    self._store_copy(confined.read_file(folder, name)[0])
                    remove(folder, name)


def _mode_of(before: tuple[bytes, os.stat_result] | None) -> int:
    return 0o644 if before is None else before[1].st_mode & 0o777


def _list_name(root: PersonalRoot, parts: Sequence[str], entry: os.DirEntry[str]) -> str | None:
    """Return the name to list for an entry (a folder's ends with `/`), None to leave it out."""
    if not is_part(entry.name):
        return None
    if entry.is_dir(follow_symlinks=False):
        try:
            os.close(root.enter([*parts, entry.name]))
        except (ForbiddenPathError, NotFoundError):
            return None
        return f"{entry.name}/"
    return entry.name if entry.is_file(follow_symlinks=False) and is_text_name(entry.name) else None


def _compare(
    locator: Locator, before: tuple[bytes, os.stat_result] | None, expected: str | None
) -> None:
    found = None if before is None else hash_bytes(before[0])
    if found != expected:
        raise _conflict(locator, found)


def _conflict(locator: Locator, found: str | None) -> ConflictError:
    now = f": its hash is now {found}" if found else ""
    return ConflictError(
        f"{locator} is not as it was expected{now}",
        path=locator,
        remedy="read it and decide again; `--expect HASH` names the version that was read",
    )
