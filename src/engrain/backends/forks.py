"""Separates the histories of two installations that wrote one chain, each into a chain of its own.

A copied disk or home gives two installations one device id, and both append to one chain. A
synchroniser that meets two versions of a segment keeps both, one as a conflict copy. The records
of all these files form a tree, since each names the one before it by hash. Where several records
follow one record, the one made first stays in the chain, so that every machine decides alike; each
other one begins a branch (`segments.segment_name`). A copy is removed once the chain and its
branches have all its records. A file that is cut short, holds anything else, or lacks an earlier
record stays as it is, and `check --deep` names it.

A record that began a branch begins one for ever, even where the record made earlier has not arrived
yet. So records only move into a branch that leaves closer to them, and no machine removes records
from where another one moves them, whatever the two know and whenever they meet.
"""

from __future__ import annotations

import json
import os
from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeAlias

from engrain.backends import confined, segments
from engrain.backends.confined import TEMP_PREFIX
from engrain.backends.placing import remove
from engrain.model.errors import EngrainError
from engrain.model.history.line import GENESIS, is_blank
from engrain.model.note.note import BRANCH, base_device, hash_bytes

Vouched: TypeAlias = "Callable[[bytes], bool]"
"""Whether a record's line has a valid code of the vault's key."""


@dataclass(slots=True)
class _Node:
    """A record: its two lines, its number, when it was made, the hash of the record before it, and
    its own."""

    line: bytes
    payload: bytes
    n: int
    at: float
    prev: str
    hash: str


@dataclass(slots=True)
class _File:
    """A file of a chain: its bytes, its records, whether it holds nothing else (`whole`), and
    whether it could be read."""

    name: str
    raw: bytes
    nodes: list[_Node]
    whole: bool
    readable: bool = True


class _Tree:
    """The records of several files that follow the record with hash `root` and number `n`."""

    def __init__(self, files: Iterable[_File], root: str, n: int) -> None:
        nodes: dict[str, _Node] = {}
        children: dict[str, list[_Node]] = {}
        for file in files:
            for node in file.nodes:
                known = nodes.get(node.hash)
                if known is None:
                    nodes[node.hash] = node
                    children.setdefault(node.prev, []).append(node)
                elif is_blank(node.payload):
                    known.payload = node.payload  # erased in one file, erased in all
        self._root = root, n
        self._children = children
        self._reached: set[str] = set()

    def ways(self, marks: Container[str], vouched: Vouched) -> list[list[_Node]]:
        """Return the device's chain from the root on, then each branch that left it or another
        branch; `marks` are the marks of the known branches."""
        ways: list[list[_Node]] = [[]]
        todo = [(*self._root, ways[0])]
        while todo:
            hash_, n, way = todo.pop()
            following = [node for node in self._children.get(hash_, ()) if node.n == n + 1]
            stays = _choose(following, marks, vouched)
            for node in following:
                here = way if node is stays else []
                if node is not stays:
                    ways.append(here)
                here.append(node)
                todo.append((node.hash, node.n, here))
                self._reached.add(node.hash)
        return ways

    def holds(self, file: _File) -> bool:
        """Whether a file has records and nothing else, and `ways` reached all of them."""
        return file.whole and bool(file.nodes) and all(n.hash in self._reached for n in file.nodes)


def _choose(following: Sequence[_Node], marks: Container[str], vouched: Vouched) -> _Node | None:
    """Choose which of the records that follow the same record stays in its chain, None if all begin
    branches. A record without a valid code is never chosen over one that has it."""
    free = [node for node in following if _mark(node) not in marks]
    if len(following) > 1:
        good = [node for node in following if vouched(node.line)]
        free = [node for node in free if node in good or not good]
    return min(free, key=lambda node: (node.at, node.hash), default=None)


def _mark(first: _Node) -> str:
    """Return the mark of the branch that a record begins."""
    return first.hash[: segments.MARK_DIGITS]


def resolve_forks(folder: int, device: str, halted: Mapping[str, int], vouched: Vouched) -> bool:
    """Sort the files of a device's history into its chain and branches; return whether any changed.

    `halted` maps a chain or branch to the segment in which reading it stopped, since the records
    behind it may belong to another branch. `vouched` says whether a record's line has a valid code.
    Cheap if there is nothing to do. Raises OSError.
    """
    copies = segments.list_copies(folder)
    starts = [segments.number_of(name) for name in copies]
    marks = segments.list_branches(folder)
    starts += [at for chain, at in halted.items() if _breaks_off(folder, chain, at, bool(marks))]
    if not starts:
        return False
    branches = [device + BRANCH + mark for mark in marks]
    beside = [
        _read(folder, device, segments.segment_name(number, chain))
        for chain in branches
        for number in segments.list_segments(folder, chain)
    ]
    # Each branch is known by its first record, so the tree must reach back to the earliest.
    starts += [node.n for file in beside for node in file.nodes[:1]]
    main, (root, n) = _read_from(folder, device, min(starts))
    copied = [_read(folder, device, name) for name in copies]
    tree = _Tree([*main, *beside, *copied], root, n)
    ways = tree.ways(marks, vouched)
    wanted = _compose_chain_files(ways, main)
    gone = []
    for file in (*main, *beside, *copied):
        known = tree.holds(file)
        if file.name not in wanted:
            gone += [file.name] if known else []
        elif not known and not (file.readable and wanted[file.name].startswith(file.raw)):
            return False  # replacing it would lose records or other content
    return _put(folder, device, wanted, gone)


def _compose_chain_files(
    ways: Sequence[Sequence[_Node]], main: Sequence[_File]
) -> dict[str, bytes]:
    """Return the bytes that each file of a chain and its branches must have."""
    chain = list(ways[0])
    wanted = {}
    kept = 0
    while kept < len(main) and chain:
        nodes = main[kept].nodes
        if not nodes or [node.hash for node in chain[: len(nodes)]] != [n.hash for n in nodes]:
            break
        wanted[main[kept].name] = main[kept].raw
        del chain[: len(nodes)]
        kept += 1
    if chain and kept == len(main) and kept:
        # The last segment was cut short and has room for the records that follow.
        kept -= 1
        chain = [*main[kept].nodes, *chain]
    wanted |= _write_segments(chain, "")
    for way in ways[1:]:
        wanted |= _write_segments(way, BRANCH + _mark(way[0]))
    return wanted


def _write_segments(way: Sequence[_Node], chain: str) -> dict[str, bytes]:
    """Return the segments for a chain's records, as if its device had appended them one by one."""
    written: dict[str, bytearray] = {}
    name = ""
    for node in way:
        link = node.line + b"\n" + node.payload + b"\n"
        if not name or len(written[name]) + len(link) > segments.SEGMENT_BYTES:
            name = segments.segment_name(node.n, chain)
        written.setdefault(name, bytearray()).extend(link)
    return {name: bytes(raw) for name, raw in written.items()}


def _put(folder: int, device: str, wanted: Mapping[str, bytes], gone: Sequence[str]) -> bool:
    """Write branches, then replace segments, then remove copies; return whether anything had to be
    done. In this order a death in between loses nothing, and the next run does the rest."""
    order = sorted(wanted, key=lambda name: BRANCH not in name)
    changed = [name for name in order if wanted[name] != _content(folder, name)]
    if not changed and not gone:
        return False
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
    """Read a file's records, up to the first content that is not a record of this device. Raises
    OSError."""
    try:
        raw = segments.read_segment(folder, name)
    except EngrainError:
        return _File(name, b"", [], whole=False, readable=False)
    nodes = []
    done = 0
    for line, payload, end in segments.read_pairs(raw):
        try:
            head = json.loads(line)
            if head["device"] != device or type(head["n"]) is not int:
                break
            at = float(head["at"])
            nodes.append(_Node(line, payload, head["n"], at, str(head["prev"]), hash_bytes(line)))
        except (ValueError, KeyError, TypeError, RecursionError):
            break
        done = end
    return _File(name, raw, nodes, whole=done == len(raw))


def _read_from(folder: int, device: str, lowest: int) -> tuple[list[_File], tuple[str, int]]:
    """Read a chain's segments from the one on that may hold record `lowest`; return them with the
    hash and number of the record before them, "" and 0 if the segment before has no records."""
    main: list[_File] = []
    for number in reversed(segments.list_segments(folder)):
        file = _read(folder, device, segments.segment_name(number))
        end = (file.nodes[-1].hash, file.nodes[-1].n) if file.nodes else ("", 0)
        if number < lowest and end[1] < lowest:
            return main[::-1], end
        main.append(file)
    return main[::-1], (GENESIS, 0)


def _breaks_off(folder: int, chain: str, at: int, forked: bool) -> bool:
    """Whether the first segment from `at` on and the next one overlap in numbers or, in a chain
    that is known to be `forked`, do not join. What can't be read is left to `check`."""
    here = [number for number in segments.list_segments(folder, chain) if number >= at]
    if len(here) < 2:
        return False
    file, behind = (
        _read(folder, base_device(chain), segments.segment_name(number, chain))
        for number in here[:2]
    )
    end = here[0] + len(file.nodes)
    if end != here[1]:
        return end > here[1] or (forked and bool(behind.nodes))
    return forked and bool(behind.nodes) and behind.nodes[0].prev != file.nodes[-1].hash
