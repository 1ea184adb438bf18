"""A device's history on disk: `.engrain/history/<device>/<n>.log`, appended and never changed, but
that payloads are erased in place.

A segment is named after its first record and holds two lines a change, at most about 1 MiB. Only
the device itself writes its chain, under the write lock. A synchroniser may bring the segments to
other devices in any order and cut at any byte, so a chain is read up to the first record that is
missing, and from there on when that record has come.
"""

from __future__ import annotations

import errno
import os
import stat
from zlib import crc32

from engrain.backends import confined
from engrain.model.errors import ForbiddenPathError, HistoryError, NotFoundError, StorageError
from engrain.model.note import hash_bytes
from engrain.seam.locator import is_part
from engrain.seam.storage import ChainLink

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

HISTORY = [".engrain", "history"]
SEGMENT_BYTES = 1024 * 1024
CHANGE_BYTES = 64 * SEGMENT_BYTES
"""The most that one change may take: a segment of it is read whole."""
_READ_LIMIT = CHANGE_BYTES + SEGMENT_BYTES
UNREADABLE = (NotFoundError, ForbiddenPathError, OSError)
"""What reading raises where something else lies, or nothing, or what this user may not read."""
_DIGITS = 8
IN_THE_WAY = (errno.EISDIR, errno.ELOOP, errno.ENXIO, errno.EACCES, errno.EPERM)
"""How opening a file for writing fails where another thing lies, or where it is closed to us."""
_MARK = 256
"""Bytes before a cursor that its check sum is of: less than any link has."""


class Tail:
    """The end of a chain: the last segment (its first record's number) and its size, the number
    and hash of the last record, the cursor behind it, and, after an append, where it begins."""

    __slots__ = ("cursor", "hash", "n", "segment", "size", "start")

    def __init__(
        self, segment: int, size: int, n: int, hash_: str, cursor: str, start: int = 0
    ) -> None:
        self.segment = segment
        self.size = size
        self.n = n
        self.hash = hash_
        self.cursor = cursor
        self.start = start


def start_chain() -> Tail:
    """The end of a chain that has no link yet."""
    from engrain.model.history import GENESIS

    return Tail(1, 0, 0, GENESIS, "")


def list_segments(folder: int) -> list[int]:
    """The first record's number of each segment, in order; foreign files are passed over."""
    found = []
    for name in os.listdir(folder):
        digits, _, ending = name.partition(".")
        if ending == "log" and len(digits) == _DIGITS and digits.isascii() and digits.isdigit():
            found.append(int(digits))
    return sorted(found)


def segment_name(first: int) -> str:
    return f"{first:0{_DIGITS}}.log"


def list_devices(root: int) -> list[str]:
    """The names among the histories that may be devices: what else lies there has no segments."""
    try:
        history = confined.open_folder(root, HISTORY)
    except UNREADABLE:
        return []
    try:
        return sorted(name for name in os.listdir(history) if name[0] != "." and is_part(name))
    finally:
        os.close(history)


def open_chain(root: int, device: str) -> int:
    """The folder of a device's chain. Raises NotFoundError."""
    return confined.open_folder(root, [*HISTORY, device])


def read_head(root: int, device: str) -> str | None:
    """The cursor behind the last byte of a chain that can be read, None when there is none."""
    try:
        folder = open_chain(root, device)
    except UNREADABLE:
        return None
    try:
        for number in reversed(list_segments(folder)):
            try:
                if size := _size_of(folder, number):
                    return _cursor(number, size, _read_before(folder, number, size))
            except UNREADABLE:
                continue
        return None
    finally:
        os.close(folder)


def ends_at(root: int, device: str, tail: Tail) -> bool:
    """Whether a chain ends where `tail` says. One that can't be read has no other end to show."""
    try:
        folder = open_chain(root, device)
    except UNREADABLE:
        return False
    try:
        if _size_of(folder, tail.segment) != tail.size or _size_of(folder, tail.n + 1):
            return False
        return _holds(folder, tail.segment, tail.size, tail.cursor)
    finally:
        os.close(folder)


def _size_of(folder: int, number: int) -> int:
    """The size of a segment, 0 where no file is."""
    try:
        found = os.stat(segment_name(number), dir_fd=folder, follow_symlinks=False)
    except OSError:
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


def read_chain(
    root: int, device: str, after: str | None, *, past_gaps: bool = False
) -> Iterator[ChainLink]:
    """The links behind `after`, up to the first one that is missing, cut short or unreadable.

    Segments that lie behind a gap are not read, so that no cursor ever stands behind one; but with
    `past_gaps` they are. A device reads its own chain so: nothing of it is still to arrive.
    """
    try:
        folder = open_chain(root, device)
    except UNREADABLE:
        return
    try:
        first, offset = _position(after)
        if first and not _holds(folder, first, offset, after):
            first, offset = 0, 0
        expected = first or 1
        segments = [number for number in list_segments(folder) if number >= expected]
        for number in segments:
            if number < expected:
                continue  # its records are in the segment before it as well
            start = offset if number == first else 0
            raw = _read_whole(folder, number, start)
            if not past_gaps and (number > expected or raw is None):
                return
            raw = raw or b""
            end = 0
            for line, payload, end in _pairs(raw, 0):
                yield ChainLink(line, payload, _cursor(number, start + end, raw[:end]))
            if number != segments[-1]:
                lines = raw.count(b"\n", 0, end)
                if start:
                    lines += read_segment(folder, number, 0, start).count(b"\n")
                expected = number + lines // 2
    finally:
        os.close(folder)


def _read_whole(folder: int, number: int, start: int) -> bytes | None:
    """A segment from `start`; None for one that can't be read."""
    try:
        return read_segment(folder, number, start)
    except UNREADABLE:
        return None


def find_gap(root: int, device: str) -> tuple[int, int] | None:
    """The first record of a chain that is missing before others, and the first of those others;
    None where nothing is missing in between. Reads the whole chain."""
    try:
        folder = open_chain(root, device)
    except UNREADABLE:
        return None
    try:
        expected = 1
        for number in list_segments(folder):
            if number > expected:
                return expected, number
            raw = _read_whole(folder, number, 0) or b""
            expected = number + sum(1 for _ in _pairs(raw, 0))
    finally:
        os.close(folder)
    return None


def find_link(root: int, device: str, n: int) -> ChainLink:
    """Link `n` of a chain. Raises NotFoundError, HistoryError where its segment can't be read."""
    try:
        folder = open_chain(root, device)
        try:
            candidates = [number for number in list_segments(folder) if number <= n]
            if candidates:
                number = candidates[-1]
                raw = read_segment(folder, number)
                for index, (line, payload, end) in enumerate(_pairs(raw, 0)):
                    if number + index == n:
                        return ChainLink(line, payload, _cursor(number, end, raw[:end]))
        finally:
            os.close(folder)
    except (ForbiddenPathError, OSError) as error:
        raise HistoryError(
            f"the record of {device}-{n} can't be read: {error}",
            path="/".join([*HISTORY, device]),
            remedy="`engrain doctor` tells what is in the way",
        ) from None
    raise NotFoundError(f"no change {device}-{n} in the history")


def read_segment(folder: int, number: int, start: int = 0, size: int = _READ_LIMIT) -> bytes:
    """Bytes of a segment from `start`. Raises NotFoundError, ForbiddenPathError, OSError."""
    return confined.read_range(folder, segment_name(number), start, size)


def find_tail(folder: int) -> Tail:
    """The end of a chain by reading its last segment.

    What a torn append left is no whole pair of lines and does not count; a whole pair that is
    damaged does, so that nothing acknowledged is ever cut off: `verify` tells of it. A file that
    is only called like a segment is none. Raises OSError.
    """
    segments = list_segments(folder)
    tail = start_chain()
    for number in reversed(segments):
        if found := _end_of(folder, number):
            tail = found
            break
    number = tail.n + 1
    if number not in segments:
        return tail
    # Begun, and torn or damaged before a whole record was in it.
    try:
        pairs = list(_pairs(read_segment(folder, number), 0))
    except (NotFoundError, ForbiddenPathError):
        return tail
    return _tail_of(number, pairs) if pairs else go_on_behind(tail)


def _end_of(folder: int, number: int) -> Tail | None:
    """The end of a chain whose last segment is this one; None where it has no record of its own."""
    try:
        pairs = list(_pairs(read_segment(folder, number), 0))
    except (NotFoundError, ForbiddenPathError):
        return None
    own = any(b'"n":%d,' % n in line for n, (line, _, _) in enumerate(pairs, number))
    return _tail_of(number, pairs) if own else None


def _tail_of(number: int, pairs: list[tuple[bytes, bytes, int]]) -> Tail:
    line, payload, end = pairs[-1]
    cursor = _cursor(number, end, line + b"\n" + payload + b"\n")
    return Tail(number, end, number + len(pairs) - 1, hash_bytes(line), cursor)


def go_on_behind(tail: Tail) -> Tail:
    """Where a chain goes on whose last segments can't be reached: in a segment of its own."""
    return Tail(tail.n + 1, 0, tail.n, tail.hash, tail.cursor)


def append(folder: int, tail: Tail, links: Sequence[tuple[bytes, bytes]]) -> Tail:
    """Append links, each a line and its payload, and make them durable; on failure nothing of them
    stays.

    A torn end that an earlier death left is cut off first. Raises StorageError for more than can
    be read again, OSError.
    """
    data = b"".join(line + b"\n" + payload + b"\n" for line, payload in links)
    if len(data) > CHANGE_BYTES:
        raise StorageError(
            f"a change of {len(data)} bytes is over the limit of {CHANGE_BYTES}",
            remedy="make it in parts",
        )
    if tail.size and tail.size + len(data) > SEGMENT_BYTES:
        tail = go_on_behind(tail)
    segment, size, file = _open_end(folder, tail)
    try:
        try:
            if os.fstat(file).st_size != size:
                os.ftruncate(file, size)
            os.lseek(file, size, os.SEEK_SET)
            confined.write_all(file, data)
            confined.sync(file)
        except OSError:
            os.ftruncate(file, size)
            raise
    finally:
        os.close(file)
    if size == 0:
        confined.sync(folder)
    end = size + len(data)
    hash_ = hash_bytes(links[-1][0])
    return Tail(segment, end, tail.n + len(links), hash_, _cursor(segment, end, data), size)


def _open_end(folder: int, tail: Tail) -> tuple[int, int, int]:
    """The segment to append to, its size, and a descriptor of it: the next one, cleared of
    whatever lies there, where the last can't be written. Raises OSError."""
    segment, size = tail.segment, tail.size
    # Non-blocking, so that a pipe in the place of a segment can't hold a writer up.
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    for _ in range(2):
        try:
            return segment, size, os.open(segment_name(segment), flags, 0o644, dir_fd=folder)
        except OSError as error:
            if error.errno not in IN_THE_WAY:
                raise
            segment, size = tail.n + 1, 0
            confined.set_aside(folder, segment_name(segment))
    return segment, size, os.open(segment_name(segment), flags, 0o644, dir_fd=folder)


def cut(folder: int, tail: Tail) -> None:
    """Take back the append that ended at `tail`. Raises OSError."""
    file = os.open(
        segment_name(tail.segment), os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC, dir_fd=folder
    )
    try:
        os.ftruncate(file, tail.start)
        confined.sync(file)
    finally:
        os.close(file)


def find_payloads(folder: int, numbers: Iterable[int]) -> dict[int, list[tuple[int, int, int]]]:
    """Where the payloads of some links stand that are not blank yet, by segment: the link, the
    offset and the size."""
    from engrain.model.history import is_blank

    segments = list_segments(folder)
    wanted: dict[int, set[int]] = {}
    for n in numbers:
        if first := max((number for number in segments if number <= n), default=0):
            wanted.setdefault(first, set()).add(n)
    found: dict[int, list[tuple[int, int, int]]] = {}
    for first, those in wanted.items():
        for n, (_, payload, end) in enumerate(_pairs(read_segment(folder, first), 0), first):
            if n in those and not is_blank(payload):
                place = n, end - 1 - len(payload), len(payload)
                found.setdefault(first, []).append(place)
    return found


def blank(folder: int, segment: int, places: Iterable[tuple[int, int, int]]) -> None:
    """Overwrite payloads of a segment, and get that onto the disk. Raises OSError."""
    from engrain.model.history import BLANK

    flags = os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
    file = os.open(segment_name(segment), flags, dir_fd=folder)
    try:
        for _, offset, size in places:
            os.lseek(file, offset, os.SEEK_SET)
            confined.write_all(file, BLANK.ljust(size))
        confined.sync(file)
    finally:
        os.close(file)


def _pairs(raw: bytes, start: int) -> Iterator[tuple[bytes, bytes, int]]:
    while (middle := raw.find(b"\n", start)) >= 0 and (end := raw.find(b"\n", middle + 1)) >= 0:
        yield raw[start:middle], raw[middle + 1 : end], end + 1
        start = end + 1


def _holds(folder: int, segment: int, offset: int, cursor: str | None) -> bool:
    """Whether a chain still has what a cursor stands behind; a replaced one has other bytes."""
    try:
        return _cursor(segment, offset, _read_before(folder, segment, offset)) == cursor
    except UNREADABLE:
        return False


def _read_before(folder: int, segment: int, offset: int) -> bytes:
    start = max(0, offset - _MARK)
    return read_segment(folder, segment, start, offset - start)


def _cursor(segment: int, offset: int, before: bytes) -> str:
    """Segment, offset, and a check sum of the bytes before it."""
    return f"{segment}:{offset}:{crc32(before[-_MARK:]):08x}"


def _position(cursor: str | None) -> tuple[int, int]:
    segment, _, rest = (cursor or "").partition(":")
    offset = rest.partition(":")[0]
    return (int(segment), int(offset)) if segment.isdigit() and offset.isdigit() else (0, 0)
