"""A host wired or unwired: every file is computed before the first is written."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping, Sequence

from engrain.adapters.hosts.files import Change, read, remove_folders, write_all
from engrain.adapters.hosts.ledger import Kept, Ledger
from engrain.adapters.hosts.table import Host, HostFile
from engrain.model.note.note import hash_bytes


class Plan:
    """What would be done to a host's files, and how to do it."""

    def __init__(self, host: Host, changes: Sequence[Change], ledger: Ledger) -> None:
        self.host = host
        self.changes = changes
        self._ledger = ledger

    @property
    def changed(self) -> bool:
        return any(change.action != "unchanged" for change in self.changes)

    def _contents(self) -> list[bytes]:
        """What the files hold that are to be changed."""
        changing = (change for change in self.changes if change.action != "unchanged")
        return [change.before for change in changing if change.before is not None]


class SetupPlan(Plan):
    """Ours added."""

    def __init__(
        self, host: Host, changes: Sequence[Change], ledger: Ledger, kept: Sequence[Kept]
    ) -> None:
        super().__init__(host, changes, ledger)
        self._kept = kept

    def apply(self) -> None:
        """Write. Raises StorageError and ConflictError, with nothing changed."""
        known = [self._ledger.files.get(kept.path) for kept in self._kept]
        news = any(
            old is None or (old.base, old.after) != (kept.base, kept.after)
            for old, kept in zip(known, self._kept, strict=True)
        )
        if not self.changed and not news:
            return
        # The record comes first: it is true of a file that was not changed after all, too.
        self._ledger.keep(self._kept, [], self._contents())
        self._ledger.keep([], [*write_all(self.changes), *self._ledger.find_made()], [])
        remove_folders(self._ledger.folders)


class UninstallPlan(Plan):
    """Ours taken out."""

    def apply(self) -> str | None:
        """Write; the folder with a copy of what others had changed since setup, None if nobody
        had. Raises StorageError and ConflictError, with nothing changed."""
        written = {kept.after for kept in self._ledger.files.values()}
        edited = [raw for raw in self._contents() if hash_bytes(raw) not in written]
        if edited:
            self._ledger.keep([], [], edited)
        write_all(self.changes)
        remove_folders(self._ledger.folders)
        return self._ledger.forget(edited)


def plan_setup(host: Host, environ: Mapping[str, str], state_dir: str) -> SetupPlan:
    """What wiring `host` takes. Raises ConfigError for a file that can't be understood."""
    ledger = Ledger(state_dir, host.name)
    changes = []
    kept = []
    for file in host.files(environ):
        before = read(file.path)
        after = file.add(before)
        changes.append(Change(file.path, before, after))
        base = _find_base(file, before, ledger)
        if after is not None and after != base:
            kept.append(Kept(file.path, base, hash_bytes(after)))
    return SetupPlan(host, changes, ledger, kept)


def plan_uninstall(
    host: Host, environ: Mapping[str, str], state_dir: str, *, others: Iterable[Host] = ()
) -> UninstallPlan:
    """What taking ours out of `host` takes; a file that one of `others` has too stays. Raises
    ConfigError."""
    shared = {path for other in others for path in Ledger(state_dir, other.name).files}
    ledger = Ledger(state_dir, host.name)
    files = {file.path: file for file in host.files(environ)}
    by_name = {os.path.basename(path): file for path, file in files.items()}
    changes = []
    for path in dict.fromkeys([*files, *ledger.files]):
        if path in shared:
            continue
        before = read(path)
        # A folder that the environment named then and does not now has files of the same names.
        file = files.get(path) or by_name.get(os.path.basename(path))
        after = before if file is None else _find_base(file, before, ledger, path)
        changes.append(Change(path, before, after))
    return UninstallPlan(host, changes, ledger)


def _find_base(
    file: HostFile, before: bytes | None, ledger: Ledger, path: str | None = None
) -> bytes | None:
    """The file without ours: exactly what was there before `setup`, if nobody changed it since;
    else what is there now less our own."""
    kept = ledger.files.get(path or file.path)
    if before is None:
        return None
    if kept is not None and kept.after == hash_bytes(before):
        return kept.base
    if kept is not None and kept.base == before:
        return before
    # Without a record, a file that holds nothing but ours was ours.
    return file.remove(before, None if kept is None else kept.base)
