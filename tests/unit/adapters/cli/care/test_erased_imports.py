"""What was erased stays out of the vault: no import brings it back unasked, whatever the format."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from engrain.interchange import living
from support.canary import WORD, findings
from support.transcripts import ClaudeCode, fix_the_port
from unit.adapters.shell import CommandLine

SAID = f"The tenant of the third floor is called {WORD}, as the lease says."
OTHER = "The boiler in the cellar is read out on the first of each month."


def put(folder: Path, files: dict[str, Any]) -> str:
    for name, content in files.items():
        place = folder / name
        place.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, bytes):
            place.write_bytes(content)
        else:
            text = content if isinstance(content, str) else json.dumps(content)
            place.write_text(text, encoding="utf-8")
    return str(folder)


def markdown(folder: Path) -> list[str]:
    return ["markdown", put(folder, {"lease.md": f"# Lease\n\n{SAID}\n", "boiler.md": OTHER})]


def claude_memory(folder: Path) -> list[str]:
    files = {"lease.md": f"---\nname: lease\n---\n{SAID}\n", "boiler.md": OTHER}
    return ["claude-memory", put(folder, files)]


def transcripts(folder: Path) -> list[str]:
    return ["transcripts", put(folder, {"a.jsonl": fix_the_port(ClaudeCode(), SAID)})]


def living_tree(folder: Path) -> list[str]:
    front = "---\nid: abc12345\ncreated: '2026-01-31T15:47:00'\n---\n"
    files = {f"{living.FOLDERS[0]}/lease.md": f"{front}# Lease\n\n{SAID}\n"}
    return ["living", put(folder, files)]


FORMATS: list[Callable[[Path], list[str]]] = [
    markdown, claude_memory, transcripts, living_tree,
]  # fmt: skip


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


@pytest.mark.parametrize("make", FORMATS, ids=lambda make: make.__name__)
def test_what_was_erased_does_not_come_in_again(
    cli: CommandLine, make: Callable[[Path], list[str]]
) -> None:
    argv = ["import", *make(cli.folder / "source")]
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
    assert cli("verify").code == 0


def test_a_file_that_says_something_else_by_now_comes_in(cli: CommandLine) -> None:
    argv = ["import", *markdown(cli.folder / "source")]
    data_of(cli, *argv)
    assert erase_word(cli) == 1
    put(cli.folder / "source", {"lease.md": "# Lease\n\nThe lease of the third floor ended.\n"})
    again = data_of(cli, *argv)["outcomes"]
    assert again == {"created": 1, "unchanged": 1}
