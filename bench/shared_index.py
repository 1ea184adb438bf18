"""Recalls by the index of a namespace in PostgreSQL, behind the same by the index of this
device, and before two bare queries: full text by GIN and the nearest vectors by HNSW."""

from __future__ import annotations

import operator
import os
import re
import statistics
import sys
from contextlib import closing
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

from bench import corpus
from bench.measure import percentile, timed
from bench.migration import open_store
from bench.vault import make_vault
from engrain import Memory, open_memory
from engrain.engine.history.migration import copy_store

QUESTIONS = 60
ROWS = (
    ("entries, passages with vectors", "{entries}, {vectors}"),
    ("recall, p50 / p95", "{shared_p50_ms} / {shared_p95_ms} ms"),
    ("… by the index of this device", "{local_p50_ms} / {local_p95_ms} ms"),
    ("… a bare GIN and a bare HNSW query, p50 / p95", "{bare_p50_ms} / {bare_p95_ms} ms"),
    ("… **ratio** to these, p50", "**{ratio}**"),
    ("questions with the same results by both", "{same} of {asked}"),
    ("the index is made", "{index_s} s, {index_per_s}/s"),
    ("the vectors are made and added", "{embed_s} s, {embed_per_s}/s"),
    ("the first recall, which measures when to keep silent", "{first_s} s"),
)
_BARE = """
CREATE TABLE bare_texts AS SELECT to_tsvector('english', convert_from(raw, 'UTF8')) AS words
  FROM engrain.files;
CREATE INDEX ON bare_texts USING gin (words);
CREATE TABLE bare_vectors AS SELECT vector::vector({size}) AS vector FROM engrain_index.vectors;
CREATE INDEX ON bare_vectors USING hnsw (vector vector_ip_ops);
ANALYZE;
"""
_WORDS = """
SELECT ctid FROM bare_texts, to_tsquery('english', %s) AS query WHERE words @@ query
ORDER BY ts_rank(words, query) DESC LIMIT 10
"""
_NEAREST = "SELECT ctid FROM bare_vectors ORDER BY vector <#> %s::vector LIMIT 10"


def run(sizes: list[int], folder: Path, _: str | None = None) -> list[dict[str, object]]:
    """The figures for namespaces of so many entries."""
    sys.path.insert(0, str(Path(__file__).parent.parent / "tests"))
    from support.postgres import start_server  # the extra may not be there

    server = start_server(shared_buffers="512MB")
    server.make_template()
    return [{"entries": size, **_measure(size, folder / f"n{size}", server)} for size in sizes]


def _measure(size: int, folder: Path, server: Any) -> dict[str, object]:
    from engrain.backends.postgres.admin import open_admin
    from support.postgres import OWNER

    os.environ["ENGRAIN_EMBEDDER"] = "none"
    make_vault(folder / "vault", folder / "state", size)
    database = server.make_database()
    address = server.address(database, OWNER, "team")
    with (
        closing(open_store("device_local", str(folder / "vault"), folder)) as source,
        closing(open_store("postgres", address, folder, source.vault)) as target,
    ):
        copy_store(source, target)
        target.begin_use()
    with closing(open_admin(server.address(database))) as admin:
        admin.set_index(True)
    os.environ["ENGRAIN_EMBEDDER"] = "static"
    with open_memory(address, state_dir=folder / "local", also=()) as local:
        local.reindex()
        local.embed()
        taken: dict[str, list[float]] = {"local": [], "shared": [], "bare": []}
        expected = _recall_all(local, taken["local"])
    os.environ["ENGRAIN_INDEX"] = "postgres"
    with (
        open_memory(address, state_dir=folder / "shared", also=()) as shared,
        server.connect(database) as connection,
    ):
        index = timed(shared.reindex)
        embed = timed(shared.embed)
        first = timed(partial(shared.recall, "what was said last"))
        count, vector = connection.execute(
            "SELECT count(*), min(vector::text) FROM engrain_index.vectors"
        ).fetchone()
        found = _recall_all(shared, taken["shared"])
        connection.execute(_BARE.format(size=vector.count(",") + 1))
        for question in corpus.real_questions(QUESTIONS):
            taken["bare"].append(timed(partial(_ask, connection, question, vector)))
    del os.environ["ENGRAIN_INDEX"]
    same = sum(map(operator.eq, expected, found))
    figures: dict[str, object] = {}
    for name, seconds in taken.items():
        figures[f"{name}_p50_ms"] = round(statistics.median(seconds) * 1000, 1)
        figures[f"{name}_p95_ms"] = round(percentile(seconds, 0.95) * 1000, 1)
    ratio = statistics.median(taken["shared"]) / statistics.median(taken["bare"])
    return {
        **figures,
        "ratio": round(ratio, 2),
        "vectors": count,
        "same": same,
        "asked": QUESTIONS,
        "index_s": round(index, 1),
        "index_per_s": round(size / index),
        "embed_s": round(embed, 1),
        "embed_per_s": round(count / embed),
        "first_s": round(first, 1),
    }


def _recall_all(memory: Memory, taken: list[float]) -> list[list[str]]:
    """The ids that each question gets, and in `taken` its seconds."""
    for question in corpus.real_questions(20, seed=7):
        memory.recall(question)
    found = []
    for question in corpus.real_questions(QUESTIONS):
        began = monotonic()
        answer = memory.recall(question)
        taken.append(monotonic() - began)
        found.append([one.row.id for one in answer.results])
    return found


def _ask(connection: Any, question: str, vector: str) -> None:
    words = " | ".join(re.findall(r"\w+", question))
    connection.execute(_WORDS, (words,)).fetchall()
    connection.execute(_NEAREST, (vector,)).fetchall()
