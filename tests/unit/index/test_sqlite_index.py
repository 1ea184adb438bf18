"""The SQLite index keeps the contract, and stands what happens to its files."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import closing
from pathlib import Path

import apsw
import pytest

from contracts.search_index import (
    ANY,
    NOTES,
    Reopen,
    SearchIndexContract,
    document,
    file_change,
    saved,
)
from engrain.index.sqlite_index import SearchIndex
from engrain.model.errors import IndexUnavailableError
from engrain.seam.batches import Batch
from engrain.seam.locator import Locator
from support.vaults import FakeClock

HERE = NOTES[0].locator

FULL = Batch(
    documents=[
        *NOTES,
        *(document(f"n/{n}.md", f"# Note {n}\n\n" + f"lock word{n} " * 40) for n in range(400)),
    ],
    records=[saved("a", n, float(n), file_change(f"n/{n}.md", f"e{n}", "h")) for n in range(400)],
    cursors={"a": "400"},
)

CALLS: dict[str, Callable[[SearchIndex], object]] = {
    "apply": lambda index: index.apply(Batch(documents=NOTES, cursors={"a": "2"})),
    "cursors": lambda index: index.cursors(),
    "groups": lambda index: index.groups(),
    "scanned_at": lambda index: index.scanned_at(),
    "stamps": lambda index: list(index.stamps()),
    "stamps of a group": lambda index: list(index.stamps("n")),
    "hash_at": lambda index: index.hash_at(HERE),
    "search": lambda index: index.search("lock", ANY, 500),
    "search for nothing": lambda index: index.search("", ANY, 500),
    "find": lambda index: index.find(ANY),
    "count": lambda index: index.count(ANY),
    "lookup": lambda index: index.lookup("01fix"),
    "resolve": lambda index: index.resolve(["pg-lock"]),
    "links_from": lambda index: index.links_from(HERE),
    "problems": lambda index: index.problems(),
    "duplicates": lambda index: index.duplicates(),
    "changes": lambda index: index.changes(),
    "knows_bytes": lambda index: index.knows_bytes(HERE, "h"),
    "unexplained": lambda index: index.unexplained([(HERE, "h")]),
}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "state" / "index"


@pytest.fixture
def reopen(folder: Path) -> Iterator[Reopen]:
    opened: list[SearchIndex] = []

    def reopen() -> SearchIndex:
        opened.append(SearchIndex(str(folder), FakeClock()))
        return opened[-1]

    yield reopen
    for index in opened:
        index.close()


@pytest.fixture
def index(reopen: Reopen) -> SearchIndex:
    index = reopen()
    index.rebuild([FULL])
    return index


class TestSqlite(SearchIndexContract):
    @pytest.fixture
    def reopen(self, reopen: Reopen) -> Iterator[Reopen]:
        yield reopen


def file_of(folder: Path) -> Path:
    (file,) = folder.glob("index-*.sqlite")
    return file


def entered(index: SearchIndex) -> None:
    with index.exclusive():
        pass


# -- missing -------------------------------------------------------------------------------------


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_an_index_that_was_never_built_answers_nothing_and_makes_nothing(
    reopen: Reopen, folder: Path, call: Callable[[SearchIndex], object]
) -> None:
    index = reopen()
    assert index.check() == "missing"
    assert index.status().entries == 0
    with pytest.raises(IndexUnavailableError, match="the index is missing"):
        call(index)
    with pytest.raises(IndexUnavailableError):
        entered(index)
    assert not folder.exists()


@pytest.mark.parametrize("call", CALLS.values(), ids=CALLS)
def test_a_folder_deleted_under_an_open_index_is_missing_until_it_is_rebuilt(
    index: SearchIndex, folder: Path, call: Callable[[SearchIndex], object]
) -> None:
    call(index)
    shutil.rmtree(folder)
    with pytest.raises(IndexUnavailableError, match="missing"):
        call(index)
    assert index.check() == "missing"
    index.rebuild([FULL])
    call(index)
    assert index.check() is None


def test_a_folder_deleted_during_a_transaction_is_reported_at_its_end(
    index: SearchIndex, folder: Path
) -> None:
    with pytest.raises(IndexUnavailableError, match="missing"), index.exclusive():
        index.apply(Batch(cursors={"a": "401"}))
        shutil.rmtree(folder)
        assert index.cursors() == {"a": "401"}


def test_a_pointer_to_a_generation_that_is_gone_is_missing(
    index: SearchIndex, reopen: Reopen, folder: Path
) -> None:
    index.close()
    file_of(folder).unlink()
    assert reopen().check() == "missing"


def test_a_file_in_the_place_of_the_folder_is_reported(reopen: Reopen, folder: Path) -> None:
    folder.parent.mkdir()
    folder.write_text("not a folder")
    index = reopen()
    assert index.check() == "missing"
    with pytest.raises(IndexUnavailableError, match="unusable"):
        index.rebuild([FULL])


# -- damaged -------------------------------------------------------------------------------------


def flip_header(file: Path) -> None:
    raw = bytearray(file.read_bytes())
    raw[5] ^= 0xFF
    raw[16:24] = b"\xff" * 8
    file.write_bytes(raw)


def zero_pages(file: Path) -> None:
    raw = bytearray(file.read_bytes())
    raw[8192:] = bytes(len(raw) - 8192)
    file.write_bytes(raw)


def shred_pages(file: Path) -> None:
    raw = bytearray(file.read_bytes())
    for start in range(4096, len(raw), 4096):
        raw[start : start + 64] = os.urandom(64)
    file.write_bytes(raw)


DAMAGE: dict[str, Callable[[Path], object]] = {
    "garbage": lambda file: file.write_bytes(os.urandom(100_000)),
    "text": lambda file: file.write_text("this is no database " * 5000),
    "flipped header": flip_header,
    "cut in half": lambda file: os.truncate(file, file.stat().st_size // 2 + 100),
    "cut after its first page": lambda file: os.truncate(file, 4096),
    "cut in its header": lambda file: os.truncate(file, 60),
    "zeroed": zero_pages,
    "shredded": shred_pages,
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_index_says_so_and_is_rebuilt(
    index: SearchIndex, reopen: Reopen, folder: Path, damage: Callable[[Path], object]
) -> None:
    index.close()
    damage(file_of(folder))
    damaged = reopen()
    unavailable = 0
    for call in CALLS.values():
        try:
            call(damaged)
        except IndexUnavailableError as error:
            unavailable += 1
            assert error.remedy
    assert unavailable
    assert damaged.check() == "corrupt"
    assert damaged.status().entries == 0
    assert reopen().check() == "corrupt", "other processes are told"
    damaged.rebuild([FULL])
    for call in CALLS.values():
        call(damaged)
    assert damaged.check() is None


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_damage_under_an_open_index_never_surprises(
    index: SearchIndex, folder: Path, damage: Callable[[Path], object]
) -> None:
    index.search("lock", ANY, 5)
    damage(file_of(folder))
    for call in CALLS.values():
        try:
            call(index)
        except IndexUnavailableError:
            continue
    index.rebuild([FULL])
    assert index.count(ANY) == 405


@pytest.mark.parametrize("version", [0, 12, 99])
def test_an_index_of_another_version_is_not_used(
    index: SearchIndex, reopen: Reopen, folder: Path, version: int
) -> None:
    index.close()
    other = apsw.Connection(str(file_of(folder)))
    other.execute(f"PRAGMA user_version={version}")
    other.close()
    again = reopen()
    assert again.check() == "of another version"
    with pytest.raises(IndexUnavailableError, match="of another version"):
        again.count(ANY)
    again.rebuild([FULL])
    assert again.check() is None


def test_an_index_that_lost_a_table_is_corrupt(
    index: SearchIndex, reopen: Reopen, folder: Path
) -> None:
    other = apsw.Connection(str(file_of(folder)))
    other.execute("DROP TABLE links")
    other.close()
    assert index.check() is None
    with pytest.raises(IndexUnavailableError, match="corrupt"):
        index.links_from(HERE)
    assert index.check() == "corrupt"
    assert reopen().check() == "corrupt"


# -- rebuilding ----------------------------------------------------------------------------------


def test_a_rebuild_leaves_one_generation(index: SearchIndex, folder: Path) -> None:
    for _ in range(3):
        index.rebuild([FULL])
    index.close()
    assert sorted(path.name for path in folder.iterdir()) == ["current", file_of(folder).name]


def test_a_rebuild_that_fails_leaves_no_file(index: SearchIndex, folder: Path) -> None:
    def batches() -> Iterator[Batch]:
        yield FULL
        raise OSError("the store's own trouble")

    before = sorted(os.listdir(folder))
    with pytest.raises(OSError, match="own trouble"):
        index.rebuild(batches())
    assert sorted(os.listdir(folder)) == before
    assert index.count(ANY) == 405


def test_a_rebuild_waits_for_a_writer_on_the_old_generation(
    index: SearchIndex, reopen: Reopen
) -> None:
    other = reopen()
    with index.exclusive():
        thread = threading.Thread(target=other.rebuild, args=([FULL],))
        thread.start()
        time.sleep(0.3)
        index.apply(Batch(documents=[document("late.md", "# late")]))
        assert thread.is_alive()
    thread.join(10)
    assert index.hash_at(Locator("late.md")) is None
    assert index.count(ANY) == 405


READER = """
import os, sys
from engrain.index.sqlite_index import SearchIndex
from engrain.seam.rows import Filter
index = SearchIndex(sys.argv[1], None)
print("reading", flush=True)
seen = set()
while not seen or not os.path.exists(sys.argv[2]):
    found = index.search("lock", Filter(), 999)
    seen.add((index.check(), index.count(Filter()), len(found)))
print(seen)
"""


def test_a_reader_in_another_process_sees_whole_generations_only(
    index: SearchIndex, folder: Path
) -> None:
    found = len(index.search("lock", ANY, 999))
    stop = Path(f"{folder}.stop")
    reader = start(READER, str(folder), str(stop))
    for _ in range(8):
        index.rebuild([FULL])
    stop.touch()
    output, _ = reader.communicate(timeout=30)
    assert reader.returncode == 0
    assert output.strip() == str({(None, 405, found)})


# -- several processes ---------------------------------------------------------------------------

WRITER = """
import sys
sys.path.insert(0, sys.argv[3])
from contracts.search_index import document
from engrain.index.sqlite_index import SearchIndex
from engrain.seam.batches import Batch
index = SearchIndex(sys.argv[1], None)
print("writing", flush=True)
for turn in range(40):
    with index.exclusive():
        n = int(index.cursors().get("shared", "0"))
        path = f"w/{sys.argv[2]}-{turn}.md"
        index.apply(Batch(documents=[document(path, "# written", id=path)]))
        index.apply(Batch(cursors={"shared": str(n + 1)}))
index.close()
"""

HOLDER = """
import sys
sys.path.insert(0, sys.argv[2])
from contracts.search_index import document
from engrain.index.sqlite_index import SearchIndex
from engrain.seam.batches import Batch
index = SearchIndex(sys.argv[1], None)
with index.exclusive():
    index.apply(Batch(documents=[document("held.md", "# held")], cursors={"a": "999"}))
    print("holding", flush=True)
    sys.stdin.read()
"""

TESTS = str(Path(__file__).parents[2])


def start(script: str, *arguments: str) -> subprocess.Popen[str]:
    """A child that has said its first line."""
    child = subprocess.Popen(
        [sys.executable, "-c", script, *arguments],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert child.stdout
    assert child.stdout.readline()
    return child


def test_processes_that_write_at_once_lose_nothing(index: SearchIndex, folder: Path) -> None:
    writers = [start(WRITER, str(folder), str(n), TESTS) for n in range(3)]
    for writer in writers:
        writer.communicate(timeout=60)
        assert writer.returncode == 0
    assert index.cursors()["shared"] == "120"
    assert len(index.search("written", ANY, 999)) == 120


def test_a_writer_that_is_killed_leaves_nothing_and_blocks_nobody(
    index: SearchIndex, folder: Path
) -> None:
    holder = start(HOLDER, str(folder), TESTS)
    assert index.cursors() == {"a": "400"}
    holder.kill()
    holder.communicate()
    started = time.monotonic()
    index.apply(Batch(cursors={"b": "1"}))
    assert time.monotonic() - started < 2.0
    assert index.cursors() == {"a": "400", "b": "1"}
    assert index.hash_at(Locator("held.md")) is None


def test_a_writer_that_waits_too_long_is_told_that_the_index_is_busy(
    index: SearchIndex, folder: Path
) -> None:
    index.close()
    holder = start(HOLDER, str(folder), TESTS)
    with closing(SearchIndex(str(folder), FakeClock(), patience_ms=50)) as hasty:
        for write in (CALLS["apply"], entered):
            with pytest.raises(IndexUnavailableError, match="the index is busy"):
                write(hasty)
        assert hasty.check() is None
        assert hasty.count(ANY) == 405
        holder.communicate("", timeout=10)
        hasty.apply(Batch(cursors={"a": "1000"}))
        assert hasty.hash_at(Locator("held.md")) is not None


FULL_DISK = """
import resource, signal, sys
sys.path.insert(0, sys.argv[2])
from contracts.search_index import ANY, document
from engrain.index.sqlite_index import SearchIndex
from engrain.model.errors import IndexUnavailableError
from engrain.seam.batches import Batch
from support.vaults import FakeClock
signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
index = SearchIndex(sys.argv[1], FakeClock())
print("ready", flush=True)
batch = Batch(documents=[document(f"big/{n}.md", "# big " + "word " * 5000) for n in range(200)])
for attempt in (index.apply, lambda batch: index.rebuild([batch])):
    try:
        attempt(batch)
    except IndexUnavailableError as error:
        print(error.code)
print(index.check(), len(index.search("big", ANY, 9)))
"""


@pytest.mark.skipif(sys.platform == "win32", reason="limits of a file's size are POSIX")
def test_a_full_disk_is_reported_and_harms_nothing(index: SearchIndex, folder: Path) -> None:
    index.close()
    child = start(FULL_DISK, str(folder), TESTS)
    output, _ = child.communicate(timeout=60)
    assert output.splitlines() == ["index_unavailable", "index_unavailable", "None 0"]
    assert index.count(ANY) == 405
    assert len(list(folder.glob("index-*.sqlite"))) == 1


# -- what a cold process pays --------------------------------------------------------------------


def test_a_cold_process_imports_little() -> None:
    script = (
        "import sys; before = set(sys.modules); import engrain.index.sqlite_index;"
        "print(*(set(sys.modules) - before))"
    )
    output = subprocess.run(
        [sys.executable, "-c", script], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "apsw" in output
    assert {"numpy", "yaml"}.isdisjoint(output)
