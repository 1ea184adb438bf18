"""Plans to set up and uninstall a host; every file is computed before the first is written.

A private folder of this device keeps what `setup` did, with copies of the files before: they may
hold keys.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from engrain.adapters.hosts.files import FileEdit, read, remove_folders, write_all
from engrain.adapters.hosts.table import Host, HostFile
from engrain.model.errors import EngrainError, StorageError
from engrain.model.note.note import hash_bytes
from engrain.resolution.files import replace_file


@dataclass(frozen=True, slots=True)
class Kept:
    """A file without our parts (None: it does not exist), and the hash of it with them."""

    path: str
    base: bytes | None
    after: str


class Ledger:
    """The record of one host. `folders` are those that `setup` made.

    If it can't be read it is empty: our parts are still recognised by their words.
    """

    def __init__(self, state_dir: str, host: str) -> None:
        self._folder = os.path.join(state_dir, "setup", host)
        self._record = os.path.join(self._folder, "record.json")
        self._copies = os.path.join(self._folder, "copies")
        self.files: dict[str, Kept] = {}
        self.folders: list[str] = []
        try:
            record = json.loads(read(self._record) or b"{}")
            for item in record.get("files", ()):
                base = item["before"] and self._read_copy(item["before"])
                self.files[item["path"]] = Kept(item["path"], base, item["after"])
            self.folders = [str(folder) for folder in record.get("folders", ())]
        except (EngrainError, ValueError, KeyError, TypeError, AttributeError):
            self.files.clear()

    def record(self, files: Sequence[Kept], folders: Sequence[str], seen: Sequence[bytes]) -> None:
        """Record these files and folders, and store a copy of each content in `seen`. Raises
        StorageError."""
        self.files |= {file.path: file for file in files}
        self.folders += [folder for folder in folders if folder not in self.folders]
        record = {
            "files": [
                {
                    "path": kept.path,
                    "before": None if kept.base is None else hash_bytes(kept.base),
                    "after": kept.after,
                }
                for kept in self.files.values()
            ],
            "folders": self.folders,
        }
        bases = [kept.base for kept in self.files.values() if kept.base is not None]
        try:
            os.makedirs(self._copies, mode=0o700, exist_ok=True)
            for raw in (*seen, *bases):
                path = os.path.join(self._copies, hash_bytes(raw))
                if not os.path.exists(path):
                    replace_file(path, raw, private=True)
            replace_file(self._record, json.dumps(record, indent=1), private=True)
        except OSError as error:
            raise StorageError(
                f"can't keep a copy of what is there: {error.strerror}; no file was changed",
                path=self._folder,
                remedy="set ENGRAIN_STATE_DIR to a folder that can be written",
            ) from None

    def find_made(self) -> list[str]:
        """Return the folders that `setup` made for any host and that contain a file of this one."""
        hosts = os.path.dirname(self._folder)
        ledgers = (Ledger(os.path.dirname(hosts), name) for name in os.listdir(hosts))
        made = dict.fromkeys(folder for ledger in ledgers for folder in ledger.folders)
        return [
            folder
            for folder in made
            if any(path.startswith(folder + os.sep) for path in self.files)
        ]

    def forget(self, spare: Sequence[bytes]) -> str | None:
        """Remove the record and the copies except those of `spare`. Return the folder of these,
        None if there are none."""
        self.files.clear()
        self.folders.clear()
        spared = {hash_bytes(raw) for raw in spare}
        with contextlib.suppress(OSError):
            os.unlink(self._record)
        for name in os.listdir(self._copies) if os.path.isdir(self._copies) else ():
            if name not in spared:
                os.unlink(os.path.join(self._copies, name))
        remove_folders([self._copies, self._folder, os.path.dirname(self._folder)])
        return self._copies if spared else None

    def _read_copy(self, digest: str) -> bytes:
        raw = read(os.path.join(self._copies, digest))
        if raw is None or hash_bytes(raw) != digest:
            raise ValueError(digest)
        return raw


@dataclass(frozen=True, slots=True)
class HostPlan:
    """Changes to a host's files."""

    host: Host
    changes: Sequence[FileEdit]
    ledger: Ledger

    @property
    def changed(self) -> bool:
        return any(change.action != "unchanged" for change in self.changes)

    def _contents(self) -> list[bytes]:
        """Return the present contents of the files that change."""
        changing = (change for change in self.changes if change.action != "unchanged")
        return [change.before for change in changing if change.before is not None]


@dataclass(frozen=True, slots=True)
class SetupPlan(HostPlan):
    """Changes that add our parts, and the record of them."""

    kept: Sequence[Kept]

    def apply(self) -> None:
        """Write the files. Raises StorageError and ConflictError, with nothing changed."""
        if not self.changed and all(self.ledger.files.get(kept.path) == kept for kept in self.kept):
            return
        # The record comes first: it stays true if a file is not changed after all.
        self.ledger.record(self.kept, [], self._contents())
        self.ledger.record([], [*write_all(self.changes), *self.ledger.find_made()], [])
        remove_folders(self.ledger.folders)


class UninstallPlan(HostPlan):
    """Changes that remove our parts."""

    def apply(self) -> str | None:
        """Write the files. Return the folder with copies of those that others changed since setup,
        None if nobody did. Raises StorageError and ConflictError, with nothing changed."""
        written = {kept.after for kept in self.ledger.files.values()}
        edited = [raw for raw in self._contents() if hash_bytes(raw) not in written]
        if edited:
            self.ledger.record([], [], edited)
        write_all(self.changes)
        remove_folders(self.ledger.folders)
        return self.ledger.forget(edited)


def plan_setup(host: Host, environ: Mapping[str, str], state_dir: str) -> SetupPlan:
    """Plan to add our parts to the files of `host`. Raises ConfigError for an unreadable file."""
    ledger = Ledger(state_dir, host.name)
    changes = []
    kept = []
    for file in host.files(environ):
        before = read(file.path)
        after = file.add(before)
        changes.append(FileEdit(file.path, before, after))
        base = _find_base(file, before, ledger.files.get(file.path))
        if after != base:
            kept.append(Kept(file.path, base, hash_bytes(after)))
    return SetupPlan(host, changes, ledger, kept)


def plan_uninstall(
    host: Host, environ: Mapping[str, str], state_dir: str, *, others: Iterable[Host] = ()
) -> UninstallPlan:
    """Plan to remove our parts from the files of `host`, but for files that one of `others` has
    too. Raises ConfigError."""
    shared = {path for other in others for path in Ledger(state_dir, other.name).files}
    ledger = Ledger(state_dir, host.name)
    files = {file.path: file for file in host.files(environ)}
    by_name = {os.path.basename(path): file for path, file in files.items()}
    changes = []
    for path in dict.fromkeys([*files, *ledger.files]):
        if path in shared:
            continue
        before = read(path)
        # If the environment named another folder at setup, it has files of the same names.
        file = files.get(path) or by_name.get(os.path.basename(path))
        after = before if file is None else _find_base(file, before, ledger.files.get(path))
        changes.append(FileEdit(path, before, after))
    return UninstallPlan(host, changes, ledger)


def _find_base(file: HostFile, before: bytes | None, kept: Kept | None) -> bytes | None:
    """Return the file without our parts: exactly as before `setup` if nobody changed it since,
    else as it is now less our parts."""
    if before is None:
        return None
    if kept is None:
        return file.remove(before, None)
    if kept.after == hash_bytes(before):
        return kept.base
    return before if kept.base == before else file.remove(before, kept.base)
