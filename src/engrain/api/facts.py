"""`memory.facts`, `memory.graph` and `memory.links`: people, companies and projects with their
facts, and how entries are joined."""

# Requirements: S1.8, S1.11, S1.21, S4.1, S4.2.

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence

from engrain.api.holder import Holder
from engrain.engine.core.scope import Scope, When, read_date, read_moment
from engrain.engine.entities.facts import FactOutcome, add_fact, add_facts
from engrain.engine.entities.files import FiledEntity
from engrain.engine.entities.merging import (
    add_alias,
    forget_fact,
    merge_entities,
    rename_entity,
    settle_fact,
    show_fact,
)
from engrain.engine.entities.pages import summarize_entity
from engrain.engine.entities.resolution import list_entities, open_entity_known
from engrain.engine.graph import (
    BOTH,
    Graph,
    Neighbour,
    find_path,
    list_neighbours,
    read_graph,
    walk_around,
)
from engrain.engine.indexes import Maps, write_entity_index, write_maps
from engrain.learn.extraction.run import Extracted, extract
from engrain.learn.sources.reading import EXTRACT, ReadCounts, read_new, read_paths
from engrain.lifecycle.jobs.runner import claimed
from engrain.model.facts.fact import Fact, FactDraft
from engrain.seam.rows import Row


class Facts(Holder):
    """People, companies and projects, and what is known of them."""

    def add(
        self,
        entity: str,
        content: str,
        *,
        type: str = "",  # noqa: A002
        edge: tuple[str, str] | None = None,
        source: str = "manual",
        ref: str | None = None,
        at: When | None = None,
        valid_from: When | None = None,
        valid_to: When | None = None,
        confidence: float | None = None,
    ) -> FactOutcome:
        """Add one fact: `content` is one statement about `entity`, a person, company or project by
        any of its names. `edge` is a predicate and the name of its object, `at` when it was said,
        `valid_from` and `valid_to` when it held. Older facts that it contradicts turn historical.
        Raises UsageError, ConflictError, MalformedError.

            memory.facts.add("Dana", "Dana works at Acme.", edge=("works_at", "Acme"))
        """
        return add_fact(
            self._open_store(),
            entity,
            content,
            type=type,
            edge=edge,
            source=source,
            ref=ref,
            at=read_date(at),
            valid_from=read_date(valid_from),
            valid_to=read_date(valid_to),
            confidence=confidence,
        )

    def add_all(self, drafts: Iterable[FactDraft], *, reason: str = "") -> list[FactOutcome]:
        """Add many facts and return their outcomes in order; a refused one says why and stops no
        other. A draft's `trust` never raises it above the actor's."""
        return add_facts(self._open_store(), drafts, reason=reason)

    def show(self, entity: str, reference: str) -> tuple[FiledEntity, Fact]:
        """Read one fact of an entity, by the fact's id, the beginning of it, or its text. Raises
        NotFoundError, UsageError."""
        return show_fact(self._ready(), entity, reference)

    def forget(self, entity: str, reference: str, reason: str = "") -> tuple[FiledEntity, Fact]:
        """Remove a fact, so that reading its source again does not bring it back but stating it by
        hand does. Returns the fact as it was; `undo` brings it back."""
        return forget_fact(self._open_store(), entity, reference, reason)

    def settle(self, entity: str, reference: str) -> tuple[FiledEntity, Fact]:
        """Decide a dispute for one fact: the others turn historical. Returns the fact as it is
        then. Raises UsageError for a fact that nothing disputes."""
        return settle_fact(self._open_store(), entity, reference)

    def entities(
        self,
        type: str | None = None,  # noqa: A002
        *,
        as_of: When | None = None,
        known_at: When | None = None,
        disputed: bool = False,
        limit: int | None = None,
    ) -> list[FiledEntity]:
        """List the entities that can be read, by name, at most `limit`. `type` selects one type,
        `as_of` those with a fact that held at that time as it was known at `known_at`, `disputed`
        those with a disputed fact. Raises IndexUnavailableError."""
        return list_entities(
            self._ready(look=True),
            type,
            as_of=read_moment(as_of),
            known_at=read_moment(known_at),
            disputed=disputed,
            limit=limit,
        )

    def entity(self, reference: str, *, known_at: When | None = None) -> FiledEntity:
        """Read an entity by any of its names, its id or path. With `known_at`, a time, its facts
        are those that its file had then. Raises NotFoundError, UsageError."""
        return open_entity_known(self._ready(), reference, known_at=read_moment(known_at))

    def summary(
        self, reference: str, *, as_of: When | None = None, known_at: When | None = None
    ) -> str:
        """Return the summary of an entity: its file if that is up to date or written by a person,
        else one made now. With `as_of` it is of the facts that held at that time, with `known_at`
        as they were known then. Raises NotFoundError, UsageError."""
        return summarize_entity(
            self._ready(), reference, as_of=read_moment(as_of), known_at=read_moment(known_at)
        )

    def merge(self, kept: str, other: str, reason: str = "") -> FiledEntity:
        """Have one entity take over another's facts and names, in one change; returns the kept one.
        Raises NotFoundError; UsageError for twice the same and for two of different types;
        ConflictError where either keeps changing."""
        return merge_entities(self._open_store(), kept, other, reason)

    def rename(self, reference: str, name: str) -> FiledEntity:
        """Give an entity another name; the old one stays as an alias. Raises UsageError for a name
        of another entity."""
        return rename_entity(self._open_store(), reference, name)

    def add_alias(self, reference: str, alias: str) -> FiledEntity:
        """Give an entity one more name. Raises UsageError for a name of another entity."""
        return add_alias(self._open_store(), reference, alias)

    def reindex(self) -> bool:
        """Update the index of entities; return whether it was written or removed. If another
        process is writing it, it is left to that process."""
        return write_entity_index(self._ready(scan=True))

    def extract(
        self,
        paths: Sequence[str] = (),
        *,
        source: str | None = None,
        trust: str | None = None,
        dry_run: bool = False,
        tell: Callable[[int], None] = lambda _: None,
    ) -> tuple[Extracted, ReadCounts]:
        """Extract facts from some files and folders, else from what is new in the named source,
        else in every source; return the result and how the reading went. `trust` is the origin
        of everything read, by default that of each source; `tell` gets the number of turns read so
        far.

        With `dry_run` nothing is written and no source counts as read. Raises NotFoundError,
        UsageError, ForbiddenPathError, ConfigError, IndexUnavailableError, LockedError,
        StorageError.
        """
        with claimed(self._open_store(), dry_run) as store:
            store.require_index(scan=True)
            read_counts = ReadCounts()
            if paths:
                readings = read_paths(store, paths, read_counts)
            else:
                readings = read_new(store, EXTRACT, source, read_counts=read_counts)
            done = extract(store, readings, trust=trust, dry_run=dry_run, tell=tell)
            return done, read_counts


class Graphs(Holder):
    """How entries are joined: by links, relations, facts, chains, sources and use."""

    def neighbors(
        self,
        reference: str,
        *,
        relations: Collection[str] = (),
        direction: str = BOTH,
        scope: Scope | None = None,
        limit: int | None = None,
    ) -> tuple[Row, list[Neighbour], int]:
        """List the neighbours of an entry; return the entry, the neighbours, and how many more
        there are than `limit`. The direction "out" follows edges from the entry, "in" edges to it.
        With `scope.as_of` only edges that held then count. Raises NotFoundError, UsageError,
        IndexUnavailableError."""
        return list_neighbours(
            self._open_store(),
            reference,
            relations=relations,
            direction=direction,
            scope=scope,
            limit=limit,
        )

    def path(
        self, start: str, goal: str, *, hops: int = 6, scope: Scope | None = None
    ) -> tuple[Graph, list[int]]:
        """Find the shortest path between two entries in any direction of edges; return it with the
        numbers of its entries in order, empty where it has more than `hops`. Of equal paths the one
        with the first ids is taken. Raises NotFoundError, UsageError."""
        return find_path(self._open_store(), start, goal, hops=hops, scope=scope)

    def around(
        self, reference: str, *, hops: int = 2, limit: int = 100, scope: Scope | None = None
    ) -> tuple[Row, Graph]:
        """Return the entries within some hops of an entry, the nearest first, at most `limit`.
        Raises NotFoundError, UsageError."""
        return walk_around(self._open_store(), reference, hops=hops, limit=limit, scope=scope)

    def read(self, scope: Scope | None = None, limit: int | None = None) -> Graph:
        """Read the whole graph of a scope, or of its `limit` newest entries. Raises
        IndexUnavailableError."""
        return read_graph(self._open_store(), scope, limit)


class Links(Holder):
    """The maps of contents."""

    def map(self) -> Maps:
        """Update the maps, in one change unless they are very many. Raises IndexUnavailableError;
        ConflictError where others keep writing them."""
        return write_maps(self._ready(scan=True))
