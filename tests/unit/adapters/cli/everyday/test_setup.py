"""setup and uninstall at the command line."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from unit.adapters.shell import CommandLine, Shell

SETTINGS = '{\n\t"hooks": {\n\t\t"Stop": []\n\t},\n\t"note": "é"\n}'


def test_setup_shows_changes_says_no_change_and_uninstall_takes_all_back(cli: CommandLine) -> None:
    settings = cli.folder / "home" / ".claude" / "settings.json"
    settings.parent.mkdir()
    settings.write_text(SETTINGS)
    shown = cli("setup", "claude-code", "--dry-run")
    assert shown.code == 0
    assert f"--- {settings}\n+++ {settings}\n@@" in shown.out
    assert '+\t\t"SessionStart": [' in shown.out
    assert settings.read_text() == SETTINGS
    assert not (cli.folder / "home" / ".claude.json").exists()
    done = cli("setup", "claude-code")
    assert done.code == 0
    assert f"  changed: {settings}\n" in done.out
    assert "engrain doctor" in done.out
    assert "Claude Code: no change\n" in cli("setup", "claude-code").out
    undone = cli("setup", "claude-code", "--remove")
    assert undone.code == 0
    assert "the vault was not changed\n" in undone.out
    assert settings.read_text() == SETTINGS
    assert sorted(path.name for path in settings.parent.iterdir()) == ["settings.json"]
    assert "Claude Code: no change\n" in cli("setup", "claude-code", "--remove").out


def test_setup_makes_a_vault_where_none_is_configured(bare: CommandLine) -> None:
    home = bare.folder / "home"
    shown = bare("setup", "codex", "--dry-run")
    assert f"would make a vault: {home}/engrain\n" in shown.out
    assert list(home.iterdir()) == []
    done = bare("setup", "codex")
    assert done.code == 0
    assert f"vault ready: {home}/engrain\n" in done.out
    assert bare("save", "It is there.").code == 0
    assert "vault ready" not in bare("setup", "codex").out
    bare("setup", "codex", "--remove")
    assert "It is there." in bare("list").out


def test_the_last_removal_names_the_folders_of_this_device_that_stay(bare: CommandLine) -> None:
    bare("setup", "codex")
    bare("setup", "gemini")
    assert "this device keeps" not in bare("setup", "codex", "--remove").out
    shown = bare("setup", "gemini", "--remove", "--dry-run", "--json").answer["data"]
    assert "left" not in shown
    last = bare("setup", "gemini", "--remove", "--json").answer["data"]
    home = bare.folder / "home"
    assert last["left"] == [str(home / ".config/engrain"), str(home / ".local/state/engrain")]
    assert all(Path(folder).is_dir() for folder in last["left"])


def test_remove_takes_the_transcripts_along_that_our_plugin_wrote(bare: CommandLine) -> None:
    kept = bare.folder / "home" / ".local" / "share" / "opencode" / "engrain"
    bare("setup", "opencode")
    kept.mkdir(parents=True)
    (kept / "ses_1.jsonl").write_text("{}\n")
    bare("setup", "opencode", "--remove", "--dry-run")
    assert (kept / "ses_1.jsonl").exists()
    bare("setup", "opencode", "--remove")
    assert kept.parent.is_dir() and not kept.exists()


def test_setup_makes_the_vault_where_it_is_told_to(bare: CommandLine) -> None:
    done = bare("setup", "cursor", "--vault", str(bare.vault), "--json")
    data = done.answer["data"]
    assert data["vault"] == {"path": str(bare.vault), "created": True}
    assert (bare.vault / ".engrain").is_dir()
    other = bare("setup", "cursor", "--vault", str(bare.folder / "other"))
    assert other.code == 2
    assert f"engrain config set vault {bare.folder / 'other'}" in other.err


def test_a_vault_of_the_environment_is_told_to_be_for_this_shell_only(cli: CommandLine) -> None:
    assert f"`engrain config set vault {cli.vault}`" in cli("setup", "gemini").out


def test_a_vault_that_the_environment_names_is_made_where_nothing_is(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    wanted = cli.folder / "wanted"
    monkeypatch.setenv("ENGRAIN_VAULT", str(wanted))
    assert "would make a vault" in cli("setup", "gemini", "--dry-run").out
    assert not wanted.exists()
    done = cli("setup", "gemini")
    assert f"vault ready: {wanted}" in done.out
    assert "default" not in done.out.partition("Gemini")[0]
    assert cli("recall", "anything").code == 0


def test_a_vault_that_can_not_be_used_is_an_error_and_no_host_is_wired(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = cli.folder / "other"
    other.mkdir()
    monkeypatch.setenv("ENGRAIN_VAULT", str(other))
    done = cli("setup", "gemini")
    assert done.code != 0
    assert "not a vault" in done.err
    assert not (cli.folder / "home" / ".gemini").exists()


def test_a_dry_run_of_all_shows_each_text_once_and_says_where_it_is_repeated(
    cli: CommandLine,
) -> None:
    for folder in (".claude", ".codex", ".gemini"):
        (cli.folder / "home" / folder).mkdir()
    out = cli("setup", "--all", "--dry-run").out
    first = cli.folder / "home" / ".agents" / "skills" / "engrain" / "SKILL.md"
    assert out.count("SKILL.md\n@@") == 2  # Claude Code's has no name
    assert out.count(f"the same text as in {first}") == 1
    data = cli("setup", "--all", "--dry-run", "--json").answer["data"]
    diffs = [file["diff"] for host in data["hosts"] for file in host["files"]]
    assert sum("SKILL.md\n@@" in diff for diff in diffs) == 3


def test_all_means_every_host_that_is_here(cli: CommandLine) -> None:
    home = cli.folder / "home"
    for folder in (".claude", ".config/opencode"):
        (home / folder).mkdir(parents=True)
    data = cli("setup", "--all", "--json").answer["data"]
    assert [host["host"] for host in data["hosts"]] == ["claude-code", "opencode"]
    assert all(host["changed"] for host in data["hosts"])
    assert data["absent"][:2] == ["codex", "gemini"]
    assert not (home / ".codex").exists()
    assert "not on this machine: Codex, Gemini CLI, " in cli("setup", "--all", "--remove").out
    assert sorted(path.name for path in home.iterdir()) == [".claude", ".config"]


@pytest.mark.parametrize("argv", [[], ["claude-code", "--all"], ["vim"]])
@pytest.mark.parametrize("more", [[], ["--remove"]])
def test_a_wrong_call_names_the_hosts(cli: CommandLine, more: list[str], argv: list[str]) -> None:
    done = cli("setup", *argv, *more)
    assert done.code == 2
    assert "claude-code, codex, gemini, " in done.err


def test_a_call_without_a_host_says_which_are_here(cli: CommandLine) -> None:
    for folder in (".kiro", ".config/zed"):
        (cli.folder / "home" / folder).mkdir(parents=True)
    assert "found on this machine: zed, kiro;" in cli("setup").err


def test_a_file_that_does_not_parse_is_one_line_and_no_host_is_touched(bare: CommandLine) -> None:
    home = bare.folder / "home"
    (home / ".gemini").mkdir()
    (home / ".gemini" / "settings.json").write_text('{\n  "hooks": {,}\n}\n')
    (home / ".claude").mkdir()
    done = bare("setup", "--all")
    assert done.code == 1
    assert done.err.count("\n") == 1
    assert "in line 2" in done.err
    assert str(home / ".gemini" / "settings.json") in done.err
    assert list((home / ".claude").iterdir()) == []
    assert not (home / "engrain").exists()


def test_two_hosts_at_once_are_both_wired(shell: Shell) -> None:
    running = [
        subprocess.Popen(
            [sys.executable, "-m", "engrain", "setup", host, "--json"],
            cwd=shell.here,
            env=shell.environ,
            stdout=subprocess.PIPE,
        )
        for host in ("claude-code", "gemini")
    ]
    answers = [json.loads(process.communicate(timeout=60)[0]) for process in running]
    assert [answer["ok"] for answer in answers] == [True, True]
    for file in (".claude/settings.json", ".gemini/settings.json"):
        assert "session-start" in (shell.home / file).read_text()
    assert shell.run("setup", "--all", "--remove").code == 0
    left = [path for path in shell.home.rglob("*") if path.is_file()]
    assert left == []


def test_a_dry_run_of_uninstall_changes_nothing(cli: CommandLine) -> None:
    pytest.importorskip("fastmcp", reason="the extra mcp is not installed here")
    cli("setup", "claude-code")
    path = cli.folder / "home" / ".claude.json"
    before = path.read_bytes()
    done = cli("setup", "claude-code", "--remove", "--dry-run", "--json")
    data = done.answer["data"]
    (files,) = (host["files"] for host in data["hosts"])
    assert {Path(file["path"]).name: file["action"] for file in files} == {
        "settings.json": "removed",
        ".claude.json": "removed",
        "SKILL.md": "removed",
    }
    assert "+++ /dev/null" in files[0]["diff"]
    assert path.read_bytes() == before
