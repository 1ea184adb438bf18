"""What a store is given to write, and what it tells of its history."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from typing import TYPE_CHECKING

from engrain.model.history.line import split_change
from engrain.model.history.record import FileChange, Record
from engrain.model.note.note import hash_bytes

if TYPE_CHECKING:
    from engrain.seam.locator import Locator


@dataclass(slots=True)
class Obstacle:
    """Something in a store that does not belong at its place. `path` is that place, `message` says
    what it is and what is lost by it, `remedy` what a person can do."""

    path: str
    message: str
    remedy: str


@dataclass(slots=True)
class Write:
    """One file of a change set: the bytes of `entry` at `locator` after it (None: no file).

    `before` is the hash of the expected bytes, None for no file. If the same bytes are there
    already, the history may record others (`recorded`), such as the text without secrets. Where
    another program removed a file, `removed` is the hash of its last known bytes.
    """

    locator: Locator
    after: bytes | None
    entry: str
    before: str | None = None
    recorded: bytes | None = None
    removed: str | None = None


@dataclass(slots=True)
class ChangeSet:
    """The content of one commit and of its record.

    `op` is the verb, `at` the time in seconds since the epoch, `trust` the origin of the caller.
    `part_of` names the first change of the operation that this one continues, None if it begins one
    or stands alone. A change that is not `patient` is refused at once while others are writing.
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
        """Return the record of this change as number `n` of `device`."""
        files = [
            FileChange(
                write.locator,
                write.entry,
                write.removed or write.before,
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


def own_numbers(device: str, changes: Iterable[str]) -> list[int]:
    """Return the numbers of those changes that are in a device's own chain, in order."""
    found = (split_change(change) for change in changes)
    return sorted({name[1] for name in found if name and name[0] == device and name[1] > 0})
