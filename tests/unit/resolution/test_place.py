"""The never-sync invariant: device-local state lies where nothing carries it away (S1.3)."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain.model.errors import StateLocationError
from engrain.resolution.files import check_state_dir, find_sync


def refused(state: Path, vault: Path | None) -> StateLocationError:
    with pytest.raises(StateLocationError) as caught:
        check_state_dir(str(state), None if vault is None else str(vault))
    assert caught.value.path == str(state)
    assert "ENGRAIN_STATE_DIR" in (caught.value.remedy or "")
    return caught.value


@pytest.fixture
def vault(tmp_path: Path) -> Path:
    folder = tmp_path / "vault"
    folder.mkdir()
    return folder


@pytest.mark.parametrize("below", ["", ".", ".engrain/state", "Memory", "not/there/yet"])
def test_state_inside_the_vault_is_refused(vault: Path, below: str) -> None:
    assert "inside the vault" in refused(vault / below, vault).message


def test_state_beside_or_around_the_vault_is_allowed(vault: Path) -> None:
    check_state_dir(str(vault.parent / "vault-state"), str(vault))
    check_state_dir(str(vault.parent), str(vault))
    check_state_dir(str(vault.parent / "state" / "not there"), None)


def test_no_link_leads_into_the_vault(vault: Path) -> None:
    inside = vault / "inside"
    inside.mkdir()
    link = vault.parent / "state"
    link.symlink_to(inside)
    refused(link, vault)
    refused(link / "not there yet", vault)
    other = vault.parent / "other-name-of-the-vault"
    other.symlink_to(vault)
    refused(vault / "state", other)
    refused(vault / ".." / "vault" / "state", other)


@pytest.mark.parametrize(
    "marker",
    [".obsidian", ".stfolder", ".dropbox.cache", ".sync_folder", ".owncloudsync.log",
     ".nextcloudsync.log", ".tmp.driveupload"],
)  # fmt: skip
def test_state_below_a_folder_that_something_syncs_is_refused(tmp_path: Path, marker: str) -> None:
    space = tmp_path / "space"
    (space / marker).mkdir(parents=True)
    state = space / "Agent" / "state"
    assert str(space) in refused(state, None).message
    assert find_sync(str(space / "Agent")) == find_sync(str(space))
    link = tmp_path / "link"
    link.symlink_to(space)
    refused(link / "state", None)


@pytest.mark.parametrize(
    "name",
    ["Dropbox", "Dropbox (Personal)", "Dropbox (Acme Inc)", "OneDrive", "OneDrive - Acme Inc",
     "OneDrive-Personal", "GoogleDrive-ada@example.com", "Google Drive", "Mobile Documents"],
)  # fmt: skip
def test_the_names_of_synced_folders_are_known(tmp_path: Path, name: str) -> None:
    state = tmp_path / name / "notes" / "state"
    assert name in refused(state, None).message
    # The vault itself may well lie there.
    check_state_dir(str(tmp_path / "state"), str(tmp_path / name / "vault"))


def test_a_home_folder_is_not_synced_because_a_program_keeps_its_settings_there(
    tmp_path: Path,
) -> None:
    for name in (
        ".dropbox",
        ".dropbox-dist",
        ".config",
        "Obsidian",
        ".stversions-old",
        "dropbox.txt",
    ):
        (tmp_path / name).mkdir()
    (tmp_path / "Dropbox").mkdir()
    assert find_sync(str(tmp_path / ".local" / "state")) is None
    check_state_dir(str(tmp_path / ".local" / "state" / "engrain"), str(tmp_path / "Dropbox"))


@pytest.mark.parametrize("name", ["Dropboxes", "OneDriver", "my Dropbox", "GoogleDriveBackup"])
def test_a_name_that_only_resembles_one_is_no_synced_folder(tmp_path: Path, name: str) -> None:
    assert find_sync(str(tmp_path / name)) is None


def test_the_nearest_synced_folder_is_told(tmp_path: Path) -> None:
    inner = tmp_path / "Dropbox" / "space"
    (inner / ".obsidian").mkdir(parents=True)
    assert find_sync(str(inner / "Agent")) == (str(inner), "an Obsidian vault")
    assert find_sync(str(tmp_path / "Dropbox")) == (str(tmp_path / "Dropbox"), "a Dropbox folder")
