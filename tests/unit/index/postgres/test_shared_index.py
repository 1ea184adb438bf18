"""A namespace's index in its database serves recalls, to members and to nobody else."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from contracts.search_index import document
from engrain import open_memory
from engrain.backends.postgres.admin import open_admin
from engrain.index.postgres.postgres_index import open_index
from engrain.index.postgres.session import READING, Session
from engrain.index.postgres.vectors import open_vectors
from engrain.model.errors import ConfigError, EmbeddingError, IndexUnavailableError
from engrain.model.note.vectors import dot, pack_unit
from engrain.seam.rows import Filter
from engrain.seam.search import Batch
from engrain.seam.storage import Database
from support.postgres import OWNER, shared_server
from unit.index.postgres.on_postgres import address, database, indexed_database, open_store

__all__ = ["address", "database"]


def test_two_devices_recall_from_one_index_what_one_of_them_saved(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_INDEX", "postgres")
    with open_memory(address, state_dir=tmp_path / "one", create=True) as one:
        saved = one.save("Staging listens on port 5544.")
    with open_memory(address, state_dir=tmp_path / "other") as other:
        found = other.recall("which port does staging listen on").results
        assert [each.row.id for each in found] == [saved.id]
    assert not [*tmp_path.rglob("index-*.sqlite")]


def test_the_answers_are_those_of_the_index_on_the_device(
    address: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    chance = random.Random(7)
    words = [f"{start}{end}ing" for start in "bcdfglmnprst" for end in ("ak", "el", "ip", "od")]
    with open_memory(address, state_dir=tmp_path / "local", create=True) as local:
        for _ in range(40):
            local.save(" ".join(chance.choices(words, k=12)) + ".")
        monkeypatch.setenv("ENGRAIN_INDEX", "postgres")
        with open_memory(address, state_dir=tmp_path / "shared") as shared:
            for _ in range(10):
                question = " ".join(chance.sample(words, 4))
                scored = [
                    [
                        (one.row.id, pytest.approx(one.row.score))
                        for one in memory.recall(question).results
                    ]
                    for memory in (local, shared)
                ]
                assert scored[0] == scored[1]


def test_a_setting_that_is_no_place_of_an_index_is_refused_in_one_line(
    address: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_INDEX", "oracle")
    with pytest.raises(ConfigError, match=r"index is 'oracle' .*, not local or postgres"):
        open_memory(address, create=True)


def test_another_namespace_named_in_the_setting_of_a_transaction_shows_nothing(
    address: str, database: Database
) -> None:
    index = open_index(database)
    index.rebuild([Batch(documents=[document("a.md", "# Canary\n\nwren")])])
    server = shared_server()
    name = address.partition("namespace=")[2]
    server.run("postgres", f"CREATE ROLE stranger_of_{name} LOGIN IN ROLE engrain_member")
    with server.connect(indexed_database(), f"stranger_of_{name}") as connection:
        connection.execute("SELECT set_config('engrain.namespace', %s, false)", (name,))
        for table in ("entries", "passages", "texts", "postings", "meta", "names"):
            found = connection.execute(f"SELECT count(*) FROM engrain_index.{table}".encode())
            assert found.fetchone() == (0,)
    assert index.count(Filter()) == 1


def test_a_database_without_tables_of_indexes_says_who_makes_them() -> None:
    server = shared_server()
    store = open_store(server.own_address(OWNER))
    assert store.database is not None
    index = open_index(store.database)
    assert "engrain admin index" in str(index.check())
    with pytest.raises(IndexUnavailableError, match="engrain admin index"):
        index.rebuild([])
    store.close()


def test_tables_of_indexes_are_dropped_and_made_again(address: str) -> None:
    server = shared_server()
    admin = open_admin(server.address(server.make_database()))
    assert admin.set_index(True)
    assert not admin.set_index(True)
    assert admin.set_index(False)
    assert not admin.set_index(False)
    admin.close()


def test_endless_names_and_words_are_cut_where_the_database_takes_no_longer_ones(
    database: Database,
) -> None:
    index = open_index(database)
    chance = random.Random(3)
    endless = "".join(chance.choices("abcdefghijklmnopqrstuvwxyz", k=20_000))
    text = f"# Long\n\n{endless} robin [[{endless}]]"
    index.rebuild([Batch(documents=[document("a.md", text, tags=[endless])])])
    assert [row.title for row in index.search("robin", Filter(), 5)] == ["Long"]


def test_vectors_are_compared_exactly_and_kept_by_model(database: Database) -> None:
    vectors = open_vectors(database)
    chance = random.Random(5)
    made = [
        (n.to_bytes(16, "big"), pack_unit([chance.gauss(0, 1) for _ in range(16)]))
        for n in range(60)
    ]
    query = made[7][1]
    assert vectors.check() is None
    assert vectors.nearest("m", query, 3) == []
    vectors.add("m", 16, [*made, (made[0][0], made[1][1])])
    best = sorted(((dot(query, v), k) for k, v in made), key=lambda pair: -pair[0])[:9]
    found = vectors.nearest("m", query, 9)
    assert [key for key, _ in found] == [key for _, key in best]
    assert [cosine for _, cosine in found] == pytest.approx([c for c, _ in best], abs=1e-5)
    assert vectors.similarities("m", query, [made[7][0], bytes(16)[:-1] + b"\xff"]) == {
        made[7][0]: pytest.approx(1, abs=1e-5)
    }
    assert vectors.missing("m", [b"x" * 16, made[3][0], b"x" * 16]) == [b"x" * 16]
    mean, deviation = vectors.background("m", query)
    assert -1 < mean < 1
    assert deviation > 0
    with pytest.raises(EmbeddingError, match="16 dimensions, these have 8"):
        vectors.add("m", 8, [(b"y" * 16, pack_unit([1.0] * 8))])
    assert vectors.keep_only("m", [key for key, _ in made[:10]]) == 50
    assert (vectors.count("m"), vectors.models()) == (10, {"m": 16})
    vectors.purge([made[0][0]])
    assert vectors.count("m") == 1
    vectors.drop("m")
    assert vectors.models() == {}


def test_many_vectors_are_found_by_a_graph_as_well_as_all_compared(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = open_vectors(database)
    chance = random.Random(5)
    made = [
        (n.to_bytes(16, "big"), pack_unit([chance.gauss(0, 1) for _ in range(16)]))
        for n in range(3000)
    ]
    vectors.add("m", 16, made[:1500])
    exact = [vectors.nearest("m", query, 10) for _, query in made[:10]]
    assert not has_graph(database)
    monkeypatch.setattr("engrain.index.postgres.vectors._MANY", 1000)
    vectors.add("m", 16, made[1500:1501])
    assert has_graph(database)
    for (_, query), expected in zip(made[:10], exact, strict=True):
        found = vectors.nearest("m", query, 11)
        assert len({key for key, _ in found} & {key for key, _ in expected}) >= 9
        assert dict(found)[expected[0][0]] == pytest.approx(1, abs=1e-5)
    vectors.add("m", 16, made[1501:])
    assert vectors.nearest("m", made[2999][1], 1)[0][0] == made[2999][0]
    vectors.drop("m")
    assert not has_graph(database)


def has_graph(database: Database) -> bool:
    session, _ = Session.begin(database, READING)
    try:
        return bool(session.run("SELECT graph_of(1) IS NOT NULL").get)
    finally:
        session.end(kept=False)
