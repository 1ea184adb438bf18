"""Settings: which one wins, and what a project file may not say (S1.22). Memory is switched off in
a folder: by the project's file, or by a list of folders."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from engrain.model.errors import ConfigError, MemoryOffError
from engrain.model.settings import KEYS
from engrain.resolution.files import find_upwards
from engrain.resolution.selector import find_project
from engrain.resolution.settings import (
    PROJECT_FILE,
    absolute_state_dir,
    find_off,
    is_off,
    load_settings,
    read_user_config,
    read_whole_number,
    user_config_file,
)

FLAG = {"vault": "/flag"}
VARIABLE = {"ENGRAIN_VAULT": "/variable"}


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return {
        "ENGRAIN_CONFIG": str(tmp_path / "config.toml"),
        "XDG_STATE_HOME": str(tmp_path / "state"),
    }


def write_config(environ: dict[str, str], text: str) -> None:
    Path(environ["ENGRAIN_CONFIG"]).write_text(text, encoding="utf-8")


@pytest.mark.parametrize(
    ("flags", "variables", "config", "value", "origin"),
    [
        (FLAG, VARIABLE, "vault = '/config'", "/flag", "flag --vault"),
        ({}, VARIABLE, "vault = '/config'", "/variable", "environment ENGRAIN_VAULT"),
        ({"vault": None}, {"ENGRAIN_VAULT": ""}, "vault = '/config'", "/config", "user config"),
        ({"vault": ""}, {}, "", None, "default"),
    ],
)
def test_the_vault_is_that_of_the_flag_then_the_environment_then_the_user(
    environ: dict[str, str],
    tmp_path: Path,
    flags: dict[str, str | None],
    variables: dict[str, str],
    config: str,
    value: str | None,
    origin: str,
) -> None:
    write_config(environ, config)
    setting = load_settings(flags, {**environ, **variables}, str(tmp_path))["vault"]
    assert setting.value == value
    assert setting.origin.startswith(origin)


def test_a_project_file_stands_between_the_environment_and_the_user(
    environ: dict[str, str], tmp_path: Path
) -> None:
    write_config(environ, "project = 'mine'\nprofile = 'prompt'\nbudget = 500\n")
    folder = tmp_path / "repo" / "src"
    folder.mkdir(parents=True)
    project_file = tmp_path / "repo" / PROJECT_FILE
    project_file.write_text("project = 'billing'\nbudget = 900\nprofile = 'task'\n")
    settings = load_settings({}, {**environ, "ENGRAIN_PROFILE": "deep"}, str(folder))
    assert [settings[name].value for name in ("project", "profile", "budget")] == [
        "billing", "deep", "900",
    ]  # fmt: skip
    assert settings["project"].origin == f"project file {project_file}"
    assert load_settings({"project": "x"}, environ, str(folder))["project"].value == "x"
    assert load_settings({}, environ, str(tmp_path))["project"].value == "mine"


@pytest.mark.parametrize("name", sorted(set(KEYS) - {"memory", "project", "profile", "budget"}))
@pytest.mark.parametrize("more", ["", "project = 'billing'\n"])
def test_a_project_file_names_no_vault_state_backend_or_agent(
    environ: dict[str, str], tmp_path: Path, name: str, more: str
) -> None:
    project_file = tmp_path / PROJECT_FILE
    project_file.write_text(f"{more}{name} = '/elsewhere'\n")
    # Not even where a flag would win: a file that tries is not a file to trust in the rest.
    with pytest.raises(ConfigError) as caught:
        load_settings({name: "/mine"}, environ, str(tmp_path))
    assert caught.value.path == str(project_file)
    assert repr(name) in caught.value.message
    assert caught.value.remedy == "it may set memory, project, profile, budget"


@pytest.mark.parametrize(
    "text",
    ["endpoint = 'http://x'", "[vault]\npath = '/x'", "'vault ' = '/x'", '"va\\u0075lt" = "/x"',
     "project.vault = '/x'", "projects = 'x'", "x" * 5000 + " = 1"],
)  # fmt: skip
def test_what_a_project_file_may_not_say_in_any_form(
    environ: dict[str, str], tmp_path: Path, text: str
) -> None:
    (tmp_path / PROJECT_FILE).write_text(text)
    with pytest.raises(ConfigError) as caught:
        load_settings({}, environ, str(tmp_path))
    assert len(caught.value.message) < 200


@pytest.mark.parametrize(
    "raw",
    [
        b"vault = ", b"vault = 'x'\nvault = 'y'\n", b"= 1", b"\xff\xfev\0",
        b"\xef\xbb\xbfvault = 'x'",
        b"budget = " + b"[" * 100_000, b"budget = " + b"9" * 5000, b"budget = 0x" + b"f" * 5000,
        b"budget = 2026-01-31", b"vault = ['x']", b"budget = nan", b"budget = inf",
    ],
)  # fmt: skip
def test_a_broken_file_is_reported_by_name(
    environ: dict[str, str], tmp_path: Path, raw: bytes
) -> None:
    for path in (Path(environ["ENGRAIN_CONFIG"]), tmp_path / PROJECT_FILE):
        path.write_bytes(raw)
        with pytest.raises(ConfigError) as caught:
            load_settings({}, environ, str(tmp_path))
        path.unlink()
        assert caught.value.path == str(path)
        assert "\n" not in caught.value.message


@pytest.mark.parametrize("value", ["true", "1.5", "0", "-1", "'many'"])
def test_a_number_that_is_none_is_reported_where_it_is_read(
    environ: dict[str, str], tmp_path: Path, value: str
) -> None:
    write_config(environ, f"budget = {value}\n")
    settings = load_settings({}, environ, str(tmp_path))
    with pytest.raises(ConfigError, match="not a number from 1 up") as caught:
        read_whole_number(settings, "budget")
    assert environ["ENGRAIN_CONFIG"] in caught.value.message


def test_true_false_and_numbers_are_read_as_they_are_written(environ: dict[str, str]) -> None:
    write_config(environ, "agent = true\nredact = 'off'\nbudget = 900\ndecay.weight = 0.25")
    for _ in range(2):
        assert read_user_config(environ) == {
            "agent": "true", "redact": "off", "budget": "900", "decay.weight": "0.25",
        }  # fmt: skip


def test_a_broken_line_is_reported(environ: dict[str, str]) -> None:
    write_config(environ, "agent = 'a'\nvault = oops\n")
    with pytest.raises(ConfigError, match="line 2"):
        read_user_config(environ)


def test_an_unknown_setting_is_reported(environ: dict[str, str]) -> None:
    write_config(environ, "vualt = '/x'\n")
    with pytest.raises(ConfigError, match="no setting named 'vualt'") as caught:
        read_user_config(environ)
    assert "vault" in (caught.value.remedy or "")


def test_a_file_that_can_not_be_read_is_reported(environ: dict[str, str], tmp_path: Path) -> None:
    with pytest.raises(ConfigError) as caught:
        read_user_config({**environ, "ENGRAIN_CONFIG": str(tmp_path)})
    assert caught.value.path == str(tmp_path)


def test_no_file_is_no_settings(environ: dict[str, str], tmp_path: Path) -> None:
    assert read_user_config(environ) == {}
    settings = load_settings({}, environ, str(tmp_path))
    assert {name: setting.value for name, setting in settings.items()} == {
        name: key.default for name, key in KEYS.items()
    }


def test_a_project_file_that_leads_nowhere_is_none(environ: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / PROJECT_FILE).symlink_to("nowhere")
    assert load_settings({}, environ, str(tmp_path))["project"].value is None


def test_every_setting_has_a_variable_and_a_meaning() -> None:
    for name, key in KEYS.items():
        assert key.name == name
        assert key.variable == f"ENGRAIN_{name.upper().replace('.', '_')}"
        assert key.meaning
    assert {name for name, key in KEYS.items() if key.in_project} == {
        "memory",
        "project",
        "profile",
        "budget",
    }


def test_no_two_settings_share_a_variable() -> None:
    assert len({key.variable for key in KEYS.values()}) == len(KEYS)


# Settings that stand in a table


@pytest.mark.parametrize(
    "text",
    [
        "[archive]\nt3 = 'stage'\n[decay]\nsessions = 9\nweight = 0.25\n",
        "archive.t3 = 'stage'\ndecay.sessions = 9\ndecay.weight = 0.25\n",
        "archive = {t3 = 'stage'}\ndecay = {sessions = 9, weight = 0.25}\n",
    ],
)
def test_a_name_with_a_dot_stands_in_a_table(
    environ: dict[str, str], tmp_path: Path, text: str
) -> None:
    write_config(environ, f"agent = 'ada'\n{text}")
    names = ("agent", "archive.t3", "decay.sessions", "decay.weight", "decay.recalls")
    for _ in range(2):
        settings = load_settings({}, environ, str(tmp_path))
        assert [settings[name].value for name in names] == ["ada", "stage", "9", "0.25", "5"]
    assert settings["archive.t3"].origin == f"user configuration {environ['ENGRAIN_CONFIG']}"


def test_the_environment_stands_before_a_table(environ: dict[str, str], tmp_path: Path) -> None:
    write_config(environ, "[archive]\nt3 = 'stage'\n")
    given = {**environ, "ENGRAIN_ARCHIVE_T3": "auto", "ENGRAIN_DECAY_MIN_DAYS": "3"}
    settings = load_settings({}, given, str(tmp_path))
    assert settings["archive.t3"].value == "auto"
    assert settings["archive.t3"].origin == "environment ENGRAIN_ARCHIVE_T3"
    assert settings["decay.min_days"].value == "3"


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[decay]\nsesions = 1\n", "no setting named 'decay.sesions'"),
        ("[archives]\nt3 = 'auto'\n", "no setting named 'archives.t3'"),
        ("decay = 5\n", "no setting named 'decay'"),
        ("[vault]\npath = '/x'\n", "no setting named 'vault.path'"),
        ("[decay.sessions]\nx = 1\n", "decay.sessions must be text, a number"),
        ("[decay]\nsessions = [7]\n", "decay.sessions must be text, a number"),
    ],
)
def test_what_a_table_may_not_hold_is_reported(
    environ: dict[str, str], text: str, told: str
) -> None:
    write_config(environ, text)
    with pytest.raises(ConfigError) as caught:
        read_user_config(environ)
    assert caught.value.message.startswith(told)
    assert caught.value.path == environ["ENGRAIN_CONFIG"]


def test_a_project_file_holds_no_table_of_the_users(
    environ: dict[str, str], tmp_path: Path
) -> None:
    (tmp_path / PROJECT_FILE).write_text("project = 'x'\n[personal]\nroot = '/'\n")
    with pytest.raises(ConfigError, match=r"a project file may not set 'personal\.root'"):
        load_settings({}, environ, str(tmp_path))


# What is found upwards


def test_the_nearest_file_upwards_is_found(tmp_path: Path) -> None:
    inner = tmp_path / "a" / "b"
    inner.mkdir(parents=True)
    (tmp_path / "mark").touch()
    assert find_upwards(str(inner), "mark") == str(tmp_path / "mark")
    (inner / "mark").mkdir()
    assert find_upwards(str(inner), "mark") == str(inner / "mark")
    assert find_upwards(str(inner), "no such name") is None
    assert find_upwards("/", "no such name") is None


@pytest.mark.skipif(sys.platform != "linux", reason="the XDG rule is Linux's")
def test_configuration_and_state_lie_where_the_platform_says(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("HOME", "/home/ada")
    given = {"XDG_CONFIG_HOME": "/conf", "XDG_STATE_HOME": "/state"}
    assert user_config_file(given) == "/conf/engrain/config.toml"
    assert absolute_state_dir(None, given) == "/state/engrain"
    for environ in ({}, dict.fromkeys(given, ""), dict.fromkeys(given, "relative")):
        assert user_config_file(environ) == "/home/ada/.config/engrain/config.toml"
        assert absolute_state_dir(None, environ) == "/home/ada/.local/state/engrain"
    assert user_config_file({"ENGRAIN_CONFIG": "/x.toml"}) == "/x.toml"
    assert os.path.isabs(absolute_state_dir(None, {}))


def test_an_edit_is_noticed_however_it_is_made(environ: dict[str, str], tmp_path: Path) -> None:
    path = Path(environ["ENGRAIN_CONFIG"])

    def vault() -> str | None:
        return load_settings({}, environ, str(tmp_path))["vault"].value

    for value in ("/a", "/b"):
        write_config(environ, f"vault = '{value}'")
        assert [vault(), vault()] == [value, value]
    replacing = tmp_path / "new.toml"
    replacing.write_text("vault = '/c'")
    os.utime(replacing, ns=(path.stat().st_atime_ns, path.stat().st_mtime_ns))
    replacing.replace(path)
    assert vault() == "/c"
    path.unlink()
    assert vault() is None
    write_config(environ, "vault = oops")
    for _ in range(2):
        with pytest.raises(ConfigError):
            vault()


def test_of_two_files_each_is_read_for_itself(environ: dict[str, str], tmp_path: Path) -> None:
    other = {**environ, "ENGRAIN_CONFIG": str(tmp_path / "other.toml")}
    write_config(environ, "vault = '/mine'")
    write_config(other, "agent = 'eng-007'")
    for _ in range(2):
        assert read_user_config(environ) == {"vault": "/mine"}
        assert read_user_config(other) == {"agent": "eng-007"}


def test_a_value_of_several_lines_is_the_files_own_at_every_reading(
    environ: dict[str, str],
) -> None:
    write_config(environ, 'vault = "/a\\nagent=b"\nagent = "a=\\r\\u2028\\u0085"\n')
    for _ in range(2):
        assert read_user_config(environ) == {"vault": "/a\nagent=b", "agent": "a=\r\u2028\x85"}


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
def test_a_value_that_is_none_is_reported_with_its_file_and_counts_as_off(
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
