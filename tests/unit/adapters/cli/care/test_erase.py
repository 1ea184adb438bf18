"""`erase` on the command line: nothing goes unasked, and what is told names nothing erased."""

from __future__ import annotations

import os
import pty
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from engrain.adapters.hooks.losses import Loss, log_path, note_loss
from engrain.language.secrets.finding import redact
from support.canary import TITLE, WORD, findings
from unit.adapters.shell import CommandLine, Shell


def save(cli: CommandLine, title: str = TITLE, text: str = f"It was {WORD} all along.") -> str:
    assert cli("save", "--kind", "fix", "--title", title, text).code == 0
    rows: Any = cli("list", "--json").answer["data"]
    found: Any = rows["results"] if isinstance(rows, dict) else rows
    return next(str(row["id"]) for row in found if row["title"] == title)


def test_nothing_is_erased_where_nobody_can_be_asked(cli: CommandLine) -> None:
    entry = save(cli)
    for options in ((), ("--json",)):
        done = cli("erase", entry, *options)
        assert done.code == 2
        assert "--yes" in done.out + done.err
    assert cli("show", entry).code == 0


def test_what_is_told_of_an_erasure_names_nothing_erased(cli: CommandLine) -> None:
    entry = save(cli)
    other = save(cli, "Neighbour", f"See [[{entry}]].")
    done = cli("erase", entry, "--yes")
    assert done.code == 0
    assert entry in done.out
    assert WORD.lower() not in (done.out + done.err).lower()
    assert "does not reach" in done.out
    assert findings(cli.vault, cli.state) == []
    assert cli("show", other).code == 0
    again = cli("erase", entry, "--yes", "--json")
    assert again.code == 3
    error: Any = again.answer["error"]
    assert error["code"] == "erased"
    assert cli("check", "history").code == 0


def test_a_repository_around_the_vault_is_told_of(cli: CommandLine) -> None:
    entry = save(cli)
    (cli.folder / ".git").mkdir()
    told: Any = cli("erase", entry, "--yes", "--json").answer["data"]
    assert any(place.startswith(f"{cli.folder}:") for place in told["unreachable"])


def test_an_erasure_answers_a_program(cli: CommandLine) -> None:
    entry = save(cli)
    child = cli("save", "--derived-from", entry, "--title", "Child", f"So {WORD}.", "--json")
    made: Any = child.answer["data"]
    told: Any = cli("erase", entry, "--yes", "--json").answer["data"]
    assert set(told["ids"]) == {entry, made["id"]}
    assert told["derived"] == [made["id"]]
    assert told["files"] == 2
    assert told["changes"]
    assert told["unreachable"]


def test_several_are_erased_at_once_or_none(cli: CommandLine) -> None:
    entry = save(cli)
    assert cli("erase", entry, "nothing-of-that-name", "--yes").code == 3
    assert cli("show", entry).code == 0
    other = save(cli, "Another one", "With a text of its own.")
    assert cli("erase", entry, other, "--yes").code == 0
    assert cli("list").out.count("erased-") == 0


def test_the_log_of_the_hooks_forgets_it(cli: CommandLine) -> None:
    entry = save(cli)
    for reason in (f"no time for {TITLE}", "the vault is locked", f"bad file {entry}"):
        note_loss(str(cli.state), Loss(1.0, "prompt", "host", 5, reason), redact)
    assert cli("erase", entry, "--yes").code == 0
    log = Path(log_path(str(cli.state)))
    assert "the vault is locked" in log.read_text(encoding="utf-8")
    assert len(log.read_text(encoding="utf-8").splitlines()) == 1
    assert log.stat().st_mode & 0o077 == 0


@pytest.mark.parametrize(("typed", "gone"), [("yes", True), ("y", False), ("", False)])
def test_a_person_is_shown_what_goes_and_types_yes(shell: Shell, typed: str, gone: bool) -> None:
    assert shell.run("save", "--kind", "fix", "--title", TITLE, f"It was {WORD}.").code == 0
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [sys.executable, "-m", "engrain", "erase", f"{TITLE}".lower().replace(" ", "-")],
        stdin=theirs,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        cwd=shell.here,
        env=shell.environ,
    )
    os.write(ours, f"{typed}\n".encode())
    out, err = process.communicate(timeout=60)
    os.close(ours)
    os.close(theirs)
    assert process.returncode == (0 if gone else 1), err.decode()
    assert TITLE in out.decode()
    assert "Type yes" in err.decode()
    assert (findings(shell.vault, shell.state) == []) is gone
