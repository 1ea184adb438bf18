"""save, edit, evolve, forget, restore and link at the command line."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from unit.adapters.shell import CommandLine


def make_editor(folder: Path, script: str) -> str:
    """An editor that does to the file in `$1` what `script` says."""
    editor = folder / "an editor.sh"
    editor.write_text(f"#!/bin/sh\n{script}\n")
    editor.chmod(editor.stat().st_mode | stat.S_IXUSR)
    return f"'{editor}'"


@pytest.fixture
def saved(cli: CommandLine) -> dict[str, str]:
    return cli.save("The old words.\n", "--title", "Words", "--tag", "first")


def test_edit_opens_the_editor_on_the_text(
    cli: CommandLine, saved: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    script = 'cp "$1" seen.md; printf "The new words.\\n" > "$1"'
    monkeypatch.setenv("EDITOR", make_editor(cli.folder, script))
    done = cli("edit", saved["id"], "--json")
    assert done.code == 0
    assert done.answer["data"]["outcome"] == "updated"
    assert Path("seen.md").read_text() == "The old words.\n"
    assert (cli.vault / saved["path"]).read_text().endswith("\n# Words\nThe new words.\n")


def test_visual_comes_before_editor(
    cli: CommandLine, saved: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "false")
    monkeypatch.setenv("VISUAL", make_editor(cli.folder, 'echo "Seen." > "$1"'))
    assert cli("edit", saved["id"]).code == 0
    assert "Seen." in cli("show", saved["id"]).out


def test_an_editor_that_changes_nothing_leaves_the_entry_unchanged(
    cli: CommandLine, saved: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EDITOR", "true")
    before = (cli.vault / saved["path"]).read_bytes()
    assert cli("edit", saved["id"]).out.startswith("unchanged")
    assert (cli.vault / saved["path"]).read_bytes() == before


@pytest.mark.parametrize(
    ("editor", "why"),
    [
        ("false", "failed"),
        ("no-such-editor-here", "can't be run"),
        ("'unbalanced", "can't be run"),
        ("latin", "left no UTF-8 text"),
        ("remover", "left no UTF-8 text"),
    ],
)
def test_an_editor_that_fails_changes_nothing(
    cli: CommandLine, saved: dict[str, str], monkeypatch: pytest.MonkeyPatch, editor: str, why: str
) -> None:
    scripts = {"latin": 'printf "caf\\351" > "$1"', "remover": 'rm "$1"'}
    if editor in scripts:
        editor = make_editor(cli.folder, scripts[editor])
    monkeypatch.setenv("EDITOR", editor)
    before = (cli.vault / saved["path"]).read_bytes()
    done = cli("edit", saved["id"])
    assert done.code == 2
    assert why in done.err
    assert done.err.count("\n") == 1
    assert (cli.vault / saved["path"]).read_bytes() == before


def test_without_an_editor_edit_says_what_to_give(cli: CommandLine, saved: dict[str, str]) -> None:
    done = cli("edit", saved["id"])
    assert done.code == 2
    assert "EDITOR" in done.err


def test_an_entry_changed_while_the_editor_was_open_is_a_conflict(
    cli: CommandLine, saved: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    file = cli.vault / saved["path"]
    script = f'echo "Another hand." >> "{file}"; echo "Mine." > "$1"'
    monkeypatch.setenv("EDITOR", make_editor(cli.folder, script))
    assert cli("edit", saved["id"]).code == 4
    assert file.read_text().endswith("The old words.\nAnother hand.\n")


def test_an_entry_can_not_choose_where_the_editor_writes(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    outside = cli.folder / "outside"
    outside.mkdir()
    (cli.vault / "trap.md").write_text(
        f'---\nid: trapped\nslug: "{outside}/owned"\n---\n# Trap\n\nWords.\n'
    )
    monkeypatch.setenv("EDITOR", make_editor(cli.folder, 'printf "%s" "$1" > opened'))
    assert cli("edit", "trapped").code == 0
    assert list(outside.iterdir()) == []
    assert not Path("opened").read_text().startswith(str(outside))


def test_text_for_an_edit_needs_the_version_it_is_about(
    cli: CommandLine, saved: dict[str, str]
) -> None:
    done = cli("edit", saved["id"], "New words.", "--json")
    assert done.code == 2
    assert "--expect" in done.answer["error"]["remedy"]


def test_an_edit_against_the_version_that_is_there_succeeds_once(
    cli: CommandLine, saved: dict[str, str]
) -> None:
    argv = ["edit", saved["id"], "--expect", saved["hash"]]
    assert cli(*argv, "--title", "Better words", "--tag", "second").code == 0
    shown = cli("show", saved["id"]).out
    assert shown.startswith("Better words\n")
    assert "second" in shown
    assert "first" not in shown
    assert cli(*argv, "Too late.").code == 4


def test_evolve_reads_standard_input_and_tells_both_ids(
    cli: CommandLine, saved: dict[str, str]
) -> None:
    done = cli("evolve", saved["id"], "-", "--json", stdin=b"The newer words.\n")
    data = done.answer["data"]
    assert data["other"] == saved["id"]
    assert data["path"] == saved["path"]
    assert "The newer words." in cli("show", str(data["id"])).out
    assert "status     superseded" in cli("show", saved["id"]).out


def test_forget_and_restore_tell_what_they_came_to(cli: CommandLine, saved: dict[str, str]) -> None:
    assert cli("forget", saved["id"], "--reason", "outdated").out.startswith("deleted  Words\n")
    assert cli("forget", saved["id"]).out.startswith("unchanged  Words\n")
    assert cli("recall", "words").out == "Nothing in memory matches.\n"
    assert cli("restore", saved["id"]).out.startswith("restored  Words\n")
    assert cli("restore", saved["id"]).out.startswith("unchanged  Words\n")


def test_link_shows_on_both_ends(cli: CommandLine, saved: dict[str, str]) -> None:
    other = cli.save("Other words.", "--title", "Other")
    assert cli("link", saved["id"], other["id"], "--relation", "elaborates").code == 0
    assert f"-> {other['id']} (elaborates): Other\n" in cli("show", saved["id"]).out
    assert f"<- Words (elaborates)  {saved['id']}\n" in cli("show", other["id"]).out
    assert cli("link", saved["id"], other["id"], "--relation", "likes").code == 2
    assert cli("link", saved["id"], saved["id"]).code == 2


def test_save_says_which_tier_decided(cli: CommandLine) -> None:
    text = "Root cause: two clocks. #time"
    data = cli("save", text, "--title", "Flaky test", "--json").answer["data"]
    assert data["detected"] == {
        "kind": {"value": "fix", "by": "text"},
        "status": {"value": "active", "by": "default"},
        "tags": {"value": "time", "by": "text"},
    }
    explicit = cli("save", text, "--kind", "idea", "--tag", "x", "--status", "active", "--json")
    assert "detected" not in explicit.answer["data"]


@pytest.mark.parametrize(
    "argv",
    [
        ["save"],
        ["save", ""],
        ["save", "x", "--kind", "../up"],
        ["save", "x", "--status", "asleep"],
        ["save", "x", "--confidence", "1.5"],
        ["save", "x", "--confidence", "nan"],
        ["save", "x", "--created", "soon"],
        ["save", "x", "--title", "t" * 201],
        ["save", "x" * (513 * 1024)],
        ["save", "x", "--trust", "me"],
    ],
)
def test_a_save_that_makes_no_sense_writes_nothing(cli: CommandLine, argv: list[str]) -> None:
    done = cli(*argv)
    assert done.code == 2
    assert done.err.count("\n") == 1
    assert [path.name for path in cli.vault.rglob("*.md")] == ["ARCHITECTURE.md"]


def test_a_secret_that_was_replaced_is_reported_by_its_rule(cli: CommandLine) -> None:
    secret = "ghp_" + "aB3dE6gH9" * 4
    done = cli("save", f"Deploy with {secret}.")
    assert done.code == 0
    assert secret not in done.out
    assert "  redacted: github-token; set redact = off to keep such text\n" in done.out
    answer = cli("save", f"Build with {secret}.", "--json").answer
    assert answer["data"]["redacted"] == ["github-token"]


def test_a_source_may_be_named_by_its_title(cli: CommandLine, saved: dict[str, str]) -> None:
    derived = cli.save("Drawn from them.", "--title", "Drawn", "--derived-from", "Words")
    assert saved["id"] in (cli.vault / derived["path"]).read_text()
    unknown = cli.save("From far.", "--title", "Far", "--derived-from", "https://example.org/a")
    assert "https://example.org/a" in (cli.vault / unknown["path"]).read_text()


def test_what_holds_until_a_day_is_recalled_to_its_end_and_no_longer(cli: CommandLine) -> None:
    cli.save("The staging database is frozen.", "--until", "2026-01-09")
    cli.save("The test database is frozen.", "--until", "2999-01-09")
    recalled = cli("recall", "which database is frozen").out
    assert "test database" in recalled and "staging" not in recalled
    ended = cli("recall", "staging database frozen", "--include-superseded").out
    assert "until 2026-01-09" in ended


def test_the_nearest_older_entry_is_named_when_a_like_one_is_saved(cli: CommandLine) -> None:
    older = cli.save("Our Leipzig team sits on the third floor.", "--created", "2026-03-01")
    done = cli("save", "Our Leipzig team sits at the station.")
    said = f"like {older['id']} “Our Leipzig team sits on the third floor.” (2026-03-01)"
    assert f"{said}: evolve it if this replaces it" in done.out
    assert cli.save("Our Leipzig team sits at the old station.")["like"]
    assert "like" not in cli.save("Tomatoes need a roof.")
