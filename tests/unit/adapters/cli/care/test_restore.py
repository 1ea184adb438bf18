"""`restore` on the command line, of a whole vault from a backup."""

from __future__ import annotations

import gzip
import io
import json
import tarfile
from collections.abc import Callable
from pathlib import Path

import pytest

from unit.adapters.shell import CommandLine, Done, Inside


@pytest.fixture
def backup(cli: CommandLine, tmp_path: Path) -> Path:
    """A backup with the key in it, of a vault with all that has a state."""
    cli("save", "--title", "Kept", "A note to keep.", "--trust", "operator")
    cli("save", "--kind", "commitment", "--due", "2030-01-01", "I will send the report.")
    cli("handoff", "create", "Go on with the export.")
    cli("forget", "Kept")
    cli("save", "--title", "Agent", "An agent's note.", "--kind", "fix")
    assert cli("backup", str(tmp_path / "memory.tar"), "--with-key").code == 0
    return tmp_path / "memory.tar"


@pytest.fixture
def machine(tmp_path: Path) -> Inside:
    """A new machine, on which nothing is configured."""
    return Inside(tmp_path / "new", configured=False)


def states(shell: Inside | CommandLine, run: Callable[..., Done]) -> object:
    listed = run("list", "--all-projects", "--include-archive", "--json").answer["data"]
    handed = run("handoff", "list", "--json").answer["data"]
    assert isinstance(handed, dict)
    rows = [(row["id"], row["source"], row["attested"], row["status"]) for row in listed["results"]]
    return sorted(rows), json.dumps(handed.get("handoffs"), sort_keys=True)


def test_a_backup_comes_back_on_a_new_machine_in_one_command(
    backup: Path, machine: Inside, cli: CommandLine
) -> None:
    before = states(cli, cli)
    done = machine.run("restore", str(backup))
    assert (done.code, done.err) == (0, "")
    assert "with the vault's key" in done.out
    assert (machine.home / "engrain/.engrain/vault.json").exists()
    assert states(machine, machine.run) == before
    assert machine.run("check", "history").code == 0
    assert machine.run("restore", "kept").code == 0


def test_without_the_key_it_says_what_that_means_and_a_key_file_makes_up_for_it(
    cli: CommandLine, backup: Path, machine: Inside, tmp_path: Path
) -> None:
    plain = tmp_path / "plain.tar"
    cli("backup", str(plain))
    loose = machine.run("restore", str(plain), "--vault", str(tmp_path / "loose"))
    assert loose.code == 0 and "count as external" in loose.out
    (key,) = (tmp_path / "home/.config/engrain/keys").iterdir()
    other = Inside(tmp_path / "other", configured=False)
    done = other.run("restore", str(plain), "--key", str(key))
    assert done.code == 0 and "with the vault's key" in done.out


def test_a_filled_place_stays_unless_told_and_is_kept_then(
    backup: Path, machine: Inside, tmp_path: Path
) -> None:
    place = tmp_path / "place"
    place.mkdir()
    (place / "mine.md").write_text("mine")
    refused = machine.run("restore", str(backup), "--vault", str(place))
    assert refused.code == 4 and "not empty" in refused.err
    assert [path.name for path in place.iterdir()] == ["mine.md"]
    done = machine.run("restore", str(backup), "--vault", str(place), "--force")
    assert done.code == 0
    assert (tmp_path / "place.before-restore-1/mine.md").read_text() == "mine"
    assert (place / ".engrain/vault.json").exists()


def _changed(
    raw: bytes, change: Callable[[tarfile.TarInfo, bytes], tuple[tarfile.TarInfo, bytes]]
) -> bytes:
    out = io.BytesIO()
    with tarfile.open(fileobj=io.BytesIO(raw)) as old, tarfile.open(fileobj=out, mode="w") as new:
        for member in old:
            file = old.extractfile(member)
            info, content = change(member, file.read() if file else b"")
            info.size = len(content)
            new.addfile(info, io.BytesIO(content))
    return out.getvalue()


def _renamed(name: str) -> Callable[[bytes], bytes]:
    def change(info: tarfile.TarInfo, raw: bytes) -> tuple[tarfile.TarInfo, bytes]:
        if info.name.endswith(".md"):
            info.name = name
        return info, raw

    return lambda raw: _changed(raw, change)


def _linked(kind: bytes) -> Callable[[bytes], bytes]:
    def change(info: tarfile.TarInfo, raw: bytes) -> tuple[tarfile.TarInfo, bytes]:
        if info.name.endswith(".md"):
            info.type, info.linkname = kind, "/etc/passwd"
            return info, b""
        return info, raw

    return lambda raw: _changed(raw, change)


def _of_version(info: tarfile.TarInfo, raw: bytes) -> tuple[tarfile.TarInfo, bytes]:
    return info, raw.replace(b'"v": 1', b'"v": 2') if info.name.endswith("vault.json") else raw


def _wrong_key(info: tarfile.TarInfo, raw: bytes) -> tuple[tarfile.TarInfo, bytes]:
    return info, b"00" * 32 if info.name == "engrain-key" else raw


def _cut_key(info: tarfile.TarInfo, raw: bytes) -> tuple[tarfile.TarInfo, bytes]:
    return info, raw[:40] if info.name == "engrain-key" else raw


@pytest.mark.parametrize(
    ("spoil", "said"),
    [
        (lambda raw: raw[: len(raw) // 2], "cut off"),
        (lambda raw: raw[:-700], "cut off"),
        (lambda raw: raw[: len(raw) // 1024 * 512], "cut off"),
        (lambda raw: gzip.compress(raw)[:-200], "cut off"),
        (lambda raw: b"", "no backup"),
        (lambda raw: gzip.compress(raw)[:30], "no backup"),
        (lambda raw: b"hello" * 1000, "no backup"),
        (lambda raw: bytes(10240), "no backup"),
        (_renamed("../out.md"), "no backup has"),
        (_renamed("/tmp/out.md"), "no backup has"),
        (_renamed("vault/../../out.md"), "no backup has"),
        (_renamed("other/out.md"), "two files at one path"),
        (_linked(tarfile.SYMTYPE), "no backup has"),
        (_linked(tarfile.LNKTYPE), "no backup has"),
        (_linked(tarfile.FIFOTYPE), "no backup has"),
        (lambda raw: _changed(raw, _of_version), "format 2"),
        (lambda raw: _changed(raw, _wrong_key), "with that key"),
        (lambda raw: _changed(raw, _cut_key), "key"),
    ],
)
def test_what_is_no_whole_backup_is_refused_in_one_line_and_leaves_nothing(
    backup: Path, machine: Inside, spoil: Callable[[bytes], bytes], said: str
) -> None:
    backup.write_bytes(spoil(backup.read_bytes()))
    before = {path for path in machine.home.rglob("*") if path.is_file()}
    done = machine.run("restore", str(backup))
    assert done.code not in (0, None)
    assert len(done.err.splitlines()) == 1 and said in done.err
    assert not (machine.home / "engrain").exists()
    left = {path for path in machine.home.rglob("*") if path.is_file()} - before
    assert [path for path in left if "log" not in path.name and "settings" not in path.name] == []


def test_a_compressed_backup_is_one_too(backup: Path, machine: Inside, tmp_path: Path) -> None:
    packed = tmp_path / "memory.tar.gz"
    packed.write_bytes(gzip.compress(backup.read_bytes()))
    assert machine.run("restore", str(packed)).code == 0


def test_a_file_that_is_not_there_and_options_of_a_backup_for_an_entry_are_reported(
    cli: CommandLine,
) -> None:
    assert cli("restore", "missing.tar").code != 0
    done = cli("restore", "kept", "--force")
    assert done.code == 2 and "backup" in done.err
