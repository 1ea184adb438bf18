"""digest at the command line."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest

from engrain.adapters.hooks.losses import Loss, note_loss
from engrain.language.secrets.finding import redact
from unit.adapters.shell import CommandLine, Shell


def ask(cli: CommandLine, *argv: str) -> Any:
    """The data of a JSON answer."""
    done = cli("digest", *argv, "--json")
    assert done.code == 0, done.out + done.err
    return done.answer["data"]


@pytest.fixture
def archived(cli: CommandLine) -> str:
    """The id of an entry that was archived since the operator looked."""
    id_ = cli.save("The nightly job takes advisory locks.", "--title", "Old lock")["id"]
    assert cli("digest").code == 0
    assert cli("archive", id_, "--reason", "faded").code == 0
    return id_


def test_a_digest_tells_each_thing_once(cli: CommandLine, archived: str) -> None:
    done = cli("digest")
    assert done.code == 0
    assert "archive: Old lock" in done.out
    assert "faded" in done.out
    assert archived in done.out
    assert cli("digest").out.strip().endswith("nothing to report")


@pytest.mark.parametrize("how", [("--peek",), ("--all",), ("--since", "1d"), ("--peek", "--json")])
def test_a_look_that_is_none_is_told_again(
    cli: CommandLine, archived: str, how: tuple[str, ...]
) -> None:
    for _ in range(2):
        done = cli("digest", *how)
        assert done.code == 0
        assert archived in done.out
    assert [item["entry"] for item in ask(cli)["archived"]] == [archived]
    assert ask(cli)["archived"] == []


def test_its_change_takes_it_back(cli: CommandLine, archived: str) -> None:
    (item,) = ask(cli)["archived"]
    assert cli("undo", item["change"]).code == 0
    assert cli("show", archived, "--raw").out.count("status: active") == 1


def test_what_hooks_could_not_give_is_reported_once(cli: CommandLine) -> None:
    cli("digest")
    note_loss(
        str(cli.state),
        Loss(time.time() + 1, "UserPromptSubmit", "claude-code", 9, "too late"),
        redact,
    )
    (item,) = ask(cli, "--peek")["lost"]
    assert (item["op"], item["title"], item["agent"]) == (
        "UserPromptSubmit", "too late", "claude-code",
    )  # fmt: skip


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="a full disk needs /dev/full")
def test_what_could_not_be_written_was_not_seen(shell: Shell) -> None:
    script = """
    engrain save "Use advisory locks." --title Lock > /dev/null
    engrain digest > /dev/null
    engrain archive lock > /dev/null
    engrain digest > /dev/full && echo seen
    engrain digest
    """
    done = shell.sh(script)
    assert "seen" not in done.out
    assert "archive: Lock" in done.out, done.err


@pytest.mark.parametrize(
    ("argv", "told"), [(("--since", "yore"), "yore"), (("--since", "1d", "--all"), "not allowed")]
)
def test_what_is_no_span_is_reported(cli: CommandLine, argv: tuple[str, ...], told: str) -> None:
    done = cli("digest", *argv)
    assert done.code == 2
    assert told in done.err
    assert "Traceback" not in done.err


def test_the_help_has_examples(cli: CommandLine) -> None:
    done = cli("digest", "--help")
    assert done.code == 0
    assert "engrain digest --since 7d --peek" in done.out
