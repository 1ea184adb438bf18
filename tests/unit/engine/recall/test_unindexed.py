"""Recall without an index: it reads every file, and says so (S1.18)."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from engrain import Memory, open_memory
from engrain.engine.core import upkeep
from engrain.language.text.tokens import estimate_tokens
from engrain.model.errors import IndexUnavailableError
from support.vaults import FakeClock, FakeEntropy, make_memory
from unit.engine.core.vault_files import delete_index, find, index_folder, put, titles


def test_without_an_index_a_large_vault_is_read_through_and_says_so(
    memory: Memory, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.save("Take the lock.", title="Lock", kind="fix")
    memory.save("Nothing.", title="Other", kind="fix")
    put(vault, "Memory/fix/broken.md", "---\nlock\n")
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    found = memory.recall("lock")
    assert titles(found) == ["Lock"]
    assert found.results[0].text == "Take the lock.\n"
    assert "missing" in (found.degraded or "")
    assert "engrain jobs reindex" in (found.degraded or "")
    memory.reindex()
    found = memory.recall("lock")
    assert (titles(found), found.degraded) == (["Lock"], None)


@pytest.mark.parametrize("query", ["dendron", "Köln", "全文", "LOCK"])
def test_reading_through_finds_by_name_too(
    memory: Memory, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, query: str
) -> None:
    put(vault, "Memory/fix/dendron.ref.md", "Die Brücke in Köln. 全文検索 and a lock.\n")
    memory.list()
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    assert find(memory, query) == ["dendron.ref"]


def test_reading_through_shows_one_of_two_copies(
    memory: Memory, vault: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = memory.save("Take the lock.", title="Lock", kind="fix")
    raw = (vault / saved.locator).read_bytes()
    put(vault, "Memory/fix/lock (1).md", raw + b"The lock, the lock.\n")
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    assert [found.row.locator for found in memory.recall("lock").results] == [saved.locator]


def test_verbs_that_need_the_index_refuse_while_there_is_none(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    saved = memory.save("Take the lock.", title="Lock", kind="fix")
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    for verb in (memory.list, lambda: memory.show(saved.id), memory.history, memory.undo):
        with pytest.raises(IndexUnavailableError) as caught:
            verb()
        assert "reindex" in (caught.value.remedy or "")


def test_a_save_is_kept_while_there_is_no_index(
    memory: Memory, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    memory.save("Take the lock.", title="First", kind="fix")
    monkeypatch.setattr(upkeep, "REBUILD_FIRST", 0)
    delete_index(tmp_path / "state")
    assert memory.save("Take the lock.", title="Second", kind="fix").outcome == "created"
    assert memory.save("Take the lock.", title="Second", kind="fix").outcome == "unchanged"
    assert set(find(memory, "lock")) == {"First", "Second"}
    memory.reindex()
    assert set(find(memory, "lock")) == {"First", "Second"}


# In a hurry: nothing is rebuilt, and nobody is waited for


def zero(file: Path) -> None:
    file.write_bytes(bytes(file.stat().st_size))


def shred(file: Path) -> None:
    raw = bytearray(file.read_bytes())
    raw[8192:] = bytes(len(raw) - 8192)
    file.write_bytes(raw)


UNFIT: dict[str, Callable[[Path], object]] = {"missing": Path.unlink, "zeros": zero, "torn": shred}


@pytest.fixture
def unfit(
    request: pytest.FixtureRequest, tmp_path: Path
) -> Iterator[tuple[Memory, dict[str, bytes]]]:
    """A memory with an index that can't answer, and the bytes of that."""
    with make_memory(tmp_path) as memory:
        for number in range(40):
            memory.save(f"The lock {number}. " * 30, title=f"Lock {number}", kind="fix")
        memory.list()
    folder = index_folder(tmp_path / "state")
    (file,) = folder.glob("*.sqlite")
    UNFIT[request.param](file)
    with make_memory(tmp_path, seed=8) as memory:
        yield memory, {path.name: path.read_bytes() for path in folder.glob("*.sqlite")}


@pytest.mark.parametrize("unfit", UNFIT, indirect=True)
def test_who_is_in_a_hurry_gets_what_reading_every_file_finds_and_rebuilds_nothing(
    unfit: tuple[Memory, dict[str, bytes]], tmp_path: Path
) -> None:
    memory, before = unfit
    found = memory.recall("lock 7", deadline=time.monotonic() + 60, scan=False)
    assert len(found.results) == 10
    assert found.degraded
    after = {
        path.name: path.read_bytes() for path in index_folder(tmp_path / "state").glob("*.sqlite")
    }
    assert after == before


@pytest.mark.parametrize("unfit", UNFIT, indirect=True)
def test_who_has_no_time_for_every_file_is_told_rather_than_given_a_part(
    unfit: tuple[Memory, dict[str, bytes]],
) -> None:
    memory, _ = unfit
    with pytest.raises(IndexUnavailableError, match="no time to read every file"):
        memory.recall("lock 7", deadline=time.monotonic() - 1, scan=False)


@pytest.mark.parametrize("unfit", UNFIT, indirect=True)
def test_who_has_time_finds_a_new_index(unfit: tuple[Memory, dict[str, bytes]]) -> None:
    memory, _ = unfit
    memory.recall("lock 7", scan=False)
    found = memory.recall("lock 7", deadline=time.monotonic() + 60, scan=False)
    assert (titles(found)[0], found.degraded) == ("Lock 7", None)


@pytest.mark.parametrize("unfit", ["missing"], indirect=True)
def test_what_the_reader_has_already_is_not_read_out_to_it_again(
    unfit: tuple[Memory, dict[str, bytes]],
) -> None:
    memory, _ = unfit
    soon = time.monotonic() + 60
    had = memory.recall("lock 7", limit=3, scan=False, deadline=soon).results
    ids = [found.row.id for found in had]
    again = memory.recall("lock 7", loaded=ids, scan=False, deadline=soon)
    assert again.degraded
    assert not {found.row.id for found in again.results} & set(ids)


@pytest.mark.parametrize("unfit", ["missing"], indirect=True)
def test_a_budget_holds_for_what_is_read_from_every_file(
    unfit: tuple[Memory, dict[str, bytes]],
) -> None:
    memory, _ = unfit
    found = memory.recall("lock", budget=300, scan=False, deadline=time.monotonic() + 60)
    assert found.degraded
    assert sum(estimate_tokens(one.text) for one in found.results) <= 300


HOLDER = """
import sys
from engrain.index.sqlite_index import SearchIndex
index = SearchIndex(sys.argv[1], None)
with index.exclusive():
    print("holding", flush=True)
    sys.stdin.read()
"""


@pytest.fixture
def held(tmp_path: Path) -> Iterator[Callable[[], None]]:
    """Begins to write to the index, and does not come to an end."""
    children: list[subprocess.Popen[str]] = []

    def hold() -> None:
        command = [sys.executable, "-c", HOLDER, str(index_folder(tmp_path / "state"))]
        child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        children.append(child)
        assert child.stdout
        assert child.stdout.readline() == "holding\n"

    yield hold
    for child in children:
        child.communicate("", timeout=20)


def open_cold(folder: Path) -> Memory:
    """As a hook does."""
    return open_memory(
        folder / "vault",
        state_dir=folder / "state",
        clock=FakeClock(),
        entropy=FakeEntropy(9),
        cold=True,
    )


def test_one_in_a_hurry_answers_without_what_another_writer_is_indexing(
    memory: Memory, tmp_path: Path, held: Callable[[], None]
) -> None:
    memory.save("Take the lock.", title="First", kind="fix")
    memory.list()
    memory.save("Take the lock.", title="Second", kind="fix")
    held()
    with open_cold(tmp_path) as cold:
        started = time.monotonic()
        found = cold.recall("lock", scan=False, deadline=started + 60)
        assert time.monotonic() - started < 2
    assert (titles(found), found.degraded) == (["First"], None)


def test_an_edit_by_hand_keeps_nobody_in_a_hurry_waiting_for_another_writer(
    memory: Memory, vault: Path, tmp_path: Path, held: Callable[[], None]
) -> None:
    saved = memory.save("Take the lock.", title="First", kind="fix")
    memory.save("Take the lock.", title="Second", kind="fix")
    memory.list()
    path = vault / saved.locator
    path.write_bytes(path.read_bytes().replace(b"Take", b"Skip"))
    held()
    with open_cold(tmp_path) as cold:
        started = time.monotonic()
        found = cold.recall("lock", scan=False, deadline=started + 60)
        assert time.monotonic() - started < 2
    assert "Second" in titles(found)
    assert all("Take the lock." in one.text for one in found.results if one.row.title == "Second")
    assert all("Skip the lock." in one.text for one in found.results if one.row.title == "First")
