"""This device's jobs as files (S1.23, S4.10). If they are lost, every job is due once.

The lock's file has its holder's process id. The kernel frees the lock when its holder dies, so it
is never taken over. Two threads exclude each other like two processes.

Glossary
--------
claim       the right to run the jobs of one vault on this device. Only one process has it, and it
            ends with that process.
status      the last run of each job; written before the job starts too, so that RUNNING without a
            claim means that it was interrupted.
log         the runs of jobs, one line each; the oldest lines are dropped.
request     somebody's wish for a job, which makes it due until it starts. A request for an unknown
            job stays.
"""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

from engrain.language.text.instants import format_instant, read_instant
from engrain.model.errors import LockedError
from engrain.model.note.documents import parse_object
from engrain.seam.job_log import JobRun
from engrain.state import append_whole, failed, try_lock, write_whole

_PATIENCE = 0.2
"""Seconds that a claim waits for processes that only check whether it is held."""
_PAUSE = 0.01
_NOTE_BYTES = 64


def _wait_for_lock(file: int, path: str) -> None:
    until = time.monotonic() + _PATIENCE
    while not try_lock(file):
        if time.monotonic() > until:
            pid = _read_pid(file)
            who = f"process {pid}" if pid else "another process"
            if pid == os.getpid():
                who = "another thread of this process"
            raise LockedError(
                f"the jobs of this vault are being run by {who}",
                path=path,
                remedy="wait for it; `engrain jobs status` shows what it does",
            )
        time.sleep(_PAUSE)


def find_holder(path: str) -> int | None:
    """Return the id of the process that has the claim at `path`, 0 if unknown, None if free."""
    try:
        file = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    except OSError:
        return None
    try:
        return _read_pid(file) if _is_held(file) else None
    finally:
        os.close(file)


def _is_held(file: int) -> bool:
    try:
        fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return True
    except OSError:
        return False
    return False


def _read_pid(file: int) -> int:
    try:
        pid = json.loads(os.pread(file, _NOTE_BYTES, 0))["pid"]
    except (OSError, ValueError, KeyError, TypeError):
        return 0
    return pid if type(pid) is int and pid > 0 else 0


_CLAIM = "claim"
_STATUS = "status.json"
_REQUESTS = "requested"
_LOG = "log.jsonl"
_MOST_BYTES = 1024 * 1024
"""The most bytes of the log, whose older half is dropped then, and of a status that is read."""


class JobLog:
    """The jobs of one vault on one device, in `folder`, which must be device-local and is made on
    first use. Methods that write raise StorageError; those that read treat unreadable data as
    missing."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    @contextmanager
    def claim(self) -> Iterator[None]:
        """Hold the claim for a block; two threads exclude each other like two processes. Entering
        raises LockedError with the holder, StorageError if the file can't be locked."""
        path = self._path(_CLAIM)
        file = -1
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
            _wait_for_lock(file, path)
            note = json.dumps({"pid": os.getpid(), "since": round(time.time(), 3)})
            os.pwrite(file, note.ljust(_NOTE_BYTES).encode(), 0)
        except BaseException as error:
            if file >= 0:
                os.close(file)
            if isinstance(error, OSError):
                raise failed("claim the jobs", error, path) from None
            raise
        try:
            yield
        finally:
            os.close(file)

    def holder(self) -> int | None:
        """Return the process id of the claim's holder, 0 if unknown, None without a holder."""
        return find_holder(self._path(_CLAIM))

    def read_status(self) -> dict[str, JobRun]:
        """Return the last run of each job that ever started."""
        try:
            with open(self._path(_STATUS), "rb") as file:  # noqa: PTH123
                jobs = json.loads(file.read(_MOST_BYTES))["jobs"].items()
        except FileNotFoundError:
            return {}
        except OSError as error:
            # Without the status every job would be due, and the next one to end would replace it.
            raise failed("read the status of the jobs", error, self._path(_STATUS)) from None
        except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
            return {}
        return {str(name): run for name, value in jobs if (run := _read_run(value))}

    def write_status(self, status: Mapping[str, JobRun]) -> None:
        """Replace the last run of every job. Only the claim's holder may do so."""
        jobs = {name: _describe(one) for name, one in sorted(status.items())}
        raw = json.dumps({"jobs": jobs}, ensure_ascii=True, indent=1).encode() + b"\n"
        try:
            _replace(self._path(_STATUS), raw)
        except OSError as error:
            raise failed("keep the status of the jobs", error, self._path(_STATUS)) from None

    def request(self, name: str, at: float) -> None:
        """Record that a job was asked for at a moment; anyone may do so at any time. The name has
        lower-case letters, digits and hyphens."""
        path = os.path.join(self._path(_REQUESTS), name)
        try:
            os.makedirs(self._path(_REQUESTS), mode=0o700, exist_ok=True)
            # The name says which job, the file time says when; the file has no content to be torn.
            os.close(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
            os.utime(path, (at, at))
        except FileNotFoundError:
            return  # the job started between the two calls
        except OSError as error:
            raise failed("note that a job was asked for", error, path) from None

    def requests(self) -> dict[str, float]:
        """Return the requested jobs that have not started since, with the time of the last
        request."""
        try:
            with os.scandir(self._path(_REQUESTS)) as found:
                return {entry.name: entry.stat().st_mtime for entry in found if entry.is_file()}
        except OSError:
            return {}

    def drop_request(self, name: str) -> None:
        """Drop the request for a job that starts. Only the claim's holder may do so."""
        path = os.path.join(self._path(_REQUESTS), name)
        try:
            os.unlink(path)
        except FileNotFoundError:
            return
        except OSError as error:
            raise failed("note that a job has started", error, path) from None

    def append(self, event: JobRun) -> None:
        """Add a run to the log. Only the claim's holder may do so."""
        raw = json.dumps(_describe(event), ensure_ascii=True).encode() + b"\n"
        path = self._path(_LOG)
        try:
            if os.path.exists(path) and os.path.getsize(path) + len(raw) > _MOST_BYTES:
                with open(path, "rb") as file:  # noqa: PTH123
                    file.seek(-_MOST_BYTES // 2, os.SEEK_END)
                    _replace(path, file.read().partition(b"\n")[2])
            append_whole(path, raw)
        except OSError as error:
            raise failed("note what a job did", error, path) from None

    def read_log(self, limit: int) -> Sequence[JobRun]:
        """Return the latest runs, oldest first, at most `limit`."""
        try:
            with open(self._path(_LOG), "rb") as file:  # noqa: PTH123
                events = [run for line in file if (run := _read_run(parse_object(line)))]
        except OSError:
            return []
        return events[-limit:] if limit > 0 else []

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name)


def _replace(path: str, raw: bytes) -> None:
    """Replace a file as a whole. Raises OSError."""
    temp = f"{path}.tmp"  # one name is enough: only the holder of the claim writes
    file = os.open(temp, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
    try:
        write_whole(file, raw)
        os.fsync(file)
    finally:
        os.close(file)
    os.replace(temp, path)


def _describe(run: JobRun) -> dict[str, object]:
    times = {"started": run.started, "ended": run.ended, "next_due": run.due}
    said: dict[str, object] = {
        "job": run.name,
        "outcome": run.outcome,
        **{name: None if at is None else format_instant(at) for name, at in times.items()},
        "seconds": round(run.seconds, 3),
        "counts": run.counts,
    }
    if run.lines:
        said["lines"] = list(run.lines)
    if run.error:
        said["error"] = run.error
    return said


def _read_run(said: Any) -> JobRun | None:
    try:
        started, due = read_instant(said["started"]), read_instant(said["next_due"])
        if started is None or due is None:
            return None
        return JobRun(
            str(said["job"]),
            str(said["outcome"]),
            float(said["seconds"]),
            {str(name): int(count) for name, count in said["counts"].items()},
            tuple(str(one) for one in said.get("lines", ())),
            str(said.get("error", "")),
            started,
            read_instant(said["ended"]),
            due,
        )
    except (ValueError, TypeError, KeyError, AttributeError, OverflowError):
        return None
