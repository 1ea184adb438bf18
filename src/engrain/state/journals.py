"""Session journals as files (S1.20): a file for each session, a line for each event, one write
each. They lie outside the vault, and are lost with the device.

Glossary
--------
session     one conversation of an agent, by the id that its host gives it. It is open until it is
            closed, and closed until it is settled, when its results have been stored. The next
            event opens it again.
current     the session that is meant if none is named.
event       one thing that happened in a session: its name, when, and what belongs to it.
"""

from __future__ import annotations

import errno
import json
import os
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager

from engrain.seam.journal import Event, name_file
from engrain.state import append_whole, failed, try_lock

_ENDING = ".jsonl"
_CLOSED = "closed"
_SETTLED = "settled"
_CURRENT = "current"
_MOST_ID = 1024
_PATIENCE = 0.1
"""Seconds that a process waits for another that writes or moves a journal."""
_PAUSE = 0.002
_MOST_BYTES = 4 * 1024 * 1024
"""How many bytes are read from the end of a journal."""


class SessionJournal:
    """The journals of one vault's sessions in `folder`, which must be device-local and need not
    exist yet. Methods raise StorageError."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def append(self, session: str, *events: Event) -> None:
        """Append events to a session's journal, all or none. Only a power cut can lose them."""
        raw = b"".join(map(_write_event, events))
        path = self._path(session)
        try:
            os.makedirs(os.path.join(self._folder, _CLOSED), mode=0o700, exist_ok=True)
            with _locked(self._folder):
                if not os.path.exists(path):
                    _move(self._path(session, _SETTLED), path)
                    _move(self._path(session, _CLOSED), path)
                append_whole(path, raw)
        except OSError as error:
            raise failed("note what happened in a session", error, path) from None

    def read(self, session: str, telling: str = "") -> list[Event]:
        """Return the events of a session, in order, or only those that contain an id (`telling`);
        none for an unknown session. Unreadable parts of a journal are skipped."""
        said = telling.encode()
        for path in (self._path(session, where) for where in ("", _CLOSED, _SETTLED)):
            try:
                with open(path, "rb") as file:  # noqa: PTH123
                    file.seek(max(0, os.fstat(file.fileno()).st_size - _MOST_BYTES))
                    return [event for line in file if said in line and (event := _read_event(line))]
            except FileNotFoundError:
                continue
            except OSError as error:
                raise failed("read a session's journal", error, path) from None
        return []

    def close(self, session: str) -> None:
        """Close a session if it is open. Its journal stays."""
        try:
            with _locked(self._folder):
                _move(self._path(session), self._path(session, _CLOSED))
        except FileNotFoundError:
            return
        except OSError as error:
            raise failed("close a session's journal", error, self._path(session)) from None

    def name_of(self, session: str) -> str:
        """Return the name under which a session is listed, which can be used like its id."""
        return name_file(session)

    def closed(self) -> Sequence[str]:
        """Return the sessions that are closed and not settled, in the order of closing."""
        return [name for _, name in sorted(self._list(_CLOSED))]

    def ended(self) -> Mapping[str, float]:
        """Return the closed sessions, settled or not, with the time of the last event by the
        journal's own clock, the oldest first."""
        found = sorted([*self._list(_SETTLED), *self._list(_CLOSED)])
        return {name: at for at, name in found}

    def close_session(self, session: str) -> None:
        """Settle a session if it is closed. Its journal stays."""
        try:
            os.makedirs(os.path.join(self._folder, _SETTLED), mode=0o700, exist_ok=True)
            with _locked(self._folder):
                _move(self._path(session, _CLOSED), self._path(session, _SETTLED))
        except OSError as error:
            raise failed("settle a session", error, self._path(session)) from None

    def drop_settled(self, before: float) -> int:
        """Remove the journals of settled sessions without events since `before`, and return their
        number."""
        names = [name for at, name in self._list(_SETTLED) if at < before]
        for name in names:
            path = os.path.join(self._folder, _SETTLED, name + _ENDING)
            try:
                os.unlink(path)
            except FileNotFoundError:
                continue
            except OSError as error:
                raise failed("remove a session's journal", error, path) from None
        return len(names)

    def forget(self, tells: Callable[[str], bool]) -> None:
        """Empty every text, in every journal, for which `tells` is true. The events stay."""
        for where in ("", _CLOSED, _SETTLED):
            for _, name in self._list(where):
                path = os.path.join(self._folder, where, name + _ENDING)
                try:
                    with _locked(self._folder):
                        _blank_texts(path, tells)
                except FileNotFoundError:
                    continue
                except OSError as error:
                    raise failed("forget what a session's journal tells", error, path) from None

    def current(self) -> str:
        """Return the current session, "" for none."""
        try:
            with open(os.path.join(self._folder, _CURRENT), encoding="utf-8") as file:  # noqa: PTH123
                return file.read(_MOST_ID)
        except (OSError, UnicodeDecodeError):
            return ""

    def set_current(self, session: str) -> None:
        """Make a session the current one; "" for none."""
        path = os.path.join(self._folder, _CURRENT)
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            temp = f"{path}.{os.getpid()}.tmp"
            with open(temp, "w", encoding="utf-8") as file:  # noqa: PTH123
                file.write(session)
            os.replace(temp, path)
        except OSError as error:
            raise failed("note the current session", error, path) from None

    def idle_since(self, before: float) -> Sequence[str]:
        """Return the open sessions without events since `before`, in time linear in the number of
        open sessions."""
        return [name for at, name in self._list("") if at < before]

    def _list(self, where: str) -> list[tuple[float, str]]:
        """Return the time of the last event and the name of each session in a folder."""
        folder = os.path.join(self._folder, where)
        try:
            with os.scandir(folder) as found:
                return [
                    (entry.stat().st_mtime, entry.name.removesuffix(_ENDING))
                    for entry in found
                    if entry.name.endswith(_ENDING)
                ]
        except FileNotFoundError:
            return []
        except OSError as error:
            raise failed("look for sessions", error, folder) from None

    def _path(self, session: str, where: str = "") -> str:
        return os.path.join(self._folder, where, name_file(session) + _ENDING)


@contextmanager
def _locked(folder: str) -> Iterator[None]:
    """Run a block in which no other process writes or moves a journal here."""
    file = os.open(folder, os.O_RDONLY | os.O_CLOEXEC)
    try:
        until = time.monotonic() + _PATIENCE
        while not try_lock(file):
            if time.monotonic() > until:
                raise BlockingIOError(errno.EAGAIN, os.strerror(errno.EAGAIN))
            time.sleep(_PAUSE)
        yield
    finally:
        os.close(file)


def _blank_texts(path: str, tells: Callable[[str], bool]) -> None:
    """Blank the texts in a journal for which `tells` is true. The file keeps its time, by which a
    session counts as left."""
    with open(path, "rb") as file:  # noqa: PTH123
        found, lines = os.fstat(file.fileno()), file.readlines()
    kept = [_blank(line, tells) for line in lines]
    if kept == lines:
        return
    temp = f"{path}.{os.getpid()}.tmp"
    number = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    with open(number, "wb") as file:  # noqa: PTH123
        file.writelines(kept)
        file.flush()
        os.fsync(number)
    os.utime(temp, ns=(found.st_atime_ns, found.st_mtime_ns))
    os.replace(temp, path)


def _blank(line: bytes, tells: Callable[[str], bool]) -> bytes:
    event = _read_event(line)
    if event is None:  # a torn line
        return b"" if tells(line.decode(errors="replace")) else line
    details = {
        name: "" if isinstance(value, str) and tells(value) else value
        for name, value in event.details.items()
    }
    return line if details == event.details else _write_event(Event(event.name, event.at, details))


def _move(path: str, to: str) -> None:
    try:
        os.rename(path, to)
    except FileNotFoundError:
        return


def _write_event(event: Event) -> bytes:
    said = {**event.details, "event": event.name, "at": event.at}
    return json.dumps(said, ensure_ascii=True).encode() + b"\n"


def _read_event(line: bytes) -> Event | None:
    try:
        details = json.loads(line)
        return Event(str(details.pop("event")), float(details.pop("at")), details)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        return None
