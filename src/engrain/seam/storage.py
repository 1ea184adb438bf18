"""The port to storage, the only way to a store (S1.3, S1.14).

Glossary
--------
store       the place of entries: a folder, a database, memory. It is addressed by locators.
bytes       the whole content at a locator. A store neither parses nor changes it.
hash        SHA-256 of the bytes in hex; None stands for "nothing is there".
stamp       a cheap opaque token that differs if the bytes may have changed. An unsettled stamp is
            too young to be trusted: the bytes may change again under the same stamp.
change      one atomic commit of one or several files, recorded in the history for good.
device      one installation that writes to the store; each has its own chain of history.
cursor      an opaque position in one device's chain.

Every store keeps these promises, which a contract suite (`tests/contracts`) checks:

- `commit` is the only write. It compares the hash of every file with the expected one while nobody
  else can write, and either all of it happens or nothing.
- A change that `commit` has returned survives the death of the process and, with
  `capabilities.durable`, a power cut.
- An interrupted change is completed or absent once the store is opened again.
- Nothing outside the store is read or written, whatever a locator or a link says.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import KW_ONLY, dataclass, field
from typing import TYPE_CHECKING, TypeAlias, TypeVar

from engrain.model.errors import ConflictError, EngrainError, NotFoundError, StorageError
from engrain.model.history.line import open_line
from engrain.model.note.note import BRANCH, encode

if TYPE_CHECKING:
    from engrain.model.history.record import Record
    from engrain.model.note.entry import Entry
    from engrain.seam.changes import ChangeSet, Obstacle
    from engrain.seam.locator import Locator
    from engrain.seam.looks import Seen

T = TypeVar("T")

DEVICE_LENGTH = 8


class Attestor(ABC):
    """Makes and checks codes with the key of a vault, by the vault's id. Never raises.

    A code proves that the user's own devices recorded a change (DESIGN section 6). Any program that
    can write the vault can edit frontmatter. So the origin of an entry follows from the history
    record of its bytes, with a code that only holders of the vault's key can make. The key is in
    the user's configuration folder, never in the vault.
    """

    @abstractmethod
    def begin(self, vault: str, is_new: Callable[[], bool]) -> bool:
        """Make the key of a vault if this device has none, and `is_new` says that nothing in its
        history has a code. Returns whether there is a key now."""

    @abstractmethod
    def sign(self, vault: str, message: bytes) -> str:
        """Return the code of a message in hex, "" if this device has no key of that vault."""

    @abstractmethod
    def holds(self, vault: str, message: bytes, code: str) -> bool:
        """Whether a code is that of the message; False without a key."""

    @abstractmethod
    def claims(self, vault: str, code: str) -> bool:
        """Whether a code has the mark of the key on this device."""

    def vaults(self) -> Sequence[str]:
        """Return the ids of the vaults whose keys this device has."""
        return ()


class NoAttestor(Attestor):
    """The attestor without keys, which attests nothing."""

    def begin(self, vault: str, is_new: Callable[[], bool]) -> bool:  # noqa: ARG002
        return False

    def sign(self, vault: str, message: bytes) -> str:  # noqa: ARG002
        return ""

    def holds(self, vault: str, message: bytes, code: str) -> bool:  # noqa: ARG002
        return False

    def claims(self, vault: str, code: str) -> bool:  # noqa: ARG002
        return False


@dataclass(slots=True, eq=False)
class Capabilities:
    """The properties of a store. `durable`: an acknowledged commit survives a power cut.
    `edited_outside`: other programs may change it, so that it must be scanned. `shared`: other
    processes may write to it. `authenticated`: its server knows who writes and checks the origins,
    so that records need no codes."""

    _: KW_ONLY
    durable: bool
    edited_outside: bool
    shared: bool
    authenticated: bool = False


@dataclass(slots=True)
class Stored:
    """Bytes read from a store, with their hash and the stamp they had."""

    raw: bytes
    hash: str
    stamp: str
    settled: bool


CopiedFile: TypeAlias = "tuple[str, int, float, bytes]"
"""A file's path, beginning with the store's own name, its mode, when it changed (epoch seconds),
and its bytes."""


class Group(ABC):
    """Files that a scan examines together, such as the notes of one folder. `name` is the folder in
    their locators, `folders` has the last parts of the names of groups right below. The fingerprint
    changes with any stamp and when a file comes or goes; it is empty if unknown. The mark is that
    of `StorageBackend.marks` before the listing."""

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
        """Return the files in the group. An unreadable file is a problem and stops no other."""


@dataclass(slots=True)
class ChainLink:
    """One link of a device's chain, as stored: the record's line, its payload's line (blank if
    erased), and the cursor behind it. `vouched` says that the store itself authenticated the writer
    and checked the record's origin, so that it needs no code."""

    line: bytes
    payload: bytes
    cursor: str
    vouched: bool = False


def hash_of(found: Stored | Entry | None) -> str | None:
    """Return the hash of read bytes, None for no file, as `Write.before` needs it."""
    return None if found is None else found.hash


def make_conflict(locator: Locator) -> ConflictError:
    """Return the error that every store raises for unexpected bytes."""
    return ConflictError(
        f"{locator} has changed since it was read",
        path=locator,
        remedy="read it again and repeat the change",
    )


class Identity:
    """The storage of this device's id. This one stores nothing, and makes a random id."""

    def __init__(self, entropy: Callable[[int], bytes]) -> None:
        self._entropy = entropy

    def read(self) -> str:
        """Return the stored id, "" for none."""
        return ""

    def renew(self, former: str) -> str:  # noqa: ARG002
        """Give up the id `former`, which another installation has as well, and return the new one,
        which another process of this device may have made already. Raises StorageError."""
        return make_device(self._entropy)


def split_pages(values: Iterable[T], size: int) -> Iterator[list[T]]:
    """Yield values in lists of `size`; the last one may be shorter."""
    page: list[T] = []
    for value in values:
        page.append(value)
        if len(page) == size:
            yield page
            page = []
    if page:
        yield page


def make_device(entropy: Callable[[int], bytes]) -> str:
    """Return the id of a new device."""
    return encode(int.from_bytes(entropy(5), "big"), DEVICE_LENGTH)


MAX_OTHER_BYTES = 64 * 1024 * 1024
"""The largest file that is no note and is still read, since it is read as a whole."""


class StorageBackend(ABC):
    """A store. Methods raise VaultUnavailableError if it can't be reached."""

    capabilities: Capabilities
    """The properties of this store."""

    device: str
    """The device as which this process writes."""

    vault: str
    """The store's own id, the same on every device."""

    key: str
    """The name of this device's state about the store; a copy of the store has another."""

    date_of: Callable[[Locator], float | None] = staticmethod(lambda _: None)
    """Returns when the file at a place was written (epoch seconds), None if unknown. It is set for
    a folder of another program that is opened for reading; entries of a vault have dates."""

    @abstractmethod
    def describe(self, locator: Locator | None = None) -> str:
        """Return the store, or a thing in it, in words for a person (a path, a table)."""

    @abstractmethod
    def read(self, locator: Locator) -> Stored:
        """Return the bytes at `locator`. Raises NotFoundError if nothing is there,
        ForbiddenPathError if the path leads out of the store, MalformedError for more than
        `MAX_NOTE_BYTES`."""

    def reading(
        self,
        ahead: Sequence[Locator] = (),  # noqa: ARG002
    ) -> AbstractContextManager[Callable[[Locator], Stored]]:
        """Return a block with a function that does what `read` does, at less cost for several
        places. Those `ahead` will probably be read, in this order: a store that is far away reads
        some of them together."""
        return nullcontext(self.read)

    def read_all(
        self, locators: Iterable[Locator]
    ) -> Iterator[tuple[Locator, Stored | EngrainError]]:
        """Yield each of many places with its bytes, or with the error that `read` raises."""
        for locator in locators:
            try:
                yield locator, self.read(locator)
            except EngrainError as error:
                yield locator, error

    @abstractmethod
    def groups(self) -> Iterator[Group]:
        """Yield the groups of all notes of the store, without hidden and generated files."""

    def scan(self) -> Iterator[Seen]:
        """Yield every note of the store with its stamp, in no order."""
        for group in self.groups():
            yield from group.seen()

    def marks(self, groups: Iterable[str]) -> dict[str, str] | None:  # noqa: ARG002
        """Return the marks of groups by name, without those that are gone; None from a store
        without marks, which is therefore compared as a whole. A mark changes whenever a file of the
        group came, went or was replaced; it is "" while unknown."""
        return None

    def group(self, name: str) -> Group:
        """Return the present content of a group, without stamps. An unreadable one is a problem."""
        return next(group for group in self.groups() if group.name == name)

    def find_changed(self, stamps: Mapping[str, str]) -> list[str]:
        """Return those places whose files no longer have these stamps. A stamp is "" if there was
        no readable file; such a place has changed once there is one."""
        now = {str(seen.locator): seen.stamp for seen in self.scan()}
        return [place for place, stamp in stamps.items() if now.get(place, "") != stamp]

    def is_gone(self, locator: Locator) -> bool:
        """Whether nothing is at a place, not even what a synchroniser leaves for a file that is
        only elsewhere now."""
        try:
            self.read(locator)
        except NotFoundError:
            return True
        except EngrainError:
            return False
        return False

    def others(self) -> Iterator[Locator]:
        """Yield the places of files that are no notes, but that notes may link to or embed (images,
        papers, drawings), in no order; none if the store has only notes."""
        return iter(())

    def read_other(self, locator: Locator) -> bytes:
        """Return the bytes of a file that is no note. Raises NotFoundError; MalformedError for more
        than `MAX_OTHER_BYTES`."""
        raise NotFoundError("nothing is there", path=locator)

    def add_other(self, locator: Locator, raw: bytes) -> bool:  # noqa: ARG002
        """Add a file that is no note, without a record; False if something is there, or the store
        has only notes. Raises StorageError."""
        return False

    @abstractmethod
    def commit(self, change: ChangeSet) -> Record:
        """Make the change, record it, and return the record as written.

        A write of the bytes that are there already touches no file and is recorded all the same.
        Raises ConflictError with the first locator whose bytes are not as expected, LockedError if
        other writers hold the store too long, StorageError if the store refuses; in each case
        nothing has changed.
        """

    def commit_all(self, changes: Sequence[ChangeSet]) -> list[Record | EngrainError]:
        """Make at most `MOST_TOGETHER` changes, each as `commit` does, at about the cost of one,
        and return the record of each, or the error."""
        outcomes: list[Record | EngrainError] = []
        for change in changes:
            try:
                outcomes.append(self.commit(change))
            except EngrainError as error:
                outcomes.append(error)
        return outcomes

    @abstractmethod
    def recover(self) -> list[Record]:
        """Complete the changes of a writer that died, and return them. Cheap when there is nothing
        to do, and never waits for a living writer."""

    def is_busy(self) -> bool:
        """Whether a writer on this machine may be at work in the store. A writer works from a
        change's record to its last file without a break. So once this is False, the writer of every
        record that was read before has finished, or died."""
        return False

    def obstacles(self) -> Iterator[Obstacle]:
        """Yield obstacles to notes and histories. They stop nothing else; finding them reads every
        folder, so only a check asks for them."""
        return iter(())

    def resolve_forks(self, halted: Mapping[str, str]) -> bool:  # noqa: ARG002
        """Separate the chains that several installations wrote with one id; False if there was
        nothing to do. If this device is one of them and not on the longest branch, it takes a new
        id.

        `halted` has the cursors at which the reading of chains stopped before their heads. Cheap
        when there is nothing to do, and waits for nobody.
        """
        return False

    def erasable(self) -> list[str]:
        """Return the chains whose payloads `erase` blanks: this device's own, and branches; all
        chains if the store itself knows that an operator asks."""
        return [self.device, *(chain for chain in self.heads() if BRANCH in chain)]

    @abstractmethod
    def heads(self) -> dict[str, str]:
        """Return each device's cursor behind its newest change. Cheap: nothing is parsed. If an
        earlier part of a chain is missing, `chain` ends before."""

    @abstractmethod
    def chain(self, device: str, after: str | None = None) -> Iterator[ChainLink]:
        """Yield a device's chain in order, from its start or behind the cursor `after`, up to the
        first missing record: a synchroniser may bring a chain's parts in any order. With an unknown
        cursor (a history restored from a backup) it starts over."""

    def unread(self, device: str) -> list[str]:  # noqa: ARG002
        """Return the parts of a device's history that are in the store, but not in `chain`, each as
        a sentence with the reason. There are none unless something synchronises the store."""
        return []

    def noted_end(self) -> tuple[str, int, str] | None:
        """Return the end of this device's chain as its state notes it: the device, the number of
        its last change and the hash of that record. None if nothing is noted."""
        return None

    @abstractmethod
    def find_change(self, device: str, n: int) -> ChainLink:
        """Return link `n` of a chain. Raises NotFoundError."""

    @abstractmethod
    def erase(self, changes: Iterable[str]) -> list[str]:
        """Blank the payloads of changes for good, in the chains that are `erasable`, and return the
        names of those that were not blank before.

        Changes of other chains are skipped: their own devices erase them. Records and cursors stay.
        Cheap when there is nothing to do. Raises LockedError, StorageError; some may then be blank
        already, and the next call completes it.
        """

    def adopt_links(self, device: str, links: Sequence[tuple[int, bytes, bytes]]) -> None:  # noqa: ARG002
        """Copy links of another store's chain, each with its number, its line and its payload: new
        ones behind the present ones, and payloads that were blanked since. Raises StorageError if
        they do not follow, or this store takes none."""
        raise StorageError("this store takes no other store's history")

    def adopt_files(self, files: Mapping[Locator, bytes | None]) -> None:  # noqa: ARG002
        """Copy the bytes of places in another store, without a record; None: no file. Raises
        StorageError, as above."""
        raise StorageError("this store takes no other store's files")

    def adopt_others(self, files: Mapping[Locator, bytes | None]) -> None:  # noqa: ARG002
        """Copy files that are no notes, as above."""
        raise StorageError("this store takes no other store's files")

    def begin_use(self) -> None:
        """Allow commits to a store that was made to replace another."""
        return

    def hand_over(self, to: str) -> AbstractContextManager[None]:  # noqa: ARG002
        """Keep all writers out for a block, and for good if it ends without an error: from then on
        opening and writing says where the store went. Raises StorageError."""
        raise StorageError("this store can't be moved")

    def claim_jobs(self) -> AbstractContextManager[Callable[[], bool]]:
        """Keep every other device from the jobs that the whole store needs only once, for a block;
        the block gets a function that tells whether that still holds. Raises LockedError if another
        device has them."""
        return nullcontext(lambda: True)

    def jobs_done(self) -> Mapping[str, float]:
        """Return the jobs that some device did for the whole store, and how many seconds ago each
        began last; none if each device does all."""
        return {}

    def note_job(self, name: str, seconds: float) -> None:  # noqa: ARG002
        """Record for all devices that a job began `seconds` ago and has succeeded."""
        return

    def changes(self, ended: Callable[[], bool]) -> Iterator[None]:  # noqa: ARG002
        """Wait until `ended`, and yield soon after each change by another device. Ends at once if
        the store can't know of them."""
        return iter(())

    def unreachable(self) -> list[str]:
        """Return the places of copies of erased data that this store can't reach, a sentence
        each."""
        return []

    def copy_files(self) -> Iterator[CopiedFile]:
        """Return every file of the store and its history as of one moment; all are copied before
        this returns. Raises NotFoundError if the store is not in files, LockedError,
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
        """Return what would prevent a commit now, None for nothing."""

    @abstractmethod
    def close(self) -> None:
        """Release all resources."""


@dataclass(slots=True, eq=False)
class BackendRequest:
    """The arguments for opening a backend at `location`, as configured.

    `state` is the device-local folder in which the backend may store data under its `key`, None for
    a backend without any; `create` creates a missing store; `read_only` opens any folder of notes
    and refuses `commit`. `attestor` attests commits. `identity` stores the device's id, and renews
    it if another installation has the same. A store that is made to replace another gets its id,
    `vault`. One that has moved to `moved_to` is opened all the same, to complete the move.
    """

    location: str
    _: KW_ONLY
    state: str | None
    device: str
    entropy: Callable[[int], bytes]
    create: bool = False
    read_only: bool = False
    attestor: Attestor = field(default_factory=NoAttestor)
    identity: Identity | None = None
    vault: str = ""
    moved_to: str = ""
