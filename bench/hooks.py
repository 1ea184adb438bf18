"""Hooks as a host runs them: a whole process an event, in turn with `python -c pass`.

Vaults of all sizes stand side by side and are asked in turn too, so that what one is to another
does not depend on when it was asked.
"""

from __future__ import annotations

import json
import os
import shutil
import signal
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack, contextmanager
from functools import partial
from itertools import cycle
from pathlib import Path
from typing import NamedTuple

from bench import corpus
from bench.measure import percentile, spread
from bench.vault import make_vault
from engrain import open_memory
from engrain.adapters.hooks.losses import read_losses
from engrain.adapters.hosts.commands import hook_command
from engrain.adapters.hosts.payloads import find_fault, make_payload

QUESTIONS = 200
RUNS = 60
"""Processes of each event, and of each large prompt."""
LARGE = {"1_mb": 1_000_000, "10_mb": 10_000_000}

_HOST = "claude-code"
_EVENTS = {
    "session-start": "SessionStart",
    "stop": "Stop",
    "pre-compact": "PreCompact",
    "session-end": "SessionEnd",
}
_PROMPT = {"prompt": "UserPromptSubmit"}
_PATIENCE = 60.0  # seconds for a server to answer
_PAUSE = 0.2

_SERVER_ALONE = {"ENGRAIN_BACKEND": "server-alone"}
"""A backend that there is not: a hook that finds its own way has nothing to say, and logs it. So
with this every answer is the server's."""

_NOTES = {
    "_always-load/careful.md": ("Be careful", 4),
    "MEMORY.md": ("What I know", 12),
    "projects/billing/_harness/CONTINUITY.md": ("Where billing stands", 8),
    "projects/billing/progress.md": ("Progress of billing", 8),
}
"""What a session starts with: the place of each note, its title, and how many sentences it has."""


class Case(NamedTuple):
    """What is timed: an event of ours, its session of each run, and the prompt of each run."""

    event: str
    session: Callable[[int], str]
    prompt: Callable[[int], str]


class Desk:
    """A vault with a user's configuration of its own, and a project to run hooks in."""

    def __init__(self, folder: Path, size: int) -> None:
        self.size = size
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
        (self._project / ".git").mkdir(parents=True)
        self._config.parent.mkdir(parents=True)
        make_vault(self._vault, self.state, self.size)
        lines = cycle(corpus.sentences()[1])
        for place, (title, count) in _NOTES.items():
            path = self._vault / place
            path.parent.mkdir(parents=True, exist_ok=True)
            text = "\n\n".join(next(lines) for _ in range(count))
            path.write_text(f"# {title}\n{text}\n")
        with open_memory(self._vault, state_dir=self.state, backend="device-local") as memory:
            memory.scan()

    def configure(self, **settings: str) -> None:
        """Write the configuration, and run the hooks once, so that they have its short form."""
        told = {"vault": str(self._vault), **settings}
        lines = [f"{name} = {json.dumps(value)}\n" for name, value in told.items()]
        self._config.write_text("".join(lines))
        self.tell("prompt", "first", "first")
        _, printed = self.tell("session-start", "first")
        assert all(title.encode() in printed for title, _ in _NOTES.values())

    def embed(self) -> None:
        """Give every passage its vectors."""
        command = [sys.executable, "-m", "engrain", "embed"]
        subprocess.run(
            command, check=True, env=self.environment, stdout=subprocess.DEVNULL, cwd=self._project
        )

    def tell(
        self, event: str, session: str, prompt: str = "", more: Mapping[str, str] | None = None
    ) -> tuple[float, bytes]:
        """Run the hook that `setup` installs; its seconds, and what it printed."""
        name = {**_EVENTS, **_PROMPT}[event]
        payload = make_payload(_HOST, name, event, session, str(self._project))
        payload["permission_mode"] = "default"
        if event in _PROMPT:
            payload["prompt"] = prompt
        sent = json.dumps(payload).encode()
        environment = {**self.environment, **(more or {})}
        took, printed = _run(hook_command(event, _HOST), sent, environment, self._project)
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
                self.tell("prompt", f"warming-{number}", prompt, _SERVER_ALONE)
                lost = self.count_losses(since, "prompt")
                if not lost and number >= 20:
                    break
                if lost:
                    assert server.poll() is None and time.monotonic() < deadline, "no server answers"
                    time.sleep(_PAUSE)
            yield
        finally:
            server.send_signal(signal.SIGTERM)
            server.wait()


def run(sizes: list[int], folder: Path, static_folder: str | None) -> list[dict[str, object]]:
    """The figures of every size: of words alone and, given token vectors, with those."""
    below = folder / "hooks"
    shutil.rmtree(below, ignore_errors=True)
    os.environ["ENGRAIN_EMBEDDER"] = "none"
    desks = [Desk(below / str(size), size) for size in sizes]
    for desk in desks:
        print(f"making a vault of {desk.size} entries …", file=sys.stderr)
        desk.fill()
        desk.configure(embedder="none")
    print("hooks with words alone …", file=sys.stderr)
    figures = {**_measure(desks, _events()), **_measure(desks, _large())}
    figures |= _measure_prompts(desks, "words")
    if static_folder:
        for desk in desks:
            print(f"vectors of {desk.size} entries …", file=sys.stderr)
            static = {"embedder": "static", "embedder_static_folder": os.path.abspath(static_folder)}
            desk.configure(**static)
            desk.embed()
        print("hooks with vectors …", file=sys.stderr)
        figures |= _measure_prompts(desks, "static")
    shutil.rmtree(below)
    text = corpus.sentences()[0]
    return [
        {"entries": size, "text": text, **{name: found[place] for name, found in figures.items()}}
        for place, size in enumerate(sizes)
    ]


def _events() -> dict[str, Case]:
    """A session's events, one after another, in a session a run."""
    return {
        event.replace("-", "_"): Case(event, "session-{}".format, lambda _: "") for event in _EVENTS
    }


def _large() -> dict[str, Case]:
    """Questions before a paste of so many bytes."""
    questions = corpus.real_questions(RUNS)
    lines = "\n".join(corpus.sentences()[1])

    def paste(size: int, number: int) -> str:
        text = f"{questions[number]}\n" + lines * (size // len(lines) + 1)
        return text[:size]

    return {
        f"prompt_{name}": Case("prompt", f"{name}-{{}}".format, partial(paste, size))
        for name, size in LARGE.items()
    }


def _measure_prompts(desks: Sequence[Desk], name: str) -> dict[str, list[dict[str, object]]]:
    """Questions, each in a fresh session: answered cold, then by servers."""
    prompt = corpus.real_questions(QUESTIONS).__getitem__
    cold = {name: Case("prompt", f"{name}-{{}}".format, prompt)}
    served = {f"{name}_served": Case("prompt", f"{name}-served-{{}}".format, prompt)}
    figures = _measure(desks, cold, QUESTIONS)
    with ExitStack() as servers:
        for desk in desks:
            servers.enter_context(desk.serving())
        return figures | _measure(desks, served, QUESTIONS, _SERVER_ALONE)


def _measure(
    desks: Sequence[Desk],
    cases: Mapping[str, Case],
    runs: int = RUNS,
    more: Mapping[str, str] | None = None,
) -> dict[str, list[dict[str, object]]]:
    """Each case at each size, in the order of the desks, all in turn with a bare interpreter."""
    since = time.time()
    bare: list[float] = []
    took: dict[tuple[str, int], list[float]] = {}
    answered = dict.fromkeys(((name, desk.size) for name in cases for desk in desks), 0)
    for number in range(runs):
        bare.append(_run([sys.executable, "-c", "pass"], b"{}", desks[0].environment, None)[0])
        for name, case in cases.items():
            for desk in desks:
                seconds, printed = desk.tell(
                    case.event, case.session(number), case.prompt(number), more
                )
                took.setdefault((name, desk.size), []).append(seconds)
                answered[name, desk.size] += bool(printed)
    return {
        name: [
            {
                **_compare(took[name, desk.size], bare),
                "answered": f"{answered[name, desk.size]} of {runs}",
                "lost": desk.count_losses(since, case.event),
                "growth": _grow(took[name, desk.size], took[name, desks[0].size]),
            }
            for desk in desks
        ]
        for name, case in cases.items()
    }


def _compare(took: Sequence[float], bare: Sequence[float]) -> dict[str, object]:
    tails = percentile(took, 0.95) / percentile(bare, 0.95)
    return {
        **spread(took),
        "floor": spread(bare),
        "ratio": round(statistics.median(took) / statistics.median(bare), 2),
        "ratio_p95": round(tails, 2),
    }


def _grow(took: Sequence[float], smallest: Sequence[float]) -> float:
    return round(statistics.median(took) / statistics.median(smallest), 2)


def _run(
    command: Sequence[str], sent: bytes, environment: Mapping[str, str], folder: Path | None
) -> tuple[float, bytes]:
    """The seconds of a whole process that gets `sent`, and what it printed."""
    started = time.perf_counter()
    done = subprocess.run(
        command, input=sent, stdout=subprocess.PIPE, check=True, env=environment, cwd=folder
    )
    return time.perf_counter() - started, done.stdout
