"""The vectors of a namespace in pgvector. All vectors of a small model are compared exactly; a
large one has a graph of neighbours, whose candidates are then compared exactly."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import Any, TypeVar

from engrain.index.connection import BUSY_MS, UnfitError
from engrain.index.postgres.postgres_index import PostgresAccess
from engrain.index.postgres.session import READING, Session
from engrain.index.vectors.queries import find_background, spread_ids
from engrain.model.errors import EmbeddingError
from engrain.model.note.vectors import FLOAT_BYTES, check_vector, unpack
from engrain.seam.derived import KEY_BYTES, VectorIndex
from engrain.seam.storage import Database

T = TypeVar("T")
_MANY = 20_000
"""The number of vectors from which on a model has a graph. It is built once, in seconds in which
other namespaces can't add vectors; later vectors are added to it."""
_CANDIDATES = 200
"""The candidates compared exactly at least, and at least two for each wanted result."""
_MOST_CANDIDATES = 1000
"""The most candidates that a search through a graph can keep."""
_COSINE = "-(vector OPERATOR(public.<#>) %(vector)s::public.vector)"
_MISSING = """
SELECT k.key FROM unnest(%(keys)s::bytea[]) AS k(key) WHERE NOT EXISTS
  (SELECT FROM vectors v WHERE v.model = %(model)s AND v.key = k.key)
"""
_ADD = """
INSERT INTO vectors
SELECT (SELECT coalesce(max(id), 0) FROM vectors) + row_number() OVER (), %(model)s, n.key,
  n.vector::public.vector
FROM unnest(%(keys)s::bytea[], %(vectors)s::text[]) AS n(key, vector)
ON CONFLICT DO NOTHING
"""
_BY_GRAPH = f"""
SELECT key, {_COSINE} AS cosine FROM (
  SELECT key, vector FROM vectors WHERE namespace = %(namespace)s AND model = %(model)s
  ORDER BY vector::public.halfvec({{size}}) OPERATOR(public.<#>)
    %(vector)s::public.halfvec({{size}})
  LIMIT {{candidates}}
) AS candidates ORDER BY cosine DESC, key LIMIT %(limit)s
"""


def open_vectors(database: Database) -> VectorIndex:
    """Open the vectors of a database's namespace."""
    return _PostgresVectors(database)


class _PostgresVectors(VectorIndex):
    def __init__(self, database: Database) -> None:
        self._database = database
        self._access = PostgresAccess(database, BUSY_MS)

    def check(self) -> str | None:
        try:
            self.models()
        except UnfitError as error:
            return error.message
        return None

    def verify(self) -> str | None:
        return None  # the database has checksums of its own

    def settle_damage(self) -> None:
        return

    def models(self) -> dict[str, int]:
        return self._ask(
            lambda session: dict(session.run("SELECT name, size FROM models ORDER BY 1"))
        )

    def count(self, model: str) -> int:
        counted = "SELECT count(*) FROM vectors WHERE model = %(model)s"
        return self._about(model, lambda session, given: int(session.run(counted, given).get), 0)

    def missing(self, model: str, keys: Iterable[bytes]) -> list[bytes]:
        wanted = [*dict.fromkeys(keys)]

        def ask(session: Session, given: dict[str, Any]) -> list[bytes]:
            found = {key for (key,) in session.run(_MISSING, {**given, "keys": wanted})}
            return [key for key in wanted if key in found]

        return self._about(model, ask, wanted)

    def add(self, model: str, size: int, vectors: Sequence[tuple[bytes, bytes]]) -> None:
        for key, vector in vectors:
            if len(key) != KEY_BYTES:
                raise EmbeddingError(f"a key has {len(key)} bytes instead of {KEY_BYTES}")
            check_vector(vector, size)

        def work(session: Session) -> None:
            session.run(
                "INSERT INTO models"
                " SELECT %(name)s, coalesce(max(model), 0) + 1, %(size)s FROM models"
                " ON CONFLICT DO NOTHING",
                {"name": model, "size": size},
            )
            number, known = _find(session, model)
            if known != size:
                raise EmbeddingError(
                    f"the model {model} has vectors of {known} dimensions, these have {size}"
                )
            kept = dict(reversed(vectors))  # the first vector of each key
            values = {
                "model": number,
                "keys": [*reversed(kept)],
                "vectors": [_written(kept[key]) for key in reversed(kept)],
            }
            session.run(_ADD, values)

        self._change(work)
        with suppress(UnfitError):  # if others write: the next batch makes the graph
            self._set_graph(model, _MANY)

    def nearest(self, model: str, vector: bytes, limit: int) -> list[tuple[bytes, float]]:
        exactly = (
            f"SELECT key, {_COSINE} AS cosine FROM vectors WHERE model = %(model)s"
            " ORDER BY cosine DESC, key LIMIT %(limit)s"
        )
        candidates = min(max(_CANDIDATES, 2 * limit), _MOST_CANDIDATES)
        by_graph = _BY_GRAPH.format(size=len(vector) // FLOAT_BYTES, candidates=candidates)

        def ask(session: Session, given: dict[str, Any]) -> list[Any]:
            graph, _ = session.run(
                "SELECT graph_of(%(model)s) IS NOT NULL,"
                " set_config('hnsw.ef_search', %(candidates)s, true)",
                {**given, "candidates": str(candidates)},
            ).get
            more = {"namespace": self._database.namespace, "limit": limit}
            return session.run(by_graph if graph else exactly, {**given, **more})

        return self._about(model, ask, [], vector) if limit > 0 else []

    def similarities(self, model: str, vector: bytes, keys: Iterable[bytes]) -> dict[bytes, float]:
        query = (
            f"SELECT key, {_COSINE} FROM vectors WHERE model = %(model)s"
            " AND key = ANY(%(keys)s::bytea[])"
        )
        kept = list(keys)
        nothing: list[Any] = []

        def ask(session: Session, given: dict[str, Any]) -> list[Any]:
            return session.run(query, {**given, "keys": kept})

        return dict(self._about(model, ask, nothing, vector))

    def background(self, model: str, vector: bytes) -> tuple[float, float]:
        def ask(session: Session, given: dict[str, Any]) -> list[Any]:
            first, last = session.run("SELECT min(id), max(id) FROM vectors").get
            if first is None:
                return []
            query = (
                f"SELECT {_COSINE} FROM vectors WHERE model = %(model)s"
                " AND id = ANY(%(ids)s::bigint[])"
            )
            return session.run(query, {**given, "ids": [*spread_ids(first, last)]})

        nothing: list[Any] = []
        return find_background([row[0] for row in self._about(model, ask, nothing, vector)])

    def keep_only(self, model: str, keys: Iterable[bytes]) -> int:
        kept = list(keys)

        def work(session: Session) -> int:
            query = (
                "DELETE FROM vectors WHERE model = %(model)s"
                " AND NOT key = ANY(%(keys)s::bytea[]) RETURNING id"
            )
            return len(session.run(query, {"model": _find(session, model)[0], "keys": kept}))

        return self._change(work)

    def drop(self, model: str) -> None:
        self._set_graph(model, None)

        def work(session: Session) -> None:
            given = {"model": _find(session, model)[0]}
            session.run("DELETE FROM vectors WHERE model = %(model)s", given)
            session.run("DELETE FROM models WHERE model = %(model)s", given)

        self._change(work)

    def purge(self, keys: Iterable[bytes]) -> None:
        kept = list(keys)
        for model in self.models():
            self.keep_only(model, kept)

    def close(self) -> None:
        self._access.close()

    def _set_graph(self, model: str, many: int | None) -> None:
        """Make the graph of a model with at least `many` vectors, or drop it (None): in a separate
        transaction, because it locks the table, which is not allowed after writing in it."""

        def work(session: Session) -> None:
            given = {"model": _find(session, model)[0], "many": many}
            session.run("SELECT set_graph(%(model)s::bigint, %(many)s::bigint)", given)

        self._change(work)

    def _about(
        self,
        model: str,
        work: Callable[[Session, dict[str, Any]], T],
        nothing: T,
        vector: bytes = b"",
    ) -> T:
        """Return the result of `work` for a model that has had vectors, else `nothing`."""

        def ask(session: Session) -> T:
            number, size = _find(session, model)
            if number is None:
                return nothing
            if vector:
                check_vector(vector, size)
            return work(session, {"model": number, "vector": _written(vector)})

        return self._ask(ask)

    def _ask(self, work: Callable[[Session], T]) -> T:
        session, _ = Session.begin(self._database, READING)
        try:
            return work(session)
        finally:
            session.end(kept=False)

    def _change(self, work: Callable[[Session], T]) -> T:
        session = self._access.begin_writing()
        kept = False
        try:
            done = work(session)
            kept = True
        finally:
            session.end(kept=kept)
        return done


def _find(session: Session, model: str) -> tuple[Any, Any]:
    """Return a model's number and the size of its vectors, (None, None) if it has had none."""
    found = session.run("SELECT model, size FROM models WHERE name = %(name)s", {"name": model}).get
    return found or (None, None)


def _written(vector: bytes) -> str:
    return f"[{','.join(map(repr, unpack(vector)))}]"
