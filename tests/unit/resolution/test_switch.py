"""Memory is switched off in a folder: by the project's file, or by a list of folders."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest

from engrain.model.errors import ConfigError, MemoryOffError
from engrain.resolution.selector import find_project
from engrain.resolution.settings import find_off, is_off, load_settings


@pytest.fixture
def shop(tmp_path: Path) -> Path:
    folder = tmp_path / "shop"
    (folder / "src").mkdir(parents=True)
    return folder


def why(
    folder: Path, environ: dict[str, str] | None = None, config: dict[str, str] | None = None
) -> str:
    around = {"HOME": str(folder.parent), "XDG_CONFIG_HOME": str(folder.parent / "config")}
    file = folder.parent / "config" / "engrain" / "config.toml"
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text("".join(f"{key} = {value}\n" for key, value in (config or {}).items()))
    settings = load_settings({}, around | (environ or {}), str(folder))
    return find_off(settings, str(folder))


def test_memory_is_on_unless_somebody_says_otherwise(shop: Path) -> None:
    assert why(shop) == ""
    (shop / ".engrain.toml").write_text('memory = "on"\n')
    assert why(shop) == ""


def test_a_projects_file_switches_it_off_for_its_folder_and_those_below(shop: Path) -> None:
    (shop / ".engrain.toml").write_text('memory = "off"\n')
    for folder in (shop, shop / "src", shop / "gone"):
        assert why(folder, {"XDG_CONFIG_HOME": "/nowhere"}).startswith('memory = "off" (from')


@pytest.mark.parametrize(
    "value", ['"{0}"', '"/nowhere, {0}"', '["/nowhere", "{0}"]', '"~/shop"', '"{0}/"']
)
def test_a_list_of_folders_switches_it_off(
    shop: Path, monkeypatch: pytest.MonkeyPatch, value: str
) -> None:
    monkeypatch.setenv("HOME", str(shop.parent))
    said = {"projects.off": value.format(shop)}
    assert "projects.off has" in why(shop, config=said)
    assert why(shop / "src", {"XDG_CONFIG_HOME": str(shop.parent / "config")}, config=said)
    beside = shop.parent / "shop-2"
    beside.mkdir()
    assert why(beside, config=said) == ""


def test_a_folder_by_another_name_is_the_same(shop: Path) -> None:
    link = shop.parent / "link"
    link.symlink_to(shop)
    assert why(shop, config={"projects.off": f'"{link}"'})
    assert why(link, config={"projects.off": f'"{shop}"'})


def test_a_folder_with_a_comma_in_its_name_is_one_folder(shop: Path) -> None:
    odd = shop.parent / "a, b"
    odd.mkdir()
    assert why(odd, config={"projects.off": f'"{odd}"'})


def test_a_relative_folder_is_refused(shop: Path) -> None:
    with pytest.raises(ConfigError, match="no absolute path"):
        why(shop, config={"projects.off": '"."'})


@pytest.mark.skipif(shutil.which("git") is None, reason="git is not installed")
@pytest.mark.parametrize("by_file", [True, False])
def test_a_worktree_is_off_with_its_repository(shop: Path, by_file: bool) -> None:
    who = ("-c", "user.name=a", "-c", "user.email=a@b")
    for words in (
        ["init", "-q"],
        [*who, "commit", "-q", "--allow-empty", "-m", "x"],
        ["worktree", "add", "-q", str(shop.parent / "topic")],
    ):
        subprocess.run(["git", *words], cwd=shop, check=True, capture_output=True)
    said = {} if by_file else {"projects.off": f'"{shop}"'}
    if by_file:
        (shop / ".engrain.toml").write_text('memory = "off"\n')
    assert why(shop.parent / "topic", config=said)


@pytest.mark.parametrize("value", ['"of"', "true", "3", '""', "false", '"OFF"'])
def test_a_value_that_is_none_is_told_with_its_file_and_counts_as_off(
    shop: Path, value: str
) -> None:
    (shop / ".engrain.toml").write_text(f"memory = {value}\n")
    with pytest.raises(ConfigError, match='neither "on" nor "off"') as caught:
        why(shop)
    assert str(shop / ".engrain.toml") in caught.value.message
    assert is_off({}, str(shop))


def test_a_file_that_is_no_toml_counts_as_off(shop: Path) -> None:
    (shop / ".engrain.toml").write_text("memory = \n")
    assert is_off({}, str(shop))


def test_a_project_can_not_switch_on_what_the_user_switched_off(shop: Path) -> None:
    (shop / ".engrain.toml").write_text('memory = "on"\n')
    assert why(shop, config={"memory": '"off"'})


def test_the_environment_is_the_users_word_for_one_call(shop: Path) -> None:
    said = {"projects.off": f'"{shop}"'}
    assert why(shop, {"ENGRAIN_MEMORY": "on"}, config=said) == ""
    assert why(shop, {"ENGRAIN_MEMORY": "off"})
    (shop / ".engrain.toml").write_text('memory = "off"\n')
    assert why(shop, {"ENGRAIN_MEMORY": "on"}) == ""
    assert is_off({"ENGRAIN_MEMORY": "on"}, str(shop)), "it is not for what is learned later"


def test_who_asks_for_the_project_of_an_agents_call_is_told(shop: Path) -> None:
    (shop / ".engrain.toml").write_text('memory = "off"\n')
    with pytest.raises(MemoryOffError, match="memory is off in"):
        find_project("", {}, str(shop))
