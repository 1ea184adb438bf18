"""The clients of agents' hosts, from npm, each in a home of its own and against a fake model."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from hosts.model import Asked, Model, Reply
from unit.adapters.shell import SOURCE

CACHE = Path(__file__).parents[2] / ".pytest_cache" / "engrain" / "hosts"
_LIMIT = 120.0
"""Seconds for a session of a client."""


@dataclass(frozen=True)
class Client:
    """A client: its package at npm, its program, how it is led to a model's server, and how it is
    asked once. `shell` is its tool that runs a command: its name and the argument's."""

    host: str
    package: str
    version: str
    program: str
    configure: Callable[[Path, str], Mapping[str, str]]
    """(home, the model's server) -> environment; what it needs in files is written."""
    ask: Sequence[str]
    """Arguments before the prompt."""
    shell: tuple[str, str]


def _claude(home: Path, url: str) -> Mapping[str, str]:
    _write(home / ".claude.json", {"hasCompletedOnboarding": True})
    return {
        "ANTHROPIC_BASE_URL": url,
        "ANTHROPIC_API_KEY": "none",
        "CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC": "1",
    }


def _codex(home: Path, url: str) -> Mapping[str, str]:
    config = f"""model = "gpt-5"
model_provider = "fake"

[model_providers.fake]
name = "fake"
base_url = "{url}/v1"
wire_api = "responses"
env_key = "FAKE_KEY"
"""
    (home / ".codex").mkdir()
    (home / ".codex" / "config.toml").write_text(config)
    return {"FAKE_KEY": "none"}


def _gemini(home: Path, url: str) -> Mapping[str, str]:
    _write(
        home / ".gemini" / "settings.json",
        {
            "security": {"auth": {"selectedType": "gemini-api-key"}},
            "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False},
        },
    )
    return {
        "GOOGLE_GEMINI_BASE_URL": url,
        "GEMINI_API_KEY": "none",
        "GEMINI_CLI_TRUST_WORKSPACE": "true",
    }


def _opencode(home: Path, url: str) -> Mapping[str, str]:
    provider = {
        "npm": "@ai-sdk/openai-compatible",
        "name": "fake",
        "options": {"baseURL": f"{url}/v1", "apiKey": "none"},
        "models": {"fake": {"name": "fake", "tool_call": True}},
    }
    settings = {
        "$schema": "https://opencode.ai/config.json",
        "model": "fake/fake",
        "autoupdate": False,
        "share": "disabled",
        "provider": {"fake": provider},
    }
    folder = home / ".config" / "opencode"
    _write(folder / "opencode.json", settings)
    # For any plugin it fetches a package of its own first, and waits a minute without a registry:
    # it is shown one that is locked already.
    (folder / "node_modules").mkdir()
    locked = {"dependencies": {"@opencode-ai/plugin": "1"}}
    _write(folder / "package.json", locked)
    _write(folder / "package-lock.json", {"lockfileVersion": 3, "packages": {"": locked}})
    return {"OPENCODE_DISABLE_MODELS_FETCH": "1", "OPENCODE_DISABLE_LSP_DOWNLOAD": "1"}


def _qwen(home: Path, url: str) -> Mapping[str, str]:
    _write(
        home / ".qwen" / "settings.json",
        {
            "security": {"auth": {"selectedType": "openai"}},
            "general": {"enableAutoUpdate": False},
            "privacy": {"usageStatisticsEnabled": False},
        },
    )
    return {"OPENAI_API_KEY": "none", "OPENAI_BASE_URL": f"{url}/v1", "OPENAI_MODEL": "fake"}


def _copilot(home: Path, url: str) -> Mapping[str, str]:
    del home
    return {
        "COPILOT_PROVIDER_BASE_URL": f"{url}/v1",
        "COPILOT_PROVIDER_API_KEY": "none",
        "COPILOT_PROVIDER_TYPE": "openai",
        "COPILOT_MODEL": "fake",
        "COPILOT_OFFLINE": "true",
    }


def _pi(home: Path, url: str) -> Mapping[str, str]:
    provider = {
        "baseUrl": f"{url}/v1",
        "api": "openai-completions",
        "apiKey": "none",
        "models": [{"id": "fake"}],
    }
    _write(home / ".pi" / "agent" / "models.json", {"providers": {"fake": provider}})
    return {"PI_OFFLINE": "1", "PI_TELEMETRY": "0"}


CLIENTS = {
    client.host: client
    for client in (
        Client(
            "claude-code",
            "@anthropic-ai/claude-code",
            "2.1.197",
            "claude",
            _claude,
            ["-p", "--allowedTools=Bash,mcp__engrain"],
            ("Bash", "command"),
        ),
        Client(
            "codex",
            "@openai/codex",
            "0.169.0",
            "codex",
            _codex,
            ["exec", "--sandbox=danger-full-access", "--dangerously-bypass-hook-trust"],
            ("exec_command", "cmd"),
        ),
        Client(
            "gemini",
            "@google/gemini-cli",
            "0.61.0",
            "gemini",
            _gemini,
            ["--model=gemini-2.5-flash", "--yolo", "-p"],
            ("run_shell_command", "command"),
        ),
        Client(
            "opencode",
            "opencode-ai",
            "1.18.33",
            "opencode",
            _opencode,
            ["run"],
            ("bash", "command"),
        ),
        Client(
            "qwen",
            "@qwen-code/qwen-code",
            "0.24.4",
            "qwen",
            _qwen,
            ["--yolo", "-p"],
            ("run_shell_command", "command"),
        ),
        Client(
            "copilot",
            "@github/copilot",
            "1.0.102",
            "copilot",
            _copilot,
            ["--allow-all-tools", "--no-auto-update", "-p"],
            ("bash", "command"),
        ),
        Client(
            "pi",
            "@mariozechner/pi-coding-agent",
            "0.73.1",
            "pi",
            _pi,
            ["--model", "fake/fake", "-p"],
            ("bash", "command"),
        ),
    )
}


def install(package: str, version: str) -> Path:
    """The folder of programs of a package, which is installed once into the cache of the tests. The
    version `latest` is what the registry calls so now."""
    npm = shutil.which("npm")
    if npm is None:
        pytest.skip("the clients come by npm, which is not here")
    if version == "latest":
        version = _npm([npm, "view", package, "version"])
    folder = CACHE / f"{package.replace('/', '+')}@{version}"
    folder.mkdir(parents=True, exist_ok=True)
    with open(CACHE / "lock", "w") as lock:  # tests run in several processes
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "done").exists():
            command = [npm, "install", "--no-audit", "--no-fund", "--prefix", str(folder)]
            _npm([*command, f"{package}@{version}"])
            (folder / "done").touch()
    return folder / "node_modules" / ".bin"


def _npm(command: Sequence[str]) -> str:
    """What npm says; without a registry the test is skipped."""
    away = dict(os.environ, npm_config_cache=str(CACHE / "npm"), npm_config_update_notifier="false")
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=300, check=False, env=away
    )
    if done.returncode:
        pytest.skip(f"npm can't reach its registry: {done.stderr.strip()[-300:]}")
    return done.stdout.strip()


@dataclass
class Session:
    """What a client did: its exit code, what it wrote, and what the model was asked."""

    code: int
    out: str
    err: str
    asked: list[Asked]
    missing: list[str]

    @property
    def turns(self) -> list[Asked]:
        return [asked for asked in self.asked if asked.is_turn]

    @property
    def aside(self) -> list[Asked]:
        return [asked for asked in self.asked if not asked.is_turn]


class Home:
    """A fresh home with a project in it, wired by `engrain setup`."""

    def __init__(self, folder: Path, client: Client, model: Model) -> None:
        self.client = client
        self.model = model
        self.path = folder / "home"
        self.project = self.path / "work" / "shop"
        self.project.mkdir(parents=True)
        self.notes = self.path / "notes"
        self.notes.mkdir()
        self.vault = self.path / "engrain"
        programs = install(client.package, client.version)
        self.program = str(programs / client.program)
        self.environ = {
            "HOME": str(self.path),
            "PATH": os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]),
            "LANG": "C.UTF-8",
            "TERM": "xterm-256color",
            "PYTHONPATH": SOURCE,
            "ENGRAIN_EMBEDDER": "none",
            "HTTPS_PROXY": "http://127.0.0.1:9",  # nothing but the model's server is reached
            "NO_PROXY": "127.0.0.1,localhost",
            **client.configure(self.path, model.url),
        }
        self.run("git", "init", "-q")

    def run(self, *command: str, stdin: str = "", check: bool = True) -> str:
        """What a command says in the project. Raises AssertionError where it must not fail."""
        done = subprocess.run(
            command, input=stdin, capture_output=True, text=True, check=False,
            cwd=self.project, env=self.environ, timeout=_LIMIT,
        )  # fmt: skip
        assert not (check and done.returncode), done.stdout + done.stderr
        return done.stdout

    def engrain(self, *argv: str, stdin: str = "", check: bool = True) -> str:
        return self.run(sys.executable, "-m", "engrain", *argv, stdin=stdin, check=check)

    def record(self) -> Path:
        """Have every hook that is wired write down what the client sends to it, and what it
        answers, before and after it runs as ever; the folder with these files."""
        folder = self.path / "recorded"
        folder.mkdir()
        recorder = folder / "python"
        recorder.write_text(_RECORDER.format(folder=folder, python=sys.executable))
        recorder.chmod(0o755)
        for path in self.path.glob(".*/**/*"):
            if path.is_file() and "hook" in path.read_text(errors="ignore"):
                text = path.read_text()
                path.write_text(text.replace(f"{sys.executable}", str(recorder)))
        return folder

    def ask(
        self,
        prompt: str,
        *script: Reply,
        options: Sequence[str] = (),
        ask: Sequence[str] | None = None,
    ) -> Session:
        """One session of one prompt, without a terminal; `ask` in the place of the client's."""
        self.model.begin(script)
        done = subprocess.run(
            [self.program, *options, *(self.client.ask if ask is None else ask), prompt],
            stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False,
            cwd=self.project, env=self.environ, timeout=_LIMIT,
        )  # fmt: skip
        return Session(
            done.returncode, done.stdout, done.stderr, list(self.model.asked),
            list(self.model.missing),
        )  # fmt: skip

    def ask_in_time(self, prompt: str, *script: Reply, options: Sequence[str] = ()) -> Session:
        """As `ask`, and again, at most five times in all, if a hook ran out of time."""
        for _ in range(5):
            late = self._count_late()
            session = self.ask(prompt, *script, options=options)
            if self._count_late() == late:
                break
        return session

    def find_processes(self) -> list[str]:
        """The command lines of the processes whose home this is."""
        found = []
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                if f"HOME={self.path}".encode() in (folder / "environ").read_bytes().split(b"\0"):
                    found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except OSError:
                continue  # it has ended, or is another user's
        return found

    def wait_for_end(self, seconds: float) -> list[str]:
        """The processes of this home that do not end by themselves within some seconds."""
        until = time.monotonic() + seconds
        while (running := self.find_processes()) and time.monotonic() < until:
            time.sleep(0.2)
        return running

    def _count_late(self) -> int:
        logs = (self.path / ".local" / "state" / "engrain").rglob("hooks.log")
        return sum(log.read_text().count("out of time") for log in logs)


_RECORDER = """#!/bin/sh
for word; do case "$before" in hook) event=$word;; esac; before=$word; done
name={folder}/$(date +%s%N)-$event
cat > $name.json
{python} "$@" < $name.json > $name.out
code=$?
cat $name.out
exit $code
"""


def _write(path: Path, value: object) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(json.dumps(value, indent=2) + "\n")
