"""From settings to a store: by name, told with reasons, and never another in its place (S1.2). The
never-sync invariant: device-local state lies where nothing carries it away (S1.3)."""

from __future__ import annotations

import importlib.metadata
import sys
from pathlib import Path

import pytest

from engrain.model.errors import (
    BackendUnavailableError,
    ConfigError,
    StateLocationError,
    VaultUnavailableError,
)
from engrain.resolution.files import check_state_dir, find_sync
from engrain.resolution.selector import BUILT_IN, Resolution, load_backend, resolve
from engrain.wiring import list_packaged


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {
        "ENGRAIN_CONFIG": str(tmp_path / "config.toml"),
        "ENGRAIN_STATE_DIR": str(tmp_path / "state"),
    }


@pytest.fixture
def work(tmp_path: Path) -> Path:
    folder = tmp_path / "work"
    folder.mkdir()
    return folder


def look(environ: dict[str, str], work: Path, **flags: str | None) -> Resolution:
    return resolve(flags, environ, str(work))


def test_no_vault_is_reported_with_what_to_do(environ: dict[str, str], work: Path) -> None:
    with pytest.raises(VaultUnavailableError) as caught:
        look(environ, work)
    assert "engrain init" in (caught.value.remedy or "")
    assert "ENGRAIN_VAULT" in (caught.value.remedy or "")


def test_flag_environment_and_user_configuration_are_asked_in_that_order(
    environ: dict[str, str], work: Path, tmp_path: Path
) -> None:
    (tmp_path / "config.toml").write_text("vault = '/from/config'\n")
    resolution = look(environ, work)
    assert resolution.location == "/from/config"
    assert str(tmp_path / "config.toml") in resolution.reasons[0]
    environ["ENGRAIN_VAULT"] = "/from/environ"
    resolution = look(environ, work)
    assert resolution.reasons[0] == "vault: /from/environ (from environment ENGRAIN_VAULT)"
    resolution = look(environ, work, vault="/from/flag")
    assert resolution.reasons[0] == "vault: /from/flag (from flag --vault)"


def test_it_is_resolved_anew_at_each_call(environ: dict[str, str], work: Path) -> None:
    assert look({**environ, "ENGRAIN_VAULT": "/one"}, work).location == "/one"
    assert look({**environ, "ENGRAIN_VAULT": "/two"}, work).location == "/two"


def test_a_place_that_is_not_there_is_still_named(environ: dict[str, str], work: Path) -> None:
    resolution = look(environ, work, vault=str(work / "gone"))
    assert (resolution.location, resolution.backend) == (str(work / "gone"), "device-local")


def test_a_relative_place_and_the_home_folder_are_made_whole(
    environ: dict[str, str], work: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOME", str(work))
    monkeypatch.chdir(work)
    assert look(environ, work, vault="~/notes").location == str(work / "notes")
    assert look(environ, work, vault="notes/../v").location == str(work / "v")
    assert look(environ, work, vault="v", state_dir="~/s").state_dir == str(work / "s")


@pytest.mark.parametrize(
    ("marker", "backend"),
    [(None, "device-local"), (".obsidian", "obsidian-vault"), (".stfolder", "obsidian-vault")],
)
def test_a_backend_is_chosen_by_the_folder_and_the_reason_is_reported(
    environ: dict[str, str], work: Path, marker: str | None, backend: str
) -> None:
    vault = work / "space" / "Agent"
    vault.mkdir(parents=True)
    if marker:
        (work / "space" / marker).mkdir()
    for setting in (None, "auto"):
        resolution = look(environ, work, vault=str(vault), backend=setting)
        assert resolution.backend == backend
    assert (str(work / "space") in resolution.reasons[1]) == bool(marker)


def test_a_backend_that_was_named_is_the_one(environ: dict[str, str], work: Path) -> None:
    (work / ".obsidian").mkdir()
    resolution = look(environ, work, vault=str(work), backend="device-local")
    assert resolution.reasons[1] == "backend: device-local (from flag --backend)"


def test_a_vault_in_memory_is_a_name_and_no_folder(environ: dict[str, str], work: Path) -> None:
    resolution = look(environ, work, vault="ram:try")
    assert (resolution.location, resolution.backend) == ("ram:try", "ram")


def test_state_in_the_vault_or_in_what_syncs_is_refused_before_anything_opens(
    environ: dict[str, str], work: Path
) -> None:
    with pytest.raises(StateLocationError):
        look(environ, work, vault=str(work), state_dir=str(work / "state"))
    (work / ".obsidian").mkdir()
    with pytest.raises(StateLocationError):
        look(environ, work, vault="ram:try", state_dir=str(work / "state"))
    assert not (work / "state").exists()


def test_a_hostile_project_file_moves_neither_vault_nor_backend(
    environ: dict[str, str], work: Path
) -> None:
    environ["ENGRAIN_VAULT"] = "/mine"
    for line in ("vault = '/theirs'", "backend = 'postgres'", "state_dir = '/tmp/theirs'"):
        (work / ".engrain.toml").write_text(line)
        with pytest.raises(ConfigError):
            look(environ, work)


def test_a_project_is_that_of_the_flag_then_the_file_then_git(
    environ: dict[str, str], work: Path
) -> None:
    environ["ENGRAIN_VAULT"] = "/mine"
    assert look(environ, work).project is None
    assert look(environ, work).reasons[3] == "project: none (not in one)"
    (work / ".git").mkdir()
    assert look(environ, work).project == "work"
    assert "the git repository around" in look(environ, work).reasons[3]
    (work / ".engrain.toml").write_text("project = 'billing'\n")
    assert look(environ, work).project == "billing"
    assert look(environ, work, project="other").project == "other"


def test_the_agent_is_a_setting_like_the_others(environ: dict[str, str], work: Path) -> None:
    environ["ENGRAIN_VAULT"] = "/mine"
    assert look(environ, work).agent == ""
    assert look({**environ, "ENGRAIN_AGENT": "eng-001"}, work).agent == "eng-001"


@pytest.mark.parametrize("name", BUILT_IN)
def test_a_built_in_backend_can_be_had_by_name(name: str) -> None:
    assert callable(load_backend(name, list_packaged))


def test_an_unknown_backend_is_reported_and_no_other_takes_its_place() -> None:
    with pytest.raises(BackendUnavailableError) as caught:
        load_backend("postgrez", list_packaged)
    assert "'postgrez'" in caught.value.message
    assert all(name in (caught.value.remedy or "") for name in BUILT_IN)


@pytest.mark.parametrize("name", ["postgres", "postgresql"])
def test_without_the_package_of_a_team_its_address_names_what_to_install(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    monkeypatch.setattr(importlib.metadata, "entry_points", lambda **_: ())
    with pytest.raises(BackendUnavailableError) as caught:
        load_backend(name, list_packaged)
    assert caught.value.message == (
        f"a {name} address needs the package engrain-team, which is not installed"
    )
    assert caught.value.remedy == "install engrain-team from where you have engrain"


def install(site: Path, module: str) -> None:
    """A package that offers a backend called `carved-stone`, as an installer lays it down."""
    info = site / "stone-1.dist-info"
    info.mkdir()
    (info / "METADATA").write_text("Metadata-Version: 2.1\nName: stone\nVersion: 1\n")
    (info / "entry_points.txt").write_text(f"[engrain.backends]\ncarved-stone = {module}\n")


def test_a_backend_of_another_package_is_found_by_its_entry_point(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    install(tmp_path, "stone_backend")
    (tmp_path / "stone_backend.py").write_text("def open_backend(request):\n    return request\n")
    monkeypatch.syspath_prepend(str(tmp_path))
    opener = load_backend("carved-stone", list_packaged)
    assert opener.__module__ == "stone_backend"
    monkeypatch.delitem(sys.modules, "stone_backend")


@pytest.mark.parametrize("text", [None, "import not_installed_at_all\n", "# opens nothing\n"])
def test_a_backend_that_can_not_be_loaded_is_reported_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, text: str | None
) -> None:
    install(tmp_path, "broken_stone")
    if text is not None:
        (tmp_path / "broken_stone.py").write_text(text)
    monkeypatch.syspath_prepend(str(tmp_path))
    with pytest.raises(BackendUnavailableError, match="carved-stone") as caught:
        load_backend("carved-stone", list_packaged)
    sys.modules.pop("broken_stone", None)
    assert caught.value.remedy
    # A name that is offered is among those to choose from.
    with pytest.raises(BackendUnavailableError) as caught:
        load_backend("nope", list_packaged)
    assert "carved-stone" in (caught.value.remedy or "")


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


def test_the_nearest_synced_folder_is_reported(tmp_path: Path) -> None:
    inner = tmp_path / "Dropbox" / "space"
    (inner / ".obsidian").mkdir(parents=True)
    assert find_sync(str(inner / "Agent")) == (str(inner), "an Obsidian vault")
    assert find_sync(str(tmp_path / "Dropbox")) == (str(tmp_path / "Dropbox"), "a Dropbox folder")
