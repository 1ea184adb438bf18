"""What was erased stays out of the vault: an import of the same session does not bring it back."""

from __future__ import annotations

import json
from typing import Any

from support.canary import WORD, findings
from support.transcripts import ClaudeCode, fix_the_port
from unit.adapters.shell import CommandLine

SAID = f"The tenant of the third floor is called {WORD}, as the lease says."


def data_of(cli: CommandLine, *argv: str, code: int = 0) -> Any:
    done = cli(*argv, "--json")
    assert done.code == code, done.err or done.out
    return done.answer["data"]


def erase_word(cli: CommandLine) -> int:
    """Erase every entry that has the word; how many."""
    erased = 0
    for path in sorted((cli.vault / "Memory").rglob("*.*")):
        if path.name.startswith("index.") or "erased-" in path.name or not path.is_file():
            continue
        if WORD in path.read_text(encoding="utf-8") or WORD in json.dumps(
            json.loads(path.read_text(encoding="utf-8")) if path.suffix == ".json" else "",
            ensure_ascii=False,
        ):
            place = str(path.relative_to(cli.vault))
            if cli("erase", place, "--yes").code == 0:
                erased += 1
    return erased


def test_what_was_erased_does_not_come_in_again(cli: CommandLine) -> None:
    folder = cli.folder / "source"
    folder.mkdir()
    (folder / "a.jsonl").write_bytes(fix_the_port(ClaudeCode(), SAID))
    argv = ["import", "transcripts", str(folder)]
    assert "erased" not in data_of(cli, *argv)["outcomes"]
    assert findings(cli.vault)
    erased = erase_word(cli)
    assert erased
    assert findings(cli.vault, cli.state) == []
    for _ in range(2):  # each time anew: there is nothing that a first answer settles
        again = data_of(cli, *argv)
        assert again["outcomes"]["erased"] == erased
        assert "created" not in again["outcomes"]
        assert "similar" not in again["outcomes"]
        told = [one["message"] for one in again["problems"]]
        assert any("no import brings it back" in message for message in told)
        assert findings(cli.vault, cli.state) == []
    assert cli("check", "history").code == 0
