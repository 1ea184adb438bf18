"""`history --export` and `verify --extract` at the command line."""

from __future__ import annotations

import os
from pathlib import Path

from engrain.adapters.present.failures import EXIT_ERROR, EXIT_USAGE
from unit.adapters.shell import CommandLine


def test_an_extract_is_written_once_and_checked_without_a_vault(
    cli: CommandLine, tmp_path: Path
) -> None:
    saved = cli.save("Text.", "--title", "One", "--kind", "fix", "--agent", "eng-1")
    file = tmp_path / "one.jsonl"
    done = cli("history", "one", "--export", str(file))
    assert (done.code, done.err) == (0, "")
    assert done.out.startswith(f"1 change in {file}\nsha256 ")
    assert file.stat().st_mode & 0o077 == 0
    os.rename(cli.vault, tmp_path / "elsewhere")
    checked = cli("verify", "--extract", str(file))
    assert checked.code == 0
    for told in (f"about entry {saved['id']}", "save  by eng-1 (agent)", "Memory/fix/one.md",
                 "1 change, unbroken", "last hash "):  # fmt: skip
        assert told in checked.out
    data = cli("verify", "--extract", str(file), "--json").answer["data"]
    assert isinstance(data, dict)
    assert (data["sound"], data["entry"]) == (True, saved["id"])
    assert data["changes"][0]["files"][0]["path"] == "Memory/fix/one.md"


def test_an_extract_that_was_changed_is_told_and_exits_1(cli: CommandLine, tmp_path: Path) -> None:
    cli.save("Text.", "--title", "One", "--kind", "fix")
    file = tmp_path / "one.jsonl"
    assert cli("history", "--export", str(file)).code == 0
    file.write_bytes(file.read_bytes().replace(b'"op":"save"', b'"op":"gave"'))
    done = cli("verify", "--extract", str(file))
    assert done.code == EXIT_ERROR
    assert "not sound" in done.out
    answer = cli("verify", "--extract", str(file), "--json").answer
    assert isinstance(answer["data"], dict)
    assert answer["data"]["sound"] is False
    file.write_text("anything")
    assert cli("verify", "--extract", str(file)).code == EXIT_ERROR
    assert cli("verify", "--extract", str(tmp_path / "none")).code == 3


def test_a_file_that_is_there_is_written_over_only_with_force(
    cli: CommandLine, tmp_path: Path
) -> None:
    cli.save("Text.", "--title", "One", "--kind", "fix")
    file = tmp_path / "mine.txt"
    file.write_text("mine")
    done = cli("history", "--export", str(file))
    assert done.code == 4
    assert "--force" in done.err
    assert file.read_text() == "mine"
    assert cli("history", "--export", str(file), "--force").code == 0
    assert cli("verify", "--extract", str(file)).code == 0
    assert [path.name for path in tmp_path.glob("mine*")] == ["mine.txt"]


def test_output_takes_the_extract_itself_and_then_no_json(cli: CommandLine, tmp_path: Path) -> None:
    cli.save("Text.", "--title", "One", "--kind", "fix")
    done = cli("history", "--export", "-", "--no-payloads")
    assert done.code == 0
    (tmp_path / "x").write_bytes(done.raw)
    checked = cli("verify", "--extract", str(tmp_path / "x"))
    assert checked.code == 0
    assert "its content is withheld" in checked.out
    assert cli("history", "--export", "-", "--json").code == EXIT_USAGE


def test_an_extract_of_a_history_that_does_not_hold_says_so(
    cli: CommandLine, tmp_path: Path
) -> None:
    cli.save("Text.", "--title", "One", "--kind", "fix")
    cli.save("Text.", "--title", "Two", "--kind", "fix")
    (segment,) = (cli.vault / ".engrain" / "history").rglob("*.log")
    segment.write_bytes(segment.read_bytes().replace(b'"agent":""', b'"agent":"x"', 1))
    done = cli("history", "--export", str(tmp_path / "x"))
    assert done.code == EXIT_ERROR
    assert "does not hold" in done.err
