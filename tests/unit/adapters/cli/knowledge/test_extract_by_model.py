"""`extract` with a language model, end to end: the command line, and a server that misbehaves."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from support.model_server import ModelServer, model_server
from unit.adapters.cli.work.test_handoff import data
from unit.adapters.shell import Done, Inside, Shell

TOKEN = "ghp_" + "a1B2c3D4e5F6g7H8i9J0" + "k1L2m3N4o5P6q7R8"
TALK = f"""# Standup

Alice: By the way, Alice works at Acme and Bob lives in Lisbon.

Bob: Carol moved to Porto, I heard. My token is {TOKEN}.
"""
FOUND = ["Alice works at Acme", "Bob lives in Lisbon", "Carol moved to Porto"]


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ModelServer]:
    with model_server(tmp_path_factory.mktemp("model")) as server:
        yield server


@pytest.fixture
def shell(tmp_path: Path) -> Shell:
    made = Inside(tmp_path)
    assert made.run("init").code == 0
    return made


@pytest.fixture
def server(running: ModelServer, shell: Shell) -> ModelServer:
    running.forget()
    (shell.here / "standup.md").write_text(TALK)
    return running


def extract(shell: Shell, server: ModelServer, cue: str, *more: str, **settings: str) -> Done:
    environ = {f"ENGRAIN_{name.upper()}": value for name, value in settings.items()}
    return shell.run(
        "extract", "standup.md", "--json", *more,
        environ={
            "ENGRAIN_LLM_URL": server.url, "ENGRAIN_LLM_MODEL": cue, "ENGRAIN_EXTRACT_FORM": "llm",
            **environ,
        },
    )  # fmt: skip


def test_facts_that_a_model_finds_are_filed_once(shell: Shell, server: ModelServer) -> None:
    done = extract(shell, server, "good")
    assert done.code == 0, done.err
    told = data(done.answer)
    assert [fact["content"] for fact in told["facts"]] == FOUND
    assert told["form"] == "llm:good"
    assert told["outcomes"] == {"created": 3}
    assert TOKEN not in server.log
    again = data(extract(shell, server, "good").answer)
    assert "created" not in again["outcomes"]
    shown = shell.run("entity", "show", "alice").out
    assert "Alice works at Acme" in shown
    models = data(shell.run("stats", "--json").answer)["models"]
    assert [(one["purpose"], one["model"]) for one in models] == [("extract", "good")]
    assert models[0]["tokens_in"] > 0


@pytest.mark.parametrize(
    "cue", ["prose", "wrong", "nothing", "hacked", "locked", "garbage", "huge"]
)
def test_whatever_the_model_says_the_rules_go_on(
    shell: Shell, server: ModelServer, cue: str
) -> None:
    by_rules = data(shell.run("extract", "standup.md", "--json", "--dry-run").answer)
    told = data(extract(shell, server, cue, "--dry-run").answer)
    assert told["form"] == by_rules["form"] == "rules"
    assert told["facts"] == by_rules["facts"]
    assert told["trouble"]


def test_a_model_that_speaks_of_others_adds_nothing(shell: Shell, server: ModelServer) -> None:
    told = data(extract(shell, server, "other").answer)
    assert (told["facts"], told["lost"]) == ([], {"not in the text": 1})


def test_beyond_the_cap_nothing_is_asked_and_it_is_told(shell: Shell, server: ModelServer) -> None:
    told = data(extract(shell, server, "good", llm_cap_tokens="100").answer)
    assert told["form"] == "rules"
    assert "the cap of 100 tokens a day" in told["trouble"]
    assert server.requests == []


ALONE = """
import os, sys
def forbid(event, arguments):
    if event.startswith("socket."):
        os.write(2, f"forbidden: {event}".encode())
        os._exit(77)
sys.addaudithook(forbid)
from engrain.__main__ import main
sys.argv[0] = "engrain"
main()
"""


def _alone(shell: Shell, *argv: str, **settings: str) -> Done:
    """Run where any socket ends the process."""
    words, environ = ["-c", ALONE, *argv], {**shell.environ, **settings}
    done = shell.execute(words, cwd=shell.here, env=environ, timeout=60)
    return Done(done.returncode, done.stdout, done.stderr)


def test_no_network_is_touched_without_configuration(shell: Shell, server: ModelServer) -> None:
    url, model = {"ENGRAIN_LLM_URL": server.url}, {"ENGRAIN_LLM_MODEL": "good"}
    wanted = {"ENGRAIN_EXTRACT_FORM": "llm"}
    for settings in (
        {},
        url,
        model,
        wanted,
        {**wanted, **url},
        {**wanted, **model},
        {**url, **model},
    ):
        done = _alone(shell, "extract", "standup.md", "--dry-run", **settings)
        assert done.code == 0, done.err
    assert _alone(shell, "stats", **wanted).code == 0
    # With all three it is, and the forbidding works.
    done = _alone(shell, "extract", "standup.md", "--dry-run", **wanted, **url, **model)
    assert done.code == 77 and "forbidden: socket." in done.err
    assert server.requests == []
