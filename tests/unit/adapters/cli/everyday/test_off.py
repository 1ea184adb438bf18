"""Commands where memory is switched off, and text between private marks."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from support.transcripts import ClaudeCode, fix_the_port
from unit.adapters.shell import CommandLine
from unit.learn.reflection.sessions import write_session

PREFERENCE = "Always use pnpm in this repository, never npm."


def data_of(cli: CommandLine, *argv: str) -> Any:
    """What a command says as JSON."""
    return cli(*argv, "--json").answer["data"]


@pytest.fixture
def shop(cli: CommandLine) -> Path:
    """The current folder, in which memory is off."""
    (Path.cwd() / ".engrain.toml").write_text('memory = "off"\n')
    return Path.cwd()


@pytest.mark.parametrize(
    "argv",
    [["recall", "pooler"], ["save", "The pooler."], ["agent", "continuity"], ["handoff", "list"]],
)
def test_what_gives_or_takes_memory_here_says_that_it_is_off(
    cli: CommandLine, shop: Path, argv: list[str]
) -> None:
    done = cli(*argv)
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert "memory is off in" in done.err
    assert str(shop / ".engrain.toml") in done.err
    assert "ENGRAIN_MEMORY=on" in done.err
    assert not list(cli.vault.rglob("*pooler*"))


def test_a_person_may_use_it_for_one_call(
    cli: CommandLine, shop: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("ENGRAIN_MEMORY", "on")
    assert cli("save", "The pooler drops statements.").code == 0
    assert "pooler" in cli("recall", "pooler").out


def test_what_looks_after_the_vault_goes_on_and_says_so(cli: CommandLine, shop: Path) -> None:
    assert cli("list").code == 0
    assert "off here, memory" in cli("status").out
    assert data_of(cli, "status")["vault"]["off"]
    assert "memory: off, memory" in cli("doctor").out


@pytest.mark.parametrize("argv", [["recall", "x"], ["status"], ["doctor"]])
def test_a_switch_that_can_not_be_read_is_one_clear_line(
    cli: CommandLine, shop: Path, argv: list[str]
) -> None:
    (shop / ".engrain.toml").write_text('memory = "of"\n')
    done = cli(*argv)
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert 'memory is "of"' in done.err
    assert str(shop / ".engrain.toml") in done.err
    assert 'neither "on" nor "off"' in done.err


def test_folders_are_set_as_whole_paths(cli: CommandLine) -> None:
    assert cli("config", "set", "projects.off", "shop, ~/other").code == 0
    said = data_of(cli, "config", "get", "projects.off")["projects.off"]["value"]
    assert said.startswith(f"{Path.cwd()}/shop,/")
    assert "~" not in said
    assert cli("config", "set", "memory", "of").code == 2


def test_sessions_of_a_folder_that_is_off_are_not_learned_from(cli: CommandLine) -> None:
    shop = cli.folder / "shop"
    write_session(cli.folder / "sessions", "a", PREFERENCE, cwd=str(shop / "src"))
    (cli.folder / "sessions" / "b.jsonl").write_bytes(fix_the_port(ClaudeCode("b", cwd=str(shop))))
    assert cli("config", "set", "projects.off", str(shop)).code == 0
    assert cli("learn", "reflect", str(cli.folder / "sessions")).code == 0
    done = data_of(cli, "import", "transcripts", str(cli.folder / "sessions"))
    assert done["passed_over"] == {"off": 1}
    assert data_of(cli, "list", "--all-projects", "--include-inbox")["total"] == 0
    assert cli("config", "unset", "projects.off").code == 0
    assert cli("learn", "reflect", str(cli.folder / "sessions")).code == 0
    assert data_of(cli, "list", "--all-projects")["total"] == 1


def test_what_is_private_in_a_session_is_not_learned(cli: CommandLine) -> None:
    write_session(cli.folder / "sessions", "a", f"Thanks. <private>{PREFERENCE}</private>")
    write_session(cli.folder / "sessions", "b", "Go on.", answers=[f"I see. <private>{PREFERENCE}"])
    session = ClaudeCode("c").request("Fix the <private>zanzibar</private> port.")
    session.run("npm test", "12 passed <private>zanzibar</private>")
    (cli.folder / "sessions" / "c.jsonl").write_bytes(session.raw)
    assert cli("learn", "reflect", str(cli.folder / "sessions")).code == 0
    assert cli("import", "transcripts", str(cli.folder / "sessions")).code == 0
    kept = b"".join(path.read_bytes() for path in cli.vault.rglob("*") if path.is_file())
    assert b"port" in kept
    assert b"pnpm" not in kept
    assert b"zanzibar" not in kept


def test_what_is_private_in_a_note_or_a_day_is_not_learned(cli: CommandLine) -> None:
    folder = cli.folder / "notes"
    folder.mkdir()
    (folder / "a.md").write_text(
        "# Notes\n\nAnna works at Acme.\n\n<private>\n\nBert works at Zanzibar.\n\n</private>\n"
    )
    assert cli("learn", "extract", str(folder)).code == 0
    assert cli("today", "We greased the crane. <private>Zanzibar</private>").code == 0
    kept = b"".join(path.read_bytes() for path in cli.vault.rglob("*") if path.is_file())
    assert b"Acme" in kept
    assert b"crane" in kept
    assert b"Zanzibar" not in kept


def test_a_save_leaves_private_text_out_and_says_so(cli: CommandLine) -> None:
    done = cli("save", "The gate sticks. <private>The code is 4711.</private>")
    assert "left out: what was between <private> marks" in done.out
    kept = b"".join(path.read_bytes() for path in cli.vault.rglob("*") if path.is_file())
    assert b"gate sticks" in kept
    assert b"4711" not in kept
    assert cli("save", "<private>The code is 4711.</private>").code != 0
