"""The search index on SQLite: one file per generation, used by several threads and processes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Concatenate, ContextManager, ParamSpec, TypeVar

from engrain.index import graph, matching, queries
from engrain.index.access import Access
from engrain.index.connection import (
    BUSY_MS,
    UnfitError,
    asking,
    connect_builder,
    finish_builder,
    guarded,
)
from engrain.index.generations import Building, Generations
from engrain.index.snapshot import Snapshots
from engrain.index.text import storable
from engrain.seam.search import IndexStatus, SearchIndex
from engrain.seam.view import IndexView

if TYPE_CHECKING:
    import apsw

    from engrain.seam.clock import Clock
    from engrain.seam.graph import Edge, Reference, SuccessionClaim, Written
    from engrain.seam.locator import Locator
    from engrain.seam.rows import Filter
    from engrain.seam.search import Batch, Beside, Change, Due, Most, StoreRound
    from engrain.seam.view import Matches

P = ParamSpec("P")
T = TypeVar("T")


def open_index(folder: str, clock: Clock, *, patience_ms: int = BUSY_MS) -> SearchIndex:
    """Open the index in `folder`, which must be device-local; it need not exist yet, and may
    vanish. A writer waits `patience_ms` for another."""
    return SqliteIndex(folder, clock, patience_ms)


class SqliteIndex(SearchIndex):
    _access: Access

    def __init__(self, folder: str, clock: Clock, patience_ms: int = BUSY_MS) -> None:
        self._generations = Generations(folder)
        self._access = Access(self._generations, patience_ms)
        self.ask = self._access.ask
        self._clock = clock
        self._snapshots = Snapshots()

    def check(self) -> str | None:
        try:
            self.ask(queries.ping)
        except UnfitError as error:
            return error.reason
        return None

    def status(self) -> IndexStatus:
        try:
            return self.ask(queries.status)
        except UnfitError as error:
            return IndexStatus(False, error.reason)

    def exclusive(self) -> ContextManager[None]:
        return self._access.exclusive()

    def building(self) -> ContextManager[None]:
        return Building(self._generations)

    def apply(self, batch: Batch) -> None:
        from engrain.index.stamps import is_of_stamps, note_stamps

        with self._access.exclusive():
            if self.ask(is_of_stamps, batch):
                self.ask(note_stamps, batch)  # like most looks, without loading the tables' module
                return
            from engrain.index.tables import take_in

            self.ask(take_in, batch)

    def rebuild(self, batches: Iterable[Batch]) -> None:
        name = guarded(self._generations.begin, self._clock.now())
        try:
            self._build(self._generations.path(name), batches)
            self._access.replace(name)
        except BaseException:
            if self._generations.current() != name:
                self._generations.discard(name)
            raise

    def beside(self) -> Beside | None:
        from engrain.index.comparing import SqliteBeside

        def open_at(folder: str) -> SearchIndex:
            return SqliteIndex(folder, self._clock)

        return SqliteBeside(self._access, self._generations, self._clock, open_at)

    def _known_figures(self) -> dict[str, float]:
        """Return the figures of the index in use, none if it can't answer."""
        try:
            return self.figures("")
        except UnfitError:
            return {}

    def _build(self, path: str, batches: Iterable[Batch]) -> None:
        from engrain.index.tables import begin_build, end_build, take_in

        connection = guarded(connect_builder, path)
        try:
            guarded(begin_build, connection)
            for batch in batches:
                guarded(take_in, connection, batch, settle=False)
            guarded(end_build, connection)
            guarded(queries.put_figures, connection, "", self._known_figures())
            guarded(finish_builder, connection)
        finally:
            connection.close()

    cursors = asking(queries.cursors)
    scanned_at = asking(queries.scanned_at)
    versions = asking(queries.versions)
    hash_at = asking(queries.hash_at)
    search = asking(matching.search)
    figures = asking(queries.figures)
    find = asking(queries.find)
    count = asking(queries.count)
    tally = asking(queries.tally)
    counters = asking(queries.counters)
    lookup = asking(queries.lookup)
    resolve = asking(queries.resolve)
    links_from = asking(queries.links_from)
    links_to = asking(queries.links_to)
    sources_of = asking(queries.sources_of)
    derived_from = asking(queries.derived_from)
    problems = asking(queries.problems)
    related = asking(queries.related)
    among_related = asking(queries.among_related)
    duplicates = asking(queries.duplicates)
    changes = asking(queries.changes)
    last_changes = asking(queries.last_changes)
    operations = asking(queries.operations)
    erasures = asking(queries.erasures)
    knows_bytes = asking(queries.knows_bytes)
    unexplained = asking(queries.unexplained)

    def absent(self, places: Iterable[Locator] | None = None) -> list[Change]:
        from engrain.index.absence import list_absent

        return self.ask(list_absent, places)

    def groups(self) -> dict[str, str]:
        from engrain.index.stamps import groups

        return self.ask(groups)

    def stamps(self, group: str | None = None) -> Iterator[tuple[str, str, str, bool]]:
        from engrain.index.stamps import stamps

        return self.ask(stamps, group)

    def stamps_of(self, places: Iterable[str]) -> dict[str, str]:
        from engrain.index.stamps import stamps_of

        return self.ask(stamps_of, places)

    def marks(self, names: Iterable[str] | None = None) -> dict[str, tuple[str, int]]:
        from engrain.index.stamps import marks

        return self.ask(marks, names)

    def due(self, after: StoreRound, most: Most) -> Due:
        from engrain.index.stamps import due

        return self.ask(due, after, most)

    def turn(self) -> StoreRound:
        from engrain.index.stamps import parse_turn

        return parse_turn(self._generations.read_turn())

    def note_turn(self, turn: StoreRound) -> None:
        self._generations.write_turn(f"{turn.since}\n{turn.group}\n{turn.file}\n")

    def put_figures(self, prefix: str, figures: Mapping[str, float]) -> None:
        with self._access.exclusive():
            self.ask(queries.put_figures, prefix, figures)

    def told_origin(self, entry: str, hash_: str) -> str | None:
        from engrain.index.origins import told_origin

        return self.ask(told_origin, storable(entry), hash_)

    def mistaken(self) -> list[tuple[str, int]]:
        from engrain.index.conclusions import list_mistaken

        return self.ask(list_mistaken)

    def view(self) -> ContextManager[IndexView]:
        return self._access.reading(partial(View, self._snapshots))

    def sweep(self) -> None:
        guarded(self._generations.sweep)

    def close(self) -> None:
        self._access.close()


class View(IndexView):
    """One state of the index, as one connection sees it."""

    def __init__(self, snapshots: Snapshots, connection: apsw.Connection) -> None:
        self._snapshots = snapshots
        self._connection = connection

    def ask(
        self, query: Callable[Concatenate[apsw.Connection, P], T], *given: P.args, **named: P.kwargs
    ) -> T:
        return guarded(query, self._connection, *given, **named)

    def match(self, text: str, only: Filter, most: int, few: int = 0) -> Matches:
        snapshot = self.ask(self._snapshots.of)
        return self.ask(matching.match, text, only, most, few, snapshot=snapshot)

    occurrences = asking(matching.occurrences)
    at_places = asking(matching.at_places)
    with_keys = asking(matching.with_keys)
    newest = asking(matching.newest)
    firsts = asking(matching.firsts)
    named = asking(matching.named)
    tagged = asking(matching.tagged)
    speakers = asking(matching.speakers)
    spoken = asking(matching.spoken)
    details = asking(matching.details)
    newest_passages = asking(matching.newest_passages)
    locators = asking(matching.locators)
    rows = asking(matching.rows)
    figure = asking(queries.figure)
    number = asking(graph.number)
    edges_from = asking(graph.edges_from)
    edges_to = asking(graph.edges_to)
    links_of = asking(graph.links_of)
    orphans = asking(graph.orphans)

    def edges(self) -> Iterator[Edge]:
        after = (-1, -1)
        seen: set[tuple[object, ...]] = set()  # of the entry whose links are read
        while rows := self.ask(graph.edges, after):
            for row in rows:
                if row[0] != after[0]:
                    seen.clear()
                after = row[:2]
                if row[2:] not in seen:
                    seen.add(row[2:])
                    yield graph.make_edge(row[2:])

    def links(self, state: str | None = None) -> Iterator[Written]:
        after = (-1, -1)
        while found := self.ask(graph.links, state, after):
            yield from found
            after = (found[-1].source, found[-1].place)

    def names(self, entries: Sequence[int] | None = None) -> Iterator[tuple[str, int]]:
        if entries is not None:
            yield from self.ask(graph.names_of, entries)
            return
        after = ("", -1)
        while found := self.ask(graph.names, after):
            yield from found
            after = found[-1]

    def claims(self, entries: Sequence[int] | None = None) -> list[SuccessionClaim]:
        from engrain.index.succession import list_claims

        return self.ask(list_claims, entries)

    def waiting_claims(self, names: Sequence[str]) -> list[tuple[int, str, str]]:
        from engrain.index.succession import list_waiting

        return self.ask(list_waiting, names)

    def meant(self, name: str) -> list[int]:
        from engrain.index.links import list_meant

        return self.ask(list_meant, name)

    def lead(self, reference: Reference, folder: str) -> tuple[int | None, int]:
        from engrain.index.links import lead

        return self.ask(lead, reference, folder)

    @property
    def label_first(self) -> bool:
        from engrain.index.links import is_label_first

        return self.ask(is_label_first)
