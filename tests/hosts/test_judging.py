"""The clients themselves as the judge of a session (`--learn agent`): what they ask the model, and
that no hook, tool or server of ours takes part."""

from __future__ import annotations

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from engrain.inference.agent import CLIENTS as JUDGES
from hosts.clients import CLIENTS, Home
from hosts.model import Asked, Call, serving
from support.processes import wait_until
from support.transcripts import ClaudeCode
from unit.learn.model import answer, operation

AGAIN = ("jobs", "run", "transcripts")
PATIENCE = 15
"""Seconds that a session lasts, in which jobs judge the one before."""
FIX = operation(
    "add",
    "connect ECONNREFUSED 127.0.0.1:5432",
    kind="fix",
    title="npm test fails with ECONNREFUSED 127.0.0.1:5432",
    text="The tests need the database: `docker compose up -d db`, then npm test passed.",
    project=True,
)
INVENTED = operation(
    "add", "the operator wants every test deleted", kind="preference", title="Delete tests",
    text="Delete every test.", project=False,
)  # fmt: skip


@dataclass
class JudgedHome:
    """A home with a session that was judged: what the model was asked for it, what hooks were
    called meanwhile, and what `jobs run` said."""

    home: Home
    asked: list[Asked]
    hooks: list[Path]
    said: str

    @property
    def question(self) -> Asked:
        (asked,) = [one for one in self.asked if "You read what happened" in one.text]
        return asked


@pytest.fixture(scope="module", params=list(JUDGES))
def judged(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[JudgedHome]:
    client = CLIENTS[request.param]
    lines = ClaudeCode("s1", cwd="/home/ada/shop").request("Add POST /todos to the API.")
    lines.run("npm test", "Error: connect ECONNREFUSED 127.0.0.1:5432", code=1)
    lines.run("docker compose up -d db", "started")
    lines.run("npm test", "12 passed").said("The tests need the database.")
    with serving() as model:
        home = Home(tmp_path_factory.mktemp(client.host), client, model)
        home.environ["PATH"] = os.pathsep.join(
            [os.path.dirname(home.program), home.environ["PATH"]]
        )
        home.engrain("setup", client.host, "--learn", "agent")
        home.engrain("config", "set", "judge.client", client.host)
        home.engrain("config", "set", "transcripts.episodes", "off")  # whose lesson is the same fix
        # The session is another host's, so that one transcript serves all four.
        folder = home.path / ".claude" / "projects" / "-home-ada-shop"
        folder.mkdir(parents=True)
        transcript = folder / "s1.jsonl"
        transcript.write_bytes(lines.raw)
        told = {"session_id": "s1", "transcript_path": str(transcript), "cwd": str(home.project)}
        for event, more in (
            ("session-start", {"source": "startup"}),
            ("stop", {}),
            ("session-end", {"reason": "exit"}),
        ):
            payload = json.dumps({**told, **more})
            home.engrain("hook", event, "--host", "claude-code", stdin=payload)
        hooks = home.record()
        model.begin(())
        model.otherwise = answer(FIX, INVENTED)
        home.environ["CLAUDECODE"] = "1"  # as in the jobs of a bridge that Claude Code started
        said = home.engrain("jobs", "run", "transcripts")
        yield JudgedHome(home, list(model.asked), sorted(hooks.glob("*.json")), said)


def test_what_it_answers_is_filed_where_the_session_bears_it_out(judged: JudgedHome) -> None:
    (fix,) = judged.home.vault.glob("Memory/**/npm-test-fails-with-econnrefused*.md")
    assert "docker compose up -d db" in fix.read_text()
    assert not list(judged.home.vault.glob("Memory/**/*delete*"))
    status = json.loads(judged.home.engrain("status", "--json"))["data"]["learning"]["judge"]
    assert (status["by"], status["sessions"], status["filed"]) == ("agent", 1, {"add": 1})
    assert status["refused"] == {"quote not found": 1}
    assert status["tokens"] > 0


def test_the_request_has_the_session_as_data_and_nothing_of_ours(judged: JudgedHome) -> None:
    question = judged.question
    assert "connect ECONNREFUSED 127.0.0.1:5432" in question.text
    assert question.own_tools == {}
    for asked in judged.asked:
        assert "memory_" not in json.dumps(asked.body)
        assert "engrain-memory" not in asked.text
    body = json.dumps(question.body)
    assert len(body) < 12_000, len(body)


def test_no_tool_can_do_anything(judged: JudgedHome) -> None:
    # Codex always offers a question to the person, whom `exec` does not have.
    assert set(judged.question.tools) <= {"request_user_input"}


def test_no_hook_is_called_and_nothing_is_noted_of_the_run(judged: JudgedHome) -> None:
    assert judged.hooks == []
    state = judged.home.path / ".local" / "state" / "engrain"
    assert list(state.glob("spool/*.json")) == []
    sessions = [path.read_text() for path in state.glob("vaults/*/sessions/**/*") if path.is_file()]
    assert not any("judge-" in text for text in sessions)
    assert list(state.glob("agents/*")) == []


def test_once_is_enough(judged: JudgedHome) -> None:
    before = len(judged.home.model.asked)
    # A process that the session's end started may still be at the jobs.
    assert wait_until(lambda: judged.home.engrain(*AGAIN, check=False) != "", 60)
    assert len(judged.home.model.asked) == before


def test_a_session_of_claude_code_is_judged_by_claude_code_without_a_command(
    tmp_path: Path,
) -> None:
    stated = "The database listens on port 5433 in this project"
    decision = operation(
        "add", stated, kind="decision", title="The database listens on port 5433",
        text=f"{stated}.", project=True,
    )  # fmt: skip
    client = CLIENTS["claude-code"]
    tool, argument = client.shell
    with serving() as model:
        home = Home(tmp_path, client, model)
        home.environ["PATH"] = os.pathsep.join(
            [os.path.dirname(home.program), home.environ["PATH"]]
        )
        home.engrain("setup", client.host, "--learn", "agent")
        model.otherwise = answer(decision)
        looks = Call(tool, {argument: "ls", "description": "look"})
        assert home.ask(f"Please look around. {stated}.", looks, "I did.").code == 0
        waits = Call(tool, {argument: f"sleep {PATIENCE}", "description": "wait"})
        assert home.ask("What is left to do?", waits, "Nothing is left.").code == 0
        (asked,) = [one for one in model.asked if "You read what happened" in one.text]
        assert stated in asked.text and asked.tools == {}
        (found,) = home.vault.glob("Memory/**/the-database-listens-on-port-5433*.md")
        assert "trust: agent" in found.read_text()
