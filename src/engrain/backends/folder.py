"""A store in a folder of plain files, used by `device-local` and `obsidian-vault`."""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from stat import S_ISDIR, S_ISREG
from typing import TYPE_CHECKING, TypeVar

from engrain.backends import confined, segments
from engrain.backends.confined import STAMP, TEMP_PREFIX, Descriptor, Folders, stamp_parts
from engrain.model.errors import (
    EngrainError,
    ForbiddenPathError,
    MalformedError,
    NotFoundError,
    StorageError,
    VaultUnavailableError,
)
from engrain.model.history.line import open_line
from engrain.model.note.note import encode, hash_bytes
from engrain.model.note.tiers import SYSTEM_FOLDER
from engrain.seam.locator import Locator, make_locator
from engrain.seam.storage import (
    BackendRequest,
    Capabilities,
    ChainLink,
    Group,
    Identity,
    StorageBackend,
    Stored,
)

if TYPE_CHECKING:
    from engrain.backends.protocol import WriteProtocol
    from engrain.model.history.record import Record
    from engrain.seam.changes import ChangeSet, Obstacle
    from engrain.seam.storage import CopiedFile
from itertools import islice

from engrain.seam.storage import Attestor

T = TypeVar("T")

VAULT_FILE = "vault.json"


class FolderBackend(StorageBackend):
    """A vault folder; `capabilities` say what is special about the place it is in."""

    def __init__(self, request: BackendRequest, capabilities: Capabilities) -> None:
        self.capabilities = capabilities
        self.device = request.device
        self._folder = os.path.realpath(request.location)
        self._state: str | None = None
        self._writer: WriteProtocol | None = None
        self._entropy = request.entropy
        self._attestor = request.attestor
        self._identity = request.identity or Identity(request.entropy)
        self._moved_to = request.moved_to
        if request.create:
            self._create(request)
        with Descriptor(self._open_root()) as root, _telling("the vault", self._folder):
            self.vault = "" if request.read_only else self._read_vault_id(root)
            found = os.fstat(root)
        self.key = f"{self.vault}-{found.st_dev:x}-{found.st_ino:x}"
        if not request.read_only:
            if request.state is None:
                raise StorageError("a vault folder needs a place for this device's state")
            self._state = os.path.join(request.state, self.key)

    def describe(self, locator: Locator | None = None) -> str:
        return os.path.join(self._folder, locator) if locator else self._folder

    def read(self, locator: Locator) -> Stored:
        with self.reading() as read:
            return read(locator)

    def reading(self, ahead: Sequence[Locator] = ()) -> _Reading:  # noqa: ARG002
        return _Reading(self._open_root())

    def groups(self) -> Iterator[Group]:
        from engrain.backends.groups import walk

        with Descriptor(self._open_root()) as root, _telling("the vault", self._folder):
            yield from walk(root)

    def marks(self, groups: Iterable[str]) -> dict[str, str]:
        from engrain.backends.groups import mark_of

        found = {}
        with Descriptor(self._open_root()) as root:
            for name in groups:
                try:
                    stat = os.lstat(name or ".", dir_fd=root)
                except OSError as error:
                    if not confined.is_gone(error):
                        raise _told(error, "the vault", self.describe(Locator(name))) from None
                    continue
                if S_ISDIR(stat.st_mode):
                    found[name] = mark_of(stat)
        return found

    def group(self, name: str) -> Group:
        from engrain.backends.groups import open_group

        with Descriptor(self._open_root()) as root:
            return open_group(root, name)

    def find_changed(self, stamps: Mapping[str, str]) -> list[str]:
        changed = []
        lstat, look = os.lstat, stamp_parts
        with Descriptor(self._open_root()) as root:
            for place, stamp in stamps.items():
                try:
                    found = lstat(place, dir_fd=root)
                except OSError:
                    if stamp:
                        changed.append(place)
                    continue
                if STAMP % look(found) != stamp and (stamp or S_ISREG(found.st_mode)):
                    changed.append(place)
        return changed

    def is_gone(self, locator: Locator) -> bool:
        placeholder = f".{locator.name}.icloud"  # of a file that iCloud keeps elsewhere only
        at = f"{locator.folder}/{placeholder}" if locator.folder else placeholder
        with Descriptor(self._open_root()) as root:
            return super().is_gone(locator) and not confined.is_there(root, at)

    def others(self) -> Iterator[Locator]:
        from engrain.backends.obstacles import list_others

        with Descriptor(self._open_root()) as root, _telling("the vault", self._folder):
            yield from list_others(root)

    def read_other(self, locator: Locator) -> bytes:
        from engrain.backends.obstacles import read_other

        with Descriptor(self._open_root()) as root:
            return read_other(root, make_locator(locator))

    def add_other(self, locator: Locator, raw: bytes) -> bool:
        from engrain.backends.obstacles import add_other

        with Descriptor(self._open_root()) as root:
            return add_other(root, make_locator(locator), raw)

    def read_all(
        self, locators: Iterable[Locator]
    ) -> Iterator[tuple[Locator, Stored | EngrainError]]:
        with self.reading() as read:
            for locator in locators:
                try:
                    yield locator, read(locator)
                except EngrainError as error:
                    yield locator, error

    def commit(self, change: ChangeSet) -> Record:
        return self._write((change,), lambda protocol, root: protocol.commit(root, change))

    def commit_all(self, changes: Sequence[ChangeSet]) -> list[Record | EngrainError]:
        return self._write(changes, lambda protocol, root: protocol.commit_all(root, changes))

    def _write(self, changes: Sequence[ChangeSet], do: Callable[[WriteProtocol, int], T]) -> T:
        protocol = self._protocol()
        for change in changes:
            for write in change.writes:
                make_locator(write.locator)
        with Descriptor(self._open_root()) as root:
            try:
                return do(protocol, root)
            finally:
                self.device = protocol.device

    def recover(self) -> list[Record]:
        if self._state is None:
            return []
        with Descriptor(self._open_root()) as root:
            try:
                finished = segments.is_finished(root, self._state, self.device)
            except OSError:
                finished = False  # the protocol meets the error again, and notes it
            if finished:
                return []
            protocol = self._protocol()
            completed = protocol.recover(root)
            self.device = protocol.device
            return completed

    def resolve_forks(self, halted: Mapping[str, str]) -> bool:
        if self._state is None:
            return False
        with Descriptor(self._open_root()) as root:
            with self._telling():
                if not halted and not segments.find_copies(root):
                    return False
            protocol = self._protocol()
            done = protocol.resolve_forks(root, halted)
            self.device = protocol.device
            return done

    def is_busy(self) -> bool:
        return self._state is not None and self._protocol().is_busy()

    def obstacles(self) -> Iterator[Obstacle]:
        from engrain.backends.obstacles import list_obstacles

        stopped = self._writer.stopped if self._writer else ""
        with Descriptor(self._open_root()) as root, _telling("the vault", self._folder):
            yield from list_obstacles(root, self.device, stopped)

    def heads(self) -> dict[str, str]:
        with Descriptor(self._open_root()) as root, self._telling():
            heads: dict[str, str] = {}
            for device in segments.list_devices(root):
                heads |= segments.read_heads(root, device)
        return heads

    def chain(self, device: str, after: str | None = None) -> Iterator[ChainLink]:
        make_locator(device)
        with Descriptor(self._open_root()) as root, self._telling():
            own = device == self.device
            yield from segments.read_chain(root, device, after, past_gaps=own)

    def unread(self, device: str) -> list[str]:
        make_locator(device)
        with Descriptor(self._open_root()) as root, self._telling():
            gap = segments.find_gap(root, device)
            copies = segments.find_copies(root, device)
        unread = [f"the conflict copy {copy} could not be read into the history" for copy in copies]
        if gap is not None:
            unread.append(
                f"the changes from {gap[0]} to {gap[1] - 1} are missing; those behind them are read"
                " when these have come"
            )
        return unread

    def noted_end(self) -> tuple[str, int, str] | None:
        noted = self._state and segments.read_note(self._state, self.device)
        return (self.device, noted.n, noted.hash) if noted and noted.n else None

    def find_change(self, device: str, n: int) -> ChainLink:
        make_locator(device)
        with Descriptor(self._open_root()) as root, self._telling():
            return segments.find_link(root, device, n)

    def erase(self, changes: Iterable[str]) -> list[str]:
        from engrain.seam.changes import own_numbers

        named = list(changes)
        erased = []
        with Descriptor(self._open_root()) as root:
            for chain in self.erasable():
                if own := own_numbers(chain, named):
                    done = self._protocol().erase(root, chain, own)
                    erased += [f"{chain}-{n}" for n in done]
        return erased

    def adopt_links(self, device: str, links: Sequence[tuple[int, bytes, bytes]]) -> None:
        from engrain.backends.adopting import adopt_links

        with Descriptor(self._open_root()) as root, self._protocol().hold():
            adopt_links(root, device, links)

    def adopt_files(self, files: Mapping[Locator, bytes | None]) -> None:
        from engrain.backends.adopting import adopt_files

        with Descriptor(self._open_root()) as root, self._protocol().hold():
            adopt_files(root, files)

    def adopt_others(self, files: Mapping[Locator, bytes | None]) -> None:
        self.adopt_files(files)

    def hand_over(self, to: str) -> AbstractContextManager[None]:
        from engrain.backends.adopting import hand_over

        return hand_over(Descriptor(self._open_root()), self._protocol().hold(), to)

    def copy_files(self) -> Iterator[CopiedFile]:
        from engrain.backends.adopting import copy_folder

        self.recover()
        try:
            return copy_folder(self._folder, self._protocol().hold())
        except OSError as error:
            raise StorageError(f"the vault can't be copied: {error}") from error

    def probe(self) -> str | None:
        try:
            protocol = self._protocol()
            with Descriptor(self._open_root()) as root:
                protocol.probe(root)
        except (OSError, StorageError) as error:
            return str(error)
        return None

    def close(self) -> None:
        """Nothing is held open between calls, so that the folder can be unmounted."""

    def _protocol(self) -> WriteProtocol:
        """Return the write protocol, which is loaded when first needed: readers do without it."""
        if self._state is None:
            raise StorageError("the store was opened for reading only", path=self._folder)
        if self._writer is None:
            from engrain.backends.protocol import WriteProtocol

            self._writer = WriteProtocol(
                self._folder,
                self._state,
                self.device,
                self._entropy,
                self._sign,
                self._vouched,
                self._identity,
            )
        return self._writer

    def _vouched(self, line: bytes) -> bool:
        if not self._attestor.sign(self.vault, b""):
            return True  # without a key a forgery can't be told apart
        return self._attestor.holds(self.vault, *open_line(line))

    def _sign(self, message: bytes) -> str:
        return self.sign_record(self._attestor, message)

    def _telling(self) -> AbstractContextManager[None]:
        return _telling("the history", self.describe(Locator("/".join(segments.HISTORY))))

    def _open_root(self) -> int:
        try:
            return os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY | os.O_CLOEXEC)
        except OSError as error:
            raise self._unavailable(f"the vault can't be reached: {error.strerror}") from None

    def _unavailable(self, message: str, before: str = "") -> VaultUnavailableError:
        return VaultUnavailableError(
            message,
            path=self._folder,
            remedy=f"{before}run `engrain init` there, or point ENGRAIN_VAULT at a vault",
        )

    def _create(self, request: BackendRequest) -> None:
        if os.path.lexists(os.path.join(self._folder, SYSTEM_FOLDER, VAULT_FILE)):
            return
        try:
            os.makedirs(self._folder, exist_ok=True)
            with (
                Descriptor(self._open_root()) as root,
                Descriptor(confined.open_folder(root, [SYSTEM_FOLDER], create=True)) as system,
            ):
                from engrain.backends.folder import recognise

                made = request.vault or recognise(root, request)
                made = made or encode(int.from_bytes(request.entropy(10), "big"), 16)
                content = {"id": made, "v": 1}
                temp = f"{TEMP_PREFIX}{content['id']}.tmp"
                confined.write_new(system, temp, json.dumps(content).encode() + b"\n")
                from engrain.backends.placing import place_new

                place_new(system, temp, VAULT_FILE)  # of two processes that create it, one id wins
                confined.sync(system)
        except OSError as error:
            raise StorageError(
                f"can't create a vault: {error.strerror}", path=self._folder
            ) from None

    def _read_vault_id(self, root: int) -> str:
        try:
            with Descriptor(confined.open_folder(root, [SYSTEM_FOLDER])) as system:
                vault = json.loads(confined.read_file(system, VAULT_FILE)[0])["id"]
        except NotFoundError:
            raise self._unavailable("the folder is not a vault") from None
        except (ValueError, KeyError, TypeError):
            raise self._unavailable(
                f"{SYSTEM_FOLDER}/{VAULT_FILE} can't be read",
                f"remove {SYSTEM_FOLDER}/{VAULT_FILE} and ",
            ) from None
        except OSError as error:
            raise _told(error, f"{SYSTEM_FOLDER}/{VAULT_FILE}", self._folder) from None
        if not isinstance(vault, str) or not vault.isalnum():
            raise self._unavailable(
                f"{SYSTEM_FOLDER}/{VAULT_FILE} names no vault",
                f"remove {SYSTEM_FOLDER}/{VAULT_FILE} and ",
            )
        with _telling(confined.MOVED, self._folder):
            moved = confined.is_there(root, confined.MOVED)
        if moved:
            confined.refuse_moved(root, self._folder, self._moved_to)
        return vault


def _told(error: OSError, what: str, path: str) -> StorageError:
    """Return the error for a caller of a failed reading. It says nothing about the thing itself."""
    return StorageError(
        f"{what} can't be read: {error.strerror}",
        path=path,
        remedy="repeat the command; if it fails again, see to the disk",
    )


@contextmanager
def _telling(what: str, path: str) -> Iterator[None]:
    """Run a block whose OSErrors become StorageErrors."""
    try:
        yield
    except OSError as error:
        raise _told(error, what, path) from None


class _Reading:
    """A block that reads notes and opens each of their folders once."""

    __slots__ = ("_folders",)

    def __init__(self, root: int) -> None:
        self._folders = Folders(root)

    def __enter__(self) -> Callable[[Locator], Stored]:
        return self.read

    def __exit__(self, *_: object) -> None:
        self._folders.__exit__()
        os.close(self._folders.root)

    def read(self, locator: Locator) -> Stored:
        parts, name = confined.split_path(make_locator(locator))
        try:
            raw, found = confined.read_file(self._folders.open(parts), name)
        except (NotFoundError, ForbiddenPathError, MalformedError) as error:
            error.path = locator
            raise
        except OSError as error:
            raise _told(error, "the note", locator) from None
        return Stored(raw, hash_bytes(raw), confined.stamp_of(found), confined.is_settled(found))


_MOST = 200
"""The most records of each chain that are tried with each key."""


def recognise(root: int, request: BackendRequest) -> str:
    """Return the id of the vault whose history is in the folder `root`: that of the key with which
    its records were made, else that under which this device keeps the state of the folder. Return
    "" if there is no history, or nothing here knows it."""
    devices = segments.list_devices(root)
    for vault in request.attestor.vaults() if devices else ():
        if any(_bears(root, device, vault, request.attestor) for device in devices):
            return vault
    known = _list_known(root, request.state or "") if request.device in devices else []
    return known[0] if len(known) == 1 else ""


def _bears(root: int, device: str, vault: str, attestor: Attestor) -> bool:
    """Whether a record of a device was made with a vault's key."""
    try:
        for link in islice(segments.read_chain(root, device, None, past_gaps=True), _MOST):
            message, code = open_line(link.line)
            if code and attestor.holds(vault, message, code):
                return True
    except (EngrainError, OSError):
        return False  # damaged: another chain may tell
    return False


def _list_known(root: int, state: str) -> list[str]:
    """List the ids of the vaults that this device knew in the folder."""
    found = os.fstat(root)
    suffix = f"-{found.st_dev:x}-{found.st_ino:x}"
    try:
        names = os.listdir(state)
    except OSError:
        return []
    return [name.removesuffix(suffix) for name in names if name.endswith(suffix)]
