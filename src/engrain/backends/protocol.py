"""The write protocol of the file stores (S1.14, DESIGN section 7).

    lock -> compare hashes with the bytes re-read inside the lock -> append record and payload to
    the history, fsync -> write each file beside its place, fsync -> rename each -> fsync every
    folder touched -> note in this device's state that the tail of the chain is finished -> unlock

Changes that several threads want at once go through it together (`grouping`), and so do those that
one caller brings at once: all their records are appended and flushed first, then all their files.

A process that dies after the append leaves an unfinished tail, which the next opener completes
from the payload; one that dies before has changed nothing. The tail is the last record, and those
that it says were flushed together with it. Temp files can only lie in the folders
the tail names, so they are swept there. The note in the state folder saves openers from looking:
when it is missing, torn or not about the chain's very end, they look.
"""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import time
from functools import partial

from engrain.backends import confined, segments, tails
from engrain.backends.applying import apply_files
from engrain.backends.confined import TEMP_PREFIX, Descriptor, Folders
from engrain.backends.forks import resolve_forks
from engrain.backends.grouping import Commits, Request
from engrain.backends.lock import hold_lock
from engrain.backends.placing import TEMP, discard, sweep
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
from engrain.model.history.record import (
    HANDOVER,
    FileChange,
    Record,
    count_together,
    decode_record,
    encode_record,
)
from engrain.model.note.ids import base_device
from engrain.model.note.note import hash_bytes
from engrain.model.note.tiers import SYSTEM_FOLDER
from engrain.seam.locator import Locator
from engrain.seam.storage import make_conflict

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from contextlib import AbstractContextManager

    from engrain.backends.lock import Held
    from engrain.model.history.attestation import Sign
    from engrain.seam.storage import ChangeSet, Identity

LOCK_WAIT = 10.0
"""Seconds a writer waits for another. An opener that only looks waits for nobody."""


class _HalfDone(StorageError):
    """A change that failed and could not be taken back."""


class WriteProtocol:
    """Commits to one vault folder as one device. Holds nothing open between calls.

    `device` changes where another installation turns out to write with the same id: then this one
    goes on under a new id. `vouched` says whether a record's line bears a valid code, as far as
    this device can check it.
    """

    def __init__(
        self,
        folder: str,
        state: str,
        device: str,
        entropy: Callable[[int], bytes],
        sign: Sign,
        vouched: Callable[[bytes], bool],
        identity: Identity,
    ) -> None:
        self._commits = Commits()
        self._sign = sign
        self._vouched = vouched
        self._identity = identity
        self._folder = folder
        self._state = state
        self.device = device
        self._entropy = entropy

    def commit(self, root: int, change: ChangeSet) -> Record:
        """See `StorageBackend.commit`."""
        request = Request(change)
        try:
            if change.patient:
                self._commits.make(request, partial(self._lead, root))
            else:
                self._lead(root, request, lambda: (request,), wait=0)
        except OSError as error:
            if request.record is None:
                raise _refused(error, self._folder) from None
        return request.outcome()

    def commit_all(self, root: int, changes: Sequence[ChangeSet]) -> list[Record | EngrainError]:
        """See `StorageBackend.commit_all`."""
        requests = [Request(change) for change in changes]
        try:
            self._lead(root, requests[0], lambda: requests)
        except (OSError, LockedError) as error:
            for one in requests:
                one.error = one.error or self._tell(error)
        return [one.record or one.refused() for one in requests]

    def _lead(
        self,
        root: int,
        request: Request,
        take: Callable[[], Sequence[Request]],
        wait: float | None = None,
    ) -> None:
        """Commit what `take` gives once the lock is there, each as a change of its own; `wait`
        seconds at most are waited for it, `LOCK_WAIT` for None."""
        until = request.since + (LOCK_WAIT if wait is None else wait)
        left = max(0.0, until - time.monotonic())
        with self._hold(left) as held:
            self._refuse_moved(root)
            requests = take()
            try:
                self._commit_together(root, requests, held)
            except _HalfDone as error:
                for one in requests:
                    one.error = one.error or error
            except (OSError, EngrainError) as error:
                # Nothing was changed. Of several that were stopped, each finds out for itself.
                for one in requests:
                    if one.open and len(requests) > 1:
                        try:
                            self._commit_together(root, [one], held)
                        except (OSError, EngrainError) as own:
                            one.error = self._tell(own)
                    elif one.open:
                        one.error = self._tell(error)

    def _commit_together(self, root: int, requests: Sequence[Request], held: Held) -> None:
        """Commit some requests that write to different places; one that expects other bytes than
        are there is refused by itself. Raises what stops all of them; then nothing was changed,
        unless it is `_HalfDone`."""
        tail, _ = self._finished_tail(root, held)
        before: dict[Locator, bytes | None] = {}
        records: list[Record] = []
        accepted = []
        with Folders(root) as folders:
            for request in requests:
                try:
                    found = _compare(folders, request)
                except (OSError, EngrainError) as error:
                    request.error = self._tell(error)
                    continue
                record = request.change.to_record(self.device, tail.n + 1 + len(records))
                record.together = len(records)
                before |= found
                records.append(record)
                accepted.append(request)
            if records:
                self._write(folders, tail, records, before, held)
        for request, record in zip(accepted, records, strict=True):
            request.record = record

    def _refuse_moved(self, root: int) -> None:
        if confined.is_there(root, confined.MOVED):
            from engrain.backends.adopting import refuse_moved

            refuse_moved(root, self._folder)

    def _tell(self, error: OSError | EngrainError) -> EngrainError:
        return _refused(error, self._folder) if isinstance(error, OSError) else error

    def recover(self, root: int) -> list[Record]:
        """See `StorageBackend.recover`."""
        try:
            if tails.is_finished(root, self._state, self.device):
                return []
            with self._hold(0) as held:
                return self._finished_tail(root, held)[1]
        except (LockedError, ForbiddenPathError, OSError):
            return []  # A writer is at it, or the vault can't be written: readers go on.

    def is_busy(self) -> bool:
        """See `StorageBackend.is_busy`."""
        try:
            with self._hold(0):
                return False
        except LockedError:
            return True
        except OSError:
            return False  # where no lock can be had, nobody is waited for

    def resolve_forks(self, root: int, halted: Mapping[str, str]) -> bool:
        """See `StorageBackend.resolve_forks`."""
        done = False
        try:
            with self._hold(0) as held:
                for device in segments.list_devices(root):
                    at = {
                        chain: segments.segment_of(cursor)
                        for chain, cursor in halted.items()
                        if base_device(chain) == device
                    }
                    done = self._resolve(root, device, at, held) or done
                self._finished_tail(root, held)
        except (LockedError, ForbiddenPathError, OSError):
            return done  # Whoever can write does it; until then `verify` names what is not read.
        return done

    def _resolve(self, root: int, device: str, halted: Mapping[str, int], held: Held) -> bool:
        try:
            folder = segments.open_chain(root, device)
        except segments.UNREADABLE:
            return False
        with Descriptor(folder):
            return resolve_forks(folder, device, halted, self._vouched, held.check)

    def erase(self, root: int, chain: str, numbers: Iterable[int]) -> list[int]:
        """See `StorageBackend.erase`: of one chain, this device's own or a branch."""
        numbers = list(numbers)
        try:
            folder = segments.open_chain(root, chain)
        except NotFoundError:
            return []
        try:
            with Descriptor(folder):
                if not segments.find_payloads(folder, chain, numbers):
                    return []
                with self._hold(LOCK_WAIT) as held:
                    self._refuse_moved(root)
                    self._finished_tail(root, held)
                    found = segments.find_payloads(folder, chain, numbers)
                    for name, places in found.items():
                        held.check()
                        segments.blank(folder, name, places)
                    if chain == self.device:
                        # The check sum of the chain's end may be over what was blanked.
                        tails.write_note(self._state, chain, segments.find_tail(folder))
        except OSError as error:
            raise _refused(error, self._folder) from None
        return sorted(n for places in found.values() for n, _, _ in places)

    def hold(self) -> AbstractContextManager[Held]:
        """Keep other writers out for the length of a block. Raises LockedError, OSError."""
        return self._hold(LOCK_WAIT)

    def _hold(self, wait: float) -> AbstractContextManager[Held]:
        """Hold the lock for the length of a block. Raises LockedError, OSError."""
        if not os.path.isdir(self._state):  # which is asked in a quarter of the time
            os.makedirs(self._state, exist_ok=True)
        return hold_lock(self._folder, self._state, wait)

    def probe(self, root: int) -> None:
        """Lock, and write a file that is gone at once. Raises OSError or an EngrainError."""
        with (
            self._hold(LOCK_WAIT),
            Descriptor(confined.open_folder(root, [SYSTEM_FOLDER])) as system,
        ):
            for name in os.listdir(system):
                if name.startswith(TEMP_PREFIX):
                    discard(system, name)  # What a death left of a probe, or of a new vault.
            confined.try_to_write(system, f"{TEMP_PREFIX}{self.device}-probe{TEMP}")

    def _write(
        self,
        folders: Folders,
        tail: segments.Tail,
        records: Sequence[Record],
        before: Mapping[Locator, bytes | None],
        held: Held,
    ) -> None:
        """Record some changes in a row, flushed together, and make them."""
        with Descriptor(self._open_own_chain(folders.root)) as chain:
            links = []
            prev = tail.hash
            for record in records:
                links.append(encode_record(record, prev, self._entropy(16).hex(), self._sign))
                prev = hash_bytes(links[-1][0])
            held.check()
            written = segments.append(chain, tail, links)
            begun: list[FileChange] = []
            try:
                files = [file for record in records for file in record.files or ()]
                apply_files(folders, self.device, files, held, begun)
            except BaseException:
                self._take_back(folders, chain, written, _reverse(begun, before), held)
                raise
            tails.write_note(self._state, self.device, written)

    def _open_own_chain(self, root: int) -> int:
        return confined.open_folder(root, [*segments.HISTORY, self.device], create=True)

    def _take_back(
        self,
        folders: Folders,
        chain: int,
        written: segments.Tail,
        reverse: Sequence[FileChange],
        held: Held,
    ) -> None:
        """Make a refused change absent: the process lives on, and its error must be the truth."""
        try:
            apply_files(folders, self.device, reverse, held, None)
            sweep(folders.root, self.device, reverse)
            segments.cut(chain, written)
        except (OSError, LockedError, ConflictError) as error:
            raise _HalfDone(
                f"the write failed half-way and could not be taken back ({error}); "
                "the next command completes it",
                path=self._folder,
                remedy="see to the disk, then run `engrain doctor`",
            ) from None

    def _finished_tail(self, root: int, held: Held) -> tuple[segments.Tail, list[Record]]:
        """The end of this device's chain, and the changes that had to be completed, if any."""
        noted = tails.read_note(self._state, self.device) or segments.start_chain()
        if segments.ends_at(root, self.device, noted):
            return noted, []
        if not noted.n and self._identity.read() not in ("", self.device):
            # Another process of this device found the fork first.
            self.device = self._identity.read()
            return self._finished_tail(root, held)
        if noted.n and self._is_forked(root, noted, held):
            return self._go_on_as_another(root, noted, held), []
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
            # Its end is lost, or hidden by something else. Its numbers are never given again: other
            # devices, and this one's index, know the changes that had them. Nor can it go on behind
            # the gap, where nobody would read it until the gap is filled.
            return self._go_on_as_another(root, noted, held), []
        done = self._roll_forward(root, tail, held) if tail.n else []
        tails.write_note(self._state, self.device, tail)
        return tail, done

    def _is_forked(self, root: int, noted: segments.Tail, held: Held) -> bool:
        """Whether another installation wrote this device's chain: the last record that this one
        wrote stands in a branch, or another one with a good code stands in its place."""
        self._resolve(root, self.device, {self.device: noted.segment}, held)
        for chain in segments.read_heads(root, self.device):
            with contextlib.suppress(NotFoundError, HistoryError):
                line = segments.find_link(root, chain, noted.n).line
                own = hash_bytes(line) == noted.hash
                if own != (chain == self.device) and self._vouched(line):
                    return True
        return False

    def _go_on_as_another(self, root: int, noted: segments.Tail, held: Held) -> segments.Tail:
        """Take a new id, and begin its chain with a record that says whose work it continues.
        Raises StorageError where the id can't be kept, OSError."""
        former = self.device
        self.device = self._identity.renew(former)
        if segments.read_heads(root, self.device):
            return self._finished_tail(root, held)[0]  # another process did it first
        with Descriptor(self._open_own_chain(root)) as chain:
            reason = f"what this device wrote as {former} goes on here"
            record = Record(
                self.device, 1, time.time(), HANDOVER, [], [], reason=reason, agent="engrain",
                undoes=f"{former}-{noted.n}:{noted.hash}",
            )  # fmt: skip
            tail = segments.start_chain()
            link = encode_record(record, tail.hash, self._entropy(16).hex(), self._sign)
            held.check()
            tail = segments.append(chain, tail, [link])
            tails.write_note(self._state, self.device, tail)
            return tail

    def _clear_way(self, root: int) -> None:
        """Set aside what lies where this device's history belongs. Raises ForbiddenPathError where
        all histories are closed to this user, OSError."""
        with Descriptor(confined.open_folder(root, [SYSTEM_FOLDER])) as system:
            name = segments.HISTORY[1]
            if not stat.S_ISDIR(os.stat(name, dir_fd=system, follow_symlinks=False).st_mode):
                confined.set_aside(system, name)
                return
        with Descriptor(confined.open_folder(root, segments.HISTORY)) as history:
            confined.set_aside(history, self.device)

    def _roll_forward(self, root: int, tail: segments.Tail, held: Held) -> list[Record]:
        """Complete the last change, and those that were flushed together with it."""
        records = []
        try:
            together = count_together(segments.find_link(root, self.device, tail.n).line)
            for n in range(tail.n - together, tail.n + 1):
                link = segments.find_link(root, self.device, n)
                with contextlib.suppress(HistoryError):
                    records.append(decode_record(link.line, link.payload))
        except (HistoryError, NotFoundError):
            pass  # Damaged on the disk: `verify` reports it, and there is nothing to trust.
        files = [file for record in records for file in record.files or ()]
        sweep(root, self.device, files)
        return [record for record in records if self._complete(root, record.files or (), held)]

    def _complete(self, root: int, files: Sequence[FileChange], held: Held) -> bool:
        """Complete a change, where nothing else lies in its places by now; whether there was
        anything to do."""
        try:
            # A file that is neither as before nor as after was changed by somebody since: theirs
            # stays.
            with Folders(root) as folders:
                pending = [
                    file
                    for file in files
                    if file.after_hash != file.before_hash
                    and _hash(folders.read(file.path)) == file.before_hash
                ]
                apply_files(folders, self.device, pending, held, [])
        except (ForbiddenPathError, MalformedError, ConflictError):
            return False  # Something else lies there. `doctor` names it, and other entries go on.
        except OSError as error:
            if error.errno not in segments.IN_THE_WAY:
                raise
            return False  # It is closed to this user.
        return bool(pending)


def _reverse(
    begun: Sequence[FileChange], before: Mapping[Locator, bytes | None]
) -> list[FileChange]:
    return [
        FileChange(
            file.path, file.entry, file.after_hash, file.before_hash, before[Locator(file.path)]
        )
        for file in reversed(begun)
    ]


def _compare(folders: Folders, request: Request) -> dict[Locator, bytes | None]:
    """What is in the places of a change. Raises ConflictError where it is not as expected."""
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
