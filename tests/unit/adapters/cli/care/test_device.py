"""`engrain device`: the key of a vault shown, given away, taken over, never told by chance."""

from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest

from unit.adapters.shell import Done, Inside, Shell


class Device:
    """One device of the vault: a state and a configuration of its own."""

    def __init__(self, shell: Shell, name: str) -> None:
        self.shell = shell
        self.folder = shell.folder / name
        self.environ = {
            "ENGRAIN_CONFIG": str(self.folder / "config.toml"),
            "ENGRAIN_STATE_DIR": str(self.folder / "state"),
        }

    def __call__(self, *argv: str, stdin: str = "", code: int = 0) -> Done:
        done = self.shell.run(*argv, stdin=stdin.encode(), environ=self.environ)
        assert done.code == code, done.err
        return done

    def ask(self, *argv: str) -> dict[str, Any]:
        return cast("dict[str, Any]", self(*argv, "--json").answer["data"])

    @property
    def keys(self) -> list[Path]:
        folder = self.folder / "keys"
        return list(folder.iterdir()) if folder.exists() else []


@pytest.fixture
def laptop(tmp_path: Path) -> Device:
    device = Device(Inside(tmp_path), "laptop")
    device("init")
    device("save", "Take the lock.", "--title", "Lock", "--kind", "fix")
    return device


@pytest.fixture
def desktop(laptop: Device) -> Device:
    return Device(laptop.shell, "desktop")


def test_a_second_device_takes_over_a_copy_of_the_key(laptop: Device, desktop: Device) -> None:
    assert desktop.ask("list")["results"][0]["attested"] is False
    (key,) = laptop.keys
    assert "joined" in desktop("device", "join", str(key)).out
    assert [key.read_bytes() for key in laptop.keys] == [key.read_bytes() for key in desktop.keys]
    desktop("save", "Release it.", "--title", "Release", "--kind", "fix")
    found = {
        row["title"]: (row["source"], row["attested"]) for row in laptop.ask("list")["results"]
    }
    assert found == {"Lock": ("agent", True), "Release": ("agent", True)}
    assert desktop.ask("show", "lock")["origin"] == "agent"


@pytest.mark.parametrize("damage", ["", "x", "0" * 63])
def test_what_is_no_key_changes_nothing(laptop: Device, desktop: Device, damage: str) -> None:
    assert laptop.keys
    done = desktop("device", "join", "-", stdin=damage, code=2)
    assert "not the key of a vault" in done.err
    assert desktop.keys == []
    assert "no file no-such-file" in desktop("device", "join", "no-such-file", code=3).err


def test_the_file_of_the_key_is_shown(laptop: Device, desktop: Device) -> None:
    (key,) = laptop.keys
    assert laptop.ask("device", "show")["file"] == str(key)
    assert desktop.ask("device", "show")["file"] is None


def test_a_key_that_made_no_record_here_is_refused(laptop: Device, desktop: Device) -> None:
    (key,) = laptop.keys
    old = key.read_text()
    key.write_text("00" * 32 + "\n")
    assert "no record" in desktop("device", "join", str(key), code=4).err
    key.write_text(old)
    assert desktop.keys == []


def test_another_key_that_is_here_is_replaced_only_when_that_is_said(
    laptop: Device, desktop: Device
) -> None:
    desktop("device", "join", "--new-key", "--yes")
    before = desktop.keys[0].read_bytes()
    code = laptop.keys[0].read_text()
    assert "--replace" in desktop("device", "join", "-", stdin=code, code=4).err
    assert desktop.keys[0].read_bytes() == before
    desktop("device", "join", "-", "--replace", stdin=code)
    assert desktop.keys[0].read_bytes() == laptop.keys[0].read_bytes()


def test_a_lost_key_is_replaced_after_a_word(laptop: Device) -> None:
    laptop.keys[0].unlink()
    assert laptop.ask("device", "show")["key"] is False
    assert "--yes" in laptop("device", "join", "--new-key", code=2).err
    assert laptop.keys == []
    assert laptop.ask("device", "join", "--new-key", "--yes")["attested_anew"] == 1
    assert laptop.ask("list")["results"][0]["attested"] is True
    assert laptop.ask("check", "history")["findings"] == []


def test_doctor_tells_whether_the_key_is_here(laptop: Device, desktop: Device) -> None:
    assert "key: the vault's key is here" in laptop("doctor").out
    assert "key is not here, so nothing is attested" in desktop("doctor").out


def test_no_key_is_made_inside_the_vault(laptop: Device) -> None:
    inside = Device(laptop.shell, "vault/conf")
    inside.environ["ENGRAIN_STATE_DIR"] = str(laptop.folder / "third")
    inside("save", "x", "--title", "X", "--kind", "fix")
    assert inside.keys == []
    assert "is inside the vault" in inside("device", "join", "--new-key", "--yes", code=1).err


def test_the_key_is_in_no_file_but_its_own(laptop: Device) -> None:
    (key,) = laptop.keys
    secret = key.read_text().strip()
    laptop("device", "show")
    laptop("doctor")
    found = [path for path in laptop.shell.folder.rglob("*") if path.is_file()]
    everything = [path for path in found if path != key]
    assert len(everything) > 5
    assert not any(
        secret.encode() in raw or bytes.fromhex(secret) in raw
        for raw in (path.read_bytes() for path in everything)
    )


@pytest.mark.parametrize(
    "argv",
    [
["device", "join", "x", "--new-key", "--yes"],
],
)  # fmt: skip
def test_what_makes_no_sense_together_is_refused(laptop: Device, argv: list[str]) -> None:
    laptop(*argv, code=2)
