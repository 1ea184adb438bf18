"""How far a file was read: what shows that it was read whole, that it grew, or that it changed.

A cursor is this device's own (DESIGN section 4); where it is lost, all is read again and what comes
of it is known already.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left
from collections.abc import Callable, Iterable, Iterator
from itertools import chain
from typing import Any, TypeAlias

from engrain.learn.sources.stream import Stream
from engrain.model.facts.fact import Turn
from engrain.model.note.documents import count_of, text_of
from engrain.model.note.note import hash_bytes
from engrain.seam.sources import SourceFile

Read: TypeAlias = "Callable[[int], Iterator[bytes]]"


EXTRACT, REFLECT = "extract", "reflect"
"""Who reads: each has cursors of its own."""

_EDGE = 256
"""Bytes at its beginning and before its end by which a file that grew is known again."""
_DIGEST = 8
_MOST_NEW = 100_000


class Cursor:
    """How far one file was read: its state then and its `format`; for a file that grows by lines
    the `offset` behind the last line and its session. `problem` is why it could not be read."""

    def __init__(self, kept: dict[str, Any]) -> None:
        self.was = kept.get("was")
        self.at = kept.get("at")
        self.format = text_of(kept.get("format"))
        self.offset = count_of(kept.get("offset"))
        self.edges = text_of(kept.get("edges"))
        self.ref = text_of(kept.get("ref"))
        self.cwd = text_of(kept.get("cwd"))
        self.agent = text_of(kept.get("agent"))
        self.problem = text_of(kept.get("problem"))

    def is_of(self, file: SourceFile) -> bool:
        """Return whether a file is unchanged since it was read."""
        return self.was == _state_of(file)

    def goes_on(self, read: Read) -> bool:
        """Return whether a file still begins with all that was read of it."""
        return bool(self.offset and self.edges) and self.edges == _edges(read, self.offset)


def describe_cursor(
    file: SourceFile,
    at: float,
    format: str,  # noqa: A002 - what it is
    stream: Stream,
    read: Read,
    *,
    grows: bool,
) -> dict[str, Any]:
    """Return a cursor to keep: of a file that a `stream` read at a moment. If it `grows` by lines
    the next run goes on behind them; `read` looks at it again."""
    kept: dict[str, Any] = {"was": _state_of(file), "at": at, "format": format}
    if grows and stream.offset:
        kept |= {"offset": stream.offset, "edges": _edges(read, stream.offset)}
        kept |= {"ref": stream.ref, "cwd": stream.cwd, "agent": stream.agent}
    return kept


def describe_problem(file: SourceFile, at: float, problem: str) -> dict[str, Any]:
    """Return a cursor of a file that could not be read, and waits until it changes."""
    return {"was": _state_of(file), "at": at, "problem": problem}


class KnownTurns:
    """Digests of the turns of one conversation that were read, in eight bytes each: a conversation
    may have a million."""

    def __init__(self, kept: bytes = b"") -> None:
        old = array("Q")
        old.frombytes(kept[: len(kept) // _DIGEST * _DIGEST])
        self._old = array("Q", sorted(old))
        self._new: set[int] = set()

    def __contains__(self, digest: int) -> bool:
        at = bisect_left(self._old, digest)
        return digest in self._new or (at < len(self._old) and self._old[at] == digest)

    def add(self, digests: Iterable[int]) -> bytes:
        """Add some digests; return the bytes to keep."""
        added = array("Q", digests)
        self._new.update(added)
        if len(self._new) > _MOST_NEW:
            self._old = array("Q", sorted(chain(self._old, self._new)))
            self._new.clear()
        return added.tobytes()


def digest_turn(turn: Turn) -> int:
    """Return the digest by which a turn is known within its conversation."""
    return digest_parts(turn.key, turn.role, turn.speaker, turn.text)


def digest_parts(*parts: str) -> int:
    """Return a digest of some texts as a number of eight bytes."""
    return int(hash_bytes("\0".join(parts).encode(errors="replace"))[: 2 * _DIGEST], 16)


def _state_of(file: SourceFile) -> list[Any]:
    return [file.identity, file.size, file.mtime]


def _edges(read: Read, offset: int) -> str:
    size = min(_EDGE, offset)
    edges = (next(read(place), b"")[:size] for place in (0, offset - size))
    return hash_bytes(b"".join(edges))
