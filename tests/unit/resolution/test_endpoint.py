"""Where the processes that serve a vault are met (S1.13). What feeds a device, by the files in
which Linux says it."""

from __future__ import annotations

import os
import shutil
import socket
import stat
from collections.abc import Iterator
from pathlib import Path

import pytest

from engrain.model.errors import StorageError
from engrain.resolution.endpoint import endpoint_path, run_folder


@pytest.fixture
def deep(tmp_path: Path) -> Iterator[str]:
    """A state folder too deep for a socket in it."""
    state = str(tmp_path / ("d" * 90))
    yield state
    shutil.rmtree(os.path.dirname(endpoint_path(state, "/v", "sock")), ignore_errors=True)


def test_a_thing_of_a_vault_lies_in_the_state_folder_and_nothing_is_made(tmp_path: Path) -> None:
    state = tmp_path / "s"
    path = Path(endpoint_path("/s", "/vaults/mine", "sock"))
    assert path.parent == Path("/s/run")
    assert path.suffix == ".sock"
    endpoint_path(str(state), "/vaults/mine", "sock")
    assert not state.exists()


def test_each_vault_and_each_state_folder_has_its_own(tmp_path: Path, deep: str) -> None:
    states = ("/s", "/t", deep, deep + "e")
    vaults = ("/v", "/w", "ram:v", "v", "/v/v", "/\udcff")
    paths = {endpoint_path(state, vault, "sock") for state in states for vault in vaults}
    assert len(paths) == len(states) * len(vaults)


def test_a_vault_has_one_place_however_its_path_is_written(tmp_path: Path) -> None:
    (tmp_path / "vault").mkdir()
    (tmp_path / "link").symlink_to("vault")
    ways = ("vault", "vault/", "./vault", "vault/../vault", "link", "link/.")
    assert len({endpoint_path("/s", f"{tmp_path}/{way}", "lock") for way in ways}) == 1


def test_what_is_no_path_is_no_matter_of_the_folder_one_is_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = endpoint_path("/s", "ram:mine", "sock")
    monkeypatch.chdir(tmp_path)
    assert endpoint_path("/s", "ram:mine", "sock") == before


@pytest.mark.parametrize("length", [*range(60, 100), 300])
def test_a_socket_can_be_bound_however_long_the_state_folders_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, length: int
) -> None:
    base = f"/tmp/e{os.getpid()}-"  # pytest's own folder is too long to try short ones
    state = base + "s" * (length - len(base))
    path = endpoint_path(state, "/vaults/mine", "sock")
    folder = run_folder(state)
    try:
        assert os.path.dirname(path) == folder
        with socket.socket(socket.AF_UNIX) as bound:
            bound.bind(path)
    finally:
        shutil.rmtree(folder)
        shutil.rmtree(state, ignore_errors=True)


def test_the_folder_is_made_for_this_user_alone_and_found_again(tmp_path: Path, deep: str) -> None:
    for state in ("/tmp/e" + str(os.getpid()), deep):
        folder = run_folder(state)
        try:
            assert stat.S_IMODE(os.lstat(folder).st_mode) == 0o700
            Path(folder, "there").touch()
            assert run_folder(state) == folder
            assert Path(folder, "there").exists()
        finally:
            shutil.rmtree(folder)
            shutil.rmtree(state, ignore_errors=True)


def test_a_folder_that_is_too_deep_has_one_of_this_users_own(deep: str) -> None:
    folder = os.path.dirname(endpoint_path(deep, "/v", "sock"))
    assert not folder.startswith(deep)
    assert len(folder) < 80
    assert str(os.getuid()) in os.path.basename(folder)


@pytest.mark.parametrize("mode", [0o755, 0o770, 0o701, 0o707, 0o1777])
def test_a_folder_that_others_can_reach_into_is_refused(
    tmp_path: Path, deep: str, mode: int
) -> None:
    os.chmod(run_folder(deep), mode)
    with pytest.raises(StorageError, match="others can reach") as caught:
        run_folder(deep)
    assert caught.value.path == os.path.dirname(endpoint_path(deep, "/v", "sock"))
    assert "700" in (caught.value.remedy or "")


@pytest.mark.skipif(os.getuid() != 0, reason="only root gives away")
def test_a_folder_of_another_user_is_refused(deep: str) -> None:
    os.chown(run_folder(deep), 12345, -1)
    with pytest.raises(StorageError, match="others can reach"):
        run_folder(deep)


def test_a_link_in_the_place_of_the_folder_is_refused(tmp_path: Path, deep: str) -> None:
    target = tmp_path / "private"
    target.mkdir(mode=0o700)
    folder = os.path.dirname(endpoint_path(deep, "/v", "sock"))
    os.symlink(target, folder)
    try:
        with pytest.raises(StorageError):
            run_folder(deep)
        os.unlink(folder)
        os.symlink(tmp_path / "nowhere", folder)
        with pytest.raises(StorageError):
            run_folder(deep)
        assert not (tmp_path / "nowhere").exists()
    finally:
        os.unlink(folder)


def test_a_file_in_the_place_of_the_folder_is_reported(deep: str) -> None:
    folder = os.path.dirname(endpoint_path(deep, "/v", "sock"))
    Path(folder).write_text("x")
    try:
        with pytest.raises(StorageError, match="can't make the folder") as caught:
            run_folder(deep)
        assert caught.value.path == folder
        assert "ENGRAIN_STATE_DIR" in (caught.value.remedy or "")
    finally:
        os.unlink(folder)
