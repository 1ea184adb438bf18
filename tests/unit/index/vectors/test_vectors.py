"""The vector index on SQLite."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from threading import Thread

import apsw
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engrain.index.vectors.blocks import BLOCK
from engrain.index.vectors.vectors import VectorIndex
from engrain.model.errors import EmbeddingError, IndexUnavailableError
from engrain.model.note.vectors import dot, pack, pack_unit
from support.examples import SHARED_FIXTURE

SIZE = 16


def key_of(number: int) -> bytes:
    return number.to_bytes(16, "big")


def make_vectors(count: int, seed: int = 0, size: int = SIZE) -> list[tuple[bytes, bytes]]:
    chance = random.Random(seed)
    return [
        (key_of(number), pack_unit([chance.gauss(0, 1) for _ in range(size)]))
        for number in range(count)
    ]


@pytest.fixture
def index(tmp_path: Path) -> Iterator[VectorIndex]:
    opened = VectorIndex(str(tmp_path / "state"))
    yield opened
    opened.close()


def test_a_new_index_is_empty_and_in_order(index: VectorIndex) -> None:
    assert index.models() == {}
    assert index.count("m") == 0
    assert index.missing("m", [key_of(1), key_of(2), key_of(1)]) == [key_of(1), key_of(2)]
    assert index.nearest("m", make_vectors(1)[0][1], 5) == []
    assert index.similarities("m", make_vectors(1)[0][1], [key_of(1)]) == {}


def test_the_nearest_come_first_with_their_exact_cosines(index: VectorIndex) -> None:
    vectors = make_vectors(200)
    index.add("m", SIZE, vectors)
    query = make_vectors(1, seed=9)[0][1]
    expected = sorted(((dot(query, v), k) for k, v in vectors), key=lambda pair: -pair[0])[:7]
    found = index.nearest("m", query, 7)
    assert [key for key, _ in found] == [key for _, key in expected]
    assert [cosine for _, cosine in found] == pytest.approx([c for c, _ in expected], abs=1e-5)


def test_equals_come_in_the_order_of_their_keys(index: VectorIndex) -> None:
    vector = make_vectors(1)[0][1]
    index.add("m", SIZE, [(key_of(number), vector) for number in (3, 1, 2)])
    assert [key for key, _ in index.nearest("m", vector, 2)] == [key_of(1), key_of(2)]


def test_none_are_found_where_none_are_wanted(index: VectorIndex) -> None:
    index.add("m", SIZE, make_vectors(3))
    assert index.nearest("m", make_vectors(1)[0][1], 0) == []


def test_similarities_are_of_the_keys_given(index: VectorIndex) -> None:
    vectors = dict(make_vectors(50))
    index.add("m", SIZE, list(vectors.items()))
    query = vectors[key_of(3)]
    found = index.similarities("m", query, [key_of(3), key_of(4), key_of(99)])
    assert found == {
        key_of(3): pytest.approx(1, abs=1e-5),
        key_of(4): pytest.approx(dot(query, vectors[key_of(4)]), abs=1e-5),
    }


def test_missing_tells_each_key_once_in_order(index: VectorIndex) -> None:
    index.add("m", SIZE, make_vectors(3))
    keys = [key_of(number) for number in (7, 1, 5, 7, 0)]
    assert index.missing("m", keys) == [key_of(7), key_of(5)]


def test_a_key_keeps_the_vector_it_has(index: VectorIndex) -> None:
    first, second = make_vectors(2)
    index.add("m", SIZE, [first])
    index.add("m", SIZE, [(first[0], second[1])])
    assert index.count("m") == 1
    assert dict(index.nearest("m", first[1], 1)) == {first[0]: pytest.approx(1, abs=1e-5)}


def test_models_stand_side_by_side_and_are_not_mixed(index: VectorIndex) -> None:
    index.add("a", SIZE, make_vectors(5))
    index.add("b", 8, make_vectors(3, size=8))
    assert index.models() == {"a": SIZE, "b": 8}
    assert (index.count("a"), index.count("b")) == (5, 3)
    assert len(index.nearest("b", make_vectors(1, size=8)[0][1], 10)) == 3
    index.drop("a")
    assert index.models() == {"b": 8}
    assert (index.count("a"), index.count("b")) == (0, 3)
    index.add("a", 8, make_vectors(1, size=8))
    assert index.models() == {"a": 8, "b": 8}


@pytest.mark.parametrize(
    "bad",
    [
        pack([float("nan")] * SIZE),
        pack([0.0] * SIZE),
        pack([2.0] * SIZE),
        make_vectors(1, size=SIZE - 1)[0][1],
        b"",
    ],
)
def test_a_bad_vector_is_refused_with_its_whole_batch(index: VectorIndex, bad: bytes) -> None:
    with pytest.raises(EmbeddingError):
        index.add("m", SIZE, [*make_vectors(3), (key_of(9), bad)])
    assert index.count("m") == 0
    assert index.models() == {}


def test_another_size_for_a_model_is_refused(index: VectorIndex) -> None:
    index.add("m", SIZE, make_vectors(1))
    with pytest.raises(EmbeddingError, match="16 dimensions, these have 8"):
        index.add("m", 8, make_vectors(2, size=8))
    with pytest.raises(EmbeddingError):
        index.nearest("m", make_vectors(1, size=8)[0][1], 1)
    with pytest.raises(EmbeddingError):
        index.similarities("m", make_vectors(1, size=8)[0][1], [key_of(1)])
    assert index.count("m") == 1


def test_a_key_of_another_length_is_refused(index: VectorIndex) -> None:
    with pytest.raises(EmbeddingError, match="3 bytes instead of 16"):
        index.add("m", SIZE, [(b"abc", make_vectors(1)[0][1])])


def test_many_vectors_are_found_as_well_as_few(index: VectorIndex) -> None:
    vectors = make_vectors(3 * BLOCK + 100)
    index.add("m", SIZE, vectors[: BLOCK + 1])
    index.add("m", SIZE, vectors[BLOCK + 1 :])
    for key, vector in vectors[:: BLOCK // 3]:
        assert dict(index.nearest("m", vector, 1)) == {key: pytest.approx(1, abs=1e-5)}
    hits = 0
    for _, query in make_vectors(10, seed=4):
        exact = sorted(vectors, key=lambda pair: -dot(pair[1], query))[:10]
        hits += len({k for k, _ in exact} & {k for k, _ in index.nearest("m", query, 10)})
    assert hits >= 95


def test_vectors_without_a_text_are_dropped(index: VectorIndex) -> None:
    vectors = make_vectors(2 * BLOCK + 10)
    index.add("m", SIZE, vectors)
    index.add("other", SIZE, vectors[:5])
    kept = vectors[::2]
    assert index.drop_others("m", (key for key, _ in kept)) == len(vectors) - len(kept)
    assert index.count("m") == len(kept)
    assert index.count("other") == 5
    assert index.drop_others("m", [key for key, _ in kept]) == 0
    for key, vector in (vectors[0], vectors[2 * BLOCK]):
        assert index.nearest("m", vector, 1)[0][0] == key
    gone = vectors[1]
    assert gone[0] not in dict(index.nearest("m", gone[1], 100))
    assert index.missing("m", [gone[0], vectors[2][0]]) == [gone[0]]


def test_nothing_of_a_purged_vector_is_left_in_any_file(tmp_path: Path, index: VectorIndex) -> None:
    vectors = make_vectors(2 * BLOCK + 10)
    index.add("m", SIZE, vectors)
    index.add("other", SIZE, vectors[:5])
    other = VectorIndex(str(tmp_path / "state"))
    assert other.count("m") == len(vectors)
    kept = [key for key, _ in vectors[::2]]
    index.purge(kept)
    raw = b"".join(path.read_bytes() for path in tmp_path.rglob("*") if path.is_file())
    gone = vectors[1::2]
    assert not any(vector in raw for _, vector in gone)
    assert all(vector in raw for _, vector in vectors[::2])
    for handle in (index, other):
        assert (handle.count("m"), handle.count("other")) == (len(kept), 3)
        assert handle.nearest("m", vectors[0][1], 1)[0][0] == vectors[0][0]
    index.add("m", SIZE, gone[:1])
    assert other.count("m") == len(kept) + 1
    other.close()
    for path in (tmp_path / "state").iterdir():
        assert path.stat().st_mode & 0o077 == 0


@settings(max_examples=25, suppress_health_check=SHARED_FIXTURE)
@given(
    steps=st.lists(
        st.tuples(st.sampled_from(["add", "keep", "drop"]), st.sets(st.integers(0, 40))), max_size=8
    )
)
def test_it_holds_what_a_dictionary_would(
    tmp_path_factory: pytest.TempPathFactory, steps: list[tuple[str, set[int]]]
) -> None:
    vectors = make_vectors(41)
    index = VectorIndex(str(tmp_path_factory.mktemp("state")))
    expected: dict[bytes, bytes] = {}
    for verb, numbers in steps:
        chosen = [vectors[number] for number in sorted(numbers)]
        if verb == "add":
            index.add("m", SIZE, chosen)
            expected.update(chosen)
        elif verb == "keep":
            index.drop_others("m", [key for key, _ in chosen])
            expected = {k: v for k, v in expected.items() if k in dict(chosen)}
        else:
            index.drop("m")
            expected = {}
        query = vectors[0][1]
        found = dict(index.nearest("m", query, 100))
        assert found == {k: pytest.approx(dot(v, query), abs=1e-5) for k, v in expected.items()}
        assert index.count("m") == len(expected)
    index.close()


def test_another_opening_sees_what_was_added(tmp_path: Path, index: VectorIndex) -> None:
    vectors = make_vectors(BLOCK + 5)
    other = VectorIndex(str(tmp_path / "state"))
    index.add("m", SIZE, vectors[:5])
    assert other.count("m") == 5
    assert other.nearest("m", vectors[3][1], 1)[0][0] == vectors[3][0]
    index.add("m", SIZE, vectors)
    assert other.nearest("m", vectors[BLOCK][1], 1)[0][0] == vectors[BLOCK][0]
    other.close()


def test_threads_may_use_it_at_once(index: VectorIndex) -> None:
    vectors = make_vectors(400)
    failures: list[BaseException] = []

    def work(start: int) -> None:
        try:
            for at in range(start, 400, 4):
                index.add("m", SIZE, [vectors[at]])
                assert index.nearest("m", vectors[at][1], 1)[0][0] == vectors[at][0]
        except BaseException as error:
            failures.append(error)

    threads = [Thread(target=work, args=(start,)) for start in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert failures == []
    assert index.count("m") == 400


_ADD_FOREVER = """
import sys
from engrain.index.vectors.vectors import VectorIndex
from engrain.model.note.vectors import pack_unit
index = VectorIndex(sys.argv[1])
print("ready", flush=True)
number = int(sys.argv[2])
while True:
    batch = [((number + i).to_bytes(16, "big"), pack_unit([1.0, i + 1.0])) for i in range(500)]
    index.add("m", 2, batch)
    number += 500
"""


def test_processes_killed_while_adding_leave_whole_batches(tmp_path: Path) -> None:
    folder = str(tmp_path)
    writers = [
        subprocess.Popen(
            [sys.executable, "-c", _ADD_FOREVER, folder, str(start)], stdout=subprocess.PIPE
        )
        for start in (0, 10**9)
    ]
    index = VectorIndex(folder)
    for writer in writers:
        assert writer.stdout is not None
        assert writer.stdout.readline() == b"ready\n"
    while index.count("m") < 3000:
        assert all(writer.poll() is None for writer in writers)
    for writer in writers:
        writer.send_signal(signal.SIGKILL)
        writer.wait()
        assert writer.stdout is not None
        writer.stdout.close()
    assert index.count("m") % 500 == 0
    assert len(index.nearest("m", pack_unit([1.0, 2.0]), 10)) == 10
    index.close()


@pytest.mark.parametrize(
    "damage", [b"not a database" * 500, b"", b"SQLite format 3\0" + b"\xff" * 9000]
)
def test_a_damaged_file_is_replaced_by_an_empty_one(tmp_path: Path, damage: bytes) -> None:
    (tmp_path / "vectors.sqlite").write_bytes(damage)
    index = VectorIndex(str(tmp_path))
    assert index.models() == {}
    index.add("m", SIZE, make_vectors(3))
    assert index.count("m") == 3
    index.close()


def test_a_file_cut_short_is_replaced_by_an_empty_one(tmp_path: Path) -> None:
    index = VectorIndex(str(tmp_path))
    vectors = make_vectors(BLOCK + 100)
    index.add("m", SIZE, vectors)
    index.close()
    path = tmp_path / "vectors.sqlite"
    os.truncate(path, path.stat().st_size // 2 // 8192 * 8192)
    again = VectorIndex(str(tmp_path))
    again.nearest("m", vectors[0][1], 5)
    index.add("m", SIZE, vectors)
    assert again.nearest("m", vectors[7][1], 1)[0][0] == vectors[7][0]
    assert again.count("m") == len(vectors)
    again.close()
    index.close()


def test_a_file_of_another_version_is_replaced_by_an_empty_one(tmp_path: Path) -> None:
    connection = apsw.Connection(str(tmp_path / "vectors.sqlite"))
    connection.execute("PRAGMA user_version=99; CREATE TABLE vectors (a)").fetchall()
    connection.close()
    index = VectorIndex(str(tmp_path))
    assert index.models() == {}
    index.close()


def test_it_may_vanish_while_it_is_open(tmp_path: Path, index: VectorIndex) -> None:
    index.add("m", SIZE, make_vectors(3))
    for file in (tmp_path / "state").iterdir():
        file.unlink()
    assert index.count("m") == 0
    index.add("m", SIZE, make_vectors(2))
    assert index.count("m") == 2


def test_a_place_that_holds_no_file_is_reported_in_words(tmp_path: Path) -> None:
    (tmp_path / "state").write_text("a file where the folder should be")
    index = VectorIndex(str(tmp_path / "state"))
    with pytest.raises(IndexUnavailableError, match="the vectors are"):
        index.count("m")


def test_a_writer_that_holds_it_too_long_is_reported(
    tmp_path: Path, index: VectorIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engrain.index.vectors.file.BUSY_MS", 10)
    index.add("m", SIZE, make_vectors(1))
    holder = apsw.Connection(str(tmp_path / "state" / "vectors.sqlite"))
    holder.execute("BEGIN IMMEDIATE").fetchall()
    with pytest.raises(IndexUnavailableError, match="busy"):
        index.add("m", SIZE, make_vectors(2))
    assert index.count("m") == 1
    holder.execute("ROLLBACK").fetchall()
    holder.close()
    index.add("m", SIZE, make_vectors(2))
    assert index.count("m") == 2


def test_its_files_are_for_their_owners_eyes_only(tmp_path: Path, index: VectorIndex) -> None:
    index.add("m", SIZE, make_vectors(1))
    for file in (tmp_path / "state").iterdir():
        assert file.stat().st_mode & 0o077 == 0, file


def test_a_query_in_a_cold_process_loads_no_array_library(tmp_path: Path) -> None:
    program = (
        "import sys; from engrain.index.vectors.vectors import VectorIndex;"
        "from engrain.model.note.vectors import pack_unit;"
        "index = VectorIndex(sys.argv[1]); v = pack_unit([1.0] * 8);"
        "index.add('m', 8, [(bytes(16), v)]); assert index.nearest('m', v, 1);"
        "print([m for m in ('numpy',) if m in sys.modules])"
    )
    done = subprocess.run(
        [sys.executable, "-I", "-S", "-c", f"import sys; sys.path[:0] = {sys.path!r}; {program}",
         str(tmp_path)],
        capture_output=True, text=True, check=True,
    )  # fmt: skip
    assert done.stdout == "[]\n"


def test_without_the_extension_the_answers_are_the_same(
    tmp_path: Path, index: VectorIndex, monkeypatch: pytest.MonkeyPatch
) -> None:
    vectors = make_vectors(300)
    index.add("m", SIZE, vectors)
    query = make_vectors(1, seed=3)[0][1]
    with_it = index.nearest("m", query, 20)
    index.close()
    monkeypatch.setattr("importlib.machinery.PathFinder.find_spec", lambda name: None)
    plain = VectorIndex(str(tmp_path / "state"))
    without = plain.nearest("m", query, 20)
    assert [key for key, _ in without] == [key for key, _ in with_it]
    assert [c for _, c in without] == pytest.approx([c for _, c in with_it], abs=1e-5)
    plain.close()
