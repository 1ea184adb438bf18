"""Where two installations wrote one chain: both histories kept, each as a chain.

A copied disk or home gives two installations one device id, and both append to one chain. A
synchroniser that meets two versions of a segment keeps both, one of them as a conflict copy. The
records of all files of the chain form a tree, since each names the one before it by hash. Among the
records that follow one record, the first that was made stays in the chain, so every machine finds
the same; each other one begins a branch (`segments.segment_name`). A copy is removed once each of
its records stands in one of these. A file that is cut short, holds anything else, or hangs in the
air because an earlier record is missing stays as it is, and `verify` names it.

What began a branch begins one for ever, also where the record that was made earlier has not come
yet. So records only ever move on, into a branch that leaves closer to them, and no machine removes
them from where another one moves them to, whatever the two know and whenever they meet.
"""

from __future__ import annotations

import json
import os

from engrain.backends import confined, segments
from engrain.backends.confined import TEMP_PREFIX
from engrain.backends.placing import remove
from engrain.model.errors import EngrainError
from engrain.model.history.record import GENESIS, is_blank
from engrain.model.note.ids import BRANCH, base_device
from engrain.model.note.note import hash_bytes
from engrain.model.struct import Struct

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Container, Iterable, Mapping, Sequence
    from typing import TypeAlias

Vouched: TypeAlias = "Callable[[bytes], bool]"
"""Whether a record's line bears a good code of the vault's key."""


class _Node(Struct):
    """A record: its two lines, its number, when it was made, the hash of its line and of the one
    before."""

    line: bytes
    payload: bytes
    n: int
    at: float
    prev: str
    hash: str


class _File(Struct):
    """A file of a chain: its bytes, its records, and whether it holds nothing beside them."""

    name: str
    raw: bytes
    nodes: list[_Node]
    whole: bool


class _Tree:
    """The records of several files, from the record hashed `root` on."""

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
                    known.payload = node.payload  # what was erased in one of them stays erased
        self._root = root, n
        self._children = children
        self._reached: set[str] = set()

    def ways(self, marks: Container[str], vouched: Vouched) -> list[list[_Node]]:
        """The way from the root that is the device's chain, then those that left it or another
        one; `marks` are those of the branches that are known."""
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
        """Whether a file has records, and all that it has stand in `ways`, and nothing else."""
        return file.whole and bool(file.nodes) and all(n.hash in self._reached for n in file.nodes)


def _choose(following: Sequence[_Node], marks: Container[str], vouched: Vouched) -> _Node | None:
    """Which of the records that follow one another stays in its chain; None where all of them begin
    branches. Never a forger's where there is one that bears a good code."""
    free = [node for node in following if _mark(node) not in marks]
    if len(following) > 1:
        good = [node for node in following if vouched(node.line)]
        free = [node for node in free if node in good or not good]
    return min(free, key=lambda node: (node.at, node.hash), default=None)


def _mark(first: _Node) -> str:
    """The mark of the branch that a record begins."""
    return first.hash[: segments.MARK_DIGITS]


def resolve_forks(
    folder: int, device: str, halted: Mapping[str, int], vouched: Vouched, begin: Callable[[], None]
) -> bool:
    """File what lies beside a device's chain; whether anything was changed.

    `halted` has the segments in which reading the chain or a branch came to a halt: what lies
    behind them may belong elsewhere. `vouched` says whether a record's line bears a
    good code. `begin` is called before the first write. Cheap where there is nothing to do.
    Raises OSError.
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
    # A branch is known by its first record, so the tree reaches back to where the first one left.
    starts += [node.n for file in beside for node in file.nodes[:1]]
    main, (root, n) = _read_from(folder, device, min(starts))
    copied = [_read(folder, device, name) for name in copies]
    tree = _Tree([*main, *beside, *copied], root, n)
    ways = tree.ways(marks, vouched)
    wanted = _lay_out(ways, main)
    gone = []
    for file in (*main, *beside, *copied):
        known = tree.holds(file)
        if file.name not in wanted:
            gone += [file.name] if known else []
        elif not known and not wanted[file.name].startswith(file.raw):
            return False  # records of it stand nowhere else, or it holds something else
    return _put(folder, device, wanted, gone, begin)


def _lay_out(ways: Sequence[Sequence[_Node]], main: Sequence[_File]) -> dict[str, bytes]:
    """What each file of a chain and its branches is to hold."""
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
        # The last segment was cut short: it has room for what follows.
        kept -= 1
        chain = [*main[kept].nodes, *chain]
    wanted |= _write_segments(chain, "")
    for way in ways[1:]:
        wanted |= _write_segments(way, BRANCH + _mark(way[0]))
    return wanted


def _write_segments(way: Sequence[_Node], chain: str) -> dict[str, bytes]:
    """The segments that hold a way, laid out as if its device had appended record by record."""
    written: dict[str, bytearray] = {}
    name = ""
    for node in way:
        link = node.line + b"\n" + node.payload + b"\n"
        if not name or len(written[name]) + len(link) > segments.SEGMENT_BYTES:
            name = segments.segment_name(node.n, chain)
        written.setdefault(name, bytearray()).extend(link)
    return {name: bytes(raw) for name, raw in written.items()}


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
    """The segments of a chain from the one on in which record `lowest` may stand, and the hash and
    number of the record before them; where the segment before has none, nobody's."""
    main: list[_File] = []
    for number in reversed(segments.list_segments(folder)):
        file = _read(folder, device, segments.segment_name(number))
        end = (file.nodes[-1].hash, file.nodes[-1].n) if file.nodes else ("", 0)
        if number < lowest and end[1] < lowest:
            return main[::-1], end
        main.append(file)
    return main[::-1], (GENESIS, 0)


def _breaks_off(folder: int, chain: str, at: int, forked: bool) -> bool:
    """Whether the records of segment `at`, or the first, go on into those of the next; of a chain
    that is known to be `forked`, whether they do not end right before them. What can't be read is
    none of that: `verify` names it."""
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
