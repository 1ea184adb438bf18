"""Hooks against a remote server: real processes over HTTPS."""

from __future__ import annotations

import json
import os
import socket
import stat
import subprocess
import sys
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path
from time import monotonic
from typing import Any

import pytest

from engrain.adapters.hooks import distant
from engrain.adapters.hooks.distant import DistantHook, renew_token
from engrain.adapters.hooks.losses import log_path
from engrain.adapters.hooks.payloads import Occasion
from engrain.adapters.hosts.commands import hook_program
from engrain.resolution.endpoint import hooks_path
from engrain.resolution.settings import load_settings
from support.hosts import make_payload
from support.processes import wait_until
from team.issuer import Issuer, make_certificate
from team.remotely import RemoteServer, reserved_port, serving_remotely
from unit.adapters.hooks.running import Desk
from unit.adapters.shell import Shell

PORT_NOTE = "Staging listens on port 5544 since the cluster moved."
LOCK_NOTE = "The nightly billing job takes an advisory lock in Postgres; a second run waits."
RULE = "Never deploy on a Friday."
ASKED = "which port does staging listen on?"


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RemoteServer]:
    folder = tmp_path_factory.mktemp("distant")
    shell = Shell(folder)
    assert shell.run("init").code == 0
    for text in (PORT_NOTE, LOCK_NOTE):
        shell.run("save", text)
    (shell.vault / "_always-load").mkdir(exist_ok=True)
    (shell.vault / "_always-load" / "deploys.md").write_text(RULE)
    certificate = make_certificate(folder)
    with Issuer() as issuer, reserved_port() as port:
        url = f"https://localhost:{port}/mcp"
        jwks = f"{issuer.url}/jwks"
        with serving_remotely(
            shell, issuer, certificate, port=port, url=url, jwks=jwks, requests="1000"
        ) as server:
            shell.environ["URL"] = url
            yield server


@pytest.fixture
def desk(tmp_path: Path, server: RemoteServer) -> Desk:
    """A home without a vault, whose hooks ask the server."""
    desk = Desk(tmp_path, configured=False)
    url = server.shell.environ["URL"]
    token = tmp_path / "token"
    token.touch(mode=0o600)
    token.write_text(server.issuer.issue(url, sub=tmp_path.name, scope="memory:read"))
    desk.environ |= {
        "ENGRAIN_STATE_DIR": str(desk.state),
        "ENGRAIN_REMOTE_URL": url,
        "ENGRAIN_REMOTE_TOKEN_FILE": str(token),
        "ENGRAIN_REMOTE_CA_FILE": str(server.certificate),
    }
    return desk


@pytest.fixture
def here(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> Desk:
    """The same desk in this process."""
    for name, value in desk.environ.items():
        if name.startswith("ENGRAIN_") or name == "HOME":
            monkeypatch.setenv(name, value)
    return desk


def answer(desk: Desk, prompt: str, session: str = "s-1", wait: float = 30.0) -> tuple[str, str]:
    """The context and what was lost."""
    occasion = Occasion({"session_id": session, "prompt": prompt, "cwd": str(desk.here)})
    hook = DistantHook(
        "opencode", "prompt", occasion, os.environ, str(desk.here), monotonic() + wait
    )
    printed = json.loads(hook.answer(str(desk.state)) or "{}")
    return printed.get("context", ""), "; ".join(hook.losses)


def tell_gone(desk: Desk, monkeypatch: pytest.MonkeyPatch, port: int) -> None:
    """Let the server be at a port where nobody is."""
    url = f"https://localhost:{port}/mcp"
    monkeypatch.setenv("ENGRAIN_REMOTE_URL", url)
    desk.environ["ENGRAIN_REMOTE_URL"] = url


class TestAPrompt:
    def test_gets_what_the_server_has(self, desk: Desk) -> None:
        got = desk.ask(ASKED)
        assert PORT_NOTE in got.context
        assert " agent] " in got.context
        assert "gave no answer" not in got.context
        assert got.message == "1 memory: Staging listens on port 5544 since the cluster moved."

    def test_gets_nothing_twice_in_a_session(self, here: Desk) -> None:
        assert PORT_NOTE in answer(here, ASKED)[0]
        assert answer(here, ASKED) == ("", "")
        assert PORT_NOTE in answer(here, ASKED, "s-2")[0]

    def test_that_nothing_fits_gets_nothing(self, here: Desk) -> None:
        assert answer(here, "how do walruses sleep?") == ("", "")

    def test_is_sent_without_secrets(self, here: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        sent: list[bytes] = []
        post = distant._post

        def listen(question: distant.DistantQuestion, body: bytes) -> bytes:
            sent.append(body)
            return post(question, body)

        monkeypatch.setattr(distant, "_post", listen)
        secret = "ghp_" + "9aK2mQ7xZ4pL8vR3tY6wN1bC5dF0gH2jS7eU"
        assert answer(here, f"{ASKED} my token is {secret}")[1] == ""
        assert secret.encode() not in sent[0]
        assert b"staging" in sent[0]


class TestOtherEvents:
    def test_print_nothing(self, desk: Desk) -> None:
        for event in ("stop", "pre-compact", "session-end"):
            got = desk.tell(event, make_payload("claude-code", event, "s-1", str(desk.here)))
            assert (got.context, got.message) == ("", "")
        assert not Path(log_path(str(desk.state))).exists()

    def test_a_start_gets_what_a_session_starts_with(self, desk: Desk) -> None:
        got = desk.start("s-1", "--project", "staging").context
        assert got.index(RULE) < got.index(PORT_NOTE)
        assert LOCK_NOTE in got, "it is of no project"
        assert desk.ask(ASKED, "s-1").context == "", "given already"
        assert RULE in desk.start("s-2").context


class TestWithoutTheServer:
    def test_a_prompt_gets_nothing_and_the_log_says_why(
        self, here: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with reserved_port() as port:
            tell_gone(here, monkeypatch, port)
            got = here.ask(ASKED)
        assert (got.context, got.message) == ("", "")
        assert "Connection refused" in Path(log_path(str(here.state))).read_text()

    def test_a_start_tells_the_person(self, desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
        with reserved_port() as port:
            tell_gone(desk, monkeypatch, port)
            got = desk.start("s-1", "--project", "staging")
        assert got.context == ""
        assert got.message == f"Engrain: localhost:{port} gave no answer: Connection refused"

    def test_a_start_is_made_up_for_by_the_next_prompt_that_reaches_the_server(
        self, desk: Desk
    ) -> None:
        url = desk.environ["ENGRAIN_REMOTE_URL"]
        desk.environ["ENGRAIN_REMOTE_URL"] = "https://localhost:1/mcp"
        desk.start("s-1")
        assert desk.ask(ASKED).context == ""
        desk.environ["ENGRAIN_REMOTE_URL"] = url
        got = desk.ask(ASKED).context
        assert got.index(PORT_NOTE) < got.index(RULE), "the prompt's own first"
        assert desk.ask(ASKED).context == ""
        assert not (desk.state / "missed-starts").exists()

    def test_a_start_that_was_answered_is_not_given_again_where_the_token_was_not_renewed(
        self, desk: Desk
    ) -> None:
        os.utime(desk.environ["ENGRAIN_REMOTE_TOKEN_FILE"], (0, 0))
        desk.environ["ENGRAIN_REMOTE_TOKEN_COMMAND"] = "false"
        assert RULE in desk.start("s-1").context
        assert desk.ask("thanks!").context == ""
        assert "ended with exit code 1" in desk.losses()[-1]

    def test_one_that_says_nothing_is_not_waited_for(
        self, here: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with socket.create_server(("127.0.0.1", 0)) as silent:
            tell_gone(here, monkeypatch, silent.getsockname()[1])
            assert answer(here, ASKED, wait=0.3)[1].endswith("gave no answer: not in time")

    @pytest.mark.parametrize(
        ("claims", "why"),
        [({"exp": 1_700_000_000}, "has expired"), ({"scope": "memory:write"}, "memory:read")],
    )
    def test_a_token_that_is_not_taken_is_named(
        self, here: Desk, server: RemoteServer, claims: dict[str, object], why: str
    ) -> None:
        url = here.environ["ENGRAIN_REMOTE_URL"]
        Path(here.environ["ENGRAIN_REMOTE_TOKEN_FILE"]).write_text(
            server.issuer.issue(url, **claims)
        )
        context, loss = answer(here, ASKED)
        assert context == ""
        assert why in loss

    def test_a_token_that_others_can_read_is_not_sent(self, here: Desk) -> None:
        os.chmod(here.environ["ENGRAIN_REMOTE_TOKEN_FILE"], 0o644)
        assert "others can read the file of remote.token_file" in answer(here, ASKED)[1]

    def test_a_certificate_of_nobody_is_not_trusted(
        self, here: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.delenv("ENGRAIN_REMOTE_CA_FILE")
        context, loss = answer(here, ASKED)
        assert context == ""
        assert "its certificate is not trusted" in loss

    def test_a_certificate_for_another_name_is_not_trusted(
        self, here: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        url = here.environ["ENGRAIN_REMOTE_URL"].replace("localhost", "127.1")
        monkeypatch.setenv("ENGRAIN_REMOTE_URL", url)
        context, loss = answer(here, ASKED)
        assert context == "" and "\n" not in loss
        assert "its certificate is not trusted (Hostname mismatch" in loss

    def test_an_address_without_tls_is_not_asked(
        self, here: Desk, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            port = listening.getsockname()[1]
            monkeypatch.setenv("ENGRAIN_REMOTE_URL", f"http://localhost:{port}/mcp")
            assert "no https address" in answer(here, ASKED)[1]
            listening.setblocking(False)
            with pytest.raises(BlockingIOError):
                listening.accept()


class TestTheToken:
    def test_is_renewed_at_the_end_of_a_turn_and_at_a_start(
        self, desk: Desk, server: RemoteServer
    ) -> None:
        url = desk.environ["ENGRAIN_REMOTE_URL"]
        del desk.environ["ENGRAIN_REMOTE_TOKEN_FILE"]
        assert desk.ask(ASKED).context == ""
        token = server.issuer.issue(url, sub="renewed", scope="memory:read")
        desk.environ["ENGRAIN_REMOTE_TOKEN_COMMAND"] = f"printf %s {token}"
        desk.tell("stop", make_payload("claude-code", "stop", "s-1", str(desk.here)))
        kept = desk.state / "remote" / "token"
        assert kept.read_text().strip() == token
        assert stat.S_IMODE(kept.stat().st_mode) == 0o600
        assert PORT_NOTE in desk.ask(ASKED).context
        kept.unlink()
        assert PORT_NOTE in desk.start("s-2", "--project", "staging").context
        kept.write_text("x")
        desk.start("s-3")
        assert kept.read_text() == "x", "a fresh one is not renewed"

    @pytest.mark.parametrize(
        ("command", "why"),
        [
            ("false", "ended with exit code 1"),
            ("true", "printed no token"),
            ("printf 'a\\nb'", "printed no token"),
            ("/nowhere/at/all", "No such file or directory"),
            ("'", "failed"),
            ("sleep 60", "did not end in time"),
        ],
    )
    def test_stays_where_the_command_fails(
        self, here: Desk, monkeypatch: pytest.MonkeyPatch, command: str, why: str
    ) -> None:
        path = Path(here.environ["ENGRAIN_REMOTE_TOKEN_FILE"])
        before = path.read_text()
        os.utime(path, (0, 0))
        monkeypatch.setenv("ENGRAIN_REMOTE_TOKEN_COMMAND", command)
        wait = 0.2 if "sleep" in command else 30.0
        settings = load_settings({}, os.environ, str(here.here))
        assert why in renew_token(settings, str(here.state), monotonic() + wait)
        assert path.read_text() == before

    def test_is_not_a_project_files_to_ask_for(self, here: Desk) -> None:
        (here.here / ".engrain.toml").write_text('[remote]\ntoken_command = "touch evil"\n')
        got = here.tell("stop", make_payload("claude-code", "stop", "s-1", str(here.here)))
        assert got.context == ""
        assert not list(here.folder.rglob("evil"))


@contextmanager
def bridging(desk: Desk) -> Iterator[Any]:
    """The bridge that a host has started in its folder, which holds the place of hooks."""
    with subprocess.Popen(
        [sys.executable, "-m", "engrain", "mcp", "--stdio"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=desk.here,
        env=desk.environ,
    ) as bridge:
        try:
            wait_until(lambda: os.path.exists(hooks_path(str(desk.state))), 30)
            yield bridge
        finally:
            bridge.kill()


def run_warm(desk: Desk, event: str, payload: Mapping[str, object]) -> str:
    """Run a hook as hosts do, and return its context."""
    (desk.state / "remote").mkdir(parents=True, exist_ok=True)
    words = [*hook_program(str(desk.state)), "hook", event, "--host", "opencode"]
    done = subprocess.run(
        words,
        input=json.dumps(payload).encode(),
        capture_output=True,
        check=True,
        cwd=desk.here,
        env=desk.environ,
        timeout=60,
    )
    context = json.loads(done.stdout or b"{}").get("context", "")
    assert isinstance(context, str)
    return context


def test_the_bridge_answers_hooks_for_the_server_and_a_failed_call_too(
    desk: Desk, server: RemoteServer
) -> None:
    fix = "E4711 means that the crane is locked: free it with `crane unlock`."
    server.shell.run("save", "--kind", "fix", "--title", "E4711: the crane is locked", fix)
    failed = {
        "tool_name": "bash",
        "tool_input": {"command": "crane lift"},
        "tool_response": "error E4711: the crane is locked",
        "failed": True,
    }
    moments = {"session-start": {"source": "startup"}, "prompt": {"prompt": ASKED}}
    wanted = {"session-start": RULE, "prompt": PORT_NOTE, "tool-failed": "crane unlock"}
    assert PORT_NOTE in desk.ask(ASKED, "s-0").context  # now the server has opened its memory
    with bridging(desk):
        for event, part in wanted.items():
            sessions = (f"{event}-{number}" for number in range(5))  # some run out of time
            assert any(
                part in run_warm(desk, event, {"session_id": session, **moments.get(event, failed)})
                for session in sessions
            )
        assert run_warm(desk, "stop", {"session_id": "s-1"}) == ""
    times = [line.split() for line in (desk.state / "hooks.times").read_text().splitlines()]
    warm = {line[1] for line in times if line[2] == "opencode" and line[-1] == "1"}
    assert warm == {*wanted, "stop"}


def tell_warm(desk: Desk, event: str, sessions: str, payload: Mapping[str, object]) -> list[str]:
    """The contexts of five sessions at the same event, of which some run out of time."""
    told = [(f"{sessions}-{number}", payload) for number in range(5)]
    return [run_warm(desk, event, {"session_id": name, **fields}) for name, fields in told]


def test_the_bridge_gives_what_is_known_of_a_file_once_and_a_subagent_the_rules(
    desk: Desk, server: RemoteServer
) -> None:
    note = "Changes to src/billing/lock.py need the advisory lock: two runs paid twice."
    server.shell.run("save", "--kind", "fix", "--title", "The billing lock", note)
    touch = {
        "tool_name": "edit",
        "tool_input": {"filePath": str(desk.here / "src" / "billing" / "lock.py")},
        "tool_response": "ok",
        "failed": False,
    }
    assert PORT_NOTE in desk.ask(ASKED, "s-0").context  # now the server has opened its memory
    with bridging(desk):
        first, second = (tell_warm(desk, "tool", "t", touch) for _ in range(2))
        assert any("paid twice" in told for told in first)
        assert not any(map(all, zip(first, second, strict=True))), "each session gets it once"
        assert any(RULE in told for told in tell_warm(desk, "subagent", "t", {}))


DATABASE = "Error: connect ECONNREFUSED 127.0.0.1:5432"


def write_transcript(desk: Desk, session: str, *said: str) -> Path:
    """Write what Claude Code does of a session in which tests passed once a database ran."""
    path = desk.home / ".claude" / "projects" / "shop" / f"{session}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)

    def say(text: str) -> dict[str, object]:
        return {"type": "user", "message": {"content": text}}

    def call(number: int, command: str) -> dict[str, object]:
        use = {"type": "tool_use", "id": f"{number}", "name": "Bash", "input": {"command": command}}
        return {"type": "assistant", "message": {"content": [use]}}

    def came(number: int, text: str, *, failed: bool = False) -> dict[str, object]:
        result = {"type": "tool_result", "tool_use_id": f"{number}"}
        content = [{**result, "is_error": failed, "content": text}]
        return {"type": "user", "message": {"content": content}}

    lines: list[dict[str, object]] = [
        *map(say, said),
        call(1, "npm test"),
        came(1, f"Exit code 1\n{DATABASE}", failed=True),
        call(2, "docker compose up -d db"),
        came(2, "started"),
        call(3, "npm test"),
        came(3, "12 passed"),
    ]
    when = datetime.now(UTC).isoformat()
    at = {"sessionId": session, "cwd": str(desk.here), "timestamp": when}
    path.write_text("".join(f"{json.dumps({**at, **line})}\n" for line in lines))
    return path


class TestLearning:
    @pytest.fixture
    def agreed(self, desk: Desk, server: RemoteServer) -> Desk:
        """A desk whose operator agreed to it, with a token that may write."""
        url = server.shell.environ["URL"]
        token = server.issuer.issue(url, sub="learner", scope="memory:read memory:write")
        Path(desk.environ["ENGRAIN_REMOTE_TOKEN_FILE"]).write_text(token)
        desk.environ |= {"ENGRAIN_LEARN": "rules", "ENGRAIN_REMOTE_LEARN": "yes"}
        return desk

    def end(self, desk: Desk, session: str, *said: str) -> None:
        """A session of Claude Code begins, works and ends; then its jobs run."""
        path = write_transcript(desk, session, *said)
        for event in ("session-start", "stop", "session-end"):
            more = {"transcript_path": str(path)}
            told = make_payload("claude-code", event, session, str(desk.here), **more)
            desk.tell(event, told)

    def ask(self, server: RemoteServer) -> list[dict[str, Any]]:
        done = server.shell.run("recall", "when does the linter run?", "--json")
        found = json.loads(done.out)["data"]["results"]
        assert isinstance(found, list)
        return found

    def run_jobs(self, desk: Desk) -> dict[str, Any]:
        learner = str(desk.state / "remote" / "learned")
        done = desk.run("jobs", "run", "transcripts", "--vault", learner, "--json")
        found = json.loads(done.out)["data"]["remote"]
        assert isinstance(found, dict)
        return found

    def test_sends_lessons_and_statements_and_takes_back_what_is_withdrawn(
        self, agreed: Desk, server: RemoteServer
    ) -> None:
        private = "<private>Nobody may know about walruses.</private>"
        self.end(
            agreed,
            "a-1",
            f"Add POST /todos. {private}",
            "From now on, run the linter before commits.",
        )
        assert self.run_jobs(agreed) == {"sent": 2, "withdrawn": 0, "problems": []}
        assert self.run_jobs(agreed)["sent"] == 0
        kept = server.shell.run("list", "--all-projects").out
        assert "Connect ECONNREFUSED 127.0.0.1:5432 at npm test" in kept
        found = json.loads(server.shell.run("recall", "when does the linter run?", "--json").out)[
            "data"
        ]
        (one,) = found["results"]
        assert (one["title"], one["source"]) == (
            "From now on, run the linter before commits",
            "agent",
        )
        whole = "".join(path.read_text() for path in server.shell.vault.rglob("*.md"))
        assert "walrus" not in whole and "POST /todos" not in whole, "no transcript is sent"
        assert "Evidence" not in whole, "sessions are of this device"
        self.end(agreed, "a-2", "You no longer need to run the linter before commits.")
        assert self.run_jobs(agreed)["withdrawn"] == 1
        found = json.loads(server.shell.run("recall", "when does the linter run?", "--json").out)[
            "data"
        ]
        assert not found["results"]

    def test_sends_nothing_that_was_not_agreed_to(self, agreed: Desk) -> None:
        del agreed.environ["ENGRAIN_REMOTE_LEARN"]
        self.end(agreed, "b-1", "Add a route", "I prefer lists over tables.")
        assert not (agreed.state / "remote" / "learned").exists()
        agreed.environ |= {"ENGRAIN_REMOTE_LEARN": "yes", "ENGRAIN_LEARN": "no"}
        self.end(agreed, "b-2", "Add a route", "I prefer lists over tables.")
        assert not (agreed.state / "remote" / "learned").exists()

    def test_sends_later_what_the_server_could_not_take(
        self, agreed: Desk, server: RemoteServer
    ) -> None:
        url = agreed.environ["ENGRAIN_REMOTE_URL"]
        token = Path(agreed.environ["ENGRAIN_REMOTE_TOKEN_FILE"])
        good = token.read_text()
        self.end(agreed, "c-1", "Add a route", "I prefer snake case in SQL.")
        agreed.environ["ENGRAIN_REMOTE_URL"] = "https://localhost:1/mcp"
        assert self.run_jobs(agreed)["problems"] == [
            "localhost:1 gave no answer: Connection refused"
        ]
        agreed.environ["ENGRAIN_REMOTE_URL"] = url
        token.write_text(server.issuer.issue(url, scope="memory:read"))
        (said,) = self.run_jobs(agreed)["problems"]
        assert "memory:write" in said
        assert "what was learned is not sent" in agreed.losses()[-1]
        token.write_text(good)
        assert self.run_jobs(agreed) == {"sent": 2, "withdrawn": 0, "problems": []}

    def test_is_done_by_the_bridge_of_a_host(self, agreed: Desk, server: RemoteServer) -> None:
        agreed.environ["ENGRAIN_JOBS_MINUTES"] = "1"
        with bridging(agreed):
            self.end(agreed, "d-1", "Add a route", "I prefer dashes over underscores in URLs.")
            wait_until(
                lambda: (
                    "dashes over underscores"
                    in server.shell.run("list", "--all-projects", "--kind", "preference").out
                ),
                90,
            )


def use_tools(desk: Desk, folder: Path, *calls: tuple[str, Mapping[str, object]]) -> list[Any]:
    """Run `engrain mcp --stdio` in a folder; return the names of the tools, then the result of each
    call."""
    messages: list[dict[str, object]] = [{"jsonrpc": "2.0", "id": 1, "method": "tools/list"}]
    for number, (tool, arguments) in enumerate(calls, 2):
        params = {"name": tool, "arguments": arguments}
        messages.append({"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": params})
    got: list[Any] = []
    for message in messages:  # one after the other, since a host's calls may overtake each other
        done = subprocess.run(
            [sys.executable, "-m", "engrain", "mcp", "--stdio"],
            input=json.dumps(message).encode() + b"\n",
            capture_output=True,
            check=True,
            cwd=folder,
            env=desk.environ,
            timeout=60,
        )
        got.append(json.loads(done.stdout)["result"])
    return [[tool["name"] for tool in got[0]["tools"]], *got[1:]]


def test_the_tools_of_two_hosts_are_the_servers_and_their_projects_stay_apart(
    desk: Desk, server: RemoteServer, tmp_path: Path
) -> None:
    token = Path(desk.environ["ENGRAIN_REMOTE_TOKEN_FILE"])
    url = server.shell.environ["URL"]
    token.write_text(server.issuer.issue(url, sub="two", scope="memory:read memory:write"))
    shop, mailer = (tmp_path / name for name in ("shop", "mailer"))
    for folder in (shop, mailer):
        folder.mkdir()
        (folder / ".engrain.toml").write_text(f'project = "{folder.name}"\n')
    note = {"text": "The till prints twice: the spooler retries.", "kind": "fix"}
    names, saved = use_tools(desk, shop, ("memory_append", note))
    assert len(names) == 4 and not saved["isError"]
    asked = ("memory_search", {"query": "why does the till print twice?"})
    _, here = use_tools(desk, shop, asked)
    assert "the spooler retries" in here["content"][0]["text"]
    _, elsewhere = use_tools(desk, mailer, asked)
    assert "the spooler retries" not in elsewhere["content"][0]["text"]
    assert not list(desk.home.glob("engrain*"))


def test_a_save_is_refused_in_one_line_by_an_expired_token_and_works_with_the_next(
    desk: Desk, server: RemoteServer
) -> None:
    token = Path(desk.environ["ENGRAIN_REMOTE_TOKEN_FILE"])
    url = desk.environ["ENGRAIN_REMOTE_URL"]
    good = server.issuer.issue(url, sub="three", scope="memory:read memory:write")
    params = {"name": "memory_append", "arguments": {"text": "The crane needs two keys."}}
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    with bridging(desk) as bridge:  # one session: each call finds another token

        def save(written: str) -> str:
            token.write_text(written)
            bridge.stdin.write(json.dumps(call).encode() + b"\n")
            bridge.stdin.flush()
            text: str = json.loads(bridge.stdout.readline())["result"]["content"][0]["text"]
            return text

        expired = save(server.issuer.issue(url, exp=1_700_000_000))
        assert "the token has expired, or is not for it" in expired and "\n" not in expired
        assert save(good).startswith("created")


def test_a_tool_says_why_the_remote_server_gave_no_answer(desk: Desk) -> None:
    desk.environ["ENGRAIN_REMOTE_URL"] = "https://localhost:1/mcp"
    _, refused = use_tools(desk, desk.here, ("memory_search", {"query": "ports"}))
    assert refused["isError"] and "localhost:1 gave no answer" in refused["content"][0]["text"]


def test_setup_makes_no_vault_where_a_remote_server_is_set(desk: Desk) -> None:
    done = desk.run("setup", "kiro")
    assert done.code == 0 and f"memory: {desk.environ['ENGRAIN_REMOTE_URL']}" in done.out
    assert not (desk.home / "engrain").exists()


def test_setup_says_what_is_sent_and_sets_that_it_is_agreed_to(desk: Desk) -> None:
    url = desk.environ["ENGRAIN_REMOTE_URL"]
    unasked = desk.run("setup", "claude-code").out
    assert f"are then sent to {url}" in unasked and "until `--learn rules` is given" in unasked
    assert "remote.learn is yes" in desk.run("setup", "claude-code", "--learn", "rules").out
    assert "learning 0 entries sent" in desk.run("status").out
    assert "remote.learn is no" in desk.run("setup", "claude-code", "--learn", "no").out
    assert "learning off: " in desk.run("status").out


def test_status_and_doctor_try_the_remote_server(desk: Desk) -> None:
    url = desk.environ["ENGRAIN_REMOTE_URL"]
    found = json.loads(desk.run("status", "--json").out)["data"]["remote"]
    assert (found["url"], found["answers"]) == (url, True)
    assert "entries here" in found["said"]
    checked = desk.run("doctor")
    assert checked.code == 0 and f"memory: {url}" in checked.out
    assert "remote server: answered in" in checked.out
    desk.environ["ENGRAIN_REMOTE_URL"] = "https://localhost:1/mcp"
    assert "gave no answer: Connection refused" in desk.run("status").out
    failed = desk.run("doctor")
    assert failed.code == 1 and "localhost:1 gave no answer" in failed.out
