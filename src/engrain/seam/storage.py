"""The storage port: the one way to a store (S1.3, S1.14).

Glossary
--------
store       where entries live: a folder, a database, memory. It is addressed by locators.
bytes       what is stored at a locator, whole. A store neither parses nor changes them.
hash        SHA-256 of the bytes in hex; None stands for "nothing is there".
stamp       a cheap opaque token that differs when the bytes may have changed. An unsettled stamp
            is too young to be trusted: the bytes may change again without it changing.
change      one atomic commit of one or several files, recorded in the history for good.
device      one installation that writes to the store; each has a history chain of its own.
cursor      an opaque position in one device's chain.

Every store keeps these promises, and one contract suite (`tests/contracts`) checks them:

- `commit` is the only write. It compares the hash of every file it touches with the one expected
  while nobody else can write, and either all of it happens or nothing does.
- What `commit` has returned survives the death of the process and, where `capabilities.durable`,
  of the machine.
- A change cut off half-way is completed or absent once the store is opened again.
- Nothing outside the store is read or written, whatever a locator or a link says.
"""

from __future__ import annotations

from abc import ABC, abstractmethod

from engrain.model.errors import ConflictError, EngrainError, NotFoundError, StorageError
from engrain.model.history.attestation import open_line
from engrain.model.note.ids import BRANCH, encode
from engrain.model.note.note import hash_bytes
from engrain.model.struct import Struct
from engrain.seam.attestor import NoAttestor

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from contextlib import AbstractContextManager
    from dataclasses import KW_ONLY
    from typing import Any, TypeAlias, TypeVar

    from engrain.model.history.record import Record
    from engrain.model.note.entry import Entry
    from engrain.seam.attestor import Attestor
    from engrain.seam.locator import Locator

    T = TypeVar("T")

DEVICE_LENGTH = 8
DURABLE = "durable"
DEVICE_LOCAL = "device-local"
DERIVED = "derived"
TIERS = (DURABLE, DEVICE_LOCAL, DERIVED)
"""The storage tiers: the vault, this device's state, and what can be rebuilt. The last two never
lie where something synchronises."""


class Capabilities(Struct):
    """What a store can do. `durable`: an acknowledged commit survives a power cut. `synced`:
    something else copies it between machines, so conflict copies turn up. `edited_outside`: other
    programs may change it, so it must be scanned. `shared`: other processes may write to it.
    `authenticated`: its server knows who writes, and makes sure that nobody claims an origin that
    is not theirs, so that records need no codes."""

    _: KW_ONLY
    durable: bool
    synced: bool
    edited_outside: bool
    shared: bool
    authenticated: bool = False


class Stored(Struct):
    """Bytes read from a store, with their hash and the stamp they had."""

    raw: bytes
    hash: str
    stamp: str
    settled: bool


class Seen(Struct):
    """One thing met by a scan. `problem` says why it can't be read, None when it can."""

    locator: Locator
    stamp: str
    problem: str | None = None


CopiedFile: TypeAlias = "tuple[str, int, float, bytes]"
"""Of a file its path from the store's own name on, its mode, when it changed (epoch seconds), and
its bytes."""


class Group(ABC):
    """Things that a scan looks at together, such as the notes of one folder. `name` is the folder's
    text in their locators, `folders` has the last part of the names of the groups right below. The
    fingerprint is another whenever the stamp of any of them is, or one has come or gone; empty
    where nothing can be said. The mark is what `StorageBackend.marks` said before it was listed."""

    __slots__ = ("fingerprint", "folders", "mark", "name", "size")

    def __init__(
        self, name: str, fingerprint: str, size: int, folders: Sequence[str] = (), mark: str = ""
    ) -> None:
        self.name = name
        self.fingerprint = fingerprint
        self.size = size
        self.folders = folders
        self.mark = mark

    @abstractmethod
    def seen(self) -> list[Seen]:
        """The files in the group. A file that can't be read is a problem and stops no other."""


class Obstacle(Struct):
    """Something in a store that is not what its place is for. `path` is where it lies, `message`
    says what it is and what is missed because of it, `remedy` what a person can do."""

    path: str
    message: str
    remedy: str


class Write(Struct):
    """One file of a change set: the bytes that `entry` is to have at `locator` (None: no file).

    `before` is the hash of the bytes that are expected there, None for no file. Where the same
    bytes stand there already, the history may keep others, in `recorded`: such as the same text
    without secrets.
    """

    locator: Locator
    after: bytes | None
    entry: str
    before: str | None = None
    recorded: bytes | None = None


class ChangeSet(Struct):
    """What one commit shall do, and what the history shall say of it.

    `op` is the verb, `at` the time in seconds since the epoch, `trust` the origin of the caller.
    `part_of` names the first change of the operation that this one continues, None where it begins
    one or stands alone. One that is not `patient` is refused at once where others are writing.
    """

    op: str
    writes: Sequence[Write]
    _: KW_ONLY
    at: float
    agent: str = ""
    trust: str = ""
    reason: str = ""
    undoes: str | None = None
    part_of: str | None = None
    patient: bool = True

    def to_record(self, device: str, n: int) -> Record:
        """The record of this change as `device`'s n-th."""
        from engrain.model.history.record import FileChange, Record

        files = [
            FileChange(
                write.locator,
                write.entry,
                write.before,
                None if write.after is None else hash_bytes(write.after),
                write.after if write.recorded is None else write.recorded,
            )
            for write in self.writes
        ]
        return Record(
            device,
            n,
            self.at,
            self.op,
            list(dict.fromkeys(file.entry for file in files)),
            files,
            reason=self.reason,
            agent=self.agent,
            trust=self.trust,
            undoes=self.undoes,
            part_of=self.part_of,
        )


class ChainLink(Struct):
    """One link of a device's chain, as stored: the record's line, its payload's line (blank when
    erased), and the cursor behind it. `vouched` says that the store itself made sure of the
    record's origin when it was written, by who had authenticated: no code is needed then."""

    line: bytes
    payload: bytes
    cursor: str
    vouched: bool = False


def hash_of(found: Stored | Entry | None) -> str | None:
    """The hash of some bytes that were read, None for no file: what `Write.before` takes."""
    return None if found is None else found.hash


def make_conflict(locator: Locator) -> ConflictError:
    """What every store raises for bytes that are not as expected."""
    return ConflictError(
        f"{locator} has changed since it was read",
        path=locator,
        remedy="read it again and repeat the change",
    )


def own_numbers(device: str, changes: Iterable[str]) -> list[int]:
    """The places in a device's chain of those among some changes that are its own, in order."""
    from engrain.model.history.record import split_change

    found = (split_change(change) for change in changes)
    return sorted({name[1] for name in found if name and name[0] == device and name[1] > 0})


class Identity:
    """Where this device's id is kept. This one keeps none, and makes a new one by chance."""

    def __init__(self, entropy: Callable[[int], bytes]) -> None:
        self._entropy = entropy

    def read(self) -> str:
        """The id that is kept now, "" where none is."""
        return ""

    def renew(self, former: str) -> str:  # noqa: ARG002
        """Give up the id `former`, which another installation has as well; the new one, or the one
        that another process of this device has taken already. Raises StorageError."""
        return make_device(self._entropy)


def split_pages(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """Values in lists of so many, the last one shorter."""
    page: list[T] = []
    for value in values:
        page.append(value)
        if len(page) == size:
            yield page
            page = []
    if page:
        yield page


def make_device(entropy: Callable[[int], bytes]) -> str:
    """A new device's id."""
    return encode(int.from_bytes(entropy(5), "big"), DEVICE_LENGTH)


MAX_OTHER_BYTES = 64 * 1024 * 1024
"""Larger files that are no notes are left alone: they are read whole."""


class Database(Struct):
    """The database that keeps a store, for what is derived from it: the store's name there, and
    what lends a connection (of psycopg's, with autocommit) for a while. That raises EngrainError
    where there is none to be had."""

    namespace: str
    borrow: Callable[[], AbstractContextManager[Any]]


class StorageBackend(ABC):
    """A store. Methods raise VaultUnavailableError when it can't be reached at all."""

    capabilities: Capabilities
    """What this store can do."""

    device: str
    """The device this process writes as."""

    vault: str
    """The store's own id, the same on every device."""

    key: str
    """What this device's state about the store is filed under: another for a copy of the store."""

    database: Database | None = None
    """The database in which an index may stand beside the store; None for a store of files."""

    date_of: Callable[[Locator], float | None] = staticmethod(lambda _: None)
    """When the file at a place was written, in epoch seconds, None where that is not known. Whoever
    opens a folder of another program's to read it says so; a vault's own entries have dates."""

    @abstractmethod
    def describe(self, locator: Locator | None = None) -> str:
        """The store, or a thing in it, in words a person can follow (a path, a table)."""

    @abstractmethod
    def read(self, locator: Locator) -> Stored:
        """The bytes at `locator`. Raises NotFoundError when nothing is there, ForbiddenPathError
        when the path leads out of the store, MalformedError when it is over
        `model.note.MAX_NOTE_BYTES`."""

    def read_all(
        self, locators: Iterable[Locator]
    ) -> Iterator[tuple[Locator, Stored | EngrainError]]:
        """Each of many places with its bytes, or with what reading it by itself raises."""
        for locator in locators:
            try:
                yield locator, self.read(locator)
            except EngrainError as error:
                yield locator, error

    @abstractmethod
    def groups(self) -> Iterator[Group]:
        """Every note of the store, a group at a time; nothing hidden, nothing generated."""

    def scan(self) -> Iterator[Seen]:
        """Every note of the store with its stamp, in no order."""
        for group in self.groups():
            yield from group.seen()

    def marks(self, groups: Iterable[str]) -> dict[str, str] | None:  # noqa: ARG002
        """The marks of some groups by their names, without those that are gone; None from a store
        that has none, and is therefore compared whole. A mark is another whenever something in
        the group came, went or was put in the place of something else; "" while it can't say."""
        return None

    def group(self, name: str) -> Group:
        """What is in a group now, without stamps. One that can't be looked into is a problem."""
        return next(group for group in self.groups() if group.name == name)

    def find_changed(self, stamps: Mapping[str, str]) -> list[str]:
        """Those of some places whose files don't have these stamps any more. A stamp is "" where
        there was no file that can be read; such a place has changed once there is one."""
        now = {str(seen.locator): seen.stamp for seen in self.scan()}
        return [place for place, stamp in stamps.items() if now.get(place, "") != stamp]

    def others(self) -> Iterator[Locator]:
        """The places of the files that are no notes, which notes may link to and embed (images,
        papers, drawings), in no order; none where a store has notes only."""
        return iter(())

    def read_other(self, locator: Locator) -> bytes:
        """The bytes of a file that is no note. Raises NotFoundError; MalformedError for one of over
        `MAX_OTHER_BYTES`."""
        raise NotFoundError("nothing is there", path=locator)

    def add_other(self, locator: Locator, raw: bytes) -> bool:  # noqa: ARG002
        """Put a file that is no note where nothing is, beside the history; False where something
        is, or where a store has notes only. Raises StorageError."""
        return False

    @abstractmethod
    def commit(self, change: ChangeSet) -> Record:
        """Make the change and record it; the record as written is returned.

        A write of the bytes that are there already touches no file and is recorded all the same.
        Raises ConflictError naming the first locator whose bytes are not as expected, LockedError
        when other writers hold the store too long, StorageError when the store refuses; in each
        case nothing has changed.
        """

    def commit_all(self, changes: Sequence[ChangeSet]) -> list[Record | EngrainError]:
        """Make several changes, each as `commit` does, for about what one of them costs; the record
        of each, or what it is refused with. At most `MOST_TOGETHER`."""
        outcomes: list[Record | EngrainError] = []
        for change in changes:
            try:
                outcomes.append(self.commit(change))
            except EngrainError as error:
                outcomes.append(error)
        return outcomes

    @abstractmethod
    def recover(self) -> list[Record]:
        """Complete what a writer that died left half done; the changes that were completed. Cheap
        when there is nothing to do, and never waits for a writer that is alive."""

    def is_busy(self) -> bool:
        """Whether some writer may be at work in the store just now, on this machine. A writer works
        from a change's record to its last file without a break. So once this is False, the writer
        of every record that was read before has finished, or died."""
        return False

    def obstacles(self) -> Iterator[Obstacle]:
        """What lies in the way of notes and histories. It stops nothing else; looking for it reads
        every folder, so only a diagnosis asks."""
        return iter(())

    def resolve_forks(self, halted: Mapping[str, str]) -> bool:  # noqa: ARG002
        """Make chains of what several installations wrote with one id; whether anything was to be
        done. Where this device is one of them and not on the longest branch, it takes a new id.

        `halted` has the cursors at which the reading of chains came to a halt before their heads.
        Cheap where nothing is to be done, and waits for nobody.
        """
        return False

    def erasable(self) -> list[str]:
        """The chains whose payloads `erase` blanks: this device's own, and branches; all where the
        store itself knows that an operator asks."""
        return [self.device, *(chain for chain in self.heads() if BRANCH in chain)]

    @abstractmethod
    def heads(self) -> dict[str, str]:
        """Each device's cursor behind its newest change. Cheap: nothing is parsed. Where an earlier
        part of a chain is missing, `chain` does not get as far."""

    @abstractmethod
    def chain(self, device: str, after: str | None = None) -> Iterator[ChainLink]:
        """A device's chain in order, from its start or behind the cursor `after`, up to the first
        record that is not here: a synchroniser may bring a chain's parts in any order. A cursor
        that is no longer there (a history restored from a backup) starts over."""

    def unread(self, device: str) -> list[str]:  # noqa: ARG002
        """What of a device's history is in the store and yet not in `chain`, each as a sentence
        that says why. Nothing, unless something else carries the store between machines."""
        return []

    @abstractmethod
    def find_change(self, device: str, n: int) -> ChainLink:
        """Link `n` of a chain. Raises NotFoundError."""

    @abstractmethod
    def erase(self, changes: Iterable[str]) -> list[str]:
        """Blank the payloads of some changes for good, where they are, in the chains that are
        `erasable`; the names of those that were not blank before.

        Changes of other chains are passed over: their own devices erase them. The records
        stay, and so do cursors. Cheap when there is nothing to do. Raises LockedError,
        StorageError; some may then be blank already, and all are after the next call.
        """

    def adopt_links(self, device: str, links: Sequence[tuple[int, bytes, bytes]]) -> None:  # noqa: ARG002
        """Take links of another store's chain, each with its number, its line and its payload, as
        they are: new ones behind those that are here, and payloads that were blanked since. Raises
        StorageError where they do not follow, or where this store takes none."""
        raise StorageError("this store takes no other store's history")

    def adopt_files(self, files: Mapping[Locator, bytes | None]) -> None:  # noqa: ARG002
        """Make places have the bytes that they have in another store, without a record; None: no
        file. Raises StorageError, as above."""
        raise StorageError("this store takes no other store's files")

    def adopt_others(self, files: Mapping[Locator, bytes | None]) -> None:  # noqa: ARG002
        """The same for files that are no notes."""
        raise StorageError("this store takes no other store's files")

    def begin_use(self) -> None:
        """Let commits in, to a store that was made to take another's place."""
        return

    def hand_over(self, to: str) -> AbstractContextManager[None]:  # noqa: ARG002
        """Keep all writers out for the length of a block, and if it ends without an error for good:
        from then on opening and writing says where the store went. Raises StorageError."""
        raise StorageError("this store can't be moved")

    def claim_jobs(self) -> AbstractContextManager[Callable[[], bool]]:
        """Keep every other device from the jobs that the whole store needs once, for the length of
        a block; returns what shows whether that still holds. Raises LockedError if another device
        has them."""
        from contextlib import nullcontext

        return nullcontext(lambda: True)

    def jobs_done(self) -> Mapping[str, float]:
        """The jobs that some device did for the whole store, and how many seconds ago each began
        last; nothing where each device does all."""
        return {}

    def note_job(self, name: str, seconds: float) -> None:  # noqa: ARG002
        """Note for all devices that a job began so many seconds ago and has ended well."""
        return

    def changes(self, ended: Callable[[], bool]) -> Iterator[None]:  # noqa: ARG002
        """Wait until `ended`, and yield soon after each change by another device. Ends at once
        where it can't be known."""
        return iter(())

    def unreachable(self, now: float, backup_days: float | None) -> list[str]:  # noqa: ARG002
        """Where copies of what was erased remain that this store can't reach, a sentence each, with
        the day on which they expire: backups are kept for so many days, None where nobody says."""
        return []

    def copy_files(self) -> Iterator[CopiedFile]:
        """Every file of the store and its history as they stand at one moment; all are copied
        before this returns. Raises NotFoundError where a store is not in files, LockedError,
        StorageError."""
        raise NotFoundError("this vault is no folder", remedy="back up its database")

    def bears_codes(self) -> bool:
        """Whether any record of the history bears a code, made with whichever key."""
        devices = sorted(self.heads(), key=lambda device: device == self.device)
        return any(open_line(link.line)[1] for device in devices for link in self.chain(device))

    def sign_record(self, attestor: Attestor, message: bytes) -> str:
        """Return the code of a record about to be written, "" if this device can't attest. The key
        is made with the first change of a vault, but not if others have signed already: a second
        key would make the devices of one vault strangers to each other."""
        code = attestor.sign(self.vault, message)
        if not code and attestor.begin(self.vault, lambda: not self.bears_codes()):
            code = attestor.sign(self.vault, message)
        return code

    @abstractmethod
    def probe(self) -> str | None:
        """Try whether a commit could work now; None, or what stands in its way."""

    @abstractmethod
    def close(self) -> None:
        """Give back what is held open."""


class BackendRequest(Struct):
    """What a backend is opened with: where (`location`, as configured), and this device's state.

    `state` is the device-local folder in which the backend may keep notes under its `key`, None
    for a backend that keeps none; `create` makes a store where there is none; `read_only` opens
    any folder of notes, a store or not, and refuses `commit`. What is committed is attested by
    `attestor`. `identity` keeps the device's id, and changes it where another has the same. A store
    that is made to take another's place gets its id, `vault`. One that has moved to `moved_to` is
    opened all the same, to complete that.
    """

    location: str
    _: KW_ONLY
    state: str | None
    device: str
    entropy: Callable[[int], bytes]
    create: bool = False
    read_only: bool = False
    attestor: Attestor = NoAttestor()
    identity: Identity | None = None
    vault: str = ""
    moved_to: str = ""
