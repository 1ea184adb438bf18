"""What other programs change is found by looks that compare a bounded part of a vault (S1.19): what
is promised in `docs/recall.md`, with three kinds of editor, and what a look costs."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable
from math import ceil
from pathlib import Path

import pytest

from engrain import Memory
from engrain.engine.core import scanning
from engrain.engine.core.scope import Scope
from engrain.seam.locator import Locator
from engrain.seam.looks import Most
from engrain.seam.storage import Stored
from support.vaults import make_memory
from unit.engine.core.vault_files import find, put, titles

WHOLE, PART = 8, 4
"""A vault of more files than WHOLE is compared PART at a time."""
NOTES = 22
CALLS = ceil(NOTES / PART) + 1
"""Calls within which everything is found: the round, and the call in which it began."""


@pytest.fixture(autouse=True)
def _small_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(scanning, "MOST", Most(WHOLE, PART, watched=4, young=4))


def fill(memory: Memory, vault: Path, count: int = NOTES) -> list[Path]:
    """A vault of notes by hand in folders of five, which the index knows; their files."""
    paths = [
        put(
            vault, f"Memory/fix-{n // 5}/note-{n:02}.md", f"# Note {n}\n\nThe sluice {n} is shut.\n"
        )
        for n in range(count)
    ]
    memory.scan()
    for path in paths:
        os.utime(path)  # so that none is young
    memory.scan()
    return paths


@pytest.fixture
def paths(memory: Memory, vault: Path) -> list[Path]:
    return fill(memory, vault)


def calls_until(memory: Memory, query: str, title: str) -> int:
    """How many recalls it takes until one finds an entry."""
    for call in range(1, 4 * CALLS):
        if title in find(memory, query):
            return call
    raise AssertionError(f"{title} is not found")


def in_place(path: Path, raw: bytes) -> None:
    with path.open("r+b") as file:
        file.write(raw)
        file.truncate()


def by_rename(path: Path, raw: bytes) -> None:
    temp = path.with_suffix(".tmp")
    temp.write_bytes(raw)
    temp.replace(path)


def with_the_clock_at_rest(path: Path, raw: bytes) -> None:
    before = path.stat()
    in_place(path, raw)
    os.utime(path, ns=(before.st_atime_ns, before.st_mtime_ns))


@pytest.mark.parametrize("number", [0, 9, NOTES - 1])
@pytest.mark.parametrize(
    ("write", "calls"), [(in_place, CALLS), (by_rename, 1), (with_the_clock_at_rest, CALLS)]
)
def test_an_edit_is_found_within_a_round_and_one_that_renames_at_once(
    memory: Memory, paths: list[Path], write: Callable[[Path, bytes], None], calls: int, number: int
) -> None:
    raw = paths[number].read_bytes()
    write(paths[number], raw.replace(b"sluice", b"harbor"))
    assert calls_until(memory, "harbor", f"Note {number}") <= calls


@pytest.mark.parametrize("write", [in_place, by_rename, with_the_clock_at_rest])
def test_what_is_shown_is_the_files_text_whether_a_look_has_found_the_edit_or_not(
    memory: Memory, paths: list[Path], write: Callable[[Path, bytes], None]
) -> None:
    for path in paths:
        write(path, path.read_bytes().replace(b"shut", b"open"))
    for _ in range(CALLS):
        results = memory.recall("sluice").results
        assert results
        assert all("is open" in one.text for one in results)


@pytest.mark.parametrize("write", [in_place, by_rename, with_the_clock_at_rest])
def test_a_listing_shows_titles_as_they_are_now(
    memory: Memory, paths: list[Path], write: Callable[[Path, bytes], None]
) -> None:
    for path in paths:
        write(path, path.read_bytes().replace(b"# Note", b"# Gate"))
    assert all(title.startswith("Gate") for title in titles(memory.list(limit=3)))
    assert all(title.startswith("Gate") for title in titles(memory.list()))


def test_links_are_shown_with_titles_as_they_are_now(
    memory: Memory, vault: Path, paths: list[Path]
) -> None:
    path = put(vault, "Memory/fix-0/leads.md", "# Leads\n\n[[note-21]]\n")
    memory.scan()
    in_place(paths[21], paths[21].read_bytes().replace(b"Note 21", b"Gate 21"))
    in_place(path, path.read_bytes().replace(b"# Leads", b"# Heads"))
    shown = memory.show("note-21")
    assert [row.title for row, _ in shown.links_to] == ["Heads"]
    ((_, _, end),) = memory.show("leads").links_from
    assert end is not None
    assert end.title == "Gate 21"


@pytest.mark.parametrize("times", [(0, 0), None])
def test_files_that_a_synchroniser_brings_are_found_at_once_however_old(
    memory: Memory, vault: Path, paths: list[Path], times: tuple[int, int] | None
) -> None:
    assert len(paths) == NOTES
    for n in range(5):
        path = put(vault, f"Memory/fix-2/came-{n}.md", f"# Came {n}\n\nA heron {n}.\n")
        os.utime(path, times)
    put(vault, "Memory/from/afar/came-5.md", "# Came 5\n\nA heron 5.\n")
    assert set(find(memory, "heron")) == {f"Came {n}" for n in range(6)}


def test_more_than_one_look_reads_is_found_by_the_next(
    memory: Memory, vault: Path, paths: list[Path], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(scanning, "READ", 4)
    for n in range(10):
        put(vault, f"Memory/heap/came-{n}.md", f"# Came {n}\n\nA heron {n}.\n")
    counts = [memory.list().total - len(paths) for _ in range(3)]
    assert counts == [4, 8, 10]


def test_a_file_that_was_removed_is_dropped_at_once(memory: Memory, paths: list[Path]) -> None:
    for path in paths[3:7]:
        path.unlink()
    assert memory.list().total == NOTES - 4


def test_a_folder_that_was_renamed_is_found_at_once(
    memory: Memory, vault: Path, paths: list[Path]
) -> None:
    assert paths
    (vault / "Memory/fix-2").rename(vault / "Memory/mended")
    places = {row.locator for row in memory.list().rows}
    assert {f"Memory/mended/note-{n:02}.md" for n in range(10, 15)} <= places
    assert len(places) == NOTES


def test_a_folder_that_was_removed_is_dropped_at_once(
    memory: Memory, vault: Path, paths: list[Path]
) -> None:
    assert paths
    shutil.rmtree(vault / "Memory/fix-2")
    assert memory.list().total == NOTES - 5


def test_in_a_folder_with_more_files_than_a_look_a_new_one_is_found_within_a_round(
    memory: Memory, vault: Path
) -> None:
    for n in range(NOTES):
        put(vault, f"Memory/fix/note-{n:02}.md", f"# Note {n}\n\nThe sluice {n} is shut.\n")
    memory.scan()
    put(vault, "Memory/fix/came.md", "# Came\n\nA heron.\n")
    (vault / "Memory/fix/note-07.md").unlink()
    assert calls_until(memory, "heron", "Came") <= CALLS
    for _ in range(CALLS):
        memory.list()
    assert memory.list().total == NOTES


@pytest.mark.parametrize("number", [0, 9, NOTES - 1])
def test_a_status_that_is_written_in_place_counts_at_the_next_call(
    memory: Memory, paths: list[Path], number: int
) -> None:
    raw = paths[number].read_bytes()
    in_place(paths[number], b"---\nstatus: archived\n---\n" + raw)
    assert f"Note {number}" not in find(memory, f"sluice {number}")
    in_place(paths[number], b"---\nstatus: active\n---\n" + raw)
    assert f"Note {number}" in find(memory, f"sluice {number}")
    in_place(paths[number], b"---\nstatus: superseded\n---\n" + raw)
    assert f"Note {number}" not in titles(memory.list())
    in_place(paths[number], raw)
    assert f"Note {number}" in titles(memory.list())


def test_a_directive_that_is_written_in_place_counts_at_the_next_call(
    memory: Memory, vault: Path, paths: list[Path]
) -> None:
    assert paths
    rule = put(
        vault, "preferences/rule.md", "---\nalways_load: true\n---\n# Rule\n\nAsk a heron.\n"
    )
    memory.trust.attest_all()
    memory.list()
    in_place(rule, rule.read_bytes().replace(b"heron", b"stork"))
    assert "Rule" in find(memory, "stork")


def test_a_file_that_could_not_be_read_is_found_within_a_round_of_its_mending(
    memory: Memory, paths: list[Path]
) -> None:
    raw = paths[9].read_bytes()
    in_place(paths[9], b"---\nid: [\n---\n" + raw)
    for _ in range(CALLS):
        memory.list()
    assert memory.list().total == NOTES - 1
    in_place(paths[9], raw.replace(b"sluice", b"harbor"))
    assert calls_until(memory, "harbor", "Note 9") <= CALLS


def test_a_scan_finds_everything_at_once(memory: Memory, paths: list[Path]) -> None:
    for path in paths:
        in_place(path, path.read_bytes().replace(b"sluice", b"harbor"))
    assert memory.scan().counts["changed"] == NOTES


def test_a_scan_finds_a_folder_that_is_empty_again_as_at_the_scan_before(
    memory: Memory, vault: Path
) -> None:
    place = put(vault, "Notes/dam.md", "# Dam\n\nThe sluice is shut.\n")
    place.unlink()
    memory.scan()
    put(vault, "Notes/dam.md", "# Dam\n\nThe sluice is shut.\n")
    assert find(memory, "sluice") == ["Dam"]

    place.unlink()
    memory.scan()

    assert memory._ready().upkeep.verify() == []


def test_a_vault_that_fits_into_one_look_is_compared_whole_by_each(
    memory: Memory, vault: Path
) -> None:
    paths = fill(memory, vault, WHOLE)
    for turn in range(3):
        for path in paths:
            in_place(path, f"# {path.stem}\n\nTurn {turn} of a heron.\n".encode())
        assert len(find(memory, f"turn {turn}")) == WHOLE


def test_a_round_goes_on_in_the_next_process(tmp_path: Path) -> None:
    with make_memory(tmp_path) as memory:
        paths = fill(memory, tmp_path / "vault")
    raw = paths[NOTES - 1].read_bytes()
    in_place(paths[NOTES - 1], raw.replace(b"sluice", b"harbor"))
    for _ in range(CALLS):
        with make_memory(tmp_path) as memory:
            memory.list(limit=0)
    with make_memory(tmp_path) as memory:
        assert "Note 21" in titles(memory.recall("harbor", scan=False))


def test_nothing_of_a_look_is_written_into_the_vault(
    memory: Memory, vault: Path, paths: list[Path]
) -> None:
    def list_all() -> set[tuple[str, int]]:
        return {(str(path), path.stat().st_mtime_ns) for path in vault.rglob("*")}

    assert paths
    before = list_all()
    for _ in range(CALLS):
        memory.look()
    assert list_all() == before


# What a look costs


class Counting:
    """Counts the system calls that name a file or folder of the vault."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.count = 0
        for name in ("lstat", "stat", "open", "scandir"):
            monkeypatch.setattr(os, name, self._counted(getattr(os, name)))

    def _counted(self, call: Callable[..., object]) -> Callable[..., object]:
        def counted(*arguments: object, **named: object) -> object:
            self.count += "Memory" in str(arguments[0])
            return call(*arguments, **named)

        return counted

    def during(self, work: Callable[[], object]) -> int:
        before = self.count
        work()
        return self.count - before


def count_calls(
    tmp_path: Path, name: str, notes: int, monkeypatch: pytest.MonkeyPatch
) -> list[int]:
    """What a recall, a listing and a look take in a vault of so many notes in two folders."""
    with make_memory(tmp_path, name=name, device=f"{name}-state") as memory:
        for n in range(notes):
            put(tmp_path / name, f"Memory/fix-{n % 2}/note-{n}.md", f"# Note {n}\n\nSluice {n}.\n")
        memory.scan()
        for path in (tmp_path / name).rglob("*.md"):
            os.utime(path, (0, 0))
        memory.scan()
        memory.recall("sluice 7")
        with monkeypatch.context() as patch:
            patch.setattr("engrain.backends.confined.FINE_NS", -1)
            memory.scan()
            counting = Counting(patch)
            scope = Scope(kinds=("fix-0",))
            return [
                counting.during(lambda: memory.recall("sluice 7", limit=1)),
                counting.during(lambda: memory.list(limit=3)),
                counting.during(lambda: memory.list(scope=scope, limit=3)),
                counting.during(memory.look),
            ]


def test_a_call_asks_for_as_many_files_in_a_vault_of_any_size(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    few = count_calls(tmp_path, "few", 40, monkeypatch)
    many = count_calls(tmp_path, "many", 160, monkeypatch)
    assert many == few
    assert max(few) < 60


def test_a_look_reads_few_files_of_what_was_just_imported(
    memory: Memory, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in range(40):
        memory.save(f"The sluice {n} is shut.", title=f"Note {n}", kind="fix")
    memory.recall("sluice", scan=False)  # everything is indexed
    backend = memory._open_store().backend
    read, places = backend.read, []

    def count(locator: Locator) -> Stored:
        places.append(locator)
        return read(locator)

    monkeypatch.setattr(backend, "read", count)
    memory.look()
    assert len(places) <= scanning.MOST.young
