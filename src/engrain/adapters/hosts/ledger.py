"""What `setup` did to a host's files, kept on this device with copies of what was there before.

The folder is private: a host's configuration may hold keys.
"""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Sequence
from dataclasses import dataclass

from engrain.adapters.hosts.files import place, read, remove_folders
from engrain.model.errors import EngrainError, StorageError
from engrain.model.note.note import hash_bytes

_RECORD = "record.json"
_COPIES = "copies"


@dataclass(slots=True, eq=False)
class Kept:
    """A file as it is without ours (None: not there), and the hash of it with ours."""

    path: str
    base: bytes | None
    after: str


class Ledger:
    """One host's record. `folders` are those that `setup` made."""

    def __init__(self, state_dir: str, host: str) -> None:
        self._folder = os.path.join(state_dir, "setup", host)
        self.files: dict[str, Kept] = {}
        self.folders: list[str] = []
        self._load()

    def keep(self, files: Sequence[Kept], folders: Sequence[str], seen: Sequence[bytes]) -> None:
        """Write down these files in the place of what is known of them, and a copy of every
        content in `seen`. Raises StorageError."""
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
        copies = os.path.join(self._folder, _COPIES)
        bases = [kept.base for kept in self.files.values() if kept.base is not None]
        try:
            os.makedirs(copies, mode=0o700, exist_ok=True)
            for raw in (*seen, *bases):
                path = os.path.join(copies, hash_bytes(raw))
                if not os.path.exists(path):
                    place(path, raw, 0o600)
            place(self._path(), json.dumps(record, indent=1).encode(), 0o600)
        except OSError as error:
            raise StorageError(
                f"can't keep a copy of what is there: {error.strerror}; no file was changed",
                path=self._folder,
                remedy="set ENGRAIN_STATE_DIR to a folder that can be written",
            ) from None

    def find_made(self) -> list[str]:
        """The folders that `setup` made for any host and that a file of this one is in."""
        hosts = os.path.dirname(self._folder)
        ledgers = (Ledger(os.path.dirname(hosts), name) for name in os.listdir(hosts))
        made = dict.fromkeys(f"{folder}{os.sep}" for ledger in ledgers for folder in ledger.folders)
        return [
            folder[:-1] for folder in made if any(path.startswith(folder) for path in self.files)
        ]

    def forget(self, spare: Sequence[bytes] = ()) -> str | None:
        """Remove the record and the copies but those of `spare`; where these are."""
        self.files.clear()
        self.folders.clear()
        copies = os.path.join(self._folder, _COPIES)
        spared = {hash_bytes(raw) for raw in spare}
        with contextlib.suppress(OSError):
            os.unlink(self._path())
        for name in os.listdir(copies) if os.path.isdir(copies) else ():
            if name not in spared:
                os.unlink(os.path.join(copies, name))
        remove_folders([copies, self._folder, os.path.dirname(self._folder)])
        return copies if spared else None

    def _load(self) -> None:
        """What can be read of the record: with none of it, ours is still known by its words."""
        try:
            record = json.loads(read(self._path()) or b"{}")
            for item in record.get("files", ()):
                base = item["before"] and self._read_copy(item["before"])
                self.files[item["path"]] = Kept(item["path"], base, item["after"])
            self.folders = [str(folder) for folder in record.get("folders", ())]
        except (EngrainError, ValueError, KeyError, TypeError, AttributeError):
            self.files.clear()

    def _read_copy(self, digest: str) -> bytes:
        raw = read(os.path.join(self._folder, _COPIES, digest))
        if raw is None or hash_bytes(raw) != digest:
            raise ValueError(digest)
        return raw

    def _path(self) -> str:
        return os.path.join(self._folder, _RECORD)
