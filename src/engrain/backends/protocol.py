"""The write protocol of the file stores (S1.14, DESIGN section 7).

    lock -> compare hashes with the bytes re-read inside the lock -> write each file without a name
    -> append record and payload to the history, fsync -> name each file beside its place, fsync ->
    rename each -> fsync every folder touched -> note in this device's state that the tail of the
    chain is finished -> unlock

Where files can't be without names, they are written after the record (`applying`).

Changes of several threads (`grouping`), or of one caller, are committed together: all their
records are appended and flushed first, then all their files.

A process that dies before the append has changed nothing. One that dies after it leaves an
unfinished tail (the last record and those flushed together with it), which the next opener
completes from the payload. Temp files can only lie in the folders that the tail names, so only
those are swept. The note in the state folder saves openers from reading the chain; they read it
where the note is missing, torn or not about the chain's end.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from engrain.backends import confined, segments
from engrain.backends.applying import apply_files, write_unnamed
from engrain.backends.confined import TEMP_PREFIX, Descriptor, Folders, refuse_moved
from engrain.backends.forks import resolve_forks
from engrain.backends.grouping import CommitRequest, Commits
from engrain.backends.lock import hold_lock
from engrain.backends.placing import TEMP, discard, is_in_the_way, sweep
from engrain.model.errors import (
    ConflictError,
    EngrainError,
    ForbiddenPathError,
    HistoryError,
    LockedError,
    MalformedError,
    NotFoundError,
    StorageError,
)
from engrain.model.history.line import count_together
from engrain.model.history.record import (
    EXTERNAL,
    HANDOVER,
    FileChange,
    Record,
    decode_record,
    encode_record,
)
from engrain.model.note.note import base_device, hash_bytes
from engrain.model.note.tiers import SYSTEM_FOLDER
from engrain.seam.locator import Locator
from engrain.seam.storage import make_conflict

if TYPE_CHECKING:
    from engrain.model.history.line import Sign
    from engrain.seam.changes import ChangeSet
    from engrain.seam.storage import Identity


LOCK_WAIT = 10.0
"""Seconds that a writer waits for the lock. An opener that only checks does not wait."""


class _HalfDone(StorageError):
    """A change that failed and could not be taken back."""


@dataclass(slots=True, eq=False)
class WriteProtocol:
    """Commits to one vault folder as one device, and holds nothing open between calls.

    `device` changes when another installation is found to write with the same id: this one then
    takes a new id. `vouched` says whether a record's line has a valid code, as far as this device
    can check it.
    """

    _folder: str
    _state: str
    device: str
    _entropy: Callable[[int], bytes]
    _sign: Sign
    _vouched: Callable[[bytes], bool]
    _identity: Identity
    _commits: Commits = field(default_factory=Commits, init=False)
    stopped: str = field(default="", init=False)
    """The error that kept `recover` from completing a change, "" if none did."""

    def commit(self, root: int, change: ChangeSet) -> Record:
        """See `StorageBackend.commit`."""
        request = CommitRequest(change)
        try:
            if change.patient:
                self._commits.make(request, lambda *given: self._lead(root, *given))
            else:
                self._lead(root, request, lambda: (request,), wait=0)
        except OSError as error:
            if request.record is None:
                raise _refused(error, self._folder) from None
        return request.outcome()

    def commit_all(self, root: int, changes: Sequence[ChangeSet]) -> list[Record | EngrainError]:
        """See `StorageBackend.commit_all`."""
        requests = [CommitRequest(change) for change in changes]
        try:
            self._lead(root, requests[0], lambda: requests)
        except (OSError, LockedError) as error:
            for one in requests:
                one.error = one.error or self._describe_failure(error)
        return [one.record or one.refused() for one in requests]

    def _lead(
        self,
        root: int,
        request: CommitRequest,
        take: Callable[[], Sequence[CommitRequest]],
        wait: float | None = None,
    ) -> None:
        """Wait for the lock at most `wait` seconds (None: `LOCK_WAIT`), then commit each request
        that `take` returns as a change of its own."""
        until = request.since + (LOCK_WAIT if wait is None else wait)
        left = max(0.0, until - time.monotonic())
        with self._hold(left):
            self._refuse_moved(root)
            requests = take()
            try:
                self._commit_together(root, requests)
            except _HalfDone as error:
                for one in requests:
                    one.error = one.error or error
            except (OSError, EngrainError) as error:
                # Nothing was changed. Several stopped requests are tried again one by one.
                for one in requests:
                    if one.open and len(requests) > 1:
                        try:
                            self._commit_together(root, [one])
                        except (OSError, EngrainError) as own:
                            one.error = self._describe_failure(own)
                    elif one.open:
                        one.error = self._describe_failure(error)

    def _commit_together(self, root: int, requests: Sequence[CommitRequest]) -> None:
        """Commit requests that write to different places, and refuse those whose files are not as
        expected. Raises an error that stops all of them; nothing was changed then, except after
        `_HalfDone`."""
        tail, _ = self._finished_tail(root)
        before: dict[Locator, bytes | None] = {}
        records: list[Record] = []
        accepted = []
        with Folders(root) as folders:
            for request in requests:
                try:
                    found = _compare(folders, request)
                except (OSError, EngrainError) as error:
                    request.error = self._describe_failure(error)
                    continue
                record = request.change.to_record(self.device, tail.n + 1 + len(records))
                record.together = len(records)
                before |= found
                records.append(record)
                accepted.append(request)
            if records:
                self._write(folders, tail, records, before)
        for request, record in zip(accepted, records, strict=True):
            request.record = record

    def _refuse_moved(self, root: int) -> None:
        if confined.is_there(root, confined.MOVED):
            refuse_moved(root, self._folder)

    def _describe_failure(self, error: OSError | EngrainError) -> EngrainError:
        return _refused(error, self._folder) if isinstance(error, OSError) else error

    def recover(self, root: int) -> list[Record]:
        """See `StorageBackend.recover`."""
        self.stopped = ""
        try:
            if segments.is_finished(root, self._state, self.device):
                return []
            with self._hold(0):
                return self._finished_tail(root)[1]
        except (ForbiddenPathError, OSError) as error:
            # The vault is read-only, or reading failed: readers go on, and the next opener tries.
            self.stopped = str(error)
            return []
        except LockedError:
            return []  # another process is writing

    def is_busy(self) -> bool:
        """See `StorageBackend.is_busy`."""
        try:
            with self._hold(0):
                return False
        except LockedError:
            return True
        except OSError:
            return False  # without locks there is nobody to wait for

    def resolve_forks(self, root: int, halted: Mapping[str, str]) -> bool:
        """See `StorageBackend.resolve_forks`."""
        done = False
        try:
            with self._hold(0):
                for device in segments.list_devices(root):
                    at = {
                        chain: segments.segment_of(cursor)
                        for chain, cursor in halted.items()
                        if base_device(chain) == device
                    }
                    done = self._resolve(root, device, at) or done
                self._finished_tail(root)
        except (LockedError, ForbiddenPathError, OSError):
            return done  # A device that can write does it later; until then `check` reports it.
        return done

    def _resolve(self, root: int, device: str, halted: Mapping[str, int]) -> bool:
        try:
            folder = segments.open_chain(root, device)
        except segments.UNREADABLE:
            return False
        with Descriptor(folder):
            return resolve_forks(folder, device, halted, self._vouched)

    def erase(self, root: int, chain: str, numbers: Iterable[int]) -> list[int]:
        """Do `StorageBackend.erase` for one chain: this device's own or a branch."""
        numbers = list(numbers)
        try:
            folder = segments.open_chain(root, chain)
        except NotFoundError:
            return []
        try:
            with Descriptor(folder):
                if not segments.find_payloads(folder, chain, numbers):
                    return []
                with self._hold(LOCK_WAIT):
                    self._refuse_moved(root)
                    self._finished_tail(root)
                    found = segments.find_payloads(folder, chain, numbers)
                    for name, places in found.items():
                        segments.blank(folder, name, places)
                    if chain == self.device:
                        # The noted check sum may cover bytes that were blanked.
                        segments.write_note(self._state, chain, segments.find_tail(folder))
        except OSError as error:
            raise _refused(error, self._folder) from None
        return sorted(n for places in found.values() for n, _, _ in places)

    def hold(self) -> AbstractContextManager[None]:
        """Return a block that keeps other writers out. Raises LockedError, OSError."""
        return self._hold(LOCK_WAIT)

    def _hold(self, wait: float) -> AbstractContextManager[None]:
        if not os.path.isdir(self._state):  # a quarter of the time that `makedirs` takes
            os.makedirs(self._state, exist_ok=True)
        return hold_lock(self._folder, self._state, wait)

    def probe(self, root: int) -> None:
        """Take the lock, and write and remove a file. Raises OSError or an EngrainError."""
        with (
            self._hold(LOCK_WAIT),
            Descriptor(confined.open_folder(root, [SYSTEM_FOLDER])) as system,
        ):
            for name in os.listdir(system):
                if name.startswith(TEMP_PREFIX):
                    discard(system, name)  # left by a process killed here or in making a vault
            confined.try_to_write(system, f"{TEMP_PREFIX}{self.device}-probe{TEMP}")

    def _write(
        self,
        folders: Folders,
        tail: segments.Tail,
        records: Sequence[Record],
        before: Mapping[Locator, bytes | None],
    ) -> None:
        """Append records to the history with one flush, then put their files in their places."""
        files = _list_written(records)
        with (
            Descriptor(self._open_own_chain(folders.root)) as chain,
            write_unnamed(folders, files) as unnamed,
        ):
            links = []
            prev = tail.hash
            for record in records:
                links.append(encode_record(record, prev, self._entropy(16).hex(), self._sign))
                prev = hash_bytes(links[-1][0])
            written = segments.append(chain, tail, links)
            begun: list[FileChange] = []
            try:
                apply_files(folders, self.device, files, begun, unnamed)
            except BaseException:
                self._roll_back(folders, chain, written, _reverse(begun, before), files)
                raise
            segments.write_note(self._state, self.device, written)

    def _open_own_chain(self, root: int) -> int:
        return confined.open_folder(root, [*segments.HISTORY, self.device], create=True)

    def _roll_back(
        self,
        folders: Folders,
        chain: int,
        written: segments.Tail,
        reverse: Sequence[FileChange],
        files: Sequence[FileChange],
    ) -> None:
        """Undo a change that failed half-way, so that "nothing was changed" is true."""
        try:
            apply_files(folders, self.device, reverse, None)
            sweep(folders.root, self.device, files)
            segments.cut(chain, written)
        except (OSError, LockedError, ConflictError) as error:
            raise _HalfDone(
                f"the write failed half-way and could not be taken back ({error}); "
                "the next command completes it",
                path=self._folder,
                remedy="see to the disk, then run `engrain doctor`",
            ) from None

    def _finished_tail(self, root: int) -> tuple[segments.Tail, list[Record]]:
        """Return the end of this device's chain, and the unfinished changes that were completed."""
        noted = segments.read_note(self._state, self.device) or segments.start_chain()
        if segments.ends_at(root, self.device, noted):
            return noted, []
        if not noted.n and self._identity.read() not in ("", self.device):
            # Another process of this device found the fork first.
            self.device = self._identity.read()
            return self._finished_tail(root)
        if noted.n and self._is_forked(root, noted):
            return self._go_on_as_another(root, noted), []
        try:
            chain = segments.open_chain(root, self.device)
        except NotFoundError:
            tail = segments.start_chain()
        except ForbiddenPathError:
            self._clear_way(root)
            tail = segments.start_chain()
        else:
            with Descriptor(chain):
                tail = segments.find_tail(chain)
        if tail.n < noted.n:
            # The end of the chain is lost or hidden. Its numbers must not be given again, since
            # other devices and this one's index know the changes that had them. Nor can the chain
            # continue behind the gap, where nobody would read it until the gap is filled.
            return self._go_on_as_another(root, noted), []
        done = self._roll_forward(root, tail) if tail.n else []
        segments.write_note(self._state, self.device, tail)
        return tail, done

    def _is_forked(self, root: int, noted: segments.Tail) -> bool:
        """Whether another installation wrote to this device's chain: the last record that this one
        wrote is in a branch, or a different record with a valid code has its number."""
        self._resolve(root, self.device, {self.device: noted.segment})
        for chain in segments.read_heads(root, self.device):
            with contextlib.suppress(NotFoundError, HistoryError):
                line = segments.find_link(root, chain, noted.n).line
                own = hash_bytes(line) == noted.hash
                if own != (chain == self.device) and self._vouched(line):
                    return True
        return False

    def _go_on_as_another(self, root: int, noted: segments.Tail) -> segments.Tail:
        """Take a new id, and begin its chain with a record that names the old one and its end.
        Raises StorageError where the id can't be stored, OSError."""
        former = self.device
        self.device = self._identity.renew(former)
        if segments.read_heads(root, self.device):
            return self._finished_tail(root)[0]  # another process began it first
        with Descriptor(self._open_own_chain(root)) as chain:
            reason = f"what this device wrote as {former} goes on here"
            record = Record(
                self.device, 1, time.time(), HANDOVER, [], [], reason=reason, agent="engrain",
                undoes=f"{former}-{noted.n}:{noted.hash}",
            )  # fmt: skip
            tail = segments.start_chain()
            link = encode_record(record, tail.hash, self._entropy(16).hex(), self._sign)
            tail = segments.append(chain, tail, [link])
            segments.write_note(self._state, self.device, tail)
            return tail

    def _clear_way(self, root: int) -> None:
        """Set aside what lies in the place of this device's history. Raises ForbiddenPathError if
        this user may not read the folder of histories, OSError."""
        with Descriptor(confined.open_folder(root, [SYSTEM_FOLDER])) as system:
            name = segments.HISTORY[1]
            if not stat.S_ISDIR(os.stat(name, dir_fd=system, follow_symlinks=False).st_mode):
                confined.set_aside(system, name)
                return
        with Descriptor(confined.open_folder(root, segments.HISTORY)) as history:
            confined.set_aside(history, self.device)

    def _roll_forward(self, root: int, tail: segments.Tail) -> list[Record]:
        """Complete the last change and those flushed with it; return those that were unfinished."""
        records = []
        try:
            together = count_together(segments.find_link(root, self.device, tail.n).line)
            for n in range(tail.n - together, tail.n + 1):
                link = segments.find_link(root, self.device, n)
                with contextlib.suppress(HistoryError):
                    records.append(decode_record(link.line, link.payload))
        except (HistoryError, NotFoundError):
            pass  # damaged on the disk and not to be trusted: `check` reports it
        files = _list_written(records)
        sweep(root, self.device, files)
        return [record for record in records if self._complete(root, _list_written([record]))]

    def _complete(self, root: int, files: Sequence[FileChange]) -> bool:
        """Complete a change, except files that others changed since; return whether any file had to
        be written."""
        try:
            pending: list[FileChange] = []
            # A file that matches neither hash was changed by another program: its version stays.
            with Folders(root) as folders:
                pending = [
                    file
                    for file in files
                    if file.after_hash != file.before_hash
                    and _hash(folders.read(file.path)) == file.before_hash
                ]
                apply_files(folders, self.device, pending, [])
        except (ForbiddenPathError, MalformedError, ConflictError):
            return False  # Something else lies there; `doctor` names it.
        except OSError as error:
            if not _bars(root, pending, error):
                raise
            return False  # This user may not write there.
        return bool(pending)


def _bars(root: int, files: Sequence[FileChange], error: OSError) -> bool:
    """Whether an error of writing files lasts because of what lies in one of their folders."""
    for folders in {tuple(confined.split_path(file.path)[0]) for file in files}:
        try:
            with Descriptor(confined.open_folder(root, folders)) as folder:
                if is_in_the_way(folder, error):
                    return True
        except NotFoundError:
            continue
        except ForbiddenPathError:
            return True
    return False


def _list_written(records: Iterable[Record]) -> list[FileChange]:
    """Return the files that changes write, without those of which a change only records that
    another program removed them."""
    return [
        file
        for record in records
        for file in record.files or ()
        if record.op != EXTERNAL or file.after_hash is not None
    ]


def _reverse(
    begun: Sequence[FileChange], before: Mapping[Locator, bytes | None]
) -> list[FileChange]:
    return [
        FileChange(
            file.path, file.entry, file.after_hash, file.before_hash, before[Locator(file.path)]
        )
        for file in reversed(begun)
    ]


def _compare(folders: Folders, request: CommitRequest) -> dict[Locator, bytes | None]:
    """Return the bytes at each place of a change. Raises ConflictError where they differ from what
    the change expects."""
    found = {write.locator: folders.read(write.locator) for write in request.change.writes}
    for write in request.change.writes:
        if _hash(found[write.locator]) != write.before:
            raise make_conflict(write.locator)
    return found


def _hash(raw: bytes | None) -> str | None:
    return None if raw is None else hash_bytes(raw)


_REASONS = {
    errno.ENOSPC: ("the disk is full", "free some space and repeat"),
    errno.EDQUOT: ("the disk quota is used up", "free some space and repeat"),
    errno.EROFS: ("the vault is read-only", "mount it for writing"),
    errno.EACCES: ("no permission to write", "check the owner and mode of the vault's folders"),
    errno.EPERM: ("no permission to write", "check the owner and mode of the vault's folders"),
}


def _refused(error: OSError, folder: str) -> StorageError:
    reason, remedy = _REASONS.get(
        error.errno or 0, (f"the write failed: {error.strerror}", "run `engrain doctor`")
    )
    return StorageError(f"{reason}; nothing was changed", path=folder, remedy=remedy)
