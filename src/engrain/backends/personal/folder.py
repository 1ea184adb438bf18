"""The operator's own notes in a folder of plain files (S1.7). See `seam.personal`."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Sequence
from contextlib import AbstractContextManager

from engrain.backends import confined
from engrain.backends.confined import TEMP_PREFIX, Descriptor
from engrain.backends.lock import hold_lock
from engrain.backends.personal.root import (
    LoggedUse,
    PersonalRoot,
    UseLog,
    check_note,
    check_place,
    check_text,
    is_text_name,
)
from engrain.backends.placing import place_new, place_over, remove
from engrain.model.errors import ConflictError, EngrainError, ForbiddenPathError, NotFoundError
from engrain.model.note.note import hash_bytes
from engrain.seam.locator import Locator, is_part
from engrain.seam.personal import BEGUN, Changed, Personal, PersonalRequest, Use
from engrain.seam.storage import Stored

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
                kept = None if before is None else self._keep(before[0])
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

    def _keep(self, raw: bytes) -> str:
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
                    self._keep(confined.read_file(folder, name)[0])
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
