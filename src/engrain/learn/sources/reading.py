"""Reads what is new in the sources, the turns that were not read before, and surveys how far each
source was read.

Who reads adds what comes of a reading to the vault and commits it then. Killed in between, it is
handed the same again, and the validated path adds nothing twice.
"""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any, TypeAlias

from engrain.engine.core.scope import counted_origin
from engrain.engine.core.store import Store
from engrain.learn.sources.formats import NOTES, Format, detect_format, find_format, read_stream
from engrain.learn.sources.notes import is_daily
from engrain.learn.sources.stream import Stream
from engrain.learn.transcripts.hosts import OFF
from engrain.model.errors import ForbiddenPathError, MalformedError, NotFoundError, UsageError
from engrain.model.facts.daily import FOLDER, KIND
from engrain.model.facts.fact import DOCUMENT, OPERATOR, Conversation, Turn
from engrain.model.note.documents import count_of, object_of, text_of
from engrain.model.note.note import hash_bytes
from engrain.model.note.tiers import ACTIVE, LIVE
from engrain.seam.locator import make_locator
from engrain.seam.rows import Filter, Row
from engrain.seam.sources import OWN, Shelf, Source, SourceFile

Read: TypeAlias = "Callable[[int], Iterator[bytes]]"

EXTRACT, REFLECT = "extract", "reflect"
"""Who reads: each has cursors of its own."""

_EDGE = 256
"""Bytes at its beginning and before its end by which a file that grew is known again."""
_DIGEST = 8


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


class KnownTurns:
    """Digests of the turns of one conversation that were read, eight bytes each."""

    def __init__(self, kept: bytes = b"") -> None:
        self._known = set(_numbers(kept[: len(kept) // _DIGEST * _DIGEST]))

    def __contains__(self, digest: int) -> bool:
        return digest in self._known

    def add(self, digests: Iterable[int]) -> bytes:
        """Add some digests; return the bytes to keep."""
        added = array("Q", digests)
        self._known.update(added)
        return added.tobytes()


def _numbers(raw: bytes) -> array[int]:
    numbers = array("Q")
    numbers.frombytes(raw)
    return numbers


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


@dataclass(slots=True, eq=False)
class SourceProblem:
    """A part of a source that could not be read, and why; `file` is "" for the whole source."""

    source: str
    file: str
    message: str


@dataclass(slots=True, eq=False)
class ReadCounts:
    """The number of files and turns that were read, what was `passed` over (see `Stream`), the
    problems, which stop no other file, and whether the time ran out."""

    files: int = 0
    turns: int = 0
    passed: Counter[str] = field(default_factory=Counter)
    problems: list[SourceProblem] = field(default_factory=list)
    unfinished: bool = False


@dataclass(slots=True, eq=False)
class SourceReading:
    """A conversation in a file of a `source`, with a list of turns that are new; a long one comes
    in several. `format` is that of the file."""

    source: Source
    format: str
    conversation: Conversation
    _commit: Callable[[], None]
    committed: bool = False

    @property
    def turns(self) -> Sequence[Turn]:
        """The new turns."""
        return list(self.conversation.turns)

    def commit(self) -> None:
        """Keep that these turns were read: what comes of them is in the vault."""
        self._commit()
        self.committed = True


def read_new(
    store: Store,
    consumer: str,
    name: str | None = None,
    *,
    out_of_time: Callable[[], bool] = lambda: False,
    read_counts: ReadCounts | None = None,
) -> Iterator[SourceReading]:
    """Yield what a `consumer` (`EXTRACT`, `REFLECT`) has not read yet of every source, or of one by
    name. Commit each reading before asking for the next; one that is not committed comes again in
    the next run. Raises NotFoundError, ConfigError, IndexUnavailableError."""
    found = [one for one in list_places(store) if name in (None, one[0].name)]
    if not found and name not in (None, OWN):
        raise NotFoundError(f"no source {name!r}", remedy="`engrain learn list` lists them")
    read_counts = read_counts or ReadCounts()
    for source, shelf in found:
        yield from _SourceReader(store, consumer, source, shelf, out_of_time, read_counts).run()
        if read_counts.unfinished:
            return


def read_place(
    store: Store,
    source: Source,
    consumer: str = "",
    *,
    out_of_time: Callable[[], bool] = lambda: False,
    read_counts: ReadCounts | None = None,
) -> Iterator[SourceReading]:
    """Yield what a `consumer` has not read yet of a source that was made of a path;
    without one all of it, and to commit a reading does nothing."""
    counts = read_counts or ReadCounts()
    return _SourceReader(store, consumer, source, store.device.sources, out_of_time, counts).run()


def read_paths(
    store: Store, paths: Iterable[str], read_counts: ReadCounts
) -> Iterator[SourceReading]:
    """Yield all of some files and folders. Raises NotFoundError, UsageError, ForbiddenPathError
    before any is read."""
    for place in [store.device.sources.place(path) for path in paths]:
        yield from read_place(store, place, read_counts=read_counts)


@dataclass(slots=True, eq=False)
class _SourceReader:
    """Reads one source; without a consumer it keeps no cursors."""

    store: Store
    consumer: str
    source: Source
    shelf: Shelf
    out_of_time: Callable[[], bool]
    read_counts: ReadCounts
    _known: tuple[str, KnownTurns] | None = None
    _off: set[str] = field(default_factory=set)

    def run(self) -> Iterator[SourceReading]:
        cursors = {}
        if self.consumer:
            cursors = dict(self.store.device.local.cursors(self.consumer, self.source.name))
        try:
            for file in self.shelf.files(self.source):
                if self.out_of_time():
                    self.read_counts.unfinished = True
                    return
                if isinstance(file, SourceFile):
                    yield from self._read(file, Cursor(object_of(cursors.get(file.name))))
                else:
                    self._note_problem(file.filename or "", file.strerror or str(file))
        except ForbiddenPathError as error:
            self._note_problem("", error.message)

    def _read(self, file: SourceFile, cursor: Cursor) -> Iterator[SourceReading]:
        if cursor.is_of(file):
            if cursor.problem:
                self._note_problem(file.name, cursor.problem)
            return
        try:
            yield from self._read_changed(file, cursor)
        except MalformedError as error:
            self._note_problem(file.name, error.message)
            self._store_cursor(
                file, {"was": _state_of(file), "at": self._now(), "problem": error.message}
            )
        except (UsageError, NotFoundError) as error:  # no such format, or a note that has gone
            self._note_problem(file.name, error.message)
        except OSError as error:
            self._note_problem(file.name, error.strerror or str(error))

    def _read_changed(self, file: SourceFile, cursor: Cursor) -> Iterator[SourceReading]:
        read = partial(self.shelf.read, self.source, file.name)
        passed = self.read_counts.passed
        if cursor.goes_on(read):
            stream = Stream(
                read(cursor.offset),
                file.name,
                at=file.mtime,
                offset=cursor.offset,
                ref=cursor.ref,
                cwd=cursor.cwd,
                agent=cursor.agent,
                passed=passed,
            )
            format_ = find_format(cursor.format)
        else:
            stream = Stream(read(0), file.name, at=file.mtime, passed=passed)
            named = self.source.format
            format_ = find_format(named) if named else detect_format(stream)
        self.read_counts.files += 1
        whole = yield from self._readings(file, format_, stream)
        if whole:
            # What said nothing yet may be of another format than it seems by now.
            grows = format_.appends and bool(stream.ref)
            now = self._now()
            self._store_cursor(
                file, describe_cursor(file, now, format_.name, stream, read, grows=grows)
            )

    def _readings(
        self, file: SourceFile, format_: Format, stream: Stream
    ) -> Generator[SourceReading, None, bool]:
        """Yield the readings of a file; return whether all of them were committed."""
        whole = True
        latest = min(self._now(), float("inf") if file.mtime is None else file.mtime)
        for piece in read_stream(stream, format_, latest):
            stream.ref = piece.ref
            if piece.cwd and self._is_off(piece):
                passed = self.read_counts.passed
                passed[OFF] += sum(1 for _ in piece.turns)
                continue
            if is_daily(file.name) and self.source.trust == "operator":
                for turn in piece.turns:
                    turn.role = OPERATOR if turn.role == DOCUMENT else turn.role
            if new := self._new_turns(piece):
                said = Conversation(piece.ref, piece.kind, list(new.values()), piece.at, piece.cwd)
                commit = partial(self._store_turns, piece.ref, list(new))
                reading = SourceReading(self.source, format_.name, said, commit)
                self.read_counts.turns += len(new)
                yield reading
                whole = whole and reading.committed
                # Not where nothing is new: what was read is passed over to where it went on.
                if self.out_of_time():
                    self.read_counts.unfinished = True
                    return False
        return whole

    def _is_off(self, piece: Conversation) -> bool:
        """Whether memory is off in a folder in which a session ran, also where it went elsewhere
        later."""
        if piece.ref not in self._off and self.store.device.sources.is_off(piece.cwd):
            self._off.add(piece.ref)
        return piece.ref in self._off

    def _new_turns(self, piece: Conversation) -> dict[int, Turn]:
        known = self._known_turns(piece.ref)
        found: dict[int, Turn] = {}
        for turn in piece.turns:
            digest = digest_turn(turn)
            if digest not in known:
                found.setdefault(digest, turn)
        return found

    def _known_turns(self, ref: str) -> KnownTurns:
        if self._known is None or self._known[0] != ref:
            kept = self.store.device.local.turns_read(self.consumer, ref) if self.consumer else b""
            self._known = ref, KnownTurns(kept)
        return self._known[1]

    def _store_turns(self, ref: str, digests: Sequence[int]) -> None:
        added = self._known_turns(ref).add(digests)
        if self.consumer:
            self.store.device.local.add_turns_read(self.consumer, ref, added)

    def _store_cursor(self, file: SourceFile, cursor: object) -> None:
        if self.consumer:
            self.store.device.local.write_cursor(self.consumer, self.source.name, file.name, cursor)

    def _note_problem(self, file: str, message: str) -> None:
        self.read_counts.problems.append(SourceProblem(self.source.name, file, message))

    def _now(self) -> float:
        return self.store.clock.now()


def list_places(store: Store) -> list[tuple[Source, Shelf]]:
    """List each source and where its files are. Raises ConfigError, IndexUnavailableError."""
    found: list[tuple[Source, Shelf]] = [
        (one, store.device.sources) for one in store.device.sources.list()
    ]
    only = Filter(kinds=(KIND,), statuses=(ACTIVE,), zones=(LIVE,))
    store.require_index(scan=True)
    by_origin: dict[str, list[Row]] = {}
    for row in store.index.find(only):
        if row.locator.startswith(f"{FOLDER}/"):
            by_origin.setdefault(counted_origin(row, store), []).append(row)
    for origin, rows in sorted(by_origin.items()):
        source = Source(OWN, FOLDER, format=NOTES, trust=origin)
        found.append((source, _OwnNotes(store, rows)))
    return found


class _OwnNotes(Shelf):
    def __init__(self, store: Store, rows: Sequence[Row]) -> None:
        self.store = store
        self.rows = sorted(rows, key=lambda row: row.locator)

    def files(self, source: Source) -> Iterator[SourceFile | OSError]:  # noqa: ARG002 - the port's
        for row in self.rows:
            yield SourceFile(row.locator, 0, None, row.hash)

    def read(self, source: Source, name: str, offset: int = 0) -> Iterator[bytes]:  # noqa: ARG002
        yield self.store.backend.read(make_locator(name)).raw[offset:]


@dataclass(slots=True, eq=False)
class SourceStanding:
    """How far a source was read: the number of files and of new or changed ones, when one was last
    read, the formats, and problems."""

    source: Source
    files: int = 0
    new: int = 0
    read_at: float | None = None
    formats: Counter[str] = field(default_factory=Counter)
    problems: list[SourceProblem] = field(default_factory=list)


def survey_sources(store: Store) -> list[SourceStanding]:
    """List every source, and how far `extract` read it; the vault's own daily notes, where it has
    any, are one. Raises ConfigError, IndexUnavailableError."""
    return [_survey(store, *found) for found in list_places(store)]


def add_source(
    store: Store,
    path: str,
    *,
    name: str = "",
    format: str = "",  # noqa: A002 - what it is
    trust: str = "external",
    project: str = "",
    match: Sequence[str] = (),
) -> Source:
    """Learn from a file, or from a folder and all below it."""
    if format:
        find_format(format)
    source = Source(name, path, format=format, trust=trust, project=project, match=match)
    return store.device.sources.add(source)


def add_host_source(store: Store, host: str, *, name: str = "", project: str = "") -> Source:
    """Learn from the sessions of an agents' host on this device. Raises NotFoundError where it has
    none, and what `add_source` does."""
    found = next((one for one in store.device.sources.detect() if one.host == host), None)
    if found is None:
        raise NotFoundError(
            f"no sessions of {host!r} on this device",
            remedy="`engrain learn add` without a path lists them",
        )
    return store.device.sources.add(replace(found, name=name or found.name, project=project))


def remove_source(store: Store, name: str) -> Source:
    """Learn from a source no more; what was learned stays. Raises NotFoundError."""
    removed = store.device.sources.remove(name)
    store.device.local.drop_cursors(name)
    return removed


def _survey(store: Store, source: Source, shelf: Shelf) -> SourceStanding:
    found = SourceStanding(source)
    cursors = store.device.local.cursors(EXTRACT, source.name)
    try:
        for file in shelf.files(source):
            if not isinstance(file, SourceFile):
                message = file.strerror or str(file)
                found.problems.append(SourceProblem(source.name, file.filename or "", message))
                continue
            cursor = Cursor(object_of(cursors.get(file.name)))
            found.files += 1
            if isinstance(cursor.at, int | float):
                found.read_at = max(found.read_at or cursor.at, cursor.at)
            if not cursor.is_of(file):
                found.new += 1
            elif cursor.problem:
                found.problems.append(SourceProblem(source.name, file.name, cursor.problem))
            else:
                found.formats[cursor.format] += 1
    except ForbiddenPathError as error:
        found.problems.append(SourceProblem(source.name, "", error.message))
    return found
