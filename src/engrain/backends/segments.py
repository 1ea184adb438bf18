"""A device's history on disk, `.engrain/history/<device>/<n>.log`: only appended to, except that
payloads are erased in place.

A segment is named after its first record and holds two lines for each change, at most about 1 MiB.
Only the device itself writes its chain, under the write lock. A synchroniser may bring segments to
other devices in any order and cut at any byte, so a chain is read up to the first missing record,
and further once that record has arrived.

Where two devices wrote with one id, the chain that began earlier keeps its file names. Each branch
is a chain of its own, `<device>~<mark>`, in files `<n>~<mark>.log` beside them; the mark is the
beginning of its first record's hash (`forks`). Versions that know no branches ignore these files.

A note in the state folder says where a device's chain ends, so that an opener sees without reading
the chain that no change was left unfinished.
"""

from __future__ import annotations

import errno
import json
import os
import stat
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from zlib import crc32

from engrain.backends import confined
from engrain.backends.confined import Descriptor
from engrain.model.errors import ForbiddenPathError, HistoryError, NotFoundError, StorageError
from engrain.model.history.line import BLANK, GENESIS, count_together, is_blank
from engrain.model.note.note import BRANCH, base_device, hash_bytes
from engrain.seam.locator import is_part
from engrain.seam.storage import ChainLink

HISTORY = [".engrain", "history"]
SEGMENT_BYTES = 1024 * 1024
CHANGE_BYTES = 64 * SEGMENT_BYTES
"""The most bytes of one append, since a segment is read whole."""
_READ_LIMIT = CHANGE_BYTES + SEGMENT_BYTES
UNREADABLE = (NotFoundError, ForbiddenPathError)
"""What reading raises for a missing or forbidden file, or for something else in its place.
An OSError is none of these: it may pass, so who meets one knows nothing about the file."""
_DIGITS = 8
_PLAIN = ".log"
"""What the names of all segments but those of branches have behind their digits."""
MARK_DIGITS = 8
_UNFINISHED = (".tmp", ".temp", ".part", ".partial", ".download", ".crdownload")
"""The endings of files that a synchroniser is still fetching."""
IN_THE_WAY = (errno.EISDIR, errno.ELOOP, errno.ENXIO, errno.EACCES, errno.EPERM)
"""The errors of opening for writing what is not a regular file, or what this user may not write."""
_WRITE = os.O_WRONLY | os.O_NOFOLLOW | os.O_CLOEXEC
_MARK = 256
"""How many bytes before a cursor its check sum covers: fewer than any link has."""


@dataclass(slots=True)
class Tail:
    """The end of a chain: the last segment (by its first record's number) and its size, the last
    record's number and hash, the cursor behind it, and the offset at which an append began."""

    segment: int
    size: int
    n: int
    hash: str
    cursor: str
    start: int = 0


def start_chain() -> Tail:
    """Return the end of a chain that has no link yet."""
    return Tail(1, 0, 0, GENESIS, "")


@dataclass(slots=True)
class _Listing:
    """The files in a device's folder when it had this stamp: the segments' numbers in order, by
    their branch's mark, and conflict copies."""

    stamp: str
    parts: dict[str, list[int]]
    copies: list[str]


_MOST_LISTED = 64
_listed: dict[tuple[int, int], _Listing] = {}
"""The folders that were listed, by device and inode."""


def list_segments(folder: int, chain: str = "") -> Sequence[int]:
    """Return the number of each segment's first record, in order."""
    return _list(folder).parts.get(_mark_of(chain), ())


def list_branches(folder: int) -> list[str]:
    """Return the marks of the branches of a device's chain."""
    return sorted(mark for mark in _list(folder).parts if mark)


def list_copies(folder: int) -> Sequence[str]:
    """Return the segments' conflict copies: files under a longer name that a synchroniser made,
    with the records of another version of the segment."""
    return _list(folder).copies


def _list(folder: int) -> _Listing:
    """List a device's folder, unless it was listed and its stamp is still the same: a long history
    has a thousand segments, and each command asks for them several times."""
    found = os.fstat(folder)
    key, stamp = (found.st_dev, found.st_ino), confined.stamp_of(found)
    known = _listed.get(key)
    if known and known.stamp == stamp:
        return known
    own: list[int] = []
    parts = {"": own}
    others = []
    for name in sorted(os.listdir(folder)):
        if name[_DIGITS:] == _PLAIN and _is_number(name[:_DIGITS]):
            own.append(number_of(name))
        elif branch := _read_name(name):
            parts.setdefault(branch[1], []).append(branch[0])
        else:
            others.append(name)
    listing = _Listing(stamp, parts, list(filter(_is_copy, others)))
    if confined.is_settled(found):
        if len(_listed) >= _MOST_LISTED:
            _listed.clear()
        _listed[key] = listing
    return listing


def find_copies(root: int, device: str | None = None) -> list[str]:
    """Return the paths, below the folder of histories, of the conflict copies of all devices'
    segments, or of one device's. A branch has none of its own: they count as its device's."""
    found = []
    for name in list_devices(root) if device is None else [device]:
        opened = None if BRANCH in name else _try_open(root, name)
        if opened is not None:
            with opened as folder:
                found += [f"{name}/{copy}" for copy in list_copies(folder)]
    return found


def segment_name(first: int, chain: str = "") -> str:
    mark = _mark_of(chain)
    return f"{first:0{_DIGITS}}{BRANCH if mark else ''}{mark}.log"


def number_of(name: str) -> int:
    """Return the number at the beginning of the name of a segment or of its copy."""
    return int(name[:_DIGITS])


def _read_name(name: str) -> tuple[int, str] | None:
    """Read the first record's number and the branch's mark ("" for none) from a segment's name;
    return None for the name of any other file."""
    stem, _, ending = name.partition(".")
    digits, tilde, mark = stem.partition(BRANCH)
    marked = len(mark) == MARK_DIGITS and mark.isascii() and mark.isalnum()
    fits = len(digits) == _DIGITS and _is_number(digits) and (marked or not tilde)
    return (int(digits), mark) if ending == "log" and fits else None


def _is_copy(name: str) -> bool:
    behind = name[_DIGITS:]
    numbered = len(name) >= _DIGITS and _is_number(name[:_DIGITS]) and not _is_number(behind[:1])
    return numbered and _read_name(name) is None and not behind.endswith(_UNFINISHED)


def _mark_of(chain: str) -> str:
    return chain.partition(BRANCH)[2]


def _is_number(text: str) -> bool:
    return text.isascii() and text.isdigit()


def list_devices(root: int) -> list[str]:
    """Return the names in the folder of histories that may be devices; others have no segments.
    Raises OSError."""
    try:
        history = confined.open_folder(root, HISTORY)
    except UNREADABLE:
        return []
    with Descriptor(history):
        return sorted(name for name in os.listdir(history) if name[0] != "." and is_part(name))


def open_chain(root: int, chain: str) -> int:
    """Open the folder of a device's chain or of a branch. Raises NotFoundError."""
    return confined.open_folder(root, [*HISTORY, base_device(chain)])


def _try_open(root: int, chain: str) -> Descriptor | None:
    try:
        return Descriptor(open_chain(root, chain))
    except UNREADABLE:
        return None


def read_heads(root: int, device: str) -> dict[str, str]:
    """Return the cursor behind the last readable byte of a device's chain and of each branch.
    Raises OSError."""
    heads: dict[str, str] = {}
    opened = _try_open(root, device)
    if opened is None:
        return heads
    with opened as folder:
        for mark, numbers in sorted(_list(folder).parts.items()):
            chain = f"{device}{BRANCH}{mark}" if mark else device
            if head := _find_head(folder, chain, numbers):
                heads[chain] = head
    return heads


def _find_head(folder: int, chain: str, numbers: Sequence[int]) -> str | None:
    for number in reversed(numbers):
        name = segment_name(number, chain)
        try:
            if size := _size_of(folder, name):
                return _cursor(number, size, _read_before(folder, name, size))
        except UNREADABLE:
            continue
    return None


def ends_at(root: int, device: str, tail: Tail) -> bool:
    """Whether a device's chain ends where `tail` says; False if something else lies in its place.
    Raises OSError."""
    opened = _try_open(root, device)
    if opened is None:
        return False
    with opened as folder:
        name = segment_name(tail.segment)
        if _size_of(folder, name) != tail.size or _size_of(folder, segment_name(tail.n + 1)):
            return False
        return _holds(folder, name, tail.segment, tail.size, tail.cursor)


def _size_of(folder: int, name: str) -> int:
    """Return the size of a segment, 0 if there is no regular file. Raises OSError."""
    try:
        found = os.stat(name, dir_fd=folder, follow_symlinks=False)
    except OSError as error:
        if not confined.is_gone(error):
            raise
        return 0
    return found.st_size if stat.S_ISREG(found.st_mode) else 0


def read_chain(
    root: int, chain: str, after: str | None, *, past_gaps: bool = False
) -> Iterator[ChainLink]:
    """Yield the links behind the cursor `after`, up to the first that is missing, torn or
    forbidden. Segments behind a gap are not read, so that no cursor ever stands behind one.
    `past_gaps` reads them too: for a device's own chain, since nothing of it is still to come.
    Raises OSError, so that no caller takes an error of reading for the chain's end."""
    opened = _try_open(root, chain)
    if opened is not None:
        with opened as folder:
            yield from _read_links(folder, chain, after, past_gaps)


def _read_links(folder: int, chain: str, after: str | None, past_gaps: bool) -> Iterator[ChainLink]:
    first, offset = _start_behind(folder, chain, after)
    segments = [number for number in list_segments(folder, chain) if number >= first]
    expected = first or _first_of(folder, chain, segments)
    offsets, last = {first: offset}, b""
    for number in segments:
        start, name = offsets.get(number, 0), segment_name(number, chain)
        raw = _read_whole(folder, name, start)
        # Numbers given twice stop a reader as missing ones do: `forks` settles which one counts.
        in_order = number >= expected if past_gaps else number == expected and raw is not None
        raw = raw or b""
        if not in_order or not _follows(folder, raw, last if number == expected else b""):
            return
        end = 0
        for line, payload, end in read_pairs(raw):
            before = raw[max(0, end - _MARK) : end]
            yield ChainLink(line, payload, _cursor(number, start + end, before))
        if number != segments[-1]:
            whole = _read_whole(folder, name) if start else raw
            expected, last = _read_end(number, whole, start + end)


def _read_end(number: int, raw: bytes | None, end: int) -> tuple[int, bytes]:
    """Return the number after a segment's last record before `end`, and that record's lines."""
    whole = (raw or b"")[:end]
    begin = whole.rfind(b"\n", 0, whole.rfind(b"\n", 0, -1)) + 1
    return number + whole.count(b"\n") // 2, whole[begin:]


def _start_behind(folder: int, chain: str, after: str | None) -> tuple[int, int]:
    """Return the segment and offset of `after`, (0, 0) if the chain no longer has that place."""
    first, offset = _position(after)
    if first and not _holds(folder, segment_name(first, chain), first, offset, after):
        return 0, 0
    return first, offset


def _follows(folder: int, raw: bytes, last: bytes) -> bool:
    """Whether a segment continues the one before it, whose last link has the lines `last`; True if
    there is none before it.

    This is checked only in a forked chain, where some segments of two versions may be here and
    others not. In other chains a difference is damage, and the links behind it are read.
    """
    if not last:
        return True
    prev = hash_bytes(last.partition(b"\n")[0]).encode()
    return prev in raw.partition(b"\n")[0] or not list_branches(folder)


def _read_whole(folder: int, name: str, start: int = 0) -> bytes | None:
    """Return the bytes of a segment from `start`, None if it is missing or forbidden."""
    try:
        return read_segment(folder, name, start)
    except UNREADABLE:
        return None


def _first_of(folder: int, chain: str, segments: Sequence[int]) -> int:
    """Return the number of a chain's first record. A branch begins with the record that it is named
    after; until that one has arrived, return a number before those that have."""
    mark = _mark_of(chain)
    if not segments or not mark:
        return 1
    raw = _read_whole(folder, segment_name(segments[0], chain)) or b""
    return segments[0] - (not hash_bytes(raw.partition(b"\n")[0]).startswith(mark))


def find_gap(root: int, chain: str) -> tuple[int, int] | None:
    """Return the number of a chain's first missing record and that of the first record behind the
    gap, None if there is no gap. Reads the whole chain. Raises OSError."""
    opened = _try_open(root, chain)
    if opened is None:
        return None
    with opened as folder:
        segments = list_segments(folder, chain)
        expected = _first_of(folder, chain, segments)
        for number in segments:
            if number > expected:
                return expected, number
            raw = _read_whole(folder, segment_name(number, chain)) or b""
            expected = number + sum(1 for _ in read_pairs(raw))
    return None


def find_link(root: int, chain: str, n: int) -> ChainLink:
    """Return link `n` of a chain. Raises NotFoundError, HistoryError for a segment in whose place
    something else lies, OSError."""
    try:
        with Descriptor(open_chain(root, chain)) as folder:
            link = find_record(folder, chain, n)
    except ForbiddenPathError as error:
        raise HistoryError(
            f"the record of {chain}-{n} can't be read: {error}",
            path="/".join([*HISTORY, base_device(chain)]),
            remedy="`engrain doctor` shows what is in the way",
        ) from None
    if link is None:
        raise NotFoundError(f"no change {chain}-{n} in the history")
    return link


def find_record(folder: int, chain: str, n: int) -> ChainLink | None:
    """Return link `n` of a chain in an open folder, None if it is missing. Raises
    ForbiddenPathError, OSError."""
    candidates = [number for number in list_segments(folder, chain) if number <= n]
    if candidates:
        number = candidates[-1]
        raw = read_segment(folder, segment_name(number, chain))
        for index, (line, payload, end) in enumerate(read_pairs(raw)):
            if number + index == n:
                return ChainLink(line, payload, _cursor(number, end, raw[:end]))
    return None


def read_segment(folder: int, name: str, start: int = 0, size: int = _READ_LIMIT) -> bytes:
    """Read bytes of a segment from `start`. Raises NotFoundError, ForbiddenPathError, OSError."""
    return confined.read_range(folder, name, start, size)


def find_tail(folder: int) -> Tail:
    """Read the end of a chain from its last segment.

    A torn append left no whole pair of lines and does not count. A whole but damaged pair does,
    so that nothing acknowledged is ever cut off; `check` reports it. A file that only has the
    name of a segment is ignored. Raises OSError.
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
    # The next segment was begun, and torn or damaged before it had a whole record.
    try:
        pairs = list(read_pairs(read_segment(folder, segment_name(number))))
    except (NotFoundError, ForbiddenPathError):
        return tail
    return _tail_of(number, pairs) if pairs else go_on_behind(tail)


def _end_of(folder: int, number: int) -> Tail | None:
    """Return the end of a chain with this last segment, None if no record in it has its number."""
    try:
        pairs = list(read_pairs(read_segment(folder, segment_name(number))))
    except (NotFoundError, ForbiddenPathError):
        return None
    own = any(b'"n":%d,' % n in line for n, (line, _, _) in enumerate(pairs, number))
    return _tail_of(number, pairs) if own else None


def _tail_of(number: int, pairs: list[tuple[bytes, bytes, int]]) -> Tail:
    line, payload, end = pairs[-1]
    cursor = _cursor(number, end, line + b"\n" + payload + b"\n")
    return Tail(number, end, number + len(pairs) - 1, hash_bytes(line), cursor)


def go_on_behind(tail: Tail) -> Tail:
    """Return the tail that continues a chain in a new segment: the last is full or unreadable."""
    return Tail(tail.n + 1, 0, tail.n, tail.hash, tail.cursor)


def is_full(filled: int, more: int, line: bytes) -> bool:
    """Whether a segment with `filled` bytes has no room for `more` bytes that begin with the
    record's line `line`. A record flushed together with the one before it always has room."""
    return filled > 0 and filled + more > SEGMENT_BYTES and not count_together(line)


def append(folder: int, tail: Tail, links: Sequence[tuple[bytes, bytes]]) -> Tail:
    """Append links (each a line and its payload) durably; on failure nothing of them stays. A torn
    end of an earlier append is cut off first. Raises StorageError over `CHANGE_BYTES`, OSError."""
    data = b"".join(line + b"\n" + payload + b"\n" for line, payload in links)
    if len(data) > CHANGE_BYTES:
        raise StorageError(
            f"a change of {len(data)} bytes is over the limit of {CHANGE_BYTES}",
            remedy="make it in parts",
        )
    if is_full(tail.size, len(data), links[0][0]):
        tail = go_on_behind(tail)
    segment, size, file = _open_end(folder, tail)
    with Descriptor(file):
        try:
            if os.fstat(file).st_size != size:
                os.ftruncate(file, size)
            os.lseek(file, size, os.SEEK_SET)
            confined.write_all(file, data)
            confined.sync(file)
        except OSError:
            os.ftruncate(file, size)
            raise
    if size == 0:
        confined.sync(folder)
    end = size + len(data)
    hash_ = hash_bytes(links[-1][0])
    return Tail(segment, end, tail.n + len(links), hash_, _cursor(segment, end, data), size)


def _open_end(folder: int, tail: Tail) -> tuple[int, int, int]:
    """Return the number, size and descriptor of the segment to append to. If the last one can't be
    written, that is the next one, whose place is cleared. Raises OSError."""
    segment, size = tail.segment, tail.size
    # Non-blocking, so that a pipe in the place of a segment can't hold a writer up.
    flags = os.O_WRONLY | os.O_CREAT | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC
    for attempt in range(3):
        try:
            return segment, size, os.open(segment_name(segment), flags, 0o644, dir_fd=folder)
        except OSError as error:
            if error.errno not in IN_THE_WAY or attempt == 2:
                raise
            segment, size = tail.n + 1, 0
            confined.set_aside(folder, segment_name(segment))
    raise AssertionError("the last attempt returns or raises")


def cut(folder: int, tail: Tail) -> None:
    """Undo the append that ended at `tail`. Raises OSError."""
    with Descriptor(os.open(segment_name(tail.segment), _WRITE, dir_fd=folder)) as file:
        os.ftruncate(file, tail.start)
        confined.sync(file)


def find_payloads(
    folder: int, chain: str, numbers: Iterable[int]
) -> dict[str, list[tuple[int, int, int]]]:
    """Find the payloads of some links that are not blank yet; return each one's link number, offset
    and size, by file."""
    segments = list_segments(folder, chain)
    wanted: dict[int, set[int]] = {}
    for n in numbers:
        if first := max((number for number in segments if number <= n), default=0):
            wanted.setdefault(first, set()).add(n)
    found: dict[str, list[tuple[int, int, int]]] = {}
    for first, those in wanted.items():
        name = segment_name(first, chain)
        for n, (_, payload, end) in enumerate(read_pairs(read_segment(folder, name)), first):
            if n in those and not is_blank(payload):
                place = n, end - 1 - len(payload), len(payload)
                found.setdefault(name, []).append(place)
    return found


def blank(folder: int, name: str, places: Iterable[tuple[int, int, int]]) -> None:
    """Overwrite payloads of a segment durably. Raises OSError."""
    with Descriptor(os.open(name, _WRITE, dir_fd=folder)) as file:
        for _, offset, size in places:
            os.lseek(file, offset, os.SEEK_SET)
            confined.write_all(file, BLANK.ljust(size))
        confined.sync(file)


def read_pairs(raw: bytes) -> Iterator[tuple[bytes, bytes, int]]:
    """Yield the links in a segment's bytes, each as its two lines and the offset behind them,
    without one that is cut short."""
    start = 0
    while (middle := raw.find(b"\n", start)) >= 0 and (end := raw.find(b"\n", middle + 1)) >= 0:
        yield raw[start:middle], raw[middle + 1 : end], end + 1
        start = end + 1


def _holds(folder: int, name: str, segment: int, offset: int, cursor: str | None) -> bool:
    """Whether a chain still has the bytes before a cursor; a replaced chain has others."""
    try:
        return _cursor(segment, offset, _read_before(folder, name, offset)) == cursor
    except UNREADABLE:
        return False


def _read_before(folder: int, name: str, offset: int) -> bytes:
    start = max(0, offset - _MARK)
    return read_segment(folder, name, start, offset - start)


def _cursor(segment: int, offset: int, before: bytes) -> str:
    """Return a cursor: segment, offset, and a check sum of the bytes before it."""
    return f"{segment}:{offset}:{crc32(before[-_MARK:]):08x}"


def segment_of(cursor: str) -> int:
    """Return the number of the segment that a cursor is in, 0 if it names none."""
    return _position(cursor)[0]


def _position(cursor: str | None) -> tuple[int, int]:
    segment, _, rest = (cursor or "").partition(":")
    offset = rest.partition(":")[0]
    return (int(segment), int(offset)) if segment.isdigit() and offset.isdigit() else (0, 0)


_TAIL_NOTE = "tail.json"
_TAIL_FIELDS = ("segment", "size", "n", "hash", "cursor")
_TAIL_BYTES = 256
"""The fixed size of the note, so that a shorter one overwrites all of a longer one."""


def is_finished(root: int, state: str, device: str) -> bool:
    """Whether the device's chain ends as noted, or there is none. Raises OSError."""
    noted = read_note(state, device)
    if noted and ends_at(root, device, noted):
        return True
    return device not in read_heads(root, device)


def read_note(state: str, device: str) -> Tail | None:
    """Return the noted end of the chain, None where the note is missing or damaged. Raises
    OSError."""
    try:
        path = os.path.join(state, _TAIL_NOTE)
        with Descriptor(os.open(path, os.O_RDONLY | os.O_CLOEXEC)) as file:
            note = json.loads(os.read(file, _TAIL_BYTES))
        if note["device"] != device:
            return None
        return Tail(*(note[name] for name in _TAIL_FIELDS))
    except OSError as error:
        if not confined.is_gone(error) and error.errno != errno.EISDIR:
            raise
        return None
    except (ValueError, KeyError, TypeError):
        return None


def write_note(state: str, device: str, tail: Tail) -> None:
    """Note the end of the chain; ignore failures."""
    note = {"device": device, **{name: getattr(tail, name) for name in _TAIL_FIELDS}}
    flags = os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC
    try:
        with Descriptor(os.open(os.path.join(state, _TAIL_NOTE), flags, 0o600)) as file:
            os.pwrite(file, json.dumps(note).encode().ljust(_TAIL_BYTES), 0)
    except OSError:
        return  # Without the note the next opener reads the chain itself.
