"""`backup` on the command line."""

from __future__ import annotations

import tarfile
from pathlib import Path
from typing import Any

from unit.adapters.shell import CommandLine


def test_it_writes_one_file_that_unpacks_to_the_vault(cli: CommandLine, tmp_path: Path) -> None:
    assert cli("save", "--title", "Kept", "A note to keep.").code == 0
    target = tmp_path / "memory.tar"
    done = cli("backup", str(target), "--json")
    data: Any = done.answer["data"]
    (key,) = (tmp_path / "home/.config/engrain/keys").iterdir()
    size = target.stat().st_size
    wanted = {"path": str(target), "bytes": size, "key": str(key), "with_key": False}
    assert (done.code, data) == (0, wanted)
    assert target.stat().st_mode & 0o077 == 0
    with tarfile.open(target) as tar:
        tar.extractall(tmp_path / "copy", filter="data")
    (vault,) = (tmp_path / "copy").iterdir()
    files = {path.relative_to(vault) for path in vault.rglob("*") if path.is_file()}
    assert files == {path.relative_to(cli.vault) for path in cli.vault.rglob("*") if path.is_file()}


def test_a_file_that_is_there_stays_unless_it_is_to_be_replaced(
    cli: CommandLine, tmp_path: Path
) -> None:
    target = tmp_path / "memory.tar"
    target.write_bytes(b"mine")
    done = cli("backup", str(target))
    assert done.code != 0 and "--force" in done.err and target.read_bytes() == b"mine"
    assert cli("backup", str(target), "--force").code == 0
    assert tarfile.is_tarfile(target)


def test_it_refuses_a_place_inside_of_the_vault_and_leaves_nothing(cli: CommandLine) -> None:
    done = cli("backup", str(cli.vault / "memory.tar"))
    assert done.code == 2 and "outside" in done.err
    missing = cli("backup", str(cli.vault.parent / "nowhere" / "memory.tar"))
    assert missing.code != 0 and len(missing.err.splitlines()) == 1
    assert not list(cli.vault.parent.rglob("memory.tar*"))


def test_it_names_the_key_that_it_leaves_out_and_takes_it_on_request(
    cli: CommandLine, tmp_path: Path
) -> None:
    cli("save", "--title", "Kept", "A note to keep.")
    plain = cli("backup", str(tmp_path / "plain.tar"))
    (key,) = (tmp_path / "home/.config/engrain/keys").iterdir()
    assert f"not in it: the vault's key, {key}" in plain.out
    assert "--with-key" in plain.out
    whole = tmp_path / "whole.tar"
    done = cli("backup", str(whole), "--with-key")
    assert "the vault's key is in it" in done.out
    assert whole.stat().st_mode & 0o777 == 0o600
    with tarfile.open(whole) as tar:
        code = tar.extractfile("engrain-key")
        assert code and key.read_text().strip() in code.read().decode()
