"""Two devices and what carries files between them, in whatever order and however torn."""

from __future__ import annotations

import os
import random
from collections.abc import Collection, Iterator
from pathlib import Path

from engrain import Memory, open_memory
from engrain.model.history.record import CANCEL, EXTERNAL, Record, decode_record, read_cancelled
from engrain.model.note.note import BRANCH
from engrain.seam.rows import Filter
from support.vaults import FakeClock

HISTORY = ".engrain/history"


class Device:
    """One machine: its copy of the vault, its state, and the key that all devices share."""

    def __init__(self, folder: Path, name: str, trust: str = "operator", skew: float = 0.0) -> None:
        self.vault = folder / name / "vault"
        self.state = folder / name / "state"
        self.keys = folder / "keys"
        self.trust = trust
        self.clock = FakeClock()
        self.clock.at += skew
        self._memory: Memory | None = None

    @property
    def memory(self) -> Memory:
        """Opened when it is first asked for."""
        if self._memory is None:
            self._memory = open_memory(
                self.vault,
                state_dir=self.state,
                backend="obsidian-vault",
                trust=self.trust,
                create=True,
                clock=self.clock,
                keys_dir=self.keys,
            )
        return self._memory

    def close(self) -> None:
        if self._memory is not None:
            self._memory.close()
            self._memory = None

    def files(self) -> dict[str, bytes]:
        """Every file of its vault, history included."""
        return {
            path.relative_to(self.vault).as_posix(): path.read_bytes()
            for path in sorted(self.vault.rglob("*"))
            if path.is_file()
        }

    def put(self, path: str, raw: bytes | None) -> None:
        """Have a synchroniser write or remove a file, as all of them do: whole, by a rename."""
        place = self.vault / path
        if raw is None:
            place.unlink(missing_ok=True)
            return
        place.parent.mkdir(parents=True, exist_ok=True)
        temp = place.with_name(f".syncthing.{place.name}.tmp")
        temp.write_bytes(raw)
        os.replace(temp, place)

    def state_of_entries(self) -> list[tuple[object, ...]]:
        """What its index tells of every entry."""
        store = self.memory._ready()
        rows = store.index.find(Filter())
        return sorted((row.id, row.locator, row.hash, row.source, row.attested) for row in rows)


class Synchroniser:
    """Carries files between two folders as such programs do: it knows what both had at the last
    meeting, keeps both versions of what both changed, and brings files in any order."""

    def __init__(self, one: Device, other: Device, chance: random.Random) -> None:
        self.one = one
        self.other = other
        self.chance = chance
        self.base: dict[str, bytes] = {}
        self.copies = 0

    def meet(self, *, torn: bool = True, only: Collection[str] = ()) -> None:
        """Bring all that differs, or `only` some paths, one file after another; each side may look
        in between."""
        paths = sorted(only or {*self.one.files(), *self.other.files(), *self.base})
        self.chance.shuffle(paths)
        for path in paths:
            if torn and self.chance.random() < 0.2:
                continue  # it comes at the next meeting
            self._settle(path, torn=torn)
            if torn and self.chance.random() < 0.02:
                self.chance.choice((self.one, self.other)).memory.scan()

    def _settle(self, path: str, *, torn: bool) -> None:
        here, there = read(self.one, path), read(self.other, path)
        known = self.base.get(path)
        if here == there:
            pass
        elif there == known:
            self._bring(self.other, path, here, torn=torn)
        elif here == known:
            self._bring(self.one, path, there, torn=torn)
        elif here is None or there is None:
            # Gone on one side and changed on the other: what was changed stays.
            self._bring(self.one if here is None else self.other, path, here or there, torn=torn)
        else:
            self._keep_both(path, here, there)
        self._agree(path)

    def _bring(self, to: Device, path: str, raw: bytes | None, *, torn: bool) -> None:
        if torn and raw and path.startswith(HISTORY) and self.chance.random() < 0.3:
            part = raw[: self.chance.randrange(len(raw))]
            to.put(path, part)
            to.memory.scan()
            if read(to, path) != part:
                return  # changed meanwhile, so both versions are kept at the next meeting
        to.put(path, raw)

    def _keep_both(self, path: str, here: bytes, there: bytes) -> None:
        wins, loses = (here, there) if self.chance.random() < 0.5 else (there, here)
        self.copies += 1
        stem, dot, ending = path.rpartition(".")
        copy = f"{stem}.sync-conflict-20261122-{self.copies:06}-ABCDEFG{dot}{ending}"
        for device in (self.one, self.other):
            device.put(path, wins)
            device.put(copy, loses)
        self._agree(copy)

    def _agree(self, path: str) -> None:
        here, there = read(self.one, path), read(self.other, path)
        if here == there:
            if here is None:
                self.base.pop(path, None)
            else:
                self.base[path] = here


def read(device: Device, path: str) -> bytes | None:
    place = device.vault / path
    return place.read_bytes() if place.is_file() else None


def records(files: dict[str, bytes]) -> Iterator[tuple[str, Record]]:
    """Every record of the history in a vault's files, by its name."""
    for path, raw in files.items():
        if path.startswith(f"{HISTORY}/") and path.endswith(".log"):
            _, _, device, name = path.split("/")
            mark = name.partition(".")[0].partition(BRANCH)[2]
            lines = raw.split(b"\n")
            for line, payload in zip(lines[0:-1:2], lines[1::2], strict=False):
                record = decode_record(line, payload)
                record.device = f"{device}{BRANCH}{mark}" if mark else device
                yield record.change, record


def false_conclusions(files: dict[str, bytes]) -> list[str]:
    """The `external` files of a history that a record of it explains, less those cancelled."""
    all_ = dict(records(files))
    cancelled = {
        name
        for record in all_.values()
        if record.op == CANCEL
        for name in read_cancelled(record.undoes)
    }
    left = {
        (file.path, file.after_hash)
        for record in all_.values()
        if record.op != EXTERNAL
        for file in record.files or ()
        if file.before_hash != file.after_hash
    }
    return [
        f"{change} {file.path}"
        for change, record in all_.items()
        if record.op == EXTERNAL
        for place, file in enumerate(record.files or ())
        if (file.path, file.after_hash) in left and (change, place) not in cancelled
    ]
