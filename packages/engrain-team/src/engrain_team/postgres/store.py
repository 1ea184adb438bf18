"""A namespace of a PostgreSQL database as a store.

A change is one call of the database function `engrain.commit`, and so one transaction: it compares
the hash of every file, and stores the whole change with its record or nothing. The function knows
the caller by the authenticated role, refuses an origin that the role may not claim, and is the only
way to write (`sql/0001_forward.sql`).

If the connection breaks during that call, the chain shows whether it was carried out: a record's
line contains the hash of a random salt, so the same hash at its number means the same change.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from typing import Any

import psycopg

from engrain.model.errors import (
    EngrainError,
    ForbiddenPathError,
    LockedError,
    MalformedError,
    NotFoundError,
    StorageError,
    VaultUnavailableError,
)
from engrain.model.history.line import GENESIS
from engrain.model.history.record import Record, encode_record
from engrain.model.note.note import MAX_NOTE_BYTES, encode, hash_bytes
from engrain.model.note.tiers import ORIGINS, Naming
from engrain.seam.changes import ChangeSet, own_numbers
from engrain.seam.locator import Locator, make_locator
from engrain.seam.looks import Seen
from engrain.seam.storage import (
    BackendRequest,
    Capabilities,
    ChainLink,
    Group,
    NoAttestor,
    StorageBackend,
    Stored,
    make_conflict,
    split_pages,
)
from engrain_team.postgres.address import parse_address
from engrain_team.postgres.connections import Connections, LostConnection, explain
from engrain_team.postgres.schema import check_version

_ATTEMPTS = 50
_OVERSEERS = ("operator", "admin")
"""The kinds of access that may erase what others wrote."""
_DONE, _AGAIN = 0, -1
"""Results of `engrain.commit`; one from 1 on is the number of a file that is not as expected."""
_RESTART_SECONDS = 10.0
"""How long a writer whose connection broke waits for the server, which may be restarting."""
_PAUSE = 0.2
_TURN, _LOOK = 1.0, 5.0
"""Seconds: the longest wait for a notice before checking whether to stop, and how often the heads
are read in case a notice was missed."""
_PAGE = 5000
_READ_TOGETHER = 200
"""The most files read by one statement: not more than 100 MB."""
_READ_AHEAD = 24
"""How many entries a recall reads by one statement: about as many as it shows and leaves out."""
_PAGE_BYTES = 4 * 1024 * 1024
_RETRIED = ("EG001", "40001", "40P01")
_NO_TEXT = re.compile("[\0\ud800-\udfff]")
"""Characters that JSON can express and PostgreSQL can't store."""

_NO_CODE = NoAttestor()
"""The server authenticates writers, so their records have no code by a device's key."""

_OPENING = """
SELECT (SELECT max(version) FROM engrain.migrations), n.vault, m.origin, session_user::text,
  current_setting('fsync') = 'on', (SELECT system_identifier FROM pg_control_system()), m.access
FROM (VALUES (1)) one
LEFT JOIN engrain.namespaces n ON n.namespace = %(namespace)s
LEFT JOIN engrain.members m ON m.namespace = %(namespace)s AND m.member = session_user
"""
_CLAIM = "SELECT engrain.note_job(%s, 'round', 0)"
"""Locks a row of `engrain.jobs`, which only members can do; it is rolled back in the end."""
_CLAIM_PATIENCE = "200ms"
_JOBS = """
SELECT job, extract(epoch FROM now() - began)::float8 FROM engrain.jobs WHERE namespace = %s
"""
_PROBE = """
SELECT pg_is_in_recovery(), current_setting('transaction_read_only') = 'on',
  (SELECT access FROM engrain.members WHERE namespace = %s AND member = session_user)
"""
_COMMIT = "SELECT engrain.commit(%s, %s, %s, %b, %b, %b, %b::bytea[])"
_READ = "SELECT raw, hash FROM engrain.files WHERE namespace = %s AND place = %s"
_READ_ALL = """
SELECT place, raw, hash FROM engrain.files WHERE namespace = %s AND place = ANY (%s::text[])
"""
_OTHERS = "SELECT place FROM engrain.attachments WHERE namespace = %s ORDER BY place"
_READ_OTHER = "SELECT raw FROM engrain.attachments WHERE namespace = %s AND place = %s"
_PLACES = """
SELECT place, hash FROM engrain.files WHERE namespace = %s AND place > %s ORDER BY place LIMIT %s
"""
_HEADS = "SELECT device, n, hash FROM engrain.heads WHERE namespace = %s AND n > 0"
_LINKS = """
SELECT n, hash, line, payload, vouched FROM engrain.links
WHERE namespace = %s AND device = %s AND n > %s ORDER BY n LIMIT %s
"""


class PostgresBackend(StorageBackend):
    """One namespace, seen by the role that connects."""

    def __init__(self, request: BackendRequest) -> None:
        self._address = parse_address(request.location)
        self._namespace = self._address.namespace
        self._connections = Connections(self._address)
        self._entropy = request.entropy
        self._read_only = request.read_only
        self._end: tuple[int, str] | None = None
        self._notified = 0.0
        self.device = request.device
        try:
            row = self._look(create=request.create, wanted=request.vault)
        except BaseException:
            self.close()
            raise
        _, self.vault, self._ceiling, self._role, durable, system, self._access = row
        self._channel = f"engrain_{self.vault}"
        self.key = f"{self.vault}-{system & (1 << 64) - 1:x}"
        self.capabilities = Capabilities(
            durable=durable, edited_outside=False, shared=True, authenticated=True
        )

    def describe(self, locator: Locator | None = None) -> str:
        return f"{self._address.text}, {locator}" if locator else self._address.text

    def read(self, locator: Locator) -> Stored:
        place = make_locator(locator)
        rows = self._connections.run(_READ, (self._namespace, place))
        if not rows:
            raise NotFoundError(f"nothing at {place}", path=place)
        raw, digest = rows[0]
        return Stored(raw, digest.hex(), digest.hex(), settled=True)

    def read_all(
        self, locators: Iterable[Locator]
    ) -> Iterator[tuple[Locator, Stored | EngrainError]]:
        for page in split_pages(map(make_locator, locators), _READ_TOGETHER):
            rows = self._connections.run(_READ_ALL, (self._namespace, page))
            found = {place: (raw, digest.hex()) for place, raw, digest in rows}
            for place in page:
                if place in found:
                    raw, digest = found[place]
                    yield place, Stored(raw, digest, digest, settled=True)
                else:
                    yield place, NotFoundError(f"nothing at {place}", path=place)

    def reading(
        self, ahead: Sequence[Locator] = ()
    ) -> AbstractContextManager[Callable[[Locator], Stored]]:
        left = list(map(make_locator, ahead))
        known: dict[Locator, Stored | EngrainError] = {}

        def read(locator: Locator) -> Stored:
            place = make_locator(locator)
            if place not in known and place in left:
                # A statement takes as long as the way to the server and back.
                at = left.index(place)
                known.update(self.read_all(left[at : at + _READ_AHEAD]))
                del left[: at + _READ_AHEAD]
            found = known.pop(place, None) or self.read(place)
            if isinstance(found, EngrainError):
                raise found
            return found

        return nullcontext(read)

    def others(self) -> Iterator[Locator]:
        for (place,) in self._connections.run(_OTHERS, (self._namespace,)):
            yield Locator(place)

    def read_other(self, locator: Locator) -> bytes:
        rows = self._connections.run(_READ_OTHER, (self._namespace, make_locator(locator)))
        if not rows:
            raise NotFoundError(f"nothing at {locator}", path=locator)
        return bytes(rows[0][0])

    def add_other(self, locator: Locator, raw: bytes) -> bool:
        place = make_locator(locator)
        if Naming(place.folder).admits(place.name):
            raise ForbiddenPathError("a note is written by a change", path=place)
        added = self._connections.run(
            "SELECT engrain.add_other(%s, %s, %b)", (self._namespace, place, raw)
        )
        return bool(added[0][0])

    def groups(self) -> Iterator[Group]:
        yield _Everything(self._places())

    def commit(self, change: ChangeSet) -> Record:
        self._check(change)
        sent: dict[int, str] = {}
        for _ in range(_ATTEMPTS):
            record = self._attempt(change, sent)
            if record is not None:
                return record
        raise LockedError("other writers hold the store too long", path=self._address.text)

    def recover(self) -> list[Record]:
        return []

    def heads(self) -> dict[str, str]:
        rows = self._connections.run(_HEADS, (self._namespace,))
        return {device: _write_cursor(n, digest) for device, n, digest in rows}

    def chain(self, device: str, after: str | None = None) -> Iterator[ChainLink]:
        make_locator(device)
        done = self._read_cursor(device, after) if after else 0
        limit = 64
        while True:
            values = self._namespace, device, done, limit
            rows = self._connections.run(_LINKS, values)
            for n, digest, line, payload, vouched in rows:
                yield ChainLink(line, payload, _write_cursor(n, digest), vouched)
                done = n
            if len(rows) < limit:
                return
            size = sum(len(line) + len(payload) for _, _, line, payload, _ in rows) // limit
            limit = max(16, min(_PAGE, _PAGE_BYTES // max(1, size)))

    def find_change(self, device: str, n: int) -> ChainLink:
        make_locator(device)
        if 0 < n < 1 << 62:
            rows = self._connections.run(_LINKS, (self._namespace, device, n - 1, 1))
            if rows and rows[0][0] == n:
                _, digest, line, payload, vouched = rows[0]
                return ChainLink(line, payload, _write_cursor(n, digest), vouched)
        raise NotFoundError(f"no change {device}-{n} in the history")

    def erasable(self) -> list[str]:
        return list(self.heads()) if self._access in _OVERSEERS else [self.device]

    def erase(self, changes: Iterable[str]) -> list[str]:
        named = list(changes)
        erased = []
        for device in self.erasable() if named else ():
            if numbers := own_numbers(device, named):
                rows = self._connections.run(
                    "SELECT engrain.erase(%s, %s, %s::bigint[])", (self._namespace, device, numbers)
                )
                erased += [f"{device}-{n}" for n in sorted(n for (n,) in rows)]
        return erased

    def unreachable(self) -> list[str]:
        [(replicas,)] = self._connections.run("SELECT count(*) FROM pg_stat_replication")
        return [
            "the server's backups, its write-ahead log and the archive of that, until they expire",
            "dead rows in the files of the server's tables, until it vacuums them",
            *([f"{replicas} replicas, until they have replayed it"] if replicas else ()),
        ]

    def adopt_links(self, device: str, links: Sequence[tuple[int, bytes, bytes]]) -> None:
        self._connections.run(
            "SELECT engrain.adopt_links(%s, %s, %s::bigint[], %b::bytea[], %b::bytea[])",
            (self._namespace, make_locator(device), *map(list, zip(*links, strict=True))),
        )

    def adopt_files(self, files: Mapping[Locator, bytes | None]) -> None:
        self._adopt("engrain.adopt_files", files)

    def adopt_others(self, files: Mapping[Locator, bytes | None]) -> None:
        self._adopt("engrain.adopt_others", files)

    def _adopt(self, function: str, files: Mapping[Locator, bytes | None]) -> None:
        self._connections.run(
            f"SELECT {function}(%s, %s::text[], %b::bytea[])",
            (self._namespace, list(files), list(files.values())),
        )

    def begin_use(self) -> None:
        self._connections.run("SELECT engrain.begin_use(%s)", (self._namespace,))

    @contextmanager
    def hand_over(self, to: str) -> Iterator[None]:
        try:
            with self._connections.borrow() as connection, connection.transaction():
                connection.execute("SELECT engrain.hand_over(%s)", (self._namespace,))
                yield
                connection.execute("SELECT engrain.mark_moved(%s, %s)", (self._namespace, to))
        except psycopg.Error as error:
            raise explain(error, self._address) from error

    @contextmanager
    def claim_jobs(self) -> Iterator[Callable[[], bool]]:
        # The lock belongs to the transaction, so that a pooler in transaction mode keeps it for us,
        # and ends with the connection.
        with self._connections.borrow() as connection:
            try:
                connection.execute("BEGIN")
                connection.execute("SET LOCAL idle_in_transaction_session_timeout = 0")
                connection.execute(f"SET LOCAL lock_timeout = '{_CLAIM_PATIENCE}'".encode())
                connection.execute(_CLAIM.encode(), (self._namespace,))
            except psycopg.errors.LockNotAvailable:
                connection.close()
                raise LockedError(
                    "another device runs jobs of the store", path=self._address.text
                ) from None
            except psycopg.Error as error:
                connection.close()
                raise explain(error, self._address) from error
            try:
                yield _Held(connection)
            finally:
                with suppress(psycopg.Error):
                    connection.execute("ROLLBACK")

    def jobs_done(self) -> Mapping[str, float]:
        return dict(self._connections.run(_JOBS, (self._namespace,)))

    def note_job(self, name: str, seconds: float) -> None:
        values = self._namespace, name, seconds
        self._connections.run("SELECT engrain.note_job(%s, %s, %s)", values)

    def changes(self, ended: Callable[[], bool]) -> Iterator[None]:
        # A pooler in transaction mode holds notices back, so the heads are read as well.
        heads: dict[str, str] | None = None
        look_at = 0.0
        with self._connections.listen(self._channel) as wait:
            while not ended():
                noticed = heads is None or wait(_TURN)
                now = time.monotonic()
                if not noticed and now < look_at:
                    continue
                # A writer sends no second notice for a while, so look again soon.
                look_at = now + (2 * _TURN if noticed else _LOOK)
                before, heads = heads, self.heads()
                if heads != before:
                    yield

    def probe(self) -> str | None:
        if self._read_only:
            return "the store is opened read-only"
        try:
            [(replica, read_only, access)] = self._connections.run(_PROBE, (self._namespace,))
        except (StorageError, VaultUnavailableError, LockedError) as error:
            return error.message
        if replica or read_only:
            return "the server takes no writes: it is a replica, or set to read-only"
        if access in (None, "reader"):
            return f"the role {self._role} may not write in the namespace {self._namespace}"
        return None

    def close(self) -> None:
        self._connections.close()

    def _look(self, *, create: bool, wanted: str) -> tuple[Any, ...]:
        """Return the row of `_OPENING` for the namespace. Raises VaultUnavailableError."""
        values = {"namespace": self._namespace}
        [row] = self._connections.run(_OPENING, values)
        check_version(row[0] or 0, self._address)
        if row[1] is None and create:
            vault = encode(int.from_bytes(self._entropy(10), "big"), 16)
            self._connections.run(
                "SELECT engrain.create_namespace(%s, %s, %s)",
                (self._namespace, wanted or vault, bool(wanted)),
            )
            [row] = self._connections.run(_OPENING, values)
        if row[1] is None:
            raise VaultUnavailableError(
                f"the role {row[3]} has no namespace {self._namespace} there",
                path=self._address.text,
                remedy="an admin gives it access, or makes the namespace with `engrain init`",
            )
        return row

    def _places(self) -> Iterator[tuple[str, str]]:
        last = ""
        while rows := self._connections.run(_PLACES, (self._namespace, last, _PAGE)):
            for place, digest in rows:
                yield place, digest.hex()
            last = rows[-1][0]

    def _check(self, change: ChangeSet) -> None:
        """Raise StorageError, ForbiddenPathError or MalformedError for a change to refuse."""
        if self._read_only:
            raise StorageError(
                "the store is opened read-only; nothing was changed",
                path=self._address.text,
                remedy="open it for writing",
            )
        for write in change.writes:
            make_locator(write.locator)
            if write.after is not None and len(write.after) > MAX_NOTE_BYTES:
                raise MalformedError(
                    f"file of {len(write.after)} bytes is over the limit of {MAX_NOTE_BYTES}",
                    reason="too-large",
                    path=write.locator,
                    remedy="split the note",
                )

    def _attempt(self, change: ChangeSet, sent: dict[int, str]) -> Record | None:
        """Try to commit; return None if another process wrote to the chain or the connection broke.
        `sent` then gets the record's number and its line's hash, since it may be stored anyway."""
        if sent and (stored := self._find_stored(sent)) is not None:
            return self._make_record(change, stored)
        n, prev = self._end or self._find_end()
        record = self._make_record(change, n + 1)
        line, payload = encode_record(record, prev, self._entropy(16).hex(), self._sign)
        self._end = None
        try:
            found = self._call_commit(change, record, prev, line, payload)
        except LostConnection as lost:
            sent[record.n] = hash_bytes(line)
            self._wait_for_server(lost, patient=change.patient)
            return None
        if found == _DONE:
            self._end = record.n, hash_bytes(line)
            self._notify()
            return record
        # An earlier attempt whose connection broke may have been carried out only now.
        if found > 0 and not (sent and self._find_stored(sent)):
            raise make_conflict(change.writes[found - 1].locator)
        return None

    def _make_record(self, change: ChangeSet, n: int) -> Record:
        """Return the record of a change, with no more trust than the role has."""
        record = change.to_record(self.device, n)
        record.reason = _NO_TEXT.sub("\ufffd", record.reason)
        record.agent = _NO_TEXT.sub("\ufffd", record.agent)
        if record.trust in ORIGINS and self._ceiling in ORIGINS:
            record.trust = max(record.trust, self._ceiling, key=ORIGINS.index)
        return record

    def _call_commit(
        self, change: ChangeSet, record: Record, prev: str, line: bytes, payload: bytes
    ) -> int:
        """Call `engrain.commit`; return its result, or `_AGAIN` if it lost a race."""
        raws = [
            write.after if file.after_hash != file.before_hash else None
            for write, file in zip(change.writes, record.files or (), strict=True)
        ]
        values = (
            self._namespace, self.device, record.n, bytes.fromhex(prev), line, payload, raws,
        )  # fmt: skip
        try:
            [(found,)] = self._connections.run_once(_COMMIT, values)
        except (StorageError, LockedError) as error:
            cause = error.__cause__
            if isinstance(cause, psycopg.Error) and cause.sqlstate in _RETRIED:
                return _AGAIN
            raise
        return int(found)

    def _notify(self) -> None:
        """Notify waiting processes of a change, at most once in `_TURN` seconds. The notice has its
        own transaction, since one with a notice delays all others with one until it is on the disk.
        """
        if time.monotonic() >= self._notified + _TURN:
            self._notified = time.monotonic()
            with suppress(EngrainError):  # they also look without a notice
                self._connections.run_once("SELECT pg_notify(%s, '')", (self._channel,))

    def _find_end(self) -> tuple[int, str]:
        """Return the number and hash of this device's newest record."""
        rows = self._connections.run(f"{_HEADS} AND device = %s", (self._namespace, self.device))
        return (rows[0][1], rows[0][2].hex()) if rows else (0, GENESIS)

    def _wait_for_server(self, lost: LostConnection, *, patient: bool) -> None:
        """Wait up to `_RESTART_SECONDS` for a server that restarts. Raises StorageError."""
        end = time.monotonic() + (_RESTART_SECONDS if patient else 0)
        while True:
            try:
                self._connections.run("SELECT 1")
            except VaultUnavailableError:
                if time.monotonic() >= end:
                    raise StorageError(
                        f"{lost.message}; the change is stored whole or not at all",
                        path=self._address.text,
                        remedy="look with `engrain history` when the server is back",
                    ) from None
                time.sleep(_PAUSE)
            else:
                return

    def _find_stored(self, sent: dict[int, str]) -> int | None:
        """Return the number of the record in `sent` that is stored, None if none is."""
        for n, digest in sent.items():
            rows = self._connections.run(_LINKS, (self._namespace, self.device, n - 1, 1))
            if rows and rows[0][0] == n and rows[0][1].hex() == digest:
                return n
        return None

    def _read_cursor(self, device: str, cursor: str) -> int:
        """Return the number of the record before a cursor, 0 if it is not in the chain."""
        number = cursor.partition(":")[0]
        if not (number.isascii() and number.isdigit() and len(number) <= 18):
            return 0
        rows = self._connections.run(_LINKS, (self._namespace, device, int(number) - 1, 1))
        return int(number) if rows and _write_cursor(*rows[0][:2]) == cursor else 0

    def _sign(self, message: bytes) -> str:
        return self.sign_record(_NO_CODE, message)


class _Held:
    """Tells whether a connection still has its transaction's lock; asks every `_LOOK` seconds."""

    def __init__(self, connection: psycopg.Connection[tuple[Any, ...]]) -> None:
        self._connection = connection
        self._asked = time.monotonic()

    def __call__(self) -> bool:
        if time.monotonic() >= self._asked + _LOOK:
            with suppress(psycopg.Error):
                self._connection.execute("SELECT 1")
            self._asked = time.monotonic()
        return not self._connection.closed


class _Everything(Group):
    """All notes of the namespace."""

    __slots__ = ("_seen",)

    def __init__(self, places: Iterable[tuple[str, str]]) -> None:
        found = ((Locator(place), stamp) for place, stamp in places)
        self._seen = [
            Seen(place, stamp) for place, stamp in found if Naming(place.folder).admits(place.name)
        ]
        super().__init__("", "", len(self._seen))

    def seen(self) -> list[Seen]:
        return self._seen


def _write_cursor(n: int, digest: bytes) -> str:
    return f"{n}:{digest.hex()}"
