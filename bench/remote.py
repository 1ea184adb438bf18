"""Prompts by a remote server: whole processes of hooks over HTTPS on loopback, in turn with the
same prompts over the vault itself and with `python -c pass`."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from resource import RUSAGE_CHILDREN, getrusage
from typing import Any

from bench import corpus
from bench.measure import percentile, timed
from bench.vault import make_vault
from engrain.adapters.hooks.losses import read_losses

QUESTIONS = 100
PROMPT = ("-m", "engrain", "hook", "prompt", "--host", "claude-code")
PASS = ("-c", "pass")
ROWS = (
    ("prompt by a remote server of {entries} entries, p50 / p95",
     "{remote_p50_ms} / {remote_p95_ms} ms"),
    ("… the same over a vault of this device", "{local_p50_ms} / {local_p95_ms} ms"),
    ("… `python -c pass`", "{pass_p50_ms} / {pass_p95_ms} ms"),
    ("… p50 within 300 ms (goal yes)", "**{in_time}**"),
    ("… processor time: remote, over the vault, `pass`, ms",
     "{remote_cpu_ms}, {local_cpu_ms}, {pass_cpu_ms}"),
    ("… with something to say: remote, over the vault; not in time; lost otherwise",
     "{remote_answers}, {local_answers} of {asked}; {late}; {lost}"),
    ("prompt once the server is gone, p50 / p95", "{gone_p50_ms} / {gone_p95_ms} ms"),
)  # fmt: skip


def run(sizes: list[int], folder: Path, _: str | None = None) -> list[dict[str, object]]:
    """The figures for vaults of these sizes."""
    root = Path(__file__).parent.parent
    sys.path[:0] = [str(root / "tests"), str(root / "packages" / "engrain-team" / "tests")]
    return [{"entries": size, **_measure(size, folder / f"remote-{size}")} for size in sizes]


def _measure(size: int, folder: Path) -> dict[str, object]:
    from team.issuer import Issuer, make_certificate
    from team.remotely import reserved_port, serving_remotely
    from unit.adapters.shell import Shell

    shell = Shell(folder)
    del shell.environ["PYTHONDONTWRITEBYTECODE"]
    make_vault(shell.vault, shell.state, size)
    certificate = make_certificate(folder)
    local = dict(shell.environ)
    with Issuer() as issuer, reserved_port() as port:
        url = f"https://localhost:{port}/mcp"
        token = folder / "token"
        token.touch(mode=0o600)
        token.write_text(issuer.issue(url, scope="memory:read"))
        remote = local | {
            "ENGRAIN_VAULT": "",
            "ENGRAIN_STATE_DIR": str(folder / "member"),
            "ENGRAIN_REMOTE_URL": url,
            "ENGRAIN_REMOTE_TOKEN_FILE": str(token),
            "ENGRAIN_REMOTE_CA_FILE": str(certificate[0]),
        }
        taken = Taken(shell.here)
        limits = {"requests": "100000", "kilobytes": "1000000", "jwks": f"{issuer.url}/jwks"}
        with serving_remotely(shell, issuer, certificate, port=port, url=url, **limits) as server:
            _wait_until_warm(server, token.read_text(), f"localhost:{port}")
            for number, question in enumerate(corpus.real_questions(QUESTIONS)):
                taken.time("remote", remote, PROMPT, question, f"r{number}")
                taken.time("local", local, PROMPT, question, f"l{number}")
                taken.time("pass", local, PASS)
        losses = read_losses(str(folder / "member"), 0.0)
        for number, question in enumerate(corpus.real_questions(QUESTIONS)):
            taken.time("gone", remote, PROMPT, question, f"g{number}")
    late = sum(loss.reason.endswith(("in time", "out of time")) for loss in losses)
    in_time = "yes" if taken.median("remote") <= 0.3 else "no"
    return {
        **taken.describe(),
        "in_time": in_time,
        "asked": QUESTIONS,
        "late": late,
        "lost": len(losses) - late,
    }


def _wait_until_warm(server: Any, token: str, host: str) -> None:
    """A server's first recall scans a vault that other programs have written: it is not timed."""
    params = {"name": "memory_recall", "arguments": {"query": "harbour"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params}
    for _ in range(20):
        with suppress(TimeoutError):
            if server.send(message, token, {"Host": host}).status == 200:
                return
    raise RuntimeError("the server is not getting warm")


class Taken:
    """What processes took, by name. The first of each name is not counted."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._seconds: dict[str, list[float]] = {}
        self._processor: dict[str, list[float]] = {}
        self._answers: Counter[str] = Counter()

    def time(
        self,
        name: str,
        environ: Mapping[str, str],
        arguments: Sequence[str],
        question: str = "",
        session: str = "",
    ) -> None:
        """Time a process of Python with these arguments, which a hook's question is given to."""
        payload = {"session_id": session, "prompt": question, "cwd": str(self._folder)}
        said = b""

        def start() -> None:
            nonlocal said
            said = subprocess.run(
                [sys.executable, *arguments],
                input=json.dumps(payload).encode(),
                stdout=subprocess.PIPE,
                env={**os.environ, **environ},
                check=True,
                cwd=self._folder,
            ).stdout

        before = _processor()
        seconds = timed(start)
        self._processor.setdefault(name, []).append(_processor() - before)
        self._seconds.setdefault(name, []).append(seconds)
        self._answers[name] += bool(said)

    def median(self, name: str) -> float:
        """In seconds."""
        return statistics.median(self._seconds[name][1:])

    def describe(self) -> dict[str, object]:
        """The figures, in milliseconds."""
        figures: dict[str, object] = {}
        for name, (_, *seconds) in self._seconds.items():
            figures[f"{name}_p50_ms"] = round(self.median(name) * 1000)
            figures[f"{name}_p95_ms"] = round(percentile(seconds, 0.95) * 1000)
            figures[f"{name}_answers"] = self._answers[name]
            mean = statistics.mean(self._processor[name][1:])
            figures[f"{name}_cpu_ms"] = round(mean * 1000, 1)
        return figures


def _processor() -> float:
    used = getrusage(RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime
