"""Reads from a replica if it has all that this device has seen, else from the primary.

A position is a place in the server's write-ahead log, in bytes. This device keeps in its state the
farthest position that it has written or read, and accepts no answer from a replica that has not
replayed that far. So a device reads what it wrote, and never sees the store go back.
"""

from __future__ import annotations

import os
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import psycopg

from engrain.backends.lock import hold_lock
from engrain.backends.postgres.address import Address
from engrain.backends.postgres.connections import Connections, Values
from engrain.model.errors import EngrainError

_UNKNOWN = 1 << 62
"""Greater than every position: the device wrote, and does not know its new position."""
_LOOK_SECONDS = 60.0
_POSITION = b"""
SELECT CASE WHEN pg_is_in_recovery() THEN pg_last_wal_replay_lsn() - '0/0' ELSE %s END::bigint
"""
_WRITTEN = "SELECT (pg_current_wal_lsn() - '0/0')::bigint"


class Reader:
    """Runs statements that change nothing."""

    def __init__(self, address: Address, primary: Connections) -> None:
        self._primary = primary
        self._replicas = Connections(address, reads=True) if address.has_replicas else None
        self._folder = ""
        self._seen = self._kept = 0
        self._look_again = time.monotonic() + _LOOK_SECONDS

    def keep_in(self, folder: str | None) -> None:
        """Keep the position in a folder for this device's next processes; None keeps it nowhere."""
        self._folder = folder or ""
        self.recall()

    def run(self, query: str, values: Values = ()) -> list[tuple[Any, ...]]:
        """Run a statement and return its rows, as `Connections.run` does."""
        if self._seen == _UNKNOWN:
            self.note_write()
        rows = None
        if self._replicas is not None and self._seen < _UNKNOWN:
            with suppress(psycopg.Error, EngrainError):
                rows = self._ask_replica(self._replicas, query, values)
        return self._primary.run(query, values) if rows is None else rows

    def note_write(self) -> None:
        """Note that this device changed something, so that all later reads show the change."""
        if self._replicas is None:
            return
        try:
            [(self._seen,)] = self._primary.run(_WRITTEN)
        except EngrainError:
            self._seen = _UNKNOWN
        self.remember()

    def recall(self) -> None:
        """Read the position that other processes of this device have seen."""
        if self._folder and self._replicas is not None:
            self._kept = _read(self._folder)
            self._seen = max(self._seen, self._kept)

    def remember(self) -> None:
        """Store the position that this process has seen for other processes of this device."""
        if not self._folder or self._seen == self._kept:
            return
        with suppress(OSError):
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            with hold_lock(self._folder, self._folder):
                found = _read(self._folder)
                if found < self._seen or found == self._kept == _UNKNOWN:
                    _place(self._folder).write_text(f"{self._seen:020}", encoding="ascii")
        self._kept = self._seen

    def close(self) -> None:
        """Close all connections to replicas."""
        if self._replicas is not None:
            self._replicas.close()

    def _ask_replica(
        self, replicas: Connections, query: str, values: Values
    ) -> list[tuple[Any, ...]] | None:
        """Return the rows, None if the replica is behind. In the same round trip, the position
        before the statement shows whether the answer is complete, the one after it what was seen.
        """
        with replicas.borrow() as connection:
            with connection.pipeline():
                before = connection.execute(_POSITION, (_UNKNOWN,))
                answer = connection.execute(query.encode(), values, binary=True)
                after = connection.execute(_POSITION, (0,))
            [(reached,)] = before.fetchall()
            if reached < self._seen:
                return None
            [(position,)] = after.fetchall()
            self._seen = max(self._seen, position)
            rows = answer.fetchall()
            if reached == _UNKNOWN and time.monotonic() > self._look_again:
                connection.close()  # the primary answered; next time a replica may be back
                self._look_again = time.monotonic() + _LOOK_SECONDS
            return rows


def _place(folder: str) -> Path:
    return Path(folder, "position")


def _read(folder: str) -> int:
    try:
        return int(_place(folder).read_text(encoding="ascii"))
    except (OSError, ValueError):
        return 0
