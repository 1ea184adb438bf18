"""The log of uses of the operator's own notes: JSON lines on this device, of bounded size."""

from __future__ import annotations

import contextlib
import json
import os
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from engrain.backends import confined
from engrain.backends.lock import hold_lock
from engrain.model.errors import EngrainError, StorageError
from engrain.seam.personal import DONE, Use

MAX_BYTES = 1024 * 1024
"""A file of the log is put aside when it is larger."""
GENERATIONS = 5
"""So many files there are, the current one among them."""
_LONGEST_PLACE = 300
_WAIT = 5.0
_FIELDS = ("at", "agent", "verb", "place", "outcome", "before", "after")


class UseLog:
    """The log in one folder, which is made on first use."""

    def __init__(self, folder: str) -> None:
        self._folder = folder

    def write(self, key: str, use: Use) -> None:
        """Add a use, and to the disk; another with its `key` takes the place of an earlier one.
        Raises StorageError, LockedError."""
        fields = {"use": key, **{name: getattr(use, name) for name in _FIELDS}}
        fields |= {name: fields[name][:_LONGEST_PLACE] for name in ("agent", "place")}
        raw = json.dumps(fields, ensure_ascii=True).encode() + b"\n"
        try:
            os.makedirs(self._folder, mode=0o700, exist_ok=True)
            with hold_lock(self._folder, self._folder, _WAIT):
                self._rotate()
                self._append(raw)
        except OSError as error:
            raise StorageError(
                f"the use of personal notes can't be logged: {error.strerror}",
                path=self._folder,
                remedy="see to this device's state folder; unlogged there is no use",
            ) from None

    def read(self, since: float | None) -> Sequence[Use]:
        """The uses from `since` on, oldest first. Raises StorageError."""
        found = {}
        try:
            for number in reversed(range(GENERATIONS)):
                for key, use in self._read_file(self._path(number)):
                    found[key] = use
        except OSError as error:
            raise StorageError(
                f"the log of personal notes can't be read: {error.strerror}", path=self._folder
            ) from None
        return [use for use in found.values() if since is None or use.at >= since]

    def _path(self, number: int) -> str:
        return os.path.join(self._folder, f"uses.{number}.jsonl" if number else "uses.jsonl")

    def _rotate(self) -> None:
        try:
            if os.stat(self._path(0)).st_size < MAX_BYTES:
                return
        except FileNotFoundError:
            return
        for number in reversed(range(GENERATIONS - 1)):
            if os.path.exists(self._path(number)):
                os.replace(self._path(number), self._path(number + 1))

    def _append(self, raw: bytes) -> None:
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_NOFOLLOW | os.O_CLOEXEC
        with confined.Descriptor(os.open(self._path(0), flags, 0o600)) as file:
            size = os.fstat(file).st_size
            if size and os.pread(file, 1, size - 1) != b"\n":
                raw = b"\n" + raw  # a line that a crash cut off takes no other with it
            confined.write_all(file, raw)
            confined.sync(file)

    def _read_file(self, path: str) -> Iterator[tuple[str, Use]]:
        try:
            with open(path, "rb") as file:  # noqa: PTH123
                for line in file:
                    if read := _read_line(line):
                        yield read
        except FileNotFoundError:
            return


@dataclass(slots=True, eq=False)
class LoggedUse:
    """A block in which one use is made. The log has it when the block ends, and an error of the
    system's is one of ours."""

    _log: UseLog
    _key: str
    _use: Use
    _begun: bool = field(default=False, init=False)
    before: str | None = field(default=None, init=False)

    def __enter__(self) -> LoggedUse:
        return self

    def begin(self, before: str | None, after: str) -> None:
        """Log that a change is about to be made."""
        self.before = before
        self._use.before = before
        self._use.after = after
        self._log.write(self._key, self._use)
        self._begun = True

    def __exit__(self, _: object, error: BaseException | None, __: object) -> None:
        use = self._use
        use.before = self.before
        if error is None:
            use.outcome = DONE
        else:
            use.outcome = StorageError.code if isinstance(error, OSError) else _code_of(error)
            use.after = None
        # A change that is made, or a refusal, is what the caller is to hear of.
        spare = (EngrainError,) if error is not None or self._begun else ()
        with contextlib.suppress(*spare):
            self._log.write(self._key, use)
        if isinstance(error, OSError):
            raise StorageError(
                f"personal notes: {error.strerror}",
                path=use.place,
                remedy="see to the disk and to who may write there",
            ) from None


def _code_of(error: BaseException) -> str:
    return error.code if isinstance(error, EngrainError) else "error"


def _read_line(line: bytes) -> tuple[str, Use] | None:
    try:
        value = json.loads(line)
        agent, verb, place, outcome = (str(value[name]) for name in _FIELDS[1:5])
        before, after = value["before"], value["after"]
        return str(value["use"]), Use(
            float(value["at"]), agent, verb, place, outcome, before, after
        )
    except (ValueError, TypeError, KeyError, RecursionError):
        return None
