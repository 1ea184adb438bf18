"""A vault and a user's configuration, over which hooks are run as their host runs them."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import cycle
from pathlib import Path

from bench import corpus
from bench.vault import make_vault
from engrain import open_memory
from engrain.adapters.hooks.losses import read_losses
from engrain.adapters.hosts.check import find_fault, make_payload
from engrain.adapters.hosts.commands import hook_command
from engrain.api.memory import Memory
from engrain.engine.core.scope import Scope
from engrain.seam.clock import Clock

EVENTS = {
    "session-start": "SessionStart",
    "prompt": "UserPromptSubmit",
    "stop": "Stop",
    "pre-compact": "PreCompact",
    "session-end": "SessionEnd",
}
"""Our name of each event -> the host's."""

SERVER_ALONE = {"ENGRAIN_BACKEND": "server-alone"}
"""A backend that there is not: a hook that finds its own way has nothing to say, and logs it. So
with this every answer is the server's."""

_HOST = "claude-code"
_PATIENT = (
    "from engrain.adapters.hooks import main as h;h.BUDGETS.update(dict.fromkeys(h.BUDGETS,30.0));"
    "from engrain.__main__"
)
_PATIENCE = 60.0  # seconds for a server to answer
_PAUSE = 0.2
_WARMING = 20  # prompts

_NOTES = {
    "_always-load/careful.md": ("Be careful", 4),
    "MEMORY.md": ("What I know", 10),
    "projects/billing/_harness/CONTINUITY.md": ("Where billing stands", 5),
    "projects/billing/progress.md": ("Progress of billing", 4),
}
"""What a session starts with: the place of each note, its title, and how many sentences it has."""


class Desk:
    """A vault with a user's configuration of its own, and a project to run hooks in. The hooks of a
    `patient` one have time enough, whatever else the machine does: what they say is measured."""

    def __init__(self, folder: Path, size: int = 0) -> None:
        self.size = size
        self.patient = False
        self._titles: list[str] = []  # of the notes that a session starts with
        self.state = folder / "state" / "engrain"
        self._vault = folder / "vault"
        self._project = folder / "billing"
        self._config = folder / "config" / "engrain" / "config.toml"
        kept = {name: told for name, told in os.environ.items() if name[:8] != "ENGRAIN_"}
        self.environment = {
            **kept,
            "XDG_CONFIG_HOME": str(folder / "config"),
            "XDG_STATE_HOME": str(folder / "state"),
        }

    def fill(self) -> None:
        """Make the vault, with its history."""
        self.make_places()
        make_vault(self._vault, self.state, self.size)
        lines = cycle(corpus.sentences()[1])
        for place, (title, count) in _NOTES.items():
            path = self._vault / place
            path.parent.mkdir(parents=True, exist_ok=True)
            text = "\n\n".join(next(lines) for _ in range(count))
            path.write_text(f"# {title}\n{text}\n")
            self._titles.append(title)
        with open_memory(self._vault, state_dir=self.state, backend="device-local") as memory:
            memory.scan()

    def take(self, notes: Path) -> None:
        """Make the vault a copy of a folder of notes, and calibrate its silence."""
        self.make_places()
        shutil.copytree(notes, self._vault, copy_function=shutil.copyfile)
        for path in (self._vault, *self._vault.rglob("*/")):
            path.chmod(0o700)
        with self.open() as memory:
            memory.scan()
        self.calibrate()

    def calibrate(self) -> None:
        """Measure when the vault is to keep silent."""
        with self.open() as memory:
            memory.jobs.run(["calibrate"])

    def begin(self) -> None:
        """Make an empty vault."""
        self.make_places()
        self.open().close()

    def save(self, title: str, text: str) -> None:
        """Save an entry of the project."""
        with self.open("billing") as memory:
            memory.save(text, title=title, kind="fix")

    def list_imported(self) -> dict[str, str]:
        """By id the file of each entry that an import brought, without its ending."""
        with self.open() as memory:
            rows = memory.list(scope=Scope(all_projects=True, kinds=["domain-reference"])).rows
            return {row.id: Path(row.locator).stem for row in rows}

    def command(self, *arguments: str) -> None:
        """Run a command of ours in the project, as a person does."""
        command = [sys.executable, "-m", "engrain", *arguments, "--vault", str(self._vault)]
        subprocess.run(
            command, check=True, env=self.environment, stdout=subprocess.DEVNULL, cwd=self._project
        )

    def open(self, project: str | None = None, clock: Clock | None = None) -> Memory:
        """The vault's memory, in this process; the vault is made if need be."""
        return open_memory(
            self._vault,
            state_dir=self.state,
            backend="device-local",
            project=project,
            create=True,
            clock=clock,
        )

    def ask(self, prompts: Sequence[str]) -> list[list[str]]:
        """The ids that recall gives to each prompt through the Python API."""
        with open_memory(self._vault, state_dir=self.state, backend="device-local") as memory:
            return [
                [found.row.id for found in memory.recall(prompt, scan=False).results]
                for prompt in prompts
            ]

    def make_places(self) -> None:
        """Make the folders of the project and of the configuration."""
        (self._project / ".git").mkdir(parents=True)
        self._config.parent.mkdir(parents=True)

    def configure(self, **settings: str) -> None:
        """Write the configuration, and run the hooks once, so that they have its short form."""
        told = {"vault": str(self._vault), **settings}
        lines = [f"{name} = {json.dumps(value)}\n" for name, value in told.items()]
        self._config.write_text("".join(lines))
        self.tell("prompt", "first", "first")
        _, printed = self.tell("session-start", "first")
        assert self.has_started(printed)

    def has_started(self, printed: bytes) -> bool:
        """Whether what hooks printed has all that a session must start with."""
        return all(title.encode() in printed for title in self._titles)

    def embed(self) -> None:
        """Give every passage its vectors."""
        self.command("jobs", "embed")

    def tell(
        self, event: str, session: str, prompt: str = "", more: Mapping[str, str] | None = None
    ) -> tuple[float, bytes]:
        """Run the hook that `setup` installs; its seconds, and what it printed."""
        name = EVENTS[event]
        payload = make_payload(_HOST, name, event, session, str(self._project))
        payload["permission_mode"] = "default"
        if event == "prompt":
            payload["prompt"] = prompt
        sent = json.dumps(payload).encode()
        environment = {**self.environment, **(more or {})}
        command = hook_command(event, _HOST)
        if self.patient:
            command = [part.replace("from engrain.__main__", _PATIENT) for part in command]
        took, printed = time_process(command, sent, environment, self._project)
        fault = find_fault(_HOST, name, printed)
        assert fault is None, fault
        return took, printed

    def count_losses(self, since: float, event: str) -> int:
        """What hooks could not do since then."""
        return sum(loss.event == event for loss in read_losses(str(self.state), since))

    @contextmanager
    def serving(self) -> Iterator[None]:
        """A server of the vault, up and warm, for the length of the block."""
        command = [sys.executable, "-m", "engrain", "mcp", "--socket"]
        server = subprocess.Popen(command, env=self.environment, stdout=subprocess.DEVNULL)
        try:
            deadline = time.monotonic() + _PATIENCE
            for number, prompt in enumerate(cycle(corpus.real_questions(20, seed=7))):
                since = time.time()
                self.tell("prompt", f"warming-{number}", prompt, SERVER_ALONE)
                lost = self.count_losses(since, "prompt")
                if not lost and number >= 20:
                    break
                if lost:
                    assert server.poll() is None and time.monotonic() < deadline, (
                        "no server answers"
                    )
                    time.sleep(_PAUSE)
            yield
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()


def time_process(
    command: Sequence[str], sent: bytes, environment: Mapping[str, str], folder: Path | None
) -> tuple[float, bytes]:
    """The seconds of a whole process that gets `sent`, and what it printed."""
    started = time.perf_counter()
    done = subprocess.run(
        command, input=sent, stdout=subprocess.PIPE, check=True, env=environment, cwd=folder
    )
    return time.perf_counter() - started, done.stdout
