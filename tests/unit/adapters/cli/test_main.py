"""Dispatch: one envelope, one table of exit codes, options anywhere, help with examples."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from engrain.adapters.cli.commands import ALIASES, COMMANDS, GROUPS, MODULES, PACKAGED
from unit.adapters.shell import CommandLine, Shell

KEYS = ["ok", "command", "data", "error"]
ERROR_KEYS = ["code", "message", "path", "remedy"]

# One command line of each command that succeeds; {id} and {hash} are those of a saved entry.
GOOD = {
    "init": ["init"],
    "save": ["save", "A text.", "--title", "Another"],
    "recall": ["recall", "lighthouse"],
    "show": ["show", "{id}"],
    "list": ["list"],
    "edit": ["edit", "{id}", "--expect", "{hash}", "Other words."],
    "evolve": ["evolve", "{id}", "Newer words."],
    "forget": ["forget", "{id}"],
    "archive": ["archive", "{id}"],
    "restore": ["restore", "{id}"],
    "erase": ["erase", "{id}", "--yes"],
    "merge": ["merge", "{id}", "{other}"],
    "rename": ["rename", "{id}", "Beacon"],
    "link": ["link", "{id}", "{other}"],
    "commitment": ["commitment", "list"],
    "history": ["history"],
    "undo": ["undo"],
    "check": ["check", "--fix", "--deep"],
    "episode": ["episode", "list"],
    "fact": ["fact", "add", "--entity", "Ada", "Ada keeps the light."],
    "entity": ["entity", "list"],
    "learn": ["learn", "extract"],
    "skill": ["skill", "list"],
    "agent": ["agent", "begin"],
    "project": ["project", "begin", "work", "--project", "harbour"],
    "handoff": ["handoff", "list"],
    "today": ["today", "The tide is low."],
    "review": ["review", "list"],
    "digest": ["digest"],
    "jobs": ["jobs", "run"],
    "device": ["device", "show"],
    "personal": ["personal", "log"],
    "graph": ["graph"],
    "import": ["import", "{folder}"],
    "export": ["export", "--format", "loki", "{folder}-loki"],
    "backup": ["backup", "{folder}.tar"],
    "status": ["status"],
    "doctor": ["doctor"],
    "setup": ["setup", "codex", "--dry-run"],
    "eval": ["eval", "run", "{questions}"],
    "config": ["config"],
    "demo": ["demo"],
}
MAKERS = ("save", "edit", "evolve", "forget", "restore", "link", "undo")
STAYING = ("console", "hook", "mcp")
"""Commands that leave or stay as no other does, or need a database: they are tried as processes of
their own."""
NEED_NO_VAULT = (
    "init", "setup", "eval", "config", "demo",
)  # fmt: skip


@pytest.fixture
def words(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> dict[str, str]:
    """What the command lines of `GOOD` talk about."""
    monkeypatch.setenv("ENGRAIN_EMBEDDER", "stub")
    cli.save("A pier.", "--title", "Pier")
    cli("undo")
    first = cli.save("The lighthouse keeper counts the waves.", "--title", "Lighthouse")
    other = cli.save("A harbour at night.", "--title", "Harbour")
    folder = cli.folder / "notes"
    folder.mkdir()
    (folder / "a.md").write_text("# A\n\nImported.\n")
    questions = cli.folder / "questions.jsonl"
    questions.write_text(
        '{"id": "waves", "question": "who counts the waves?", "expected": ["Lighthouse"]}\n'
    )
    cli("project", "begin", "work", "--project", "pier")
    cli("project", "end", "work", "--summary", "It stands.", "--project", "pier")
    return {
        "id": first["id"],
        "hash": first["hash"],
        "other": other["id"],
        "folder": str(folder),
        "questions": str(questions),
    }


def fill(argv: list[str], words: dict[str, str]) -> list[str]:
    return [word.format(**words) for word in argv]


def test_the_tables_of_these_tests_name_every_command() -> None:
    assert sorted(GOOD) == sorted(name for name in MODULES if name not in STAYING)


@pytest.mark.parametrize("command", list(GOOD))
def test_every_command_answers_with_one_envelope(
    cli: CommandLine, words: dict[str, str], command: str
) -> None:
    done = cli(*fill(GOOD[command], words), "--json")
    assert done.code == 0
    assert done.err == ""
    assert done.out.count("\n") == 1
    assert list(done.answer) == KEYS
    assert done.answer["ok"] is True
    assert done.answer["command"] == command
    assert done.answer["error"] is None


@pytest.mark.parametrize("command", [name for name in GOOD if name != "demo"])
def test_every_command_without_json_answers_in_text(
    cli: CommandLine, words: dict[str, str], command: str
) -> None:
    done = cli(*fill(GOOD[command], words))
    assert done.code == 0
    assert done.err == ""
    assert done.out.strip()
    assert not done.out.startswith("{")


@pytest.mark.parametrize("command", MAKERS)
def test_what_makes_or_changes_an_entry_puts_its_id_into_data(
    cli: CommandLine, words: dict[str, str], command: str
) -> None:
    data = cli(*fill(GOOD[command], words), "--json").answer["data"]
    assert cli("show", str(data["id"]), "--json").answer["ok"] is True


@pytest.mark.parametrize("command", list(GOOD))
def test_every_command_tells_a_usage_error_in_the_envelope(bare: CommandLine, command: str) -> None:
    done = bare(command, "--no-such-option", "--json")
    assert done.code == 2
    assert done.err == ""
    assert list(done.answer) == KEYS
    assert done.answer["ok"] is False
    assert done.answer["command"] == command
    assert done.answer["data"] is None
    error = done.answer["error"]
    assert list(error) == ERROR_KEYS
    assert error["code"] == "usage"
    assert re.search(f"`engrain {command}( [a-z]+)? --help`", error["remedy"])


@pytest.mark.parametrize("command", [name for name in GOOD if name not in NEED_NO_VAULT])
def test_every_command_that_needs_a_vault_says_that_none_is_configured(
    bare: CommandLine, command: str
) -> None:
    words = {"id": "x", "hash": "x", "other": "y", "folder": str(bare.folder)}
    done = bare(*fill(GOOD[command], words), "--json")
    assert done.code == 5
    error = done.answer["error"]
    assert list(error) == ERROR_KEYS
    assert error["code"] == "vault_unavailable"
    assert "engrain init" in error["remedy"]


@pytest.mark.parametrize("argv", [["--vault", "v"], ["frobnicate"], ["--vault"], ["-x"]])
def test_a_line_without_a_command_is_a_usage_error(bare: CommandLine, argv: list[str]) -> None:
    done = bare(*argv, "--json") if argv != ["--vault"] else bare("--json", *argv)
    assert done.code == 2
    assert list(done.answer) == KEYS
    assert done.answer["command"] == ""
    plain = bare(*argv)
    assert plain.code == 2
    assert plain.out == ""
    assert plain.err.startswith("engrain: ")
    assert plain.err.count("\n") == 1


def test_an_error_for_a_person_is_one_line_with_its_remedy(cli: CommandLine) -> None:
    done = cli("show", "nowhere")
    assert done.out == ""
    assert done.err == (
        "engrain: no entry 'nowhere'; give an id, its beginning, a path, a slug or a title; "
        "`engrain list` shows them\n"
    )


def test_exit_code_1_is_any_other_error(cli: CommandLine) -> None:
    done = cli("list", "--state-dir", str(cli.vault / "state"), "--json")
    assert done.code == 1
    assert done.answer["error"]["code"] == "state_in_synced_folder"


def test_exit_code_2_is_a_wrong_call(cli: CommandLine) -> None:
    assert cli("recall", "words", "--limit", "0").code == 2
    for when in ("yesterday-ish", "", "²d", f"{'9' * 400}d", f"{'9' * 5000}d", "2026-13-01"):
        assert cli("list", "--since", when).code == 2


def test_exit_code_3_is_nothing_found(cli: CommandLine) -> None:
    for argv in (["show", "no"], ["forget", "no"], ["history", "no"], ["undo", "abcdefgh-9"]):
        assert cli(*argv).code == 3, argv


def test_exit_code_4_is_a_conflict(cli: CommandLine) -> None:
    saved = cli.save("First words.", "--title", "Contested")
    done = cli("edit", saved["id"], "--expect", "0" * 64, "Other words.", "--json")
    assert done.code == 4
    assert done.answer["error"]["code"] == "conflict"
    assert done.answer["error"]["path"] == saved["path"]
    assert saved["hash"] in str(done.answer["error"]["remedy"])


def test_exit_code_5_is_a_vault_that_is_gone(cli: CommandLine) -> None:
    cli.vault.rename(cli.folder / "away")
    for argv in (["save", "Words."], ["recall", "words"], ["doctor"]):
        done = cli(*argv, "--json")
        assert done.code == 5, argv
        error = done.answer["error"]
        assert error["path"] == str(cli.vault)
        assert "ENGRAIN_VAULT" in error["remedy"]
    assert not cli.vault.exists()


def test_exit_code_5_is_a_folder_that_is_no_vault(cli: CommandLine) -> None:
    (cli.folder / "plain").mkdir()
    assert cli("list", "--vault", str(cli.folder / "plain")).code == 5
    assert list((cli.folder / "plain").iterdir()) == []


@pytest.mark.parametrize(
    "argv",
    [
        ["--vault", "{v}", "--state-dir", "{s}", "--json", "list"],
        ["list", "--vault", "{v}", "--state-dir", "{s}", "--json"],
        ["--vault", "{v}", "list", "--json", "--state-dir", "{s}"],
        ["--json", "--state-dir={s}", "list", "--vault={v}"],
        ["--vault", "/nowhere", "--json", "list", "--vault", "{v}", "--state-dir", "{s}"],
    ],
)
def test_the_common_options_stand_before_or_behind_the_command(
    bare: CommandLine, argv: list[str]
) -> None:
    where = {"v": str(bare.vault), "s": str(bare.state)}
    assert bare("init", "--vault", where["v"], "--state-dir", where["s"]).code == 0
    done = bare(*(word.format(**where) for word in argv))
    assert done.code == 0, done.err
    assert done.answer["data"] == {"results": [], "total": 0, "elsewhere": 0}


def test_a_flag_is_stronger_than_the_environment(cli: CommandLine) -> None:
    other = cli.folder / "other"
    assert cli("init", "--vault", str(other)).code == 0
    assert cli("save", "Only here.", "--vault", str(other)).code == 0
    assert cli("list", "--json", "--vault", str(other)).answer["data"] != {
        "results": [],
        "total": 0,
    }
    assert cli("list", "--json").answer["data"] == {"results": [], "total": 0, "elsewhere": 0}


@pytest.mark.parametrize(
    "argv",
    [
        ["edit", "{id}", "--expect", "{hash}", "New words."],
        ["edit", "--expect", "{hash}", "{id}", "New words."],
        ["edit", "{id}", "New words.", "--expect", "{hash}"],
        ["--json", "edit", "{id}", "--expect={hash}", "--", "New words."],
    ],
)
def test_options_and_words_come_in_any_order(
    cli: CommandLine, words: dict[str, str], argv: list[str]
) -> None:
    assert cli(*fill(argv, words)).code == 0
    assert "New words." in cli("show", words["id"]).out


def test_options_may_stand_between_the_words_of_a_query(
    cli: CommandLine, words: dict[str, str]
) -> None:
    done = cli("recall", "lighthouse", "--limit", "1", "keeper", "--json")
    assert [found["id"] for found in done.answer["data"]["results"]] == [words["id"]]


def test_what_follows_two_dashes_is_no_option(cli: CommandLine) -> None:
    assert cli("save", "--title", "Flags", "--", "--json").code == 0
    done = cli("recall", "--", "--json")
    assert done.out.startswith("1. Flags")


@pytest.mark.parametrize("argv", [["--title"], ["--title", "--"], ["--title=--"]])
def test_an_option_without_its_value_is_a_usage_error(cli: CommandLine, argv: list[str]) -> None:
    for words in ([], ["words"], ["--", "words"]):
        done = cli("save", *argv, *words) if argv != ["--title"] else cli("save", *words, *argv)
        assert (done.code, done.out) == (2, "")


def test_a_name_of_a_command_may_be_the_value_of_an_option(cli: CommandLine) -> None:
    assert cli("--project", "list", "save", "Words for it.").code == 0
    assert cli("--project", "save", "list").out.startswith("0 in all\n")
    assert "Words for it." in cli("--project", "list", "list").out


def test_an_abbreviated_option_is_refused(cli: CommandLine) -> None:
    assert cli("list", "--jso").code == 2
    assert cli("--vaul", "x", "list").code == 2


@pytest.mark.parametrize("command", list(GOOD))
def test_help_of_every_command_shows_examples_and_exits_0(bare: CommandLine, command: str) -> None:
    done = bare(command, "--help")
    assert done.code == 0
    assert done.err == ""
    head, _, examples = done.out.partition("\nexamples:\n")
    assert head.startswith(f"usage: engrain {command} ")
    assert all(f"engrain {command}" in line for line in examples.strip().splitlines())
    assert examples.strip()


def test_help_names_every_command_and_the_exit_codes(bare: CommandLine) -> None:
    done = bare("help", "--all")
    assert done.code == 0
    for command in COMMANDS:
        assert f"\n  {command} " in done.out
    assert "5 vault unavailable" in done.out


def test_help_without_all_is_grouped_and_fits_on_a_screen(bare: CommandLine) -> None:
    out = bare("--help").out
    assert out == bare("help").out == bare().out
    lines = out.splitlines()
    assert len(lines) <= 50
    assert all(len(line) <= 92 for line in lines)
    for group, names in GROUPS.items():
        assert f"\n{group}:" in out
        assert all(re.search(rf"[ ,]{name}\b", out) for name in names)


def test_help_of_a_name_is_the_help_of_that_command(bare: CommandLine) -> None:
    assert bare("help", "recall").out == bare("recall", "--help").out
    assert bare("help", "search").out == bare("recall", "--help").out
    assert bare("help", "nothing-like-it").code == 2


@pytest.mark.parametrize(("wrong", "meant"), [("recal", "recall"), ("statuss", "status")])
def test_a_mistyped_command_gets_a_suggestion(bare: CommandLine, wrong: str, meant: str) -> None:
    done = bare(wrong, "words")
    assert (done.code, done.out) == (2, "")
    assert done.err == f"engrain: no command {wrong!r}; did you mean `engrain {meant}`?\n"


@pytest.mark.parametrize(("alias", "words"), ALIASES.items())
def test_an_alias_stands_for_the_words_of_a_command(
    bare: CommandLine, alias: str, words: tuple[str, ...]
) -> None:
    assert bare(alias, "--help").out == bare(*words, "--help").out
    assert bare("help", alias).out == bare("help", words[0]).out


def test_a_group_of_commands_without_a_verb_lists_its_verbs(bare: CommandLine) -> None:
    done = bare("fact")
    assert (done.code, done.out) == (2, "")
    assert "list, add, show, forget, settle" in done.err
    assert done.err.count("\n") == 1


def test_the_version_is_reported(bare: CommandLine) -> None:
    from engrain import __version__

    done = bare("--version")
    assert (done.code, done.out) == (0, f"engrain {__version__}\n")


def test_python_m_engrain_is_the_engrain_command(shell: Shell) -> None:
    script = Path(sys.executable).with_name("engrain")
    direct = subprocess.run(
        [str(script), "list", "--json"],
        capture_output=True,
        check=False,
        env=shell.environ,
        cwd=shell.here,
    )
    assert shell.run("list", "--json").raw == direct.stdout
    assert shell.run("--help").out.startswith("usage: engrain ")


def test_recall_as_json_has_the_names_that_stay(cli: CommandLine, words: dict[str, str]) -> None:
    data = cli("recall", "lighthouse", "--json").answer["data"]
    (found,) = data["results"]
    named = {"id", "path", "kind", "title", "score", "text", "source", "created"}
    assert named <= set(found)
    assert found["id"] == words["id"]
    assert found["title"] == "Lighthouse"
    assert found["text"] == "The lighthouse keeper counts the waves.\n"
    assert found["score"] > 0


def test_save_as_json_has_the_names_that_stay(cli: CommandLine) -> None:
    data = cli.save("Once.", "--title", "Once")
    assert {"id", "path", "hash", "outcome"} <= set(data)
    assert data["outcome"] == "created"
    assert (cli.vault / data["path"]).is_file()
    assert cli.save("Once.", "--title", "Once")["outcome"] == "unchanged"
    assert cli.save("Twice.", "--title", "Once")["outcome"] == "similar"
    assert cli("forget", data["id"]).code == 0
    assert cli.save("Once.", "--title", "Once")["outcome"] == "restored"


def test_list_as_json_has_all_of_them_unless_limited(cli: CommandLine) -> None:
    for number in range(12):
        cli.save(f"Text {number}.", "--title", f"Note {number}")
    data = cli("list", "--json").answer["data"]
    assert list(data) == ["results", "total", "elsewhere"]
    assert len(data["results"]) == data["total"] == 12
    data = cli("list", "--json", "--limit", "5").answer["data"]
    assert (len(data["results"]), data["total"]) == (5, 12)


def test_without_the_package_of_a_team_its_commands_name_what_to_install(
    bare: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engrain.adapters.cli.commands.list_packaged", lambda _: {})
    for command in PACKAGED:
        done = bare(command)
        assert (done.code, done.out) == (1, "")
        assert done.err == (
            f"engrain: `engrain {command}` needs the package engrain-team, which is not installed;"
            " install engrain-team from where you have engrain\n"
        )
    assert bare("config", "completion", "bash").code == 0
