"""The search index on SQLite: one file a generation, used by several threads and processes."""

from __future__ import annotations

from engrain.index import matching, queries
from engrain.index.access import Access
from engrain.index.connection import BUSY_MS, UnfitError, connect_builder, finish_builder, guarded
from engrain.index.generations import Building, Generations
from engrain.index.graph_view import SqliteGraph
from engrain.index.text import QueryTerm, match_expression, query_terms, storable
from engrain.seam.search import IndexStatus, SearchIndex
from engrain.seam.view import IndexView

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping, Sequence
    from typing import ContextManager

    from engrain.seam.clock import Clock
    from engrain.seam.locator import Locator
    from engrain.seam.rows import Filter, Row
    from engrain.seam.search import Batch, Change, Problem
    from engrain.seam.view import Found, Matches, Occurrence, Place


def open_index(folder: str, clock: Clock, *, patience_ms: int = BUSY_MS) -> SearchIndex:
    """The index in `folder`, which must be device-local; it need not exist yet, and may vanish.
    For another writer it waits `patience_ms`."""
    return _SqliteIndex(folder, clock, patience_ms)


class _SqliteIndex(SearchIndex):
    def __init__(self, folder: str, clock: Clock, patience_ms: int) -> None:
        self._generations = Generations(folder)
        self._access = Access(self._generations, patience_ms)
        self._clock = clock

    def check(self) -> str | None:
        try:
            self._access.ask(queries.ping)
        except UnfitError as error:
            return error.reason
        return None

    def status(self) -> IndexStatus:
        try:
            return self._access.ask(queries.status)
        except UnfitError as error:
            return IndexStatus(False, error.reason)

    def exclusive(self) -> ContextManager[None]:
        return self._access.exclusive()

    def building(self) -> ContextManager[None]:
        return Building(self._generations)

    def apply(self, batch: Batch) -> None:
        from engrain.index.tables import take_in

        with self._access.exclusive():
            self._access.ask(take_in, batch)

    def rebuild(self, batches: Iterable[Batch]) -> None:
        name = guarded(self._generations.begin, self._clock.now())
        try:
            self._build(self._generations.path(name), batches)
            self._access.replace(name)
        except BaseException:
            if self._generations.current() != name:
                self._generations.discard(name)
            raise

    def _known_figures(self) -> dict[str, float]:
        """The figures of the index that is in use, none where it can't answer."""
        try:
            return self.figures("")
        except UnfitError:
            return {}

    def _build(self, path: str, batches: Iterable[Batch]) -> None:
        from engrain.index.tables import build, compact_texts, create_tables, settle_all

        connection = guarded(connect_builder, path)
        try:
            guarded(create_tables, connection)
            for batch in batches:
                guarded(build, connection, batch)
            guarded(settle_all, connection)
            guarded(compact_texts, connection)
            guarded(queries.put_figures, connection, "", self._known_figures())
            guarded(finish_builder, connection)
        finally:
            connection.close()

    def cursors(self) -> dict[str, str]:
        return self._access.ask(queries.cursors)

    def groups(self) -> dict[str, str]:
        return self._access.ask(queries.groups)

    def scanned_at(self) -> float | None:
        return self._access.ask(queries.scanned_at)

    def stamps(self, group: str | None = None) -> Iterator[tuple[str, str, str, bool]]:
        return iter(self._access.ask(queries.stamps, None if group is None else storable(group)))

    def hash_at(self, locator: Locator) -> str | None:
        return self._access.ask(queries.hash_at, storable(locator))

    def search(self, text: str, only: Filter, limit: int) -> list[Row]:
        return self._access.ask(matching.search, match_expression(text), only, limit)

    def figures(self, prefix: str) -> dict[str, float]:
        return self._access.ask(queries.figures, prefix)

    def put_figures(self, prefix: str, figures: Mapping[str, float]) -> None:
        with self._access.exclusive():
            self._access.ask(queries.put_figures, prefix, figures)

    def view(self) -> ContextManager[IndexView]:
        return self._access.reading(_View)

    def find(self, only: Filter, limit: int | None = None) -> list[Row]:
        return self._access.ask(queries.find, only, limit)

    def count(self, only: Filter) -> int:
        return self._access.ask(queries.count, only)

    def counters(self, only: Filter) -> dict[str, tuple[int, float | None, int]]:
        return self._access.ask(queries.counters, only)

    def lookup(self, reference: str) -> list[Row]:
        return self._access.ask(queries.lookup, storable(reference))

    def resolve(self, names: Sequence[str]) -> list[Row]:
        return self._access.ask(queries.resolve, _keys_of(names))

    def links_from(self, locator: Locator) -> list[tuple[str, str]]:
        return self._access.ask(queries.links_from, storable(locator))

    def links_to(self, row: Row) -> list[tuple[Row, str]]:
        return self._access.ask(queries.links_to, storable(row.locator))

    def sources_of(self, entry: str) -> list[str]:
        return self._access.ask(queries.sources_of, storable(entry))

    def derived_from(self, entries: Sequence[str]) -> list[Row]:
        return self._access.ask(queries.derived_from, [storable(entry) for entry in entries])

    def told_origin(self, entry: str, hash_: str) -> str | None:
        from engrain.index.origins import told_origin

        return self._access.ask(told_origin, storable(entry), hash_)

    def problems(self) -> list[Problem]:
        return self._access.ask(queries.problems)

    def related(self, relation: str) -> list[tuple[Row, str]]:
        return self._access.ask(queries.related, storable(relation))

    def duplicates(self) -> list[Row]:
        return self._access.ask(queries.duplicates)

    def changes(
        self,
        *,
        entry: str | None = None,
        locator: Locator | None = None,
        change: str | None = None,
        device: str | None = None,
        op: str | None = None,
        part_of: str | None = None,
        after: int = 0,
        limit: int | None = None,
    ) -> list[Change]:
        wanted = {
            "entry": entry, "locator": locator, "change": change, "device": device, "op": op,
            "part_of": part_of,
        }  # fmt: skip
        given = {column: storable(value) for column, value in wanted.items() if value is not None}
        return self._access.ask(queries.changes, given, after, limit)

    def operations(self, ops: Sequence[str], limit: int | None = None) -> list[Change]:
        return self._access.ask(queries.operations, ops, limit)

    def erasures(self) -> list[Change]:
        return self._access.ask(queries.erasures)

    def mistaken(self) -> list[tuple[str, int]]:
        from engrain.index.conclusions import list_mistaken

        return self._access.ask(list_mistaken)

    def knows_bytes(self, locator: Locator, hash_: str) -> bool:
        return self._access.ask(queries.knows_bytes, storable(locator), hash_)

    def sweep(self) -> None:
        guarded(self._generations.sweep)

    def close(self) -> None:
        self._access.close()


class _View(SqliteGraph, IndexView):
    def match(self, text: str, only: Filter, most: int, few: int = 0) -> Matches:
        return guarded(matching.match, self._connection, query_terms(text), only, most, few)

    def occurrences(
        self, words: Sequence[str], passages: Sequence[int]
    ) -> dict[int, tuple[int, list[Occurrence]]]:
        terms = [QueryTerm(word) for word in words]
        return guarded(matching.occurrences, self._connection, terms, passages) if terms else {}

    def at_places(self, places: Sequence[tuple[int, int]], only: Filter) -> list[Place]:
        return guarded(matching.at_places, self._connection, places, only)

    def with_keys(self, keys: Sequence[int], only: Filter) -> list[Place]:
        return guarded(matching.with_keys, self._connection, keys, only)

    def newest(self, only: Filter, limit: int) -> list[Place]:
        return guarded(matching.newest, self._connection, only, limit)

    def firsts(self, entries: Sequence[int], only: Filter) -> list[Place]:
        return guarded(matching.firsts, self._connection, entries, only)

    def named(self, names: Sequence[str], only: Filter, limit: int) -> list[Place]:
        return guarded(matching.named, self._connection, _keys_of(names), only, limit)

    def tagged(self, tags: Sequence[str], only: Filter, limit: int) -> list[Place]:
        return guarded(matching.tagged, self._connection, tags, only, limit)

    def speakers(self, names: Sequence[str]) -> list[str]:
        return guarded(matching.speakers, self._connection, names)

    def details(self, passages: Sequence[int]) -> dict[int, Found]:
        return guarded(matching.details, self._connection, passages)

    def figure(self, key: str) -> float | None:
        return guarded(queries.figure, self._connection, key)

    def newest_passages(self, before: int | None, limit: int) -> list[int]:
        return guarded(matching.newest_passages, self._connection, before, limit)

    def locators(self, passages: Sequence[int]) -> dict[int, str]:
        return guarded(matching.locators, self._connection, passages)


def _keys_of(names: Sequence[str]) -> list[str]:
    """The keys of each name, then that of the file to which it is a path."""
    from engrain.language.text.folding import name_key
    from engrain.model.links.keys import link_key

    written = [storable(name) for name in names]
    return list(dict.fromkeys(make(name) for name in written for make in (name_key, link_key)))
