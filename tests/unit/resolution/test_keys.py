"""Keys of vaults: made once, readable by their user alone, given away by a code that is checked. A
device has one id, whoever asks first."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from engrain.model.errors import ConflictError, StorageError, UsageError
from engrain.model.history.line import VaultKey
from engrain.resolution.device import DeviceFile, Keys, find_keys, read_key

VAULT, OTHER = "abc123", "def456"
SECRET = bytes(range(32))


@pytest.fixture
def keys(tmp_path: Path) -> Keys:
    return Keys(str(tmp_path / "config" / "keys"), os.urandom)


def test_a_vault_without_a_key_attests_nothing(keys: Keys) -> None:
    assert keys.sign(VAULT, b"x") == ""
    assert not keys.holds(VAULT, b"x", VaultKey(SECRET).sign(b"x"))
    assert not keys.claims(VAULT, VaultKey(SECRET).sign(b"x"))
    assert keys.secret(VAULT) is None


def test_the_first_change_of_a_new_vault_makes_its_key(keys: Keys) -> None:
    assert keys.begin(VAULT, lambda: True)
    code = keys.sign(VAULT, b"x")
    assert keys.holds(VAULT, b"x", code)
    assert keys.claims(VAULT, code)
    assert not keys.holds(OTHER, b"x", code)
    assert keys.begin(VAULT, lambda: False), "it is there already"
    assert keys.sign(VAULT, b"x") == code


def test_no_key_is_made_where_others_have_signed_and_that_is_asked_once(keys: Keys) -> None:
    asked: list[None] = []

    def is_new() -> bool:
        asked.append(None)
        return False

    assert not keys.begin(VAULT, is_new)
    assert not keys.begin(VAULT, is_new)
    assert (len(asked), keys.secret(VAULT)) == (1, None)


def test_only_the_user_can_read_a_key_or_see_its_name(keys: Keys) -> None:
    keys.put(VAULT, SECRET)
    path = Path(keys.path(VAULT))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert path.read_text() == SECRET.hex() + "\n"
    assert [file.name for file in path.parent.iterdir()] == [VAULT]


def test_another_key_takes_its_place_only_when_that_is_said(keys: Keys) -> None:
    keys.put(VAULT, SECRET)
    keys.put(VAULT, SECRET)
    with pytest.raises(ConflictError) as caught:
        keys.put(VAULT, bytes(32))
    assert SECRET.hex() not in f"{caught.value}{caught.value.remedy}"
    assert keys.secret(VAULT) == SECRET
    before = keys.sign(VAULT, b"x")
    keys.put(VAULT, bytes(32), replace=True)
    assert keys.secret(VAULT) == bytes(32)
    assert keys.sign(VAULT, b"x") != before


def test_of_many_that_are_first_at_once_one_key_stands(tmp_path: Path) -> None:
    def begin(_: int) -> str:
        keys = Keys(str(tmp_path / "keys"), os.urandom)
        assert keys.begin(VAULT, lambda: True)
        return keys.sign(VAULT, b"x")

    with ThreadPoolExecutor(8) as pool:
        assert len(set(pool.map(begin, range(24)))) == 1
    assert [file.name for file in (tmp_path / "keys").iterdir()] == [VAULT]


@pytest.mark.parametrize("text", ["", "zz", "00", SECRET.hex() + "00", "é" * 64, "0" * 1000])
def test_a_file_that_holds_no_key_is_none(keys: Keys, text: str) -> None:
    keys.put(VAULT, SECRET)
    Path(keys.path(VAULT)).write_text(text, encoding="utf-8")
    assert keys.secret(VAULT) is None
    assert keys.sign(VAULT, b"x") == ""


def test_a_folder_that_can_not_be_made_leaves_changes_unattested(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    keys = Keys(str(tmp_path / "file" / "keys"), os.urandom)
    assert not keys.begin(VAULT, lambda: True)
    with pytest.raises(StorageError, match="key"):
        keys.put(VAULT, SECRET)


def test_keys_lie_beside_the_users_configuration_and_never_in_the_vault(tmp_path: Path) -> None:
    vault = tmp_path / "vault"
    vault.mkdir()
    found = find_keys({"ENGRAIN_CONFIG": str(tmp_path / "conf" / "c.toml")}, str(vault))
    assert found is not None
    assert found.path(VAULT) == str(tmp_path / "conf" / "keys" / VAULT)
    assert find_keys({"ENGRAIN_CONFIG": str(vault / "conf" / "c.toml")}, str(vault)) is None
    (tmp_path / "linked").symlink_to(vault)
    linked = str(tmp_path / "linked" / "c.toml")
    assert find_keys({"ENGRAIN_CONFIG": linked}, str(vault)) is None


@pytest.mark.parametrize("text", ["", "-", "nonsense", SECRET.hex()[:-1], "é" * 64])
def test_what_is_no_key_is_refused_and_not_repeated(text: str) -> None:
    assert read_key(f" {SECRET.hex()}\n") == SECRET
    with pytest.raises(UsageError, match="not the key of a vault") as caught:
        read_key(text)
    assert SECRET.hex()[:16] not in str(caught.value)


def test_a_key_is_on_the_disk_before_it_has_its_name(
    keys: Keys, monkeypatch: pytest.MonkeyPatch
) -> None:
    flushed: list[tuple[int, bool]] = []
    path = Path(keys.path(VAULT))
    sync = os.fsync

    def note(file: int) -> None:
        flushed.append((os.fstat(file).st_size, path.exists()))
        sync(file)

    monkeypatch.setattr(os, "fsync", note)
    keys.put(VAULT, SECRET)
    assert flushed == [(path.stat().st_size, False)]


@pytest.mark.parametrize("name", ["stat", "open"])
def test_an_error_of_reading_a_key_is_reported_and_attests_nothing_silently(
    keys: Keys, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    keys.put(VAULT, SECRET)

    def fail(*_: object, **__: object) -> None:
        raise OSError(5, "Input/output error")

    if name == "stat":
        monkeypatch.setattr(os, "stat", fail)
    else:
        monkeypatch.setattr("builtins.open", fail)
    with pytest.raises(StorageError, match="the vault's key can't be read: Input/output error"):
        keys.sign(VAULT, b"x")


def load_device(state: str, entropy: Callable[[int], bytes]) -> str:
    kept = DeviceFile(state, entropy)
    return kept.read() or kept.renew("")


# Waits for the starting gun, so that all ask at the same moment.
RACER = """
import os, sys, time
from engrain.resolution.device import DeviceFile
for state in sys.argv[1:]:
    print("ready", flush=True)
    while not os.path.exists(f"{state}-gun"):
        pass
    kept = DeviceFile(state, os.urandom)
    print(kept.read() or kept.renew(""), flush=True)
"""


def test_an_id_is_made_once_and_kept(tmp_path: Path) -> None:
    state = tmp_path / "not" / "there"
    device = load_device(str(state), os.urandom)
    assert len(device) == 8
    assert device.isalnum()
    assert load_device(str(state), os.urandom) == device
    assert sorted(path.name for path in state.iterdir()) == ["device"]
    assert state.stat().st_mode & 0o077 == 0


def test_the_id_comes_from_the_random_source(tmp_path: Path) -> None:
    ids = {load_device(str(tmp_path / name), os.urandom) for name in "abcdef"}
    assert len(ids) == 6
    assert load_device(str(tmp_path / "x"), bytes) == "00000000"
    assert load_device(str(tmp_path / "y"), lambda size: b"\xff" * size) == "zzzzzzzz"


def test_processes_that_are_first_at_once_get_one_id(tmp_path: Path) -> None:
    states = [tmp_path / f"state{turn}" for turn in range(4)]
    command = [sys.executable, "-c", RACER, *map(str, states)]
    racers = [subprocess.Popen(command, stdout=subprocess.PIPE, text=True) for _ in range(4)]

    def hear() -> list[str]:
        return [racer.stdout.readline().strip() if racer.stdout else "" for racer in racers]

    for state in states:
        assert hear() == ["ready"] * 4
        Path(f"{state}-gun").touch()
        ids = set(hear())
        assert len(ids) == 1
        assert ids == {load_device(str(state), os.urandom)}
        assert sorted(path.name for path in state.iterdir()) == ["device"]
    for racer in racers:
        racer.communicate(timeout=30)


@pytest.mark.parametrize("raw", [b"", b"\n", b"\xff" * 8, b"../../..", b"toolongtobeone", b"abc"])
def test_a_file_that_holds_no_id_is_replaced(tmp_path: Path, raw: bytes) -> None:
    (tmp_path / "device").write_bytes(raw)
    device = load_device(str(tmp_path), os.urandom)
    assert len(device) == 8
    assert load_device(str(tmp_path), os.urandom) == device
    assert sorted(path.name for path in tmp_path.iterdir()) == ["device"]


def test_a_state_folder_that_can_not_be_made_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError) as caught:
        load_device(str(tmp_path / "file" / "state"), os.urandom)
    assert caught.value.path == str(tmp_path / "file" / "state")
    assert "ENGRAIN_STATE_DIR" in (caught.value.remedy or "")


def test_a_new_id_is_taken_once(tmp_path: Path) -> None:
    former = load_device(str(tmp_path), os.urandom)
    kept = DeviceFile(str(tmp_path), os.urandom)
    taken = kept.renew(former)
    assert taken != former
    assert kept.renew(former) == taken  # by a process that knows only the former one
    assert (tmp_path / "device").read_text() == f"{taken}\n"  # as older versions read it
