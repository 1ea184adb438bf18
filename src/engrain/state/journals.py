"""Session journals as files: one a session, one line an event, appended to in one write."""

from __future__ import annotations

import json
import os

from engrain.model.errors import StorageError
from engrain.seam.journal import Event, SessionJournal

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Sequence

_ENDING = ".jsonl"
_CLOSED = "closed"
_LONGEST = 80
_SAFE = frozenset("abcdefghijklmnopqrstuvwxyz0123456789-_")
_MOST_BYTES = 4 * 1024 * 1024
"""So much of the end of a journal is read."""


def open_journals(folder: str) -> SessionJournal:
    """The journals in `folder`, which must be device-local; it need not exist yet."""
    return _FileJournal(folder)


class _FileJournal(SessionJournal):
    def __init__(self, folder: str) -> None:
        self._folder = folder

    def append(self, session: str, *events: Event) -> None:
        lines = [
            json.dumps({"event": event.name, "at": event.at, **event.details}, ensure_ascii=True)
            for event in events
        ]
        raw = "".join(f"{line}\n" for line in lines).encode()
        path = self._path(session)
        try:
            if not os.path.exists(path):
                os.makedirs(os.path.join(self._folder, _CLOSED), mode=0o700, exist_ok=True)
                _move(self._closed_path(session), path)
            file = os.open(path, os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC, 0o600)
            try:
                os.write(file, raw)
            finally:
                os.close(file)
        except OSError as error:
            raise _failed("note what happened in a session", error, path) from None

    def read(self, session: str) -> list[Event]:
        for path in (self._path(session), self._closed_path(session)):
            try:
                with open(path, "rb") as file:  # noqa: PTH123
                    file.seek(max(0, os.fstat(file.fileno()).st_size - _MOST_BYTES))
                    return [event for line in file if (event := _read_event(line))]
            except FileNotFoundError:
                continue
            except OSError as error:
                raise _failed("read a session's journal", error, path) from None
        return []

    def close(self, session: str) -> None:
        try:
            _move(self._path(session), self._closed_path(session))
        except OSError as error:
            raise _failed("close a session's journal", error, self._path(session)) from None

    def idle_since(self, before: float) -> Sequence[str]:
        try:
            with os.scandir(self._folder) as found:
                return [
                    entry.name.removesuffix(_ENDING)
                    for entry in found
                    if entry.name.endswith(_ENDING) and entry.stat().st_mtime < before
                ]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise _failed("look for sessions", error, self._folder) from None

    def _path(self, session: str) -> str:
        return os.path.join(self._folder, _file_name(session))

    def _closed_path(self, session: str) -> str:
        return os.path.join(self._folder, _CLOSED, _file_name(session))


def _file_name(session: str) -> str:
    """The session's id where it is a plain name, else a digest of it: hosts choose their ids."""
    if 0 < len(session) <= _LONGEST and _SAFE.issuperset(session):
        return session + _ENDING
    from _blake2 import blake2b

    return blake2b(session.encode(errors="replace"), digest_size=16).hexdigest() + _ENDING


def _move(path: str, to: str) -> None:
    try:
        os.rename(path, to)
    except FileNotFoundError:
        return


def _read_event(line: bytes) -> Event | None:
    try:
        details = json.loads(line)
        return Event(str(details.pop("event")), float(details.pop("at")), details)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None


def _failed(what: str, error: OSError, path: str) -> StorageError:
    return StorageError(f"can't {what}: {error.strerror}", path=path)
