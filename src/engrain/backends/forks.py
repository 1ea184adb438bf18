"""Where two installations wrote one chain: both histories kept, each as a chain.

A copied disk or home gives two installations one device id, and both append to one chain. A
synchroniser that meets two versions of a segment keeps both, one of them as a conflict copy. The
records of all files of the chain form a tree, since each names the one before it by hash. The
longest way through that tree stays the device's chain (of two that are as long the one whose last
hash is greater), so every machine finds the same. What left it becomes a branch
(`segments.segment_name`), and a copy is removed once each of its records stands in one of these.
Nothing is decided from a copy that is cut short, holds anything else, or hangs in the air because
an earlier record is missing: it stays, and `verify` names it.
"""

from __future__ import annotations

import json
import os

from engrain.backends import confined, segments
from engrain.backends.confined import TEMP_PREFIX
from engrain.backends.placing import remove
from engrain.model.errors import EngrainError
from engrain.model.history import GENESIS, is_blank
from engrain.model.ids import BRANCH
from engrain.model.note import hash_bytes

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from typing import TypeAlias

    Vouched: TypeAlias = Callable[[bytes], bool]
    """Whether a record's line bears a good code of the vault's key."""


class _Node:
    """A record: its two lines, its number, the hash of its line and of the one before."""

    __slots__ = ("hash", "line", "n", "payload", "prev")

    def __init__(self, line: bytes, payload: bytes, n: int, prev: str) -> None:
        self.line = line
        self.payload = payload
        self.n = n
        self.prev = prev
        self.hash = hash_bytes(line)


class _File:
    """A file of a chain: its bytes, its records, and whether it holds nothing beside them."""

    __slots__ = ("name", "nodes", "raw", "whole")

    def __init__(self, name: str, raw: bytes, nodes: list[_Node], whole: bool) -> None:
        self.name = name
        self.raw = raw
        self.nodes = nodes
        self.whole = whole


class _Tree:
    """The records of several files, from the record hashed `root` on."""

    def __init__(self, files: Iterable[_File], root: str, n: int) -> None:
        self.nodes: dict[str, _Node] = {}
        children: dict[str, list[_Node]] = {}
        for file in files:
            for node in file.nodes:
                known = self.nodes.get(node.hash)
                if known is None:
                    self.nodes[node.hash] = node
                    children.setdefault(node.prev, []).append(node)
                elif is_blank(node.payload):
                    known.payload = node.payload  # what was erased in one of them stays erased
        self.reached: dict[str, _Node] = {}
        self._tips: list[_Node] = []
        todo = [(root, n)]
        while todo:
            hash_, n = todo.pop()
            following = [node for node in children.get(hash_, ()) if node.n == n + 1]
            self.reached.update({node.hash: node for node in following})
            todo += [(node.hash, node.n) for node in following]
            if not following and hash_ in self.reached:
                self._tips.append(self.reached[hash_])

    def ways(self, vouched: Vouched) -> list[list[_Node]]:
        """The way from the root that is the device's chain, then what left it or an earlier one.

        Longer ones come first; but no forger's, however long, before one whose last record bears a
        good code.
        """
        ways: list[list[_Node]] = []
        taken: set[str] = set()
        ranked = {tip.hash: (vouched(tip.line), tip.n, tip.hash) for tip in self._tips}
        for tip in sorted(self._tips, key=lambda tip: ranked[tip.hash], reverse=True):
            way: list[_Node] = []
            here: _Node | None = tip
            while here is not None and here.hash not in taken:
                way.append(here)
                here = self.reached.get(here.prev)
            taken.update(node.hash for node in way)
            ways.append(way[::-1])
        return ways


def resolve_forks(
    folder: int, device: str, at: int | None, vouched: Vouched, begin: Callable[[], None]
) -> bool:
    """File what lies beside a device's chain; whether anything was changed.

    `at` is the segment in which reading the chain came to a halt, None where it did not: its
    records may overlap with those of the next. `vouched` tells whether a record's line bears a
    good code. `begin` is called before the first write. Cheap where there is nothing to do.
    Raises OSError.
    """
    copies = segments.list_copies(folder)
    numbers = segments.list_segments(folder)
    starts = [segments.number_of(name) for name in copies]
    if at is not None and (overlap := _find_overlap(folder, numbers, at)):
        starts.append(overlap)
    if not starts:
        return False
    branches = [device + BRANCH + mark for mark in segments.list_branches(folder)]
    beside = [
        _read(folder, device, segments.segment_name(number, chain))
        for chain in branches
        for number in segments.list_segments(folder, chain)
    ]
    # A branch is known by its first record, so the tree reaches back to where the first one left.
    starts += [node.n for file in beside for node in file.nodes[:1]]
    main, (root, n) = _read_from(folder, device, numbers, min(starts))
    copied = [_read(folder, device, name) for name in copies]
    tree = _Tree([*main, *beside, *copied], root, n)
    ways = tree.ways(vouched)
    wanted = _lay_out(ways, main)
    if wanted is None:
        return False
    gone = [
        file.name
        for file in (*main, *beside, *copied)
        if file.name not in wanted
        and file.whole
        and file.nodes
        and all(node.hash in tree.reached for node in file.nodes)
    ]
    return _put(folder, device, wanted, gone, begin)


def _lay_out(ways: Sequence[Sequence[_Node]], main: Sequence[_File]) -> dict[str, bytes] | None:
    """What each file of a chain and its branches is to hold; None where a file of the chain can't
    be written anew, since it holds something else."""
    longest = list(ways[0]) if ways else []
    wanted: dict[str, bytes] = {}
    kept = 0
    while kept < len(main) and longest:
        nodes = main[kept].nodes
        if not nodes or [node.hash for node in longest[: len(nodes)]] != [n.hash for n in nodes]:
            break
        wanted[main[kept].name] = main[kept].raw
        del longest[: len(nodes)]
        kept += 1
    if longest and kept == len(main) and kept:
        # The last segment was cut short: it has room for what follows.
        kept -= 1
        longest = [*main[kept].nodes, *longest]
    written = _write_segments(longest, "")
    for file in main[kept:]:
        known = written.get(file.name, b"")
        if longest and not file.whole and not known.startswith(file.raw):
            return None
    wanted |= written
    for way in ways[1:]:
        wanted |= _write_segments(way, BRANCH + way[0].hash[: segments.MARK_DIGITS])
    return wanted


def _write_segments(way: Sequence[_Node], chain: str) -> dict[str, bytes]:
    """The segments that hold a way, laid out as if its device had appended record by record."""
    written: dict[str, bytes] = {}
    name, parts, size = "", list[bytes](), 0
    for node in way:
        link = node.line + b"\n" + node.payload + b"\n"
        if not parts or size + len(link) > segments.SEGMENT_BYTES:
            if parts:
                written[name] = b"".join(parts)
            name, parts, size = segments.segment_name(node.n, chain), [], 0
        parts.append(link)
        size += len(link)
    if parts:
        written[name] = b"".join(parts)
    return written


def _put(
    folder: int,
    device: str,
    wanted: Mapping[str, bytes],
    gone: Sequence[str],
    begin: Callable[[], None],
) -> bool:
    """Write branches first, then what replaces a segment, and remove last: so a death in between
    loses nothing, and the next run does the rest. Whether anything was to be done."""
    order = sorted(wanted, key=lambda name: BRANCH not in name)
    changed = [name for name in order if wanted[name] != _content(folder, name)]
    if not changed and not gone:
        return False
    begin()
    temp = f"{TEMP_PREFIX}{device}-fork.tmp"
    for name in changed:
        remove(folder, temp)
        confined.write_new(folder, temp, wanted[name])
        os.replace(temp, name, src_dir_fd=folder, dst_dir_fd=folder)
    confined.sync(folder)
    for name in gone:
        remove(folder, name)
    confined.sync(folder)
    return True


def _content(folder: int, name: str) -> bytes | None:
    try:
        return segments.read_segment(folder, name)
    except EngrainError:
        return None


def _read(folder: int, device: str, name: str) -> _File:
    """A file's records, up to the first thing in it that is none of this device's."""
    try:
        raw = segments.read_segment(folder, name)
    except (EngrainError, OSError):
        return _File(name, b"", [], whole=False)
    nodes: list[_Node] = []
    done = 0
    for line, payload, end in segments.read_pairs(raw):
        try:
            head = json.loads(line)
            if head["device"] != device or type(head["n"]) is not int:
                break
            nodes.append(_Node(line, payload, head["n"], str(head["prev"])))
        except (ValueError, KeyError, TypeError, RecursionError):
            break
        done = end
    return _File(name, raw, nodes, whole=done == len(raw))


def _read_from(
    folder: int, device: str, numbers: Sequence[int], lowest: int
) -> tuple[list[_File], tuple[str, int]]:
    """The segments of a chain from the one on in which record `lowest` may stand, and the hash and
    number of the record before them; where the segment before has none, nobody's."""
    main: list[_File] = []
    for number in reversed(numbers):
        file = _read(folder, device, segments.segment_name(number))
        end = (file.nodes[-1].hash, file.nodes[-1].n) if file.nodes else ("", 0)
        if number < lowest and end[1] < lowest:
            return main[::-1], end
        main.append(file)
    return main[::-1], (GENESIS, 0)


def _find_overlap(folder: int, numbers: Sequence[int], at: int) -> int | None:
    """The segment `at`, or the first, if its records go on into those of the next."""
    here = [number for number in numbers if number >= at]
    if len(here) < 2:
        return None
    raw = segments.read_segment(folder, segments.segment_name(here[0]))
    return here[0] if here[0] + sum(1 for _ in segments.read_pairs(raw)) > here[1] else None
