"""A vault moved into a database and back: every file and every chain, byte for byte."""

from __future__ import annotations

import os
import random
from collections.abc import Callable, Iterator
from importlib import import_module
from pathlib import Path

import pytest

from contracts.backends import Opener, open_device_local, open_ram
from contracts.storage_backend import AT, LOCK, ROOT, RULE, assert_sound, content, put
from engrain.backends import segments
from engrain.model.errors import (
    ConflictError,
    EngrainError,
    ForbiddenPathError,
    StorageError,
    VaultUnavailableError,
)
from engrain.model.note.note import hash_bytes
from engrain.seam.changes import ChangeSet, Write
from engrain.seam.locator import Locator
from engrain.seam.storage import BackendRequest, StorageBackend
from engrain_team.moving import compare_stores, copy_store, move_store
from engrain_team.postgres.address import parse_address
from team.servers import open_postgres

Open = Callable[[Path], Opener]
BOTH = pytest.mark.parametrize("open_", [open_postgres, open_device_local])


@pytest.fixture
def vault(tmp_path: Path) -> Iterator[Opener]:
    """A vault of two devices with 33 files and 37 changes: of text and of none, an erased payload,
    a generated file, a removed one."""
    opener = open_device_local(tmp_path)
    store = opener("laptop")
    for n in range(30):
        put(store, Locator(f"Memory/fix/n{n}.md"), f"note {n} {'é' * n}".encode())
    put(store, LOCK, b"\xff\0 no text")
    put(store, LOCK, b"two", hash_bytes(b"\xff\0 no text"))
    put(store, RULE, b"secret")
    put(store, RULE, None, hash_bytes(b"secret"))
    put(store, Locator("Memory/_index.md"), b"generated")
    store.erase(["laptop-33"])
    put(opener("desktop"), ROOT, b"of another device")
    yield opener
    opener.close()


@pytest.fixture
def source(vault: Opener) -> StorageBackend:
    return vault("laptop", create=False)


@pytest.fixture
def open_target(
    tmp_path: Path, source: StorageBackend
) -> Iterator[Callable[[Open], StorageBackend]]:
    """Opens the store that is to take the vault's place, as often as asked."""
    opened: list[StorageBackend] = []
    openers: dict[Open, Opener] = {}

    def open_one(open_: Open) -> StorageBackend:
        (tmp_path / "to").mkdir(exist_ok=True)
        opener = openers.setdefault(open_, open_(tmp_path / "to"))
        state = Path(opener.state)
        state.mkdir(parents=True, exist_ok=True)
        request = BackendRequest(
            opener.location, state=str(state), device="laptop", entropy=os.urandom, create=True,
            vault=source.vault,
        )  # fmt: skip
        opened.append(import_module(opener.module).open_backend(request))
        return opened[-1]

    yield open_one
    for store in opened:
        store.close()


Target = Callable[[Open], StorageBackend]


@BOTH
def test_every_file_and_every_chain_arrives(
    source: StorageBackend, open_target: Target, open_: Open
) -> None:
    target = open_target(open_)
    done = copy_store(source, target)
    assert (done.files, done.changes, done.copied) == (33, 36, 69)
    assert list(compare_stores(source, target)) == []
    assert content(target, Locator("Memory/_index.md")) == b"generated"
    assert copy_store(source, target).copied == 0
    target.begin_use()
    put(target, RULE, b"new")
    assert_sound(target, "laptop", 36)
    assert_sound(target, "desktop", 1)


@BOTH
def test_a_copy_that_was_cut_off_goes_on(
    source: StorageBackend, open_target: Target, open_: Open, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engrain_team.moving._BATCH", 5)
    target = open_target(open_)
    calls = 0

    def cut() -> bool:
        nonlocal calls
        calls += 1
        if calls == 5:
            raise StorageError("the cable was pulled")
        return False

    for name in ("adopt_links", "adopt_files"):
        adopt = getattr(target, name)
        monkeypatch.setattr(target, name, lambda *given, adopt=adopt: cut() or adopt(*given))
    with pytest.raises(StorageError, match="cable"):
        copy_store(source, target)
    assert list(compare_stores(source, target))
    again = open_target(open_)
    assert 0 < copy_store(source, again).copied < 69
    assert list(compare_stores(source, again)) == []


@BOTH
def test_what_changed_since_is_copied(
    source: StorageBackend, open_target: Target, open_: Open
) -> None:
    target = open_target(open_)
    copy_store(source, target)
    put(source, LOCK, b"three", hash_bytes(b"two"))
    put(source, ROOT, None, hash_bytes(b"of another device"))
    source.erase(["laptop-31", "laptop-32"])
    assert list(compare_stores(source, target))
    assert copy_store(source, target).copied == 6
    assert list(compare_stores(source, target)) == []


@BOTH
def test_who_had_the_old_store_open_writes_there_no_more(
    vault: Opener, source: StorageBackend, open_target: Target, open_: Open
) -> None:
    target = open_target(open_)
    writer = vault("tablet", create=False)
    with source.hand_over("the new place"):
        copy_store(source, target)
        target.begin_use()
    with pytest.raises(EngrainError, match="has moved to the new place"):
        put(writer, RULE, b"late")
    with pytest.raises(EngrainError, match="has moved"):
        source.erase(["laptop-1"])
    with pytest.raises(VaultUnavailableError, match="has moved to the new place"):
        vault("laptop", create=False)
    assert list(compare_stores(source, target)) == []
    # and back, or on, from there
    put(target, RULE, b"new")


def test_images_go_there_and_back(
    vault: Opener, source: StorageBackend, open_target: Target
) -> None:
    image, paper = Locator("Memory/fix/plan.png"), Locator("papers/a b.pdf")
    pixels = os.urandom(700_000)
    assert source.add_other(image, pixels)
    assert source.add_other(paper, b"one")
    database, folder = open_target(open_postgres), open_target(open_device_local)
    assert copy_store(source, database).others == 2
    assert list(compare_stores(source, database)) == []
    path = Path(vault.location) / paper
    path.write_bytes(b"two")
    assert list(compare_stores(source, database)) == [f"{paper} differs"]
    assert copy_store(source, database).copied == 1
    path.unlink()
    assert copy_store(source, database).copied == 1
    assert list(database.others()) == [image]
    with pytest.raises(StorageError, match="is being filled"):
        database.add_other(paper, b"early")
    database.begin_use()
    assert database.add_other(paper, b"of a member")
    assert not database.add_other(paper, b"again")
    with pytest.raises(ForbiddenPathError):
        database.add_other(RULE, b"a note")
    assert copy_store(database, folder).others == 2
    assert list(compare_stores(database, folder)) == []
    assert folder.read_other(image) == pixels


def test_a_namespace_is_moved_back(
    source: StorageBackend, open_target: Target, tmp_path: Path
) -> None:
    database, folder = open_target(open_postgres), open_target(open_device_local)
    copy_store(source, database)
    with pytest.raises(StorageError, match="is being filled"):
        put(database, RULE, b"early")
    database.begin_use()
    put(database, RULE, b"new")
    with database.hand_over("a folder"):
        copy_store(database, folder)
    assert list(compare_stores(database, folder)) == []
    with pytest.raises(StorageError, match="has moved to a folder"):
        put(database, LOCK, b"late", hash_bytes(b"two"))
    put(folder, LOCK, b"three", hash_bytes(b"two"))
    assert_sound(folder, "laptop", 37)


def test_a_move_that_fails_leaves_the_old_store_in_use(
    vault: Opener, source: StorageBackend
) -> None:
    with pytest.raises(ZeroDivisionError), source.hand_over("nowhere"):
        raise ZeroDivisionError
    put(vault("laptop", create=False), RULE, b"rule")


def test_a_store_in_use_is_not_written_over(
    source: StorageBackend, open_target: Target, tmp_path: Path
) -> None:
    other = open_postgres(tmp_path)("laptop")
    with pytest.raises(ConflictError, match="is another vault"):
        copy_store(source, other)
    other.close()
    target = open_target(open_postgres)
    copy_store(source, target)
    target.begin_use()
    put(source, RULE, b"rule")
    with pytest.raises(StorageError, match="not being filled"):
        copy_store(source, target)
    put(target, RULE, b"another")
    with pytest.raises(ConflictError, match="changes of its own"):
        copy_store(source, target)


def test_a_store_that_takes_no_history_says_so(source: StorageBackend, open_target: Target) -> None:
    target = open_target(open_ram)
    target.vault = source.vault
    with pytest.raises(StorageError, match="takes no other store's history"):
        copy_store(source, target)


def read_segments(vault: str) -> dict[str, bytes]:
    """The files of all histories, by their places."""
    history = Path(vault, *segments.HISTORY)
    return {str(path.relative_to(history)): path.read_bytes() for path in history.rglob("*.log")}


def fill_segments(store: StorageBackend) -> None:
    """Over 3 MB of history: single changes, batches of several, and one over a whole segment."""
    chance = random.Random(21)
    for batch in range(30):
        count, size = (5, 240_000) if batch == 17 else (chance.choice([1, 7, 32]), 12_000)
        places = [Locator(f"Memory/fix/b{batch}-{n}.md") for n in range(count)]
        made = store.commit_all(
            [
                ChangeSet("save", [Write(place, chance.randbytes(size).hex().encode(), "e")], at=AT)
                for place in places
            ]
        )
        assert not any(isinstance(one, EngrainError) for one in made)


def test_histories_are_cut_into_the_same_files_there_and_back(
    vault: Opener, source: StorageBackend, open_target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engrain_team.moving._BATCH", 3)
    fill_segments(source)
    database, folder = open_target(open_postgres), open_target(open_device_local)
    copy_store(source, database)
    copy_store(database, folder)
    was = read_segments(vault.location)
    assert len(was) > 4
    assert read_segments(folder.describe()) == was


def test_a_batch_that_was_torn_while_it_arrived_goes_on_in_its_file(
    vault: Opener, source: StorageBackend, open_target: Target
) -> None:
    fill_segments(source)
    folder = open_target(open_device_local)
    copy_store(source, folder)
    was = read_segments(folder.describe())
    torn = max(was, key=lambda name: len(was[name]))
    for name in was:
        place = Path(folder.describe(), *segments.HISTORY, name)
        if name == torn:
            place.write_bytes(b"".join(was[name].splitlines(keepends=True)[:6]))
        elif name > torn:
            place.unlink()
    copy_store(source, folder)
    assert read_segments(folder.describe()) == was == read_segments(vault.location)


def test_a_place_outside_of_the_store_stops_no_move(
    source: StorageBackend, open_target: Target
) -> None:
    from team.servers import shared_server

    database, folder = open_target(open_postgres), open_target(open_device_local)
    copy_store(source, database)
    database.begin_use()
    at = parse_address(database.describe())
    with shared_server().connect(at.database) as connection:
        for table, place in (("attachments", "../../x"), ("files", "../y.md")):
            connection.execute(f"ALTER TABLE engrain.{table} DROP CONSTRAINT inside".encode())
            connection.execute(
                f"INSERT INTO engrain.{table} VALUES (%s, %s, sha256(''), '')".encode(),
                (at.namespace, place),
            )
    assert move_store(database, folder, "a folder").left_out.keys() == {"../../x", "../y.md"}
    assert_sound(folder, "laptop", 35)


def test_a_copy_that_is_not_the_vault_does_not_take_its_place(
    vault: Opener, source: StorageBackend, open_target: Target, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = open_target(open_device_local)
    monkeypatch.setattr(target, "adopt_files", lambda _: None)  # a disk that lies
    with pytest.raises(StorageError, match="the copy is not the vault"):
        move_store(source, target, "elsewhere")
    put(vault("laptop", create=False), RULE, b"rule")
