"""The user's configuration file, changed by the program and kept as the person wrote it."""

from __future__ import annotations

from pathlib import Path

import pytest

from engrain.model.errors import ConfigError, StorageError
from engrain.resolution.config_file import set_default_vault, set_value
from engrain.resolution.settings import read_user_config


@pytest.fixture
def config(tmp_path: Path) -> Path:
    return tmp_path / "conf" / "config.toml"


@pytest.fixture
def environ(config: Path) -> dict[str, str]:
    return {"ENGRAIN_CONFIG": str(config)}


def write(config: Path, text: str) -> None:
    config.parent.mkdir(parents=True, exist_ok=True)
    config.write_bytes(text.encode())


def test_the_file_and_its_folder_are_made(config: Path, environ: dict[str, str]) -> None:
    assert set_value(environ, "vault", "/ä b/'\"") == str(config)
    assert read_user_config(environ) == {"vault": "/ä b/'\""}
    assert [path.name for path in config.parent.iterdir()] == ["config.toml"]


@pytest.mark.parametrize("eol", ["\n", "\r\n"])
def test_comments_order_and_line_ends_stay(config: Path, environ: dict[str, str], eol: str) -> None:
    lines = ["# mine", "agent  =  'ada'   # who", "", "vault = '/old' # where", "# end", ""]
    write(config, eol.join(lines))
    set_value(environ, "vault", "/new")
    lines[3] = 'vault = "/new" # where'
    assert config.read_bytes().decode() == eol.join(lines)
    set_value(environ, "vault", None)
    assert config.read_bytes().decode() == eol.join([*lines[:3], *lines[4:]])


@pytest.mark.parametrize(
    "text", ["", "# only\n", "agent = 'a'", "agent = 'a' # c", "agent = 'a'\n\n"]
)
def test_a_new_setting_leaves_what_was_there(
    config: Path, environ: dict[str, str], text: str
) -> None:
    write(config, text)
    had = read_user_config(environ)
    set_value(environ, "project", "billing")
    assert read_user_config(environ) == {**had, "project": "billing"}
    assert config.read_text().startswith(text.rstrip())


def test_taking_out_what_is_not_there_is_no_error(config: Path, environ: dict[str, str]) -> None:
    write(config, "agent = 'a'\n")
    set_value(environ, "vault", None)
    assert config.read_text() == "agent = 'a'\n"


@pytest.mark.parametrize("raw", [b"vault = \n", b"\xff", b"vault = 'a'\nvault = 'b'\n", b"[[["])
def test_a_broken_file_is_reported_by_name_and_left_alone(
    config: Path, environ: dict[str, str], raw: bytes
) -> None:
    config.parent.mkdir()
    config.write_bytes(raw)
    with pytest.raises(ConfigError) as caught:
        set_value(environ, "vault", "/x")
    assert caught.value.path == str(config)
    assert config.read_bytes() == raw


def test_a_file_that_can_not_be_written_is_reported(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(StorageError) as caught:
        set_value({"ENGRAIN_CONFIG": str(tmp_path / "file" / "config.toml")}, "vault", "/x")
    assert caught.value.path == str(tmp_path / "file" / "config.toml")


def test_a_file_that_is_a_link_stays_one(config: Path, environ: dict[str, str]) -> None:
    kept = config.parent.parent / "dotfiles.toml"
    kept.write_text("agent = 'ada'\n")
    config.parent.mkdir()
    config.symlink_to(kept)
    set_value(environ, "vault", "/x")
    assert config.is_symlink()
    assert "ada" in kept.read_text()
    assert read_user_config(environ)["vault"] == "/x"


def test_a_private_file_stays_private(config: Path, environ: dict[str, str]) -> None:
    write(config, "agent = 'a'\n")
    config.chmod(0o600)
    set_value(environ, "vault", "/x")
    assert config.stat().st_mode & 0o777 == 0o600


def test_a_default_is_set_once(config: Path, environ: dict[str, str]) -> None:
    assert set_default_vault(environ, "/one") == str(config)
    assert set_default_vault(environ, "/two") is None
    assert read_user_config(environ) == {"vault": "/one"}


# -- settings that stand in a table ----------------------------------------------------------------


def test_a_name_with_a_dot_is_set_in_its_table(config: Path, environ: dict[str, str]) -> None:
    set_value(environ, "agent", "ada")
    set_value(environ, "decay.recalls", "3")
    set_value(environ, "decay.weight", "1")
    assert read_user_config(environ) == {
        "agent": "ada", "decay.recalls": "3", "decay.weight": "1",
    }  # fmt: skip
    assert config.read_text().count("[decay]") == 1
    set_value(environ, "decay.recalls", None)
    assert read_user_config(environ) == {"agent": "ada", "decay.weight": "1"}
    set_value(environ, "decay.weight", None)
    assert config.read_text().split() == ["agent", "=", '"ada"']


def test_comments_of_a_table_and_its_neighbours_stay(config: Path, environ: dict[str, str]) -> None:
    lines = [
        "# mine", "agent = 'ada'  # who", "", "[decay]  # how they fade", "# long",
        "sessions = 9   # not 7", "weight = 0.5", "", "[heat]", "hits = 4 # hot", "",
    ]  # fmt: skip
    write(config, "\n".join(lines))
    set_value(environ, "decay.sessions", "8")
    lines[5] = 'sessions = "8"   # not 7'
    assert config.read_text() == "\n".join(lines)
    set_value(environ, "decay.weight", None)
    del lines[6]
    assert config.read_text() == "\n".join(lines)
    set_value(environ, "heat.cold", "1")
    lines.insert(9, 'cold = "1"')
    assert config.read_text() == "\n".join(lines)


@pytest.mark.parametrize(
    "text", ["decay.sessions = 9 # c\n", "decay = {sessions = 9, weight = 0.5} # c\n"]
)
def test_a_table_is_changed_in_the_form_it_has(
    config: Path, environ: dict[str, str], text: str
) -> None:
    write(config, text)
    before = read_user_config(environ)
    set_value(environ, "decay.sessions", "8")
    assert read_user_config(environ) == {**before, "decay.sessions": "8"}
    assert config.read_text() == text.replace("9", '"8"')
    set_value(environ, "decay.sessions", None)
    del before["decay.sessions"]
    assert read_user_config(environ) == before


def test_taking_out_what_no_table_has_changes_nothing(
    config: Path, environ: dict[str, str]
) -> None:
    for text in ("agent = 'a'\n", "agent = 'a'\n\n[decay]\nweight = 0.5\n"):
        write(config, text)
        set_value(environ, "decay.sessions", None)
        assert config.read_text() == text
