"""A language model by way of a host's own client, run once without a terminal (DESIGN 18).

The client runs in an empty temporary folder, in a process group of its own, with its hooks, tools
and MCP servers off by the flags and the configuration of that run alone. `ENGRAIN_MEMORY=off` makes
our own hooks and servers silent in it, so that no run begets another.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
import tempfile
import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path
from threading import Thread
from typing import IO, Any, TypeAlias

from engrain.language.secrets.finding import redact
from engrain.language.text.tokens import estimate_tokens
from engrain.model.errors import ModelError
from engrain.model.note.documents import count_of, object_of, parse_object
from engrain.seam.llm import LLM, Completion

TIMEOUT_S = 120.0
"""Seconds for one answer, with the start of the client."""
_MOST_BYTES = 1 << 20
"""An answer is a few thousand; what a client prints beyond this is no answer."""
_MOST_REASON = 200
_CHUNK = 1 << 16
_COLOURS = re.compile(r"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b]*(?:\x07|\x1b\\)|[@-Z\\-_])")
_LOGIN = re.compile(
    r"log ?in\b|logged in|\bauth|api[ _-]?key|credential|unauthorized|\b401\b", re.IGNORECASE
)

Read: TypeAlias = "tuple[str, int | None, int | None]"
"""The answer, and the tokens taken and given where the client says them."""


@dataclass(frozen=True, slots=True)
class AgentClient:
    """A host's client: its program, the arguments of a run that has nothing of the host's but its
    login and model, and how what it prints is read. `find_more` returns arguments that depend on
    how the client is set up here.

    In the arguments, the environment (`variables`) and the `files` of the run's folder `{folder}`
    stands for that folder, `{plain}` for the instructions and `{system}` for them as a JSON string.
    The data comes on standard input.
    """

    program: str
    arguments: Sequence[str]
    read: Callable[[str], Read]
    variables: Mapping[str, str] = field(default_factory=dict)
    files: Mapping[str, str] = field(default_factory=dict)
    find_more: Callable[[], Sequence[str]] = tuple


def _lines(text: str) -> Iterator[dict[str, Any]]:
    for line in text.splitlines():
        if found := parse_object(line.encode(errors="replace")):
            yield found


def _read_claude(text: str) -> Read:
    said = next((one for one in _lines(text) if one.get("type") == "result"), None)
    if said is None:
        return text, None, None
    if said.get("is_error"):
        raise _refusal("claude", str(said.get("result")))
    usage = object_of(said.get("usage"))
    names = ("input_tokens", "cache_creation_input_tokens", "cache_read_input_tokens")
    return (
        str(said.get("result") or ""),
        sum(count_of(usage.get(name)) for name in names),
        count_of(usage.get("output_tokens")),
    )


def _read_codex(text: str) -> Read:
    answer, usage = "", {}
    for event in _lines(text):
        item = object_of(event.get("item"))
        if event.get("type") == "item.completed" and item.get("type") == "agent_message":
            answer = str(item.get("text") or "")
        elif event.get("type") == "turn.completed":
            usage = object_of(event.get("usage"))
        elif event.get("type") == "turn.failed":
            raise _refusal("codex", str(object_of(event.get("error")).get("message")))
    if not usage:
        return answer or text, None, None
    return answer, count_of(usage.get("input_tokens")), count_of(usage.get("output_tokens"))


def _read_gemini(text: str) -> Read:
    start = text.find("{")
    said = parse_object(text[start:].encode(errors="replace")) if start >= 0 else {}
    if not said:
        return text, None, None
    if told := object_of(said.get("error")).get("message"):
        raise _refusal("gemini", str(told))
    models = object_of(object_of(said.get("stats")).get("models"))
    counts = [object_of(object_of(one).get("tokens")) for one in models.values()]
    taken = sum(count_of(count.get("prompt")) for count in counts)
    given = sum(count_of(c.get("candidates")) + count_of(c.get("thoughts")) for c in counts)
    return str(said.get("response") or ""), taken, given


def _read_opencode(text: str) -> Read:
    said: list[str] = []
    taken = given = 0
    for event in _lines(text):
        part = object_of(event.get("part"))
        tokens = object_of(part.get("tokens"))
        if event.get("type") == "text":
            said.append(str(part.get("text") or ""))
        elif event.get("type") == "step_finish":
            cached = object_of(tokens.get("cache")).get("read")
            taken += count_of(tokens.get("input")) + count_of(cached)
            given += count_of(tokens.get("output")) + count_of(tokens.get("reasoning"))
        elif event.get("type") == "error":
            error = object_of(event.get("error"))
            told = object_of(error.get("data")).get("message") or error.get("name")
            raise _refusal("opencode", str(told))
    return ("".join(said), taken, given) if said else (text, None, None)


def _switch_off_servers() -> list[str]:
    """Return the arguments that switch off every MCP server in Codex's configuration."""
    folder = os.environ.get("CODEX_HOME") or os.path.join(os.path.expanduser("~"), ".codex")
    try:
        config = Path(folder, "config.toml").read_text(encoding="utf-8")
        servers = object_of(tomllib.loads(config).get("mcp_servers"))
    except (OSError, ValueError):
        return []
    names = [name for name in servers if _NAME.fullmatch(name)]
    return [word for name in names for word in ("-c", f"mcp_servers.{name}.enabled=false")]


_NAME = re.compile(r"[\w-]+")
_NO_HOOKS = json.dumps({"disableAllHooks": True})
_GEMINI = {
    "hooksConfig": {"enabled": False},
    "skills": {"enabled": False},
    "mcp": {"allowed": ["none"]},
    "tools": {"core": ["none"]},
    "context": {"fileName": ["none.md"], "includeDirectoryTree": False},
    "general": {"enableAutoUpdate": False},
}
_OPENCODE = (
    '{"agent": {"judge": {"mode": "primary", "prompt": {system}, "tools": {"*": false},'
    ' "permission": {"*": "deny"}}}, "mcp": {"engrain": {"enabled": false}}, "share": "disabled",'
    ' "autoupdate": false, "snapshot": false, "instructions": []}'
)
CLIENTS: Mapping[str, AgentClient] = {
    "claude-code": AgentClient(
        "claude",
        (
            "-p", "--safe-mode", "--strict-mcp-config", "--tools", "", "--disable-slash-commands",
            "--no-session-persistence", "--settings", _NO_HOOKS, "--output-format", "json",
            "--system-prompt", "{plain}",
        ),
        _read_claude,
    ),
    "codex": AgentClient(
        "codex",
        (
            "exec", "--ephemeral", "--skip-git-repo-check", "--ignore-rules", "--color", "never",
            "--json", "--sandbox", "read-only", "--disable", "hooks", "--disable", "shell_tool",
            "--disable", "plugins", "--disable", "apps", "--disable", "goals",
            "--disable", "multi_agent", "--disable", "view_image", "-c", 'web_search="disabled"',
            "-c", "project_doc_max_bytes=0", "-c", "skills.include_instructions=false",
            "-c", "include_environment_context=false",
            "-c", 'model_instructions_file="{folder}/system.md"',
        ),
        _read_codex,
        files={"system.md": "{plain}"},
        find_more=_switch_off_servers,
    ),
    "gemini": AgentClient(
        "gemini",
        (
            "--output-format", "json", "--extensions", "none", "--allowed-mcp-server-names", "none",
            "--approval-mode", "default",
        ),
        _read_gemini,
        {
            "GEMINI_SYSTEM_MD": "{folder}/system.md",
            "GEMINI_CLI_TRUST_WORKSPACE": "true",
        },
        {"system.md": "{plain}", "empty/.gemini/settings.json": json.dumps(_GEMINI)},
    ),
    "opencode": AgentClient(
        "opencode",
        ("run", "--pure", "--format", "json", "--agent", "judge", "--title", "judge"),
        _read_opencode,
        {
            "OPENCODE_CONFIG_CONTENT": _OPENCODE, "OPENCODE_DB": "{folder}/sessions.db",
            "OPENCODE_DISABLE_PROJECT_CONFIG": "1",
        },
    ),
}  # fmt: skip
"""By the host's name."""
_SESSION = ("CLAUDECODE", "CLAUDE_CODE_ENTRYPOINT", "CLAUDE_CODE_SESSION_ID", "CODEX_THREAD_ID")
"""Variables by which a client would take this run for part of the session that started the job."""


class AgentModel(LLM):
    """The model of the client of a host, which runs below `folder`. It raises ModelError with the
    reason in words where the client is missing, not logged in, late or talkative."""

    def __init__(self, host: str, folder: str, timeout: float = TIMEOUT_S) -> None:
        self.name = host
        self._folder = folder
        self._client = CLIENTS[host]
        self._timeout = timeout

    def complete(
        self, system: str, text: str, *, schema: Mapping[str, Any] | None = None, most_tokens: int
    ) -> Completion:
        del most_tokens  # no client takes a bound; what it prints has one
        client = self._client
        program = shutil.which(client.program)
        if program is None:
            raise ModelError(
                f"{client.program} is not on the path of jobs",
                remedy="install it there, or set learn = rules",
                spent=(0, 0),
            )
        if schema is not None:
            system += f"\n\nThe answer has this JSON schema:\n{json.dumps(schema)}"
        os.makedirs(self._folder, mode=0o700, exist_ok=True)
        with tempfile.TemporaryDirectory(
            prefix="judge-", dir=self._folder, ignore_cleanup_errors=True
        ) as folder:
            said = self._run(program, folder, system, text)
        answer, taken, given = client.read(_COLOURS.sub("", said))
        asked = estimate_tokens(system) + estimate_tokens(text)
        return Completion(
            answer.strip(),
            asked if taken is None else taken,
            estimate_tokens(answer) if given is None else given,
        )

    def _run(self, program: str, folder: str, system: str, text: str) -> str:
        """Return what the client prints. Raises ModelError."""
        client = self._client

        def fill(given: str) -> str:
            return (
                given.replace("{folder}", folder)
                .replace("{system}", json.dumps(system))
                .replace("{plain}", system)
            )

        inside = os.path.join(folder, "empty")
        os.mkdir(inside)
        files = {name: fill(content) for name, content in client.files.items()}
        for name, content in {**files, "prompt": text}.items():
            path = Path(folder, name)
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(content, "utf-8", "replace")
        environ = {name: value for name, value in os.environ.items() if name not in _SESSION}
        environ |= {name: fill(value) for name, value in client.variables.items()}
        environ |= {"ENGRAIN_MEMORY": "off", "NO_COLOR": "1", "CI": "1"}
        command = [program, *map(fill, client.arguments), *client.find_more()]
        with Path(folder, "prompt").open("rb") as given:
            try:
                process = subprocess.Popen(
                    command, stdin=given, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                    cwd=inside, env=environ, start_new_session=True,
                )  # fmt: skip
            except OSError as error:
                raise ModelError(f"{client.program} can't be run: {error.strerror}") from None
        return self._read_all(process)

    def _read_all(self, process: subprocess.Popen[bytes]) -> str:
        pipes = [_Pipe(process.stdout, process), _Pipe(process.stderr, None)]
        try:
            code = process.wait(self._timeout)
        except subprocess.TimeoutExpired:
            raise ModelError(
                f"{self._client.program} gave no answer in {self._timeout:g} seconds"
            ) from None
        finally:
            _end(process)
            for pipe in pipes:
                pipe.thread.join(1.0)
        out, told = (pipe.raw.decode(errors="replace") for pipe in pipes)
        if len(pipes[0].raw) >= _MOST_BYTES:
            raise ModelError(f"{self._client.program} printed more than an answer", answered=True)
        if code:
            for said in (out, told):
                self._client.read(said)  # raises where it says of itself what was wrong
            raise _refusal(self._client.program, told if told.strip() else out)
        return out


def _refusal(program: str, said: str) -> ModelError:
    """Return the error for a client that says that it failed."""
    lines = (" ".join(line.split()) for line in _COLOURS.sub("", said).splitlines())
    last = ([line for line in lines if line] or ["nothing"])[-1]
    remedy = f"run `{program}` once by hand" + (" and log in" if _LOGIN.search(said) else "")
    return ModelError(f"{program} says: {redact(last)[0][:_MOST_REASON]}", remedy=remedy)


class _Pipe:
    """A pipe that is read to its end, of which the beginning is kept; a `process` that writes more
    than that is ended."""

    def __init__(self, file: IO[bytes] | None, process: subprocess.Popen[bytes] | None) -> None:
        assert file is not None
        self.raw = bytearray()
        self._file = file
        self._process = process
        self.thread = Thread(target=self._read, daemon=True)
        self.thread.start()

    def _read(self) -> None:
        with self._file:
            while chunk := os.read(self._file.fileno(), _CHUNK):
                self.raw += chunk[: _MOST_BYTES - len(self.raw)]
                if self._process and len(self.raw) >= _MOST_BYTES:
                    _end(self._process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it started."""
    with suppress(OSError):
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()
