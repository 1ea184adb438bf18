"""`engrain personal`: but for the log nothing without --authorize."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest

from unit.adapters.shell import CommandLine

DAY = "# A day\n\nwith words\n"
HASH = sha256(DAY.encode()).hexdigest()


@pytest.fixture
def root(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The operator's notes, configured."""
    root = cli.folder / "notes"
    (root / "Journal").mkdir(parents=True)
    (root / "Journal" / "day.md").write_text(DAY)
    monkeypatch.setenv("ENGRAIN_PERSONAL_ROOT", str(root))
    return root


def data(cli: CommandLine, *argv: str, stdin: bytes = b"") -> Any:
    """The data of an authorized action's answer."""
    authorized = () if argv[0] == "log" else ("--authorize",)
    done = cli("personal", *argv, *authorized, "--json", stdin=stdin)
    assert done.code == 0, done.out
    answer = done.answer["data"]
    assert answer["action"] == argv[0]
    return answer


def uses(cli: CommandLine) -> list[tuple[str, str, str]]:
    listed = data(cli, "log")["uses"]
    return [(use["verb"], use["place"], use["outcome"]) for use in listed]


ACTIONS = [
    ["list"],
    ["list", "Journal"],
    ["read", "Journal/day.md"],
    ["write", "Journal/new.md", "words"],
]


@pytest.mark.parametrize("argv", ACTIONS, ids=" ".join)
def test_nothing_is_done_unless_the_operator_said_so(
    cli: CommandLine, root: Path, argv: list[str]
) -> None:
    cli.save("Words.", "--title", "Hello")
    done = cli("personal", *argv)
    assert (done.code, done.out, done.err.count("\n")) == (2, "", 1)
    place = argv[-1] if argv[0] == "read" else "".join(argv[1:2])
    assert f"would {argv[0]} '{place}' in the operator's personal notes" in done.err
    assert "--authorize" in done.err
    assert uses(cli) == [(argv[0], place, "usage")]
    assert [path.name for path in root.rglob("*.md")] == ["day.md"]


@pytest.mark.parametrize("argv", ACTIONS, ids=" ".join)
def test_without_a_root_nothing_is_reached(cli: CommandLine, argv: list[str]) -> None:
    cli.save("Words.", "--title", "Hello")
    done = cli("personal", *argv, "--authorize")
    assert (done.code, done.err.count("\n")) == (1, 1)
    assert "engrain config set personal.root" in done.err
    assert cli("personal", *argv).code == 2


def test_a_project_file_sets_no_root(cli: CommandLine, tmp_path: Path) -> None:
    Path(".engrain.toml").write_text(f'[personal]\nroot = "{tmp_path}"\n')
    done = cli("personal", "list", "--authorize")
    assert done.code == 1
    assert "may not set" in done.err


def test_a_note_is_listed_read_and_written(cli: CommandLine, root: Path) -> None:
    assert data(cli, "list")["places"] == ["Journal/"]
    assert data(cli, "list", "Journal/")["places"] == ["Journal/day.md"]
    note = data(cli, "read", "Journal/day.md")
    assert (note["hash"], note["text"]) == (HASH, DAY)
    shown = cli("personal", "read", "Journal/day.md", "--authorize").out
    assert HASH in shown
    assert "with words" in shown
    new = data(cli, "write", "Journal/new.md", "-", stdin=b"# New")
    assert (new["before"], new["kept"]) == (None, None)
    assert (root / "Journal/new.md").read_bytes() == b"# New"
    data(cli, "write", "Journal/newer.md", "# Newer")
    assert (root / "Journal/newer.md").read_bytes() == b"# Newer\n"
    changed = data(cli, "write", "Journal/day.md", "--expect", HASH, stdin=b"# Night\n")
    assert changed["before"] == HASH
    assert Path(str(changed["kept"])).read_text() == DAY
    assert uses(cli)[-1] == ("write", "Journal/day.md", "done")


def test_secrets_in_what_is_written_are_replaced(cli: CommandLine, root: Path) -> None:
    token = "ghp_" + "a1B2" * 9
    changed = data(cli, "write", "Journal/new.md", f"the token is {token}")
    assert changed["redacted"] is True
    assert token not in (root / "Journal/new.md").read_text()


def test_writing_over_what_was_not_read_is_a_conflict(cli: CommandLine, root: Path) -> None:
    done = cli("personal", "write", "Journal/day.md", "words", "--authorize")
    assert (done.code, done.err.count("\n")) == (4, 1)
    assert "--expect HASH" in done.err
    assert (root / "Journal/day.md").read_text() == DAY


def test_the_log_needs_no_say_and_no_root(
    cli: CommandLine, root: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "not been used" in cli("personal", "log").out
    cli("personal", "read", "Journal/day.md", "--authorize", "--agent", "reviewer")
    monkeypatch.delenv("ENGRAIN_PERSONAL_ROOT")
    words = cli("personal", "log").out.splitlines()[1].split()
    assert words[1:] == ["read", "Journal/day.md", "reviewer", "done"]
    assert "Journal" not in cli("personal", "log", "--since", "2036-01-01").out
